"""What one round does to what is believed about each client: one pass over the rows of a belief, in compiled code.

book  arrays over all rows: tracks, answers and their number, answers in all, rate; squared relative noise by the
      client's own answers, and how many these are; size that full delivery is taken to be
"""

from math import exp, isnan, log, nan, sqrt

import numpy as np

from lefi.compiler import allocating, compiled, inlined
from lefi.mechanisms.waterfill.curves import FITS, NOTHING, SILENT, VIEW, compare
from lefi.mechanisms.waterfill.fit import fit_client
from lefi.mechanisms.waterfill.memory import push
from lefi.mechanisms.waterfill.stairs import fit_odd
from lefi.mechanisms.waterfill.tracks import CHANCE, COLUMNS, FAMILY, HINGE, KIND, NOISY, TRACKS, TRIFLE, M, V, earned

QUIET, LOUD = 5e-4, 0.5  # bounds of the relative noise
PSEUDO = 12.0  # answers that the fleet's noise counts for, beside the client's own
FREE = 1.5  # answers that location and cap use up before they show noise
FEW, FIRST = 8, 4  # answers below which a client is fitted in every round: while more than one track is left; always
TURNS, RESTS = 12, 4  # rounds between two fits of a client that answers as expected, and of a noisy one
SLOW, FASTER = 0.99, (0.6, 0.2)  # weight of an answer against the next one; less where old answers do not fit


@inlined
def relative_noise(noise, judged, fleet_noise):  # type: ignore[no-untyped-def]
    """Of a client: its own, drawn towards that of the fleet."""
    rho = sqrt((PSEUDO * fleet_noise + judged * noise) / (PSEUDO + judged))
    return min(max(rho, QUIET), LOUD)


@inlined
def copy_tracks(source, target):  # type: ignore[no-untyped-def]
    for t in range(TRACKS):
        for column in range(COLUMNS):
            target[t, column] = source[t, column]


@inlined
def is_due(r, client, book, turn):  # type: ignore[no-untyped-def]
    """Whether a client is looked at in full this round: all that are new and in doubt, and the others in turns."""
    tracks, heard = book[0], book[3]
    young = heard[r] < FIRST or (heard[r] < FEW and tracks[r, 1, CHANCE] > 0)
    return young or (client + turn) % TURNS == 0


@allocating
def hear(at, ids, book, last, x, limit, y, terms, many, due, told):  # type: ignore[no-untyped-def]
    """Remember the answers of the clients in rows `at`; note what each one told, and who is due for a fit.

    told: FITS, SURPRISES, NEITHER or SILENT.
    last: offer and limit that were answered last, and who is calm: quiet, bought, and answers as expected.
    terms: smallest and largest size, noise of the fleet, round. In a fleet of `many` clients, noisy ones of whom one
    answer more tells little are fitted in turns too.
    """
    (tracks, answers, count, heard, rate, noise, judged, full), (offer, cut, calm) = book, last
    (floor, high, fleet_noise, turn), view = terms, np.empty((TRACKS, VIEW))
    for i in range(at.size):
        r, rests = at[i], False
        rho = relative_noise(noise[r], judged[r], fleet_noise)
        told[i] = SILENT
        if isnan(y[i]):  # silence leaves all as it was
            calm[r] = calm[r] and x[i] > NOTHING / 2
        else:
            told[i] = compare(tracks[r], x[i], limit[i], y[i], rate[r], rho, full[r], floor, high, view)
            push(answers, count, r, x[i], limit[i], y[i], rho, high)
            heard[r], offer[r], cut[r] = heard[r] + 1, x[i], limit[i]
            rests = many and rho >= NOISY and heard[r] >= FEW and (ids[r] + turn) % RESTS != 0
            calm[r] = (rests or (told[i] == FITS and rho < NOISY)) and y[i] > TRIFLE * high
        due[i] = not (told[i] >= FITS or rests) or is_due(r, ids[r], book, turn)


