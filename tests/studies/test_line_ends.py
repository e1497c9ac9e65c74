"""Names at the ends of lines: all of them, in order, apart, and instead of long legends."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from lefi.studies.figures import money, needed
from lefi.studies.figures.bands import Band
from lefi.studies.figures.line_ends import MOST, apart, name_lines

NAMES = ("price", "auction", "contract", "pool", "contest", "flat", "uniform", "lefi")


def line(end: float) -> Band:
    rising = np.array([end / 2, end])
    return Band(np.array([0.1, 5.0]), rising, rising, rising)


def written(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


@pytest.mark.parametrize("heights", [[0.5] * 8, [0.0, 0.99, 1.0, 1.0], [0.3], [], [0.9, 0.1, 0.5]])
def test_heights_are_apart_in_order_and_inside(heights: list[float]) -> None:
    places = apart(np.array(heights), 0.05)
    order = np.argsort(heights, kind="stable")
    assert (np.diff(places[order]) >= 0.05 - 1e-12).all()
    assert ((places >= 0) & (places <= 1)).all()


@pytest.mark.parametrize("many", [MOST, MOST + 1])
def test_budgets_needed_have_a_legend_or_names_at_the_lines(many: int) -> None:
    figure = needed.draw(needed.Numbers({name: line(0.1 + place) for place, name in enumerate(NAMES[:many])}))
    assert len(figure.legends) == (many <= MOST)
    assert [name for name in NAMES[:many] if name in written(figure)] == list(NAMES[:many] if many > MOST else ())


def test_money_names_its_lines_and_both_bounds() -> None:
    accuracy = {name: line(0.2 + place / 1000) for place, name in enumerate(NAMES[:-1])}
    figure = money.draw(money.Numbers(accuracy, line(0.22), line(0.23), 0.2, {}))
    assert figure.legends == []
    assert {*NAMES[:-1], "oracle", "first_best"} <= set(written(figure))


def test_a_line_that_leaves_the_panel_is_named_at_its_edge() -> None:
    figure = Figure()
    axes = figure.subplots()
    axes.set(xlim=(0.1, 5.0), ylim=(0.0, 1.0))
    name_lines(figure, axes, {name: line(place - 3.0) for place, name in enumerate(NAMES)})
    ends = {text.get_text(): text.xy[1] for text in axes.texts if isinstance(text, Annotation)}
    assert set(ends) == {*NAMES[:-1], "lefi (paper)"}
    assert all(0 <= height <= 1 for height in ends.values())
