"""Every page in every state, as a browser shows it."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import lefi
from lefi.ledger import Ledger
from lefi.remote import Remote
from tests.serve.pages.conftest import Open
from tests.serve.pages.filled import MANY
from tests.serve.pages.played import Job
from tests.serve.running import Caller, served

SHOTS = os.environ.get("LEFI_SHOTS")  # a folder that takes pictures to look at
TITLES = ("Does accuracy rise?", "Does every round keep its budget?", "How much is spent in all?", "Who delivers what?")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A ledger with a job in each state; `live` is played through the service itself."""
    path = tmp_path_factory.mktemp("pages") / "ledger.db"
    Ledger(path, "begun").begin({"budget": 10.0, "mechanism": "price", "rounds": 60, "size_high": 10.0})
    for name, rounds, most in (("one", 1, 60), ("nan", 5, 60), ("running", 30, 60), ("finished", 12, 12)):
        job = Job(path, name, "price", rounds=most)
        job.play(rounds, measured=name != "nan")
        job.close()
    with served(path) as caller:
        market = lefi.scenario("mixed", clients=8, budget=0.03, seed=1, payment="price")
        remote = Remote.create(caller.url, None, "live", terms=market.terms, mechanism="price", seed=1)
        for _ in lefi.play(remote, market, 10, 1):
            pass
        remote.close()
        yield caller


def look(page: Page, name: str) -> None:
    """Nothing is cut at the side; a picture is kept where somebody asked for one."""
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), name
    if SHOTS:
        page.wait_for_timeout(600)
        page.screenshot(path=str(Path(SHOTS) / f"{name}.png"), full_page=True)


def painted(page: Page, title: str) -> int:
    """Pixels of a chart's canvas that differ from its background."""
    script = """(plot) => {
      const canvas = plot.querySelector("canvas"), { width, height } = canvas;
      const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
      let some = 0;
      for (let at = 3; at < data.length; at += 4) if (data[at]) some += 1;
      return some;
    }"""
    return int(page.locator(f'[aria-label="{title}"] .plot').evaluate(script))


STATES = [
    ("begun", "running", "round 0 of 60", "nothing paid yet"),
    ("one", "running", "round 1 of 60", "within budget in its round"),
    ("nan", "running", "round 5 of 60", "within budget in all 5 rounds"),
    ("running", "running", "round 30 of 60", "within budget in all 30 rounds"),
    ("finished", "finished", "round 12 of 12", "within budget in all 12 rounds"),
]


LOOKS = [(1440, "light"), (390, "dark")]


@pytest.mark.parametrize(("job", "state", "round", "money"), STATES, ids=[state[0] for state in STATES])
@pytest.mark.parametrize(("width", "theme"), LOOKS if SHOTS else LOOKS[:1])
def test_a_job(
    service: Caller, visit: Open, width: int, theme: str, job: str, state: str, round: str, money: str
) -> None:
    page = visit(f"{service.url}/#/jobs/{job}", width, theme)
    expect(page.locator(".head .state")).to_have_text(state)
    expect(page.get_by_text(round, exact=True)).to_be_visible()
    expect(page.get_by_text(money)).to_be_visible()
    if job != "begun":
        expect(page.locator(".heat .legend")).to_contain_text("clients delivered")
        for title in TITLES if job != "nan" else TITLES[1:]:
            assert painted(page, title) > 500, title
    missing = page.locator('[aria-label="Does accuracy rise?"] .none')
    expect(missing).to_be_visible() if job in ("begun", "nan") else expect(missing).to_be_hidden()
    look(page, f"job-{job}-{theme}-{width}")


