"""The graph of a mechanism as a picture: tree joints solid, cut joints dashed."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from dovetail.errors import InputError
from dovetail.multibody.topology import Topology
from dovetail.view.figures import Axes, Figure, matplotlib

FORMATS = (".png", ".svg", ".pdf")
TREE_COLOUR, CUT_COLOUR, GROUND_COLOUR = "#0072B2", "#D55E00", "#555555"
MAX_NAMED = 60  # bodies; beyond, names would cover each other


def draw_topology(
    topology: Topology,
    path: str | PathLike[str] | None = None,
    body_names: Sequence[str] | None = None,
    joint_names: Sequence[str] | None = None,
) -> Figure:
    """Bodies by their distance from the ground, downward; written to `path` when given."""
    if path is not None and Path(path).suffix.lower() not in FORMATS:
        raise InputError(f"a picture must end in {', '.join(FORMATS)}, got {str(path)!r}")
    places = _places(topology)
    width = max(6.0, min(30.0, 1.1 * (max(x for x, _ in places) + 2)))
    height = max(4.0, min(30.0, 1.0 * (max(-y for _, y in places) + 2)))
    figure = Figure(figsize=(width, height), dpi=110)
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.96))
    named = topology.n_bodies <= MAX_NAMED
    for joint in range(1, topology.n_joints + 1):
        _draw_joint(axes, topology, joint, places, joint_names if named else None, named)
    for label, (x, y) in enumerate(places):
        _draw_body(axes, topology, label, x, y, body_names, named)
    axes.plot([], [], color=TREE_COLOUR, label="tree joint")
    axes.plot([], [], color=CUT_COLOUR, linestyle="--", label="cut joint")
    axes.legend(frameon=False, loc="upper right")
    axes.set_axis_off()
    axes.margins(0.12)
    if path is not None:
        metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        with matplotlib.rc_context({"svg.hashsalt": "dovetail"}):
            figure.savefig(path, metadata=metadata.get(Path(path).suffix.lower()))
    return figure


def _places(topology: Topology) -> list[tuple[float, float]]:
    """Place of the ground and of each label: leaves side by side, a parent over its children."""
    n = topology.n_bodies
    children: list[list[int]] = [[] for _ in range(n + 1)]
    for label, parent in enumerate(topology.parents, 1):
        children[parent].append(label)
    x = [0.0] * (n + 1)
    depth = [0, *topology.depths]
    order, stack = [], [0]
    while stack:  # depth first without recursion: chains may be long
        label = stack.pop()
        order.append(label)
        stack += children[label][::-1]
    column = 0.0
    for label in order:
        if not children[label]:
            x[label] = column
            column += 1.0
    for label in reversed(order):
        if children[label]:
            x[label] = sum(x[child] for child in children[label]) / len(children[label])
    return [(x[label], -float(depth[label])) for label in range(n + 1)]


def _draw_joint(
    axes: Axes,
    topology: Topology,
    joint: int,
    places: list[tuple[float, float]],
    names: Sequence[str] | None,
    named: bool,
) -> None:
    (x0, y0), (x1, y1) = (places[topology.label_of(body)] for body in topology.bodies_of(joint))
    cut = joint in topology.cut_joints
    colour = CUT_COLOUR if cut else TREE_COLOUR
    bend = 0.35 if cut else 0.0
    axes.annotate(
        "",
        (x1, y1),
        (x0, y0),
        arrowprops={
            "arrowstyle": "-",
            "color": colour,
            "linestyle": "--" if cut else "-",
            "linewidth": 1.6,
            "connectionstyle": f"arc3,rad={bend}",
            "shrinkA": 12,
            "shrinkB": 12,
        },
        zorder=1,
    )
    if named:
        text = f"{joint}" if names is None or joint > len(names) else names[joint - 1]
        # the arc of arc3 passes half its bend beside the middle of the line
        x, y = (x0 + x1) / 2 + bend / 2 * (y1 - y0), (y0 + y1) / 2 - bend / 2 * (x1 - x0)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}
        axes.text(x, y, text, color=colour, fontsize=8, ha="center", va="center", bbox=box)


def _draw_body(
    axes: Axes,
    topology: Topology,
    label: int,
    x: float,
    y: float,
    names: Sequence[str] | None,
    named: bool,
) -> None:
    number = topology.body_of(label)
    colour = TREE_COLOUR if label else GROUND_COLOUR
    marker = "o" if label else "s"
    size = 420 if named else 30
    axes.scatter([x], [y], s=size, color="white", edgecolor=colour, marker=marker, zorder=3)
    if named:
        axes.text(x, y, f"{label}", ha="center", va="center", fontsize=9, zorder=4)
        name = "ground" if not number else f"body {number}" if names is None else names[number - 1]
        axes.annotate(
            name, (x, y), (0, -15), textcoords="offset points", fontsize=8,
            ha="center", va="top", color="0.25", zorder=4,
        )  # fmt: skip
