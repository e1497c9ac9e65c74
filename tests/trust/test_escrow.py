import pytest
from hypothesis import given
from hypothesis import strategies as st

from lefi import InputError
from lefi.trust import Escrow


@given(
    st.integers(0, 5),
    st.lists(st.dictionaries(st.integers(0, 4), st.integers(0, 10**12), max_size=5), max_size=12),
    st.sets(st.integers(0, 4)),
)
def test_no_unit_is_lost_or_made(rounds: int, pays: list[dict[int, int]], accused: set[int]) -> None:
    escrow, out = Escrow(rounds), 0
    for place, pay in enumerate(pays):
        out += sum(escrow.earn(pay).values())
        if place == len(pays) // 2:
            for client in accused:
                escrow.forfeit(client)
    out += sum(escrow.release().values())
    assert out + escrow.forfeited == sum(sum(pay.values()) for pay in pays)


def test_pay_comes_out_after_some_rounds_and_an_accused_client_loses_it() -> None:
    escrow = Escrow(2)
    assert escrow.earn({1: 10, 2: 5}) == {1: 0, 2: 0}
    assert escrow.earn({1: 20}) == {1: 0, 2: 0}
    assert escrow.earn({1: 30}) == {1: 10, 2: 5}
    assert escrow.forfeit(1) == 50
    assert escrow.forfeit(1) == 0
    assert escrow.release() == {2: 0}
    assert escrow.forfeited == 50


@pytest.mark.parametrize("wrong", [-1, 0.5, True, float("nan")])
def test_pay_is_whole_units(wrong: float) -> None:
    with pytest.raises(InputError, match="whole units"):
        Escrow().earn({1: wrong})  # type: ignore[dict-item]
