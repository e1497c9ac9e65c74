"""Orders of the operator reach a running job at its next round, and clients get signed receipts of what they earn."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lefi.flower import Incentive, LocalGrid
from lefi.ledger import Ledger
from lefi.ledger.accounting import order, reverse
from lefi.ledger.audit import verify
from lefi.ledger.keys import read_public
from lefi.ledger.proofs import wrong_together
from tests.flower import toy


def job(path: Path, **settings: Any) -> Incentive:
    return Incentive(toy.fedavg(), "price", terms=toy.paying("price"), ledger=path, **settings)


def start(incentive: Incentive, rounds: int, clients: Any = None, faults: Any = None) -> None:
    grid = LocalGrid(clients or toy.app(), toy.CLIENTS, faults=faults)
    incentive.start(grid, toy.model(), num_rounds=rounds)


def before(round: int, act: Callable[[], Any]) -> Any:
    """Faults that do nothing but act once, while clients train in the round before."""
    done: list[int] = []

    def faults(now: int, partition: int, kind: str) -> None:
        if (now, kind) == (round - 1, "train") and not done:
            done.append(now)
            act()

    return faults


def ordered(path: Path, kind: str, *more: str) -> None:
    """What `lefi ledger` does in a process of its own, while the server is at work."""
    with Ledger(path, create=False) as other:
        order(other, kind, *more)


def offered(incentive: Incentive, client: str) -> list[int]:
    return [row["round"] for row in incentive.ledger.rows() if row["kind"] == "offer" and row["client"] == client]


def check(path: Path) -> None:
    with Ledger(path, reading=True) as ledger:
        assert not verify(ledger, read_public(f"{path}.pub")).findings


def test_stop(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "ledger.db"
    incentive = job(path)
    with caplog.at_level(logging.WARNING, logger="flwr"):
        start(incentive, 5, faults=before(3, lambda: ordered(path, "stop")))
    assert incentive.settled == 2, "the round that was begun is paid"
    assert "the job was stopped: it ends before round 3" in caplog.text
    incentive.ledger.close()
    again = job(path)
    start(again, 5)
    assert again.settled == 2
    check(path)


def test_pause_and_resume(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    incentive = job(path)
    looks: list[float] = []

    def pause(seconds: float) -> None:
        looks.append(seconds)
        assert incentive.settled == 1
        if len(looks) == 3:
            ordered(path, "resume")

    incentive.pause = pause
    start(incentive, 3, faults=before(2, lambda: ordered(path, "pause")))
    assert len(looks) == 3
    assert incentive.settled == 3
    check(path)


def test_a_blocked_client_gets_no_offer(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    incentive = job(path)
    start(incentive, 3, faults=before(2, lambda: ordered(path, "block", "client-2")))
    assert offered(incentive, "client-2") == [1]
    assert offered(incentive, "client-1") == [1, 2, 3]
    check(path)


@pytest.mark.parametrize("two_phase", [False, True])
def test_a_cap_is_kept_and_told(tmp_path: Path, two_phase: bool) -> None:
    """A client hears how much is left to it; one that does not care is paid no more all the same."""
    path, told = tmp_path / "ledger.db", dict[str, float | None]()

    def heedless(posted: Any, context: Any) -> float:
        told[f"client-{context.node_config['partition-id']}"] = posted.most
        return 5.0

    incentive = job(path, two_phase=two_phase)
    ordered(path, "cap", "client-1", "0.5")
    ordered(path, "cap", "client-2", "0")
    start(incentive, 4, toy.app(heedless))
    with Ledger(path, reading=True) as ledger:
        balances = ledger.balances()
    assert balances["client-1"]["payment"] == 500_000_000
    assert "client-2" not in balances
    assert offered(incentive, "client-2") == []
    assert told["client-1"] is not None
    assert told["client-0"] is None
    assert len(offered(incentive, "client-1")) < 4, "nothing is left to it"
    check(path)


def test_a_cap_that_comes_in_mid_round_waits(tmp_path: Path) -> None:
    """What counts is what was in force when the offers were written, also for a server that is killed."""

    class Stopped(BaseException):
        pass

    path = tmp_path / "ledger.db"

    def interrupted() -> None:
        ordered(path, "cap", "client-1", "0.000000001")
        raise Stopped

    incentive = job(path)
    with pytest.raises(Stopped):
        start(incentive, 2, faults=before(2, interrupted))
    incentive.ledger.close()
    again = job(path)
    start(again, 2)
    paid = {
        row["round"]: row["payment"]
        for row in again.ledger.rows()
        if (row["kind"], row["client"]) == ("payment", "client-1")
    }
    assert paid[1] > 1
    assert 2 not in paid
    check(path)


def test_a_selfish_client_does_not_work_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    incentive = job(path)
    ordered(path, "cap", "client-1", "0.1")
    start(incentive, 1)
    (receipt,) = incentive.ledger.receipts()
    assert 99_000_000 < incentive.ledger.balances()["client-1"]["payment"] <= 100_000_000
    assert receipt.sizes[1] < receipt.sizes[0]


@pytest.mark.parametrize("two_phase", [False, True])
def test_receipts_ride_on_messages(tmp_path: Path, two_phase: bool) -> None:
    """Through drop-outs, a reversal, a kill and a restart, every client can prove what it was paid so far."""
    path = tmp_path / "ledger.db"

    def faults(round: int, partition: int, kind: str) -> str | None:
        return "silent" if (round, partition) == (2, 3) else None

    clients = toy.app(receipts=lambda context: tmp_path / f"of-{context.node_config['partition-id']}")
    for rounds in (2, 5):
        incentive = job(path, two_phase=two_phase)
        start(incentive, rounds, clients, faults)
        reverse(incentive.ledger, "client-4", 1 if rounds == 2 else 2)
        incentive.ledger.close()
    public = read_public(f"{path}.pub")
    for partition in range(toy.CLIENTS):
        files = sorted((tmp_path / f"of-{partition}").iterdir())
        proofs = [json.loads(file.read_text()) for file in files]
        assert not wrong_together(proofs, public)
        assert len(proofs) == (4 if partition == 3 else 5), "one per round that it heard of"
        with Ledger(path, reading=True) as ledger:
            mine = [
                row for row in ledger.rows(upto=proofs[-1]["head"]["size"]) if row["client"] == f"client-{partition}"
            ]
        assert proofs[-1]["total"] == sum(row["payment"] for row in mine if row["kind"] in ("payment", "reversal"))
        assert all("client-" not in file.read_text() for file in files), "no names"
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_a_killed_server_writes_the_same_receipts(tmp_path: Path) -> None:
    from lefi.ledger.slips import Slips

    path = tmp_path / "ledger.db"
    incentive = job(path)
    start(incentive, 3)
    names = [f"client-{i}" for i in range(toy.CLIENTS)]
    incentive.books.promise(4, tuple(names), list(incentive.ledger.receipts())[-1].roster)
    first = incentive.slips.write(4, names)
    incentive.ledger.close()
    with Ledger(path) as ledger:
        assert Slips(ledger).write(4, names) == first
        order(ledger, "pause")
        assert Slips(ledger).write(4, names) == first, "whatever is written in between"
