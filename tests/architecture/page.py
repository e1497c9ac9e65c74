"""The generated parts of docs/architecture.md: `python -m tests.architecture.page` writes them."""

from pathlib import Path

from tests.architecture.contracts import ROOT
from tests.architecture.drawing import picture
from tests.architecture.house import contents, floors
from tests.architecture.walk import Walk, entered_often, walks

PAGE = ROOT / "docs" / "architecture.md"
PICTURE = ROOT / "docs" / "images" / "house.svg"


def rooms() -> list[str]:
    head = ["| room | what is in it |", "|---|---|"]
    return head + [f"| `{room}` | {contents(room)} |" for floor in floors() for room in floor]


def paths() -> list[str]:
    """Every mechanism with the files that its round enters, in their order."""
    return [line for name, walk in walks().items() for line in path(name, walk)]


def path(name: str, walk: Walk) -> list[str]:
    often = [f"`{short(file)}` {times} times" for file, times in entered_often(walk).items()]
    return [
        f"- **`{name}`**" + (f": enters {', '.join(often)}." if often else ""),
        *(f"  - {verb}: {', '.join(f'`{short(file)}`' for file in files)}" for verb, files in walk.items()),
    ]


def short(file: str) -> str:
    """A file as the page names it: from lefi/mechanisms on where it is inside, else from lefi on."""
    return file.removesuffix(".py").removeprefix("mechanisms/")


def filled(page: str) -> str:
    """The page with its generated parts made anew."""
    for name, lines in (("rooms", rooms()), ("walks", paths())):
        start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        assert page.count(start) == page.count(end) == 1, f"docs/architecture.md has no place for its {name}"
        before, _, rest = page.partition(start)
        page = before + start + "\n".join(lines) + "\n" + end + rest.partition(end)[2]
    return page


def write(path: Path, text: str) -> None:
    path.write_text(text)
    print(path.relative_to(ROOT))


if __name__ == "__main__":
    write(PICTURE, picture())
    write(PAGE, filled(PAGE.read_text()))
