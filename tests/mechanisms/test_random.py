import numpy as np

import lefi


def test_every_round_and_seed_splits_the_budget_anew() -> None:
    market = lefi.scenario("paper", clients=5)
    games = [lefi.play(lefi.make("random", market.terms, seed=seed, start="random"), market, 4) for seed in (0, 1)]
    splits = [receipt.offer.weight / receipt.offer.weight.sum() for game in games for receipt in game]
    assert np.unique(np.round(splits, 9), axis=0).shape == (8, 5)


def test_the_spend_finds_the_budget() -> None:
    market = lefi.scenario("paper", clients=50)
    paid = [receipt.paid for receipt in lefi.play(lefi.make("random", market.terms), market, 40)]
    assert np.mean(paid[20:]) / market.terms.budget == np.clip(np.mean(paid[20:]) / market.terms.budget, 0.95, 1.05)
