"""Pages that stay open while a job goes on: new rounds, zoom, lost connections, orders, roles."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lefi.ledger import Ledger
from lefi.serve.tokens import Tokens, tokens_beside
from tests.serve.pages.conftest import PATIENCE, Open, Watch
from tests.serve.pages.played import Job
from tests.serve.running import Caller, free_port, served

ACCURACY = '[aria-label="Does accuracy rise?"]'
SPAN = "(plot) => [plot.chart.u.scales.x.min, plot.chart.u.scales.x.max]"
LOOK = 50  # milliseconds between two looks
LAST = "(plot) => plot.chart.u.data[0].at(-1)"


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    job = Job(tmp_path / "ledger.db", "fleet", "price")
    job.play(10)
    yield job
    job.close()


@pytest.fixture
def service(job: Job) -> Iterator[Caller]:
    with served(job.ledger.place.removeprefix("sqlite:///")) as caller:
        yield caller


def shows(page: Page, round: int) -> None:
    """The page has reached that round, in its head and in its charts."""
    expect(page.get_by_text(f"round {round} of 60", exact=True)).to_be_visible()
    until(page, lambda: page.locator(f"{ACCURACY} .plot").evaluate(LAST) == round)


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait for it. Playwright's own way evaluates strings in the page, which its content policy refuses."""
    for _ in range(PATIENCE // LOOK):
        if holds():
            return
        page.wait_for_timeout(LOOK)
    pytest.fail("it did not come about")


def mark(page: Page) -> None:
    page.evaluate("window.marked = true")


def was_not_reloaded(page: Page) -> bool:
    return bool(page.evaluate("window.marked"))


def test_new_rounds_appear_and_zoom_and_selection_stay(service: Caller, job: Job, visit: Open) -> None:
    page = visit(f"{service.url}/#/jobs/fleet")
    shows(page, 10)
    mark(page)
    place = page.locator(f"{ACCURACY} .u-over")
    box = place.bounding_box()
    assert box
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 60, steps=4)
    page.mouse.up()
    plot = page.locator(f"{ACCURACY} .plot")
    zoomed = plot.evaluate(SPAN)
    assert zoomed == pytest.approx([3.7, 6.4], abs=0.3)
    other = page.locator('[aria-label="How much is spent in all?"] .plot')
    assert other.evaluate(SPAN) == pytest.approx(zoomed)
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 50)
    expect(page).to_have_url(re.compile("round="))
    picked = page.url.split("round=")[1]
    job.play(2)
    shows(page, 12)
    assert plot.evaluate(SPAN) == pytest.approx(zoomed)
    assert other.evaluate(SPAN) == pytest.approx(zoomed)
    assert page.url.endswith(f"round={picked}")
    expect(page.locator(".heat .legend")).to_contain_text(f"round {picked}:")
    assert was_not_reloaded(page)
    page.mouse.dblclick(box["x"] + 0.5 * box["width"], box["y"] + 50)
    until(page, lambda: plot.evaluate(SPAN)[1] >= 12)


def test_keys_choose_a_round_and_the_address_keeps_it(service: Caller, visit: Open) -> None:
    page = visit(f"{service.url}/#/jobs/fleet")
    shows(page, 10)
    plot = page.locator(f"{ACCURACY} .plot")
    plot.focus()
    plot.press("ArrowRight")
    plot.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"round=9$"))
    again = visit(page.url)
    expect(again.locator(".heat .legend")).to_contain_text("round 9:")
    assert again.locator(f"{ACCURACY} .plot").evaluate("(plot) => plot.chart.picked") == 9


def test_the_overview_follows_too(service: Caller, job: Job, visit: Open) -> None:
    page = visit(service.url)
    expect(page.locator('tr[data-job="fleet"]')).to_contain_text("10 of 60")
    mark(page)
    job.play(1)
    expect(page.locator('tr[data-job="fleet"]')).to_contain_text("11 of 60")
    assert was_not_reloaded(page)


