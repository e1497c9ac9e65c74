"""How large, how long, how alike the updates of honest clients are as such, not against the others of their round.

Scores compare clients with each other. Where most of them cheat, honest ones are what looks odd. Levels say whether
those of a round are like the clients of the reference at all.
"""

from dataclasses import dataclass

import numpy as np

from lefi.arrays import BoolArray, FloatArray
from lefi.trust.scores import Features

FAR = (
    5.0  # standard deviations in any level: honest clients are seldom (0.4% of client-rounds), idle ones always so far
)
CROWD = ("claim", "cos_others", "cos_new_others")  # what a client claims, and what the others of its round do to it


@dataclass(frozen=True, eq=False)
class Levels:
    """Of one round: mean and spread of each feature at a claim."""

    names: tuple[str, ...]
    lines: FloatArray  # (2, features): at a claim of one sample, and by log claim
    widths: FloatArray  # (features,)

    @classmethod
    def fit(cls, rows: Features) -> "Levels":
        """From the features of all honest clients of some rounds one after the other."""
        names = tuple(name for name in rows if name not in CROWD)
        X, Y = _claims(rows), np.column_stack([rows[name] for name in names])
        lines = np.asarray(np.linalg.lstsq(X, Y, rcond=None)[0], np.float64)
        return cls(names, lines, np.maximum((Y - X @ lines).std(axis=0), 1e-9))

    def strange(self, features: Features) -> BoolArray:
        """Which clients are far from any honest one."""
        Y = np.column_stack([features[name] for name in self.names])
        return np.asarray((np.abs(Y - _claims(features) @ self.lines) > FAR * self.widths).any(axis=1))


def _claims(rows: Features) -> FloatArray:
    return np.column_stack([np.ones(len(rows["claim"])), rows["claim"]])