@pytest.mark.parametrize(("width", "theme"), LOOKS if SHOTS else LOOKS[:1])
def test_a_job_of_very_many_clients(large: Caller, visit: Open, width: int, theme: str) -> None:
    refused = -(-MANY // 7)  # every seventh, from the first on
    delivered = MANY - refused
    page = visit(f"{large.url}/#/jobs/large", width, theme)
    expect(page.get_by_text(f"{delivered:,} of {MANY:,} delivered")).to_be_visible()
    expect(page.get_by_text(f"{refused // 3:,} answers refused: late")).to_be_visible()
    expect(page.locator(".heat .legend")).to_contain_text(f"{delivered:,} of {MANY:,} clients delivered")
    expect(page.locator('[aria-label="How do clients differ?"] .none')).to_be_hidden()
    assert painted(page, "Who delivers what?") > 500
    look(page, f"job-large-{theme}-{width}")
    page.goto(f"{large.url}/#/clients/large/car-3")
    expect(page.locator("tbody").nth(1)).to_contain_text("accepted")
    look(page, f"client-large-{theme}-{width}")
    page.goto(f"{large.url}/#/ledger/large")
    expect(page.locator("p .bad")).to_contain_text(f"The newest head covers 1 of {2 * MANY + delivered + 2:,} rows")
    expect(page.locator("tbody tr")).to_have_count(100)
    look(page, f"ledger-large-{theme}-{width}")


@pytest.mark.parametrize(("width", "theme"), [(1440, "dark"), (390, "light")] if SHOTS else [(390, "light")])
def test_the_overview(service: Caller, visit: Open, width: int, theme: str) -> None:
    page = visit(service.url, width, theme)
    expect(page.get_by_role("heading", name="6 jobs")).to_be_visible()
    row = page.locator('tr[data-job="running"]')
    expect(row).to_contain_text("30 of 60")
    expect(row).to_contain_text(re.compile(r"[0-9.]+ of 600\.00 USD"))
    expect(page.locator('tr[data-job="begun"]')).to_contain_text("0.00 of 600.00 USD")
    expect(page.locator('tr[data-job="nan"]')).to_contain_text("\u2013")
    look(page, f"overview-{theme}-{width}")
    page.get_by_role("link", name="running", exact=True).click()
    expect(page.get_by_role("heading", name="running", exact=True)).to_be_visible()


def test_a_job_fits_a_narrow_screen(service: Caller, visit: Open) -> None:
    page = visit(f"{service.url}/#/jobs/running", 390, "dark")
    expect(page.locator(".heat .legend")).to_contain_text("clients delivered")
    look(page, "narrow")
    page.get_by_role("button", name="Dark or light").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


def test_no_job_yet(tmp_path: Path, visit: Open) -> None:
    with served(tmp_path / "ledger.db") as service:
        page = visit(service.url, 390)
        expect(page.get_by_role("heading", name="No job yet")).to_be_visible()
        look(page, "overview-empty-light-390")
        page.get_by_role("button", name="Start a simulated job").click()
        expect(page.locator("tr[data-job]")).to_have_count(1)
        page.close()


@pytest.mark.parametrize(("width", "theme"), LOOKS if SHOTS else LOOKS[1:])
@pytest.mark.parametrize("job", ["one", "running"] if SHOTS else ["running"])
def test_a_client(service: Caller, visit: Open, width: int, theme: str, job: str) -> None:
    page = visit(f"{service.url}/#/clients/{job}/car-3", width, theme)
    expect(page.get_by_role("heading", name="car-3")).to_be_visible()
    told = service("GET", f"/v1/views/jobs/{job}/clients/car-3").json
    assert float(told["earned"]) > 0
    expect(page.locator(".figures")).to_contain_text("Earned")
    expect(page.locator("tbody")).to_contain_text([told["months"][0]["month"], "accepted"])
    assert painted(page, "What did it deliver?") > 50
    look(page, f"client-{job}-{theme}-{width}")


def test_the_statement_is_a_file(service: Caller, visit: Open) -> None:
    page = visit(f"{service.url}/#/clients/running/car-3")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Statement as CSV").click()
    lines = waiting.value.path().read_text().splitlines()
    assert lines[0].startswith("client,at,round,kind,amount")
    assert len(lines) == 1 + service("GET", "/v1/views/jobs/running/clients/car-3").json["payments"]


@pytest.mark.parametrize(("width", "theme"), [(1440, "dark"), (390, "light")] if SHOTS else [(1440, "dark")])
def test_the_ledger(service: Caller, visit: Open, width: int, theme: str) -> None:
    page = visit(f"{service.url}/#/ledger/running", width, theme)
    expect(page.get_by_text("The newest head is signed and covers all")).to_be_visible()
    expect(page.locator("tbody tr")).to_have_count(100)
    look(page, f"ledger-running-{theme}-{width}")
    page.get_by_role("button", name="Older rows").click()
    expect(page.locator("tbody tr")).to_have_count(200)
    page.get_by_label("kind").select_option("payment")
    page.get_by_label("client").fill("car-3")
    page.get_by_role("button", name="Filter").click()
    expect(page).to_have_url(re.compile("kind=payment&client=car-3"))
    expect(page.locator("tbody tr").first).to_contain_text("car-3")
    assert page.locator("tbody tr").count() == service("GET", "/v1/views/jobs/running/clients/car-3").json["payments"]
    page.get_by_role("button", name="Verify all rows").click()
    expect(page.get_by_text("rows hold: leaves, signatures, payments, budgets")).to_be_visible()


def test_what_is_believed_of_a_client(service: Caller, visit: Open) -> None:
    page = visit(f"{service.url}/#/jobs/live?client=5")
    place = page.locator(".believed")
    expect(place.get_by_role("heading")).to_have_text("What do we believe of client 5?")
    expect(place).to_contain_text("lowest price taken [USD / thousand samples]")
    assert painted(page, "What do we believe of a client?") > 500
    place.get_by_label("Client").fill("2")
    place.get_by_label("Client").press("Enter")
    expect(place.get_by_role("heading")).to_have_text("What do we believe of client 2?")
    expect(page).to_have_url(re.compile("client=2"))
    look(page, "believed-light-1440")


def test_a_cell_lists_its_clients(service: Caller, visit: Open) -> None:
    page = visit(f"{service.url}/#/jobs/running?round=7")
    expect(page.locator(".heat .legend")).to_contain_text("round 7:")
    canvas = page.locator(".heat canvas")
    counts = service("GET", "/v1/views/jobs/running/histogram?round=7").json["counts"]
    column, row = next((c, r) for r, line in enumerate(counts) for c, count in enumerate(line) if count)
    canvas.focus()
    for key, times in (("ArrowRight", column), ("ArrowUp", row)):
        for _ in range(times):
            canvas.press(key)
    canvas.press("Enter")
    listed = page.locator(".listed tbody tr")
    expect(listed).to_have_count(counts[row][column])
    listed.first.get_by_role("button").click()
    expect(page).to_have_url(re.compile("client=car-"))


def test_a_page_that_is_not_there_says_so(service: Caller, visit: Open, watch: object) -> None:
    watch.expected = ("404",)  # type: ignore[attr-defined]
    page = visit(f"{service.url}/#/jobs/nowhere")
    expect(page.get_by_text("unknown job 'nowhere'")).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
