"""Wrappers: written around any mechanism, in Python, on the command line and in TOML."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

import lefi
from lefi import InputError, LefiError, Mechanism, Offer, Receipt, Roster, Terms, UnknownName
from lefi.cli.options import names
from lefi.mechanisms.catalogue import layers, mechanism_of, name_of, settings_of, spec_of
from lefi.mechanisms.mechanism import done
from lefi.spelling import spelled
from lefi.studies.plan.code import code_digest
from lefi.studies.plan.study import Study
from lefi.testing import check_mechanism

MARKET = lefi.scenario("paper", clients=4, seed=1)

CODE = """
import lefi

@lefi.register_wrapper("tithe")
class Tithe:
    def __init__(self, terms, *, inner, seed=0):
        self.inner = inner(terms, seed)

    def ask(self, roster, budget=None):
        return self.inner.ask(roster, budget)

    def tell(self, receipt):
        self.inner.tell(receipt)
"""


class Thrifty:
    """Hands a part of the budget on to what is inside."""

    def __init__(
        self,
        terms: Terms,
        *,
        inner: Callable[[Terms, int], Mechanism],
        seed: int = 0,
        part: Annotated[float, Field(gt=0, le=1)] = 0.5,
    ) -> None:
        self.terms, self.part, self.inside = terms, part, inner(terms, seed)

    def ask(self, roster: Roster, budget: float | None = None) -> Offer:
        return self.inside.ask(roster, self.part * self.terms.in_force(budget))

    def tell(self, receipt: Receipt) -> None:
        self.inside.tell(receipt)


@pytest.mark.parametrize("wrapper", ["reputation", "serving", "hierarchy"])
def test_what_is_done_inside_is_done(wrapper: str) -> None:
    market = MARKET.taking("price")
    mechanism = lefi.make(f"{wrapper}(schedule(flat, rounds=2))", market.terms)
    assert done(mechanism) is None
    assert len(list(lefi.play(mechanism, market, 5, 1))) == 2
    assert done(mechanism) == "all 2 rounds of the schedule are played"


def test_a_cluster_that_is_done_is_offered_nothing_and_its_money_goes_to_the_others() -> None:
    market = lefi.scenario("paper", clients=12, seed=1).taking("price")
    mechanism: Any = lefi.make("hierarchy(schedule(flat(price=0.01), rounds=9), clusters=2)", market.terms)
    roster = market.fleet.roster
    before, (first, second) = mechanism.ask(roster), mechanism._clusters(roster.ids).values()
    mechanism.inside[0].done = "enough"
    after = mechanism.ask(roster)
    assert before.worst_case() > 0
    assert after.payment(after.limit)[first].max() == 0
    assert after.payment(after.limit)[second].sum() == pytest.approx(before.payment(before.limit)[second].sum())
    assert mechanism._shares(mechanism._clusters(roster.ids), 6.0) == {0: 0.0, 1: 6.0}
    assert done(mechanism) is None
    mechanism.inside[1].done = "enough"
    assert done(mechanism) == "enough"


@pytest.fixture(autouse=True)
def thrifty() -> None:
    lefi.register_wrapper("thrifty")(Thrifty)


def owed(name: str, **settings: Any) -> float:
    market = MARKET.taking(mechanism_of(spelled(name).spec).payment)
    return float(lefi.make(name, market.terms, **settings).ask(market.fleet.roster).worst_case())


def test_it_stands_around_any_mechanism() -> None:
    assert owed("thrifty(uniform)") == pytest.approx(owed("uniform") / 2)
    assert owed("thrifty(uniform, part=0.25)") == pytest.approx(owed("uniform") / 4)
    assert owed("thrifty(uniform)", part=0.25) == pytest.approx(owed("uniform") / 4)
    assert owed("thrifty(thrifty(uniform, part=0.1))") == pytest.approx(owed("uniform") / 20)


@pytest.mark.parametrize("name", ["thrifty(waterfill)", "thrifty(price)", "thrifty(thrifty(lefi(step=2), part=0.9))"])
def test_it_keeps_the_contract_of_a_mechanism(name: str) -> None:
    check_mechanism(mechanism_of(spelled(name).spec))


def test_it_says_of_itself_what_is_inside_says() -> None:
    for name, inside in (("thrifty(price)", "price"), ("thrifty(thrifty(auction))", "auction")):
        found, own = mechanism_of(name), mechanism_of(inside)
        assert (found.payment, found.tier, found.learns) == (own.payment, own.tier, own.learns)
    assert settings_of("thrifty(lefi)") == {"part": 0.5}


def test_what_is_written_wrongly_is_told() -> None:
    for name, error, words in (
        ("thrifty", InputError, r"thrifty\(MECHANISM\): it is a wrapper"),
        ("uniform(lefi)", InputError, "uniform is no wrapper"),
        ("thrifty(lefi, uniform)", InputError, "one mechanism inside thrifty"),
        ("thrifty(lefy)", UnknownName, "did you mean 'lefi'"),
        ("thrify(lefi)", UnknownName, "did you mean 'thrifty'"),
        ("thrifty(lefi, part=2)", InputError, "thrifty.* must be less than or equal to 1"),
        ("thrifty(lefi, parts=1)", UnknownName, "did you mean 'part'"),
        ("thrifty(lefi(stop=1))", UnknownName, "did you mean 'step'"),
        ("thrifty(part=1, lefi)", InputError, "NAME"),
        ("thrifty(lefi, part=1, part=0.5)", InputError, "part is there twice"),
    ):
        with pytest.raises(error, match=words):
            lefi.make(name, MARKET.terms)


def test_what_takes_nothing_inside_is_no_wrapper() -> None:
    with pytest.raises(LefiError, match="it takes no inner"):
        lefi.register_wrapper("plain")(type(lefi.make("uniform", MARKET.terms)))


def test_a_study_plays_them_side_by_side(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(CODE)
    listed = ["uniform", "thrifty(uniform)", "half = thrifty(lefi(step=2), part=0.5)", f"{file}:Tithe(uniform)"]
    study = Study.build({"name": "x", "mechanisms": listed, "seeds": 1, "rounds": 2, "clients": 3})
    assert list(study.variants) == ["uniform", "thrifty(uniform)", "half", "tithe(uniform)"]
    runs = {run.mechanism: run for run in study.runs()}
    assert runs["half"].spec.endswith("Thrifty(lefi(step=2))")
    assert runs["half"].mechanism_settings == {"part": 0.5}
    assert set(runs["tithe(uniform)"].content) - set(runs["uniform"].content) == {"mechanism"}
    assert len({run.key for run in runs.values()}) == len(runs)


def test_the_code_of_the_wrapper_counts_too() -> None:
    assert code_digest("thrifty(uniform)") != code_digest("uniform")


def test_names_with_brackets() -> None:
    assert names("a,b(c, d=1),e(f(g=[1, 2], h='x,y'), i=2)") == ["a", "b(c, d=1)", "e(f(g=[1, 2], h='x,y'), i=2)"]
    assert layers("thrifty(thrifty(lefi(step=2)), part=1)") == ["thrifty", "thrifty", "lefi"]
    assert name_of("thrifty(lefi(step=2))") == "thrifty(lefi(step=2))"
    assert spec_of("lefi") == "lefi"
