"""The record of waterfill: what is there is not played again, and the table has medians over seeds."""

from argparse import Namespace
from pathlib import Path

from benchmarks.record import play, read, table


def test_a_record_goes_on_where_it_stopped(tmp_path: Path) -> None:
    file = tmp_path / "record.csv"
    wanted = {"mechanisms": "uniform", "labels": "", "scenarios": "jump", "clients": "3", "budgets": "0.5"}
    odd = {"shapes": "step", "first": 300}
    play(Namespace(**wanted, **odd, seeds=1), file)
    first = file.read_text()
    play(Namespace(**wanted, **odd, seeds=2), file)
    assert file.read_text().startswith(first)
    assert len({row[:5] for row in read(file)}) == 10  # two seeds of a scenario and of four kinds of fleet
    lines = list(table(read(file)))
    assert sum(line.startswith("| jump | 3 | 0.5 |") for line in lines) == 6
    assert any(line.startswith("| step / dead | 60 | 0.1 | 20 |") for line in lines)
