import numpy as np
import pytest

from lefi import InputError
from lefi.trust import flat, layout_of

W, B = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([7.0, 8.0])


def test_lists_and_mappings_are_flattened_in_their_order() -> None:
    assert flat([W, B]).tolist() == [0, 1, 2, 3, 4, 5, 7, 8]
    assert flat({"w": W, "seen": np.array(5), "b": B}).tolist() == flat([W, B]).tolist(), "counters are no weights"
    layout = layout_of([W, B])
    assert layout.matrices == ((0, 2, 3),)
    assert layout.bias == (6, 2)


def test_a_state_dict_of_torch() -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    state = model.state_dict()
    assert len(flat(state)) == 8 + 8  # weights and running statistics, without the counter of batches
    assert np.allclose(flat(state)[:6], state["0.weight"].numpy().ravel())
    assert layout_of(state).matrices == ((0, 2, 3),)
    assert flat({"h": torch.ones(2, dtype=torch.bfloat16)}).tolist() == [1.0, 1.0]


def test_nothing_is_no_model() -> None:
    with pytest.raises(InputError, match="floats"):
        flat([np.array([1, 2])])
