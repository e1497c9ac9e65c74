"""What pages say of their programs, asked of what the programs have made and printed."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lefi
from lefi.game.policies import policy_of
from lefi.studies import results

Names = dict[str, Any]
HAIR = 5e-5  # accuracy is printed with four digits


def readme(_: Names, text: str) -> None:
    """Nobody beats the optimum; `waterfill` gets there within the budget."""
    rounds = [(int(one), float(much), float(paid)) for one, much, paid in played(text)]
    assert [one for one, _, _ in rounds] == list(range(1, 21))
    assert max(paid for _, _, paid in rounds) <= 5.0
    best = float(found(r"optimum: ([\d.]+)", text))
    assert rounds[0][1] < rounds[-1][1] <= best + HAIR
    assert rounds[-1][1] > best - 1e-3


def extending(names: Names, _: str) -> None:
    table = names["table"]
    assert set(table["mechanism"].unique()) == {"lefi", "uniform"}
    assert table.height == 2 * 5 * 2, "mechanisms, rounds, seeds"
    assert names["lefi"].registered()["greedy"] is names["Greedy"]


def game(names: Names, text: str) -> None:
    """One line for a client by itself, one for a pair: no reply is worse than honesty. The page's policy has joined."""
    lines = text.splitlines()
    assert [line.partition("]")[0] for line in lines] == ["[0", "[1 2"]
    assert all(float(line.split()[-2]) >= 0 for line in lines)
    assert isinstance(policy_of("strike(rounds=2)"), names["Strike"])


def plan(names: Names, text: str) -> None:
    """What the plan says is what is printed, and it reaches the target of the shortened program."""
    made = names["plan"]
    assert made.accuracy.middle >= made.target == 0.6
    assert made.cost.middle <= made.rounds * made.budget * (1 + 1e-9)
    assert text.startswith(f"{made.rounds} {made.budget} Span(middle={made.cost.middle}")


def surrogate(names: Names, _: str) -> None:
    """Clients learn from their own answers alone, and who gave none stays as unknown as before."""
    mean, std = names["bank"].predict(names["ids"], names["x"])
    assert np.allclose(mean[:2], names["y"][:2], atol=0.01)
    assert abs(mean[2]) < 1e-6
    assert (std[:2] < 0.1).all()
    assert std[2] > 0.5
    assert names["cov"].shape == (3, 2, 2)


def cluster(names: Names, text: str) -> None:
    """A line per round, within the budget, that comes to the optimum; the receipts of every partition are there."""
    rows, market = [line.split() for line in text.splitlines()], lefi.scenario("mixed", clients=50, budget=25.0)
    assert [int(round) for round, _, _ in rows] == list(range(1, 21))
    assert max(float(paid) for _, paid, _ in rows) <= 25.0
    assert float(rows[-1][2]) == pytest.approx(lefi.oracle(market).accuracy, abs=1e-3)
    assert len(list(Path("large", "receipts").rglob("*.parquet"))) == 20 * names["spec"].partitions


def first_study(names: Names, text: str) -> None:
    receipts, best = names["receipts"], names["best"]
    assert [int(one) for one, _, _ in played(text)] == [1, 6, 11, 16]
    assert max(one.paid for one in receipts) <= 5.0
    assert best.accuracy - 1e-3 < receipts[-1].accuracy <= best.accuracy + 1e-9
    assert text.count("Share of the optimum's gain") == 2
    first, mine = shares("results/first"), shares("results/mine")
    assert first.keys() == {"waterfill", "lefi", "uniform"}
    assert first["waterfill"] == max(first.values())
    assert 0 < mine["mine"] - mine["uniform"] < mine["waterfill"] - mine["mine"], "a little better, and far from it"


def paid_job(names: Names, text: str) -> None:
    plans = found(r"price to 0\.85 +(\d+)", text)
    assert re.search(rf"^ {plans} rounds? +[\d.]+ $", text, re.MULTILINE), "the plan is in its second table"
    receipts = names["receipts"]
    assert [one.round for one in receipts] == list(range(1, 16))
    assert max(one.paid for one in receipts) <= names["terms"].budget
    assert receipts[-1].accuracy > receipts[0].accuracy
    paid = found(r"paid in all: ([\d.]+) USD", text)
    assert float(paid) == pytest.approx(sum(names["paid"]))
    assert f"15 settled rounds, {paid} USD paid" in text
    assert "every round kept its budget" in text


def own_mechanism(_: Names, text: str) -> None:
    assert "the contract is kept" in text
    assert shares("results/own").keys() == {"greedy", "uniform", "waterfill"}
    swept = results("results", "speeds").rounds
    assert sorted(swept["greedy.speed"].unique()) == [0.1, 0.4]


SHOWN: dict[str, Callable[[Names, str], None]] = {
    "README": readme,
    "cluster": cluster,
    "extending": extending,
    "game": game,
    "plan": plan,
    "surrogate": surrogate,
    "first_study": first_study,
    "paid_job": paid_job,
    "own_mechanism": own_mechanism,
}


def played(text: str) -> list[tuple[str, str, str]]:
    """Round, accuracy and payment of every line that tells them."""
    return re.findall(r"^round (\d+): accuracy ([\d.]+), paid ([\d.]+) USD$", text, re.MULTILINE)


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match, f"{pattern} in {text}"
    return match[1]


def shares(folder: str) -> dict[str, float]:
    """The median share of every mechanism in the last round of a comparison."""
    table = results(Path(folder), "compare").rounds
    last = table.filter(round=table["round"].max())
    return dict(last.group_by("mechanism").agg(pl.col("share").median()).iter_rows())
