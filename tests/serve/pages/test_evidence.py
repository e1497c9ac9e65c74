"""Who was caught, and who was not: the view says what the ledger says, and the page draws it."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from lefi.ledger import Ledger
from lefi.ledger.accounting import appeal
from tests.flower import watched
from tests.serve.pages.conftest import Open
from tests.serve.pages.played import Job
from tests.serve.running import Caller, served

CHEATS = {"client-0", "client-1", "client-2"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("watched")
    job = watched.run(folder, rounds=6, trust=watched.watch(), cheats=3)
    appeal(job.ledger, "client-1", granted=True)
    job.ledger.close()
    other = Job(folder / "ledger.db", "unwatched", "price")
    other.play(1)
    other.close()
    return folder / "ledger.db"


@pytest.fixture(scope="module")
def service(place: Path) -> Iterator[Caller]:
    with served(place) as caller:
        yield caller


def read(service: Caller, job: str) -> Any:
    reply = service("GET", f"/v1/views/jobs/{job}/evidence")
    assert reply.status == 200, reply.data
    return reply.json


def test_it_says_what_the_ledger_says(service: Caller, place: Path) -> None:
    told = read(service, "job")
    assert told["line"] == pytest.approx(math.log(100), rel=1e-6)
    assert told["rounds"] == [2, 3, 4, 5, 6]
    assert told["weighed"] == watched.CLIENTS
    assert {one["client"] for one in told["accused"]} == CHEATS
    assert {one["appeal"] for one in told["accused"]} == {None, "granted"}
    assert {one["client"] for one in told["clients"][:3]} == CHEATS, "who is accused is drawn first"
    with Ledger(place, reading=True) as ledger:
        rows = [row for row in ledger.rows() if row["kind"] == "evidence" and row["client"] == "client-5"]
    (mine,) = [one["evidence"] for one in told["clients"] if one["client"] == "client-5"]
    assert mine == [float(row["claim"].split()[1]) for row in rows]
    peak = {one["client"]: max(value for value in one["evidence"] if value is not None) for one in told["clients"]}
    assert all((value >= told["line"] - 1e-4) == (name in CHEATS) for name, value in peak.items())
    lost = {one["client"]: one["forfeited"] for one in told["accused"]}
    assert float(lost["client-0"]) > 0
    assert float(lost["client-1"]) == 0, "it was given back"


def test_a_job_that_is_not_watched_says_so(service: Caller) -> None:
    assert read(service, "unwatched") == {"watched": False}


def test_the_page_draws_the_line_and_names_who_was_caught(service: Caller, visit: Open) -> None:
    page = visit(f"{service.url}/#/jobs/job")
    part = page.locator("section.chart", has_text="Who was caught, and who was not?")
    expect(part.locator("td", has_text="client-0")).to_be_visible()
    expect(part.locator("tbody tr")).to_have_count(3)
    expect(part.locator("th", has_text="forfeited")).to_have_text("forfeited [USD]")
    expect(part).to_contain_text("Half of the work is not seen")
    columns = page.evaluate(
        "[...document.querySelectorAll('.plot')].map((one) => one.chart?.u.data)"
        ".filter((data) => data?.at(-1).length && data.at(-1).every((value) => value > 4.6 && value < 4.61)).length"
    )
    assert columns == 1, "the line of accusation is drawn"
    visit(f"{service.url}/#/jobs/unwatched")
