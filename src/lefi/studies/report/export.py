"""The summary of a study as a table for others: CSV, and LaTeX with booktabs."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from lefi.files import refusals
from lefi.studies.judge.statistics import Interval
from lefi.studies.judge.summary import Summary

SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    sign: f"\\{sign}" for sign in "&%$#_{}"
}


def to_frame(summaries: Sequence[Summary], swept: Sequence[str]) -> pl.DataFrame:
    """One row per point and mechanism: medians over seeds, each with the ends of its 95% interval."""
    return pl.DataFrame([_row(summary, swept) for summary in summaries], infer_schema_length=None)


def write_tables(summaries: Sequence[Summary], swept: Sequence[str], folder: Path, caption: str) -> list[Path]:
    """summary.csv and summary.tex in the folder."""
    files = {
        folder / "summary.csv": to_frame(summaries, swept).write_csv(),
        folder / "summary.tex": to_latex(summaries, swept, caption),
    }
    with refusals(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            hidden = path.with_name(f".{path.name}")
            hidden.write_text(text, encoding="utf-8")
            hidden.replace(path)
    return list(files)


def to_latex(summaries: Sequence[Summary], swept: Sequence[str], caption: str) -> str:
    """A table for a paper: \\usepackage{booktabs}."""
    rounds = list(summaries[0].share)
    head = [*swept, "mechanism", *(f"share, round {round}" for round in rounds), "accuracy", "overspend"]
    layout = "l" * (len(swept) + 1) + "r" * (len(head) - len(swept) - 1)
    lines = [
        r"\begin{table}",
        rf"\caption{{{escaped(caption)}}}",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        " & ".join(map(escaped, head)) + r" \\",
        r"\midrule",
    ]
    previous: tuple[object, ...] | None = None
    for summary in summaries:
        if swept and previous not in (None, summary.point):
            lines.append(r"\addlinespace")
        previous = summary.point
        cells = [*(_plain(value) for value in summary.point), escaped(summary.mechanism)]
        cells += [_interval(summary.share[round], 3) for round in rounds]
        cells += [_interval(summary.accuracy, 4), rf"{100 * float(summary.overspend.middle):.1f}\%"]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


def escaped(text: str) -> str:
    return "".join(SPECIAL.get(sign, sign) for sign in text)


def _row(summary: Summary, swept: Sequence[str]) -> dict[str, object]:
    row: dict[str, object] = dict(zip(swept, summary.point, strict=True))
    row |= {"mechanism": summary.mechanism, "seeds": summary.seeds}
    told = {f"share_{round}": share for round, share in summary.share.items()}
    told |= {"accuracy": summary.accuracy, "overspend": summary.overspend}
    for name, interval in (told | {"lead": summary.lead, "better": summary.better}).items():
        ends = (None, None, None) if interval is None else tuple(float(value) for value in interval)
        row |= dict(zip((name, f"{name}_low", f"{name}_high"), ends, strict=True))
    return row


def _interval(found: Interval, digits: int) -> str:
    """The median, and its interval in small print."""
    if not np.isfinite(float(found.middle)):
        return "--"
    middle, low, high = (f"{float(value):.{digits}f}" for value in found)
    return rf"{middle} {{\scriptsize [{low}, {high}]}}"


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else escaped(str(value))
