"""The rows of a run, recomputed from its receipts."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import lefi
from lefi.messages import CurveOffer, Offer, Receipt
from lefi.rounds import walk
from lefi.studies.judge.marks import judge, marks
from lefi.studies.plan.one_run import COLUMNS, Run
from lefi.studies.plan.study import Study
from lefi.studies.run import record as module
from lefi.studies.run.record import record
from lefi.world.market import Market


def only_run(**values: object) -> Run:
    (run,) = Study.build(
        {"name": "one", "seeds": 1, "rounds": 12, "clients": 4, "mechanisms": ["lefi"]} | values
    ).runs()
    return run


@pytest.mark.parametrize("name", ["lefi", "random", "bara", "uniform"])
def test_rows_follow_from_the_receipts(name: str) -> None:
    run = only_run(mechanisms=[name], scenario="mixed", seed=3)
    rounds, clients = record(run)
    assert dict(rounds.schema) == COLUMNS
    market = lefi.scenario("mixed", clients=4, seed=3)
    receipts = list(lefi.play(lefi.make(name, market.terms, seed=3), market, 12, seed=3))
    np.testing.assert_array_equal(rounds["accuracy"], [receipt.accuracy for receipt in receipts])
    np.testing.assert_array_equal(rounds["paid"], [receipt.paid for receipt in receipts])
    np.testing.assert_array_equal(rounds["overspend"], np.maximum(rounds["paid"] / 2.0 - 1, 0))
    fair = [judge(market, receipt.offer)[1] for receipt in receipts]
    np.testing.assert_array_equal(rounds["fair"], fair)
    np.testing.assert_array_equal(rounds["best"], np.maximum.accumulate(fair))
    np.testing.assert_array_equal(rounds["judged"], rounds["best" if name in ("random", "bara") else "fair"])
    mark = marks(market, 3)
    np.testing.assert_array_equal(rounds["share"], [mark.share(value) for value in rounds["judged"]])
    weights = np.concatenate([r.offer.weight for r in receipts if isinstance(r.offer, CurveOffer)])
    np.testing.assert_array_equal(clients["weight"], weights)
    assert clients.columns == ["seed", "mechanism", "round", "id", "weight", "limit", "size", "payment", "surplus"]


def test_no_mechanism_of_its_payment_class_within_the_budget_beats_the_oracle() -> None:
    for name in (name for name, factory in lefi.registered().items() if factory.payment == "curve"):
        rounds = record(only_run(mechanisms=[name], scenario="mixed", rounds=30)).rounds
        within = rounds.filter(pl.col("paid") <= pl.col("budget"))
        assert within.height >= 10
        assert rounds["oracle"].is_finite().all()  # polars takes NaN for the largest number of all
        assert (within["clean"] <= within["oracle"] + 1e-9).all()
        assert (rounds["fair"] <= rounds["oracle"] + 1e-9).all()


def test_the_clients_table_is_empty_where_it_is_not_kept() -> None:
    assert record(only_run(keep_clients=False)).clients.is_empty()


def test_a_swept_setting_is_a_column_of_its_own() -> None:
    study = Study.build(
        {"name": "s", "mechanisms": ["uniform"], "seeds": 1, "rounds": 2, "clients": 2}
        | {"sweep": {"setting": "price_factor", "values": [1.0, 2]}}
    )
    first, second = (record(run) for run in study.runs())
    assert first.rounds["price_factor"].to_list() == [1.0, 1.0]
    assert second.rounds["price_factor"].to_list() == [2.0, 2.0]
    assert "price_factor" in first.clients.columns
    ranges = study.changed(sweep={"setting": "rate", "values": [[0.4, 1.1]]})
    assert record(ranges.runs()[0]).rounds["rate"].to_list() == ["[0.4, 1.1]"] * 2


@dataclass(frozen=True)
class Dearer:
    """Clients whose price rises every round."""

    fleet: lefi.RationalFleet

    @property
    def roster(self) -> lefi.Roster:
        return self.fleet.roster

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> np.ndarray:
        return self.fleet.respond(offer, rng)

    def advance(self, rng: np.random.Generator) -> "Dearer":
        return Dearer(replace(self.fleet, price=self.fleet.price * 1.1))


def test_marks_follow_a_fleet_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    market = lefi.scenario("paper", clients=3)
    assert isinstance(market.fleet, lefi.RationalFleet)
    changing = Market(market.terms, Dearer(market.fleet))
    monkeypatch.setattr("lefi.studies.plan.one_run.scenario", lambda *_, **__: changing)
    rounds = record(only_run(clients=3, rounds=4)).rounds
    assert (rounds["oracle"].diff().drop_nulls() < 0).all()
    later = Market(market.terms, changing.fleet.advance(np.random.default_rng(0)))
    assert rounds["oracle"][1] == pytest.approx(marks(later, 0).oracle, abs=1e-12)


@pytest.mark.parametrize(
    ("settings", "fleets"),
    [
        ({"scenario": "mixed"}, 1),
        ({"scenario": "drifting"}, 3),
        ({"scenario": "mixed", "settings": {"sticky": 0.5}}, 1 + 4 * 2),  # clients that lean on what each run got
    ],
)
def test_marks_are_worked_out_once_per_fleet_and_are_the_same(
    settings: dict[str, object], fleets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = {"name": "s", "seeds": 1, "rounds": 3, "clients": 3, "mechanisms": ["uniform", "price"]}
    runs = Study.build(study | settings).runs()
    alone = []
    for run in runs:
        monkeypatch.setattr(module, "_last", ("", {}))
        alone.append(record(run))
    found: list[Market] = []

    def oracle(market: Market) -> Receipt:
        found.append(market)
        return lefi.oracle(market)

    monkeypatch.setattr("lefi.studies.judge.marks.oracle", oracle)
    monkeypatch.setattr(module, "_last", ("", {}))
    for order in (runs, runs[::-1]):
        monkeypatch.setattr(module, "_played", module._Play("", [], [], []))
        together = {run.mechanism: record(run) for run in order}
        for run, tables in zip(runs, alone, strict=True):
            assert together[run.mechanism].rounds.equals(tables.rounds)
            assert together[run.mechanism].clients.equals(tables.clients)
    assert len(found) == fleets


def test_another_seed_or_budget_is_another_world() -> None:
    run = only_run()
    worlds = {
        run.world,
        *(only_run(**change).world for change in ({"seed": 1}, {"budget": 1.0}, {"scenario": "mixed"})),
    }
    assert len(worlds) == 4
    assert only_run(mechanisms=["uniform"], rounds=3, keep_clients=False).world == run.world


def test_what_two_studies_have_in_common_is_played_once(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = only_run(mechanisms=["uniform"], budget=2.0, keep_clients=True)
    swept = only_run(mechanisms=["uniform"], keep_clients=False, sweep={"setting": "budget", "values": [2.0]})
    kept = only_run(mechanisms=["uniform"], keep_clients=True, sweep={"setting": "budget", "values": [2.0]})
    assert plain.play == swept.play == kept.play
    assert len({plain.key, swept.key, kept.key}) == 3
    assert len({plain.play, replace(plain, rounds=3).play, replace(plain, seed=1).play}) == 3
    played: list[int] = []

    def watched(*arguments: Any) -> Any:
        played.append(1)
        return walk(*arguments)

    monkeypatch.setattr(module, "walk", watched)
    first, second = record(plain), record(swept)
    assert len(played) == 1
    assert second.rounds.equals(first.rounds)
    assert second.clients.is_empty()
    assert "budget" in record(kept).clients.columns
    assert len(played) == 1
    record(replace(swept, seed=1))
    assert record(replace(kept, seed=1)).clients.height == first.clients.height
    assert len(played) == 3  # the first of the two did not keep what the second needs


def test_silence_makes_no_room_for_a_searcher() -> None:
    """With drop-outs a round may stay within the budget that would pass it: it counts scaled to the budget."""
    run = only_run(mechanisms=["random"], scenario="flaky", seed=3, rounds=30)
    rounds = record(run).rounds
    room = (rounds["paid"] <= 2.0) & (rounds["clean"] > rounds["fair"])
    assert room.any()  # rounds that only silence kept within the budget
    np.testing.assert_array_equal(rounds["judged"], np.maximum.accumulate(rounds["fair"].to_numpy()))
    assert (rounds["share"].to_numpy() <= 1 + 1e-9).all()
