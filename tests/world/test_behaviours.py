"""Each behaviour does what design.md section 9 says, and keeps the fleet contract."""

from typing import Any

import numpy as np
import pytest

import lefi
from lefi.arrays import FloatArray, IntArray
from lefi.draws import uniform
from lefi.world.behaviours import (
    AllOrNothing,
    Blend,
    Cheat,
    Churn,
    ConvexCost,
    Drift,
    Dropout,
    Jump,
    Linear,
    Logit,
    Misreport,
    Noisy,
    OptOut,
    Sticky,
)
from lefi.world.fleet import RationalFleet
from lefi.world.scenarios import SCENARIOS

N = 40


def fleet(ids: IntArray | None = None) -> RationalFleet:
    ids = np.arange(N, dtype=np.int64) if ids is None else ids
    roster = lefi.Roster(ids, iid=0.1 + 0.9 * uniform(1, ids), rate=0.4 + 0.7 * uniform(2, ids))
    price = (0.5 + 1.5 * uniform(3, ids)) * 1e-5
    return RationalFleet(roster, price=price, speed=2 + 27 * uniform(4, ids), cost=lefi.cost("paper"))


def offer(roster: lefi.Roster, weight: float = 0.3, limit: float = 10.0) -> lefi.CurveOffer:
    return lefi.CurveOffer(weight * (0.5 + uniform(5, roster.ids)), roster.rate, np.full(len(roster), limit))


BEHAVIOURS: dict[str, Any] = {
    "opt_out": OptOut,
    "noisy": lambda f: Noisy(f, 0.1),
    "sticky": lambda f: Sticky(f, 0.5),
    "dropout": lambda f: Dropout(f, 0.2),
    "misreport": lambda f: Misreport(f, 1.5),
    "cheat": lambda f: Cheat(f, work=0.25, duty=0.5, caught=0.2, key=7),
    "linear": lambda f: Linear(f, key=7),
    "all_or_nothing": lambda f: AllOrNothing(f, key=7),
    "logit": lambda f: Logit(f, T=0.01),
    "convex_cost": lambda f: ConvexCost(f, c=1e-3),
    "drift": lambda f: Drift(f, 0.02),
    "jump": lambda f: Jump(f, 0.5, round=2),
    "churn": lambda f: Churn(f, 0.2, fleet, N),
    "blend": lambda f: Blend(f, (lambda g: g, lambda g: Linear(g, key=7), lambda g: AllOrNothing(g, key=7)), key=9),
    "many": lambda f: Churn(Drift(Dropout(Noisy(Sticky(OptOut(f), 0.3), 0.1), 0.1), 0.02), 0.1, fleet, N),
}


@pytest.fixture(params=list(BEHAVIOURS))
def behaviour(request: pytest.FixtureRequest) -> Any:
    return BEHAVIOURS[request.param]


def test_no_answer_exceeds_the_limit(behaviour: Any) -> None:
    clients = behaviour(fleet())
    for limit in (0.5, 3.0, 10.0):
        sizes = clients.respond(offer(clients.roster, limit=limit), np.random.default_rng(0))
        assert np.nanmax(sizes) <= limit
        assert np.nanmin(sizes) >= 0


def test_the_same_stream_gives_the_same_answer_and_asking_changes_nothing(behaviour: Any) -> None:
    clients = behaviour(fleet())
    first = clients.respond(offer(clients.roster), np.random.default_rng(1))
    clients.respond(offer(clients.roster, weight=0.01), np.random.default_rng(2))
    np.testing.assert_array_equal(clients.respond(offer(clients.roster), np.random.default_rng(1)), first)
    calm = clients.respond(offer(clients.roster), None)
    np.testing.assert_array_equal(clients.respond(offer(clients.roster), None), calm)
    assert not np.isnan(calm).any()


def test_reordering_the_clients_reorders_the_answers(behaviour: Any) -> None:
    order = np.random.default_rng(0).permutation(N)
    straight, shuffled = behaviour(fleet()), behaviour(fleet(order.astype(np.int64)))
    for _ in range(3):
        a, b = (f.respond(offer(f.roster), np.random.default_rng(1)) for f in (straight, shuffled))
        where = {int(i): n for n, i in enumerate(straight.roster.ids)}
        np.testing.assert_array_equal(b, a[[where[int(i)] for i in shuffled.roster.ids]])
        straight, shuffled = (f.advance(np.random.default_rng(3)) for f in (straight, shuffled))


