"""Which replies of a round are aggregated, where its work is judged."""

from flwr.app import ArrayRecord, Message

from lefi.books.samples import to_samples
from lefi.books.verdicts import plain
from lefi.errors import InputError
from lefi.flower.checkpoints import Checkpoints
from lefi.flower.checks import records
from lefi.flower.replies import Heard
from lefi.flower.watch import Watch, Watcher
from lefi.ledger.withholding import NOTHING, Judged


def watcher_of(watch: Watch | None, checkpoints: Checkpoints | None, settled: int) -> Watcher | None:
    """Who watches a job that goes on after that round; None where nobody does."""
    if watch is None:
        return None
    if checkpoints is None:
        raise InputError("checkpoints", None, "a folder, where work is judged: a restart must know what was heard")
    return Watcher(watch, checkpoints.folder, settled)


def judged_work(
    watcher: Watcher | None, round: int, before: ArrayRecord | None, heard: Heard, faults: dict[str, str]
) -> tuple[Judged, list[Message]]:
    """What is found out about the work, and the replies that are aggregated: not of the guilty, nor what is empty."""
    if watcher is None or before is None:
        return NOTHING, heard.counted
    replies = {answer.client: reply for answer, reply in zip(heard.counting, heard.counted, strict=True)}
    models = {name: records(reply.content, ArrayRecord)[0] for name, reply in replies.items()}
    claims = {answer.client: float(to_samples(answer.size or 0.0)) for answer in heard.counting}
    judged, silent = watcher.judge(round, before, models, claims)
    if silent:
        faults["trust"] = plain(silent)
    left_out = {*judged.guilty, *watcher.empty}
    return judged, [reply for name, reply in replies.items() if name not in left_out]
