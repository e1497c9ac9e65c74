"""Accuracy by round: laws of the curve, clients that differ, files, and words for what cannot be."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lefi
from lefi import InputError, Learning, UnknownName
from lefi.models.learning import KINDS
from lefi.models.measurements import fleet_errors, mean_error, shipped_table

CURVE = Learning("hill", 0.1, 0.7, 0.4, half=0.4, bend=1.2, slow=16.0, pull=0.95, skew=1.1, power=1.3)
EVERY = [*(replace(CURVE, kind=kind) for kind in KINDS), *map(lefi.learning, ("digits", "cifar10", "gtsrb"))]
each = pytest.mark.parametrize("curve", EVERY, ids=lambda curve: f"{curve.kind} {curve.error:.3f}")
share = st.floats(0, 1)


@each
def test_it_rises_with_rounds_and_size_between_floor_and_one(curve: Learning) -> None:
    sizes, iid, rounds = np.array([0, 1e-3, 0.1, 1, 10, 1e3]), np.linspace(0, 1, 5), np.array([0, 0.5, 1, 7, 100, 1e6])
    found = curve.after(sizes[:, None, None], iid[:, None], rounds)
    assert found.shape == (6, 5, 6)
    assert (np.diff(found, axis=0) >= -1e-12).all()
    assert (np.diff(found, axis=2) >= -1e-12).all()
    assert found.min() >= curve.floor - 1e-12
    assert found.max() <= 1
    assert (found[:, :, 0] == curve.floor).all()
    assert (found[0] == curve.floor).all()


@each
def test_rounds_to_is_the_inverse(curve: Learning) -> None:
    sizes, iid = np.array([0.05, 0.2, 3.0]), np.array([0.2, 0.9, 0.7])
    goals = curve.joint(sizes, iid, np.array([0.3, 1.0, 8.5, 60.0]))
    assert [curve.rounds_to(float(goal), sizes, iid) for goal in goals] == pytest.approx([0.3, 1.0, 8.5, 60.0])
    assert curve.next(float(goals[2]), sizes, iid) == pytest.approx(float(curve.joint(sizes, iid, 9.5)))


@given(accuracy=share, size=st.floats(0, 20), iid=share)
def test_one_more_round_never_hurts(accuracy: float, size: float, iid: float) -> None:
    curve = EVERY[4]
    after = curve.next(accuracy, size, iid)
    assert accuracy <= after <= max(accuracy, float(curve.after(size, iid, 1e9)))


def test_what_cannot_be_reached_takes_for_ever() -> None:
    assert CURVE.rounds_to(0.9, 4.0, 1.0) == np.inf
    assert CURVE.rounds_to(0.2, np.zeros(3), 1.0) == np.inf
    assert CURVE.rounds_to(0.1, np.zeros(3), 1.0) == 0
    assert CURVE.next(0.9, 4.0, 1.0) == 0.9
    assert CURVE.next(0.3, np.full(4, np.nan), 0.5) == 0.3
    assert CURVE.next(0.0, 4.0, 1.0) == pytest.approx(float(CURVE.after(4.0, 1.0, 1)))


def test_equal_clients_are_the_curve_and_more_of_them_know_more() -> None:
    alike = CURVE.joint(np.full(5, 2.0), 0.6, 20.0)
    assert alike == pytest.approx(CURVE.after(2.0, 0.6, 20.0))
    assert CURVE.joint(np.full(10, 2.0), 0.6, 20.0) > alike
    assert CURVE.joint(np.array([2.0] * 5 + [np.nan] * 3), 0.6, 20.0) == pytest.approx(alike)


@pytest.mark.parametrize(("name", "most"), [("cifar10", 0.035), ("gtsrb", 0.04)])
def test_clients_that_differ_are_pooled_as_real_fleets_are(name: str, most: float) -> None:
    """Against fleets that were really trained; the control, the mean of A over clients, is much further off."""
    table = shipped_table(name, "fleets")
    assert table.select("clients", "fleet").unique().height == 60
    pooled, mean = fleet_errors(lefi.learning(name), table)
    assert pooled < most
    assert mean > 1.5 * pooled


@pytest.mark.parametrize(("name", "most"), [("cifar10", 0.03), ("gtsrb", 0.03)])
def test_cells_that_no_fit_has_seen(name: str, most: float) -> None:
    """Other sizes and degrees of iid, 100 rounds, really trained; the sizes of the fit are others."""
    curve, table = lefi.learning(name), shipped_table(name, "unseen")
    fitted = {size for part in ("accuracy", "long") for size in shipped_table(name, part)["size"].unique()}
    cells = set(table.select("size", "iid").unique().rows())
    assert len(cells) == 6
    assert not cells & set(shipped_table(name, "long").select("size", "iid").unique().rows())
    assert len({size for size, _ in cells} - fitted) >= 2
    assert table["round"].max() == 100
    assert mean_error(curve, table) <= most
    assert mean_error(replace(curve, slow=2 * curve.slow), table) > most


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (lambda: CURVE.next(float("nan"), 1.0, 1.0), "accuracy"),
        (lambda: CURVE.rounds_to(1.5, 1.0, 1.0), "accuracy"),
        (lambda: CURVE.after(-1.0, 0.5, 3.0), "sizes"),
        (lambda: CURVE.after(1.0, 1.5, 3.0), "iid"),
        (lambda: CURVE.after(1.0, 0.5, float("nan")), "rounds"),
        (lambda: replace(CURVE, slow=0.0), "slow"),
        (lambda: replace(CURVE, top_iid=1.5), "top_iid"),
        (lambda: lefi.learning("paper"), "learning"),
    ],
)
def test_what_cannot_be_is_refused_by_name(wrong: object, word: str) -> None:
    with pytest.raises(lefi.LefiError, match=word):
        wrong()  # type: ignore[operator]


def test_a_file_gives_the_same_curve(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    given = replace(CURVE, sizes_range=(0.1, 4.0), rounds_range=(1.0, 30.0), error=0.02, others=((0.1,) * 9,))
    path.write_text(json.dumps({"learning": given.to_dict()}))
    assert lefi.learning(path) == given
    path.write_text(json.dumps({"accuracy": {}}))
    with pytest.raises(InputError, match="learning"):
        lefi.learning(path)
    with pytest.raises(UnknownName, match="hill"):
        replace(CURVE, kind="straight")


def test_resampled_fits_are_near() -> None:
    curve = lefi.learning("cifar10")
    found = np.array([float(other.after(2.0, 0.5, 40.0)) for other in curve.resampled])
    assert found.size == 20
    assert np.ptp(found) > 1e-4
    assert abs(np.median(found) - float(curve.after(2.0, 0.5, 40.0))) < 0.02
