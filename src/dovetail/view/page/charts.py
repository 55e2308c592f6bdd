"""Curves of a result beside the picture, thinned to what a screen can show."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.results import Result
from dovetail.results.net_forces import touching_pairs
from dovetail.view.appearance import CURVE_COLOURS

MAX_POINTS = 2000


def charts_of(result: Result) -> tuple[list[dict[str, Any]], dict[str, NDArray[Any]]]:
    """Description of each chart, and its arrays by name."""
    rows = np.unique(np.linspace(0, len(result.time) - 1, MAX_POINTS).astype(int))
    arrays: dict[str, NDArray[Any]] = {"curve/time": result.time[rows]}
    charts: list[dict[str, Any]] = []

    def add(title: str, unit: str, curves: dict[str, NDArray[Any]], log: bool = False) -> None:
        lines = []
        for colour, (label, values) in zip(CURVE_COLOURS, curves.items()):
            name = f"curve/{title}/{label}"
            arrays[name] = np.where(np.isfinite(values), values, np.nan)[rows].astype("<f4")
            lines.append({"label": label, "colour": colour, "array": name})
        charts.append({"title": title, "unit": unit, "logarithmic": log, "lines": lines})

    energies = {k: v for k, v in result.energy.items() if k == "total" or np.any(v)}
    add("energy", "J", energies)
    count = result.contacts.count
    if np.any(count):
        add("contacts", "number", {"contacts": count.astype(float)})
        forces = {
            f"{a} - {b}": np.linalg.norm(result.contact_force(a, b).force, axis=1)
            for a, b in touching_pairs(result)[: len(CURVE_COLOURS)]
        }
        if forces:
            add("net contact force", "N", forces)
    if np.isfinite(result.min_distance).any():
        add("smallest distance", "m", {"distance": result.min_distance}, log=_all_above(result))
    if result.scene.joints:
        position, velocity = (result.constraint_violation[k] for k in ("position", "velocity"))
        if np.any(position > 0) or np.any(velocity > 0):
            add("joint residuals", "m, m/s", {"position": position, "velocity": velocity}, log=True)
    return charts, arrays


def _all_above(result: Result) -> bool:
    """Whether a logarithm can show every distance."""
    known = result.min_distance[np.isfinite(result.min_distance)]
    return bool(np.all(known > 0))
