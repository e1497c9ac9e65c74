"""Rounds over HTTP: written before they are told, the same when repeated, and after a restart."""

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from lefi.ledger import Ledger
from lefi.ledger.accounting import order
from lefi.serve.limits import Limits
from tests.serve.running import Caller, served

ROSTER: dict[str, Any] = {"clients": ["car-1", "7", "lab/2"], "iid": [0.1, 0.5, 1.0], "rate": 0.75}
ANSWERS: dict[str, Any] = {"sizes": [0.25, None, 0.4]}


def job(name: str = "a", **more: Any) -> dict[str, Any]:
    return {"job": name, "mechanism": "price", "seed": 3, "terms": {"budget": 5.0}} | more


def without(told: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in told.items() if name not in names}


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    with served(tmp_path_factory.mktemp("rounds") / "ledger.db") as caller:
        yield caller


def begun(call: Caller, name: str, **more: Any) -> str:
    reply = call("POST", "/v1/jobs", job(name, **more))
    assert reply.status == 201, reply.data
    return f"/v1/jobs/{name}"


def test_a_walk_over_a_restart(place: str) -> None:
    """On SQLite and PostgreSQL: every step twice, with a service that knows only what the ledger says in between."""
    with served(place) as call:
        assert call("POST", "/v1/jobs", job()).status == 201
        assert call("POST", "/v1/jobs", job()).status == 200
        asked = call("POST", "/v1/jobs/a/preview", ROSTER).json
        first = call("PUT", "/v1/jobs/a/rounds/1", ROSTER).json
        assert first["offer"] == asked["offer"]
        assert (first["state"], first["repeated"], first["round"]) == ("open", False, 1)
    with served(place) as call:
        again = call("PUT", "/v1/jobs/a/rounds/1", ROSTER).json
        assert again == first | {"repeated": True}
        paid = call("POST", "/v1/jobs/a/rounds/1/answers", ANSWERS).json
        assert paid["verdicts"] == ["accepted", "no answer", "accepted"]
        assert sum(paid["units"]) > 0
        second = call("POST", "/v1/jobs/a/preview", ROSTER).json
    with served(place) as call:
        for _ in range(2):
            assert call("POST", "/v1/jobs/a/rounds/1/answers", ANSWERS).json == paid | {"repeated": True}
        assert call("GET", "/v1/jobs/a/rounds/1").json == paid | {"repeated": True}
        assert call("PUT", "/v1/jobs/a/rounds/1", ROSTER).json == first | {"repeated": True, "state": "settled"}
        assert call("PUT", "/v1/jobs/a/rounds/2", ROSTER).json["offer"] == second["offer"]
        state = call("GET", "/v1/jobs/a").json
        assert (state["settled"], state["spent"]) == (1, paid["paid"])
        audit = call("GET", "/v1/jobs/a/verify").json
        assert (audit["ok"], audit["findings"], audit["paid"]) == (True, [], paid["paid"])


def test_a_preview_writes_nothing(call: Caller) -> None:
    path = begun(call, "preview")
    before = call("GET", path).json
    offers = [call("POST", f"{path}/preview", ROSTER | more).json for more in ({}, {"budget": 0.5}, {})]
    assert offers[0] == offers[2]
    assert offers[1]["most"] <= 0.5 < offers[0]["most"]
    assert call("GET", path).json == before


def test_other_answers_come_too_late(call: Caller) -> None:
    path = begun(call, "late")
    call("PUT", f"{path}/rounds/1", ROSTER)
    call("POST", f"{path}/rounds/1/answers", ANSWERS)
    before = call("GET", path).json
    for other in (
        {"sizes": [0.25, None, 0.3]},
        ANSWERS | {"accuracy": None},
        ANSWERS | {"clients": ["7", "lab/2", "x"]},
    ):
        reply = call("POST", f"{path}/rounds/1/answers", other)
        assert reply.status == 409
        assert "nothing was changed" in reply.json["detail"]
    reply = call("PUT", f"{path}/rounds/1", ROSTER | {"iid": 1.0})
    assert reply.status == 409
    assert call("GET", path).json == before


def test_rounds_come_one_after_another(call: Caller) -> None:
    path = begun(call, "order")
    assert call("PUT", f"{path}/rounds/2", ROSTER).json["allowed"] == 1
    assert call("POST", f"{path}/rounds/1/answers", ANSWERS).status == 409
    call("PUT", f"{path}/rounds/1", ROSTER)
    assert call("PUT", f"{path}/rounds/2", ROSTER).status == 409
    assert call("GET", f"{path}/rounds/1").status == 404


