"""The playground in a browser: it plays by itself, the address is the setting, and what is copied runs."""

import re
import shlex
from collections.abc import Iterator

import pytest
import typer
from playwright.sync_api import Page, expect

from lefi.cli import app as command_line
from tests.serve.pages.conftest import Open
from tests.serve.running import Caller, served

SETTING = "scenario=paper&clients=5&budget=2&rounds=6&seed=3&mechanisms=price%2Cuniform"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    with served(tmp_path_factory.mktemp("playground") / "ledger.db") as caller:
        yield caller


def copied(page: Page, button: str) -> str:
    page.get_by_role("button", name=button).click()
    expect(page.get_by_text("Copied.").first).to_be_visible()
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_the_first_load_plays_by_itself(service: Caller, visit: Open) -> None:
    page = visit(f"{service.url}/#/playground", 390)
    expect(page.get_by_text("40 rounds played.")).to_be_visible(timeout=60_000)
    expect(page.locator(".results tbody tr")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_the_address_is_the_setting(service: Caller, visit: Open) -> None:
    page = visit(f"{service.url}/#/playground?{SETTING}")
    expect(page.get_by_text("6 rounds played.")).to_be_visible()
    row = page.locator(".results tbody tr").first
    expect(row).to_contain_text("price")
    expect(row).to_contain_text(re.compile(r"[0-9.]+ USD.*USD"))
    plot = page.locator('[aria-label="Who finds the optimum?"] .plot')
    lines = plot.evaluate("(plot) => plot.chart.u.data.map((column) => column.length)")
    assert lines == [6, 6, 6, 6]  # rounds, price, uniform, the oracle
    page.get_by_role("button", name="uniform").click()
    page.get_by_label("Rounds").fill("4")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_text("4 rounds played.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"rounds=4&.*mechanisms=price$|mechanisms=price.*rounds=4"))


def test_what_is_copied_runs(service: Caller, visit: Open, capsys: pytest.CaptureFixture[str]) -> None:
    page = visit(f"{service.url}/#/playground?{SETTING}", permissions=["clipboard-read", "clipboard-write"])
    expect(page.get_by_text("6 rounds played.")).to_be_visible()
    told = page.locator(".results tbody tr").first.locator("td").nth(1).text_content()
    exec(copied(page, "Copy as Python"), {})
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("price Receipt(round 6")]
    assert f"accuracy {told}" in printed[0]
    words = shlex.split(copied(page, "Copy as command"))
    assert words[:2] == ["lefi", "compare"]
    group = typer.main.get_command(command_line)
    known = group.commands["compare"]  # type: ignore[attr-defined]
    context = known.make_context("compare", words[2:])
    assert (context.params["mechanisms"], context.params["clients"], context.params["seed"]) == ("price,uniform", 5, 3)
    assert copied(page, "Share link") == page.url


def test_a_bad_setting_is_said(service: Caller, visit: Open, watch: object) -> None:
    watch.expected = ("404", "422")  # type: ignore[attr-defined]
    page = visit(f"{service.url}/#/playground?{SETTING.replace('clients=5', 'clients=5000')}")
    expect(page.locator(".game [role=status]")).to_contain_text("1000")
