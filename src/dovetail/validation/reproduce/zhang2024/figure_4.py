"""Fig. 4: the time of one detection against the number of detection points."""

from functools import partial
from pathlib import Path

import numpy as np

from dovetail.collision.sdf import Octree, build
from dovetail.collision.sdf.building import surface_points
from dovetail.collision.sdf.detection import FoundBuffer, pose_rows, run_detection
from dovetail.linalg.lie import so3
from dovetail.validation.bench.timing import best_time
from dovetail.validation.reproduce import Say
from dovetail.validation.reproduce.comparison import Comparison
from dovetail.validation.reproduce.zhang2024.horse import horse

POINTS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
APART = 0.35  # of the body's length, so that some of the points are inside
RESOLUTION = 128


def make(folder: Path, say: Say, mesh: Path | None = None) -> None:
    """Measure, report and draw."""
    surface = horse(mesh, say)
    field, buffer = build(surface, RESOLUTION), FoundBuffer()
    pose = pose_rows((so3.exp([0.3, 0.2, 0.5]), np.array([APART, 0.05, 0.02])))
    say("| points | inside | SDF [us] | SDF and octree [us] | share |")
    say("|---|---|---|---|---|")
    rows = []
    for n in POINTS:
        octree = Octree(surface_points(surface, n))
        plain, by_octree = (
            best_time(partial(run_detection, field, octree, pose, buffer, method))
            for method in ("sdf", "sdf_octree")
        )
        inside = run_detection(field, octree, pose, buffer, "sdf_octree")
        rows.append((n, plain, by_octree))
        say(
            f"| {n} | {inside} | {1e6 * plain:.0f} | {1e6 * by_octree:.0f} | "
            f"{100 * by_octree / plain:.2g} % |"
        )
    gains = [plain / by_octree for _, plain, by_octree in rows]
    row = Comparison(
        "fig4, gain by the octree",
        "faster, the more so the more points (no numbers)",
        f"{gains[0]:.3g} times for {POINTS[0]} points, {gains[-1]:.3g} times for {POINTS[-1]}",
        gains[-1] > max(1.0, gains[0]),
    )
    say(row.line)
    say(f"wrote {_draw(rows, folder / 'zhang2024_fig4.png')}")


def _draw(rows: list[tuple[int, float, float]], path: Path) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    n, plain, octree = np.array(rows).T
    axes.loglog(n, 1e3 * plain, "o-", label="SDF")
    axes.loglog(n, 1e3 * octree, "s-", label="SDF and octree")
    axes.set_xlabel("detection points")
    axes.set_ylabel("CPU time of one detection [ms]")
    axes.set_title("Zhang et al. 2024, fig. 4", fontsize=9)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=150)
    return path
