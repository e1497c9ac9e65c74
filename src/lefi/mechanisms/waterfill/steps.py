"""What a fleet teaches about its steps: the caps to expect, and whether a plateau tends to be the cap."""

from math import inf

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.compiler import compiled
from lefi.mechanisms.waterfill.facts import Book
from lefi.mechanisms.waterfill.splits import EXACT
from lefi.mechanisms.waterfill.tracks import FAMILY, HIGH, KIND, STAIR, STEP, STEP_KIND, C

LARGE, VARIED = 0.75, 0.125  # mean and deviation of a cap as shares of size_high, before one is known
DOUBT = (0.1, 4.0)  # plateaus that were not the cap, and all, before anything is known
FAR = 0.8  # log money above the start of a plateau that shows it to be the cap
APART = 0.05  # log weights this far apart are clearly different


def pooled_caps(best: FloatArray, high: float) -> FloatArray:
    """Mean and variance of the caps of clients whose best tracks are steps, and of one more client with a large cap."""
    caps = best[(best[:, KIND] == STEP_KIND) & np.isfinite(best[:, HIGH]), C]
    mean = (LARGE * high + float(caps.sum())) / (1 + caps.size)
    squares = (VARIED * high) ** 2 + (LARGE * high - mean) ** 2 + float(((caps - mean) ** 2).sum())
    return np.array([mean, squares / (1 + caps.size)])


@compiled
def more_above(at: IntArray, book: Book) -> float:
    """Of the plateaus of the clients `at` above which more was offered, the share that were not the cap yet."""
    found, seen = DOUBT
    for i in at:
        if FAMILY[int(book.tracks[i, 0, KIND])] in (STEP, STAIR):
            x, y, n = book.answers[i, 0], book.answers[i, 2], book.kept[i]
            top, start, end = 0.0, inf, -inf
            for j in range(n):
                top = max(top, y[j])
            for j in range(n):
                if y[j] >= top * (1 - EXACT):
                    start, end = min(start, x[j]), max(end, x[j])
            if repeats_below(x, y, n, top):
                found, seen = found + 1, seen + 1
            elif end - start > FAR:
                seen += 1
    return found / seen


@compiled
def repeats_below(x: FloatArray, y: FloatArray, n: int, top: float) -> bool:
    """Whether an answer below the largest came back exactly, at a clearly different weight."""
    for i in range(n):
        if 0 < y[i] < top * (1 - EXACT):
            for j in range(i):
                if abs(y[i] - y[j]) < EXACT * top and abs(x[i] - x[j]) > APART:
                    return True
    return False
