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
    for round, pay in enumerate(pays):
        escrow.earn(round, pay)
        if round == len(pays) // 2:
            for client in accused:
                escrow.forfeit(client)
        out += sum(escrow.due(round).values())
        assert all(of > round - rounds for of, _ in escrow.held)
    out += sum(escrow.release().values())
    assert out + escrow.forfeited == sum(sum(pay.values()) for pay in pays)


def test_pay_comes_out_after_some_rounds_and_an_accused_client_loses_it() -> None:
    escrow = Escrow(2)
    escrow.earn(1, {1: 10, 2: 5})
    assert escrow.due(1) == {}
    escrow.earn(2, {1: 20})
    assert escrow.due(2) == {}
    escrow.earn(3, {1: 30})
    assert escrow.forfeit(1) == {(1, 1): 10, (2, 1): 20, (3, 1): 30}, "an accusation comes before what is due"
    assert escrow.due(3) == {(1, 2): 5}
    assert escrow.forfeit(1) == {}
    assert escrow.release() == {}
    assert escrow.forfeited == 60


@pytest.mark.parametrize("wrong", [-1, 0.5, True, float("nan")])
def test_pay_is_whole_units(wrong: float) -> None:
    with pytest.raises(InputError, match="whole units"):
        Escrow().earn(1, {1: wrong})  # type: ignore[arg-type]
