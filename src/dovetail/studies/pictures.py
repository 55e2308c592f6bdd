"""Pictures of a study: each answer over the values that were varied."""

from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.values import quote
from dovetail.runtime.extras import require
from dovetail.studies.table import Columns

MAX_AXES = 4
SIZE = 5.0  # [in] of one panel
YES, NO, FAILED = "#2a9d5c", "#c0392b", "0.6"


def draw(columns: Columns, inputs: list[str], output: str, path: Path) -> None:
    """One input: the answer against it. Two or more: a map over each pair of the first four."""
    Figure = require("matplotlib.figure").Figure

    done = [status != "not done" for status in columns["status"]]
    columns = {name: list(compress(values, done)) for name, values in columns.items()}
    axes = [name for name in inputs if all(_is_number(value) for value in columns[name])]
    if not axes:
        raise InputError(f"no input of this study is a number, so {quote(output)} has no map")
    axes = axes[:MAX_AXES]
    pairs: list[tuple[str, str | None]] = [
        (a, b) for k, a in enumerate(axes) for b in axes[k + 1 :]
    ] or [(axes[0], None)]
    figure = Figure(figsize=(SIZE * len(pairs) + 1, SIZE), layout="constrained")
    for panel, (a, b) in zip(figure.subplots(1, len(pairs), squeeze=False)[0], pairs):
        if b is None:
            _against(panel, columns, a, output)
        else:
            _map(figure, panel, columns, a, b, output)
    figure.suptitle(output)
    figure.savefig(path, dpi=120)


def _against(panel: Any, columns: Columns, name: str, output: str) -> None:
    x, y = np.array(columns[name], float), _numbers(columns[output])
    panel.plot(x, y, ".", color="tab:blue")
    panel.set_xlabel(name)
    panel.set_ylabel(output)


def _map(figure: Any, panel: Any, columns: Columns, a: str, b: str, output: str) -> None:
    x, y = np.array(columns[a], float), np.array(columns[b], float)
    z = _numbers(columns[output])
    known = np.isfinite(z)
    panel.plot(x[~known], y[~known], "x", color=FAILED, label="no answer")
    if _is_yes_or_no(columns[output]):
        for truth, colour, mark in ((True, YES, "o"), (False, NO, "s")):
            which = known & (z == truth)
            label = f"{'yes' if truth else 'no'} ({which.sum()})"
            panel.plot(x[which], y[which], mark, color=colour, markersize=4, label=label)
        panel.legend(loc="upper right")
    else:
        points = panel.scatter(x[known], y[known], c=z[known], s=16, cmap="viridis")
        figure.colorbar(points, ax=panel)
    panel.set_xlabel(a)
    panel.set_ylabel(b)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_yes_or_no(values: list[Any]) -> bool:
    return all(isinstance(value, bool) for value in values if value is not None)


def _numbers(values: list[Any]) -> Any:
    """As floats; nan for texts and missing answers."""
    return np.array([np.nan if value is None or isinstance(value, str) else float(value)
                     for value in values])  # fmt: skip
