"""Programs on the pages: the Python of a page in order, and notebooks cell by cell, each in a folder of its own."""

import os
import subprocess
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.docs.prose import pieces

EACH = 300  # seconds for a command of a notebook on a busy machine; none takes more than ten


class Image:
    """Stands for IPython's: the file has to be there."""

    def __init__(self, path: str, width: int = 0) -> None:
        assert Path(path).stat().st_size > 0


@contextmanager
def notebook() -> Iterator[None]:
    """IPython's `Image` where IPython is not installed, and figures that open no window."""
    import matplotlib.pyplot as plt

    display = types.ModuleType("IPython.display")
    display.Image = Image  # type: ignore[attr-defined]
    top = types.ModuleType("IPython")
    top.get_ipython, top.version_info = (lambda: None), (9, 0)  # type: ignore[attr-defined]  # matplotlib asks for them
    kept = {name: sys.modules.get(name) for name in ("IPython", "IPython.display")}
    sys.modules |= {"IPython": top, "IPython.display": display}
    plt.switch_backend("agg")
    try:
        yield
    finally:
        plt.close("all")
        for name, module in kept.items():
            sys.modules.pop(name)
            if module is not None:
                sys.modules[name] = module


def shell(command: str) -> None:
    """What `!command` does in a notebook: what it prints is printed. Here it must end well."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = f"set -o pipefail; {command}"
    done = subprocess.run(
        ["bash", "-c", script],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=EACH,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)


def run_cells(page: Path) -> dict[str, Any]:
    """Runs every cell of a notebook page, in order. Returns the names that they made."""
    names: dict[str, Any] = {"__name__": page.stem, "shell": shell}
    for piece in pieces(page.read_text()):
        if piece.kind == "{code-cell}":
            whole = "\n".join(line for line in piece.lines if not line.startswith(":tags:"))
            lines = whole.replace("\\\n", " ").splitlines()
            if lines[0].startswith("%%writefile "):
                Path(lines[0].split()[1]).write_text("\n".join(lines[1:]) + "\n")
                continue
            program = [f"shell({line[1:]!r})" if line.startswith("!") else line for line in lines]
            exec(compile("\n".join(program), f"{page.name}:{piece.line}", "exec"), names)
    return names


def programs(page: Path, kind: str = "python") -> list[str]:
    """Blocks of a language on a page."""
    return ["\n".join(piece.lines) + "\n" for piece in pieces(page.read_text()) if piece.kind == kind]
