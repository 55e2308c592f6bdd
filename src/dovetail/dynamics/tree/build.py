"""From bodies and joints placed in the world to the arrays of a labelled tree."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.dynamics.tree.structure import Array, Tree
from dovetail.errors import InputError
from dovetail.kernels.tree_layout import (
    FIXED,
    FREE,
    KIND_NAMES,
    N_Q,
    N_V,
    SPHERICAL,
    UNIVERSAL,
    TreeArrays,
)
from dovetail.topology import Topology, analyse

RIGHT_ANGLE_TOLERANCE = 1e-6


@dataclass(frozen=True)
class TreeBody:
    """A rigid body at the initial pose. SI units."""

    mass: float
    com: Any = (0.0, 0.0, 0.0)
    """Centre of mass in the world [m]."""
    rotation: Any = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    """Body axes to world axes, 3x3."""
    inertia: Any = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    """About the centre of mass in body axes, 3x3 [kg m^2]."""


@dataclass(frozen=True)
class TreeJoint:
    """A joint between two bodies (0 is the ground), placed in the world at the initial pose."""

    kind: str
    bodies: tuple[int, int]
    point: Any = (0.0, 0.0, 0.0)
    axis: Any = (0.0, 0.0, 1.0)
    axis2: Any = (1.0, 0.0, 0.0)
    pitch: float = 0.0
    """Advance of a screw joint [m per turn]."""


def build_tree(
    bodies: Sequence[TreeBody], joints: Sequence[TreeJoint], topology: Topology | None = None
) -> Tree:
    """Arrays of the spanning tree of a system; q = 0 (unit quaternions) is the pose given.

    topology defaults to `analyse` of the joints with floating islands allowed and cuts where the
    fewest loop equations result. A free joint has its origin at its child's centre of mass.
    """
    mistakes = [m for i, body in enumerate(bodies, 1) for m in _body_mistakes(i, body)]
    mistakes += [m for i, joint in enumerate(joints, 1) for m in _joint_mistakes(i, joint)]
    if mistakes:
        raise InputError(mistakes)
    if topology is None:
        topology = analyse(
            [joint.bodies for joint in joints],
            weights=[6 - N_V[KIND_NAMES.index(joint.kind)] for joint in joints],
            floating=True,
            n_bodies=len(bodies),
        )
    if topology.n_bodies != len(bodies) or topology.joints[: len(joints)] != tuple(
        (int(a), int(b)) for a, b in (joint.bodies for joint in joints)
    ):
        raise InputError("`topology` must be the analysis of these bodies and joints")
    return _arrays(bodies, joints, topology)


def _arrays(bodies: Sequence[TreeBody], joints: Sequence[TreeJoint], topology: Topology) -> Tree:
    n = len(bodies)
    kind = np.zeros(n + 1, dtype=np.int64)
    lead, mass = np.zeros(n + 1), np.zeros(n + 1)
    joint_point, com = np.zeros((n + 1, 3)), np.zeros((n + 1, 3))
    joint_axes = np.tile(np.eye(3), (n + 1, 1, 1))
    body_frames = joint_axes.copy()
    inertia = np.zeros((n + 1, 6))
    axes, points = joint_axes.copy(), joint_point.copy()  # the tree's body frames in the world
    parent = np.array([-1, *topology.parents], dtype=np.int64)
    turned = frozenset(topology.reversed_joints)
    for label in range(1, n + 1):
        body = bodies[topology.body_numbers[label - 1] - 1]
        number = topology.joint_numbers[label - 1]
        if number > len(joints):
            joint = TreeJoint("free", topology.joints[number - 1])
        else:
            joint = joints[number - 1]
        kind[label] = KIND_NAMES.index(joint.kind)
        lead[label] = joint.pitch / (2.0 * math.pi) if joint.kind == "screw" else 0.0
        mass[label] = body.mass
        centre = np.asarray(body.com, dtype=np.float64)
        E = _joint_axes(joint, kind[label], reverse=number in turned)
        point = centre if kind[label] == FREE else np.asarray(joint.point, dtype=np.float64)
        above = parent[label]
        axes[label], points[label] = E, point
        joint_axes[label] = axes[above].T @ E
        joint_point[label] = axes[above].T @ (point - points[above])
        com[label] = E.T @ (centre - point)
        body_frames[label] = E.T @ np.asarray(body.rotation, dtype=np.float64)
        J = body_frames[label] @ np.asarray(body.inertia, dtype=np.float64) @ body_frames[label].T
        inertia[label] = (0.5 * (J + J.T))[np.triu_indices(3)]
    starts = [
        np.concatenate(([0, 0], np.cumsum(np.array(count)[kind[1:]]))).astype(np.int64)
        for count in (N_Q, N_V)
    ]
    arrays = TreeArrays(
        parent=parent,
        kind=kind,
        q_start=starts[0],
        v_start=starts[1],
        joint_axes=joint_axes,
        joint_point=joint_point,
        lead=lead,
        mass=mass,
        com=com,
        inertia=inertia,
    )
    return Tree(topology=topology, arrays=arrays, body_frames=body_frames)


def _joint_axes(joint: TreeJoint, kind: int, reverse: bool) -> Array:
    """Joint frame in the world: z along the axis, x along the second axis or any normal."""
    if kind in (FIXED, SPHERICAL, FREE):
        return np.eye(3)
    z, second = _unit(joint.axis), np.asarray(joint.axis2, dtype=np.float64)
    if reverse:  # the inverse of a motion is the same motion about the opposite axes
        z, second = (-_unit(joint.axis2), -z) if kind == UNIVERSAL else (-z, second)
    if kind != UNIVERSAL:
        second = np.eye(3)[np.argmin(np.abs(z))]
    x = _unit(second - (second @ z) * z)
    return np.column_stack((x, np.cross(z, x), z))


def _unit(vector: Any) -> Array:
    array = np.asarray(vector, dtype=np.float64)
    return array / np.linalg.norm(array)


def _shaped(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether a value is finite numbers of this shape."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return array.shape == shape and bool(np.isfinite(array).all())


def _body_mistakes(number: int, body: TreeBody) -> list[str]:
    found = []
    if not _shaped(body.mass, ()) or not body.mass > 0.0:
        found.append(f"`mass` of body {number} must be > 0 kg, got {body.mass!r}")
    if not _shaped(body.com, (3,)):
        found.append(f"`com` of body {number} must be 3 finite numbers [m], got {body.com!r}")
    for name in ("rotation", "inertia"):
        if not _shaped(getattr(body, name), (3, 3)):
            found.append(f"`{name}` of body {number} must be a finite 3x3 matrix")
    return found


def _joint_mistakes(number: int, joint: TreeJoint) -> list[str]:
    found = []
    if joint.kind not in KIND_NAMES:
        found.append(
            f"`kind` of joint {number} must be one of {', '.join(KIND_NAMES)}, got {joint.kind!r}"
        )
    for name in ("point", "axis", "axis2"):
        if not _shaped(getattr(joint, name), (3,)):
            found.append(f"`{name}` of joint {number} must be 3 finite numbers")
        elif name != "point" and not np.any(getattr(joint, name)):
            found.append(f"`{name}` of joint {number} must not be zero")
    if not _shaped(joint.pitch, ()):
        found.append(f"`pitch` of joint {number} must be a number [m per turn]")
    if not found and joint.kind == "universal":
        slant = abs(float(_unit(joint.axis) @ _unit(joint.axis2)))
        if slant > RIGHT_ANGLE_TOLERANCE:
            found.append(
                f"`axis` and `axis2` of joint {number} must be at right angles, "
                f"got a cosine of {slant:.3g}"
            )
    return found
