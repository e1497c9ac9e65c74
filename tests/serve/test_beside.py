"""Beside a Flower job: its ledger is shown, ordered, audited and explained by a service that does not play it."""

from pathlib import Path

import numpy as np
import pytest

from lefi.flower import Incentive, LocalGrid
from lefi.ledger import Ledger, client_id
from lefi.mechanisms.explanation import Explaining
from lefi.remote import Remote
from lefi.serve.jobs import Jobs
from lefi.serve.limits import Limits
from tests.flower import toy
from tests.serve.running import Caller, served
from tests.serve.test_events import watched
from tests.serve.test_rounds import ROSTER, begun


def flower(place: Path, mechanism: str | Remote, rounds: int) -> Incentive:
    """A job that Flower has played in process."""
    incentive = Incentive(toy.fedavg(), mechanism, terms=toy.paying("price"), ledger=place, seed=1)
    incentive.start(LocalGrid(toy.app(), toy.CLIENTS), toy.model(), num_rounds=rounds)
    return incentive


class Stopped(BaseException):
    """Stands for a kill in the third round."""


def stop(round: int, partition: int, kind: str) -> None:
    if (round, partition, kind) == (3, 2, "train"):
        raise Stopped


def shown(call: Caller) -> tuple[str, str]:
    """The state of the job, and that on its page."""
    return call("GET", "/v1/jobs/job").json["state"], call("GET", "/v1/views/overview").json["jobs"][0]["state"]


def test_a_job_that_has_played_what_was_asked_is_finished_until_it_goes_on(tmp_path: Path) -> None:
    """Its terms name no number of rounds: only the server knew how many there would be."""
    place = tmp_path / "ledger.db"
    incentive = flower(place, "price", 2)
    with served(place) as call:
        assert shown(call) == ("finished", "finished")
        with pytest.raises(Stopped):
            incentive.start(LocalGrid(toy.app(), toy.CLIENTS, faults=stop), toy.model(), num_rounds=4)
        assert shown(call) == ("running", "running")
        incentive.ledger.close()
        with watched(call, "/v1/jobs/job") as stream:
            stream.until("state", {"state": "running"})
            flower(place, "price", 4).ledger.close()
            stream.until("state", {"state": "finished"})
        assert shown(call) == ("finished", "finished")
        assert call("GET", "/v1/jobs/job/verify").json["findings"] == []
    with Ledger(place, reading=True) as ledger:
        assert [row["round"] for row in ledger.rows() if row["kind"] == "end"] == [2, 4]


def test_a_flower_job_is_shown_and_ordered(tmp_path: Path) -> None:
    place = tmp_path / "ledger.db"
    incentive = Incentive(toy.fedavg(), "price", terms=toy.paying("price"), ledger=place, seed=1)
    with pytest.raises(Stopped):  # it holds the job's lock
        incentive.start(LocalGrid(toy.app(), toy.CLIENTS, faults=stop), toy.model(), num_rounds=3)
    with served(place) as call:
        state = call("GET", "/v1/jobs/job").json
        assert (state["served"], state["settled"], state["mechanism"]) == (False, 2, "price")
        assert call("GET", "/v1/jobs/job/statement").json["lines"]
        assert call("PUT", "/v1/jobs/job/rounds/3", ROSTER).status == 409
        assert call("POST", "/v1/jobs/job/preview", ROSTER).status == 409
        assert call("POST", "/v1/jobs/job/pause").json["state"] == "paused"
        assert incentive.ledger.orders().state == "paused"
        assert call("POST", "/v1/jobs/job/resume").json["state"] == "running"
        assert call("PUT", "/v1/jobs/job/budget", {"budget": 0.25}).json["budget"] == 0.25
        incentive.books.barred()
        assert incentive.books.purse.next() == 0.25
        assert call("GET", "/v1/jobs/job/verify").json["findings"] == []
    incentive.ledger.close()


def test_a_twin_believes_what_the_job_s_own_mechanism_believes(tmp_path: Path) -> None:
    place = tmp_path / "ledger.db"
    incentive = flower(place, "price", 3)
    ids = np.array([client_id(f"client-{n}") for n in (1, 2)], dtype=np.int64)
    assert isinstance(incentive.mechanism, Explaining)
    own = incentive.mechanism.explain(ids)
    jobs = Jobs(str(place), Limits())
    told = jobs.explain("job", ids)
    assert told is not None
    for part in ("money", "expected", "low", "high", "offered"):
        np.testing.assert_array_equal(getattr(told, part), getattr(own, part))
    jobs.close()
    incentive.ledger.close()


def test_remote_inside_the_flower_wrapper(tmp_path: Path) -> None:
    """The wrapper pays by its own ledger; the service keeps the same rounds."""
    with served(tmp_path / "service.db") as call:
        remote = Remote.create(call.url, None, "flower", terms=toy.paying("price"), mechanism="price", seed=1)
        incentive = flower(tmp_path / "flower.db", remote, 3)
        plain = flower(tmp_path / "plain.db", "price", 3)
        there, here = (list(one.ledger.receipts()) for one in (incentive, plain))
        assert [receipt.paid for receipt in there] == [receipt.paid for receipt in here]
        assert call("GET", "/v1/jobs/flower").json["settled"] == 3
        assert call("GET", "/v1/jobs/flower/verify").json["findings"] == []
        for one in (incentive, plain):
            one.ledger.close()
        remote.close()


def test_two_services_do_not_play_one_job(tmp_path: Path) -> None:
    place = tmp_path / "ledger.db"
    incentive = flower(place, "price", 1)
    with served(place) as call:
        begun(call, "own")
        assert call("POST", "/v1/jobs", {"job": "job", "mechanism": "price", "terms": {"budget": 1.0}}).status == 409
    incentive.ledger.close()
