"""The claims table: what the paper says, what we measured, and whether the one bears out the other."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from lefi.studies.claims import behaviours, combined_accuracy, convergence, drl, ours, sweeps
from lefi.studies.claims.claim import Claim, Finding, Untested, Verdict, verdict
from lefi.studies.judge.statistics import CONFIDENCE, holm
from lefi.studies.run.results import Results

__all__ = ["CHECKS", "Check", "Claim", "Verdict", "check_claims"]


@dataclass(frozen=True)
class Check:
    """A claim in words, the rule that decides it, and the function that measures.

    >>> from lefi.studies.claims import CHECKS
    >>> next(check.claim for check in CHECKS if check.key == "a")
    'Weights and sizes settle within about 20 rounds.'
    """

    key: str
    claim: str
    rule: str
    measure: Callable[[Results], Finding]
    ours: bool = False
    short: str = ""


CHECKS = (
    Check(
        "a",
        "Weights and sizes settle within about 20 rounds.",
        "Settled: every later value stays within 5% of its mean over the last 20 rounds. Confirmed when the "
        "median fleet has settled by round 25, weights and sizes; partly when one of them.",
        convergence.settles,
        short="weights and sizes settle in about 20 rounds",
    ),
    Check(
        "b",
        "All weights rise first and spread once the budget binds.",
        "Three parts: in the median fleet 95% of clients or more are offered more at the round where the "
        "spend reaches 98% of the budget (at most 5 rounds after the warm start) than at the end of the warm "
        "start; the spread over clients grows in the 5 rounds after (interval above 0); it is above 5% in the"
        " last round.",
        convergence.rises_and_spreads,
        short="weights rise, then spread",
    ),
    Check(
        "c",
        "Final accuracy: lefi > bara > random.",
        "Paired difference in the last round, interval above 0, for both pairs. bara and random count with "
        "their best round within the budget.",
        convergence.order,
        short="lefi above bara above random",
    ),
    Check(
        "d",
        "RAI of random and bara is below 1 and falls with the number of clients.",
        "For both, begun with equal shares: the interval lies below 1 at every number of clients, and the paired "
        "change from the smallest to the largest lies below 0, by 0.01 or more. Their cold starts are shown, not "
        "judged.",
        sweeps.falling_rai,
        short="the rivals fall behind as clients grow in number",
    ),
    Check(
        "e",
        "Accuracy rises with the budget, all mechanisms meet at 25 USD, lefi's lead is largest at 1 USD.",
        "Three parts: the median paired change is above 0 at every step, for all mechanisms; the spread of "
        "lefi, bara and random at the largest budget is below 0.003 with its interval; lefi's lead over the "
        "better of bara and random is largest at the smallest budget.",
        sweeps.budget,
        short="accuracy against the budget",
    ),
    Check(
        "f",
        "Accuracy falls with a stricter deadline, lefi stays ahead.",
        "Three parts: accuracy at the strictest deadline is below that at the loosest and rises at no step by"
        " more than 0.0001 when the deadline gets stricter; lefi is ahead of bara, and of random, at the "
        "loosest deadline (by 0.0001 or more, interval above 0) and behind at none. Leads under 0.0001 count as "
        "level; uniform is told, not judged.",
        sweeps.deadline,
        short="accuracy against the deadline",
    ),
    Check(
        "g",
        "Convergence of lefi is smooth.",
        "Largest fall of the realised accuracy between neighbouring rounds after round 20: confirmed when the"
        " median over fleets is below 0.003 with its interval, partly when only the median is.",
        convergence.smooth,
        short="smooth convergence",
    ),
    Check(
        "h",
        "It works with any data-selection rule of the clients.",
        "Clients that answer with noise (noisy), may opt out (reluctant), are linear or all-or-nothing (stubborn), "
        "choose at random by what pays (logit), lean on their last answer (sticky), have rising costs (convex), or "
        "pay for their uploads (metered): confirmed when the median share of the oracle's gain that lefi reaches in "
        "the last round is at least 0.9 in all; partly when in some. The control, weights that never move, must fail.",
        behaviours.any_rule,
        short="any data-selection rule",
    ),
    Check(
        "i",
        "It scales to thousands of clients.",
        "With the largest fleet, of 1,000 clients or more, and 0.5 USD for each: share of the oracle's gain at least "
        "0.9 with its interval, and at most 0.6 s a round.",
        sweeps.scales,
        short="thousands of clients at 0.5 USD each",
    ),
    Check(
        "j",
        "Deep reinforcement learning cannot learn in 100 interactions (footnote).",
        "Learned is who is ahead of uniform, which learns nothing of single clients: paired difference in share of "
        "the oracle's gain, interval above 0, on clients that no training saw (mixed, reluctant, stubborn, flaky; 0.5 "
        "and 5 USD). Two parts: after 100 interactions our agent has not learned from scratch, and has not when it was "
        "taught on simulated markets before. The control: from scratch it must have learned after 10,000.",
        drl.footnote,
        short="deep reinforcement learning is too slow",
    ),
    Check(
        "k",
        "No mechanism that stays within the budget beats the oracle.",
        "In every round of every run in which the paper's curve pays, noise-free: accuracy of the offer, scaled to the "
        "budget where it overspends, is at most the oracle's dual bound + 1e-9.",
        ours.oracle,
        ours=True,
        short="nobody beats the oracle",
    ),
    Check(
        "l",
        "Equal weights (uniform) are hard to beat at the paper's setting and are beaten where clients differ.",
        "Two parts: at the paper's setting lefi's lead in share in the last round is below 0.01 with its "
        "interval; on mixed it is above 0 with its interval.",
        ours.uniform,
        ours=True,
        short="equal weights are hard to beat",
    ),
    Check(
        "m",
        "When clients differ, global accuracy is w times the mean of A(size, iid) over the clients.",
        "Really trained on CIFAR-10: fleets whose clients differ in size and iid, w by least squares for each number "
        "of clients. Two parts for each: the sum misses by at most 0.03 (RMSE, as the paper's regression does), and "
        "by less than one constant for all fleets.",
        combined_accuracy.combined_accuracy,
        short="accuracy is a sum over clients",
    ),
    Check(
        "n",
        "It copes with participants that change over time.",
        "Clients that come and go (churning, 5% a round) and whose costs drift (drifting, 2% a round): confirmed when "
        "the median share of the current oracle's gain that lefi reaches in the last round is at least 0.9 in both.",
        behaviours.dynamic,
        short="participants that change",
    ),
    Check(
        "o",
        "It scales to thousands of clients with the 5 USD that the figure states.",
        "Three parts: share of the oracle's gain at least 0.9 with its interval, with 1,000 and with 10,000 clients "
        "that share 5 USD, and with 10,000 clients that have 0.5 USD each. The control, literal dollars, must fail at "
        "5 USD.",
        sweeps.fixed_budget,
        short="thousands of clients at 5 USD for all",
    ),
    Check(
        "p",
        "The loop ends by convergence: it is repeated until nothing changes any more.",
        "At rest: none of the last 20 rounds is better than the best before them by 0.001 of accuracy. Two parts: the "
        "median fleet is at rest before the last round, and stopping there loses less than 0.003 of accuracy with its "
        "interval. What it saves is told, not judged.",
        convergence.until_convergence,
        short="it ends by convergence",
    ),
)


def check_claims(results: Results) -> list[Claim]:
    """Every claim with its verdict, in the order of the table, corrected for how many rest on an interval.

    >>> from lefi.studies.claims import check_claims
    >>> from lefi.studies.run.results import Results
    >>> nothing = Results(studies={}, missing={})
    >>> check_claims(nothing)[0].verdict
    'not tested yet'
    """
    claims = [_checked(check, results) for check in CHECKS]
    tried = [(place, claim.chance) for place, claim in enumerate(claims) if claim.chance is not None]
    for (place, _), corrected in zip(tried, holm([chance for _, chance in tried]), strict=True):
        claims[place] = _corrected(claims[place], corrected, len(tried))
    return claims


def _corrected(claim: Claim, corrected: float, tried: int) -> Claim:
    """A claim that was confirmed stays so only if it would be among all those that were tried."""
    if claim.verdict != "confirmed" or corrected <= 1 - CONFIDENCE:
        return replace(claim, corrected=corrected)
    why = f"with {tried} claims tried a result like this comes by luck too often (corrected chance {corrected:.2g})"
    return replace(claim, corrected=corrected, verdict="partly", reason=why)


def _checked(check: Check, results: Results) -> Claim:
    try:
        found = check.measure(results)
    except Untested as error:
        return Claim(
            check.key, check.claim, "", "not tested yet", check.rule, str(error), check.ours, short=check.short
        )
    reason = "; ".join(found.reasons)
    decided = verdict(found.parts)
    words = (check.key, check.claim, found.measured, decided, check.rule, reason)
    return Claim(*words, check.ours, found.numbers, check.short, found.chance)
