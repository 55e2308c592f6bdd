r"""Rows of a loop that the joints of the tree imply in every position.

The second body of a joint moves against the first by products of exp(q xi), xi the twists of its
motions at the initial pose. Along a path of joints all relative motions are therefore in the group
of the least Lie algebra that holds the twists of these joints (Herve, Mechanism and Machine Theory
13 (1978) 437). A row phi that is constant on that group holds whatever the coordinates of the tree
are: in a loop of parallel hinges two of the directions and the gap along the axis. Such rows need
not be solved for.

Rows that only the closed loop implies, as one of Bricard's, are no such rows: they tell what is
left of the closure.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from dovetail.model.frozen import GROUND, STATIC, Model
from dovetail.model.joints.equations import DOT, GAP
from dovetail.model.joints.motions import BALL, HELIX, ROTATION, TRANSLATION
from dovetail.model.values import Array
from dovetail.multibody.constraints.bodies import JOINT
from dovetail.multibody.constraints.joint_rows import joint_frame
from dovetail.multibody.constraints.row import Row
from dovetail.multibody.state import BodyState

SAME = 1e-12  # of twists and rows in units of the model: what is round-off
DISPLACEMENTS = 3  # of the group, at which rows are looked at


class JointGroups:
    """What relative motions joints allow. Twists are (v, w) of the point at `_origin`, world axes,
    lengths over `_length`.
    """

    def __init__(self, model: Model, state: BodyState) -> None:
        self._model, self._state = model, state
        self._known: dict[int, Array | None] = {}

    @cached_property
    def _points(self) -> Array:
        return np.array([placed.joint.point for placed in self._model.joints], float)

    @cached_property
    def _origin(self) -> Array:
        return np.asarray(self._points.mean(axis=0))

    @cached_property
    def _length(self) -> float:
        reach = np.abs(self._points - self._origin).max()
        return float(reach) if reach > 0.0 else 1.0

    def frame_of(self, body: int, joint: int = -1, second: int = -1) -> int:
        """What a body that forces do not move is fixed to: a kinematic one only to itself.

        With `joint`, the body that it connects with the body `second`.
        """
        if joint >= 0:
            placed = self._model.joints[joint]
            body = placed.body_a if placed.body_b == second else placed.body_b
        static = body < 0 or self._model.motion[body] == STATIC
        return GROUND if static else body

    def twists(self, joint: int) -> Array | None:
        """(k, 6) of the motions of a joint, None where these are all."""
        if joint not in self._known:
            self._known[joint] = self._twists(joint) if joint >= 0 else None
        return self._known[joint]

    def _twists(self, number: int) -> Array | None:
        joint = self._model.joints[number].joint
        frame, found = joint_frame(joint), []
        arm = (np.asarray(joint.point, float) - self._origin) / self._length
        for motion in joint.motions:
            axis = frame[motion.axis]
            if motion.code == TRANSLATION:
                found.append([*axis, 0.0, 0.0, 0.0])
            elif motion.code == ROTATION:
                found.append([*np.cross(arm, axis), *axis])
            elif motion.code == HELIX:
                found.append([*(np.cross(arm, axis) + joint.lead / self._length * axis), *axis])
            elif motion.code == BALL:
                found += [[*np.cross(arm, axis), *axis] for axis in np.eye(3)]
            else:
                return None
        return np.array(found).reshape(-1, 6)

    def implied(self, rows: Sequence[Row], joints: Sequence[int]) -> list[Row]:
        """Those of `rows`, between the ends of a path of `joints`, that these imply."""
        rows = [row for row in rows if row.role == JOINT and row.kind in (GAP, DOT)]
        if not rows:
            return []
        found: list[Array] = []
        for joint in joints:
            twists = self.twists(joint)
            if twists is None:
                return []
            found.append(twists)
        algebra = generated(np.concatenate([np.zeros((0, 6)), *found]))
        if len(algebra) == 6:
            return []
        rng = np.random.default_rng(len(algebra))
        moved = [
            [self._exponential(rng.normal(size=len(algebra)) @ algebra) for _ in range(2)]
            for _ in range(DISPLACEMENTS)
        ]
        return [row for row in rows if all(self._keeps(row, twice) for twice in moved)]

    def _exponential(self, twist: Array) -> tuple[Array, Array]:
        """(R, p) of exp(twist), p [m] that of `_origin`."""
        v, w = twist[:3] * self._length, twist[3:]
        angle = float(np.linalg.norm(w))
        if angle <= SAME:
            return np.eye(3), v
        axis = w / angle
        K = np.cross(np.eye(3), axis)
        R = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)
        along = (axis @ v) * axis
        pole = np.cross(axis, v - along) / angle
        return R, pole - R @ pole + along

    def _keeps(self, row: Row, moves: Sequence[tuple[Array, Array]]) -> bool:
        """Whether the value of a row stays when its second body is displaced."""
        (_, R_a), (x_b, R_b) = (self._pose(body) for body in row.bodies)
        e = R_a @ row.e
        if row.kind == DOT:
            g = R_b @ row.g
            turned = g
            for R, _ in moves:
                turned = R @ turned
            return bool(abs(e @ (turned - g)) <= SAME)
        point = x_b + R_b @ row.g - self._origin
        there = point
        for R, p in moves:
            there = R @ there + p
        return bool(abs(e @ (there - point)) <= SAME * self._length)

    def _pose(self, body: int) -> tuple[Array, Array]:
        if body < 0:
            return np.zeros(3), np.eye(3)
        return self._state.x[body], self._state.R[body]


def _brackets(twists: Array) -> Array:
    """[xi_i, xi_j] = (w_i x v_j - w_j x v_i, w_i x w_j) of all pairs."""
    i, j = np.triu_indices(len(twists), 1)
    (vi, wi), (vj, wj) = ((twists[k, :3], twists[k, 3:]) for k in (i, j))
    return np.hstack([np.cross(wi, vj) - np.cross(wj, vi), np.cross(wi, wj)])


def generated(twists: Array) -> Array:
    """(k, 6) an orthonormal basis of the least Lie algebra that holds `twists`."""
    basis = _span(twists)
    while 1 < len(basis) < 6:
        wider = _span(np.concatenate([basis, _brackets(basis)]))
        if len(wider) == len(basis):
            break
        basis = wider
    return basis


def _span(twists: Array) -> Array:
    _, sizes, basis = np.linalg.svd(twists, full_matrices=False)
    return np.asarray(basis[sizes > SAME * max(1.0, np.sqrt(len(twists)))])
