import pytest

from lefi.errors import ContractError, InputError, LefiError, OfferError, UnknownName


def test_input_error_is_one_short_line() -> None:
    error = InputError("sizes", list(range(1000)), "finite")
    assert error.field == "sizes"
    assert "\n" not in str(error)
    assert len(str(error)) < 100


def test_unknown_name_offers_the_near_match_and_the_list() -> None:
    assert str(UnknownName("mechanism", "lefy", ["lefi", "bara"])) == (
        "unknown mechanism 'lefy': did you mean 'lefi'? known: bara, lefi"
    )
    assert str(UnknownName("mechanism", "zzz", ["lefi"])) == "unknown mechanism 'zzz': known: lefi"
    assert str(UnknownName("mechanism", "x", [])) == "unknown mechanism 'x': there are none"


@pytest.mark.parametrize("kind", [InputError, UnknownName, OfferError, ContractError])
def test_every_error_is_a_lefi_error(kind: type[Exception]) -> None:
    assert issubclass(kind, LefiError)
