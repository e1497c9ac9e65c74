"""What notebooks show: tables and plots that are whole, escaped, and hold what the thing itself says."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import lefi
from lefi.display import DOTS, HEIGHT, WIDTH, Series, card, plot, table
from lefi.palette import COLOURS
from lefi.studies import Study, results, run_study

SVG = "{http://www.w3.org/2000/svg}"


def pictures(html: str) -> list[ElementTree.Element]:
    """The plots of a card; the card as a whole has to be well formed."""
    return list(ElementTree.fromstring(html).iter(f"{SVG}svg"))


def texts(html: str) -> list[str]:
    return [part.text or "" for part in ElementTree.fromstring(html).iter()]


def test_a_receipt_shows_one_dot_per_answer() -> None:
    market = lefi.scenario("flaky", clients=30, seed=2)
    (receipt,) = lefi.play(lefi.make("uniform", market.terms), market, 1)
    html = receipt._repr_html_()
    (picture,) = pictures(html)
    assert len(list(picture.iter(f"{SVG}circle"))) == int(receipt.answered.sum()) < 30
    assert f"{int(receipt.answered.sum())} of 30 clients" in texts(html)
    assert f"{receipt.accuracy:.4f}" in texts(html)
    assert {"size [thousand samples]", "paid [USD]"} <= set(texts(html))


def test_a_receipt_that_nobody_answered_has_no_plot() -> None:
    roster = lefi.Roster(np.arange(2), np.ones(2), np.ones(2))
    offer = lefi.PriceOffer(np.ones(2), np.ones(2))
    receipt = lefi.Receipt(1, roster, offer, np.full(2, np.nan), np.zeros(2), np.nan)
    assert pictures(receipt._repr_html_()) == []


@pytest.mark.parametrize("name", ["paper", "mixed", "flaky", "stubborn"])
def test_a_market_shows_its_terms_and_its_clients(name: str) -> None:
    market = lefi.scenario(name, clients=7, total=50.0)
    html = market._repr_html_()
    (picture,) = pictures(html)
    assert 1 <= len(list(picture.iter(f"{SVG}circle"))) <= 7
    assert {"3.5 USD a round", "50 USD", "curve"} <= set(texts(html))


def test_a_plan_shows_its_intervals_and_accuracy_by_round() -> None:
    market = lefi.scenario("paper", clients=3, accuracy="digits", size_high=0.2, payment="price")
    found = lefi.plan(market, lefi.learning("digits"), total=1.0, rounds=5)
    html = found._repr_html_()
    (picture,) = pictures(html)
    assert len(str(next(picture.iter(f"{SVG}polyline")).get("points")).split()) == 5
    assert any(text.startswith(f"{found.accuracy.middle:.3f}, 95% from") for text in texts(html))


def test_a_study_shows_every_mechanism_in_its_colour(tmp_path: Path) -> None:
    mechanisms = ["uniform", "random", "mine <b> = uniform"]
    study = Study.build({"name": "mine", "mechanisms": mechanisms, "rounds": 3, "seeds": 2, "clients": 3})
    run_study(study, tmp_path)
    html = results(tmp_path, "mine")._repr_html_()
    (picture,) = pictures(html)
    strokes = [line.get("stroke") for line in picture.iter(f"{SVG}polyline")]
    assert strokes[:2] == [COLOURS["uniform"], COLOURS["random"]]
    assert len(set(strokes)) == 3
    assert texts(html).count("mine <b>") == 2  # in the table and at its line
    assert "<b>" not in html


def test_what_is_shown_is_escaped() -> None:
    bad = "<script>alert(1)</script>\"'&"
    line = plot([Series(np.arange(2.0), np.arange(2.0), bad, bad)], bad, bad, lines=True)
    html = card(bad, {bad: bad}, table((bad,), [(bad,)]), line)
    assert "<script" not in html
    assert texts(html).count(bad) == 8
    assert pictures(html)[0].get("aria-label") == f"{bad} over {bad}"


@pytest.mark.parametrize("values", [[0.0], [0.0, 0.0], [1e-300, 2e-300], [-1e300, 1e300], [5.0, np.nan, np.inf, 6.0]])
def test_every_point_lies_inside(values: list[float]) -> None:
    picture = ElementTree.fromstring(plot([Series(np.array(values), np.array(values))], "x", "y"))
    places = [(float(str(dot.get("cx"))), float(str(dot.get("cy")))) for dot in picture.iter(f"{SVG}circle")]
    assert len(places) == int(np.isfinite(values).sum())
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in places)


def test_many_points_make_no_heavy_notebook() -> None:
    many = np.arange(100_000.0)
    picture = ElementTree.fromstring(plot([Series(many, many)], "x", "y"))
    assert len(list(picture.iter(f"{SVG}circle"))) == DOTS


def test_names_of_lines_do_not_touch() -> None:
    level = [Series(np.arange(3.0), np.full(3, 0.5), f"line {place}") for place in range(6)]
    picture = ElementTree.fromstring(plot(level, "x", "y", lines=True))
    names = [part for part in picture.iter(f"{SVG}text") if str(part.text).startswith("line")]
    heights = sorted(float(str(part.get("y"))) for part in names)
    assert min(np.diff(heights)) >= 11
