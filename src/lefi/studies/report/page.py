"""Pieces of a self-contained HTML page: no scripts, no outside address, pictures inlined, light and dark."""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

PANELS = 1.9  # wider than this: panels side by side, which a phone scrolls through
CSS = Path(__file__).with_name("style.css")


def page(title: str, parts: Iterable[str], contents: Mapping[str, str] | None = None) -> str:
    """A whole document; `contents` are the anchors of its sections and their names, for the bar that stays in sight."""
    links = "".join(f'<a href="#{anchor}">{escape(name)}</a>' for anchor, name in (contents or {}).items())
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{CSS.read_text(encoding='utf-8')}</style>\n</head>\n<body>\n"
        + (f"<nav>{links}</nav>\n" if links else "")
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def folded(summary: str, parts: Iterable[str], *, wide: bool = False) -> str:
    """What only some want to read. Parts are HTML already."""
    kind = ' class="all"' if wide else ""
    return f"<details{kind}><summary>{escape(summary)}</summary>\n" + "\n".join(parts) + "\n</details>"


def paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int = 0, stacked: bool = False) -> str:
    """Cells are HTML already. The last `numbers` columns are figures; `stacked` turns rows into blocks on a phone."""
    first = len(head) - numbers
    css = [' class="number"' if place >= first else "" for place in range(len(head))]
    top = "".join(f"<th{kind}>{cell}</th>" for kind, cell in zip(css, head, strict=True))
    body = "\n".join(
        "<tr>" + "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(css, row, strict=True)) + "</tr>"
        for row in rows
    )
    kind = ' class="stacked"' if stacked else ""
    return f'<div class="wide"><table{kind}><thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def picture(svg: Path, title: str, caption: str, more: str = "") -> str:
    """An SVG file as a figure that needs no file: as an image, so that its ids stay its own. `more` is folded away."""
    data = svg.read_bytes()
    kind = ' class="panels"' if _aspect(data) > PANELS else ""
    source = f"data:image/svg+xml;base64,{b64encode(data).decode()}"
    image = f'<div class="wide"><img{kind} alt="{escape(title)}" src="{source}"></div>'
    rest = folded("Numbers", [paragraph(more)]) if more else ""
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>{rest}"


def _aspect(svg: bytes) -> float:
    """Width over height, as the file says."""
    box = re.search(rb'viewBox="0 0 ([0-9.]+) ([0-9.]+)"', svg)
    return float(box[1]) / float(box[2]) if box else 1.0


def definitions(terms: dict[str, str]) -> str:
    return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in terms.items()) + "</dl>"
