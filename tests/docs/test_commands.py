"""Every command on the pages can be typed: its name, its options and its arguments exist."""

import pytest

from tests.docs.commands import commands, wrong
from tests.docs.prose import PAGES, ROOT, pieces

EVERY = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]
FOUND = [
    pytest.param(command, id=f"{page.relative_to(ROOT)}:{piece.line} {command[:40]}")
    for page in EVERY
    for piece in pieces(page.read_text())
    for command in commands(piece)
]


def test_commands_are_found() -> None:
    assert len(FOUND) > 100


@pytest.mark.parametrize("command", FOUND)
def test_the_command_exists(command: str) -> None:
    assert wrong(command) is None


@pytest.mark.parametrize(
    "command",
    [
        "lefi compaer --rounds 3",
        "lefi compare --turns 3",
        "lefi ledger summary ledger.db",
        "lefi ledger cap --key x",
        "make tests",
        "pip install 'lefi-fl[flowers]'",
        "python -m benchmarks.nothing",
    ],
)
def test_a_command_that_does_not_exist_is_found(command: str) -> None:
    """The control: the test above can fail."""
    assert wrong(command) is not None
