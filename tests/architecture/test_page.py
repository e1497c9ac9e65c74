"""docs/architecture.md shows the tree as it is; `make house` brings it up to date."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.architecture.contracts import contracts
from tests.architecture.drawing import picture
from tests.architecture.house import doors, floors, upper
from tests.architecture.page import PAGE, PICTURE, filled, path


def test_the_generated_parts_are_up_to_date() -> None:
    assert filled(PAGE.read_text()) == PAGE.read_text(), "run make house"
    assert picture() == PICTURE.read_text(), "run make house"


@pytest.mark.parametrize("part", ["rooms", "walks"])
def test_a_stale_part_is_made_anew(part: str) -> None:
    page = PAGE.read_text()
    stale = page.replace(f"<!-- end of {part} -->", f"| `attic` | old things |\n<!-- end of {part} -->")
    assert stale != page
    assert filled(stale) == filled(page)


def test_every_contract_is_on_the_page() -> None:
    text = PAGE.read_text()
    assert [contract.name for contract in contracts() if contract.name not in text] == []


def test_every_test_on_the_page_is_there() -> None:
    named = re.findall(r"`(test_\w+\.py)(?:::(\w+))?`", PAGE.read_text())
    assert len(named) > 5
    folder = Path(__file__).parent
    assert [test for file, test in named if f"def {test}" not in (folder / file).read_text()] == []


def test_the_picture_shows_every_room_once() -> None:
    texts = [element.text for element in ET.fromstring(picture()).iter("{http://www.w3.org/2000/svg}text")]
    assert [room for floor in floors() for room in floor if texts.count(room) != 1] == []


def test_doors_lead_down_and_say_nothing_twice() -> None:
    number = {room: row for row, floor in enumerate(upper()) for room in floor}
    assert all(number[a] < number[b] for a, b in doors())
    assert ("rounds", "mechanisms") in doors()
    assert ("rounds", "messages") not in doors()


def test_a_file_entered_too_often_is_named() -> None:
    walk = {"ask": ["mechanisms/pool.py", "offers/pool.py", "mechanisms/pool.py"], "tell": ["mechanisms/pool.py"]}
    assert path("pool", walk) == [
        "- **`pool`**: enters `pool` 3 times.",
        "  - ask: `pool`, `offers/pool`, `pool`",
        "  - tell: `pool`",
    ]
