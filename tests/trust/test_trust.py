"""The layer as a whole, on made-up jobs: whom it accuses, where it keeps silent, what it refuses."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from lefi import InputError, LefiError
from lefi.trust import Reference, Trust, calibrate
from lefi.trust.trust import MAJORITY, Evidence
from tests.trust.made_up import CLIENTS, LAYOUT, WEIGHTS, record, rounds


@pytest.fixture(scope="module")
def reference() -> Reference:
    return calibrate([record(seed) for seed in range(30)], {"weights": WEIGHTS})


def accused(reference: Reference, seed: int, kind: str = "honest", cheats: int = 0) -> set[int]:
    trust = Trust(reference, LAYOUT)
    for heard, last in rounds(seed, kind=kind, cheats=cheats):
        trust.applied(last)
        trust.hear(heard)
    return {client - 100 for client in trust.excluded}


def test_honest_clients_are_left_alone(reference: Reference) -> None:
    found = [len(accused(reference, seed)) for seed in range(500, 540)]
    assert sum(found) <= 0.02 * CLIENTS * len(found)


@pytest.mark.parametrize(("kind", "caught"), [("idle", 3), ("replay", 3), ("copy", 2)])
def test_who_does_nothing_is_found(reference: Reference, kind: str, caught: int) -> None:
    """Of equal updates the last that is left is nobody's copy any more."""
    for seed in (600, 601):
        found = accused(reference, seed, kind, cheats=3)
        assert len(found & {0, 1, 2}) >= caught
        assert len(found - {0, 1, 2}) <= 1  # of twenty clients three cheat: the usual is blurred


def test_the_reference_comes_back_from_its_file_as_it_was(reference: Reference, tmp_path: Path) -> None:
    reference.write(tmp_path / "reference.json")
    again = Reference.read(tmp_path / "reference.json")
    assert again.about == reference.about
    assert accused(again, 600, "idle", 3) == accused(reference, 600, "idle", 3)
    found = record(7).features[0]
    for one, other in zip(again.scaled(found, 3), reference.scaled(found, 3), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("text", "said"),
    [("no", "is not JSON"), ("{}", "is no reference"), ('{"format": 9}', "format 9"), ('{"format": 3}', "KeyError")],
)
def test_a_file_that_is_no_reference_gets_one_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(LefiError, match=said):
        Reference.read(tmp_path / "r.json")
    with pytest.raises(InputError, match="readable file"):
        Reference.read(tmp_path / "none.json")


def test_where_it_does_not_hold_nobody_is_judged_and_it_says_why(reference: Reference) -> None:
    _, (first, change) = islice(rounds(1), 2)
    trust = Trust(reference, LAYOUT)
    assert "first round" in str(trust.hear(first).silent)
    trust.applied(change)
    few = first.without(np.arange(CLIENTS) >= 5)
    assert "5 clients: at least 8" in str(trust.hear(few).silent)
    assert "claims from" in str(trust.hear(replace(first, claims=first.claims * 100)).silent)
    larger = replace(first, updates=np.ones((CLIENTS, 9)), own=np.ones(9))
    assert "the model has 9 weights" in str(trust.hear(larger).silent)
    assert trust.excluded == set()
    assert trust.hear(first).silent is None


def test_an_update_that_is_no_number_is_accused_at_once(reference: Reference) -> None:
    first, change = next(rounds(1))
    trust = Trust(reference, LAYOUT)
    trust.applied(change)
    updates = first.updates.copy()
    updates[3, 0] = np.nan
    updates[5, :2] = np.inf, -np.inf
    assert trust.hear(replace(first, updates=updates)).accused == [103, 105]


@pytest.mark.parametrize("length", [0.0, 1e-6])
def test_updates_that_change_nothing_are_told_in_the_first_round_and_accused_by_evidence_only(
    reference: Reference, length: float
) -> None:
    first, _ = next(rounds(1))
    updates = first.updates.copy()
    updates[[3, 7]] *= length
    found = Trust(reference, LAYOUT).hear(replace(first, updates=updates))
    assert found.empty == (103, 107)
    assert found.accused == []
    assert Trust(reference, LAYOUT).hear(first).empty == ()


def test_nobody_is_empty_by_what_others_send_nor_where_nothing_can_be_learned(reference: Reference) -> None:
    first, _ = next(rounds(1))
    larger = first.updates.copy()
    larger[:19] *= 1e6
    assert Trust(reference, LAYOUT).hear(replace(first, updates=larger)).empty == ()
    still = replace(first, updates=0 * first.updates, own=0 * first.own)  # a learning rate that begins at 0
    assert Trust(reference, LAYOUT).hear(still).empty == ()


