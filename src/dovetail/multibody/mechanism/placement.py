"""Parts placed where the tree joints fit exactly; the loops may still be open."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.linalg.lie import so3
from dovetail.model.frozen import DYNAMIC
from dovetail.model.joints import Joint
from dovetail.model.joints.equations import gap, right_angle, same_directions
from dovetail.model.joints.motions import X, Z
from dovetail.model.values import Array, quote
from dovetail.multibody.loops import Closure
from dovetail.multibody.mechanism.parts import Link, Parts, shares
from dovetail.multibody.state import BodyState
from dovetail.multibody.tree import Tree, TreeBody, TreeJoint, build_tree

WORLD = np.eye(3)


@dataclass(frozen=True, eq=False)
class Motion:
    """A rigid motion x -> rotation x + shift."""

    rotation: Array
    shift: Array

    def turned(self, axes: Array) -> Array:
        """Columns rotated with it."""
        return axes if self is STAYS else np.asarray(self.rotation @ axes)

    def moved(self, point: Array) -> Array:
        if self is STAYS:
            return np.asarray(point + 0.0)
        return np.asarray(self.rotation @ point + self.shift)


STAYS = Motion(WORLD, np.zeros(3))


@dataclass(frozen=True, eq=False)
class JointFrame:
    """A joint's point [m] and its axes (columns x, y, z), in the world as given."""

    point: Array
    axes: Array


def joint_frames(joint: Joint) -> tuple[JointFrame, JointFrame]:
    """On the first and on the second body; they differ where parts are placed only roughly."""
    rough = joint.is_rough
    if not joint.axes and not rough:
        same = JointFrame(np.asarray(joint.point, dtype=float), WORLD)
        return same, same
    z = _unit(joint.axis) if joint.axes else WORLD[:, 2]
    x = WORLD[np.argmin(np.abs(z))]
    if joint.axes == 2:
        x = _unit(joint.axis2)  # type: ignore[attr-defined]
    x = _unit(x - (x @ z) * z)
    axes = np.array([x, _cross(z, x), z]).T.copy()
    first = JointFrame(np.asarray(joint.point, dtype=float), axes)
    if not rough:
        return first, first
    point_b = joint.point if joint.point_b is None else joint.point_b
    rotated = axes if joint.axis_b is None else _least_rotation(z, _unit(joint.axis_b)) @ axes
    return first, JointFrame(np.asarray(point_b, dtype=float), rotated)


def _cross(a: Array, b: Array) -> list[float]:
    """The cross product; for single vectors NumPy's takes half of the time of `place`."""
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    return [a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0]


def _unit(vector: Any) -> Array:
    array = np.asarray(vector, dtype=float)
    array = array / np.abs(array).max()
    return np.asarray(array / np.linalg.norm(array))


def _least_rotation(a: Array, b: Array) -> Array:
    """The smallest rotation that takes unit vector a to b."""
    axis = np.cross(a, b)
    sine, cosine = float(np.linalg.norm(axis)), float(a @ b)
    if sine == 0.0:
        if cosine > 0.0:
            return WORLD
        axis = np.cross(a, WORLD[np.argmin(np.abs(a))])
    axis = axis / np.linalg.norm(axis)
    return so3.exp(np.arctan2(sine, cosine) * axis)


@dataclass(frozen=True, eq=False)
class Placement:
    """The tree at its initial pose, what closes its loops, and a typical length."""

    tree: Tree
    closures: list[Closure]
    closure_links: list[Link | None]
    moves: list[Motion]
    """How far each body number was moved from where it was given (entry 0: the ground)."""
    length: float
    """[m] Size of the mechanism, which makes angles comparable with gaps."""


def place(parts: Parts, state: BodyState) -> Placement:
    """Move parts that were given only roughly onto their tree joints, and build the tree."""
    topology, links = parts.topology, parts.links
    frames = [joint_frames(link.placed.joint) for link in links]
    moves = [STAYS] * (topology.n_bodies + 1)
    for label in range(1, topology.n_bodies + 1):
        number = topology.joint_numbers[label - 1]
        child, parent = topology.body_of(label), topology.body_of(topology.parents[label - 1])
        if number > len(links) or not links[number - 1].placed.joint.equations:
            moves[child] = moves[parent]
            continue
        ends = frames[number - 1]
        held, carried = ends if links[number - 1].bodies[1] == child else ends[::-1]
        moves[child] = _onto(moves[parent], held, carried)
    bodies = _tree_bodies(parts, state, moves)
    joints = [_tree_joint(link, ends, moves) for link, ends in zip(links, frames, strict=True)]
    tree = build_tree(bodies, joints, topology)
    closure_links: list[Link | None] = [links[n - 1] for n in topology.cut_joints]
    closures = [_closure(links[n - 1], frames[n - 1], moves) for n in topology.cut_joints]
    for closure in _held_bodies(parts, state):
        closures.append(closure)
        closure_links.append(None)
    points = [np.asarray(body.com) for body in bodies]
    points += [ends[0].point for ends in frames]
    spread = np.ptp(points, axis=0) if points else np.zeros(3)
    length = float(np.linalg.norm(spread)) or 1.0
    return Placement(tree, closures, closure_links, moves, length)


