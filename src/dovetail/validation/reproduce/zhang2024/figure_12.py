"""Fig. 12: distance of the active and the passive ring over time."""

from pathlib import Path

import numpy as np

from dovetail.examples.docking.measures import latching_time, ring_distance
from dovetail.results import Result
from dovetail.validation.reproduce import Say
from dovetail.validation.reproduce.comparison import Comparison
from dovetail.validation.reproduce.zhang2024.docking_run import docking_run

PUBLISHED_LATCHING = 2.5  # [s], "near"


def make(folder: Path, say: Say, mesh: Path | None = None) -> None:
    """Run, report and draw."""
    result = docking_run()
    for line in lines_of(result):
        say(line)
    say(f"wrote {draw(result, folder / 'zhang2024_fig12.png')}")


def lines_of(result: Result) -> list[str]:
    """Published beside ours."""
    late = result.time > PUBLISHED_LATCHING + 0.5
    largest = float(np.abs(ring_distance(result)[late]).max())
    latched = latching_time(result)
    rows = [
        Comparison(
            "fig12, latching", f"near {PUBLISHED_LATCHING} s", f"{latched:.3f} s",
            abs(latched - PUBLISHED_LATCHING) < 0.1,
        ),
        Comparison(
            "fig12, ring distance afterwards", "about 0", f"within {1e3 * largest:.2f} mm",
            largest < 5e-3, "the latches have play",
        ),
    ]  # fmt: skip
    return [row.line for row in rows]


def draw(result: Result, path: Path) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.plot(result.time, 1e3 * ring_distance(result))
    axes.set_xlabel("time [s]")
    axes.set_ylabel("distance of the rings [mm]")
    axes.set_title("fig. 12: active and passive ring", fontsize=9)
    figure.savefig(path, dpi=150)
    return path
