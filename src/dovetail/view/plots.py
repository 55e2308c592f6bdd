"""Curves of a result over time, one kind a function; drawn without a screen."""

from collections.abc import Callable
from os import PathLike
from pathlib import Path

import numpy as np

from dovetail.errors import InputError
from dovetail.model.values import Array
from dovetail.results import Result
from dovetail.results.net_forces import touching_pairs
from dovetail.view.appearance import CURVE_COLOURS as COLOURS
from dovetail.view.figures import Axes, Figure, matplotlib
from dovetail.view.filmstrip import draw_filmstrip

MAX_BODIES = 7
LINES = ("-", "--", ":")
FORMATS = (".png", ".svg", ".pdf")


def plot(
    result: Result,
    what: str = "energy",
    path: str | PathLike[str] | None = None,
    bodies: list[str] | None = None,
    view: str = "corner",
) -> Figure:
    """Draw `what` of `result`; write it to `path` (.png, .svg or .pdf) when given.

    `motion` is seen from `view`: corner, front, back, left, right, top or bottom.
    """
    if what not in KINDS:
        raise InputError(f"what to plot must be one of {', '.join(KINDS)}, got {what!r}")
    if path is not None and Path(path).suffix.lower() not in FORMATS:
        raise InputError(f"a plot must end in {', '.join(FORMATS)}, got {str(path)!r}")
    for name in bodies or ():
        result.position(name)  # refuses a name that is not in the result
    figure = Figure(figsize=(8, 4.5), layout="constrained", dpi=120)
    if what == "motion":
        draw_filmstrip(figure, result, view=view)
    else:
        CURVES[what](figure, result, bodies or list(result.names)[:MAX_BODIES])
        _finish_curves(figure, result)
    if path is not None:
        # No date or version inside: the same result gives the same file.
        metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        with matplotlib.rc_context({"svg.hashsalt": "dovetail"}):
            figure.savefig(path, metadata=metadata.get(Path(path).suffix.lower()))
    return figure


def _energy(figure: Figure, result: Result, bodies: list[str]) -> None:
    upper, lower = _stacked(figure, 2)
    for colour, (name, values) in zip(COLOURS, result.energy.items()):
        if name == "total" or np.any(values):
            width = 2.2 if name == "total" else 1.4
            upper.plot(result.time, values, label=name, color=colour, linewidth=width)
    upper.update_datalim([(result.time[0], 0.0)])  # from zero: changes are drawn below
    upper.autoscale_view()
    upper.set_ylabel("energy [J]")
    upper.legend(frameon=False, ncols=4)
    total = result.energy["total"]
    lower.plot(result.time, total - total[0], color=COLOURS[3], linewidth=1.2)
    lower.set_ylabel("change of total [J]")


def _momentum(figure: Figure, result: Result, bodies: list[str]) -> None:
    upper, lower = _stacked(figure, 2)
    _components(upper, result.time, result.momentum["linear"])
    upper.set_ylabel("linear [kg m/s]")
    _components(lower, result.time, result.momentum["angular"])
    lower.set_ylabel("angular about origin [kg m²/s]")


def _position(figure: Figure, result: Result, bodies: list[str]) -> None:
    for axes, index, letter in zip(_stacked(figure, 3), range(3), "xyz"):
        for colour, name in zip(COLOURS, bodies):
            axes.plot(result.time, result.position(name)[:, index], color=colour, label=name)
        axes.set_ylabel(f"{letter} [m]")
    _body_legend(figure.axes[0], result, bodies)


def _velocity(figure: Figure, result: Result, bodies: list[str]) -> None:
    upper, lower = _stacked(figure, 2)
    for colour, name in zip(COLOURS, bodies):
        speed = np.linalg.norm(result.velocity(name), axis=1)
        upper.plot(result.time, speed, color=colour, label=name)
        spin = np.linalg.norm(result.angular_velocity(name), axis=1)
        lower.plot(result.time, spin, color=colour)
    upper.set_ylabel("speed [m/s]")
    lower.set_ylabel("spin [rad/s]")
    _body_legend(upper, result, bodies)


def _contacts(figure: Figure, result: Result, bodies: list[str]) -> None:
    """How many contacts there are, and the net force of each pair of bodies."""
    upper, lower = _stacked(figure, 2)
    upper.plot(result.time, result.contacts.count, color=COLOURS[0], drawstyle="steps-post")
    upper.set_ylabel("contacts")
    _pair_forces(lower, result, bodies)


