"""The views say what the ledger says, in answers that stay small."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

import lefi
from lefi.ledger import Ledger
from lefi.ledger.accounting import order, pay_out, reverse
from lefi.ledger.views import by_client, by_round, frame
from lefi.remote import Remote
from lefi.serve.pages.digest import Digest
from lefi.serve.pages.series import MOST, thinned
from tests.serve.pages.filled import MANY, fill
from tests.serve.pages.played import Job
from tests.serve.running import Caller, served
from tests.serve.test_rounds import ROSTER, begun

LARGEST = 1_000_000  # bytes of an answer
JOB = "/v1/views/jobs/{}"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("views") / "ledger.db"
    job = Job(path, "north", "price")
    job.play(8)
    order(job.ledger, "block", "car-9")
    reverse(job.ledger, "car-2", 3, reason="a mistake")
    pay_out(job.ledger, "2026-11")
    job.play(2)
    job.close()
    return path


@pytest.fixture(scope="module")
def service(place: Path) -> Iterator[Caller]:
    with served(place) as caller:
        yield caller


@pytest.fixture(scope="module")
def table(place: Path) -> Iterator[Any]:
    with Ledger(place, "north", reading=True) as ledger:
        yield frame(ledger.rows())


def read(service: Caller, path: str, status: int = 200) -> Any:
    reply = service("GET", path)
    assert reply.status == status, reply.data
    assert len(reply.data) < LARGEST
    return reply.json


def test_the_series_is_that_of_the_ledger(service: Caller, table: Any) -> None:
    told, rounds = read(service, JOB.format("north/series"))["series"], by_round(table)
    assert told["round"] == rounds["round"].to_list() == list(range(1, 11))
    assert np.allclose(told["paid"], rounds["paid"].cast(float).to_list(), rtol=1e-6)
    assert np.allclose(told["accuracy"], rounds["accuracy"].to_list(), rtol=1e-6)
    assert told["budget"] == pytest.approx(rounds["budget"].to_list())
    answers = [sum(both) for both in zip(told["delivered"], told["nothing"], strict=True)]
    assert answers == rounds["answers"].to_list()
    assert told["offers"] == rounds["offers"].to_list()
    assert told["spent"][-1] == pytest.approx(float(sum(rounds["paid"])), rel=1e-6)


def test_only_what_is_new_or_asked_for_is_told(service: Caller) -> None:
    assert read(service, JOB.format("north/series?after=8"))["series"]["round"] == [9, 10]
    assert read(service, JOB.format("north/series?after=10"))["series"]["round"] == []
    assert read(service, JOB.format("north/series?start=3&end=5"))["series"]["round"] == [3, 4, 5]


def test_the_overview_has_the_exact_money(service: Caller, table: Any) -> None:
    (line,) = read(service, "/v1/views/overview")["jobs"]
    assert line["spent_exact"] == str(sum(by_round(table)["paid"]))
    assert (line["state"], line["round"], line["rounds"]) == ("running", 10, 60)
    assert line["within"]
    head = read(service, JOB.format("north"))
    assert head["proof"]["holds"]
    assert head["proof"]["rows"] == table.height
    assert head["blocked"] == 1


def test_an_account_is_that_of_the_ledger(service: Caller, table: Any) -> None:
    clients = {row["client"]: row for row in by_client(table).to_dicts()}
    for name in ("car-2", "car-3"):
        told = read(service, JOB.format(f"north/clients/{name}"))
        assert told["due"] == str(clients[name]["due"])
        assert float(told["earned"]) + float(told["taken_back"]) == pytest.approx(float(clients[name]["paid"]))
    assert float(read(service, JOB.format("north/clients/car-2"))["taken_back"]) < 0
    assert float(read(service, JOB.format("north/clients/car-2"))["paid_out"]) > 0
    assert read(service, JOB.format("north/clients/car-9"))["blocked"]


def test_a_histogram_counts_every_client_once(service: Caller, table: Any) -> None:
    told = read(service, JOB.format("north/histogram?round=5"))
    counts = np.array(told["counts"])
    assert counts.sum() == told["answered"] == by_round(table)["answers"][4]
    assert told["answered"] + told["missing"] + told["refused"] == told["clients"] == 20
    named = []
    for row, column in np.argwhere(counts):
        cell = read(service, JOB.format(f"north/cell?round=5&column={column}&row={row}"))
        assert cell["all"] == counts[row, column]
        low, high = told["size"][row], told["size"][row + 1]
        assert all(low - 1e-5 <= client["size"] <= high + 1e-5 for client in cell["clients"])
        named += [client["client"] for client in cell["clients"]]
    assert len(named) == len(set(named)) == told["answered"]


def test_an_answer_of_no_samples_is_an_answer_and_no_delivery(tmp_path: Path) -> None:
    with served(tmp_path / "ledger.db") as service:
        path = begun(service, "idle")
        assert service("PUT", f"{path}/rounds/1", ROSTER).status == 200
        assert service("POST", f"{path}/rounds/1/answers", {"sizes": [0.25, 0.0, None]}).status == 200
        told = read(service, JOB.format("idle/series"))["series"]
        counts = {name: told[name] for name in ("offers", "delivered", "nothing", "missing", "refused")}
        assert counts == {"offers": [3], "delivered": [1], "nothing": [1], "missing": [1], "refused": [0]}
        seen = read(service, JOB.format("idle/histogram?round=1"))
        assert (seen["clients"], seen["answered"], seen["delivered"], seen["missing"]) == (3, 2, 1, 1)


def test_bands_are_quantiles_over_clients(service: Caller, table: Any) -> None:
    told = read(service, JOB.format("north/bands"))
    assert told["ready"]
    sizes = table.filter((table["round"] == 4) & (table["kind"] == "answer"))["size"].drop_nulls().to_numpy()
    assert told["size"][told["round"].index(4)] == pytest.approx(np.quantile(sizes, told["quantiles"]), rel=1e-5)


def test_rows_come_newest_first_and_by_filter(service: Caller, table: Any) -> None:
    first = read(service, JOB.format("north/rows"))
    second = read(service, JOB.format(f"north/rows?before={first['next']}"))
    seqs = [row["seq"] for row in first["rows"] + second["rows"]]
    assert seqs == list(range(table.height, table.height - 200, -1))
    paid = read(service, JOB.format("north/rows?kind=payment&client=car-3&round=4"))["rows"]
    assert [(row["round"], row["kind"], row["client"]) for row in paid] == [(4, "payment", "car-3")]
    assert [row["round"] for row in read(service, JOB.format("north/rows?kind=reversal&round=3"))["rows"]] == [3]
    assert read(service, JOB.format("north/rows?client=nobody"))["rows"] == []


def test_refusals_become_alerts_with_names(service: Caller, table: Any) -> None:
    head = read(service, JOB.format("north"))
    refused = table.filter((table["kind"] == "answer") & table["size"].is_null())
    assert refused.height
    told = {(alert["round"], alert["text"].split(": ")[1]) for alert in head["list"] if alert["level"] == "refused"}
    assert told == set(refused.select("round", "verdict").iter_rows())
    assert {name for alert in head["list"] for name in alert["clients"]} <= set(refused["client"])


def test_beliefs_are_those_of_the_live_mechanism(service: Caller) -> None:
    market = lefi.scenario("mixed", clients=5, budget=0.02, seed=1, payment="price")
    remote = Remote.create(service.url, None, "live", terms=market.terms, mechanism="price", seed=1)
    for _ in lefi.play(remote, market, 6, 1):
        pass
    remote.close()
    (told,) = read(service, JOB.format("live/beliefs?client=3"))["beliefs"]
    assert told["explained"]
    assert len(told["money"]) == len(told["expected"]) == len(told["low"]) == len(told["high"])
    assert len(told["dots"]) == 6
    assert told["offered"] == pytest.approx(told["dots"][0][0], rel=1e-5)
    (silent,) = read(service, JOB.format("north/beliefs?client=car-1"))["beliefs"]
    assert not silent["explained"]
    assert silent["dots"]


def test_what_is_not_there_is_refused_with_a_reason(service: Caller) -> None:
    for path in ("nowhere", "nowhere/series", "north/clients/nobody", "north/beliefs?client=nobody"):
        assert "nobody" in (text := str(read(service, JOB.format(path), 404))) or "nowhere" in text
    assert read(service, JOB.format("north/histogram?round=99"), 422)
    assert read(service, JOB.format("north/cell?round=1&column=99&row=0"), 422)
    odd = quote("a/../b \u2603", safe="")
    assert read(service, JOB.format(f"north/clients/{odd}"), 404)


def test_nothing_measured_is_null_and_one_round_is_enough(tmp_path: Path) -> None:
    job = Job(tmp_path / "ledger.db", "one", "price")
    job.play(1, measured=False)
    job.close()
    Ledger(tmp_path / "ledger.db", "empty").begin({"budget": 1.0})
    with served(tmp_path / "ledger.db") as service:
        assert read(service, JOB.format("one/series"))["series"]["accuracy"] == [None]
        lines = {line["job"]: line for line in read(service, "/v1/views/overview")["jobs"]}
        assert lines["one"]["accuracy"] is None
        assert lines["empty"]["round"] == 0
        for view in ("", "/series", "/bands", "/rows", "/clients"):
            assert read(service, JOB.format(f"empty{view}")) is not None


def test_a_round_beyond_its_budget_is_the_first_alert(tmp_path: Path) -> None:
    job = Job(tmp_path / "ledger.db", "rich", "price")
    job.play(3)
    job.ledger.append([{"round": 4, "kind": "round", "payment": 10**12, "accuracy": 0.5}])
    job.close()
    with served(tmp_path / "ledger.db") as service:
        head = read(service, JOB.format("rich"))
    assert not head["within"]
    assert head["list"][0]["level"] == "money"
    assert "1000.0" in head["list"][0]["text"]


def test_a_new_budget_holds_from_the_round_that_begins_after_it(tmp_path: Path) -> None:
    job = Job(tmp_path / "ledger.db", "changing", "price")
    job.play(2)
    order(job.ledger, "budget", amount="7.5")
    job.play(1)
    digest = Digest(Ledger(tmp_path / "ledger.db", "changing", reading=True))
    digest.catch_up()
    assert digest.budgets == pytest.approx([10.0, 10.0, 7.5])


def test_a_digest_that_grows_is_the_one_that_is_read_at_once(tmp_path: Path) -> None:
    job = Job(tmp_path / "ledger.db", "growing", "price")
    growing = Digest(Ledger(tmp_path / "ledger.db", "growing", reading=True))
    for _ in range(4):
        job.play(2)
        growing.catch_up()
    fresh = Digest(growing.reader)
    fresh.catch_up()
    for name in ("rounds", "budgets", "spent", "counts", "special", "seq", "counted"):
        assert getattr(growing, name) == getattr(fresh, name)


@pytest.mark.parametrize("count", [0, 1, MOST, 12_345])
def test_thinning_keeps_ends_and_peaks(count: int) -> None:
    line = np.random.default_rng(1).normal(size=count)
    if count > MOST:
        line[4_321], line[1_234], line[77] = 99.0, -99.0, np.nan
    kept = thinned([line, np.full(count, np.nan)], MOST)
    assert len(kept) <= MOST
    if count > MOST:
        assert {0, 1_234, 4_321, count - 1} <= set(kept.tolist())
    else:
        assert kept.tolist() == list(range(count))


def test_many_rounds_are_thinned(tmp_path: Path) -> None:
    """The whole of 100,000 x 50 and 100 x 10,000: python -m tests.serve.pages.large"""
    fill(tmp_path / "ledger.db", 20, 3_000)
    with served(tmp_path / "ledger.db") as service:
        for view in views(3_000):
            read(service, view)
        series = read(service, JOB.format("large/series"))
        finer = read(service, JOB.format("large/series?start=1001&end=1400"))
    assert series["thinned"]
    assert len(series["series"]["round"]) <= MOST
    assert (series["last"], series["series"]["round"][-1]) == (3_000, 3_000)
    assert finer["series"]["round"] == list(range(1001, 1401))


def test_no_answer_is_large_with_many_clients(large: Caller) -> None:
    for view in views(1):
        read(large, view)
    assert read(large, JOB.format("large/histogram?round=1"))["clients"] == MANY


def views(rounds: int) -> list[str]:
    """Every view of the job `large`."""
    paths = ["", "/series", "/bands", f"/histogram?round={rounds}", f"/cell?round={rounds}&column=20&row=20", "/rows"]
    paths += [
        "/rows?client=car-7",
        "/rows?verdict=late",
        "/clients?start=car",
        "/clients/car-7",
        "/beliefs?client=car-7",
    ]
    return ["/v1/views/overview", *(JOB.format(f"large{path}") for path in paths)]


def test_the_playground_plays_what_play_plays(service: Caller) -> None:
    asked = "scenario=paper&clients=4&budget=2&rounds=3&seed=5&mechanisms=uniform,price"
    text = service("GET", f"/v1/playground/run?{asked}").data.decode()
    told = [(block.split("\n")[0][7:], json.loads(block.split("data: ")[1])) for block in text.strip().split("\n\n")]
    assert [kind for kind, _ in told] == ["begin", "round", "round", "round", "end"]
    for name, payment in (("uniform", "curve"), ("price", "price")):
        market = lefi.scenario("paper", clients=4, budget=2.0, seed=5, payment=payment)
        played = lefi.play(lefi.make(name, market.terms, seed=5), market, 3, 5)
        heard = [event["played"][name]["accuracy"] for kind, event in told if kind == "round"]
        assert heard == pytest.approx([receipt.accuracy for receipt in played], rel=1e-6)
    market = lefi.scenario("paper", clients=4, budget=2.0, seed=5)
    assert told[0][1]["oracle"] == pytest.approx(lefi.oracle(market).accuracy, rel=1e-6)
    last = told[3][1]["played"]["uniform"]
    assert told[4][1]["equal"]["uniform"] == pytest.approx(last["paid"], rel=0.05)


@pytest.mark.parametrize(
    "asked",
    [
        "scenario=paper&mechanisms=evil.py:Evil", "scenario=evil.py:make&mechanisms=uniform",
        "scenario=paper&mechanisms=", "scenario=paper&mechanisms=uniform&clients=1000000",
        "scenario=paper&mechanisms=uniform&budget=nan", "scenario=paper&mechanisms=lefi(step=1)",
    ],
)  # fmt: skip
def test_an_address_cannot_make_the_server_load_code_or_work_long(service: Caller, asked: str) -> None:
    assert 400 <= service("GET", f"/v1/playground/run?{asked}").status < 500
