"""How tables look where they are wider than 80 columns."""

import pytest

from lefi.cli import show

WIDE = [f"{number}.{'0' * 9}" for number in range(1, 10)]  # nine columns of eleven


def test_labels_are_folded_before_a_number_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    table = show.table(["name"], ["first", "second"], "")
    table.add_row("x" * 100, WIDE[0], WIDE[1])
    show.print_table(table)
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert (WIDE[0] in text, WIDE[1] in text, text.count("x")) == (True, True, 100)


def test_numbers_that_do_not_fit_make_the_table_wider(capsys: pytest.CaptureFixture[str]) -> None:
    table = show.table(["name"], [f"c{at}" for at in range(9)], "")
    table.add_row("a name that is folded", *WIDE)
    show.print_table(table)
    lines = capsys.readouterr().out.splitlines()
    (row,) = (line for line in lines if WIDE[0] in line)
    assert row.split()[-9:] == WIDE
    assert 80 < max(map(len, lines)) <= 9 + 9 * 12 + 2


def test_a_table_that_fits_is_left_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    table = show.table(["name"], ["much"], "")
    table.add_row("mine", "1.5")
    show.print_table(table)
    assert "mine    1.5" in capsys.readouterr().out
