"""What makes cheating unprofitable: pay that is held back, and audits.

T rounds, pay P and cost C of honest work per round; a cheat does the share phi of it and is accused in round s, by its
updates or by an audit, whichever comes first. Pay of that round and of the k rounds before is lost, and later rounds:

    gain = E[ P max(s - 1 - k, 0) - phi C s ] - T (P - C),        s > T: never accused, all T rounds are paid

By its updates it is accused as the power table says. Between two rounds of the table the later one counts.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lefi.arrays import FloatArray, number, whole
from lefi.errors import InputError, LefiError

PART = {"tenth": 0.1, "quarter": 0.25, "half": 0.5}
PART |= {f"{name}_scaled": part for name, part in PART.items()}
SHIPPED = Path(__file__).with_name("power.json")  # digits; `python -m benchmarks.pages` writes it
LONGEST = 10  # rounds of escrow that are looked at
LARGEST = 0.6  # probability of an audit beyond which one may as well check everybody
NEARLY = 1.2  # times the least audits that any escrow needs: more waiting for less than that is not worth it
HALVINGS = 30  # of that range: to a millionth of a percent


@dataclass(frozen=True)
class Money:
    """Of one client in a round: what it is paid, what honest work costs it, and what an audit costs the server."""

    pay: float
    cost: float
    audit: float = 0.0

    def __post_init__(self) -> None:
        number("pay", self.pay, above=0)
        number("cost", self.cost, low=0)
        number("audit_cost", self.audit, low=0)
        if self.cost > self.pay:
            raise InputError("cost", self.cost, f"at most the pay, {self.pay:g}: who loses by working does not work")


class Cheat(NamedTuple):
    """A way to cheat in every round: its share of the work, and the chance to be accused by the end of each round."""

    name: str
    work: float
    caught: FloatArray


class Row(NamedTuple):
    """With pay held back for so many rounds: the audits that are needed, which cheat needs them, and what they cost."""

    escrow: int
    audits: float  # probability per client and round; NaN where none is enough
    binding: str
    cost: float  # per client and round
    gains: dict[str, float]  # without audits, as a share of the honest profit, or of the pay where there is none


def cheats_of(path: Path, rounds: int) -> list[Cheat]:
    """The steady cheats of a power table, as `python -m benchmarks.trust judge` writes it."""
    whole("rounds", rounds, low=1)
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        rows = [row for row in table if row["which"] == "steady"]
        found = [Cheat(row["kind"], PART.get(row["kind"], 0.0), _curve(row, rounds)) for row in rows]
    except OSError as error:
        raise InputError("power", str(path), f"a readable file ({error.strerror})") from None
    except (ValueError, TypeError, KeyError) as error:
        raise LefiError(f"{path} is no power table of `python -m benchmarks.trust judge`: {error!r}") from None
    if not found:
        raise LefiError(f"{path} has no steady cheats")
    return found


def _curve(row: dict[str, Any], rounds: int) -> FloatArray:
    marks = sorted((int(name.split()[1]), float(share)) for name, share in row.items() if name.startswith("by "))
    caught = np.zeros(rounds)
    for last, share in marks:
        caught[last - 1 :] = share
    return caught


def gain(cheat: Cheat, money: Money, escrow: int, audits: float) -> float:
    """What a cheat earns more than it would by working, over the whole job."""
    T = len(cheat.caught)
    rounds = np.arange(1, T + 1)
    free = (1 - cheat.caught) * (1 - audits) ** rounds  # not accused by the end of each round
    accused = np.concatenate([[1.0], free[:-1]]) - free
    kept = money.pay * np.maximum(rounds - 1 - escrow, 0) - cheat.work * money.cost * rounds
    never = T * (money.pay - cheat.work * money.cost)
    return float(accused @ kept + free[-1] * never - T * (money.pay - money.cost))


def planned(cheats: Sequence[Cheat], money: Money, longest: int = LONGEST) -> list[Row]:
    """For each length of escrow the least probability of an audit at which no steady cheat pays."""
    rows = []
    for escrow in range(longest + 1):
        needed = {cheat.name: _needed(cheat, money, escrow) for cheat in cheats}
        binding = max(needed, key=lambda name: needed[name])
        audits = needed[binding] if np.isfinite(needed[binding]) else np.nan
        honest = len(cheats[0].caught) * (money.pay - money.cost) or len(cheats[0].caught) * money.pay
        gains = {cheat.name: gain(cheat, money, escrow, 0.0) / honest for cheat in cheats}
        rows.append(Row(escrow, audits, binding if needed[binding] > 0 else "", audits * money.audit, gains))
    return rows


def chosen(rows: Sequence[Row]) -> Row:
    """The shortest escrow that needs hardly more audits than any: honest clients wait for their money."""
    able = [row for row in rows if np.isfinite(row.audits)]
    if not able:
        raise LefiError("no plan deters every cheat: an honest client has too little profit to lose. Pay more")
    least = min(row.audits for row in able)
    return next(row for row in able if row.audits <= NEARLY * least)


def _needed(cheat: Cheat, money: Money, escrow: int) -> float:
    if gain(cheat, money, escrow, 0.0) <= 0:
        return 0.0
    if gain(cheat, money, escrow, LARGEST) > 0:
        return float("inf")
    low, high = 0.0, LARGEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if gain(cheat, money, escrow, middle) > 0 else (low, middle)
    return high