def test_every_answer_gets_a_verdict(call: Caller) -> None:
    path = begun(call, "verdicts")
    names = [f"c{n}" for n in range(5)]
    limit = call("PUT", f"{path}/rounds/1", {"clients": names}).json["offer"]["columns"]["limit"]
    few, *_ = [at for at, most in enumerate(limit) if most < 9]
    some, other, third, last = (name for name in names if name != names[few])
    told = {"clients": [third, some, "x", names[few], third, other], "sizes": [1e9, -1, 1.0, 9.99, 0.5, 0.0]}
    expected = {names[few]: "above limit", some: "negative", other: "accepted", third: "above size_high"}
    paid = call("POST", f"{path}/rounds/1/answers", told).json
    assert dict(zip(names, paid["verdicts"], strict=True)) == expected | {last: "no answer"}
    assert [stray["verdict"] for stray in paid["refused"]] == ["unknown client", "duplicate"]
    assert [at for at, units in enumerate(paid["units"]) if units] == [few]
    assert paid["sizes"][few] == limit[few]
    assert call("POST", f"{path}/rounds/1/answers", told).json == paid | {"repeated": True}
    assert call("GET", f"{path}/verify").json["ok"]


def test_orders_and_budgets(call: Caller) -> None:
    path = begun(call, "orders")
    call("PUT", f"{path}/rounds/1", ROSTER)
    for _ in range(2):
        assert call("POST", f"{path}/pause").json["state"] == "paused"
    assert call("POST", f"{path}/rounds/1/answers", ANSWERS).status == 200  # a promise is kept
    refused = call("PUT", f"{path}/rounds/2", ROSTER)
    assert (refused.status, refused.json["state"]) == (409, "paused")
    assert call("POST", f"{path}/resume").json["state"] == "running"
    assert call("PUT", f"{path}/budget", {"budget": 0.5}).json["budget"] == 0.5
    opened = call("PUT", f"{path}/rounds/2", ROSTER).json
    assert opened["budget"] == 0.5
    assert opened["most"] <= 0.5
    call("POST", f"{path}/rounds/2/answers", ANSWERS)
    assert call("PUT", f"{path}/rounds/3", ROSTER | {"budget": 2.0}).json["budget"] == 2.0
    call("POST", f"{path}/rounds/3/answers", ANSWERS)
    assert call("POST", f"{path}/preview", ROSTER).json["budget"] == 0.5
    assert call("POST", f"{path}/stop").json["state"] == "stopped"
    assert call("POST", f"{path}/resume").status == 409
    assert call("PUT", f"{path}/rounds/4", ROSTER).json["state"] == "stopped"
    assert call("GET", f"{path}/verify").json["findings"] == []


def test_the_end_of_rounds_and_of_money(call: Caller) -> None:
    path = begun(call, "short", terms={"total": 1.0, "rounds": 1})
    call("PUT", f"{path}/rounds/1", ROSTER)
    call("POST", f"{path}/rounds/1/answers", ANSWERS)
    assert call("GET", path).json["state"] == "finished"
    assert call("PUT", f"{path}/rounds/2", ROSTER).json["state"] == "finished"
    path = begun(call, "poor", terms={"budget": 1.0, "total": 1.0}, mechanism="flat")
    for round in range(1, 9):
        opened = call("PUT", f"{path}/rounds/{round}", ROSTER)
        if opened.status == 409:
            break
        call("POST", f"{path}/rounds/{round}/answers", {"sizes": opened.json["offer"]["columns"]["limit"]})
    assert opened.json["state"] == "finished"
    assert 0.99 < float(call("GET", path).json["spent"]) <= 1.0
    assert call("GET", f"{path}/verify").json["findings"] == []


def test_a_mechanism_that_is_done_keeps_the_money(tmp_path: Path) -> None:
    """Told with the refusal and with the state, on the pages too, and after a restart."""
    place = tmp_path / "ledger.db"
    with served(place) as own:
        path = begun(
            own, "paced", mechanism="pace(flat)", settings={"target": 0.3}, terms={"budget": 5.0, "total": 5.0}
        )
        assert own("GET", path).json["done"] is None
        own("PUT", f"{path}/rounds/1", ROSTER)
        own("POST", f"{path}/rounds/1/answers", ANSWERS | {"accuracy": 0.31})
        refused = own("PUT", f"{path}/rounds/2", ROSTER)
        assert (refused.status, refused.json["state"]) == (409, "finished")
        spent = Decimal(own("GET", path).json["spent"])
        assert re.match(
            r"the target 0\.3 is reached: 0\.31 for .* USD: no further round is paid", refused.json["detail"]
        )
        assert refused.json["detail"].endswith(f"and {5 - spent} USD are kept")
    with served(place) as own:
        state, head = own("GET", path).json, own("GET", "/v1/views/jobs/paced").json
        assert state["state"] == head["state"] == "finished"
        assert state["done"] == head["done"] == refused.json["detail"].partition(": no further")[0]
        assert own("PUT", f"{path}/rounds/2", ROSTER).json == refused.json
        assert own("GET", "/v1/jobs").json["jobs"][0]["state"] == "finished"
        assert own("GET", f"{path}/verify").json["findings"] == []


