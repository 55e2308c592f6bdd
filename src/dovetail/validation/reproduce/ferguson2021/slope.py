"""Fig. 18: a block on a slope whose tangent is one half."""

from pathlib import Path

import numpy as np

from dovetail.contact import IPC
from dovetail.model import Scene
from dovetail.model.shapes import Box, HalfSpace
from dovetail.model.values import Array
from dovetail.simulate import simulate
from dovetail.validation.reproduce.comparison import Comparison

ANGLE = np.deg2rad(26.565)
GRAVITY, STEP, DURATION = 9.81, 0.025, 25.0  # [m/s^2], [s], [s]; step and time are the paper's
SIDE, DROP = 0.2, 5e-4  # [m] of the block, and how far above the slope it begins
SETTLED = 1.0  # [s] until the landing has died away


def slope() -> Scene:
    """The slope lies level and gravity leans along x."""
    leaning = GRAVITY * np.array([np.sin(ANGLE), 0.0, -np.cos(ANGLE)])
    scene = Scene(gravity=leaning)
    scene.add_body("slope", HalfSpace((0, 0, 1), extent=80), motion="static")
    scene.add_body("block", Box((SIDE,) * 3), density=1000, position=(0, 0, SIDE / 2 + DROP))
    return scene


def slid(mu: float) -> tuple[Array, Array]:
    """Times [s] and displacement along the slope [m]."""
    result = simulate(slope(), duration=DURATION, step=STEP, contact=IPC(friction=mu))
    return result.time, result.position("block")[:, 0]


def compared_slopes() -> tuple[list[Comparison], dict[float, tuple[Array, Array]]]:
    """Both coefficients, and the curves."""
    paths = {mu: slid(mu) for mu in (0.5, 0.49)}
    time, moved = paths[0.5]
    creep = float(np.ptp(moved[time >= SETTLED]))
    held = Comparison(
        "fig18, mu = 0.5",
        "does not move",
        f"moves {creep:.1e} m in {DURATION - SETTLED:g} s",
        creep < 1e-9,
        "tan(26.565 degrees) is 0.50000",
    )
    time, moved = paths[0.49]
    late = time >= SETTLED
    fitted = 2 * float(np.polyfit(time[late], moved[late], 2)[0])
    theory = GRAVITY * (np.sin(ANGLE) - 0.49 * np.cos(ANGLE))
    slides = Comparison(
        "fig18, mu = 0.49",
        "begins to slide",
        f"slides with {fitted:.4f} m/s^2",
        abs(fitted - theory) < 0.02 * theory,
        f"theory {theory:.4f} m/s^2",
    )
    return [held, slides], paths


def draw_slopes(paths: dict[float, tuple[Array, Array]], path: Path) -> Path:
    """Displacements over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 3.4), layout="constrained")
    axes = figure.subplots()
    for mu, (time, moved) in paths.items():
        axes.plot(time, moved, label=f"mu = {mu:g}")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("displacement along the slope [m]")
    axes.set_title("fig. 18: a block on a slope of 26.565 degrees", fontsize=9)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=150)
    return path
