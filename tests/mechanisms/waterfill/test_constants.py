"""What half and twice a constant do: every constant is found, says what it is, and is changed alone."""

import json
from pathlib import Path

from benchmarks.changes import PACKAGE, USUAL
from benchmarks.constants import KEPT, MARKS, Constant, changed, constants, key, table

EVERY = list(constants(Path(PACKAGE)))


def test_every_constant_says_what_it_is() -> None:
    assert EVERY
    assert [constant.name for constant in EVERY if not constant.why] == []


def test_constants_of_compiled_code_and_of_tuples_are_found() -> None:
    values = {constant.name: constant.value for constant in EVERY}
    assert {"commons.VAGUE", "solver.HORIZON", "plain.HALVINGS", "shared.WIDE", "solver.SPARE"} <= set(values)
    assert values["solver.HORIZON"] == 150.0
    assert "curves.KINDS" not in values  # a family is no choice of a number


def test_one_constant_is_changed_and_nothing_else() -> None:
    text = 'A, B = (3.0, 10), 7  # rounds\nC = A[0] + 3.0\n"""B = 7"""\n'
    first, second, third = (
        Constant("a.py", name, value, 1, start, end, "rounds")
        for name, value, start, end in (("a.A[0]", 3.0, 8, 11), ("a.A[1]", 10, 13, 15), ("a.B", 1, 18, 19))
    )
    assert changed(text, second, 2) == text.replace("10", "20")
    assert changed(text, first, 0.5) == text.replace("(3.0", "(1.5")
    assert changed(text, third, 0.5) == text.replace("), 7", "), 1")  # at least 1


def test_the_table_tells_what_moves() -> None:
    one = EVERY[0]
    kept = {USUAL: [0.99, 0.98], key(one, 0.5): [0.98, 0.97], key(one, 2.0): [0.991, 0.981]}
    *_, row = table({name: {"mixed": shares} for name, shares in kept.items()})
    assert row.endswith(f"| {one.why} | mixed -0.010 | nothing |")


def test_the_page_shows_what_was_measured_of_every_constant() -> None:
    page = Path("docs/waterfill.md").read_text()
    between = page.partition(f"{MARKS[0]}\n")[2].partition(MARKS[1])[0]
    rows = list(table(json.loads(KEPT.read_text())))
    assert between.strip() == "\n".join(rows)
    assert len(rows) == 1 + len(EVERY)
