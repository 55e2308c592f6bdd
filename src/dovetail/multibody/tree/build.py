"""From bodies and joints placed in the world to the arrays of a labelled tree."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.model.joints import Joint
from dovetail.model.joints.motions import FreeMotion, Z
from dovetail.model.joints.relative_motion import couplings, is_carried_off
from dovetail.multibody.topology import Topology, analyse
from dovetail.multibody.tree.part_checks import refuse_wrong_parts
from dovetail.multibody.tree.parts import TreeBody, TreeJoint
from dovetail.multibody.tree.records import ANGULAR, LINEAR, MANY, TreeArrays
from dovetail.multibody.tree.structure import Array, Tree


def build_tree(
    bodies: Sequence[TreeBody], joints: Sequence[TreeJoint], topology: Topology | None = None
) -> Tree:
    """Arrays of the spanning tree of a system; q = 0 (unit quaternions) is the pose given.

    topology defaults to `analyse` of the joints with floating islands allowed and cuts where the
    fewest loop equations result. A free joint has its origin at its child's centre of mass.
    """
    refuse_wrong_parts(bodies, joints)
    if topology is None:
        topology = analyse(
            [joint.bodies for joint in joints],
            weights=[6 - joint.joint_type.freedoms for joint in joints],
            floating=True,
            n_bodies=len(bodies),
        )
    if topology.n_bodies != len(bodies) or topology.joints[: len(joints)] != tuple(
        (int(a), int(b)) for a, b in (joint.bodies for joint in joints)
    ):
        raise InputError("`topology` must be the analysis of these bodies and joints")
    return _arrays(bodies, joints, topology)


def _arrays(bodies: Sequence[TreeBody], joints: Sequence[TreeJoint], topology: Topology) -> Tree:
    """Everything by label; row 0 is the ground, whose frame is the world's."""
    held = [bodies[number - 1] for number in topology.body_numbers]
    holding = [
        joints[number - 1] if number <= len(joints) else TreeJoint("free", (0, 0))
        for number in topology.joint_numbers[: len(bodies)]
    ]
    n = len(held)
    types = [joint.joint_type for joint in holding]
    parent = np.array([-1, *topology.parents], dtype=np.int64)
    centre = _rows([body.com for body in held], (3,))
    floats = np.array([False, *(_floats(kind) for kind in types)])
    point = np.where(floats[:, np.newaxis], centre, _rows([j.point for j in holding], (3,)))
    backward = np.isin(topology.joint_numbers[:n], topology.reversed_joints)
    E = np.tile(np.eye(3), (n + 1, 1, 1))
    E[1:] = _joint_axes(types, holding, backward)
    E_transposed = np.swapaxes(E, 1, 2)
    above = np.maximum(parent, 0)

    body_frames = E_transposed @ _rows([body.rotation for body in held], (3, 3))
    J = _rows([body.inertia for body in held], (3, 3))
    J = body_frames @ J @ np.swapaxes(body_frames, 1, 2)
    rows, columns = np.triu_indices(3)
    lead = [j.pitch / (2.0 * math.pi) for j in holding]
    motions = _motions(types, backward)
    arrays = TreeArrays(
        parent=parent,
        **motions,
        joint_axes=np.ascontiguousarray(E_transposed[above] @ E),
        joint_point=_applied(E_transposed[above], point - point[above]),
        lead=_rows(lead, ()),
        mass=_rows([body.mass for body in held], ()),
        com=_applied(E_transposed, centre - point),
        inertia=np.ascontiguousarray(0.5 * (J + np.swapaxes(J, 1, 2))[:, rows, columns]),
        armature=_armature(holding, motions["v_start"]),
    )
    return Tree(topology=topology, arrays=arrays, body_frames=body_frames)


def _armature(joints: Sequence[TreeJoint], v_start: NDArray[np.int64]) -> Array:
    """(n_v,) of the joints that hold bodies 1..n."""
    armature = np.zeros(int(v_start[-1]))
    for label, joint in enumerate(joints, 1):
        first = int(v_start[label])
        armature[first : first + len(joint.armature)] = joint.armature
    return armature


def _rows(values: Sequence[Any], shape: tuple[int, ...]) -> Array:
    """Values of bodies 1..n as rows after a row of zeros for the ground."""
    rows = np.zeros((len(values) + 1, *shape))
    if values:
        rows[1:] = values
    return rows


def _applied(matrices: Array, vectors: Array) -> Array:
    return np.ascontiguousarray(np.einsum("nij,nj->ni", matrices, vectors))


def _floats(kind: type[Joint]) -> bool:
    return any(isinstance(motion, FreeMotion) for motion in kind.motions)


def _motions(types: Sequence[type[Joint]], backward: NDArray[np.bool_]) -> dict[str, Any]:
    """The fields of `TreeArrays` that say how each joint moves.

    The inverse of a list of motions is the list of opposite motions in reverse order, so a joint
    that points from child to parent keeps the meaning of its coordinates, and their places. Where
    it has one motion along z, the joint frame has z the other way instead.
    """
    q_start, v_start, motion_start = [0, 0], [0, 0], [0, 0]
    rows: list[tuple[int, int, int, int]] = []
    signs: list[float] = []
    single, couples, carries = [MANY], [0], [0]
    for kind, reverse in zip(types, backward, strict=True):
        own, q, v = [], q_start[-1], v_start[-1]
        for motion in kind.motions:
            own.append((motion.code, motion.axis, q, v))
            q, v = q + motion.n_q, v + motion.n_v
        order = kind.motions[::-1] if reverse else kind.motions
        rows += own[::-1] if reverse else own
        signs += [-1.0 if reverse and not _is_single(kind) else 1.0] * len(own)
        single.append(own[0][0] if _is_single(kind) else MANY)
        angular, linear = couplings(order)
        couples.append(ANGULAR * angular + LINEAR * linear)
        carries.append(int(is_carried_off(order)))
        q_start.append(q)
        v_start.append(v)
        motion_start.append(len(rows))
    return {
        "q_start": np.array(q_start, dtype=np.int64),
        "v_start": np.array(v_start, dtype=np.int64),
        "single": np.array(single, dtype=np.int64),
        "motion_start": np.array(motion_start, dtype=np.int64),
        "motion": np.array(rows, dtype=np.int64).reshape(-1, 4),
        "motion_sign": np.array(signs, dtype=np.float64),
        "couples": np.array(couples, dtype=np.int64),
        "carries": np.array(carries, dtype=np.int64),
    }


def _is_single(kind: type[Joint]) -> bool:
    return len(kind.motions) == 1 and kind.motions[0].axis == Z


def _joint_axes(
    types: Sequence[type[Joint]], joints: Sequence[TreeJoint], backward: NDArray[np.bool_]
) -> Array:
    """Joint frames (n, 3, 3) in the world: z along the axis, x along the second or any normal."""
    if not joints:
        return np.zeros((0, 3, 3))
    z = _units(np.array([joint.axis for joint in joints], dtype=np.float64))
    x = _units(np.array([joint.axis2 for joint in joints], dtype=np.float64))
    needed = np.array([kind.axes for kind in types])
    z[backward & np.array([_is_single(kind) for kind in types])] *= -1.0
    x[needed < 2] = np.eye(3)[np.argmin(np.abs(z[needed < 2]), axis=1)]
    x = _units(x - (x * z).sum(axis=1, keepdims=True) * z)
    axes = np.stack((x, np.cross(z, x), z), axis=2)
    axes[needed == 0] = np.eye(3)
    return axes


def _units(vectors: Array) -> Array:
    length: Array = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / length
