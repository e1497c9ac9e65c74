"""A Merkle tree as in RFC 9162, section 2.1: what was added stays, and short proofs show it.

leaf  H(0x00 || data)     node  H(0x01 || left || right)     H  SHA-256
MTH(D[0:n]) splits at k, the largest power of 2 below n. A proof is the list of hashes that the checker lacks.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256

SIZE = 32  # bytes of a hash
EMPTY = sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


def _split(n: int) -> int:
    """The largest power of 2 below n, for n > 1."""
    return 1 << ((n - 1).bit_length() - 1)


class Tree:
    """All complete subtrees, level by level: roots and proofs of any earlier size take a few steps. 64 bytes a leaf."""

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        self._levels: list[bytearray] = [bytearray()]
        for leaf in leaves:
            self.append(leaf)

    def __len__(self) -> int:
        return len(self._levels[0]) // SIZE

    def append(self, leaf: bytes) -> None:
        """Add the hash of a leaf."""
        level, node = 0, leaf
        while True:
            row = self._levels[level]
            row += node
            if len(row) // SIZE % 2:
                return
            node = node_hash(bytes(row[-2 * SIZE : -SIZE]), node)
            level += 1
            if level == len(self._levels):
                self._levels.append(bytearray())

    def root(self, size: int | None = None) -> bytes:
        """MTH of the first `size` leaves."""
        size = len(self) if size is None else size
        return self._hash(0, size) if size else EMPTY

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """PATH(index, D[size]): that the leaf at `index`, counted from 0, is one of the first `size`."""
        assert 0 <= index < size <= len(self)
        start, end, path = 0, size, list[bytes]()
        while end - start > 1:
            middle = start + _split(end - start)
            if index < middle:
                path.append(self._hash(middle, end))
                end = middle
            else:
                path.append(self._hash(start, middle))
                start = middle
        return path[::-1]

    def consistency(self, first: int, size: int) -> list[bytes]:
        """PROOF(first, D[size]): that the tree of `size` leaves begins with that of `first`."""
        assert 0 < first <= size <= len(self)
        start, end, known, path = 0, size, True, list[bytes]()
        while first != end:
            middle = start + _split(end - start)
            if first <= middle:
                path.append(self._hash(middle, end))
                end = middle
            else:
                path.append(self._hash(start, middle))
                start, known = middle, False
        if not known:
            path.append(self._hash(start, end))
        return path[::-1]

    def _hash(self, start: int, end: int) -> bytes:
        """Hash of leaves start .. end; start is a multiple of every power of 2 up to the length."""
        length = end - start
        if length & (length - 1) == 0:
            level = length.bit_length() - 1
            at = (start >> level) * SIZE
            return bytes(self._levels[level][at : at + SIZE])
        middle = start + _split(length)
        return node_hash(self._hash(start, middle), self._hash(middle, end))


class Frontier:
    """The same tree where no proofs are wanted: the roots of its complete parts, a few hashes in all."""

    def __init__(self) -> None:
        self.size, self._parts = 0, list[bytes]()

    def append(self, leaf: bytes) -> None:
        node, size = leaf, self.size
        while size & 1:
            node = sha256(b"\x01" + self._parts.pop() + node).digest()
            size >>= 1
        self._parts.append(node)
        self.size += 1

    def root(self) -> bytes:
        if not self._parts:
            return EMPTY
        root = self._parts[-1]
        for part in self._parts[-2::-1]:
            root = node_hash(part, root)
        return root


def includes(root: bytes, size: int, index: int, leaf: bytes, path: Sequence[bytes]) -> bool:
    """RFC 9162, 2.1.3.2: whether the path leads from the leaf to the root."""
    if not 0 <= index < size:
        return False
    fn, sn, r = index, size - 1, leaf
    for p in path:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            r = node_hash(p, r)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = node_hash(r, p)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and r == root


def extends(first_root: bytes, first: int, root: bytes, size: int, path: Sequence[bytes]) -> bool:
    """RFC 9162, 2.1.4.2: whether the tree of `size` leaves begins with the tree of `first`."""
    if not 0 < first <= size:
        return False
    if first == size:
        return not path and first_root == root
    if not path:
        return False
    steps = list(path) if first & (first - 1) else [first_root, *path]
    fn, sn = first - 1, size - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = steps[0]
    for c in steps[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = node_hash(c, fr), node_hash(c, sr)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node_hash(sr, c)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and fr == first_root and sr == root
