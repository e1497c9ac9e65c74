"""Claims as the report shows them: a badge beside the figure they are about, rule and reasons folded away."""

from collections.abc import Collection
from html import escape
from typing import get_args

from lefi.studies.claims import Claim, Verdict
from lefi.studies.report.page import folded, paragraph


def badge(claim: Claim) -> str:
    return f'<span class="verdict {claim.verdict.replace(" ", "-")}">{claim.verdict}</span>'


def claim_parts(claims: list[Claim], keys: Collection[str]) -> list[str]:
    """Those of these keys, in this order."""
    found = {claim.key: claim for claim in claims}
    return [_card(found[key]) for key in keys]


def _card(claim: Claim) -> str:
    whose = "ours" if claim.ours else "paper"
    rest = [paragraph(f"Rule: {claim.rule}"), paragraph(f"Measured: {claim.measured or 'nothing'}.")]
    rest += [paragraph(f"Why: {claim.reason}.")] if claim.reason else []
    if claim.chance is not None and claim.corrected is not None:
        rest.append(
            paragraph(
                f"Chance of such a result by luck: {claim.chance:.2g}, corrected for the number of claims "
                f"{claim.corrected:.2g} (sign test, Holm)."
            )
        )
    head = f"<p>{badge(claim)} {escape(claim.claim)} <small>Claim {escape(claim.key)}, {whose}</small></p>"
    return f'<div class="claim" id="claim-{escape(claim.key)}">{head}{folded("Rule, numbers, reasons", rest)}</div>'


def badges(claims: list[Claim]) -> str:
    """Every claim as a badge that leads to it."""
    links = (
        f'<a class="verdict {claim.verdict.replace(" ", "-")}" href="#claim-{escape(claim.key)}" '
        f'title="{claim.verdict}">{escape(claim.key)} {escape(claim.short)}</a>'
        for claim in claims
    )
    return f'<p class="badges">{" ".join(links)}</p>'


def tally(claims: list[Claim]) -> tuple[str, str]:
    """How many of the paper's claims are confirmed, and what became of the others."""
    verdicts = [claim.verdict for claim in claims if not claim.ours]
    rest = [kind for kind in get_args(Verdict) if kind != "confirmed" and kind in verdicts]
    others = ", ".join(f"{verdicts.count(kind)} {kind}" for kind in rest)
    return f"{verdicts.count('confirmed')} of {len(verdicts)}", others


def named(claims: list[Claim], *verdicts: Verdict) -> str:
    """The short names of the paper's claims with these verdicts."""
    return "; ".join(claim.short for claim in claims if claim.verdict in verdicts and not claim.ours)