def _forces(figure: Figure, result: Result, bodies: list[str]) -> None:
    """The net force of each pair of bodies alone."""
    (axes,) = _stacked(figure, 1)
    _pair_forces(axes, result, bodies)


def _pair_forces(axes: Axes, result: Result, bodies: list[str]) -> None:
    everyone = len(bodies) == min(MAX_BODIES, len(result.names))
    pairs = [p for p in touching_pairs(result) if everyone or not set(bodies).isdisjoint(p)]
    for colour, (a, b) in zip(COLOURS, pairs[:MAX_BODIES]):
        size = np.linalg.norm(result.contact_force(a, b).force, axis=1)
        axes.plot(result.time, size, color=colour, label=f"{a} - {b}")
    axes.set_ylabel("net contact force [N]")
    if not pairs:
        axes.plot(result.time, np.zeros(len(result.time)), color=COLOURS[0])
    else:
        left_out = len(pairs) - MAX_BODIES
        title = f"({left_out} more pairs not drawn)" if left_out > 0 else None
        axes.legend(frameon=False, ncols=4, fontsize="small", title=title)


def _joints(figure: Figure, result: Result, bodies: list[str]) -> None:
    """Coordinates and efforts of joints of one coordinate."""
    upper, lower = _stacked(figure, 2)
    names = [n for n in result.stored.header.joint_names if result.joint(n).position.ndim == 1]
    styles = [(colour, line) for line in LINES for colour in COLOURS]
    has_efforts = names and np.isfinite(np.asarray(result.stored.column("joints/force"))).any()
    for (colour, line), name in zip(styles, names):
        joint = result.joint(name)
        upper.plot(result.time, joint.position, line, color=colour, label=name)
        if has_efforts:
            lower.plot(result.time, joint.effort, line, color=colour)
    if not names:
        for axes in (upper, lower):
            axes.text(0.5, 0.5, "no joint of one coordinate", transform=axes.transAxes, ha="center")
    upper.set_ylabel("position [rad, m]")
    lower.set_ylabel("effort [N m, N]")
    if names:
        left_out = len(names) - len(styles)
        title = f"({left_out} more joints not drawn)" if left_out > 0 else None
        upper.legend(frameon=False, ncols=4, fontsize="small", title=title)


def _distance(figure: Figure, result: Result, bodies: list[str]) -> None:
    (axes,) = _stacked(figure, 1)
    known = np.where(np.isfinite(result.min_distance), result.min_distance, np.nan)
    if np.all(np.isnan(known)):
        axes.text(0.5, 0.5, "no distance was measured", transform=axes.transAxes, ha="center")
    else:
        axes.plot(result.time, known, color=COLOURS[0])
    axes.set_ylabel("smallest distance [m]")


def _constraints(figure: Figure, result: Result, bodies: list[str]) -> None:
    upper, lower = _stacked(figure, 2)
    for axes, name, unit in ((upper, "position", "m, rad"), (lower, "velocity", "m/s, rad/s")):
        axes.plot(result.time, result.constraint_violation[name], color=COLOURS[0])
        axes.set_ylabel(f"{name} residual [{unit}]")


CURVES: dict[str, Callable[[Figure, Result, list[str]], None]] = {
    "energy": _energy,
    "momentum": _momentum,
    "position": _position,
    "velocity": _velocity,
    "contacts": _contacts,
    "forces": _forces,
    "joints": _joints,
    "distance": _distance,
    "constraints": _constraints,
}
KINDS = ("motion", *CURVES)


def _finish_curves(figure: Figure, result: Result) -> None:
    for axes in figure.axes:
        axes.grid(True, color="0.9", linewidth=0.8)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlim(result.time[0], max(result.time[-1], result.time[0] + 1e-12))
    figure.axes[-1].set_xlabel("time [s]")


def _stacked(figure: Figure, rows: int) -> list[Axes]:
    grid = figure.subplots(rows, 1, sharex=True, squeeze=False)
    return list(grid[:, 0])


def _components(axes: Axes, time: Array, values: Array) -> None:
    for index, letter in enumerate("xyz"):
        axes.plot(time, values[:, index], color=COLOURS[index], label=letter)
    axes.legend(frameon=False, ncols=3)


def _body_legend(axes: Axes, result: Result, bodies: list[str]) -> None:
    left_out = len(result.names) - len(bodies)
    title = f"({left_out} more bodies not drawn)" if left_out > 0 else None
    axes.legend(frameon=False, ncols=4, fontsize="small", title=title)
