"""Every kind of bad message: the job ends, honest clients get exactly their pay, and what is refused earns nothing."""

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lefi.flower import Incentive
from tests.flower import toy
from tests.hostile.arena import HONEST, Arena, attackers_pay, honest_pay, in_turn, play, silence
from tests.hostile.attacks import CLAIMS, HELLOS, MEGABYTE, ODD, UPDATES, Attack, forged, repeated
from tests.lengths import LONG

REPLIES = {**CLAIMS, **{f"update: {name}": attack for name, attack in UPDATES.items()}}
PEAK = 64 * MEGABYTE  # for attacks of 10 MB: their own copies, what it takes to look at them, and no more

phases = pytest.mark.parametrize("two_phase", [False, True], ids=["one phase", "two phases"])


def test_there_are_enough_kinds() -> None:
    """Pledges come in two phases only."""
    assert len(HELLOS) + len(REPLIES) >= 90
    assert len(HELLOS) + len(CLAIMS) + len(REPLIES) >= 110


def compare(tmp_path: Path, kind: str, attacks: dict[str, Attack], two_phase: bool) -> None:
    """Against the same job in which the attacker never says a word."""
    rounds = len(attacks)
    plans = {"quiet": in_turn(kind, [silence] * rounds), "loud": in_turn(kind, list(attacks.values()))}
    (quiet, _), (loud, seen) = (
        play(tmp_path / f"{name}.db", plan, rounds=rounds, two_phase=two_phase) for name, plan in plans.items()
    )
    assert seen == rounds
    expected, got, stolen = honest_pay(quiet), honest_pay(loud), attackers_pay(loud)
    assert len(expected) == rounds
    for round, name in enumerate(attacks, 1):
        assert got[round] == expected[round], name
        assert round not in stolen, name


@phases
def test_bad_replies(tmp_path: Path, two_phase: bool) -> None:
    """At length every kind in one phase and in two; otherwise each of them in one of both."""
    names = list(REPLIES) if LONG else list(REPLIES)[two_phase::2]
    compare(tmp_path, "train", {name: REPLIES[name] for name in names}, two_phase)


def test_bad_pledges(tmp_path: Path) -> None:
    compare(tmp_path, "query.offer", CLAIMS, True)


@phases
def test_bad_hellos(tmp_path: Path, two_phase: bool) -> None:
    """All of them at once, again and again."""
    attacks = list(HELLOS.values())

    def plan(kind: str, round: int, attacker: int) -> Attack | None:
        return attacks[attacker] if kind == "query.hello" else None

    rows, seen = play(tmp_path / "loud.db", plan, attackers=len(attacks), rounds=4, two_phase=two_phase)
    alone, _ = play(tmp_path / "alone.db", plan, attackers=0, rounds=4, two_phase=two_phase)
    assert seen == 2 * len(attacks), "asked in rounds 1 and 3"
    assert honest_pay(rows) == honest_pay(alone)
    assert attackers_pay(rows) == {}
    assert {row["client"] for row in rows} == {"", *(f"client-{i}" for i in range(HONEST))}


@phases
def test_who_takes_a_name_gets_nothing(tmp_path: Path, two_phase: bool) -> None:
    """Later than the owner: it keeps its account. At the same time: nobody gets it, for nobody can tell them apart."""
    from tests.hostile.attacks import hello

    def plan(kind: str, round: int, attacker: int) -> Attack | None:
        return hello("client-1") if kind == "query.hello" else None

    rows, _ = play(tmp_path / "a.db", plan, rounds=2, two_phase=two_phase)
    assert {row["client"] for row in rows if row["kind"] == "payment"} == {"client-0", "client-2"}


@phases
def test_odd_updates_are_paid_and_change_nobodys_pay(tmp_path: Path, two_phase: bool) -> None:
    rounds = len(ODD)
    calm, _ = play(tmp_path / "calm.db", lambda *_: None, rounds=rounds, two_phase=two_phase)
    odd, _ = play(tmp_path / "odd.db", in_turn("train", list(ODD.values())), rounds=rounds, two_phase=two_phase)
    assert honest_pay(odd) == honest_pay(calm)
    assert attackers_pay(odd) == attackers_pay(calm)


@phases
def test_floods_are_paid_once_and_written_down_in_part(tmp_path: Path, two_phase: bool) -> None:
    attacks: list[Attack] = [repeated, forged]
    plans: dict[str, list[Attack]] = {"calm": [lambda asked, honest: [honest], silence], "flood": attacks}
    kinds = ("train", "query.offer") if two_phase else ("train",)
    for kind in kinds:
        calm, flood = (
            play(tmp_path / f"{kind}-{name}.db", in_turn(kind, plan), rounds=2, two_phase=two_phase)[0]
            for name, plan in plans.items()
        )
        assert honest_pay(flood) == honest_pay(calm)
        assert attackers_pay(flood) == attackers_pay(calm)
        assert len(flood) < len(calm) + 2 * 120


@pytest.mark.parametrize("name", [name for name in REPLIES if "10 MB" in name or "bomb" in name or "huge" in name])
def test_memory_is_bounded(tmp_path: Path, name: str) -> None:
    tracemalloc.start()
    try:
        play(tmp_path / "a.db", in_turn("train", [REPLIES[name]]), rounds=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < PEAK


def test_one_client_cannot_change_the_type_of_the_model(tmp_path: Path) -> None:
    incentive = Incentive(toy.fedavg(), "waterfill", terms=toy.TERMS, ledger=tmp_path / "a.db")
    result = incentive.start(Arena(1, in_turn("train", [ODD["float32"]])), toy.model(), num_rounds=1)
    assert result.arrays["w"].numpy().dtype == np.float64


def test_metrics_that_the_strategy_needs_can_be_required(tmp_path: Path) -> None:
    more: dict[str, Any] = {"rounds": 1, "metrics": ["loss"]}
    rows, _ = play(tmp_path / "b.db", lambda *_: None, **more)
    assert {row["verdict"] for row in rows if row["kind"] == "answer"} == {"malformed"}
    rows, _ = play(tmp_path / "c.db", in_turn("train", [ODD["loss"]]), **more)
    assert list(attackers_pay(rows)) == [1]


@phases
def test_bad_evaluations_stop_nothing(tmp_path: Path, two_phase: bool) -> None:
    """Replies to Flower's own evaluation are checked, too."""
    from flwr.serverapp.strategy import FedAvg

    from tests.hostile.evaluation import EVALUATIONS, Judging

    bad = list(EVALUATIONS.values())
    strategy = FedAvg(min_train_nodes=1, min_evaluate_nodes=1, min_available_nodes=1)
    incentive = Incentive(strategy, "waterfill", terms=toy.TERMS, ledger=tmp_path / "a.db", two_phase=two_phase)
    result = incentive.start(Judging(bad), toy.model(), num_rounds=len(bad))
    for round, name in enumerate(EVALUATIONS, 1):
        assert result.evaluate_metrics_clientapp[round]["score"] == 0.5, name
