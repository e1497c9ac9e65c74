"""Build the wheel and the sdist, look into both, and try the wheel in an empty environment outside the repository.

python scripts/release.py            all of it: three minutes of one core, mostly what numba compiles
python scripts/release.py --light    without the commands that compile much, for CI: a minute of one core
python scripts/release.py --look     look into what lies in dist/ already
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
FORBIDDEN = ("tests/", "benchmarks/", "results/", "__pycache__", ".nbc", ".nbi", ".venv", ".git/")
LIGHT = (["--version"], ["list"], ["simulate", "--mechanism", "uniform"])
TRIED = (  # what a newcomer types first; each has to end well where only the core is installed
    ["--version"],
    ["list"],
    ["simulate"],
    ["paper", "--quick", "--out", "paper"],
)


def tracked() -> set[str]:
    """The files that belong into the wheel, as they are called there."""
    listed = subprocess.run(["git", "ls-files", "src/lefi", "studies"], cwd=ROOT, capture_output=True, check=True)
    names = listed.stdout.decode().split()
    return {re.sub("^studies/", "lefi/studies/toml/", name.removeprefix("src/")) for name in names}


def wrong_wheel(held: dict[str, bytes], wanted: set[str]) -> list[str]:
    """What is missing in a wheel, what is too much, and files that name a place on the machine it was built on."""
    inside = {name for name in held if ".dist-info/" not in name}
    faults = [f"missing: {name}" for name in sorted(wanted - inside)]
    faults += [f"too much: {name}" for name in sorted(inside - wanted)]
    faults += [] if "lefi/py.typed" in held else ["missing: lefi/py.typed, so that nobody's checker sees our types"]
    places = [place.encode() for place in (str(ROOT), str(Path.home()) + "/") if len(place) > 2]
    faults += [f"names a place here: {name}" for name, data in held.items() if any(place in data for place in places)]
    return faults


def wrong_sdist(names: list[str], wanted: set[str]) -> list[str]:
    """The same of an sdist: a wheel must be able to come of it."""
    inside = {re.sub("^studies/", "lefi/studies/toml/", name.removeprefix("src/")) for name in names}
    also = {"pyproject.toml", "README.md", "LICENSE"}
    faults = [f"missing in the sdist: {name}" for name in sorted((wanted | also) - inside)]
    return faults + [f"too much in the sdist: {name}" for name in names if any(part in name for part in FORBIDDEN)]


def read_wheel(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist() if not name.endswith("/")}


def read_sdist(path: Path) -> list[str]:
    with tarfile.open(path) as file:
        return [member.name.partition("/")[2] for member in file.getmembers() if member.isfile()]


def built() -> tuple[Path, Path]:
    """The one wheel and the one sdist in dist/."""
    (wheel,), (sdist,) = sorted(DIST.glob("lefi_fl-*.whl")), sorted(DIST.glob("lefi_fl-*.tar.gz"))
    return wheel, sdist


def build(scratch: Path) -> None:
    """Both, the wheel from the sdist: so the sdist is known to be enough."""
    shutil.rmtree(DIST, ignore_errors=True)
    python = environment(scratch / "build", "build")
    subprocess.run([python, "-m", "build", "--outdir", DIST, ROOT], check=True, stdout=subprocess.DEVNULL)


def look() -> None:
    wheel, sdist = built()
    faults = wrong_wheel(read_wheel(wheel), tracked()) + wrong_sdist(read_sdist(sdist), tracked())
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {sdist.name}: {sdist.stat().st_size / 1e6:.1f} MB")
    if faults:
        sys.exit("\n".join(faults))


def environment(folder: Path, *packages: str | Path) -> Path:
    """A fresh environment with these packages in the versions that CI runs; its Python."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    quiet = ["--quiet", "--disable-pip-version-check", "-c", str(ROOT / "constraints.txt")]
    subprocess.run([python, "-m", "pip", "install", *quiet, *packages], check=True)
    return python


def try_out(scratch: Path, commands: tuple[list[str], ...] = TRIED) -> None:
    """Install the wheel with the core only and type the first commands, in a folder that knows nothing of ours."""
    wheel, _ = built()
    python, here = environment(scratch / "core", wheel), scratch / "elsewhere"
    here.mkdir()
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    found = subprocess.run([python, "-c", "import lefi; print(lefi.__file__)"], cwd=here, env=own, capture_output=True)
    place = found.stdout.decode().strip()
    if not place.startswith(str(scratch)):
        sys.exit(f"lefi was imported from {place or found.stderr.decode()}, not from the wheel")
    for arguments in commands:
        print("lefi", *arguments, flush=True)
        subprocess.run([python.with_name("lefi"), *arguments], cwd=here, env=own, check=True, stdout=subprocess.DEVNULL)
    report = here / "paper" / "report.html"
    if commands is TRIED and "A quick look" not in report.read_text(encoding="utf-8"):
        sys.exit("the report of a quick look does not say that it is one")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--look", action="store_true", help="only look into dist/")
    parser.add_argument("--light", action="store_true", help="leave out what numba compiles")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lefi-release-") as folder:
        scratch = Path(folder)
        if not chosen.look:
            build(scratch)
        look()
        if not chosen.look:
            try_out(scratch, LIGHT if chosen.light else TRIED)


if __name__ == "__main__":
    main()
