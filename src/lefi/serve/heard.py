"""What the service makes of answers: one verdict per client that was offered something, and the others besides."""

from collections.abc import Sequence
from math import isfinite, nan

import numpy as np

from lefi.arrays import FloatArray
from lefi.books.verdicts import ACCEPTED, CAPPED, DUPLICATE, IMPOSSIBLE, MISSING, NEGATIVE, UNKNOWN, quoted
from lefi.errors import InputError
from lefi.ledger import Answer, Promise
from lefi.messages import Terms
from lefi.serve.bodies import AnswersBody

STRANGERS = 100  # answers without an offer that are written down in a round; a flood must not fill the disk


def judge(client: str, claim: float, limit: float, size_high: float) -> Answer:
    """The verdict on a claimed size in thousand samples; one above the limit counts as the limit."""
    text = quoted(claim)
    if claim < 0:
        return Answer(client, text, NEGATIVE, None)
    if claim > size_high:
        return Answer(client, text, IMPOSSIBLE, None)
    return Answer(client, text, CAPPED, limit) if claim > limit else Answer(client, text, ACCEPTED, claim)


def heard(promise: Promise, body: AnswersBody, size_high: float) -> tuple[list[Answer], list[Answer]]:
    """One answer per promised client, in the order of the offers; and those that nobody had asked for."""
    names = promise.names if body.clients is None else body.clients
    if len(names) != len(body.sizes):
        raise InputError("sizes", f"{len(body.sizes)} of them", f"one for each of {len(names)} clients")
    most = dict(zip(promise.names, promise.most.tolist(), strict=True))
    first: dict[str, Answer] = {}
    refused = []
    for name, size in zip(names, body.sizes, strict=True):
        if name not in most or name in first:
            verdict = DUPLICATE if name in first else UNKNOWN
            refused.append(Answer(name, None if size is None else quoted(size), verdict, None))
        elif size is None:
            first[name] = Answer(name, None, MISSING, None)
        else:
            first[name] = judge(name, size, most[name], size_high)
    answers = [first.get(name) or Answer(name, None, MISSING, None) for name in promise.names]
    return answers, refused[:STRANGERS]


def sizes_of(answers: Sequence[Answer]) -> FloatArray:
    return np.array([nan if answer.size is None else answer.size for answer in answers], dtype=np.float64)


def accuracy_of(body: AnswersBody, terms: Terms, promise: Promise, sizes: FloatArray) -> float:
    """What was measured, or what the model of the terms says; NaN where nothing was."""
    if body.accuracy is None:
        return nan
    if body.accuracy != "model":
        return float(body.accuracy)
    modelled = float(np.mean(terms.accuracy(np.nan_to_num(sizes), promise.roster.iid)))
    return modelled if isfinite(modelled) else nan
