"""The house as a picture: plain SVG, so that the same imports give the same file everywhere.

Rooms stand where PLACES says, on the floor that the contract of layers gives them. A door is an arrow from the room
that imports to the room that is imported. An arrow that passes a floor takes the free lane nearest to its ends.
Lengths are in pixels of a picture that is 800 wide: a phone shows it at half of its size.
"""

from html import escape

from tests.architecture.house import Door, doors, foundation, upper

WIDTH, MARGIN = 800, 12
BOX, TALL = 148, 54  # a room
TOP, FLOOR = 62, 104  # top edge of the roof's room, and from one floor to the next
BRICK = 29  # height of a row of the foundation
APART = 6  # lanes side by side
LEFT, INNER, MIDDLE, OUTER, RIGHT = 106, 302, 400, 498, 694

PLACES = {
    "flower": LEFT, "serve": INNER, "profiling": OUTER, "studies": RIGHT,
    "books": INNER, "remote": OUTER,
    "ledger": LEFT, "testing": OUTER,
    "game": INNER, "receipts": LEFT, "planning": OUTER,
    "gym": LEFT, "rounds": INNER, "cluster": OUTER, "optimum": RIGHT,
    "mechanisms": LEFT, "world": RIGHT,
    "surrogate": LEFT, "allocation": MIDDLE, "offers": RIGHT,
    "agent": LEFT, "messages": MIDDLE,
}  # fmt: skip

CAPTIONS = {
    "cli": "commands",
    "studies": "plans and figures", "profiling": "real training", "flower": "real Flower jobs",
    "serve": "HTTP and pages", "books": "a job that is paid", "remote": "over HTTP",
    "ledger": "who was paid what", "testing": "contract checks",
    "game": "clients that play", "receipts": "rounds as tables",
    "planning": "rounds and money",
    "rounds": "ask, settle, tell", "optimum": "sees both sides",
    "cluster": "fleets in parts",
    "gym": "agents that learn", "agent": "its network",
    "mechanisms": "what to offer", "world": "clients and costs",
    "surrogate": "learned responses", "allocation": "one price of money", "offers": "ways of paying",
    "messages": "all that passes",
}  # fmt: skip

SERVER, CLIENTS, BOTH, RECORDS, OUTSIDE = "#2b6cb0", "#c05621", "#6b46c1", "#2f855a", "#4a5568"
COLOURS = {
    "mechanisms": SERVER, "surrogate": SERVER, "allocation": SERVER, "agent": SERVER,
    "world": CLIENTS,
    "game": BOTH, "gym": BOTH, "planning": BOTH, "rounds": BOTH, "cluster": BOTH, "optimum": BOTH, "offers": BOTH,
    "messages": BOTH,
    "books": RECORDS, "ledger": RECORDS, "receipts": RECORDS,
}  # fmt: skip
KEY = [(SERVER, "server"), (CLIENTS, "clients"), (BOTH, "between them"), (RECORDS, "records")]


def picture() -> str:
    """The whole house."""
    rows = upper()
    ground = TOP + FLOOR * (len(rows) - 1) + TALL + 34
    height = ground + BRICK * len(foundation()) + 50
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">',
        "<title>The rooms of lefi and the imports between them</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="12" fill="#ffffff"/>',
        *shell(ground),
        *arrows(rows, sorted(doors())),
        *wall(rows),
        *(box(room, *corner(rows, room)) for floor in rows for room in floor),
        *bricks(ground),
        *key(height - 20),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def corner(rows: list[list[str]], room: str) -> tuple[float, float]:
    """Where the middle of a room's top edge is."""
    number = next(number for number, floor in enumerate(rows) if room in floor)
    return PLACES.get(room, MIDDLE), TOP + FLOOR * number


def shell(ground: float) -> list[str]:
    """Roof and walls."""
    eaves = TOP + TALL + 22
    roof = f"M{MARGIN - 8},{eaves} L{WIDTH / 2},{12} L{WIDTH - MARGIN + 8},{eaves} Z"
    walls = f'<rect x="{MARGIN}" y="{eaves}" width="{WIDTH - 2 * MARGIN}" height="{ground - eaves}"'
    return [
        f'{walls} fill="#f7fafc" stroke="#a0aec0" stroke-width="2"/>',
        f'<path d="{roof}" fill="#edf2f7" stroke="#a0aec0" stroke-width="2" stroke-linejoin="round"/>',
    ]


def box(room: str, x: float, y: float) -> str:
    colour = COLOURS.get(room, OUTSIDE)
    return (
        f'<g text-anchor="middle"><rect x="{x - BOX / 2}" y="{y}" width="{BOX}" height="{TALL}" rx="7" '
        f'fill="{colour}"/>'
        f'<text x="{x}" y="{y + 23}" font-size="19" font-weight="bold" fill="#ffffff">{escape(room)}</text>'
        f'<text x="{x}" y="{y + 43}" font-size="14" fill="#ffffff">{escape(CAPTIONS.get(room, ""))}</text></g>'
    )


