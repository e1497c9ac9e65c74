"""The directive `requests`: every request of the service with its fields, from the OpenAPI file that it serves."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from written import Written, cell

from lefi.serve.app import make_app

Schema = dict[str, Any]
GROUPS = {  # by how a path begins, the first that fits
    "/v1/views": "Views",
    "/v1/playground": "Playground",
    "/v1/jobs": "Jobs and rounds",
    "/v1": "Who is asking",
}


def schema() -> Schema:
    """What `GET /v1/openapi.json` gives."""
    with tempfile.TemporaryDirectory() as folder:
        return make_app(str(Path(folder, "ledger.db"))).openapi()


def pages(whole: Schema) -> Iterator[str]:
    """Markdown of all requests, by group, and of what they carry."""
    requests = [(path, method, told) for path, methods in whole["paths"].items() for method, told in methods.items()]
    for group in ("Jobs and rounds", "Who is asking", "Views", "Playground"):
        yield f"## {group}\n"
        for path, method, told in requests:
            if next(name for start, name in GROUPS.items() if path.startswith(start)) == group:
                yield from _request(whole, path, method, told)


def _request(whole: Schema, path: str, method: str, told: Schema) -> Iterator[str]:
    yield f"### `{method.upper()} {path}`\n"
    yield (told.get("description") or "").strip() + "\n"
    query = [one for one in told.get("parameters", []) if one["in"] != "path"]
    body = told.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    rows = [_row(one["name"], one["schema"], one.get("required", False), one.get("description")) for one in query]
    if body:
        rows += _fields(whole, body)
    if rows:
        yield "| field | | default | |\n|---|---|---|---|"
        yield from rows
        yield ""


def _fields(whole: Schema, body: Schema, before: str = "") -> list[str]:
    """Rows for the fields of a body; those of a body inside it come below, as `terms.budget`."""
    found = whole["components"]["schemas"][body["$ref"].rpartition("/")[2]] if "$ref" in body else body
    rows = []
    for name, field in found.get("properties", {}).items():
        rows.append(_row(before + name, field, name in found.get("required", []), field.get("description")))
        if "$ref" in field:
            rows += _fields(whole, field, f"{before}{name}.")
    return rows


def _row(name: str, field: Schema, required: bool, words: str | None) -> str:
    default = "required" if required else "" if field.get("default") is None else f"`{field['default']}`"
    return f"| `{name}` | {_kind(field)} | {default} | {cell(words or '')} |"


def _kind(field: Schema) -> str:
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_kind(one) for one in field["anyOf"] if one.get("type") != "null"))
    if "enum" in field:
        return ", ".join(f"`{one}`" for one in field["enum"])
    if field.get("type") == "array":
        return f"list of {_kind(field['items'])}" if "items" in field else "list"
    return "object" if "$ref" in field else str(field.get("type", "value"))


class Requests(Written):
    """All requests."""

    def markdown(self) -> str:
        return "\n".join(pages(schema()))


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("requests", Requests)
    return {"parallel_read_safe": True}
