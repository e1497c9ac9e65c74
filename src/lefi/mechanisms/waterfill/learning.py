"""What one round does to what is believed about each client: one pass over the rows of a belief, in compiled code."""

from math import exp, isnan, log, nan, sqrt

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.curves import FITS, NOTHING, SILENT, compare
from lefi.mechanisms.waterfill.facts import Answers, Book, Client, Fleet, Known, Said
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
def relative_noise(noise: float, judged: float, fleet_noise: float) -> float:
    """Of a client: its own, drawn towards that of the fleet."""
    rho = sqrt((PSEUDO * fleet_noise + judged * noise) / (PSEUDO + judged))
    return min(max(rho, QUIET), LOUD)


@inlined
def client_of(r: int, book: Book, fleet: Fleet) -> Client:
    rho = relative_noise(book.noise[r], book.judged[r], fleet.noise)
    return Client(book.rate[r], rho, book.full[r], fleet.floor, fleet.high)


@inlined
def copy_tracks(source: FloatArray, target: FloatArray) -> None:
    for t in range(TRACKS):
        for column in range(COLUMNS):
            target[t, column] = source[t, column]


@inlined
def is_due(r: int, book: Book, turn: int) -> bool:
    """Whether a client is looked at in full this round: all that are new and in doubt, and the others in turns."""
    young = book.heard[r] < FIRST or (book.heard[r] < FEW and book.tracks[r, 1, CHANCE] > 0)
    return young or (book.ids[r] + turn) % TURNS == 0


@compiled
def hear(at: IntArray, book: Book, said: Said, fleet: Fleet, turn: int, many: bool, view: FloatArray) -> None:
    """Remember the answers of the clients in rows `at`; note what each one told, and who is due for a fit.

    turn: the round. In a fleet of `many` clients, noisy ones of whom one answer more tells little are fitted in turns
    too.
    """
    calm = book.calm
    for i in range(at.size):
        r, rests, x, y = at[i], False, said.x[i], said.y[i]
        client = client_of(r, book, fleet)
        said.told[i] = SILENT
        if isnan(y):  # silence leaves all as it was
            calm[r] = calm[r] and x > NOTHING / 2
        else:
            said.told[i] = compare(book.tracks[r], (x, said.limit[i], y), client, view)
            push(book, r, (x, said.limit[i], y), client)
            book.heard[r], book.offer[r], book.limit[r] = book.heard[r] + 1, x, said.limit[i]
            rests = many and client.rho >= NOISY and book.heard[r] >= FEW and (book.ids[r] + turn) % RESTS != 0
            fits = said.told[i] == FITS and client.rho < NOISY
            calm[r] = (rests or fits) and y > TRIFLE * fleet.high
        said.due[i] = not (said.told[i] >= FITS or rests) or is_due(r, book, turn)


@compiled
def recall(at: IntArray, found: BoolArray, book: Book, turn: int, fleet_noise: float, copy: bool, known: Known) -> None:
    """Of the clients in rows `at` that were found, fill noise, full delivery, last log weight and what it could cost.

    Of clients that are due for a look at all weights the last one is NaN. Tracks are filled where a `copy` is wanted.
    """
    for i in range(at.size):
        if found[i]:
            r = at[i]
            known.rho[i], known.full[i] = relative_noise(book.noise[r], book.judged[r], fleet_noise), book.full[r]
            known.last[i] = nan if is_due(r, book, turn) else book.offer[r]
            known.paid[i] = exp(book.offer[r]) * earned(known.rate[i] * book.limit[r])
            if copy:
                copy_tracks(book.tracks[r], known.tracks[i])


@compiled
def fit_all(at: IntArray, book: Book, brief: BoolArray, fleet: Fleet, work: FloatArray, spare: FloatArray) -> None:
    """Fit the clients in rows `at`; one whose old answers do not fit the new ones again, with the old ones faded.

    brief: who is fitted as rational, all or nothing, or idle. work, spare: room for answers and for tracks.
    """
    whole = bool(0)  # False would compile all twice
    for i in range(at.size):
        r = at[i]
        rows, tracks, client = book.answers[r], book.tracks[r], client_of(r, book, fleet)
        answers, rho, n = Answers(rows[0], rows[1], rows[2], book.kept[r]), client.rho, book.kept[r]
        scatter, weight, full = fit_client(tracks, answers, SLOW, client, fleet, brief[i], work)
        own = rho * rho * scatter / max(weight - FREE, 0.4)
        odd = fit_odd(tracks, answers, Client(client.rate, sqrt(own), full, client.floor, client.high), fleet)
        if odd > 0:
            own, weight, full = 0.0, float(n), odd
        for fade in FASTER:
            if own <= 9 * max(fleet.noise, QUIET**2) or n <= 2:
                break
            scatter, seen, _ = fit_client(spare, answers, fade, client, fleet, whole, work)
            faster = rho * rho * scatter / max(seen - FREE, 0.4)
            if faster < 0.25 * own:
                own, weight = faster, seen
                copy_tracks(spare, tracks)
        book.noise[r], book.judged[r], book.full[r] = own, max(weight - FREE, 0.0), full


@compiled
def add_up(at: IntArray, book: Book, group_of: IntArray, broad: float, share: FloatArray, sums: FloatArray) -> None:
    """Add the tracks of the clients in rows `at` to the shares of the kinds, and to the sums of groups of kinds.

    These are, by probability, over tracks that know the location: of 1, of the location, of its square and of its
    variance; and over clients: of the square of a client's mean location.
    """
    tracks, rate = book.tracks, book.rate
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