@pytest.mark.parametrize("kind", ["idle", "replay", "copy"])
@pytest.mark.parametrize("cheats", [11, 14, 18])
def test_where_most_cheat_nobody_is_accused_and_it_says_so(reference: Reference, kind: str, cheats: int) -> None:
    """One round is too little to tell, and too little to accuse anybody."""
    trust = Trust(reference, LAYOUT)
    said = []
    for heard, last in islice(rounds(700, kind=kind, cheats=cheats), 1, None):
        trust.applied(last)
        said.append(trust.hear(heard).silent)
    assert trust.excluded == set()
    assert said == [None] + [MAJORITY] * (len(said) - 1)


def test_forty_in_a_hundred_are_no_majority(reference: Reference) -> None:
    for kind in ("idle", "replay", "copy"):
        assert accused(reference, 700, kind, cheats=8) == set(range(8))


@pytest.mark.parametrize(("honest", "most"), [({10, 11}, False), ({10, 11, 12}, True)])
def test_two_in_twenty_that_are_odd_in_a_score_of_their_own_are_no_part_of_a_majority(
    reference: Reference, monkeypatch: pytest.MonkeyPatch, honest: set[int], most: bool
) -> None:
    """Eight of twenty copy, and the model that they move makes honest clients odd by the reference alone."""

    def evidence(self: Trust) -> Evidence:
        left = set(range(20)) - self.excluded
        odd = {"unique": set(range(8)) & left, "size_free": honest}
        return Evidence({one: 9.0 if one < 8 else 0.0 for one in left}, dict.fromkeys(left, "unique"), odd, {})

    trust = Trust(reference, LAYOUT)
    monkeypatch.setattr(Trust, "_evidence", evidence)
    trust.rounds.append((list(range(20)), {}))
    found = trust._judge([])
    assert found.silent == (MAJORITY if most else None)
    assert sorted(found.accused) == ([] if most else list(range(8)))


def test_once_most_have_been_odd_nobody_is_accused_later(reference: Reference) -> None:
    """Fourteen of twenty do nothing in two rounds. What they did speaks against them, and nobody is accused of it."""
    trust = Trust(reference, LAYOUT)
    both = zip(rounds(701), rounds(701, kind="idle", cheats=14), strict=True)
    loud = []
    for place, ((heard, last), (idle, _)) in enumerate(islice(both, 1, None)):
        trust.applied(last)
        found = trust.hear(idle if place in (3, 4) else heard)
        loud.append(max(found.evidence.values()) >= np.log(100))
        assert found.silent == (MAJORITY if place >= 4 else None)
    assert any(loud)
    assert trust.excluded == set()
    again = Trust(reference, LAYOUT, past=trust.past, rounds=trust.rounds[:8])  # a server that was killed
    assert again.weigh(*trust.rounds[8]).silent == MAJORITY


def test_without_that_rule_honest_clients_are_accused_beside_many_cheats(
    reference: Reference, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lefi.trust.trust.MOST", 1.0)
    found = accused(reference, 700, "copy", cheats=14)
    assert found
    assert found <= set(range(14, CLIENTS))


def test_who_looks_odd_only_beside_cheats_is_let_go(reference: Reference, monkeypatch: pytest.MonkeyPatch) -> None:
    """The evidence against 101 is gone as soon as 100, who does nothing, is no measure of it."""
    trust = Trust(reference, LAYOUT)

    def evidence(self: Trust) -> Evidence:
        told = {100: 9.0, 101: 0.0 if 100 in self.excluded else 10.0, 102: 0.0}
        return Evidence({one: value for one, value in told.items() if one not in self.excluded}, {}, {}, {})

    monkeypatch.setattr(Trust, "_evidence", evidence)
    trust.rounds.append(([100, 101, 102, 103, 104, 105], {}))
    assert trust._judge([]).accused == [100]
    assert trust.excluded == {100}


def test_too_few_honest_clients_are_no_reference() -> None:
    with pytest.raises(InputError, match="200 clients"):
        calibrate([record(1), record(2)], {"weights": WEIGHTS})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"claims": np.zeros(CLIENTS)}, "claims"),
        ({"claims": np.full(CLIENTS, np.nan)}, "claims"),
        ({"ids": np.zeros(CLIENTS, int)}, "ids"),
        ({"own": np.zeros(3)}, "own"),
        ({"gains": np.zeros(CLIENTS)}, "gains"),
    ],
)
def test_what_is_heard_is_checked(wrong: dict[str, np.ndarray], said: str) -> None:
    first, _ = next(rounds(1))
    with pytest.raises(InputError, match=said):
        replace(first, **wrong)