def bricks(ground: float) -> list[str]:
    """The foundation, one row for each of its floors."""
    parts = []
    for number, floor in enumerate(foundation()):
        wide = (WIDTH - 2 * MARGIN) / len(floor)
        for place, room in enumerate(floor):
            x, y = MARGIN + wide * place, ground + BRICK * number
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{BRICK}" fill="#e2e8f0" stroke="#a0aec0"/>'
                f'<text x="{x + wide / 2:.1f}" y="{y + 20}" font-size="16" text-anchor="middle" fill="#2d3748">'
                f"{escape(room)}</text>"
            )
    return parts


def wall(rows: list[list[str]]) -> list[str]:
    """Between the server's side and the clients' side: no import passes."""
    (left, y), (right, _) = corner(rows, "mechanisms"), corner(rows, "world")
    x = (left + right) / 2
    return [
        f'<rect x="{x - 4}" y="{y - 10}" width="8" height="{TALL + 20}" fill="#c53030"/>',
        f'<text x="{x - 12}" y="{y + 30}" font-size="13" text-anchor="end" fill="#c53030">no import</text>',
        f'<text x="{x + 12}" y="{y + 30}" font-size="13" fill="#c53030">passes</text>',
    ]


def key(y: float) -> list[str]:
    parts, x = [], float(MARGIN)
    for colour, text in KEY:
        parts.append(f'<rect x="{x}" y="{y - 11}" width="13" height="13" rx="3" fill="{colour}"/>')
        parts.append(f'<text x="{x + 18}" y="{y}" font-size="14" fill="#2d3748">{text}</text>')
        x += 48 + 8 * len(text)
    return parts


def arrows(rows: list[list[str]], found: list[Door]) -> list[str]:
    lanes = lay(rows, found)
    exits, entries = ports(rows, found, lanes)
    straighten(rows, lanes, exits, entries)
    parts = []
    for door in found:
        (_, top), (_, y) = corner(rows, door[0]), corner(rows, door[1])
        x, colour = exits[door], COLOURS.get(door[0], OUTSIDE)
        path = f"M{x:.1f},{top + TALL}"
        if door in lanes:
            path += bend(x, top + TALL, lanes[door], top + FLOOR) + f" V{y - FLOOR + TALL}"
            x, top = lanes[door], y - FLOOR
        path += bend(x, top + TALL, entries[door], y - 8)
        tip = f"M{entries[door] - 5:.1f},{y - 10} h10 l-5,9 Z"
        for line, wide in (("#f7fafc", 6), (colour, 2)):  # a pale edge, so that crossing arrows can be told apart
            parts.append(f'<path d="{path}" fill="none" stroke="{line}" stroke-width="{wide}"/>')
        parts.append(f'<path d="{tip}" fill="{colour}"/>')
    return parts


def straighten(
    rows: list[list[str]], lanes: dict[Door, float], exits: dict[Door, float], entries: dict[Door, float]
) -> None:
    """A room that is entered once is entered right below where the arrow comes from, as far as it is that wide."""
    for door in entries:
        if sum(other[1] == door[1] for other in entries) == 1:
            middle, reach = corner(rows, door[1])[0], BOX / 2 - 14
            entries[door] = min(max(lanes.get(door, exits[door]), middle - reach), middle + reach)


def bend(x: float, y: float, to_x: float, to_y: float) -> str:
    middle = (y + to_y) / 2
    return f" C{x:.1f},{middle} {to_x:.1f},{middle} {to_x:.1f},{to_y}"


def lay(rows: list[list[str]], found: list[Door]) -> dict[Door, float]:
    """The lane of every arrow that passes floors: free of rooms, apart from other lanes, near to both ends."""
    number = {room: row for row, floor in enumerate(rows) for room in floor}
    taken: dict[int, list[float]] = {row: [] for row in range(len(rows))}
    lanes: dict[Door, float] = {}
    for door in sorted(found, key=lambda door: number[door[1]] - number[door[0]]):
        passed = range(number[door[0]] + 1, number[door[1]])
        if not passed:
            continue
        ends = [corner(rows, room)[0] for room in door]
        rooms = [corner(rows, room)[0] for row in passed for room in rows[row]]
        others = [x for row in passed for x in taken[row]]
        free = [
            x
            for x in range(MARGIN + 8, WIDTH - MARGIN - 7)
            if all(abs(x - room) >= BOX / 2 + 7 for room in rooms) and all(abs(x - lane) >= APART for lane in others)
        ]
        lanes[door] = min(free, key=lambda x: (sum(abs(x - end) for end in ends), abs(x - ends[1])))
        for row in passed:
            taken[row].append(lanes[door])
    return lanes


def ports(
    rows: list[list[str]], found: list[Door], lanes: dict[Door, float]
) -> tuple[dict[Door, float], dict[Door, float]]:
    """Where arrows leave and enter rooms: side by side, in the order of where they go to and come from."""
    sides: list[dict[Door, float]] = []
    for own, other in ((0, 1), (1, 0)):
        side = {}
        for room in {door[own] for door in found}:
            here = [door for door in found if door[own] == room]
            here.sort(key=lambda door: lanes.get(door, corner(rows, door[other])[0]))
            for place, door in enumerate(here, start=1):
                side[door] = corner(rows, room)[0] + BOX * (place / (len(here) + 1) - 0.5)
        sides.append(side)
    return sides[0], sides[1]