@compiled
def recall(at, known, ids, book, last, turn, fleet_noise, rate, copy, tracks, rho, whole, x, paid):  # type: ignore[no-untyped-def]
    """Of the clients in rows `at` that are known, fill noise, full delivery, last log weight and what it could cost.

    Of clients that are due for a look at all weights the last one is NaN. Tracks are filled where a `copy` is wanted.
    """
    noise, judged, full = book[5], book[6], book[7]
    offer, cut, _ = last
    for i in range(at.size):
        if known[i]:
            r = at[i]
            rho[i], whole[i] = relative_noise(noise[r], judged[r], fleet_noise), full[r]
            x[i] = nan if is_due(r, ids[r], book, turn) else offer[r]
            paid[i] = exp(offer[r]) * earned(rate[i] * cut[r])
            if copy:
                copy_tracks(book[0][r], tracks[i])


@compiled
def fit_all(at, book, fits, voter, until, terms, fleet, work, spare):  # type: ignore[no-untyped-def]
    """Fit the clients in rows `at`; one whose old answers do not fit the new ones again, with the old ones faded.

    Who answered as a rational client should (`fits`) is fitted as one, and so are all but the voters before they have
    answered `until` times.
    """
    tracks, answers, count, heard, rate, noise, judged, full = book
    floor, high, fleet_noise = terms
    whole = bool(0)  # False would compile all twice
    for i in range(at.size):
        r = at[i]
        x, limit, y, n = answers[r, 0], answers[r, 1], answers[r, 2], count[r]
        rho = relative_noise(noise[r], judged[r], fleet_noise)
        brief = (fits[i] and FAMILY[int(tracks[r, 0, KIND])] == HINGE) or (heard[r] < until and not voter[i])
        scatter, weight, full[r] = fit_client(
            tracks[r], x, limit, y, n, rate[r], rho, SLOW, floor, high, fleet, brief, work
        )
        own = rho * rho * scatter / max(weight - FREE, 0.4)
        odd = fit_odd(tracks[r], x, limit, y, n, rate[r], sqrt(own), floor, high, fleet)
        if odd > 0:
            own, weight, full[r] = 0.0, n, odd
        for fade in FASTER:
            if own <= 9 * max(fleet_noise, QUIET**2) or n <= 2:
                break
            scatter, seen, _ = fit_client(spare, x, limit, y, n, rate[r], rho, fade, floor, high, fleet, whole, work)
            faster = rho * rho * scatter / max(seen - FREE, 0.4)
            if faster < 0.25 * own:
                own, weight = faster, seen
                copy_tracks(spare, tracks[r])
        noise[r], judged[r] = own, max(weight - FREE, 0.0)


@compiled
def add_up(at, tracks, rate, group_of, broad, share, sums):  # type: ignore[no-untyped-def]
    """Add the tracks of the clients in rows `at` to the shares of the kinds, and to the sums of groups of kinds.

    These are, by probability, over tracks that know the location: of 1, of the location, of its square and of its
    variance; and over clients: of the square of a client's mean location.
    """
    for r in at:
        for t in range(TRACKS):
            share[int(tracks[r, t, KIND])] += tracks[r, t, CHANCE]
        for g in range(sums.shape[0]):
            own = mean = 0.0
            for t in range(TRACKS):
                s = tracks[r, t]
                kind = int(s[KIND])
                if group_of[kind] == g and s[V] < broad:
                    at_rate_1 = s[M] + (log(rate[r]) if FAMILY[kind] == HINGE else 0.0)
                    own, mean = own + s[CHANCE], mean + s[CHANCE] * at_rate_1
                    sums[g, 2] += s[CHANCE] * at_rate_1 * at_rate_1
                    sums[g, 3] += s[CHANCE] * s[V]
            sums[g, 0], sums[g, 1] = sums[g, 0] + own, sums[g, 1] + mean
            sums[g, 4] += mean * mean / own if own > 0 else 0.0
