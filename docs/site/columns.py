"""The directive `columns`: the tables of a ledger with their columns, from the schema that writes them."""

from typing import Any

from written import Written

from lefi.ledger.schema import tables

WORDS = {  # what is in a column, in words
    "job": "name of the job",
    "seq": "number of the row in its job, from 1",
    "version": "of the columns that the leaf covers",
    "round": "0 for what is about the whole job",
    "kind": "what the row says: offer, answer, payment and so on",
    "client": "alias of the client; empty where the row is about the whole round or job",
    "iid": "label mix that the client stated, 0 to 1",
    "rate": "curvature of the payment, 1 / thousand samples",
    "offer": "JSON: the kind of offer and its columns",
    "size": "thousand samples; in `heads`: rows that the head covers",
    "payment": "whole units of the job's currency",
    "accuracy": "of the model after the round, 0 to 1",
    "claim": "what the client said; the reason for a row of accounting",
    "verdict": "what the books say of the answer",
    "terms": "JSON: terms of the job, in its first row",
    "at": "wall clock, UTC",
    "chain": "rows of the first schema: their hash in its chain",
    "leaf": "hash of the row",
    "root": "root of the Merkle tree over these rows",
    "key": "fingerprint of the key that signed",
    "signature": "Ed25519, over the head",
    "alias": "what rows say instead of the name",
    "salt": "of the alias: without it nobody can try out names",
    "name": "of the client",
}
SHOWN = ("log", "heads", "directory")  # `entries` is the first schema, which is only read


class Columns(Written):
    """A section with a table for each."""

    def markdown(self) -> str:
        parts = []
        for name in SHOWN:
            table = tables.tables[name]
            parts.append(f"## `{name}`\n\n| column | type | |\n|---|---|---|")
            parts += [f"| `{one.name}` | {_kind(one)} | {WORDS[one.name]} |" for one in table.columns]
            parts.append("")
        return "\n".join(parts)


def _kind(column: Any) -> str:
    marks = " key" if column.primary_key else "" if column.nullable else ", always"
    return f"{column.type}".lower() + ("," + marks if column.primary_key else marks)


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("columns", Columns)
    return {"parallel_read_safe": True}
