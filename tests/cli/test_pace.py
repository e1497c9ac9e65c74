"""How far a job is: lines where stderr is no terminal, none where it is, and a time left that does not jump."""

import io
import sys

import pytest

from lefi.cli import show
from lefi.cli.pace import EVERY, Pace, spelled
from lefi.studies.run.runner import Standing


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def job(stderr: io.StringIO, monkeypatch: pytest.MonkeyPatch, seconds: float, first: int = 0) -> list[str]:
    """A job of 20 even steps, of which `first` were done before; what it writes to stderr."""
    monkeypatch.setattr(sys, "stderr", stderr)
    clock = Clock()
    with show.bar("paper", "runs", clock) as tell:
        for done in range(first, 21):
            tell(Standing(done, 20, done / 20))
            clock.now += seconds if done < 20 else 0.0
    return stderr.getvalue().splitlines()


def test_lines_come_every_few_seconds_and_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = job(io.StringIO(), monkeypatch, 2.5)
    assert lines[0] == "paper: 2/20 runs, 10%, 0:05 elapsed, about 0:45 left"
    assert lines[1] == "paper: 4/20 runs, 20%, 0:10 elapsed, about 0:40 left"
    assert lines[-1] == "paper: 20/20 runs, 100%, 0:50 elapsed"
    assert len(lines) == 50 / EVERY  # the last one was due at the end, and is not said twice
    lines = job(io.StringIO(), monkeypatch, 2.4)
    assert lines[-2:] == [
        "paper: 18/20 runs, 90%, 0:43 elapsed, about 0:05 left",
        "paper: 20/20 runs, 100%, 0:48 elapsed",
    ]


def test_a_terminal_gets_a_bar_and_no_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    lines = job(Terminal(), monkeypatch, 2.5)
    assert lines
    assert not any("elapsed" in line for line in lines)


def test_a_short_job_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert job(io.StringIO(), monkeypatch, 0.2) == []


def test_no_last_line_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)

    def failing(clock: Clock) -> None:
        with show.bar("paper", "runs", clock) as tell:
            clock.now += EVERY
            tell(Standing(1, 2, 0.5))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing(Clock())
    assert len(stderr.getvalue().splitlines()) == 1


def test_what_was_done_before_says_nothing_about_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = job(io.StringIO(), monkeypatch, 5.0, first=10)
    assert lines[0] == "paper: 11/20 runs, 55%, 0:05 elapsed, about 0:45 left"


def test_the_jobs_own_estimate_counts_and_runs_down_between_steps() -> None:
    clock = Clock()
    pace = Pace(clock)
    assert pace.left() is None
    clock.now += 30  # slow to start: no part of the pace
    pace.tell(Standing(1, 10, 0.1, left=90.0))
    clock.now += 40
    assert pace.left() == 50
    clock.now += 60
    assert pace.left() == 0


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (65, "1:05"), (3725, "1:02:05"), (59.6, "1:00")])
def test_times_are_spelled(seconds: float, text: str) -> None:
    assert spelled(seconds) == text
