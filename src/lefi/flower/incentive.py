"""`Incentive`: a Flower strategy around any other, which pays the clients for the data they use."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from logging import INFO, WARNING
from pathlib import Path
from typing import Any

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Message, MetricRecord
from flwr.common import log
from flwr.serverapp import Grid
from flwr.serverapp.strategy import Result, Strategy

from lefi.arrays import FloatArray, number, whole
from lefi.books import Books, failure, made, note
from lefi.flower.bids import bids_of
from lefi.flower.checkpoints import Checkpoints
from lefi.flower.checks import evaluated
from lefi.flower.counting import announce, numbered, place_of
from lefi.flower.identity import Caller, Directory, Reading, Stated
from lefi.flower.judging import judged_work, watcher_of
from lefi.flower.letters import asked, letters, query
from lefi.flower.local import LocalGrid
from lefi.flower.measuring import Evaluate, Evaluation, measured
from lefi.flower.pausing import wait_while_paused
from lefi.flower.post import Post, ask, longest
from lefi.flower.received import finite, models_of
from lefi.flower.replies import Heard, Mail, weight_key
from lefi.flower.watch import Watch
from lefi.flower.wire import OFFER, Record, offer_records, with_offer
from lefi.ledger import Ledger, Money, Promise
from lefi.ledger.entries import roster_of
from lefi.ledger.slips import Slips
from lefi.ledger.withholding import Judged
from lefi.mechanisms import Mechanism
from lefi.mechanisms.mechanism import done
from lefi.messages import Offer, Terms
from lefi.offers import AuctionCall


class Incentive(Strategy):
    """Wraps a strategy: an offer rides on every train message, answers are judged, paid once and learned from.

    mechanism    a name, made with `settings` and `seed`, or one made with the same terms; told what the ledger holds
    terms        budget per round or total or both, sizes, deadline: enforced here, whatever the mechanism asks
    ledger       where everything is written: a `Ledger`, a path or a URL
    currency     what the budget is in; payments are whole numbers of `unit`, rounded down
    rate         curvature of the payment, for all or by client name [1 / thousand samples]
    identity     "client-id": what a node states; "key": the public key that SuperNode authentication has verified
    iid          what counts of the label mix that clients state: a range; or a number or function that overrules it
    two_phase    ask for pledges first, and send the model only to those who take part
    penance      rounds for which who breaks a pledge is paid for no more than it last delivered
    measure      accuracy of a model on the server; else `accuracy` of Flower's `evaluate_fn`, else the terms' model
    checkpoints  folder for the models, so that a restart goes on with the last one
    patience     seconds to wait for the first answer to a query; engines take up to minutes to start
    greeting     seconds to wait for the other answers once one is there
    grace        seconds on top of the deadline for the engine's own doing; by default 60, in simulation without end
    metrics      names of metrics that a reply must bring, where the strategy cannot do without
    trust        a `Watch`: was the work done? Who is accused is left out, and loses what is held; needs checkpoints

    >>> from tempfile import mkdtemp
    >>> from flwr.serverapp.strategy import FedAvg
    >>> from lefi.flower import Incentive
    >>> terms = lefi.Terms(budget=1.0, accuracy=lefi.accuracy("paper"))
    >>> incentive = Incentive(FedAvg(), "waterfill", terms=terms, ledger=mkdtemp() + "/ledger.db")
    >>> incentive.settled  # rounds; `incentive.start(grid, arrays, num_rounds=8)` plays and pays them
    0
    >>> incentive.ledger.close()
    """

    def __init__(
        self,
        strategy: Strategy,
        mechanism: Mechanism | str,
        *,
        terms: Terms,
        ledger: Ledger | Path | str,
        currency: str = "USD",
        unit: str = "1e-9",
        settings: Mapping[str, Any] | None = None,
        seed: int = 0,
        rate: float | Callable[[str], float] = 0.75,
        identity: Reading = "client-id",
        iid: Stated = (0.0, 1.0),
        two_phase: bool = False,
        penance: int = 3,
        measure: Callable[[ArrayRecord], float] | None = None,
        checkpoints: Path | str | None = None,
        patience: float = 600.0,
        greeting: float = 60.0,
        grace: float | None = None,
        metrics: Sequence[str] = (),
        trust: Watch | None = None,
    ) -> None:
        self.strategy, self.terms, self.rate, self.two_phase = strategy, terms, rate, two_phase
        self.measure, self.patience, self.greeting, self.metrics = measure, patience, greeting, metrics
        self.grace = None if grace is None else number("grace", grace, low=0)
        self.directory = Directory(identity, patience, greeting, iid)
        self.mechanism = made(mechanism, terms, settings, seed)
        self.checkpoints = Checkpoints(checkpoints) if checkpoints else None
        self.ledger = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
        self.money = Money(currency, unit)
        choices: dict[str, Any] = {"two_phase": two_phase, "rate": rate, "identity": identity, "iid": iid}
        choices |= {"penance": penance, "currency": currency, "unit": unit}
        choices |= {"trust": trust.note()} if trust else {}
        self.ledger.begin(note(mechanism, terms, settings, seed, **choices), trust.audits if trust else None)
        self.books = Books(self.mechanism, terms, self.ledger, whole("penance", penance, low=0), self.money, log)
        self.slips = Slips(self.ledger)
        self.watcher = watcher_of(trust, self.checkpoints, self.settled)
        self.directory.first = self.books.stated
        self.pause: Callable[[float], None] = time.sleep  # what a paused job does between two looks
        self.done = 0  # rounds of earlier starts, which Flower does not count
        self.over = False
        self.grid: Grid | None = None
        self.evaluation: Evaluation | None = None
        self.mail: Mail | None = None
        self.arrays: ArrayRecord | None = None
        self.evaluating: dict[int, Message] = {}

    @property
    def settled(self) -> int:
        """The last round that was paid; 0 before the first."""
        return self.books.settled

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
        done = self.done = self.books.pending.round - 1 if self.books.pending else self.settled
        if self.settled and self.checkpoints:
            initial_arrays = self.checkpoints.load(self.settled)
        elif self.settled:
            log(
                WARNING, "lefi: %d rounds are settled, but no checkpoints are kept: the model starts anew", self.settled
            )
        last = min(num_rounds, self.terms.rounds or num_rounds)
        left = max(last - done, 0)
        announce(self.ledger, self.settled, left)
        if self.terms.rounds is not None and num_rounds > self.terms.rounds:
            log(WARNING, "lefi: the terms allow %d rounds, not %d", self.terms.rounds, num_rounds)
        evaluate = self.evaluation = Evaluation(evaluate_fn, done) if evaluate_fn else None
        wait = longest(grid, self.terms.deadline, self.grace)
        watched = grid if isinstance(grid, LocalGrid | Post) else Post(grid, wait)
        result = super().start(watched, initial_arrays, left, timeout, train_config, evaluate_config, evaluate)
        result.arrays = result.arrays or initial_arrays
        if self.over or self.settled >= last:
            self.books.finish()
        self.ledger.end()
        return numbered(result, done)

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """The strategy's messages, each with its client's own offer; clients without one are left out."""
        round = self.done + server_round
        self.arrays, self.mail, self.grid = arrays, None, grid
        if self._is_over(round):
            return []
        messages = list(self.strategy.configure_train(round, arrays, config, grid))
        callers = self.directory.present(grid, [message.metadata.dst_node_id for message in messages], round)
        promise = self._promise(round, callers, grid)
        if promise is None:
            log(WARNING, "lefi: round %d has no clients", round)
            return []
        asking = self.two_phase and promise.pledges is None
        if asking:
            promise = self._commit(promise, callers, grid)
        positions = asked(promise, {name: caller.node for name, caller in callers.items()})
        by_node = {message.metadata.dst_node_id: message for message in messages}
        sent = {node: (position, by_node[node]) for node, position in positions.items()}
        models = models_of({node: message for node, (_, message) in sent.items()}, arrays)
        records = self._records(promise, promise.binding, receipts=not asking)
        for position, message in sent.values():
            message.content = with_offer(message.content, records[position])
        names, wait = self.directory.names, longest(grid, self.terms.deadline, self.grace)
        self.mail = Mail(promise, self.terms.size_high, sent, names, models, self.metrics, wait)
        return [message for _, message in sent.values()]

    def aggregate_train(
        self, server_round: int, replies: Iterable[Message]
    ) -> tuple[ArrayRecord | None, MetricRecord | None]:
        """Judge the answers, aggregate those that count, then pay the round and close it.

        Where the strategy fails the model stays as it is, and who delivered is paid all the same.
        """
        round, mail, self.mail = self.done + server_round, self.mail, None
        if mail is None:
            return None, None
        heard = mail.hear(replies, weight_key(self.strategy), getattr(self.grid, "seconds", None))
        faults: dict[str, str] = {}
        judged, counted = judged_work(self.watcher, round, self.arrays, heard, faults)
        arrays, metrics = None, None
        try:
            arrays, metrics = self.strategy.aggregate_train(round, counted + heard.failures)
            if arrays is not None and not finite(arrays):
                raise ArithmeticError("the aggregated model is not finite")
        except Exception as error:
            arrays, metrics = None, None
            faults["strategy"] = failure(f"round {round}: the strategy failed, the model stays", error, log)
        self._settle(mail.promise, heard, arrays if arrays is not None else self.arrays, faults, judged)
        return arrays, metrics

    def configure_evaluate(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        if self.over:
            return []
        messages = list(self.strategy.configure_evaluate(self.done + server_round, arrays, config, grid))
        self.evaluating = {message.metadata.dst_node_id: message for message in messages}
        return messages

    def aggregate_evaluate(self, server_round: int, replies: Iterable[Message]) -> MetricRecord | None:
        good, self.evaluating = evaluated(replies, self.evaluating, weight_key(self.strategy)), {}
        try:
            return self.strategy.aggregate_evaluate(self.done + server_round, good)
        except Exception as error:
            failure(f"round {self.done + server_round}: the strategy failed to evaluate", error, log)
            return None

    def summary(self) -> None:
        phases, who = "two-phase" if self.two_phase else "one-phase", type(self.mechanism).__name__
        total = "" if self.terms.total is None else f", {self.terms.total:g} in all"
        log(INFO, "\tlefi: %s, %s rounds, %g %s each%s", who, phases, self.terms.budget, self.money.currency, total)
        log(INFO, "\tlefi: ledger %s, job %s, %d rounds settled", place_of(self.ledger), self.ledger.job, self.settled)
        self.strategy.summary()

    def _is_over(self, round: int) -> bool:
        """Whether the money is spent, the mechanism is done, or the operator has stopped it; what was begun is kept."""
        if self.over or self.books.pending:
            return self.over
        why = None
        if self.books.purse.empty:
            spent = f"{self.money.text(self.books.purse.spent)} of {self.terms.total:g} {self.money.currency}"
            why = f"{spent} are paid: the job"
        elif said := done(self.mechanism):
            why = f"{said}: the job"
        elif wait_while_paused(self.ledger, round, self.pause) == "stopped":
            why = "the job was stopped: it"
        if why:
            log(WARNING, "lefi: %s ends before round %d", why, round)
            self.over = True
        return self.over

    def _promise(self, round: int, callers: dict[str, Caller], grid: Grid) -> Promise | None:
        """The offers of this round, on the disk before they are sent. A promise that was begun stands."""
        pending, self.books.pending = self.books.pending, None
        if pending is not None and pending.round == round:
            return pending
        barred = self.books.barred()
        names = tuple(name for name in callers if name not in barred)
        if not names:
            return None
        rate = np.array([self.rate(name) if callable(self.rate) else self.rate for name in names], dtype=np.float64)
        roster = roster_of(names, np.array([callers[name].iid for name in names]), rate)

        def bids(call: AuctionCall) -> FloatArray:
            records, patience = offer_records(call, rate, self.terms), (self.patience, self.greeting)
            return bids_of(grid, round, names, callers, records, patience)

        return self.books.promise(round, names, roster, bids)

    def _commit(self, promise: Promise, callers: dict[str, Caller], grid: Grid) -> Promise:
        """Ask what each client would do, and commit to that."""
        records = self._records(promise, promise.offer, receipts=True)
        messages = {
            callers[name].node: (position, query(OFFER, promise.round, records[position], callers[name].node))
            for position, name in enumerate(promise.names)
            if name in callers
        }
        mail = Mail(promise, self.terms.size_high, messages, self.directory.names)
        heard = mail.hear(ask(grid, [message for _, message in messages.values()], self.patience, self.greeting))
        return self.books.commit(promise, heard.answers, heard.refused)

    def _records(self, promise: Promise, offer: Offer, receipts: bool) -> list[Record]:
        """What the messages to the clients carry: their offers and, once a round, receipts of what was paid before."""
        left = {at: self.money.text(units) for at, units in self.books.most(promise.names).items()}
        slips = self.slips.write(promise.round, promise.names) if receipts else {}
        return letters(offer, promise, self.terms, left, slips)

    def _settle(
        self, promise: Promise, heard: Heard, arrays: ArrayRecord | None, faults: dict[str, str], judged: Judged
    ) -> None:
        accuracy = measured(self.measure or self.evaluation, arrays, self.terms, promise, heard.sizes, faults)
        if self.checkpoints and arrays is not None:
            self.checkpoints.save(promise.round, arrays)
        if self.watcher and self.arrays is not None:
            self.watcher.applied(promise.round, self.arrays, arrays)
        self.books.settle(promise, heard.sizes, accuracy, heard.answers + heard.refused, faults, judged)
