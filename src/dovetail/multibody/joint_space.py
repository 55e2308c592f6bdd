"""Kinematics and dynamics of a model in the joint coordinates that its users see.

q and v are those of `joint_values`: all joints in the order of the scene, then free bodies. The
tree inside has its own order, no coordinates for joints that are cut, and some for kinematic
bodies: v_tree = B v with a matrix B of zeros, ones and rotations, so M = B^T M_tree B.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np

from dovetail.errors import InputError
from dovetail.linalg.lie import so3
from dovetail.model.frozen import DYNAMIC, GROUND, Model
from dovetail.model.joints.actuation import Actuation
from dovetail.model.joints.motions import BALL, FREE
from dovetail.model.values import Array, quote
from dovetail.multibody.joint_values import JointMeter
from dovetail.multibody.mechanism import Mechanism, driving, exact_mechanism
from dovetail.multibody.mechanism.assembly import closed_near
from dovetail.multibody.mechanism.coordinates_at import measured_motion
from dovetail.multibody.state import BodyState
from dovetail.multibody.tree import inverse_dynamics, kinematics, mass_matrix
from dovetail.runtime.records import Int64Array

OPEN = 1e-6  # of the mechanism's size: loops that a given q may leave open


class JointSpace:
    """A model in joint coordinates; of all actuation only rotors (`armature`) play a part."""

    def __init__(self, model: Model) -> None:
        self.model = model
        bare = tuple(
            replace(placed, joint=replace(placed.joint, actuation=_rotors(placed.joint.actuation)))
            for placed in model.joints
        )
        self._bare = replace(model, joints=bare)
        self.meter = JointMeter(model, self._free_bodies())

    @cached_property
    def mechanism(self) -> Mechanism:
        """The tree of all joints, loops cut."""
        return exact_mechanism(self._bare)

    def _free_bodies(self) -> list[int]:
        """Bodies that no joint holds to the ground, one of each island."""
        dynamic = np.flatnonzero(self.model.motion == DYNAMIC)
        if not self.model.joints:
            return [int(i) for i in dynamic]
        topology, parts = self.mechanism.topology, self.mechanism.parts
        ends = [topology.bodies_of(number)[1] for number in topology.free_joints]
        return sorted(parts.owners[end - 1] for end in ends)

    @cached_property
    def _labels(self) -> list[tuple[int, int, bool]]:
        """Of each place of the meter: label in the tree (0: cut), code of a ball or free motion
        (-1: neither), whether the tree has the joint the other way round.
        """
        mechanism, topology = self.mechanism, self.mechanism.topology
        number_of = {link.name: n for n, link in enumerate(mechanism.parts.links, 1)}
        found = []
        for place in self.meter.places:
            if place.joint < 0:
                found.append((int(mechanism.labels[place.body]), FREE, False))
                continue
            number = number_of.get(place.name)
            label = 0 if number is None else topology.joint_labels[number - 1]
            if number is None or label > mechanism.tree.n_bodies:
                found.append((0, -1, False))
                continue
            motions = mechanism.model.joints[place.joint].joint.motions
            code = motions[0].code if motions and motions[0].code in (BALL, FREE) else -1
            child = mechanism.parts.owners[topology.body_of(label) - 1]
            found.append((label, code, child != mechanism.model.joints[place.joint].body_b))
        return found

    def tree_q(self, q: Array, state: BodyState) -> Array:
        """q of the tree; kinematic bodies where `state` has them."""
        mechanism = self.mechanism
        arrays = mechanism.tree.arrays
        found = mechanism.neutral()
        for body, where, _ in mechanism.kinematic:
            found[where] = measured_motion(mechanism, state, int(mechanism.labels[body]), FREE)
        for place, (label, code, backward) in zip(self.meter.places, self._labels):
            if label == 0:
                continue
            where = slice(int(arrays.q_start[label]), int(arrays.q_start[label + 1]))
            part = np.array(q[place.q])
            if place.joint < 0:
                R = so3.from_quaternion(_unit(part[3:])) @ mechanism.tree.body_frames[label].T
                part = np.concatenate((part[:3] - arrays.joint_point[label], so3.to_quaternion(R)))
            elif code == BALL:
                part = _unit(part) * ([1, -1, -1, -1] if backward else 1)
            elif code == FREE and backward:
                R = so3.from_quaternion(_unit(part[3:])).T
                part = np.concatenate((-R @ part[:3], so3.to_quaternion(R)))
            found[where] = part
        return found

    def map(self, q: Array) -> Array:
        """B (n_v of the tree, n_v) at q."""
        mechanism = self.mechanism
        arrays = mechanism.tree.arrays
        B = np.zeros((mechanism.n_v, self.meter.n_v))
        for place, (label, code, backward) in zip(self.meter.places, self._labels):
            if label == 0:
                continue
            rows = slice(int(arrays.v_start[label]), int(arrays.v_start[label + 1]))
            block = np.eye(rows.stop - rows.start)
            if place.joint < 0:
                block = np.kron(np.eye(2), mechanism.tree.body_frames[label])
            elif backward and code == BALL:
                block = -so3.from_quaternion(_unit(q[place.q]))
            elif backward and code == FREE:
                R, p = so3.from_quaternion(_unit(q[place.q][3:])), np.array(q[place.q][:3])
                block = -np.block([[R, -so3.hat(p) @ R], [np.zeros((3, 3)), R]])
            B[rows, place.v] = block
        return B

    def tree_v(self, q: Array, v: Array, t: float) -> Array:
        """v of the tree, kinematic bodies as their trajectories move at `t` [s]."""
        found: Array = self.map(q) @ v
        if self.mechanism.driven.size:
            found[self.mechanism.driven] = driving.velocities(self.mechanism, t, 1e-3)
        return found

    def state(self, q: Array, v: Array, given: BodyState) -> BodyState:
        """The motion of all bodies at (q, v); those that joints do not move stay as given."""
        filled = given.copy()
        if self.model.joints:
            tree_v = self.tree_v(q, v, given.t)
            return self.mechanism.fill(self.tree_q(q, given), tree_v, filled)
        for place in self.meter.places:
            i = place.body
            filled.x[i], filled.R[i] = q[place.q][:3], so3.from_quaternion(_unit(q[place.q][3:]))
            filled.v[i], filled.omega[i] = filled.R[i] @ v[place.v][:3], v[place.v][3:]
        return filled

    def closed(self, q: Array, held: list[str], state: BodyState) -> Array:
        """q with all loops closed; joints `held` by name keep their values.

        Raises InputError with the joint that stays open.
        """
        mechanism = self.mechanism
        if not self.model.joints or not mechanism.n_equations:
            return q
        tree_q = self.tree_q(q, state)
        number = [link.name for link in mechanism.parts.links]
        labels = {n: label for n, (label, _, _) in zip(self.names, self._labels)}
        fixed = [
            k
            for name in held
            if name in number and labels[name]
            for k in range(*_span(mechanism.tree.arrays.v_start, labels[name]))
        ]
        fixed += mechanism.driven.tolist()
        size = mechanism.loops.size
        if held and len(held) >= len(self.model.joints):  # all are given: they must fit
            gaps = np.abs(size * mechanism.residuals(tree_q))
            if float(gaps.max()) > OPEN * mechanism.length:
                worst = mechanism.equation(int(np.argmax(gaps)), tree_q)
                raise InputError(
                    f"this q leaves joint {quote(worst.joint)} open by {abs(worst.residual):.3g} m "
                    "or rad; give fewer joints as a dict, and the others are found"
                )
            fixed = mechanism.driven.tolist()
        found = closed_near(mechanism, tree_q, np.array(sorted(set(fixed)), np.int64))
        moved = mechanism.fill(found, np.zeros(mechanism.n_v), state.copy())
        self.meter.count_from(q)
        return self.meter.values(moved)[0]

    @property
    def names(self) -> list[str]:
        return [place.name for place in self.meter.places]

    # queries

    def mass_matrix(self, q: Array, state: BodyState) -> Array:
        """M (n_v, n_v)."""
        B = self.map(q)
        return np.asarray(B.T @ mass_matrix(self.mechanism.tree, self.tree_q(q, state)) @ B)

    def inverse_dynamics(self, q: Array, v: Array, a: Array, state: BodyState) -> Array:
        """Efforts (n_v,) for accelerations `a` (n_v,) under gravity alone."""
        B = self.map(q)
        tree_v = self.tree_v(q, v, state.t)
        tree_a = B @ a
        rate = self._map_rate(q, v)
        if rate is not None:
            tree_a = tree_a + rate @ v
        tau = inverse_dynamics(
            self.mechanism.tree, self.tree_q(q, state), tree_v, tree_a, self.model.gravity
        )
        return np.asarray(B.T @ tau)

    def _map_rate(self, q: Array, v: Array) -> Array | None:
        """DB/dt where a ball or free joint is the other way round in the tree, else None."""
        if not any(backward and code in (BALL, FREE) for _, code, backward in self._labels):
            return None
        rate = np.zeros((self.mechanism.n_v, self.meter.n_v))
        arrays = self.mechanism.tree.arrays
        for place, (label, code, backward) in zip(self.meter.places, self._labels):
            if not backward or code not in (BALL, FREE):
                continue
            rows = slice(int(arrays.v_start[label]), int(arrays.v_start[label + 1]))
            if code == BALL:
                R = so3.from_quaternion(_unit(q[place.q]))
                rate[rows, place.v] = -R @ so3.hat(v[place.v])
            else:
                R, p = so3.from_quaternion(_unit(q[place.q][3:])), np.array(q[place.q][:3])
                dR, dp = R @ so3.hat(v[place.v][3:]), R @ v[place.v][:3]
                upper = -(so3.hat(dp) @ R + so3.hat(p) @ dR)
                rate[rows, place.v] = -np.block([[dR, upper], [np.zeros((3, 3)), dR]])
        return rate

    def jacobian(self, q: Array, body: int, point: Array, state: BodyState) -> Array:
        """(6, n_v) velocity [m/s] of a world point that the body carries, and its spin [rad/s]."""
        J = np.zeros((6, self.mechanism.n_v))
        if body == GROUND or self.model.motion[body] != DYNAMIC:
            return np.zeros((6, self.meter.n_v))
        tree = self.mechanism.tree
        workspace = tree.workspace()
        kinematics.positions(tree.arrays, self.tree_q(q, state), workspace)
        label = int(self.mechanism.labels[body])
        while label > 0:
            arm = point - workspace.o[label]
            for k in range(*_span(tree.arrays.v_start, label)):
                w, u = workspace.S[k, :3], workspace.S[k, 3:]
                J[:3, k], J[3:, k] = u + np.cross(w, arm), w
            label = int(tree.arrays.parent[label])
        return np.asarray(J @ self.map(q))

    def mobility(self, q: Array, state: BodyState) -> Array:
        """(n_v,) velocity per impulse along each coordinate, loops closed; inf of cut joints."""
        held = self.mechanism.constrained_mobility(self.tree_q(q, state))
        B = self.map(q)
        found = np.einsum("ij,i->j", B * B, held)
        return np.where(B.any(axis=0), found, np.nan)


def _rotors(entries: tuple[Actuation, ...]) -> tuple[Actuation, ...]:
    """Of each coordinate what resists its acceleration."""
    if not any(entry.armature for entry in entries):
        return ()
    return tuple(Actuation(armature=entry.armature) for entry in entries)


def _span(starts: Int64Array, label: int) -> tuple[int, int]:
    return int(starts[label]), int(starts[label + 1])


def _unit(quaternion: Array) -> Array:
    size = float(np.linalg.norm(quaternion))
    if not size > 0.0:
        raise InputError("a quaternion in `q` must not be zero")
    return np.asarray(quaternion / size)