def test_who_is_blocked_is_left_out(tmp_path: Path) -> None:
    place = str(tmp_path / "ledger.db")
    with served(place) as own:
        path = begun(own, "blocked")
        with Ledger(place, "blocked") as ledger:
            order(ledger, "block", "7")
        first = own("PUT", f"{path}/rounds/1", ROSTER).json
        assert (first["clients"], first["left_out"]) == (["car-1", "lab/2"], ["7"])
        with Ledger(place, "blocked") as ledger:
            order(ledger, "unblock", "7")
        assert own("PUT", f"{path}/rounds/1", ROSTER).json == first | {"repeated": True}
        assert own("POST", f"{path}/preview", ROSTER).json["left_out"] == []
        assert own("GET", f"{path}/verify").json["findings"] == []


def test_problems_name_field_value_and_what_is_allowed(call: Caller) -> None:
    path = begun(call, "problems")
    for body, field in (
        (job("x", terms={"budget": -1}), "terms.budget"),
        (job("x", terms={}), "budget"),
        (job("x", mechanism="prize"), "mechanism"),
        (job("x", mechanism="/etc/passwd.py:Evil"), "mechanism"),
        (job("x", mechanism="pace(evil.py)"), "mechanism"),
        (job("x", mechanism="pace"), "mechanism"),
        (job("x", mechanism="pace(price"), "mechanism"),
        (job("x", mechanism="pace()"), "mechanism"),
        (job("x", mechanism="price(flat)"), "mechanism"),
        (job("x", mechanism="pace(price, price)"), "mechanism"),
        (job("x", mechanism="pace(nobody)"), "mechanism"),
        (job("x", mechanism="pace(pace(pace(pace(price))))"), "mechanism"),
        (job("x", mechanism="pace(price, target=((((1)))"), "mechanism"),
        (job("x", mechanism="pace(price, target=2)"), "pace(price).target"),
        (job("x", mechanism="pace(price)", settings={"data": "/etc/passwd"}), "settings.data"),
        (job("x", terms={"budget": 1.0, "accuracy": "/etc/passwd"}), "accuracy"),
        (job("x", settings={"tolerance": "much"}), "price.tolerance"),
        (job("../x"), "job"),
        (job("x") | {"extra": 1}, "extra"),
    ):
        reply = call("POST", "/v1/jobs", body)
        assert (reply.status, reply.headers["content-type"]) == (422, "application/problem+json")
        assert reply.json["field"] == field
        assert reply.json["detail"]
    assert call("PUT", f"{path}/rounds/1", {"clients": ["a", "a"]}).json["allowed"] == "different from each other"
    assert call("PUT", f"{path}/rounds/1", {"clients": ["a"], "iid": [0.1, 0.2]}).json["field"] == "iid"
    assert call("PUT", f"{path}/rounds/1", b"{").status == 422
    assert call("GET", "/v1/jobs/nobody").status == 404
    assert call("GET", "/nowhere").headers["content-type"] == "application/problem+json"
    assert call("POST", "/v1/jobs", job("problems", seed=4)).status == 409


def test_limits(tmp_path: Path) -> None:
    with served(tmp_path / "ledger.db", Limits(body=2000, clients=4, jobs=1, requests=1, burst=20)) as call:
        path = begun(call, "only")
        assert call("POST", "/v1/jobs", job("second")).status == 409
        assert call("PUT", f"{path}/rounds/1", {"clients": ["a", "b", "c"]}).status == 200
        call("POST", f"{path}/rounds/1/answers", {"sizes": [None] * 3})
        reply = call("PUT", f"{path}/rounds/2", {"clients": ["a", "d", "e"]})  # five names in all
        assert (reply.status, reply.json["allowed"]) == (422, "at most 4")
        assert call("PUT", f"{path}/rounds/2", {"clients": ["a" * 99] * 30}).status == 413
        replies = [call("GET", path).status for _ in range(30)]
        assert set(replies) == {200, 429}


def test_idle_jobs_are_closed_and_come_back(tmp_path: Path) -> None:
    with served(tmp_path / "ledger.db", Limits(live=2)) as call:
        paths = [begun(call, f"job-{n}") for n in range(4)]
        for round in (1, 2):
            for path in paths:
                assert call("PUT", f"{path}/rounds/{round}", ROSTER).status == 200
            for path in paths:
                assert call("POST", f"{path}/rounds/{round}/answers", ANSWERS).json["round"] == round
        assert all(call("GET", f"{path}/verify").json["ok"] for path in paths)


def test_an_auction(call: Caller) -> None:
    path = begun(call, "auction", mechanism="auction")
    assert call("POST", f"{path}/preview", ROSTER).json["offer"]["kind"] == "call"
    assert call("PUT", f"{path}/rounds/1", ROSTER).json["field"] == "bids"
    opened = call("PUT", f"{path}/rounds/1", ROSTER | {"bids": [0.01, 0.02, None]}).json
    assert opened["offer"]["columns"]["price"][2] == 0
    paid = call("POST", f"{path}/rounds/1/answers", {"sizes": [0.5, 0.5, 0.5]}).json
    assert paid["units"][0] > 0
    assert call("GET", f"{path}/verify").json["findings"] == []
