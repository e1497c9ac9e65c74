"""Where a ledger is: passwords stay secret, reading needs neither Flower nor rights to write, keys have a place."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lefi import LefiError
from lefi.ledger import Ledger
from lefi.ledger.audit import verify
from lefi.ledger.database import masked
from lefi.ledger.keys import read_public
from tests.flower import toy


@pytest.mark.parametrize(
    "url",
    [
        "mysql://me:s3cret@host/base",
        "postgresql://me:s3cret@127.0.0.1:1/base",
        "postgresql://me:s3c%40ret@127.0.0.1:1/base",
        "postgresql://127.0.0.1:1/base?password=s3cret",
        "postgresql://127.0.0.1:1/base?user=me&password=s3cret&connect_timeout=1",
        "postgresql+psycopg://me:s3cret@127.0.0.1:1/base?sslpassword=s3cret",
        "oracle+x://me:s3cret@host:99999999/base",
        "http://me:s3cret@host/",
        "sqlite://me:s3cret@host/x.db",
        "://me:s3cret@host/",
    ],
)
def test_passwords_are_masked_in_every_message(url: str) -> None:
    with pytest.raises(LefiError) as caught:
        Ledger(url, create=False)
    assert "s3c" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_masks() -> None:
    assert masked("postgresql://me:a@b:c@host/x") == "postgresql://me:***@host/x"
    assert masked("host=x password='a b' user=me") == "host=x password=*** user=me"
    assert masked("ledger.db") == "ledger.db"


@pytest.fixture
def written(tmp_path: Path) -> Path:
    incentive, _ = toy.run(tmp_path / "ledger.db", rounds=1, mechanism="price")
    incentive.ledger.close()
    return tmp_path / "ledger.db"


def test_reading_needs_no_flower(written: Path) -> None:
    code = f"""
import sys
sys.modules["flwr"] = None
from lefi.cli import app
app(["ledger", "verify", {str(written)!r}])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "all rows are signed" in done.stdout, done.stderr


def test_a_folder_that_cannot_be_written(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be created beside the file: it is read as one that does not change."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    before = sorted(path.name for path in written.parent.iterdir())
    with Ledger(written, reading=True) as ledger:
        assert not verify(ledger, read_public(f"{written}.pub")).findings
        assert sorted(path.name for path in written.parent.iterdir()) == before


def test_a_reader_joins_a_writer(tmp_path: Path) -> None:
    incentive, _ = toy.run(tmp_path / "ledger.db", rounds=1, mechanism="price")
    with Ledger(tmp_path / "ledger.db", reading=True) as reader:
        assert reader.settled == 1
        assert list(reader.rows()) == list(incentive.ledger.rows())
    incentive.ledger.close()


def test_files_are_for_their_owner(written: Path) -> None:
    old = os.umask(0)
    try:
        assert {path.stat().st_mode & 0o777 for path in written.parent.iterdir() if path.is_file()} == {0o600}
    finally:
        os.umask(old)


def test_a_key_of_ones_own(tmp_path: Path) -> None:
    key = tmp_path / "keys" / "job.key"
    key.parent.mkdir()
    with Ledger(tmp_path / "ledger.db", key=key) as ledger:
        ledger.begin({"budget": 1.0})
        assert not verify(ledger, read_public(key.with_suffix(".pub"))).findings
        assert verify(ledger, "0" * 64).findings
    assert not (tmp_path / "ledger.db.key").exists()
    with pytest.raises(LefiError, match="Ed25519"):
        read_public(_file(tmp_path / "text", "no key"))
    with pytest.raises(LefiError, match="cannot be read"):
        read_public(tmp_path / "none")


def _file(path: Path, text: str) -> Path:
    path.write_text(text)
    return path
