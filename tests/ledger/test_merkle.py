"""The tree and its proofs against RFC 9162's definitions, by an implementation that shares no line with ours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lefi.ledger.merkle import Frontier, Tree, extends, includes, leaf_hash
from tests.ledger.rfc9162 import MTH, PATH, PROOF

LEAVES = [f"row {i}".encode() for i in range(70)]
TREE = Tree(leaf_hash(data) for data in LEAVES)


def test_roots_are_those_of_the_rfc() -> None:
    frontier = Frontier()
    for size in range(len(LEAVES) + 1):
        assert TREE.root(size) == MTH(LEAVES[:size])
        assert frontier.root() == MTH(LEAVES[:size])
        frontier.append(leaf_hash(LEAVES[size % len(LEAVES)]))


def test_known_roots() -> None:
    """Test vectors that other implementations of certificate transparency share."""
    data = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
    tree = Tree(leaf_hash(bytes.fromhex(text)) for text in data)
    assert tree.root(0).hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert tree.root(1).hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert tree.root(8).hex() == "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"


def test_inclusion_proofs() -> None:
    for size in range(1, 40):
        for index in range(size):
            path = TREE.inclusion(index, size)
            assert path == PATH(index, LEAVES[:size])
            assert includes(MTH(LEAVES[:size]), size, index, leaf_hash(LEAVES[index]), path)


def test_consistency_proofs() -> None:
    for size in range(1, 40):
        for first in range(1, size + 1):
            path = TREE.consistency(first, size)
            assert path == PROOF(first, LEAVES[:size])
            assert extends(MTH(LEAVES[:first]), first, MTH(LEAVES[:size]), size, path)


@given(st.integers(1, 70), st.integers(1, 70), st.integers(0, 69), st.data())
def test_proofs_of_something_else_are_refused(size: int, first: int, index: int, data: st.DataObject) -> None:
    size, first = max(size, first), min(size, first)
    index %= size
    root, other = MTH(LEAVES[:size]), leaf_hash(b"other")
    path = TREE.inclusion(index, size)
    wrong = data.draw(st.integers(0, size - 1).filter(lambda at: at != index)) if size > 1 else None
    assert not includes(root, size, index, other, path)
    assert not includes(other, size, index, leaf_hash(LEAVES[index]), path)
    assert not includes(root, size, index, leaf_hash(LEAVES[index]), [*path, other])
    if wrong is not None:
        assert not includes(root, size, wrong, leaf_hash(LEAVES[index]), path)
    grown = TREE.consistency(first, size)
    assert not extends(other, first, root, size, grown)
    assert not extends(MTH(LEAVES[:first]), first, other, size, grown)
    assert not extends(MTH(LEAVES[:first]), first, root, size, [*grown, other])
    if grown:
        assert not extends(MTH(LEAVES[:first]), first, root, size, grown[:-1])


@pytest.mark.parametrize("index", [-1, 5, 6])
def test_what_is_not_in_the_tree_has_no_proof(index: int) -> None:
    assert not includes(TREE.root(5), 5, index, leaf_hash(LEAVES[0]), [])
    assert not extends(TREE.root(5), 5, TREE.root(3), 3, [])
    assert not extends(b"", 0, TREE.root(3), 3, [])
