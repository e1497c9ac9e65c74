"""Does a study tell anything? Its control must stay behind: where it keeps up, there was nothing to learn."""

from dataclasses import dataclass

import polars as pl

from lefi.studies.judge.statistics import Interval, median
from lefi.studies.plan.one_run import COLUMNS

KEYS = ("seed", "scenario", "clients", "budget", "deadline")  # what paired runs have in common, beside what is swept


@dataclass(frozen=True)
class Control:
    """How far the control stays behind the best of the others, in accuracy: an interval for each place of the sweep."""

    name: str
    behind: list[Interval]

    @property
    def failed(self) -> int:
        """At how many places it fails, as it must: the whole interval of what it lacks lies above zero."""
        return sum(bool(lack.low > 0) for lack in self.behind)

    def told(self) -> str:
        largest = 100 * max(float(lack.middle) for lack in self.behind)
        if not self.failed:
            return f"{self.name}: keeps up everywhere, so this study tells nothing"
        where = f" at {self.failed} of {len(self.behind)} places" if len(self.behind) > 1 else ""
        return f"{self.name}: behind{where}, by up to {largest:.2g} points of accuracy"


def control_of(final: pl.DataFrame, name: str) -> Control:
    """The control of a study, from the rows of its last round. A round that does not count is worth nothing."""
    keys = [*KEYS, *(column for column in final.columns if column not in COLUMNS)]
    judged = final.select(*keys, "mechanism", pl.col("judged").fill_nan(0.0))
    own = judged.filter(mechanism=name).rename({"judged": "control"}).drop("mechanism")
    pairs = judged.filter(pl.col("mechanism") != name).join(own, on=keys, nulls_equal=True)
    behind = []
    for place in pairs.partition_by([key for key in keys if key != "seed"]):
        lacks = [(rows["judged"] - rows["control"]).to_numpy() for rows in place.partition_by("mechanism")]
        behind.append(median(max(lacks, key=lambda lack: float(lack.mean()))))
    return Control(name, behind)
