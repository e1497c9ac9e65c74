"""Subjective logic: opinions add up to one, follow the deeds, and fuse as they should."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lefi.opinions import Opinion, fused, opinion, recommended, similarity

DEEDS = st.floats(0, 1000)


def one(good: float, bad: float, caution: float = 0.6) -> Opinion:
    return opinion(np.array([good]), np.array([bad]), caution)


def whole(held: Opinion) -> float:
    parts = held.belief, held.disbelief, held.uncertainty
    assert all(-1e-12 <= float(part[0]) <= 1 + 1e-12 for part in parts)
    return float(sum(part[0] for part in parts))


@given(DEEDS, DEEDS, DEEDS, DEEDS)
def test_opinions_add_up_to_one(a: float, b: float, c: float, d: float) -> None:
    first, second = one(a, b), one(c, d)
    heard = recommended([first, second], [np.array([a + b]), np.array([c + d])])
    for held in (first, second, heard, fused(first, second), fused(first, heard)):
        assert abs(whole(held) - 1) < 1e-9


@given(DEEDS, DEEDS)
def test_good_deeds_raise_a_reputation_and_bad_ones_lower_it(good: float, bad: float) -> None:
    now = one(good, bad).reputation(0.5)
    assert one(good + 1, bad).reputation(0.5) >= now - 1e-12
    assert one(good, bad + 1).reputation(0.5) <= now + 1e-12


def test_who_is_unknown_is_all_uncertain() -> None:
    assert one(0, 0).uncertainty[0] == 1
    assert one(0, 0).reputation(0.5)[0] == 0.5


def test_a_bad_deed_weighs_more_than_a_good_one() -> None:
    assert one(5, 5, caution=0.6).reputation(0.5)[0] < 0.5 == one(5, 5, caution=0.5).reputation(0.5)[0]


@given(DEEDS, DEEDS)
def test_an_opinion_without_evidence_changes_nothing(good: float, bad: float) -> None:
    held = one(good, bad)
    for both in (fused(held, one(0, 0)), fused(one(0, 0), held)):
        np.testing.assert_allclose(both.belief, held.belief, atol=1e-12)
        np.testing.assert_allclose(both.uncertainty, held.uncertainty, atol=1e-12)


def test_two_who_saw_more_are_less_uncertain() -> None:
    assert fused(one(3, 1), one(2, 1)).uncertainty < min(one(3, 1).uncertainty, one(2, 1).uncertainty)


def test_those_without_doubt_are_met_half_way() -> None:
    sure, other = Opinion(np.ones(1), np.zeros(1), np.zeros(1)), Opinion(np.zeros(1), np.ones(1), np.zeros(1))
    assert fused(sure, other).belief[0] == 0.5


def test_those_who_judge_alike_are_similar() -> None:
    good, same, bad = one(5, 0), one(9, 0), one(0, 5)
    assert similarity(good, same) == 1
    assert similarity(good, bad) == 0
    assert similarity(good, one(0, 0)) == 0
