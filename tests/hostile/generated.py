"""Messages made up at random, from a seed: odd records, odd values, and honest updates with damage done to their bytes.

Run: python -m tests.hostile.generated --messages 100000
"""

import argparse
import logging
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from flwr.app import Array, ArrayRecord, ConfigRecord, Error, Message, MetricRecord, RecordDict

from tests.hostile.arena import Fixed, attackers_pay, honest_pay, play
from tests.hostile.attacks import CLAIMS, HELLOS, UPDATES, Attack, unchecked

HEAVY = ("MB", "huge", "million", "400", "5000")  # kinds that take long; they have tests of their own
POOLS = {
    kind: [attack for name, attack in attacks.items() if not any(word in name for word in HEAVY)]
    for kind, attacks in (("query.hello", HELLOS), ("query.offer", CLAIMS), ("train", {**CLAIMS, **UPDATES}))
}
KEYS = ("num-examples", "client", "client-id", "iid", "metrics", "arrays", "w", "", "\x00", "\ud800", "loss", "x" * 300)
VALUES: tuple[Any, ...] = (
    0, 1, -1, 3000, 2**63, -(2**70), 0.0, -0.0, 1.5, 3000.0, 5e-324, 1e308, float("nan"), float("inf"), float("-inf"),
    True, False, None, "", "3000", "\x1b[2J", "\ud800", b"", b"\xff" * 9, [], [1, 2], [float("nan")], ["a"], [b"a"], {},
)  # fmt: skip
DTYPES = ("float64", "float32", "int8", "object", "O", "<f8", "", "\x00")
SHAPES: tuple[Any, ...] = ((3,), (), (0,), (3, 1), (10**12,), (-3,), (2**62, 2**62))


def attack(random: Random, kind: str) -> Attack:
    """One message of the given type, out of the list or made up."""
    makers = (_listed, _made_up, _damaged) if kind == "train" else (_listed, _made_up)
    return random.choice(makers)(random, kind)


def _listed(random: Random, kind: str) -> Attack:
    return random.choice(POOLS[kind])


def _made_up(random: Random, kind: str) -> Attack:
    state = random.getrandbits(64)

    def make(asked: Message, honest: Message) -> list[Message]:
        own = Random(state)
        if own.random() < 0.05:
            return [Message(Error(own.randrange(9), own.choice(KEYS)), reply_to=asked)]
        content = RecordDict()
        for _ in range(own.randrange(4)):
            content.__dict__["_data"][own.choice(KEYS)] = _record(own)
        if own.random() < 0.3 and honest.has_content():  # the honest records with one of ours among them
            content = RecordDict({**honest.content})
            content.__dict__["_data"][own.choice(KEYS)] = _record(own)
        return [Message(content, reply_to=asked)] * own.choice((1, 1, 1, 3))

    return make


def _record(random: Random) -> Any:
    kind = random.choice((ConfigRecord, MetricRecord, ArrayRecord))
    names = [random.choice(KEYS) for _ in range(random.randrange(4))]
    if kind is ArrayRecord:
        return unchecked(kind, {name: _array(random) for name in names})
    return unchecked(kind, {name: random.choice(VALUES) for name in names})


def _array(random: Random) -> Array:
    array = Array("float64", (3,), "numpy.ndarray", random.randbytes(random.choice((0, 5, 80, 152, 200))))
    array.dtype, array.shape = random.choice(DTYPES), random.choice(SHAPES)
    array.stype = random.choice(("numpy.ndarray", "numpy.ndarray", "pickle", ""))
    return array


def _damaged(random: Random, kind: str) -> Attack:
    """The honest update with some bytes overwritten, cut out or added."""
    state = random.getrandbits(64)

    def make(asked: Message, honest: Message) -> list[Message]:
        own = Random(state)
        arrays = next(part for part in honest.content.values() if isinstance(part, ArrayRecord))
        data = bytearray(arrays["w"].data)
        for _ in range(own.randrange(1, 6)):
            at = own.randrange(len(data))
            match own.randrange(3):
                case 0:
                    data[at] = own.randrange(256)
                case 1:
                    del data[at : at + own.randrange(1, 9)]
                case 2:
                    data[at:at] = own.randbytes(own.randrange(1, 9))
        parts = {name: part for name, part in honest.content.items() if not isinstance(part, ArrayRecord)}
        array = Array("float64", (3,), "numpy.ndarray", bytes(data))
        return [Message(RecordDict({**parts, "arrays": ArrayRecord({"w": array})}), reply_to=asked)]

    return make


def bombard(folder: Path, messages: int, two_phase: bool, seed: int, attackers: int = 50) -> int:
    """A job under fire: the honest clients' pay is what it is without attackers. Returns the number of messages."""
    rounds = max(messages // attackers, 1)

    def plan(kind: str, round: int, attacker: int) -> Attack | None:
        random = Random(f"{seed} {kind} {round} {attacker}")
        if kind == "query.hello" and attacker % 5:  # most introduce themselves, or there would be nobody to lie later
            return None
        if kind == "query.offer" and random.random() < 0.7:
            return None
        return attack(random, kind)

    more: dict[str, Any] = {"rounds": rounds, "two_phase": two_phase, "mechanism": Fixed()}
    loud, seen = play(folder / "loud.db", plan, attackers=attackers, **more)
    alone, _ = play(folder / "alone.db", plan, attackers=0, **more)
    assert honest_pay(loud) == honest_pay(alone)
    assert len(honest_pay(alone)) == rounds
    assert attackers_pay(alone) == {}
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    logging.getLogger("flwr").setLevel(logging.CRITICAL)
    total, seed = 0, chosen.seed
    while total < chosen.messages:
        with tempfile.TemporaryDirectory() as folder:
            total += bombard(Path(folder), 5000, bool(seed % 2), seed)
        seed += 1
    print(f"{total} generated messages in {seed - chosen.seed} jobs: every job ended, honest pay unchanged")


if __name__ == "__main__":
    main()
