"""The equations that keep a cut joint closed."""

import math
from dataclasses import dataclass

import numpy as np

from dovetail.model.values import Array
from dovetail.multibody.loops.records import SCREW, SLIDE, TURN, LoopArrays
from dovetail.multibody.tree import Tree, neutral
from dovetail.multibody.tree.kinematics import positions

X, Y, Z = range(3)
ACROSS = ((SLIDE, X, X), (SLIDE, Y, Y))
PINNED = (*ACROSS, (SLIDE, Z, Z))
ALIGNED = ((TURN, X, Z), (TURN, Y, Z))
LOCKED = (*ALIGNED, (TURN, X, Y))
EQUATIONS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "fixed": (*PINNED, *LOCKED),
    "revolute": (*PINNED, *ALIGNED),
    "prismatic": (*ACROSS, *LOCKED),
    "cylindrical": (*ACROSS, *ALIGNED),
    "universal": (*PINNED, (TURN, Z, X)),
    "spherical": PINNED,
    "planar": ((SLIDE, Z, Z), *ALIGNED),
    "screw": (*ACROSS, (SCREW, Z, Z), *ALIGNED),
    "free": (),
}
"""Of each kind of joint: the equation, and which axis of the joint frame it takes on a and on b.

The frame has z along the axis; a universal joint has z fixed in a and x, its second axis, in b.
"""


@dataclass(frozen=True, eq=False)
class Closure:
    """A cut joint between body numbers a and b, placed at the tree's initial pose."""

    name: str
    kind: str
    bodies: tuple[int, int]
    point_a: Array
    point_b: Array
    frame_a: Array
    """Columns x, y, z of the joint frame on body a, in the world."""
    frame_b: Array
    pitch: float = 0.0
    """Of a screw [m per turn]."""
    equations: tuple[tuple[int, int, int], ...] | None = None
    """Default: those of the kind."""

    @property
    def rows(self) -> tuple[tuple[int, int, int], ...]:
        return EQUATIONS[self.kind] if self.equations is None else self.equations

    def describe(self, row: int) -> str:
        """What one equation keeps from happening, at the initial pose."""
        kind, a, b = self.rows[row]
        if kind == TURN:
            direction = np.cross(self.frame_a[:, b], self.frame_a[:, a])
            return f"tilt about {_shown(direction)}"
        motion = "advance off its lead along" if kind == SCREW else "gap along"
        return f"{motion} {_shown(self.frame_a[:, a])}"


def _shown(direction: Array) -> str:
    return "(" + ", ".join(f"{float(x) + 0.0:.4g}" for x in np.round(direction, 12)) + ")"


def loop_arrays(tree: Tree, closures: list[Closure], length: float) -> LoopArrays:
    """All equations as the kernels read them; `length` [m] is what one radian weighs."""
    scratch = tree.scratch()
    positions(tree.arrays, neutral(tree), scratch)
    rows = [(closure, row) for closure in closures for row in closure.rows]
    m = len(rows)
    out = LoopArrays(
        kind=np.array([row[0] for _, row in rows], dtype=np.int64),
        bodies=np.zeros((m, 2), dtype=np.int64),
        points=np.zeros((m, 2, 3)),
        directions=np.zeros((m, 2, 3)),
        sides=np.zeros((m, 3, 3)),
        lead=np.array([closure.pitch / (2.0 * math.pi) for closure, _ in rows]),
        size=np.array([length if row[0] == TURN else 1.0 for _, row in rows]),
    )
    for i, (closure, (kind, a, b)) in enumerate(rows):
        labels = [tree.topology.label_of(number) for number in closure.bodies]
        axes = [scratch.R[label] for label in labels]
        frames = (closure.frame_a, closure.frame_b)
        out.bodies[i] = labels
        for end, point in enumerate((closure.point_a, closure.point_b)):
            out.points[i, end] = axes[end].T @ (point - scratch.o[labels[end]])
        out.directions[i, 0] = axes[0].T @ frames[0][:, a]
        out.directions[i, 1] = axes[1].T @ frames[1][:, b]
        if kind == SCREW:
            out.sides[i] = (
                axes[0].T @ frames[0][:, X],
                axes[0].T @ frames[0][:, Y],
                (axes[1].T @ frames[1][:, X]),
            )
    return out
