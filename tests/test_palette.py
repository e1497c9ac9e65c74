"""One colour per mechanism, in figures, in notebooks and on the pages of the service."""

import re
from pathlib import Path

import lefi
from lefi.palette import COLOURS, SPARE, colours
from lefi.studies.figures.style import KNOWN, looks

STATIC = Path(lefi.__file__).parent / "serve" / "pages" / "static"
PAGES = (STATIC / "css" / "base.css").read_text()


def themes() -> list[dict[str, str]]:
    """The colours of the light and of the dark page, by name."""
    blocks = re.findall(r":root[^{]*\{([^}]*--lefi:[^}]*)\}", PAGES)
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in blocks]


def known_to_pages() -> list[str]:
    listed = re.search(r"const KNOWN = \[([^\]]*)\]", (STATIC / "js" / "colour.js").read_text())
    assert listed is not None
    return re.findall(r'"([^"]+)"', listed[1])


def test_pages_have_the_colours_of_the_figures() -> None:
    light, dark = themes()
    names = known_to_pages()
    assert {name: light.get(name) for name in names} == {name: COLOURS[name].lower() for name in names}
    assert set(names) <= set(dark)


def test_pages_know_every_mechanism_that_has_a_colour() -> None:
    assert set(known_to_pages()) == set(COLOURS) & set(lefi.registered())


def test_figures_have_the_colours_of_the_palette() -> None:
    assert {name: look.colour for name, look in KNOWN.items()} == COLOURS


def test_strangers_have_the_same_colour_in_figures_and_notebooks() -> None:
    names = ["uniform", "zebra", "mine", "lefi"]
    assert {name: look.colour for name, look in looks(names).items()} == colours(names)
    assert colours(names)["mine"] == SPARE[0]
    assert colours(names)["zebra"] == SPARE[1]
