"""Aliases: what the log holds instead of names. An alias fixes its name, and without its salt it tells nothing of it.

alias = H(salt, length of job, job, name), 40 digits. Salt and name are in the directory. A directory that was changed
no longer fits its aliases; one that was erased leaves numbers that lead back to nobody.
"""

import secrets
from hashlib import sha256


class Alias(str):
    """An alias in the place of a name, where the name was forgotten: it is written as it is."""


def new_salt() -> str:
    return secrets.token_hex(16)


def alias_of(salt: str, job: str, name: str) -> str:
    return sha256(f"{salt}{len(job)}:{job}{name}".encode()).hexdigest()[:40]
