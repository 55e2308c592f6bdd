"""The coordinates of a mechanism's tree at given motions of its bodies."""

from collections.abc import Mapping

import numpy as np

from dovetail.errors import InputError
from dovetail.linalg.lie import so3
from dovetail.model.joints.motions import BALL, FREE
from dovetail.model.values import Array, quote
from dovetail.multibody.mechanism import driving
from dovetail.multibody.mechanism.assembly import fitting_velocities
from dovetail.multibody.mechanism.mechanism import Mechanism
from dovetail.multibody.state import BodyState
from dovetail.multibody.tree.records import CODE


def coordinates_at(
    mechanism: Mechanism, state: BodyState, coordinates: Mapping[tuple[int, int], float]
) -> tuple[Array, Array]:
    """q and v of the tree; `coordinates` [m or rad] by joint and coordinate of the model.

    Balls and free motions follow from the poses, v is the nearest to the bodies' velocities that
    the joints allow.
    """
    q = mechanism.neutral()
    tree, parts = mechanism.tree, mechanism.parts
    joints = [placed.name for placed in mechanism.model.joints]
    motion, starts = tree.arrays.motion, tree.arrays.motion_start
    for label in range(1, tree.n_bodies + 1):
        number = mechanism.topology.joint_numbers[label - 1]
        where = slice(int(tree.arrays.q_start[label]), int(tree.arrays.q_start[label + 1]))
        codes = motion[starts[label] : starts[label + 1], CODE].tolist()
        if codes in ([FREE], [BALL]):
            q[where] = measured_motion(mechanism, state, label, codes[0])
            continue
        placed = parts.links[number - 1].placed
        for i, coordinate in enumerate(placed.joint.coordinates):
            if not coordinate.motion.has_values:
                raise InputError(
                    f"the state of joint {quote(placed.name)} cannot be set: a ball rotation is "
                    "one of several motions"
                )
            q[where.start + coordinate.q] = coordinates[joints.index(placed.name), i]
    driven = driving.velocities(mechanism, state.t, 1e-3) if mechanism.driven.size else None
    return q, fitting_velocities(mechanism, q, driven, state)


def measured_motion(mechanism: Mechanism, state: BodyState, label: int, code: int) -> Array:
    """The quaternion of a ball, or position and quaternion of a free motion."""
    arrays = mechanism.tree.arrays
    R, origin = _frame(mechanism, state, label)
    above, start = _frame(mechanism, state, int(arrays.parent[label]))
    start = start + above @ arrays.joint_point[label]
    above = above @ arrays.joint_axes[label]
    quaternion = so3.to_quaternion(above.T @ R)
    if code == BALL:
        return np.asarray(quaternion)
    return np.concatenate((above.T @ (origin - start), quaternion))


def _frame(mechanism: Mechanism, state: BodyState, label: int) -> tuple[Array, Array]:
    """Axes and origin of a label's frame in the world."""
    tree = mechanism.tree
    if label == 0:
        return np.eye(3), np.zeros(3)
    body = mechanism.parts.owners[mechanism.topology.body_of(label) - 1]
    R = state.R[body] @ tree.body_frames[label].T
    return R, state.x[body] - R @ tree.arrays.com[label]
