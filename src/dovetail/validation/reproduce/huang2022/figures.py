"""Figures 3 to 7 with our curves."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dovetail.validation.reproduce.huang2022.measured import ORACLE, Measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURES = {
    "fig3": "x component of the centre of rod 2 over time",
    "fig4": "angular velocity of rod 2 about its own x axis over time",
    "fig5": "error of the total energy of every scheme at h = 1e-3 s over 50 s",
    "fig6": "orthogonality of the rotation matrices",
    "fig7": "violation of the velocity constraints of DH, DL and Lie generalized-alpha",
}
IN_PAPER = ("RATTLie", "DH", "LieGeneralizedAlpha")
Runs = Mapping[str, Measured]


def draw(runs: Runs, folder: Path) -> list[Path]:
    """Write one picture per figure; returns their paths."""
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    panels: dict[str, Callable[[Axes, Runs], None]] = {
        "fig3": _position, "fig4": _spin, "fig5": _energy, "fig6": _orthogonality,
        "fig7": _velocity_violation,
    }  # fmt: skip
    written = []
    for name, panel in panels.items():
        figure = Figure(figsize=(7, 4), layout="constrained")
        axes = figure.add_subplot()
        panel(axes, runs)
        axes.set_xlabel("time [s]")
        axes.set_title(f"Huang et al. 2022, {name}: {FIGURES[name]}", fontsize=9)
        axes.legend(fontsize=8)
        path = folder / f"huang2022_{name}.png"
        figure.savefig(path, dpi=150)
        written.append(path)
    return written


def _shown(runs: Runs, wanted: tuple[str, ...]) -> dict[str, Measured]:
    return {name: runs[name] for name in wanted if name in runs}


def _position(axes: "Axes", runs: Runs) -> None:
    for name, run in _shown(runs, IN_PAPER).items():
        start = run.time <= 10.0
        axes.plot(run.time[start], run.x2[start, 0], label=name, linewidth=1)
    axes.plot(list(ORACLE), [x[0] for x, _ in ORACLE.values()], "k.", label="minimal coordinates")
    axes.set_ylabel("x2 [m]")


def _spin(axes: "Axes", runs: Runs) -> None:
    for name, run in _shown(runs, IN_PAPER).items():
        start = run.time <= 10.0
        axes.plot(run.time[start], run.omega2[start, 0], label=name, linewidth=1)
    axes.plot(list(ORACLE), [w[0] for _, w in ORACLE.values()], "k.", label="minimal coordinates")
    axes.set_ylabel("omega2 about x2 [rad/s]")


def _energy(axes: "Axes", runs: Runs) -> None:
    for name in ("LieGeneralizedAlpha", "DH", "RATTLie"):
        if name in runs:
            axes.plot(runs[name].time, runs[name].energy, label=name, linewidth=0.6)
    axes.set_ylabel("energy error [J]")


def _orthogonality(axes: "Axes", runs: Runs) -> None:
    for name, run in _shown(runs, IN_PAPER).items():
        axes.semilogy(run.time, np.maximum(run.orthogonality, 1e-17), label=name, linewidth=0.6)
    axes.set_ylabel("largest entry of |I - R R^T|")


def _velocity_violation(axes: "Axes", runs: Runs) -> None:
    for name, run in _shown(runs, ("DL", "LieGeneralizedAlpha", "DH", "RATTLie")).items():
        axes.semilogy(run.time, np.maximum(run.velocity, 1e-18), label=name, linewidth=0.6)
    axes.set_ylabel("largest |G u| [m/s]")
