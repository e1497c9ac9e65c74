"""The picture on top of README: money in, accuracy out, budget kept, on ten simulated clients.

python docs/site/strip.py      writes docs/images/strip.png
"""

from collections.abc import Iterable
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import lefi
from lefi.studies.figures.style import GREY, KNOWN, ORACLE, SHEET

WHERE = Path(__file__).parents[1] / "images" / "strip.png"
ROUNDS, CLIENTS, BUDGET, SEED = 25, 10, 5.0, 1  # of `mixed`, the market of the other pictures
SHOWN = {"waterfill": -13, "lefi": 2, "uniform": -11}  # and by how many points the name lies above the end of its line


def money(panel: Axes, receipts: list[lefi.Receipt]) -> None:
    """What each client is paid, one on top of the other."""
    paid = np.array([receipt.payments for receipt in receipts])
    order = np.argsort(paid[-1])[::-1]
    greens = matplotlib.colormaps["YlGn"](np.linspace(0.85, 0.2, CLIENTS))
    base = np.zeros(len(paid))
    for client, colour in zip(order, greens, strict=True):
        panel.bar(rounds(receipts), paid[:, client], 0.9, bottom=base, color=colour, linewidth=0)
        base += paid[:, client]
    panel.axhline(BUDGET, color="black", linewidth=1)
    panel.annotate("budget", (1, BUDGET), (0, 3), textcoords="offset points", fontsize=8.5)
    panel.set(title="Money in: who is paid", ylabel="paid to 10 clients [USD]", ylim=(0, BUDGET * 1.15))


def gained(panel: Axes, played: dict[str, list[lefi.Receipt]], best: float) -> None:
    """Accuracy over rounds, beside the optimum."""
    panel.axhline(best, color=ORACLE.colour, linestyle=ORACLE.line, linewidth=1.2)
    panel.annotate("optimum", (1, best), (0, 3), textcoords="offset points", fontsize=8.5)
    for name, receipts in played.items():
        look = KNOWN[name]
        panel.plot(rounds(receipts), [one.accuracy for one in receipts], color=look.colour, linestyle=look.line)
        end = (ROUNDS, receipts[-1].accuracy)
        panel.annotate(
            name, end, (0, SHOWN[name]), textcoords="offset points", ha="right", color=look.colour, fontsize=8.5
        )
    panel.set(title="Accuracy out: what it buys", ylabel="accuracy of the model", ylim=(best - 0.009, best + 0.0012))


def kept(panel: Axes, played: dict[str, list[lefi.Receipt]]) -> None:
    """What a round pays, as a share of the budget, where a fifth of the answers does not come."""
    panel.axhline(100, color="black", linewidth=1)
    panel.axhspan(100, 150, color="#D55E00", alpha=0.10, linewidth=0)
    panel.annotate("over the budget", (1, 140), color=GREY, fontsize=8.5)
    for name, receipts in played.items():
        look = KNOWN[name]
        share = [100 * one.paid / BUDGET for one in receipts]
        panel.plot(rounds(receipts), share, color=look.colour, linestyle=look.line, marker=look.marker, markersize=3)
    panel.annotate("waterfill", (1, 8), color=KNOWN["waterfill"].colour, fontsize=8.5)
    panel.annotate("uniform", (7, 8), color=KNOWN["uniform"].colour, fontsize=8.5)
    panel.set(title="Budget kept, though some are silent", ylabel="paid of the budget [%]", ylim=(0, 150))


def play(scenario: str, names: Iterable[str]) -> dict[str, list[lefi.Receipt]]:
    """Every mechanism on the same clients."""
    market = lefi.scenario(scenario, clients=CLIENTS, budget=BUDGET, seed=SEED)
    made = {name: lefi.make(name, market.terms, seed=SEED) for name in names}
    return {name: list(lefi.play(one, market, ROUNDS, seed=SEED)) for name, one in made.items()}


def rounds(receipts: list[lefi.Receipt]) -> list[int]:
    return list(range(1, len(receipts) + 1))


def main() -> None:
    matplotlib.rcParams.update(SHEET)
    best = lefi.oracle(lefi.scenario("mixed", clients=CLIENTS, budget=BUDGET, seed=SEED)).accuracy
    played = play("mixed", SHOWN)
    figure, panels = plt.subplots(1, 3, figsize=(11, 2.9), layout="constrained")
    money(panels[0], played["waterfill"])
    gained(panels[1], played, best)
    kept(panels[2], play("flaky", ("uniform", "waterfill")))
    for panel in panels:
        panel.set_xlabel("round")
    figure.savefig(WHERE, metadata={"Software": None})


if __name__ == "__main__":
    main()
