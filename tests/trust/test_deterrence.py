"""What makes cheating unprofitable, against simulated cheats and by what must be true of any plan."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from lefi import InputError, LefiError
from lefi.trust.deterrence import SHIPPED, Cheat, Money, cheats_of, chosen, gain, planned

ROUNDS = 20
MONEY = Money(0.05, 0.03, 0.1)


def simulated(cheat: Cheat, money: Money, escrow: int, audits: float) -> float:
    """The same gain from many cheats, one by one."""
    rng = np.random.default_rng(1)
    chance, many = np.diff(cheat.caught, prepend=0.0), 50_000
    seen = rng.choice(ROUNDS + 1, many, p=[*chance, 1 - chance.sum()]) + 1
    audited = rng.geometric(audits, many) if audits else np.full(many, ROUNDS + 1)
    accused = np.minimum(seen, audited)
    paid = np.where(accused > ROUNDS, ROUNDS, np.maximum(accused - 1 - escrow, 0))
    worked = np.minimum(accused, ROUNDS)
    each = money.pay * paid - cheat.work * money.cost * worked
    return float(each.mean() - ROUNDS * (money.pay - money.cost))


@pytest.mark.parametrize(("escrow", "audits"), [(0, 0.0), (3, 0.0), (3, 0.1), (10, 0.02)])
def test_the_gain_is_that_of_many_cheats(escrow: int, audits: float) -> None:
    caught = np.repeat([0.2, 0.5, 0.7], [5, 5, 10])
    cheat = Cheat("some", 0.25, caught)
    assert gain(cheat, MONEY, escrow, audits) == pytest.approx(simulated(cheat, MONEY, escrow, audits), abs=0.01)


def test_at_the_plan_no_cheat_pays_and_with_less_one_does() -> None:
    cheats = cheats_of(SHIPPED, ROUNDS)
    for row in planned(cheats, MONEY):
        gains = {cheat.name: gain(cheat, MONEY, row.escrow, row.audits) for cheat in cheats}
        assert max(gains.values()) <= 1e-9
        (binding,) = [cheat for cheat in cheats if cheat.name == row.binding]
        assert gain(binding, MONEY, row.escrow, 0.9 * row.audits) > 0


def test_half_of_the_work_needs_audits_whatever_is_held_back_and_no_work_needs_none() -> None:
    cheats = [cheat for cheat in cheats_of(SHIPPED, ROUNDS) if cheat.name.startswith("half")]
    assert all(row.audits > 0 for row in planned(cheats, MONEY))
    nothing = [cheat for cheat in cheats_of(SHIPPED, ROUNDS) if cheat.work == 0]
    assert len(nothing) == 4
    assert planned(nothing, MONEY)[3].audits == 0


def test_a_longer_escrow_never_needs_more_audits() -> None:
    rows = planned(cheats_of(SHIPPED, ROUNDS), MONEY)
    assert all(later.audits <= row.audits for row, later in pairwise(rows))
    assert chosen(rows).audits <= 1.2 * rows[-1].audits


def test_who_earns_nothing_by_working_has_nothing_to_lose() -> None:
    with pytest.raises(LefiError, match="Pay more"):
        chosen(planned(cheats_of(SHIPPED, ROUNDS), Money(0.05, 0.05), longest=3))
    with pytest.raises(InputError, match="at most the pay"):
        Money(0.05, 0.06)


@pytest.mark.parametrize(
    ("text", "said"),
    [("no", "no power table"), ("[]", "no steady"), ('[{"which": 1}]', "no steady"), ('[{"which": "steady"}]', "kind")],
)
def test_a_file_that_is_no_power_table_gets_one_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "power.json").write_text(text)
    with pytest.raises(LefiError, match=said):
        cheats_of(tmp_path / "power.json", ROUNDS)
    with pytest.raises(InputError, match="readable"):
        cheats_of(tmp_path / "none.json", ROUNDS)
