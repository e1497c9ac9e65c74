"""Was the work done? The updates of a round are weighed before they are aggregated and paid."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from logging import INFO, WARNING
from pathlib import Path
from typing import Any

import numpy as np
from flwr.app import ArrayRecord
from flwr.common import log

from lefi.arrays import FloatArray, number
from lefi.books import failure
from lefi.errors import InputError
from lefi.flower.received import NUMPY
from lefi.ledger import client_id
from lefi.ledger.withholding import Judged, Withholding
from lefi.trust import Audits, Heard, Reference, Trust, Verdicts, flat, layout_of
from lefi.trust.features import PAST, features
from lefi.trust.records import CHANGES, Kept, Records
from lefi.trust.scores import Features

Losses = Callable[[ArrayRecord], Sequence[float]]


@dataclass(frozen=True)
class Watch:
    """What `Incentive(trust=...)` takes.

    reference  honest clients of the same model: a `Reference`, its file, or None, with which nobody is judged and what
               is heard is kept for `lefi trust calibrate`
    losses     the loss of a model on the server's validation data, by class; None: no validation data, nobody is judged
    own        the model after the server itself has trained it on that data, as a client would
    alpha      the chance that an honest client is ever accused in the whole job, at most
    escrow     rounds for which pay is held back      newcomers  see `lefi.ledger.withholding.Withholding`
    audits     which work is audited; `audit(round, name)` then says whether it was done, and is conclusive
    sealed     updates are only seen as a sum (secure aggregation): nobody is judged

    >>> from lefi.flower import Watch
    >>> Watch("digits", alpha=0.05).known().about["weights"] > 0
    True
    """

    reference: Reference | Path | str | None
    losses: Losses | None = None
    own: Callable[[ArrayRecord], ArrayRecord] | None = None
    alpha: float = 0.01
    escrow: int = 3
    newcomers: float = 0.5
    audits: Audits | None = None
    audit: Callable[[int, str], bool] | None = None
    sealed: bool = False

    def __post_init__(self) -> None:
        number("alpha", self.alpha, above=0, high=0.5)
        Withholding(self.escrow, self.newcomers)
        if (self.audits is None) != (self.audit is None):
            raise InputError("audit", self.audit, "given together with audits, or both left out")

    def note(self) -> dict[str, Any]:
        """What a restart must have in common with the first start."""
        told = {"escrow": self.escrow, "newcomers": self.newcomers, "alpha": self.alpha}
        read = self.known()
        about = None if read is None else sha256(repr(read._plain()).encode()).hexdigest()[:16]
        return told | {"reference": about, "audits": self.audits.probability if self.audits else None}

    def known(self) -> Reference | None:
        return Reference.read(self.reference) if isinstance(self.reference, Path | str) else self.reference


class Watcher:
    """One job that is watched; what it heard is kept in the folder of its checkpoints."""

    def __init__(self, watch: Watch, folder: Path, settled: int) -> None:
        self.watch, self.records, self.reference = watch, Records(folder), watch.known()
        self.trust: Trust | None = None  # made with the first model
        self.kept = self.records.load(settled)
        self.heard: tuple[list[int], Features] = ([], {})
        self.accused: list[int] = []
        self.empty: list[str] = []  # names whose update of this round changes nothing

    def judge(
        self, round: int, before: ArrayRecord, replies: Mapping[str, ArrayRecord], claims: Mapping[str, float]
    ) -> tuple[Judged, str | None]:
        """What is found out about a round's work by name, and why nobody was judged. `claims` in samples."""
        self.heard, self.accused, self.empty = ([], {}), [], []
        try:
            verdicts = self._verdicts(before, replies, claims)
        except Exception as error:  # the operator's own code: what it fails at must not stop the job
            why = failure(f"round {round}: the work cannot be judged", error, log)
            return Judged(audited=self._audited(round, replies)), why
        if verdicts.silent and self.past:
            log(WARNING, "lefi: round %d: nobody is judged: %s", round, verdicts.silent)
        names = {client_id(name): name for name in replies}
        told = {names[one]: f"{verdicts.score[one]} {value:.4f}" for one, value in verdicts.evidence.items()}
        accused = {names[one]: told.get(names[one], "not a number") for one in verdicts.accused}
        for name, why in accused.items():
            log(INFO, "lefi: round %d: %s is accused: %s", round, name, why)
        self.accused, self.empty = verdicts.accused, [names[one] for one in verdicts.empty]
        if self.empty:
            log(INFO, "lefi: round %d: left out of the model, their updates change nothing: %s", round, self.empty)
        return Judged(told, accused, self._audited(round, replies)), verdicts.silent if self.past else None

    @property
    def past(self) -> list[FloatArray]:
        """The last changes of the model."""
        return [kept.change for kept in self.kept if kept.change is not None][-PAST:]

    def applied(self, round: int, before: ArrayRecord, after: ArrayRecord | None) -> None:
        """The round has ended with this model; what was heard goes to the disk."""
        readable = all(array.stype == NUMPY for array in before.values())
        moved = None if after is None or not readable else flat(after) - flat(before)
        change = moved if moved is not None and np.any(moved) else None
        kept = Kept(*self.heard, self.accused, change)
        self.records.save(round, kept)
        self.kept = [*(old._replace(change=None) for old in self.kept[:-CHANGES]), *self.kept[-CHANGES:], kept]
        if self.trust is not None and change is not None:
            self.trust.applied(change)

    def _verdicts(
        self, before: ArrayRecord, replies: Mapping[str, ArrayRecord], claims: Mapping[str, float]
    ) -> Verdicts:
        if why := self._blind(before):
            return Verdicts([], {}, {}, {}, why)
        heard = self._heard(before, replies, claims)
        if self.reference is None:
            if self.past and len(heard.ids):
                found = features(heard, np.array(self.past), layout_of(before))
                self.heard = (heard.ids.tolist(), found)
            return Verdicts(
                [], {}, {}, {}, "there is no reference yet: this job is recorded for `lefi trust calibrate`"
            )
        trust = self.trust = self.trust or self._restored(self.reference, before)
        weighed = len(trust.rounds)
        verdicts = trust.hear(heard)
        if len(trust.rounds) > weighed:
            self.heard = trust.rounds[-1]
        return verdicts

    def _blind(self, before: ArrayRecord) -> str | None:
        """Why single updates cannot be weighed at all."""
        if self.watch.sealed or any(array.stype != NUMPY for array in before.values()):
            return "secure aggregation: single updates cannot be seen"
        if self.watch.losses is None or self.watch.own is None:
            return "there is no validation data"
        return None

    def _restored(self, reference: Reference, before: ArrayRecord) -> Trust:
        """The state after all rounds that were kept."""
        rounds = [(kept.ids, kept.features) for kept in self.kept if kept.ids]
        excluded = {client for kept in self.kept for client in kept.accused}
        return Trust(reference, layout_of(before), self.watch.alpha, excluded, self.past, rounds)

    def _heard(self, before: ArrayRecord, replies: Mapping[str, ArrayRecord], claims: Mapping[str, float]) -> Heard:
        assert self.watch.losses is not None
        assert self.watch.own is not None
        start, usual = flat(before), np.asarray(self.watch.losses(before), float)
        updates = np.array([flat(after) - start for after in replies.values()]).reshape(len(replies), len(start))
        gains = np.array([usual - np.asarray(self.watch.losses(after), float) for after in replies.values()])
        ids = np.array([client_id(name) for name in replies], np.int64)
        counted = np.array([claims[name] for name in replies], float)
        return Heard(ids, counted, updates, gains.reshape(len(replies), -1), flat(self.watch.own(before)) - start)

    def _audited(self, round: int, replies: Mapping[str, ArrayRecord]) -> dict[str, bool]:
        """What the operator's own check says of the work that was drawn."""
        if self.watch.audits is None or self.watch.audit is None:
            return {}
        names = {client_id(name): name for name in replies}
        found = {}
        for one in self.watch.audits.drawn(round, np.array(list(names), np.int64)).tolist():
            try:
                found[names[one]] = bool(self.watch.audit(round, names[one]))
            except Exception as error:
                failure(f"round {round}: {names[one]} was drawn and cannot be audited", error, log)
        return found
