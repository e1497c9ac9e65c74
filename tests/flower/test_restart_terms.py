"""A restart with anything else than the first start had is refused, and the message names the difference."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import lefi
from lefi.flower import Incentive
from lefi.ledger import Ledger
from tests.flower import toy

FIRST: dict[str, Any] = {
    "mechanism": "waterfill", "settings": {}, "seed": 1, "rate": 0.75, "identity": "client-id", "two_phase": False,
}  # fmt: skip
NOTED = {"mechanism", "settings", "seed", "rate", "identity", "accuracy", "version", "budget", "total", "rounds"}


def open_job(place: Path, terms: lefi.Terms = toy.TERMS, **changes: Any) -> None:
    chosen = {**FIRST, **changes}
    incentive = Incentive(toy.fedavg(), chosen.pop("mechanism"), terms=terms, ledger=place, **chosen)
    incentive.ledger.close()


OTHER_MODEL = lefi.QuadraticAccuracy(-0.0001, 0.07, -0.001, 0.01, 0.01, 0.07)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"mechanism": "uniform"}, 'mechanism "waterfill", not "uniform"'),
        ({"settings": {"explore": False}}, "settings"),
        ({"seed": 2}, "seed 1, not 2"),
        ({"rate": 0.5}, "rate 0.75, not 0.5"),
        ({"rate": lambda name: 0.75}, 'rate 0.75, not "by client"'),
        ({"identity": "key"}, 'identity "client-id", not "key"'),
        ({"iid": 0.5}, "iid [0.0, 1.0], not 0.5"),
        ({"two_phase": True}, "two_phase false, not true"),
        ({"penance": 9}, "penance 3, not 9"),
        ({"terms": lefi.Terms(2.0, toy.TERMS.accuracy, size_high=5.0)}, "budget 3.0, not 2.0"),
        ({"terms": lefi.Terms(3.0, OTHER_MODEL, size_high=5.0)}, "accuracy"),
        ({"terms": lefi.Terms(3.0, toy.TERMS.accuracy, size_high=5.0, deadline=9)}, "deadline 60.0, not 9.0"),
        ({"terms": lefi.Terms(3.0, toy.TERMS.accuracy, size_high=5.0, total=9)}, "total null, not 9.0"),
    ],
)
def test_a_difference_is_named(tmp_path: Path, changes: dict[str, Any], named: str) -> None:
    open_job(tmp_path / "a.db")
    with pytest.raises(lefi.LefiError) as caught:
        open_job(tmp_path / "a.db", **changes)
    assert named in str(caught.value)
    assert "use another job name" in str(caught.value)
    open_job(tmp_path / "a.db")


def test_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_job(tmp_path / "a.db")
    monkeypatch.setattr(lefi, "__version__", "99.0")
    with pytest.raises(lefi.LefiError, match=r'version ".*", not "99\.0"'):
        open_job(tmp_path / "a.db")


def test_all_of_it_is_noted(tmp_path: Path) -> None:
    open_job(tmp_path / "a.db")
    with Ledger(tmp_path / "a.db") as ledger:
        noted = ledger.noted()
    assert noted is not None
    assert set(noted) >= NOTED
    assert noted["settings"].keys() == lefi.mechanisms.catalogue.settings_of("waterfill").keys()


def test_an_object_is_known_by_its_registered_name(tmp_path: Path) -> None:
    open_job(tmp_path / "a.db", mechanism=lefi.make("waterfill", toy.TERMS, seed=1), settings=None)
    open_job(tmp_path / "a.db")
    with pytest.raises(lefi.LefiError, match="seed 1, not 4"):
        open_job(tmp_path / "a.db", mechanism=lefi.make("waterfill", toy.TERMS, seed=4), settings=None)


def test_what_an_older_job_did_not_note_is_not_compared(tmp_path: Path) -> None:
    """Ledgers from before the rest was noted still open, and their terms still bind."""
    place = tmp_path / "a.db"
    old = {"budget": 3.0, "deadline": 60.0, "size_high": 5.0, "size_low": 0.0, "two_phase": False}
    with Ledger(place) as ledger:
        ledger.begin(old)
    with sqlite3.connect(place) as database:
        assert json.loads(database.execute("SELECT terms FROM log").fetchone()[0]) == old
    open_job(place)
    open_job(place, mechanism="uniform")
    with pytest.raises(lefi.LefiError, match="budget"):
        open_job(place, terms=lefi.Terms(2.0, toy.TERMS.accuracy, size_high=5.0))