def test_advance_leaves_the_old_fleet_as_it_was(behaviour: Any) -> None:
    clients = behaviour(fleet())
    before = clients.respond(offer(clients.roster), None)
    clients.advance(np.random.default_rng(0))
    np.testing.assert_array_equal(clients.respond(offer(clients.roster), None), before)


def paid(clients: RationalFleet, bid: lefi.CurveOffer) -> tuple[FloatArray, FloatArray]:
    """K and K_n, from their definitions."""
    cap = clients.means.cap
    return -bid.weight * np.expm1(-bid.rate * np.minimum(cap, bid.limit)), 0.05 + 0.45 * uniform(7, clients.roster.ids)


def test_linear_and_all_or_nothing_act_on_what_full_delivery_earns() -> None:
    clients = fleet()
    bid = offer(clients.roster)
    K, K_n = paid(clients, bid)
    assert 0 < (K >= K_n).mean() < 1
    np.testing.assert_allclose(Linear(clients, key=7).respond(bid, None), clients.means.cap * np.minimum(1, K / K_n))
    expected = np.where(K >= K_n, clients.means.cap, 0)
    np.testing.assert_allclose(AllOrNothing(clients, key=7).respond(bid, None), expected)


def test_noise_is_relative_and_cut_to_what_can_be_delivered() -> None:
    ids = np.arange(4000, dtype=np.int64)
    clients = fleet(ids)
    bid = offer(clients.roster)
    calm, loud = clients.respond(bid, None), Noisy(clients, 0.1).respond(bid, np.random.default_rng(0))
    free = (calm < 0.6 * clients.means.cap) & (calm > 0)
    assert np.std(loud[free] / calm[free] - 1) == pytest.approx(0.1, rel=0.1)
    assert (loud <= clients.means.cap).all()


def test_dropout_silences_its_share() -> None:
    ids = np.arange(4000, dtype=np.int64)
    clients = Dropout(fleet(ids), 0.2)
    sizes = clients.respond(offer(clients.roster), np.random.default_rng(0))
    assert np.isnan(sizes).mean() == pytest.approx(0.2, abs=0.02)


def test_sticky_leans_on_what_was_delivered_and_play_does_not_touch_the_market() -> None:
    market = lefi.scenario("mixed", clients=5, sticky=0.5)
    roster = market.fleet.roster
    generous, mean = offer(roster, weight=1.0), offer(roster, weight=0.05)
    best = market.fleet.respond(mean, None)
    receipt = market.settle(1, generous, None)
    later = market.after(receipt)
    np.testing.assert_allclose(later.fleet.respond(mean, None), 0.5 * best + 0.5 * receipt.sizes)
    np.testing.assert_array_equal(market.fleet.respond(mean, None), best)
    a, b = (lefi.play(lefi.make("uniform", market.terms), market, 4) for _ in range(2))
    for one, two in zip(a, b, strict=True):  # two plays of one market, interleaved
        np.testing.assert_array_equal(one.sizes, two.sizes)


def test_convex_cost_meets_its_first_order_condition() -> None:
    clients = ConvexCost(fleet(), c=1e-3)
    bid = offer(clients.roster)
    D = clients.respond(bid, None)
    inside = (D > 1e-6) & (D < clients.means.cap - 1e-6)
    assert inside.any()
    slope = bid.weight * bid.rate * np.exp(-bid.rate * D) - clients.means.marginal_cost - 2e-3 * D
    np.testing.assert_allclose(slope[inside], 0, atol=1e-9)


def test_logit_tends_to_the_best_size_as_it_cools_and_draws_around_its_mean() -> None:
    ids = np.arange(3000, dtype=np.int64)
    clients = fleet(ids)
    bid = offer(clients.roster)
    step = clients.means.cap / 32
    assert (np.abs(Logit(clients, T=1e-7).respond(bid, None) - clients.respond(bid, None)) <= step).all()
    warm = Logit(clients, T=0.05)
    drawn, mean = warm.respond(bid, np.random.default_rng(0)), warm.respond(bid, None)
    assert drawn.mean() == pytest.approx(mean.mean(), rel=0.02)
    assert np.std(drawn - mean) > 0.1


