"""One scalar constraint row as it is put together."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from dovetail.model.frozen import GROUND
from dovetail.model.joints.equations import ANGLE, DOT, GAP, HELIX, SPIN
from dovetail.model.values import Array
from dovetail.multibody.constraints.bodies import JOINT
from dovetail.multibody.state import BodyState


def _zeros() -> Array:
    return np.zeros(3)


class RowTerm(NamedTuple):
    """One coordinate in the sum of a COUPLING."""

    row: "Row"  # that measures it
    sides: tuple[int, int]  # of the COUPLING, that are the bodies of that row; -1: the ground
    coefficients: tuple[float, ...]  # of q, q^2, ...


@dataclass
class Row:
    """A row of bodies (a, b), of a COUPLING as many as take part.

    See `multibody.constraints.rows` for what the fields mean.
    """

    kind: int
    bodies: tuple[int, ...]
    e: Array = field(default_factory=_zeros)
    g: Array = field(default_factory=_zeros)
    plane: Array = field(default_factory=lambda: np.zeros((3, 3)))
    lead: float = 0.0
    offset: float = 0.0
    role: int = JOINT
    side: float = 0.0
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    effort: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    bound: float = 0.0  # [m or rad] of a LIMIT, or of two that hold, from the initial pose
    joint: int = -1  # the number of its joint in the model
    coordinate: int = -1  # of that joint, which it measures
    motor: Any = None  # what its MOTOR or EFFORT follows in time
    owner: str = ""  # the joint or coupling that it is of, for messages
    coupling: int = -1  # the number of its coupling in the model
    terms: tuple[RowTerm, ...] = ()  # of a COUPLING
    turns: bool = False  # whether a COUPLING is a sum of angles


class Pair:
    """Two bodies at the initial pose: world vectors and points seen from each."""

    def __init__(self, state: BodyState, body_a: int, body_b: int) -> None:
        self.bodies = (body_a, body_b)
        self._pose = [self._of(state, i) for i in self.bodies]

    @staticmethod
    def _of(state: BodyState, i: int) -> tuple[Array, Array]:
        return (np.zeros(3), np.eye(3)) if i == GROUND else (state.x[i], state.R[i])

    def vector(self, side: int, world: Array) -> Array:
        return np.asarray(self._pose[side][1].T @ world)

    def arm(self, side: int, point: Array) -> Array:
        return self.vector(side, point - self._pose[side][0])

    def gap_row(self, normal: Array, point: Array) -> Row:
        """`point` of b stays in the plane of a through it with this normal; or how far it is."""
        e = self.vector(0, normal)
        at = float(e @ self.arm(0, point))
        return Row(GAP, self.bodies, e=e, g=self.arm(1, point), offset=at)

    def gap_row_along_b(self, normal: Array, point: Array) -> Row:
        """How far `point` of b is from that of a along an axis fixed in b."""
        e = self.vector(1, -normal)
        at = float(e @ self.arm(1, point))
        return Row(GAP, (self.bodies[1], self.bodies[0]), e=e, g=self.arm(0, point), offset=at)

    def dot_row(self, axis_a: Array, axis_b: Array) -> Row:
        """An axis of a and one of b keep their angle."""
        c = float(axis_a @ axis_b)
        return Row(DOT, self.bodies, e=self.vector(0, axis_a), g=self.vector(1, axis_b), offset=c)

    def angle_row(self, axis: Array, start: Array) -> Row:
        """The angle of b about an axis of a, counted from `start`, a direction normal to it."""
        planes = [self.vector(0, start), self.vector(0, np.cross(axis, start))]
        return Row(ANGLE, self.bodies, plane=np.array([*planes, self.vector(1, start)]))

    def angle_row_about_b(self, axis: Array, start: Array) -> Row:
        """The angle of b about an axis of its own, seen by `start`, a direction of a."""
        planes = [self.vector(1, start), self.vector(1, np.cross(start, axis))]
        plane = np.array([*planes, self.vector(0, start)])
        return Row(ANGLE, (self.bodies[1], self.bodies[0]), plane=plane)

    def spin_row(self, axis: Array) -> Row:
        """How fast b rotates against a about an axis fixed in b."""
        return Row(SPIN, self.bodies, g=self.vector(1, axis))

    def helix_row(self, axis: Array, start: Array, point: Array, lead: float) -> Row:
        """The displacement along an axis is `lead` [m/rad] times the angle about it."""
        gap, angle = self.gap_row(axis, point), self.angle_row(axis, start)
        gap.kind, gap.lead, gap.plane = HELIX, lead, angle.plane
        return gap
