"""The record of waterfill: what is there is not played again, and the table has medians over seeds."""

from argparse import Namespace
from pathlib import Path

from benchmarks.record import MARKS, play, read, table, write


def test_a_record_goes_on_where_it_stopped(tmp_path: Path) -> None:
    file = tmp_path / "record.csv"
    wanted = {"mechanisms": "uniform", "labels": "", "scenarios": "jump", "clients": "3", "budgets": "0.5"}
    odd = {"shapes": "step", "first": 300}
    play(Namespace(**wanted, **odd, seeds=1), file)
    first = file.read_text()
    play(Namespace(**wanted, **odd, seeds=2), file)
    assert file.read_text().startswith(first)
    assert len({row[:5] for row in read(file)}) == 10  # two seeds of a scenario and of four kinds of fleet
    page = tmp_path / "page.md"
    page.write_text(f"before\n{MARKS[0]}\nold\n{MARKS[1]}\nafter\n")
    for _ in range(2):
        write(page, table(read(file)))
    lines = page.read_text().split("\n")
    assert [lines[0], lines[1], lines[-3], lines[-2]] == ["before", MARKS[0], MARKS[1], "after"]
    assert sum(line.startswith("| jump | 3 | 0.5 |") for line in lines) == 6
    assert any(line.startswith("| step / dead | 60 | 0.1 | 20 | 2 |") for line in lines)
