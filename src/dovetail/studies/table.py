"""The table of a study: one row per run, inputs then outputs, as CSV and Parquet."""

import csv
import io
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dovetail.results.csv_cells import plain_cell
from dovetail.studies.folder import write_whole
from dovetail.studies.sampling import Row

Columns = dict[str, list[Any]]


def columns_of(
    rows: list[Row], outcomes: list[dict[str, Any] | None], outputs: list[str]
) -> Columns:
    """Number, status, values and answers of every run; None where a run has no answer."""
    known = [outcome or {"status": "not done", "reason": "", "outputs": {}} for outcome in outcomes]
    columns: Columns = {"run": list(range(len(rows)))}
    columns["status"] = [outcome["status"] for outcome in known]
    for name in rows[0] if rows else ():
        columns[name] = [row[name] for row in rows]
    for name in outputs:
        columns[name] = [outcome["outputs"].get(name) for outcome in known]
    columns["reason"] = [outcome["reason"] for outcome in known]
    return columns


def write_csv(columns: Columns, path: Path) -> None:
    """Numbers so that they read back to the same bits; empty where there is no answer."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(plain_cell, columns))
    for row in zip(*columns.values()):
        cells = ("" if value is None else _cell(value) for value in row)
        writer.writerow([plain_cell(c) if isinstance(v, str) else c for v, c in zip(row, cells)])
    write_whole(path, text.getvalue())


def write_parquet(columns: Columns, path: Path) -> bool:
    """Write it if pyarrow is installed (the `parquet` extra); says whether it did."""
    if find_spec("pyarrow") is None:
        return False
    import pyarrow
    import pyarrow.parquet

    plain = {name: _plain(values) for name, values in columns.items()}
    partial = path.with_name(f"{path.name}.partial")
    pyarrow.parquet.write_table(pyarrow.table(plain), partial)
    partial.replace(path)
    return True


def _plain(values: list[Any]) -> list[Any]:
    """A column of one type: as it is where it is so already, else as text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        return [None if value is None else float(value) if float in kinds else value
                for value in values]  # fmt: skip
    if len(kinds) <= 1 and not kinds & {list, tuple, dict}:
        return values
    return [None if value is None else _cell(value) for value in values]


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)
