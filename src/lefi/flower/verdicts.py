"""What the server makes of a claim: is it possible, is it within the offer, does it count."""

from lefi.flower.wire import SAMPLES, to_samples
from lefi.ledger import Answer

ACCEPTED, CAPPED = "accepted", "above limit"  # the two that are paid
MISSING, LATE, DUPLICATE, UNKNOWN = "no answer", "late", "duplicate", "unknown client"
MALFORMED = "malformed"


def judge(client: str, claim: object, limit: float, size_high: float) -> Answer:
    """The verdict on a claimed number of samples; a claim above the limit counts as the limit."""
    wrong = refusal(claim, size_high)
    text = repr(claim)[:100]
    if wrong:
        return Answer(client, text, wrong, None)
    samples = int(claim)  # type: ignore[call-overload]
    if samples > to_samples(limit):
        return Answer(client, text, CAPPED, limit)
    return Answer(client, text, ACCEPTED, min(samples / SAMPLES, limit))


def refusal(claim: object, size_high: float) -> str | None:
    """Why a claim cannot be true; None where it can."""
    if isinstance(claim, bool) or not isinstance(claim, int | float):
        return MALFORMED
    if claim != claim:
        return "not a number"
    if claim < 0:
        return "negative"
    if claim > to_samples(size_high):
        return "above size_high"
    return None if claim == int(claim) else "not whole"