@contextmanager
def process(place: Path, port: int) -> Iterator["subprocess.Popen[bytes]"]:
    """The service as a process of its own, up and answering."""
    code = "from lefi.cli import app; app()"
    command = [sys.executable, "-c", code, "serve", "--ledger", str(place), "--port", str(port)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | {"LEFI_ENGINE": "numpy"})
    try:
        for _ in range(600):
            try:
                Caller(f"http://127.0.0.1:{port}")("GET", "/v1/me")
                break
            except OSError:
                time.sleep(0.1)
        yield running
    finally:
        running.kill()
        running.wait()


def test_a_page_goes_on_where_it_was_after_the_service_was_killed(
    job: Job, tmp_path: Path, visit: Open, watch: Watch
) -> None:
    watch.expected = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET")
    port = free_port()
    with process(tmp_path / "ledger.db", port) as running:
        page = visit(f"http://127.0.0.1:{port}/#/jobs/fleet")
        shows(page, 10)
        mark(page)
        running.send_signal(signal.SIGKILL)
        running.wait()
        expect(page.locator("#link")).to_contain_text("trying again")
        job.play(3)
    with served(tmp_path / "ledger.db", port=port):
        shows(page, 13)
        expect(page.locator("#link")).to_be_hidden()
        assert page.locator(f"{ACCURACY} .plot").evaluate("(plot) => plot.chart.u.data[0].length") == 13
        assert was_not_reloaded(page)
        job.play(1)
        shows(page, 14)
        page.close()


def test_an_operator_pauses_resumes_and_changes_the_budget(service: Caller, job: Job, visit: Open) -> None:
    page = visit(f"{service.url}/#/jobs/fleet")
    state = page.locator(".head .state")
    page.get_by_role("button", name="Pause").click()
    expect(state).to_have_text("paused")
    assert job.ledger.orders().state == "paused"
    page.get_by_role("button", name="Resume").click()
    expect(state).to_have_text("running")
    page.get_by_role("button", name="Budget").click()
    page.get_by_label("USD per round, from the next round on").fill("4.5")
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_text("Changed from the next round on.")).to_be_visible()
    assert job.ledger.orders().budget == 4_500_000_000
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert job.ledger.orders().state == "running"
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    expect(state).to_have_text("stopped")
    expect(page.get_by_role("button", name="Pause")).to_be_hidden()


def sign_in(page: Page, token: str) -> None:
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()


def test_roles_see_what_they_may(job: Job, visit: Open, watch: Watch) -> None:
    watch.expected = ("401", "403")
    place = job.ledger.place.removeprefix("sqlite:///")
    tokens = Tokens(tokens_beside(place))
    made = {role: tokens.make(role) for role in ("operator", "auditor")} | {
        "client": tokens.make("client", "fleet", "car-3")
    }
    with served(place) as service:
        page = visit(f"{service.url}/#/jobs/fleet")
        sign_in(page, "lefi_no_token")
        expect(page.get_by_text("This token is not good")).to_be_visible()
        sign_in(page, made["auditor"])
        expect(page.get_by_text("round 10 of 60")).to_be_visible()
        expect(page.get_by_role("button", name="auditor, sign out")).to_be_visible()
        expect(page.get_by_role("button", name="Pause")).to_have_count(0)
        refused = page.evaluate("fetch('/v1/jobs/fleet/pause', {method: 'POST'}).then((reply) => reply.status)")
        assert refused == 403
        own = visit(service.url)
        sign_in(own, made["client"])
        expect(own.get_by_role("heading", name="car-3")).to_be_visible()
        own.goto(f"{service.url}/#/clients/fleet/car-4")
        expect(own.get_by_text("this token is for the client 'car-3'")).to_be_visible()
        boss = visit(f"{service.url}/#/jobs/fleet")
        sign_in(boss, made["operator"])
        expect(boss.get_by_role("button", name="Pause")).to_be_visible()
        for each in (page, own, boss):
            each.close()
    assert Ledger(place, "fleet", reading=True).orders().state == "running"
