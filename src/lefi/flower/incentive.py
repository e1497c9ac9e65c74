"""`Incentive`: a Flower strategy around any other, which pays the clients for the data they use."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from logging import INFO, WARNING
from pathlib import Path

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.common import log
from flwr.serverapp import Grid
from flwr.serverapp.strategy import Result, Strategy

from lefi.errors import OfferError
from lefi.flower.checkpoints import Checkpoints
from lefi.flower.identity import Caller, Directory, Reading
from lefi.flower.pledges import rescaled
from lefi.flower.replies import Heard, Mail
from lefi.flower.wire import CLAIM, OFFER, offer_record, with_offer
from lefi.ledger import Answer, Ledger, Promise
from lefi.ledger.entries import roster_of
from lefi.mechanisms import Mechanism
from lefi.messages import CurveOffer, Receipt, Terms

Evaluate = Callable[[int, ArrayRecord], MetricRecord | None]


class Incentive(Strategy):
    """Wraps a strategy: an offer rides on every train message, answers are judged, paid once and learned from.

    mechanism    a fresh one from `lefi.make`; what the ledger holds of this job is told to it
    ledger       where everything is written: a `Ledger`, a path or a URL
    rate         curvature of the payment, for all or by client name [1 / thousand samples]
    identity     "client-id": what a node states; "key": the public key that SuperNode authentication has verified
    two_phase    ask for pledges first and re-scale, so that no round can cost more than the budget
    measure      accuracy of a model on the server; without it receipts carry the terms' model of accuracy
    checkpoints  folder for the models, so that a restart goes on with the last one
    patience     seconds to wait for answers to the queries; engines take up to minutes to start
    """

    def __init__(
        self,
        strategy: Strategy,
        mechanism: Mechanism,
        *,
        terms: Terms,
        ledger: Ledger | Path | str,
        rate: float | Callable[[str], float] = 0.75,
        identity: Reading = "client-id",
        two_phase: bool = False,
        measure: Callable[[ArrayRecord], float] | None = None,
        checkpoints: Path | str | None = None,
        patience: float = 600.0,
    ) -> None:
        self.strategy, self.mechanism, self.terms = strategy, mechanism, terms
        self.ledger = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
        self.rate, self.two_phase, self.measure, self.patience = rate, two_phase, measure, patience
        self.checkpoints = Checkpoints(checkpoints) if checkpoints else None
        self.directory = Directory(identity, patience)
        self.ledger.begin(self._noted_terms())
        for receipt in self.ledger.receipts():
            mechanism.tell(receipt)
        self.pending = self.ledger.pending()
        self.settled = self.ledger.settled
        self.done = 0  # rounds of earlier starts, which Flower does not count
        self.mail: Mail | None = None
        self.arrays: ArrayRecord | None = None

    def start(
        self,
        grid: Grid,
        initial_arrays: ArrayRecord,
        num_rounds: int = 3,
        timeout: float = 3600,
        train_config: ConfigRecord | None = None,
        evaluate_config: ConfigRecord | None = None,
        evaluate_fn: Evaluate | None = None,
    ) -> Result:
        """Flower's loop, going on after the last settled round. `num_rounds` counts from the first start."""
        done = self.done = self.pending.round - 1 if self.pending else self.settled
        if self.settled and self.checkpoints:
            initial_arrays = self.checkpoints.load(self.settled)
        elif self.settled:
            log(
                WARNING, "lefi: %d rounds are settled, but no checkpoints are kept: the model starts anew", self.settled
            )

        left = max(num_rounds - done, 0)
        evaluate = _later(evaluate_fn, done) if evaluate_fn else None
        result = super().start(grid, initial_arrays, left, timeout, train_config, evaluate_config, evaluate)
        result.arrays = result.arrays or initial_arrays
        for history in (
            result.train_metrics_clientapp,
            result.evaluate_metrics_clientapp,
            result.evaluate_metrics_serverapp,
        ):
            shifted = {done + round: metrics for round, metrics in history.items()}
            history.clear()
            history.update(shifted)
        return result

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """The strategy's messages, each with its client's own offer; clients without one are left out."""
        round = self.done + server_round
        self.arrays, self.mail = arrays, None
        messages = list(self.strategy.configure_train(round, arrays, config, grid))
        callers = self.directory.present(grid, [message.metadata.dst_node_id for message in messages])
        promise = self._promise(round, callers)
        if promise is None:
            log(WARNING, "lefi: round %d has no clients", round)
            return []
        if self.two_phase and promise.pledges is None:
            promise = self._commit(promise, callers, grid)
        positions = self._positions(promise, callers)
        by_node = {message.metadata.dst_node_id: message for message in messages}
        sent = {node: (position, by_node[node]) for node, position in positions.items()}
        for position, message in sent.values():
            message.content = with_offer(message.content, offer_record(promise.binding, position, self.terms))
        self.mail = Mail(promise, self.terms.size_high, sent, self.directory.names)
        return [message for _, message in sent.values()]

    def aggregate_train(
        self, server_round: int, replies: Iterable[Message]
    ) -> tuple[ArrayRecord | None, MetricRecord | None]:
        """Judge the answers, aggregate those that count, then pay the round and close it."""
        round = self.done + server_round
        if self.mail is None:
            return self.strategy.aggregate_train(round, [])
        heard = self.mail.hear(replies, key=weight_key(self.strategy))
        arrays, metrics = self.strategy.aggregate_train(round, heard.counted + heard.failures)
        self._settle(self.mail.promise, heard, arrays if arrays is not None else self.arrays)
        self.mail = None
        return arrays, metrics

    def configure_evaluate(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        return self.strategy.configure_evaluate(self.done + server_round, arrays, config, grid)

    def aggregate_evaluate(self, server_round: int, replies: Iterable[Message]) -> MetricRecord | None:
        return self.strategy.aggregate_evaluate(self.done + server_round, replies)

    def summary(self) -> None:
        phases = "two-phase" if self.two_phase else "one-phase"
        log(INFO, "\tlefi: %s, %s rounds, %g USD each", type(self.mechanism).__name__, phases, self.terms.budget)
        log(INFO, "\tlefi: ledger %s, job %s, %d rounds settled", self.ledger.url, self.ledger.job, self.settled)
        self.strategy.summary()

    def _promise(self, round: int, callers: dict[str, Caller]) -> Promise | None:
        """The offers of this round, on the disk before they are sent. A promise that was begun stands."""
        pending, self.pending = self.pending, None
        if pending is not None and pending.round == round:
            return pending
        if not callers:
            return None
        names = tuple(callers)
        rate = np.array([self.rate(name) if callable(self.rate) else self.rate for name in names], dtype=np.float64)
        roster = roster_of(names, np.array([caller.iid for caller in callers.values()]), rate)
        offer = self.mechanism.ask(roster)
        if not isinstance(offer, CurveOffer) or not np.array_equal(offer.rate, rate):
            raise OfferError(f"{type(self.mechanism).__name__} offers another payment class than the job's curve")
        promise = Promise(round, names, roster, offer)
        self.ledger.promise(promise)
        return promise

    def _commit(self, promise: Promise, callers: dict[str, Caller], grid: Grid) -> Promise:
        """Ask what each client would do, and scale the offers until what they pledge fits the budget."""
        messages = {
            callers[name].node: (position, self._query(promise, position, callers[name].node))
            for position, name in enumerate(promise.names)
            if name in callers
        }
        mail = Mail(promise, self.terms.size_high, messages, self.directory.names)
        replies = grid.send_and_receive([message for _, message in messages.values()], timeout=self.patience)
        heard = mail.hear(replies)
        weight = rescaled(promise.offer, heard.sizes, self.terms.budget)
        committed = replace(promise, pledges=heard.sizes, weight=weight)
        self.ledger.commit(committed, heard.answers, heard.refused)
        return committed

    def _query(self, promise: Promise, position: int, node: int) -> Message:
        config = ConfigRecord({"server-round": promise.round, **offer_record(promise.offer, position, self.terms)})
        return Message(RecordDict({"config": config}), node, f"query.{OFFER}")

    def _positions(self, promise: Promise, callers: dict[str, Caller]) -> dict[int, int]:
        """Nodes that are asked to train: promised, here, and with a pledge above 0 where pledges were asked for."""
        pledges = promise.pledges
        return {
            callers[name].node: position
            for position, name in enumerate(promise.names)
            if name in callers and (pledges is None or pledges[position] > 0)
        }

    def _settle(self, promise: Promise, heard: Heard, arrays: ArrayRecord | None) -> None:
        sizes, roster = heard.sizes, promise.roster
        if self.measure and arrays is not None:
            accuracy = float(self.measure(arrays))
        else:
            accuracy = float(self.terms.accuracy(np.nan_to_num(sizes), roster.iid).mean())
        receipt = Receipt(
            promise.round, roster, promise.told, sizes, promise.told.payment(sizes), accuracy, self.terms.budget
        )
        if self.checkpoints and arrays is not None:
            self.checkpoints.save(promise.round, arrays)
        answers: list[Answer] = heard.answers + heard.refused
        self.ledger.settle(promise.names, receipt, answers)
        self.mechanism.tell(receipt)
        self.settled = promise.round
        log(
            INFO,
            "lefi: round %d: %d offers, %d answers, %d refused, paid %.4f of %.4f USD",
            *(promise.round, len(promise.names), int(receipt.answered.sum()), len(heard.refused)),
            *(receipt.paid, self.terms.budget),
        )

    def _noted_terms(self) -> dict[str, float | bool]:
        terms = self.terms
        return {
            "budget": terms.budget,
            "size_low": terms.size_low,
            "size_high": terms.size_high,
            "deadline": terms.deadline,
            "two_phase": self.two_phase,
        }


def _later(evaluate_fn: Evaluate, done: int) -> Evaluate:
    return lambda server_round, arrays: evaluate_fn(done + server_round, arrays)


def weight_key(strategy: Strategy) -> str:
    """The metric by which a strategy, or the one inside it, weighs its clients."""
    inner: object = strategy
    while not hasattr(inner, "weighted_by_key") and hasattr(inner, "strategy"):
        inner = inner.strategy
    return str(getattr(inner, "weighted_by_key", CLAIM))