def _onto(parent: Motion, held: JointFrame, carried: JointFrame) -> Motion:
    """The motion that puts `carried` where the parent's motion puts `held`."""
    if held is carried:
        return parent
    rotation = held.axes @ carried.axes.T
    if np.array_equal(held.axes, carried.axes):
        rotation = WORLD
    shift = held.point - rotation @ carried.point
    if rotation is WORLD and np.array_equal(held.point, carried.point):
        return parent
    return Motion(parent.rotation @ rotation, parent.moved(shift))


def _tree_bodies(parts: Parts, state: BodyState, moves: list[Motion]) -> list[TreeBody]:
    model = parts.model
    dynamic = model.motion == DYNAMIC
    # a driven body's own mass never matters; one like the others keeps the numbers healthy
    mass = float(np.mean(model.mass[dynamic])) if dynamic.any() else 1.0
    moment = (
        float(np.mean(np.trace(model.inertia[dynamic], axis1=1, axis2=2)))
        if (dynamic.any())
        else 1.0
    )
    bodies = []
    for number, (owner, share) in enumerate(zip(parts.owners, shares(parts), strict=True), 1):
        own = bool(dynamic[owner])
        bodies.append(
            TreeBody(
                mass=share * float(model.mass[owner]) if own else mass,
                com=moves[number].moved(state.x[owner]),
                rotation=moves[number].turned(state.R[owner]),
                inertia=share * model.inertia[owner] if own else (moment or 1.0) * WORLD,
            )
        )
    return bodies


def _tree_joint(link: Link, ends: tuple[JointFrame, JointFrame], moves: list[Motion]) -> TreeJoint:
    joint = link.placed.joint
    move, frame = moves[link.bodies[0]], ends[0]
    axes = move.turned(frame.axes)
    return TreeJoint(
        kind=type(joint),
        bodies=link.bodies,
        point=move.moved(frame.point),
        axis=axes[:, Z],
        axis2=axes[:, X],
        pitch=float(getattr(joint, "pitch", 0.0)),
        armature=tuple(float(entry.armature) for entry in joint.actuation),
    )


def _closure(link: Link, ends: tuple[JointFrame, JointFrame], moves: list[Motion]) -> Closure:
    a, b = (moves[number] for number in link.bodies)
    joint = link.placed.joint
    return Closure(
        name=link.name,
        bodies=link.bodies,
        point_a=a.moved(ends[0].point),
        point_b=b.moved(ends[1].point),
        frame_a=a.rotation @ ends[0].axes,
        frame_b=b.rotation @ ends[1].axes,
        equations=joint.equations,
        lead=joint.lead,
    )


def _held_bodies(parts: Parts, state: BodyState) -> list[Closure]:
    """What `fixed` holds, as equations against the ground in world axes."""
    model = parts.model
    found, mistakes = [], []
    for owner in np.flatnonzero((model.motion == DYNAMIC) & model.fixed.any(axis=1)):
        gaps = [gap(axis) for axis in range(3) if model.fixed[owner, axis]]
        free = np.flatnonzero(~model.fixed[owner, 3:])
        if len(free) == 2:
            mistakes.append(
                f"`fixed` of body {quote(model.names[owner])} must leave three, one or none of "
                "rx, ry, rz free, it leaves two; hold another one, or use a joint"
            )
        angles = same_directions() if len(free) == 0 else ()
        if len(free) == 1:
            axis = int(free[0])
            angles = tuple(right_angle(other, axis) for other in range(3) if other != axis)
        found.append(
            Closure(
                name=f"fixed of {model.names[owner]}",
                bodies=(0, parts.number_of(int(owner))),
                point_a=state.x[owner].copy(),
                point_b=state.x[owner].copy(),
                frame_a=WORLD,
                frame_b=WORLD,
                equations=(*gaps, *angles),
            )
        )
    if mistakes:
        raise InputError(mistakes)
    return found
