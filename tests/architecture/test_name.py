"""The distribution is lefi-fl: `lefi` on the package index is somebody else's library, and must not be installed."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WRONG = re.compile(r"(pip install|dependencies|requires)[^\n]*[\s'\"\[]lefi(\[|['\"\s]|$)(?!-fl)")


def texts() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    kinds = (".py", ".md", ".toml", ".txt", ".cfg", ".sh", ".diff")
    return [ROOT / name for name in listed if name.endswith(kinds) and "test_name.py" not in name]


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("pip install 'lefi[flower]'", True),
        ("pip install lefi", True),
        ('dependencies = ["lefi[flower]", "torch>=2.2"]', True),
        ("pip install 'lefi-fl[flower]'", False),
        ('dependencies = ["lefi-fl[flower]", "torch>=2.2"]', False),
        ("pip install -e .", False),
    ],
)
def test_the_wrong_line_is_known(line: str, wrong: bool) -> None:
    assert bool(WRONG.search(line)) == wrong


def test_nobody_is_told_to_install_a_strangers_library() -> None:
    files = texts()
    assert len(files) > 300
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in files
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if WRONG.search(line)
    ]
    assert found == []


def test_the_distribution_has_our_name() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"] == "lefi-fl"
