"""Scores of a round: the less suspicious side of a client counts."""

import numpy as np
import pytest

from lefi.trust.scores import NAMES, Scorer, centred
from tests.trust.made_up import CLIENTS, record

ROUNDS = [features for seed in range(8) for features in record(seed).features]


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return Scorer.fit(ROUNDS)


def test_honest_scores_are_about_one_wide_or_less(scorer: Scorer) -> None:
    found = np.concatenate([scorer.alone.scores(rows)[0] for rows in ROUNDS])
    assert found.shape == (CLIENTS * len(ROUNDS), len(NAMES))
    assert (np.quantile(np.abs(found), 0.8, axis=0) / 1.28 < 1.1).all()


def test_a_job_that_learns_otherwise_makes_nobody_odd(scorer: Scorer) -> None:
    """Everybody's update is a third as new as those of the reference: among the others nobody stands out."""
    rows = ROUNDS[5]
    moved = rows | {"fresh": rows["fresh"] - np.log(3)}
    fresh = NAMES.index("fresh")
    assert np.median(scorer.alone.scores(moved)[0][:, fresh]) < -2
    assert scorer.scores(moved)[0][:, fresh] == pytest.approx(scorer.among.scores(centred(rows))[0][:, fresh])


def test_cheats_that_move_the_median_make_nobody_odd_either(scorer: Scorer) -> None:
    """Twelve of twenty help the validation classes ten times as much: the other eight do not look like noise."""
    rows = ROUNDS[5]
    moved = rows | {"gain_positive": rows["gain_positive"] + np.where(np.arange(CLIENTS) < 12, np.log(10), 0.0)}
    gain = NAMES.index("gain")
    among = scorer.among.scores(centred(moved))[0][12:, gain]
    assert among.max() < scorer.scores(moved)[0][12:, gain].min()
    assert scorer.scores(moved)[0][12:, gain] == pytest.approx(scorer.alone.scores(rows)[0][12:, gain])
