"""RFC 9162, section 2.1, written down once more from its definitions and from nothing else: slow, plain, recursive."""

from hashlib import sha256


def H(data: bytes) -> bytes:
    return sha256(data).digest()


def k_of(n: int) -> int:
    """The largest power of two smaller than n."""
    k = 1
    while 2 * k < n:
        k *= 2
    return k


def MTH(D: list[bytes]) -> bytes:
    if not D:
        return H(b"")
    if len(D) == 1:
        return H(b"\x00" + D[0])
    k = k_of(len(D))
    return H(b"\x01" + MTH(D[:k]) + MTH(D[k:]))


def PATH(m: int, D: list[bytes]) -> list[bytes]:
    if len(D) == 1:
        return []
    k = k_of(len(D))
    if m < k:
        return [*PATH(m, D[:k]), MTH(D[k:])]
    return [*PATH(m - k, D[k:]), MTH(D[:k])]


def PROOF(m: int, D: list[bytes]) -> list[bytes]:
    return SUBPROOF(m, D, True)


def SUBPROOF(m: int, D: list[bytes], b: bool) -> list[bytes]:
    if m == len(D):
        return [] if b else [MTH(D)]
    k = k_of(len(D))
    if m <= k:
        return [*SUBPROOF(m, D[:k], b), MTH(D[k:])]
    return [*SUBPROOF(m - k, D[k:], False), MTH(D[:k])]
