import numpy as np
import pytest

from lefi import InputError
from lefi.trust import Audits

SECRET = b"0123456789abcdef"


def test_the_draw_follows_from_the_secret_and_the_rate_is_kept() -> None:
    audits, ids = Audits(0.1, SECRET), np.arange(2000)
    drawn = [audits.drawn(round, ids) for round in range(10)]
    assert all(np.array_equal(one, Audits(0.1, SECRET).drawn(round, ids)) for round, one in enumerate(drawn))
    assert np.mean([len(one) / 2000 for one in drawn]) == pytest.approx(0.1, abs=0.01)
    assert not np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], Audits(0.1, SECRET + b"x").drawn(0, ids))


def test_the_commitment_is_of_the_secret_alone() -> None:
    assert Audits(0.1, SECRET).commitment == Audits(0.5, SECRET).commitment
    assert Audits(0.1, SECRET).commitment != Audits(0.1, SECRET + b"x").commitment


@pytest.mark.parametrize(
    ("probability", "secret"), [(-0.1, SECRET), (1.1, SECRET), (float("nan"), SECRET), (0.1, b"short")]
)
def test_wrong_settings_are_refused(probability: float, secret: bytes) -> None:
    with pytest.raises(InputError):
        Audits(probability, secret)
