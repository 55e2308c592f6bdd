"""The equations that keep a cut joint closed."""

from dataclasses import dataclass

import numpy as np

from dovetail.model.couplings import MAX_DEGREE
from dovetail.model.joints.equations import COUPLING, DOT, HELIX, Equation
from dovetail.model.values import Array
from dovetail.multibody.loops.records import LoopArrays
from dovetail.multibody.tree import Tree, neutral
from dovetail.multibody.tree.kinematics import positions


@dataclass(frozen=True, eq=False)
class Closure:
    """A cut joint between body numbers a and b, placed at the tree's initial pose."""

    name: str
    bodies: tuple[int, int]
    point_a: Array
    point_b: Array
    frame_a: Array
    """Columns x, y, z of the joint frame on body a, in the world."""
    frame_b: Array
    equations: tuple[Equation, ...]
    """Those of the joint's type."""
    lead: float = 0.0
    """Of a helix [m/rad]."""

    def describe(self, row: int) -> str:
        """What one equation keeps from happening, at the initial pose."""
        kind, a, b = self.equations[row]
        if kind == DOT:
            direction = np.cross(self.frame_a[:, b], self.frame_a[:, a])
            return f"tilt about {_formatted(direction)}"
        motion = "advance off its lead along" if kind == HELIX else "gap along"
        return f"{motion} {_formatted(self.frame_a[:, a])}"


def _formatted(direction: Array) -> str:
    return "(" + ", ".join(f"{float(x) + 0.0:.4g}" for x in np.round(direction, 12)) + ")"


@dataclass(frozen=True, eq=False)
class CouplingRow:
    """A coupling of coordinates that is held."""

    name: str
    terms: list[tuple[int, int, tuple[float, ...]]]
    """Where a coordinate has its value and its velocity, and the coefficients of its powers."""
    offset: float
    turns: bool
    """Whether it is a sum of angles."""


def loop_arrays(
    tree: Tree, closures: list[Closure], length: float, couplings: list[CouplingRow]
) -> LoopArrays:
    """All equations as the kernels read them; `length` [m] is what one radian weighs."""
    workspace = tree.workspace()
    positions(tree.arrays, neutral(tree), workspace)
    rows = [(closure, row) for closure in closures for row in closure.equations]
    n, m = len(rows), len(rows) + len(couplings)
    terms = [term for row in couplings for term in row.terms]
    counts = [0] * n + [len(row.terms) for row in couplings]
    factor = np.zeros((len(terms), MAX_DEGREE))
    for k, (_, _, coefficients) in enumerate(terms):
        factor[k, : len(coefficients)] = coefficients
    kinds = [row.kind for _, row in rows] + [COUPLING] * len(couplings)
    turns = [row.kind == DOT for _, row in rows] + [row.turns for row in couplings]
    out = LoopArrays(
        kind=np.array(kinds, dtype=np.int64),
        bodies=np.zeros((m, 2), dtype=np.int64),
        points=np.zeros((m, 2, 3)),
        directions=np.zeros((m, 2, 3)),
        sides=np.zeros((m, 3, 3)),
        lead=np.array([closure.lead for closure, _ in rows] + [0.0] * len(couplings)),
        size=np.where(turns, length, 1.0),
        term_start=np.concatenate(([0], np.cumsum(counts, dtype=np.int64))).astype(np.int64),
        term_q=np.array([q for q, _, _ in terms], dtype=np.int64),
        term_v=np.array([v for _, v, _ in terms], dtype=np.int64),
        term_factor=factor,
        offset=np.array([0.0] * n + [row.offset for row in couplings]),
    )
    for i, (closure, (kind, a, b)) in enumerate(rows):
        labels = [tree.topology.label_of(number) for number in closure.bodies]
        axes = [workspace.R[label] for label in labels]
        frames = (closure.frame_a, closure.frame_b)
        out.bodies[i] = labels
        for end, point in enumerate((closure.point_a, closure.point_b)):
            out.points[i, end] = axes[end].T @ (point - workspace.o[labels[end]])
        out.directions[i, 0] = axes[0].T @ frames[0][:, a]
        out.directions[i, 1] = axes[1].T @ frames[1][:, b]
        if kind == HELIX:
            x, y = (a + 1) % 3, (a + 2) % 3
            out.sides[i] = (
                axes[0].T @ frames[0][:, x],
                axes[0].T @ frames[0][:, y],
                axes[1].T @ frames[1][:, x],
            )
    return out
