"""`Incentive(trust=...)`: cheats are left out and lose their pay, a restart says the same, and silence has a reason."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from lefi import InputError, LefiError
from lefi.flower import Checkpoints, Incentive
from lefi.ledger import Ledger
from lefi.ledger.accounting import appeal, reveal
from lefi.ledger.audit import verify
from lefi.ledger.keys import public_text
from lefi.ledger.reader import earned
from lefi.ledger.views import frame
from lefi.trust import Audits, Records, calibrate
from tests.flower import toy, watched

ROUNDS = 8
CHEATS = {"client-0", "client-1", "client-2"}


def rows(incentive: Incentive, kind: str) -> list[dict[str, Any]]:
    return [row for row in incentive.ledger.rows() if row["kind"] == kind]


def findings(incentive: Incentive) -> list[str]:
    return verify(incentive.ledger, public_text(incentive.ledger.key)).findings


def test_who_does_nothing_is_left_out_and_loses_its_pay(tmp_path: Path) -> None:
    job = watched.run(tmp_path, rounds=ROUNDS, trust=watched.watch(), cheats=3)
    accused = rows(job, "accused")
    assert {row["client"] for row in accused} == CHEATS
    last = max(row["round"] for row in accused)
    assert not [row for row in rows(job, "offer") if row["round"] > last and row["client"] in CHEATS]
    balances = job.ledger.balances()
    assert all(earned(balances[name]) == 0 for name in CHEATS), "accused before anything was released"
    assert all(balances[name]["held"] == balances[name]["released"] > 0 for name in balances.keys() - CHEATS)
    assert findings(job) == []


def test_an_update_that_changes_nothing_is_left_out_of_the_model_in_the_first_round(tmp_path: Path) -> None:
    """Nobody is accused yet. Averaged in, three of twelve would have shortened the step by about a quarter."""

    def step(name: str, cheats: int, trust: bool) -> float:
        (tmp_path / name).mkdir()
        job = watched.run(tmp_path / name, rounds=1, trust=watched.watch() if trust else None, cheats=cheats)
        assert rows(job, "accused") == []
        assert {row["client"] for row in rows(job, "payment")} >= CHEATS, "pay is held, and evidence decides"
        return float(np.linalg.norm(Checkpoints(tmp_path / name / "models").load(1)["w"].numpy()))

    honest, believed, told = step("honest", 0, True), step("believed", 3, False), step("told", 3, True)
    assert believed < 0.85 * told
    assert told == pytest.approx(honest, rel=0.1)


def test_honest_clients_are_left_alone_and_evidence_is_written_down(tmp_path: Path) -> None:
    job = watched.run(tmp_path, rounds=ROUNDS, trust=watched.watch())
    assert rows(job, "accused") == []
    assert len(rows(job, "evidence")) == (ROUNDS - 1) * watched.CLIENTS, "the first round has nothing to compare with"
    assert rows(job, "trust fault") == []
    assert findings(job) == []


class Killed(BaseException):
    """As a SIGKILL, nothing catches it."""


def dying(method: Callable[..., None], round: int) -> Callable[..., None]:
    """The method, which in that round ends the process instead."""

    def dies(owner: Any, first: Any, second: Any, *more: Any) -> None:
        if round in (first, getattr(second, "round", None)):
            owner.close() if isinstance(owner, Ledger) else None
            raise Killed
        method(owner, first, second, *more)

    return dies


def test_pay_is_released_where_the_terms_end_the_job_before_the_call_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched, "TERMS", replace(watched.TERMS, rounds=2))
    job = watched.run(tmp_path, rounds=4, trust=watched.watch())
    assert job.settled == 2
    assert all(balance["held"] == balance["released"] > 0 for balance in job.ledger.balances().values())
    job.ledger.close()


@pytest.mark.parametrize("where", ["before it is kept", "before it is paid"])
def test_a_killed_and_resumed_job_says_the_same(tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def table(place: Path) -> pl.DataFrame:
        with Ledger(place / "ledger.db", reading=True) as ledger:
            return frame(ledger.rows(), clock=False).drop("client")

    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    watched.run(whole, rounds=ROUNDS, trust=watched.watch(), cheats=3).ledger.close()
    kind, name = (Ledger, "settle") if where == "before it is paid" else (Checkpoints, "save")
    for round in (3, 5):
        with monkeypatch.context() as patch:
            patch.setattr(kind, name, dying(getattr(kind, name), round))
            with pytest.raises(Killed):
                watched.run(broken, rounds=ROUNDS, trust=watched.watch(), cheats=3)
    job = watched.run(broken, rounds=ROUNDS, trust=watched.watch(), cheats=3)
    assert findings(job) == []
    job.ledger.close()
    assert table(broken).equals(table(whole))


@pytest.mark.parametrize(
    ("settings", "clients", "said"),
    [
        ({"sealed": True}, watched.CLIENTS, "secure aggregation: single updates cannot be seen"),
        ({"losses": None}, watched.CLIENTS, "no validation data"),
        ({"reference": None}, watched.CLIENTS, "no reference yet"),
        ({}, 6, "6 clients: at least 8"),
    ],
)
def test_where_nothing_can_be_told_nobody_is_accused_and_it_says_so(
    tmp_path: Path, settings: dict[str, Any], clients: int, said: str
) -> None:
    job = watched.run(tmp_path, rounds=3, trust=watched.watch(**settings), cheats=3, clients=clients)
    assert rows(job, "accused") == rows(job, "forfeited") == []
    faults = rows(job, "trust fault")
    assert [row["round"] for row in faults] == [2, 3]
    assert all(said in row["claim"] for row in faults)
    assert findings(job) == []


@pytest.mark.parametrize("cheats", [6, 9])
def test_where_most_of_them_cheat_nobody_is_accused_and_it_says_so(tmp_path: Path, cheats: int) -> None:
    """Then honest clients are what looks odd. One weighed round, the second, is too little to tell or to accuse."""
    job = watched.run(tmp_path, rounds=ROUNDS, trust=watched.watch(), cheats=cheats)
    assert rows(job, "accused") == rows(job, "forfeited") == []
    faults = rows(job, "trust fault")
    assert [row["round"] for row in faults] == list(range(3, ROUNDS + 1))
    assert all("half of the clients or more are odd" in row["claim"] for row in faults)
    assert findings(job) == []


def test_honest_jobs_that_were_recorded_are_a_reference(tmp_path: Path) -> None:
    watched.run(tmp_path, rounds=4, trust=watched.watch(reference=None))
    records = Records(tmp_path / "models")
    record = records.record()
    assert [len(ids) for ids in record.ids] == [watched.CLIENTS] * 3
    assert records.weights() == watched.reference().about["weights"]
    many = [record] * 20
    assert calibrate(many, {"weights": records.weights()}).about["honest clients"] == 20 * watched.CLIENTS


def test_an_audit_is_conclusive_and_an_appeal_is_heard(tmp_path: Path) -> None:
    asked: list[tuple[int, str]] = []

    def audit(round: int, name: str) -> bool:
        asked.append((round, name))
        if name == "client-4":
            raise OSError("no answer from the inspector")
        return name != "client-3"

    audits = Audits(1.0, b"0123456789abcdef")
    trust = watched.watch(audits=audits, audit=audit)
    job = watched.run(tmp_path, rounds=2, trust=trust)
    assert {row["client"] for row in rows(job, "audit") if row["verdict"] == "failed"} == {"client-3"}
    assert (2, "client-3") not in asked
    assert earned(job.ledger.balances()["client-3"]) == 0
    assert findings(job) == []
    appeal(job.ledger, "client-3", granted=True)
    assert earned(job.ledger.balances()["client-3"]) > 0
    reveal(job.ledger, audits.secret)
    assert any("client-4 was drawn in round 1 and not audited" in found for found in findings(job))


def test_code_of_the_operator_that_fails_does_not_stop_the_job(tmp_path: Path) -> None:
    def losses(arrays: Any) -> list[float]:
        raise ValueError("no such file")

    job = watched.run(tmp_path, rounds=2, trust=watched.watch(losses=losses), cheats=3)
    assert job.settled == 2
    assert [row["claim"] for row in rows(job, "trust fault")] == ["ValueError: no such file"] * 2


def test_trust_stays_what_it_was(tmp_path: Path) -> None:
    watched.run(tmp_path, rounds=1, trust=watched.watch()).ledger.close()
    with pytest.raises(LefiError, match="trust, and not without"):
        watched.run(tmp_path, rounds=2, trust=None)
    with pytest.raises(LefiError, match="escrow"):
        watched.run(tmp_path, rounds=2, trust=watched.watch(escrow=5))
    (tmp_path / "models" / "trust-1.npz").unlink()
    with pytest.raises(LefiError, match=r"trust-1\.npz"):
        watched.run(tmp_path, rounds=2, trust=watched.watch())


def test_wrong_settings_are_refused(tmp_path: Path) -> None:
    for wrong in ({"alpha": 0.0}, {"escrow": -1}, {"newcomers": 0.0}, {"audits": Audits(0.1, b"0" * 16)}):
        with pytest.raises(InputError):
            watched.watch(**wrong)
    with pytest.raises(InputError, match="checkpoints"):
        Incentive(toy.fedavg(), "uniform", terms=watched.TERMS, ledger=tmp_path / "l.db", trust=watched.watch())
    assert np.isfinite(watched.accuracy(watched._record(watched.first())))
