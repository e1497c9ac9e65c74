"""The report's section "Who was caught, and who was not": the power of trust, as it was measured by real training."""

import json
from html import escape
from typing import Any

from lefi.studies.report.page import paragraph, table
from lefi.studies.run.results import Results
from lefi.trust.deterrence import PART, SHIPPED

MODES = ("steady", "late", "sporadic")
MARKS = (5, 10, 20)  # rounds


def caught_parts(_: Results) -> list[str]:
    """One row per way to cheat; then what became of honest clients."""
    rows = json.loads(SHIPPED.read_text(encoding="utf-8"))
    head = ["Way to cheat", "work done", *(f"{mode}: by round 5, 10, 20" for mode in MODES)]
    return [
        table(head, [[escape(cell) for cell in row] for row in caught_cells(rows)], numbers=len(head) - 1),
        paragraph(
            "Share of cheats that were accused, digits, 20 clients, at most 1% of honest clients to be accused in a "
            "whole job. Late: from round 11 on. Sporadic: in one round of four. Scaled: the update is stretched to the "
            f"length that the claim would have. {honest_sentence(rows)} Half of the work is not found; only audits "
            "deter it."
        ),
    ]


def caught_cells(rows: list[dict[str, Any]]) -> list[list[str]]:
    """Who is caught by which round, who does least first."""
    by = {(row["kind"], row["which"]): row for row in rows}
    kinds = sorted({kind for kind, _ in by if kind != "honest"}, key=lambda kind: (PART.get(kind, 0.0), kind))
    return [
        [
            kind.replace("_", ", "),
            f"{100 * PART.get(kind, 0.0):.0f}%",
            *(", ".join(f"{100 * by[kind, mode][f'by {last}']:.0f}%" for last in MARKS) for mode in MODES),
        ]
        for kind in kinds
    ]


def honest_sentence(rows: list[dict[str, Any]]) -> str:
    honest = [row for row in rows if row["kind"] == "honest"]
    clients = sum(row["clients"] for row in honest)
    accused = round(sum(row["clients"] * row["by 20"] for row in honest))
    return f"Of {clients:,} honest clients {accused} were accused, {100 * accused / clients:.2f}%."
