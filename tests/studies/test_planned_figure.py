"""The figure of a plan: its numbers, also where too little money moves nobody."""

import numpy as np
import pytest

from lefi.planning import Plan, Span, Surface
from lefi.studies.figures import planned


def surface() -> Surface:
    budgets, rounds = np.array([0.1, 1.0, 10.0]), np.arange(1.0, 21.0)
    spend = np.array([[0.0, 1.0, 10.0], [0.0, 0.8, 9.0]])
    reached = np.stack([0.1 + 0.8 * spend[:, None, :] / (2 + spend[:, None, :])] * 3, axis=1).squeeze(2)
    accuracy = reached[..., None] * (1 - np.exp(-rounds / 10)) + 0.01 * np.arange(3)[None, :, None, None]
    return Surface(budgets, rounds, spend, accuracy, 0.02)


def test_the_best_line_rises_within_its_band_and_passes_the_plan() -> None:
    seen = surface()
    plan = Plan(20, 1.0, Span(18.0, 15.0, 20.0), Span(0.3, 0.28, 0.32), 0.3, None, "price", seen)
    numbers = planned.compute([plan])
    assert list(numbers.lines) == [1, 2, 5, 10, 20]
    assert numbers.money[0] == pytest.approx(0.9)  # the least that moves anybody
    assert (np.diff(numbers.middle) >= 0).all()
    assert (numbers.low <= numbers.high).all()
    figure = planned.draw([numbers, numbers])
    assert len(figure.axes) == 2
    assert all(axes.get_xscale() == "log" for axes in figure.axes)
