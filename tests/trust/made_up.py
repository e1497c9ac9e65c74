"""A made-up job without any training: updates that point where the others point, the better the more data they had."""

from collections.abc import Iterator

import numpy as np

from lefi.trust import Heard, Layout, Record
from lefi.trust.features import features

CLIENTS, WEIGHTS, CLASSES = 20, 70, 5
LAYOUT = Layout.of([(10, 6), (10,)])


def rounds(seed: int, number: int = 12, kind: str = "honest", cheats: int = 0) -> Iterator[tuple[Heard, np.ndarray]]:
    """What the server hears, and the change that follows."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(CLIENTS, WEIGHTS))
    sizes = rng.uniform(0.5, 2.0, CLIENTS)
    maps = rng.normal(size=(CLASSES, WEIGHTS)) / np.sqrt(WEIGHTS)
    way, last = rng.normal(size=WEIGHTS), rng.normal(size=WEIGHTS)
    for _ in range(number):
        way = 0.6 * way + 0.8 * rng.normal(size=WEIGHTS)
        claims = sizes * rng.uniform(0.7, 1.0, CLIENTS)
        noise = rng.normal(size=(CLIENTS, WEIGHTS)) / np.sqrt(claims)[:, None]
        updates = np.sqrt(claims)[:, None] * (way + 0.3 * own + 0.5 * noise)
        for client in range(cheats):
            if kind == "idle":
                updates[client] = 1e-6 * rng.normal(size=WEIGHTS)
            elif kind == "replay":
                updates[client] = last * np.sqrt(claims[client])
            elif kind == "copy" and client:
                updates[client] = updates[0] * np.sqrt(claims[client] / claims[0]) + 0.005 * rng.normal(size=WEIGHTS)
        gains = 0.1 * updates @ (maps * np.sign(maps @ way)[:, None]).T
        yield Heard(np.arange(CLIENTS) + 100, claims, updates, gains, way + 0.3 * rng.normal(size=WEIGHTS)), last
        last = claims @ updates / claims.sum()


def record(seed: int) -> Record:
    """The features of an honest job from the second round on."""
    ids, found = [], []
    for place, (heard, last) in enumerate(rounds(seed)):
        if place:
            ids.append(heard.ids)
            found.append(features(heard, last[None], LAYOUT))
    return Record(ids, found)
