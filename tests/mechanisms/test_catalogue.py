from typing import Annotated, Any

import numpy as np
import pytest
from pydantic import Field

import lefi
from lefi import CurveOffer, InputError, LefiError, Receipt, Roster, Terms, UnknownName
from lefi.mechanisms.catalogue import MECHANISMS

TERMS = lefi.scenario("paper").terms


class Fixed:
    """Equal weights for ever."""

    def __init__(
        self, terms: Terms, *, seed: int = 0, share: Annotated[float, Field(gt=0)] = 1.0, loud: bool = False
    ) -> None:
        self.terms, self.share, self.loud = terms, share, loud

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        weight = self.share * self.terms.budget / len(roster)
        return CurveOffer(np.full(len(roster), weight), roster.rate, np.full(len(roster), self.terms.size_high))

    def tell(self, receipt: Receipt) -> None:
        pass


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry that forgets what a test adds."""
    monkeypatch.setattr(MECHANISMS, "things", dict(MECHANISMS.things))
    monkeypatch.setattr(MECHANISMS, "origins", dict(MECHANISMS.origins))


def test_the_mechanisms_of_the_first_release() -> None:
    assert {"lefi", "bara", "random", "uniform"} <= set(lefi.registered())


def test_a_word_for_whose_answers_it_follows_must_be_known() -> None:
    with pytest.raises(LefiError, match=r"learns is .everyone.: it must be one of own, others, nobody"):
        lefi.register("gossip")(type("Gossip", (Fixed,), {"learns": "everyone"}))


def test_the_list_is_a_copy() -> None:
    lefi.registered().clear()
    assert "lefi" in lefi.registered()


@pytest.mark.usefixtures("registry")
def test_a_mechanism_of_ones_own() -> None:
    assert lefi.register("fixed")(Fixed) is Fixed
    lefi.register("fixed")(Fixed)
    made = lefi.make("fixed", TERMS, seed=3, share="0.5", loud=True)
    assert isinstance(made, Fixed)
    assert made.share == 0.5
    with pytest.raises(LefiError, match="registered already"):
        lefi.register("fixed")(type("Other", (Fixed,), {}))


@pytest.mark.usefixtures("registry")
def test_a_function_can_be_registered() -> None:
    def half(terms: Terms, *, seed: int = 0, share: float = 0.5) -> Fixed:
        return Fixed(terms, seed=seed, share=share)

    lefi.register("half")(half)
    assert isinstance(lefi.make("half", TERMS, share=0.25), Fixed)
    with pytest.raises(UnknownName, match="did you mean 'share'"):
        lefi.make("half", TERMS, shar=0.25)


def test_unknown_names_come_back_with_the_near_match_and_the_list() -> None:
    with pytest.raises(UnknownName, match=r"unknown mechanism 'lefy': did you mean 'lefi'\? known: auction, bara"):
        lefi.make("lefy", TERMS)
    with pytest.raises(UnknownName, match=r"unknown setting of 'lefi' 'stp': did you mean 'step'\? known: away, cap"):
        lefi.make("lefi", TERMS, stp=1.0)
    with pytest.raises(UnknownName, match="there are none"):
        lefi.make("uniform", TERMS, step=1.0)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("step", np.nan),
        ("step", np.inf),
        ("step", 0),
        ("step", -1),
        ("step", "fast"),
        ("step", True),
        ("step", None),
        ("warm_start", 0),
        ("warm_start", 1.5),
        ("warm_start", True),
        ("kernel", "cubic"),
        ("project_with", "guess"),
        ("sample", "maybe"),
    ],
)
def test_bad_settings_are_refused(setting: str, value: Any) -> None:
    with pytest.raises(InputError, match=rf"^lefi\.{setting} is "):
        lefi.make("lefi", TERMS, **{setting: value})


@pytest.mark.parametrize("seed", [-1, 1.0, True, None, "1"])
def test_bad_seeds_are_refused(seed: Any) -> None:
    with pytest.raises(InputError, match="seed"):
        lefi.make("lefi", TERMS, seed=seed)


def test_terms_are_asked_for() -> None:
    with pytest.raises(InputError, match="terms"):
        lefi.make("lefi", lefi.scenario("paper"))  # type: ignore[arg-type]


def test_settings_reach_the_mechanism() -> None:
    assert vars(lefi.make("lefi", TERMS, step="0.25"))["step"] == 0.25


def test_text_without_quotes_is_told_how_to_be_written() -> None:
    with pytest.raises(lefi.InputError, match=r'w\.npz is no value, text is "w\.npz"'):
        lefi.make("drl(weights=w.npz)", lefi.Terms(budget=1.0, accuracy=lefi.accuracy("paper")))
