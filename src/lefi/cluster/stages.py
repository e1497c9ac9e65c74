"""The stages of a round as workers compute them, each a function of what it is given: it may be computed again.

`tell` reads the receipts that `settle` wrote. So the state of a partition follows from its last saved state and from
files, and neither a worker that died nor a run that was stopped takes other partitions with it.
"""

import pickle
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from lefi.arrays import FloatArray
from lefi.cells import in_cells
from lefi.cluster.folder import Folder, read_pickle, write_table
from lefi.cluster.spec import Spec, code
from lefi.draws import generator
from lefi.errors import LefiError
from lefi.files import refusals
from lefi.mechanisms.division import Draft, Lesson, Outcome, Round
from lefi.mechanisms.mechanism import Mechanism
from lefi.messages import Receipt
from lefi.offers.columns import class_of, name_of
from lefi.world.market import Market

OWN = ("round", "id", "size", "payment")  # columns of receipts that are not the offer's


class State(NamedTuple):
    """A partition between two rounds."""

    market: Market
    mechanism: Mechanism
    lesson: Lesson


class Part(NamedTuple):
    """What one partition adds to a round: sums by cell, and counts."""

    paid: FloatArray  # USD
    accuracy: FloatArray
    answered: int
    offer: str  # the class of its offers


def begin(spec: Spec, partition: int, folder: Folder) -> State:
    """Draw the clients of a partition."""
    if code() != spec.code:
        raise LefiError("a worker has another version of lefi; install the same one everywhere")
    market = spec.part(partition)
    roster = market.fleet.roster
    write_table(folder.roster(partition), pl.DataFrame({"id": roster.ids, "iid": roster.iid, "rate": roster.rate}))
    return State(market, spec.made(), Lesson())


def same(head: Any) -> Any:
    """The head, from the driver to a worker."""
    return head


def look(spec: Spec, state: State, head: Any, round: Round) -> Lesson:
    """What is known of the clients of a partition."""
    return spec.division.look(_current(spec, state, head), state.market.fleet.roster, round)


def decide(spec: Spec, head: Any, looks: Sequence[Any], round: Round) -> Any:
    """The plan for all."""
    return spec.division.decide(spec.made(), head, looks, round)


def draft(spec: Spec, state: State, head: Any, plan: Any, last: Lesson, round: Round) -> Draft:
    """Offers to the clients of a partition."""
    return spec.division.draft(_current(spec, state, head), state.market.fleet.roster, plan, last.own, round)


def cost(state: State, drafted: Draft) -> FloatArray:
    """What the offers are reckoned to cost, by cell."""
    return in_cells(state.market.fleet.roster.ids, drafted.cost)


def settle(
    spec: Spec, partition: int, folder: Folder, state: State, drafted: Draft, spent: float, plan: Any, round: Round
) -> Part:
    """Carry the offers to the clients, pay them, and write the receipts."""
    market, roster = state.market, state.market.fleet.roster
    offer = spec.division.scaled(state.mechanism, drafted, spent, plan, round)
    receipt = market.settle(round.number, offer, generator(spec.seed, "behaviour", round.number), round.money)
    columns = {"round": np.full(len(roster), round.number), "id": roster.ids} | receipt.offer.to_columns()
    table = pl.DataFrame(columns | {"size": receipt.sizes, "payment": receipt.payments})
    write_table(folder.receipts(round.number, partition), table)
    trained = market.truth(receipt.sizes)
    accuracy = market.terms.accuracy(np.where(np.isnan(trained), 0.0, trained), roster.iid)
    return Part(
        in_cells(roster.ids, receipt.payments),
        in_cells(roster.ids, accuracy),
        int(receipt.answered.sum()),
        name_of(receipt.offer),
    )


def tell(spec: Spec, partition: int, folder: Folder, state: State, head: Any, round: Round) -> State:
    """Learn from the receipts of a partition, and let its clients go on to the next round."""
    receipt = _read(folder.receipts(round.number, partition), state.market, round)
    mechanism = _current(spec, state, head)
    mechanism = deepcopy(mechanism)
    lesson = spec.division.tell(mechanism, receipt, round)
    market = state.market.after(receipt).advance(generator(spec.seed, "advance", round.number))
    return State(market, mechanism, lesson)


def lesson(state: State) -> Lesson:
    """What a partition has learned."""
    return state.lesson


def shared(lesson: Lesson) -> Any:
    """What a partition passes on."""
    return lesson.shared


def learn(spec: Spec, head: Any, lessons: Sequence[Any], round: Round, outcome: Outcome) -> Any:
    """The next head."""
    return spec.division.learn(spec.made(), head, lessons, round, outcome)


def save_state(state: State, path: Path) -> None:
    """Keep the state of a partition in a file."""
    with refusals(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_name(f".{path.name}")
        with scratch.open("wb") as file:
            pickle.dump(state, file, protocol=pickle.HIGHEST_PROTOCOL)
        scratch.replace(path)


def load_state(path: Path) -> State:
    """The state that was kept there."""
    state: State = read_pickle(path)
    return state


def _current(spec: Spec, state: State, head: Any) -> Mechanism:
    return spec.division.at(state.mechanism, state.lesson.own, head)


def _read(path: Path, market: Market, round: Round) -> Receipt:
    """The receipt of a partition, back from its file. Its accuracy is that of nobody: no divided mechanism reads it."""
    try:
        table = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise LefiError(f"cannot read {path}: {str(error).splitlines()[0]}") from None
    roster = market.fleet.roster
    columns = {name: table[name].to_numpy() for name in table.columns}
    if not np.array_equal(columns["id"], roster.ids):
        raise LefiError(f"{path} is damaged: it holds other clients than its partition")
    own = {name: values for name, values in columns.items() if name not in OWN}
    offer = class_of(None, own).from_columns(own, roster.rate)
    return Receipt(round.number, roster, offer, columns["size"], columns["payment"], float("nan"), round.money)