def test_drift_walks_the_log_price() -> None:
    ids = np.arange(4000, dtype=np.int64)
    clients = Drift(fleet(ids), 0.02)
    moved = clients.advance(np.random.default_rng(0)).advance(np.random.default_rng(1))
    assert np.std(np.log(moved.means.price / clients.means.price)) == pytest.approx(0.02 * np.sqrt(2), rel=0.05)


def test_jump_moves_every_log_price_once() -> None:
    clients = Jump(fleet(np.arange(1000, dtype=np.int64)), 0.5, round=3)
    price = [clients.means.price]
    for t in range(5):
        clients = clients.advance(np.random.default_rng(t))
        price.append(clients.means.price)
    moves = np.diff(np.log(price), axis=0)
    np.testing.assert_allclose(np.abs(moves[1]), 0.5)  # between the second round and the third
    assert 0.45 < (moves[1] > 0).mean() < 0.55
    assert not moves[[0, 2, 3, 4]].any()


def test_churn_brings_new_ids_and_keeps_the_number() -> None:
    ids = np.arange(1000, dtype=np.int64)
    clients = Churn(fleet(ids), 0.05, fleet, 1000)
    seen = set(ids.tolist())
    for t in range(5):
        stay = set(clients.roster.ids.tolist())
        clients = clients.advance(np.random.default_rng(t))
        now = set(clients.roster.ids.tolist())
        assert len(now) == 1000
        assert 20 < len(stay - now) < 90
        assert not (now - stay) & seen, "an id came back"
        seen |= now
    np.testing.assert_array_equal(clients.means.price, fleet(clients.roster.ids).price)


@pytest.mark.parametrize("r", [0.999, 1.0])
@pytest.mark.parametrize("n", [1, 2, 10])
def test_somebody_stays_however_high_the_churn(n: int, r: float) -> None:
    clients = Churn(fleet(np.arange(n, dtype=np.int64)), r, fleet, n)
    for t in range(20):
        before = set(clients.roster.ids.tolist())
        clients = clients.advance(np.random.default_rng(t))
        assert len(clients.roster) == n
        assert before & set(clients.roster.ids.tolist())


def test_misreport_pays_the_claim_and_scores_the_truth() -> None:
    market = lefi.scenario("mixed", clients=20, misreport=2.0)
    receipt = market.settle(1, offer(market.fleet.roster), None)
    truth = market.terms.accuracy(receipt.sizes / 2, market.fleet.roster.iid).mean()
    assert receipt.accuracy == pytest.approx(truth)
    assert receipt.accuracy < market.terms.accuracy(receipt.sizes, market.fleet.roster.iid).mean()


def test_opt_out_refuses_a_loss() -> None:
    clients = OptOut(fleet())
    bid = offer(clients.roster, weight=2e-3)
    sizes = clients.respond(bid, None)
    assert 0 < (sizes == 0).sum()
    assert (clients.utility(bid, sizes) >= 0).all()


def test_blend_gives_each_client_one_kind_by_its_id() -> None:
    clients = BEHAVIOURS["blend"](fleet())
    bid = offer(clients.roster)
    answers = [kind(clients.fleet).respond(bid, None) for kind in clients.kinds]
    np.testing.assert_array_equal(clients.respond(bid, None), np.choose(clients.kind, answers))
    assert set(clients.kind.tolist()) == {0, 1, 2}


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_every_scenario_plays_and_has_an_oracle_above_uniform(name: str) -> None:
    market = lefi.scenario(name, clients=8, seed=3)
    best = lefi.oracle(market)
    assert best.paid <= market.terms.budget
    for receipt in lefi.play(lefi.make("uniform", market.terms), market, 3):
        assert len(receipt.roster) == 8
    first = next(iter(lefi.play(lefi.make("uniform", market.terms), market, 1)))
    assert best.accuracy >= market.settle(1, first.offer, None).accuracy - 1e-9


def test_settings_of_behaviours_are_checked() -> None:
    with pytest.raises(lefi.InputError, match="dropout"):
        lefi.scenario("mixed", dropout=1.5)
    with pytest.raises(lefi.InputError, match="kinds"):
        lefi.scenario("mixed", kinds=("lazy",))
    with pytest.raises(lefi.UnknownName, match="did you mean 'noise'"):
        lefi.scenario("mixed", nois=0.1)
