"""Two pictures of waterfill: what it believes of four clients, round by round, and the price of money.

python -m benchmarks.beliefs [--into docs/images]
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import lefi
from lefi.allocation import allocate
from lefi.arrays import FloatArray
from lefi.mechanisms.explanation import Explaining

SHOWN = (1, 2, 4, 10)  # rounds after which the belief is drawn
CLIENTS, SEED = 12, 5


def answers(market: lefi.Market, money: FloatArray, client: int) -> FloatArray:
    """What a client would deliver for this money, if all of its data were asked for."""
    roster, high = market.fleet.roster, market.terms.size_high
    full = -np.expm1(-roster.rate * high)
    offers = (lefi.CurveOffer(np.full(len(roster), m) / full, roster.rate, np.full(len(roster), high)) for m in money)
    return np.array([market.fleet.respond(offer, None)[client] for offer in offers])


def draw_beliefs(into: Path) -> None:
    """One column per client, one row per round: band, expectation, truth, and the last offer."""
    market = lefi.scenario("stubborn", clients=CLIENTS, seed=SEED)
    clients = [0, 1, 2, 3]
    mechanism = lefi.make("waterfill", market.terms, seed=0)
    assert isinstance(mechanism, Explaining)
    figure, axes = plt.subplots(len(SHOWN), len(clients), figsize=(10, 8), sharey=True, layout="constrained")
    for receipt in lefi.play(mechanism, market, SHOWN[-1]):
        if receipt.round not in SHOWN:
            continue
        told = mechanism.explain(receipt.roster.ids[clients])
        for column, client in enumerate(clients):
            axis = axes[SHOWN.index(receipt.round), column]
            money = told.money[column]
            axis.fill_between(money, told.low[column], told.high[column], color="tab:blue", alpha=0.2, linewidth=0)
            axis.plot(money, told.expected[column], color="tab:blue")
            axis.plot(money, answers(market, money, client), color="black", linestyle=":")
            axis.plot(told.offered[column], receipt.sizes[client], "o", color="tab:red", markersize=4)
            axis.set_xscale("log")
            axis.set_title(f"client {client}, round {receipt.round}", fontsize=8)
    figure.supxlabel("money for all of a client's data [USD]")
    figure.supylabel("size [thousand samples]")
    figure.savefig(into / "waterfill_beliefs.png", dpi=110)


def draw_price(into: Path) -> None:
    """What each client is worth at a price of money, and the price at which their offers spend the budget."""
    market = lefi.scenario("mixed", clients=CLIENTS, seed=SEED)
    roster, terms, price = market.fleet.roster, market.terms, np.geomspace(1e-3, 1, 60)
    x = np.linspace(-12, 3, 600)
    weight = np.exp(x)[:, None] * np.ones(len(roster))
    limit = np.full(len(roster), terms.size_high)
    sizes = np.array([market.fleet.respond(lefi.CurveOffer(w, roster.rate, limit), None) for w in weight])
    cost = (-weight * np.expm1(-roster.rate * sizes)).T
    gain = terms.accuracy(sizes.T, roster.iid[:, None])
    spent = [cost[np.arange(len(roster)), (gain - p * cost).argmax(axis=1)].sum() for p in price]
    _, found = allocate(gain, cost, terms.budget)
    figure, axis = plt.subplots(figsize=(6, 3.5), layout="constrained")
    axis.plot(price, spent, color="tab:blue")
    axis.axhline(terms.budget, color="black", linestyle=":")
    axis.plot(found, terms.budget, "o", color="tab:red")
    axis.set(xscale="log", xlabel="price of money [accuracy per USD]", ylabel="what all offers cost [USD]")
    figure.savefig(into / "waterfill_price.png", dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, default=Path("docs/images"))
    chosen = parser.parse_args()
    plt.switch_backend("agg")
    draw_beliefs(chosen.into)
    draw_price(chosen.into)


if __name__ == "__main__":
    main()
