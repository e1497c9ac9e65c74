"""Keep what was trained to a target: the table that ships with the report, and docs/measured/target.json.

    python -m benchmarks.target FOLDER   reads DATA_price.parquet and DATA_curve.parquet, `loop.parquet` of `lefi train`

Run `python -m benchmarks.pages` after it.
"""

import json
import sys
from pathlib import Path
from typing import Any

import polars as pl

from lefi.studies.judge.to_target import kept, table_of, ways

TARGETS = {"cifar10": 0.5, "gtsrb": 0.7}
PAYMENTS = ("price", "curve")
SHIPPED = Path("src", "lefi", "studies", "shipped", "to_target.csv")
TOLD = Path("docs", "measured", "target.json")
DIGITS = 6  # significant


def main(folder: Path) -> None:
    rows, told = [], []
    for data, target in TARGETS.items():
        for payment in PAYMENTS:
            found = ways(pl.read_parquet(folder / f"{data}_{payment}.parquet"), target)
            rows.append(kept(found, data=data, payment=payment, target=target))
            told.append({"data": data, "payment": payment, "target": target, "mechanisms": rounded(table_of(found))})
    pl.concat(rows).with_columns(pl.col("usd").round_sig_figs(DIGITS)).write_csv(SHIPPED)
    TOLD.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main(Path(sys.argv[1]))
