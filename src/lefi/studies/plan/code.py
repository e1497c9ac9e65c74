"""Which code made a result: a digest of every module that a run's numbers depend on."""

from functools import cache
from hashlib import sha256
from pathlib import Path

OWN = ("judge.py", "record.py")  # of the studies, only these shape the numbers


@cache
def code_digest() -> str:
    """Changed code means new runs: a version number alone would let old results pass for new ones."""
    package = Path(__file__).parents[2]
    digest = sha256()
    for path in sorted(package.rglob("*.py")):
        layer = path.relative_to(package).parts[0]
        if layer not in ("studies", "cli", "testing", "testing.py") or (layer == "studies" and path.name in OWN):
            digest.update(path.relative_to(package).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
