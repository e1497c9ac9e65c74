"""The pictures of the page of the mathematics: what a client answers, and how a server shares its money.

python docs/site/curves.py      writes docs/images/client.png and docs/images/server.png
"""

from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import lefi
from lefi.studies.figures.style import GREY, SHEET

WHERE = Path(__file__).parents[1] / "images"
RATE, WORK, FIXED = 0.75, 79.1259, 17.6219  # beta, p and q of the paper, in thousand samples and TFLOP
THETA = 0.9 / 3600 / 28.9  # USD per TFLOP: the middle of what the paper's clients ask for
WEIGHT = 0.006  # USD, small enough that payment and cost fit into one picture
CAP = 7.0  # thousand samples: where the deadline of a slow client ends
DEAR = {"cheap": (0.5, "#009E73"), "middle": (1.0, "#0072B2"), "dear": (2.0, "#D55E00")}  # times theta, and a colour
MILLI = 1e3


def answer(weight: np.ndarray, theta: float) -> np.ndarray:
    """D*, clipped to what the client can do."""
    return np.clip(np.log(np.maximum(weight * RATE / (theta * WORK), 1e-9)) / RATE, 0, CAP)


def gap(panel: Axes) -> None:
    """Payment and cost of one client; the best size is where they lie furthest apart."""
    size = np.linspace(0, 7, 200)
    best = float(answer(np.array(WEIGHT), THETA))
    paid, cost = WEIGHT * (1 - np.exp(-RATE * size)), THETA * (WORK * size + FIXED)
    panel.plot(size, MILLI * paid, color="#009E73")
    panel.plot(size, MILLI * cost, color="#D55E00")
    low, high = np.interp(best, size, cost), np.interp(best, size, paid)
    panel.annotate("", (best, MILLI * high), (best, MILLI * low), arrowprops={"arrowstyle": "<->", "color": GREY})
    panel.annotate("best size", (best, MILLI * (low + high) / 2), (5, 0), textcoords="offset points", color=GREY)
    panel.annotate("payment", (5, MILLI * WEIGHT), (0, 4), textcoords="offset points", color="#009E73")
    panel.annotate("cost", (5.6, MILLI * THETA * WORK * 5.6), (0, -14), textcoords="offset points", color="#D55E00")
    panel.set(title="One client, one offer", xlabel="size [thousand samples]", ylabel="thousandths of a USD")


def answers(panel: Axes) -> None:
    """The best size against the weight."""
    weight = np.geomspace(1e-4, 1, 300)
    for times, colour in DEAR.values():
        panel.plot(weight, answer(weight, times * THETA), color=colour)
    for name, height, shift, side in (("cheap", 4.5, -6, "right"), ("dear", 2.0, 6, "left")):
        times, colour = DEAR[name]
        place = weight[np.searchsorted(answer(weight, times * THETA), height)], height
        panel.annotate(name, place, (shift, -3), textcoords="offset points", ha=side, color=colour)
    panel.annotate("no more data or time", (1, CAP), (0, 4), textcoords="offset points", ha="right", color=GREY)
    panel.annotate("not worth it", (1e-4, 0), (-4, 5), textcoords="offset points", color=GREY)
    panel.set(title="What clients answer", xlabel="weight offered [USD]", ylabel="size delivered [thousand samples]")
    panel.set(xscale="log", ylim=(-0.2, 8))


def bargain(panel: Axes, model: lefi.AccuracyModel, price: float) -> None:
    """Accuracy that another dollar buys, falling with the size; the price of money is one line for all."""
    size = np.linspace(0, CAP, 300)
    for name, (times, colour) in DEAR.items():
        bought = 100 * model.slope(size, np.ones(300)) / (times * THETA * WORK * np.exp(RATE * size))
        panel.plot(size, bought, color=colour)
        here = float(np.interp(-price, -bought, size))
        panel.plot([here, here], [1, price], color=colour, linewidth=1, linestyle=":")
        panel.plot(here, price, "o", color=colour)
        panel.annotate(name, (here, price), (5, 7), textcoords="offset points", color=colour)
    panel.axhline(price, color="black", linewidth=1)
    panel.annotate("price of money", (CAP, price), (0, 4), textcoords="offset points", ha="right")
    panel.set(title="One price of money for all", xlabel="size bought [thousand samples]", yscale="log")
    panel.set(ylabel="points of accuracy\nfor another USD", ylim=(5, None))


def main() -> None:
    matplotlib.rcParams.update(SHEET)
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.1), layout="constrained")
    gap(panels[0])
    answers(panels[1])
    figure.savefig(WHERE / "client.png", metadata={"Software": None})
    figure, panel = plt.subplots(figsize=(6, 3.1), layout="constrained")
    bargain(panel, lefi.accuracy("paper"), 200.0)
    figure.savefig(WHERE / "server.png", metadata={"Software": None})


if __name__ == "__main__":
    main()
