"""Fails the build where a page would fetch something from elsewhere: the site works without network."""

import re
from pathlib import Path
from typing import Any

from sphinx.errors import SphinxError

FETCHED = re.compile(
    r'<(?:script|img|iframe|source)\b[^>]*\bsrc="((?:https?:)?//[^"]+)|<link\b[^>]*\bhref="((?:https?:)?//[^"]+)'
)


def check(app: Any, failed: Exception | None) -> None:
    if failed or app.builder.name != "html":
        return
    pages = {page: FETCHED.findall(page.read_text(encoding="utf-8")) for page in Path(app.outdir).rglob("*.html")}
    found = [f"{page.name}: {''.join(one)}" for page, places in pages.items() for one in places]
    if found:
        raise SphinxError("pages fetch from elsewhere: " + ", ".join(found))


def setup(app: Any) -> dict[str, bool]:
    app.connect("build-finished", check)
    return {"parallel_read_safe": True}
