"""Pieces of a self-contained HTML page: no scripts, no outside address, pictures inlined."""

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

PANELS = 1.9  # wider than this: panels side by side, which a phone scrolls through
CSS = """
:root { color-scheme: light; }
body { margin: 0 auto; padding: 1.2rem 1rem 4rem; max-width: 62rem; background: #fff; color: #1b1b1b;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0.4rem 0 0.6rem; }
h2 { font-size: 1.25rem; margin: 2.4rem 0 0.6rem; border-bottom: 1px solid #d5d5d5; padding-bottom: 0.25rem; }
h3 { font-size: 1.02rem; margin: 1.8rem 0 0.4rem; }
p { max-width: 46rem; }
a { color: #005a8f; }
code { font-size: 0.92em; background: #f2f2f2; padding: 0.05em 0.3em; border-radius: 3px; }
.wide { overflow-x: auto; margin: 0.6rem 0 1rem; }
table { border-collapse: collapse; font-size: 0.9rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.42rem 0.6rem; border-bottom: 1px solid #e2e2e2; }
thead th { border-bottom: 2px solid #9a9a9a; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
small { color: #555; font-size: 0.84em; display: block; margin-top: 0.25rem; }
.verdict { display: inline-block; white-space: nowrap; border: 1px solid; border-radius: 3px; padding: 0 0.4em;
  font-weight: 600; }
.confirmed { color: #00583f; background: #e6f4ef; }
.partly { color: #6b4a00; background: #fdf3dc; }
.not-confirmed { color: #8a2f00; background: #fcebe2; }
.not-tested-yet { color: #444; background: #f0f0f0; }
figure { margin: 0 0 1.4rem; }
figure img { display: block; max-width: 100%; height: auto; } figure .wide { margin: 0; }
figcaption { font-size: 0.92rem; color: #333; max-width: 50rem; margin-top: 0.3rem; }
.note { border-left: 4px solid #b0b0b0; padding: 0.1rem 0 0.1rem 0.9rem; }
dt { font-weight: 600; margin-top: 0.6rem; } dd { margin: 0 0 0 1.2rem; max-width: 44rem; }
@media (max-width: 40rem) {
  body { font-size: 15px; }
  figure img.panels { max-width: none; height: 15.5rem; width: auto; }
  table.stacked thead { display: none; }
  table.stacked tr { display: block; border-bottom: 2px solid #c8c8c8; padding: 0.4rem 0; }
  table.stacked td { display: block; border: 0; padding: 0.15rem 0; }
}
@media print {
  body { max-width: none; font-size: 10.5pt; padding: 0; }
  figure, tr { break-inside: avoid; } h2, h3 { break-after: avoid; } .wide { overflow: visible; }
}
"""


def page(title: str, parts: Iterable[str]) -> str:
    """A whole document."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{CSS}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


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


def picture(svg: Path, title: str, caption: str) -> str:
    """An SVG file as a figure that needs no file: as an image, so that its ids stay its own."""
    data = svg.read_bytes()
    kind = ' class="panels"' if _aspect(data) > PANELS else ""
    source = f"data:image/svg+xml;base64,{b64encode(data).decode()}"
    image = f'<div class="wide"><img{kind} alt="{escape(title)}" src="{source}"></div>'
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"


def _aspect(svg: bytes) -> float:
    """Width over height, as the file says."""
    box = re.search(rb'viewBox="0 0 ([0-9.]+) ([0-9.]+)"', svg)
    return float(box[1]) / float(box[2]) if box else 1.0


def definitions(terms: dict[str, str]) -> str:
    return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in terms.items()) + "</dl>"
