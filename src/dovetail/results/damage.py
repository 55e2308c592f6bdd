"""What is still good of a damaged result: frames up to the first whose motion is lost.

Of those frames, other quantities that are lost read as nan (numbers of something as 0), and the
contacts of a frame are left out where any of them is lost.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.results.columns import Column

Columns = dict[str, NDArray[Any]]
Lost = Mapping[str, NDArray[np.bool_]]  # by column: which rows
MOTION = ("time", "position", "rotation")


def without_lost(
    tables: dict[str, tuple[Column, ...]], columns: Columns, lost: Lost
) -> tuple[Columns, dict[str, int], str]:
    """Columns and rows that can be trusted, and a sentence about the rest ("" if all can)."""
    rows = {table: len(columns[tables[table][0].path]) for table in tables}
    bad = {path: mask for path, mask in lost.items() if mask.any()}
    if not bad:
        return columns, rows, ""
    kept = dict(rows)
    kept["frames"] = min(_first(bad.get(path), rows["frames"]) for path in MOTION)
    if kept["frames"] == 0:
        raise ValueError("the motion of its very first frame is lost")
    for table in ("events", "waypoints"):
        if table in tables:
            paths = (column.path for column in tables[table])
            kept[table] = min(_first(bad.get(path), rows[table]) for path in paths)
    found = {}
    for table, table_columns in tables.items():
        for column in table_columns:
            found[column.path] = _blanked(columns[column.path], bad.get(column.path))[: kept[table]]
    _drop_contacts(found, [bad[c.path] for c in tables["contacts"] if c.path in bad])
    return found, kept, _sentence(bad, kept["frames"], rows["frames"])


def _first(lost: NDArray[np.bool_] | None, rows: int) -> int:
    return rows if lost is None or not lost.any() else int(np.argmax(lost))


def _blanked(data: NDArray[Any], lost: NDArray[np.bool_] | None) -> NDArray[Any]:
    if lost is None:
        return data
    blank = np.array(data)
    blank[lost] = np.nan if blank.dtype.kind == "f" else 0
    return blank


def _drop_contacts(columns: Columns, lost: list[NDArray[np.bool_]]) -> None:
    """No contacts for frames of which some are lost, or whose place among them is."""
    if not lost:
        return
    gone = np.concatenate([[0], np.cumsum(np.any(lost, axis=0))])
    start = np.clip(columns["contacts/start"], 0, len(gone) - 1)
    end = np.clip(start + columns["contacts/count"], start, len(gone) - 1)
    whole = gone[start] == gone[end]
    columns["contacts/count"] = np.where(whole, columns["contacts/count"], 0)


def _sentence(bad: Lost, frames: int, planned: int) -> str:
    names = ", ".join(f"`{path}`" for path in list(bad)[:6]) + (", ..." if len(bad) > 6 else "")
    readable = (
        f"the first {frames} of {planned} frames" if frames < planned else f"all {planned} frames"
    )
    return f"the file is damaged: {readable} are there; lost is some of {names}"
