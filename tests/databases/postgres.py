"""A PostgreSQL server of the tests' own: installed binaries, a scratch folder, a unix socket, no network."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def binary(name: str) -> str | None:
    folders = [*Path("/usr/lib/postgresql").glob("*/bin"), Path("/usr/local/bin"), Path("/usr/bin")]
    return next((str(folder / name) for folder in folders if (folder / name).exists()), shutil.which(name))


@contextmanager
def server() -> Iterator[str]:
    """The URL of a fresh server, stopped by its pid at the end. It does not run as root, so root lends it to nobody."""
    folder = Path(tempfile.mkdtemp(prefix="lefi-pg-", dir="/tmp"))  # a socket's path must be short
    user = pwd.getpwnam("nobody").pw_name if os.getuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    options = {"user": user, "cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    initdb, postgres = binary("initdb"), binary("postgres")
    assert initdb
    assert postgres
    data = folder / "data"
    arguments = ["-D", str(data), "-U", "lefi", "-A", "trust", "--no-locale", "-E", "UTF8", "--no-sync"]
    subprocess.run([initdb, *arguments], check=True, **options)  # type: ignore[call-overload]
    # Durability against power cuts is PostgreSQL's business, not what these tests look at.
    flags = ["-D", str(data), "-k", str(folder), "-c", "listen_addresses=", "-c", "fsync=off"]
    process = subprocess.Popen([postgres, *flags], **options)  # type: ignore[call-overload]
    try:
        _wait(folder)
        yield f"postgresql://lefi@/postgres?host={folder}"
    finally:
        process.terminate()
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(folder: Path) -> None:
    ready = binary("pg_isready")
    assert ready
    for _ in range(200):
        if subprocess.run([ready, "-q", "-h", str(folder), "-t", "1"], check=False).returncode == 0:
            return
        subprocess.run(["sleep", "0.1"], check=True)
    raise TimeoutError("PostgreSQL did not start")
