"""What the server makes of a message: is it what was asked for, can it be true, is it within the offer, does it count.

The words of this file are all the verdicts that there are. Only the first two are paid.
"""

from lefi.books.samples import SAMPLES, to_samples
from lefi.ledger import Answer

ACCEPTED, CAPPED = "accepted", "above limit"
MISSING, LATE, DUPLICATE, UNKNOWN = "no answer", "late", "duplicate", "unknown client"
MALFORMED, LARGE = "malformed", "too large"
OTHER, NOT_FINITE = "other arrays than sent", "not finite"
NOT_A_NUMBER, NEGATIVE, IMPOSSIBLE, NOT_WHOLE = "not a number", "negative", "above size_high", "not whole"
NO_NAME, NO_KEY, TAKEN = "no usable name", "no public key", "name taken"  # of nodes that say who they are

PAID = (ACCEPTED, CAPPED)
VERDICTS = (
    *PAID, MISSING, LATE, DUPLICATE, UNKNOWN, MALFORMED, LARGE, OTHER, NOT_FINITE,
    NOT_A_NUMBER, NEGATIVE, IMPOSSIBLE, NOT_WHOLE, NO_NAME, NO_KEY, TAKEN,
)  # fmt: skip

LONGEST = 100  # characters of what a client said that are kept


def plain(text: str) -> str:
    """Text from outside, fit for a log, a terminal and every database: short, printable ASCII."""
    return "".join(c if " " <= c <= "~" else "?" for c in text[:LONGEST])


def quoted(claim: object) -> str:
    """A claim in the client's own words, where they are short."""
    if isinstance(claim, int) and not isinstance(claim, bool) and claim.bit_length() > 200:
        return f"a whole number of {claim.bit_length()} bits"  # Python refuses to print the longest
    if claim is None or isinstance(claim, int | float):
        return plain(repr(claim))
    return f"a {type(claim).__name__}"


def judge(client: str, claim: object, limit: float, size_high: float) -> Answer:
    """The verdict on a claimed number of samples; a claim above the limit counts as the limit."""
    wrong = refusal(claim, size_high)
    text = quoted(claim)
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
        return NOT_A_NUMBER
    if claim < 0:
        return NEGATIVE
    if claim > to_samples(size_high):
        return IMPOSSIBLE
    return None if claim == int(claim) else NOT_WHOLE
