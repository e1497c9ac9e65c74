"""Which answers of a client are remembered."""

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.facts import Book, Client
from lefi.mechanisms.waterfill.splits import EXACT
from lefi.mechanisms.waterfill.tracks import NOISY, is_cut

SLOTS = 40  # answers remembered per client
EQUAL, SAME = 1e-6, 0.02  # log weights this close are equal, and teach almost the same


def blank(clients: int) -> FloatArray:
    """Room for answers (clients, 3, SLOTS): log weight, limit, size; first answers beside each other in memory.

    So a round touches only as much memory as it has answers: memory that was never used is slow.
    """
    return np.zeros((SLOTS, clients, 3)).transpose(1, 2, 0)


def widened(answers: FloatArray, into: IntArray, count: IntArray) -> FloatArray:
    """The answers with empty rows inserted where np.insert would."""
    wider, used = blank(len(answers) + into.size), int(count.max(initial=0))
    old = np.ones(len(wider), dtype=bool)
    old[into + np.arange(into.size)] = False
    wider[old, :, :used] = answers[:, :, :used]
    return wider


def narrowed(answers: FloatArray, stay: BoolArray, count: IntArray) -> FloatArray:
    """The answers of those who stay."""
    kept, used = blank(int(stay.sum())), int(count.max(initial=0))
    kept[:, :, :used] = answers[stay, :, :used]
    return kept


@compiled
def push(book: Book, r: int, answer: tuple[float, float, float], client: Client) -> None:
    """Remember one more answer (log weight, limit, size) of row r, in place of one that is superfluous."""
    rows, n, old = book.answers[r], book.kept[r], -1
    if client.rho < NOISY:
        old = implied(rows, n, answer, client.high)
    if old < 0 and n == SLOTS:
        old = superfluous(rows[0])
    if old >= 0:
        n -= 1
        for j in range(old, n):
            for column in range(3):
                rows[column, j] = rows[column, j + 1]
    rows[0, n], rows[1, n], rows[2, n] = answer
    book.kept[r] = n + 1


@inlined
def implied(rows: FloatArray, n: int, answer: tuple[float, float, float], high: float) -> int:
    """Which answer of a quiet client the new one makes needless; -1 if none.

    One to an equal weight; and one on a plateau that now reaches from above its weight to below it.
    """
    x, limit, y = answer
    uncut, top = y > 0 and not is_cut(y, limit, high), -1e300
    for i in range(n):
        if abs(rows[0, i] - x) < EQUAL:
            return i
        if uncut and abs(rows[2, i] - y) <= EXACT * y:
            top = max(top, rows[0, i])
    for i in range(n):
        if x < rows[0, i] < top and abs(rows[2, i] - y) <= EXACT * y:
            return i
    return -1


@compiled
def superfluous(x: FloatArray) -> int:
    """Which answer goes where there is no more room: the oldest with a newer one to almost the same weight, or simply
    the oldest. What was tried stays known.
    """
    for i in range(SLOTS - 1):
        for j in range(i + 1, SLOTS):
            if abs(x[i] - x[j]) < SAME:
                return i
    return 0
