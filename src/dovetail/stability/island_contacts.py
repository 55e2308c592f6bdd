"""Mass matrix, forces and contact Jacobians N, T, O of any model at a state, island by island."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.linalg.lcp import ContactProblem, contact_problem
from dovetail.model.connected import component_labels
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.multibody.constraints import ConstrainedSystem
from dovetail.multibody.constraints.bodies import JOINT, MOTOR
from dovetail.multibody.constraints.rows import bias as row_bias
from dovetail.multibody.constraints.rows import evaluate
from dovetail.multibody.loads.forces import load_forces
from dovetail.multibody.state import BodyState
from dovetail.runtime.options import named_options
from dovetail.stability.body_contacts import cross, first_tangents

Array = NDArray[np.float64]
AT_REST = 1e-6  # of the fastest point: slower contacts roll


@dataclass(frozen=True, eq=False)
class IslandContacts:
    """Bodies that act on each other through contacts and joints; coordinates (v, omega) of each.

    Attributes:
        bodies: (n,) numbers of the dynamic bodies. contacts: (p,) rows of what was given.
        M: (6 n, 6 n). N, T, O: (p, 6 n). force: (6 n,) loads less gyroscopic forces.
        slip: (p, 2) [m/s], zero where the contact rolls. bias: (p, 3) [m/s^2] at qdd = 0.
        friction: (p,). G, G_bias: (m, 6 n), (m,) joints and fixed directions.
    """

    bodies: NDArray[np.int64]
    contacts: NDArray[np.int64]
    M: Array
    N: Array
    T: Array
    O: Array
    force: Array
    slip: Array
    bias: Array
    friction: Array
    G: Array
    G_bias: Array

    def problem(self, which: Any = slice(None)) -> ContactProblem:
        """The contact LCP (eqs. 2-16) of all contacts, or of some of them."""
        constrained = len(self.G) > 0
        return contact_problem(
            self.M, self.force, self.N[which], self.T[which], self.O[which],
            friction=self.friction[which], slip=self.slip[which], bias=self.bias[which],
            constraints=self.G if constrained else None,
            constraint_bias=self.G_bias if constrained else None,
        )  # fmt: skip


@named_options
def scene_contacts(
    model: Model, state: BodyState, bodies: Any, points: Any, normals: Any, friction: Any = 0.0
) -> list[IslandContacts]:
    """Contacts between bodies (p, 2) (a, b) at points (p, 3) [m] with normals (p, 3) from b to a.

    The first tangent T is along the slip, or any where the contact rolls; O = N x T. Surfaces are
    taken as flat, kinematic bodies as unaccelerated, and -1 is the ground.
    """
    pair = np.asarray(bodies, dtype=np.int64).reshape(-1, 2)
    at = np.asarray(points, dtype=float).reshape(-1, 3)
    normal = np.asarray(normals, dtype=float).reshape(-1, 3)
    mu = np.broadcast_to(np.asarray(friction, dtype=float), len(pair))
    frames = _frames(state, pair, at, normal)
    rows = _joint_rows(model, state)
    dynamic = model.motion == DYNAMIC
    links = [p for p in [*pair.tolist(), *(body for body, _, _ in rows)]
             if min(p) >= 0 and dynamic[p[0]] and dynamic[p[1]]]  # fmt: skip
    labels = component_labels(model.n_bodies, np.array(links, np.int64).reshape(-1, 2))
    owner = np.where((pair[:, 0] >= 0) & dynamic[pair[:, 0]], pair[:, 0], pair[:, 1])
    force, torque = load_forces(model).wrenches(state)
    islands = []
    for label in np.unique(labels[owner]) if len(pair) else ():
        members = np.flatnonzero(dynamic & (labels == label))
        contacts = np.flatnonzero(labels[owner] == label)
        if len(members):
            islands.append(
                _island(model, state, members, contacts, pair, frames, mu, rows, force, torque)
            )
    return islands


@dataclass(frozen=True, eq=False)
class _Frames:
    """Of all contacts: directions (p, 3, 3) N, T, O, arms (p, 2, 3) [m], slip and bias."""

    directions: Array
    arms: Array
    slip: Array
    bias: Array


def _frames(state: BodyState, pair: NDArray[np.int64], at: Array, normal: Array) -> _Frames:
    spin = np.vstack([state.spin, np.zeros(3)])  # the last row, number -1, is the ground
    x, v = np.vstack([state.x, np.zeros(3)]), np.vstack([state.v, np.zeros(3)])
    arms = at[:, None] - x[pair]
    speeds = v[pair] + cross(spin[pair], arms)
    inward = cross(spin[pair], cross(spin[pair], arms))
    relative, drift = speeds[:, 0] - speeds[:, 1], inward[:, 0] - inward[:, 1]
    fastest = float(np.abs(speeds).max(initial=0.0))
    flat = relative - np.einsum("pi,pi->p", normal, relative)[:, None] * normal
    rests = np.linalg.norm(flat, axis=1) <= AT_REST * fastest
    flat[rests] = 0.0
    T = first_tangents(normal, flat, None)
    directions = np.stack([normal, T, cross(normal, T)], axis=1)
    slip = np.einsum("pki,pi->pk", directions[:, 1:], flat)
    return _Frames(directions, arms, slip, np.einsum("pki,pi->pk", directions, drift))


def _joint_rows(model: Model, state: BodyState) -> list[tuple[list[int], Array, float]]:
    """Bodies, Jacobian (k, 6) in world axes and bias of every active row."""
    fixed = [
        ([int(i), int(i)], _axis_row(int(k)), 0.0)
        for i in np.flatnonzero((model.motion == DYNAMIC) & model.fixed.any(axis=1))
        for k in np.flatnonzero(model.fixed[i])
    ]
    if not model.joints:
        return fixed
    system = ConstrainedSystem(model)
    r = len(system.ordered)
    phi, angle, drift = np.zeros(r), np.zeros(r), np.zeros(r)
    G = np.zeros((r, system.width, 6))
    system.motors.set_time(state.t, state.t)
    evaluate(system.rows, state.x, state.R, angle, phi, angle, G)
    row_bias(system.rows, state.x, state.R, state.v, state.omega, phi, drift)
    rows = []
    active = system.row_owned & np.isin(system.constants.role, (JOINT, MOTOR))
    for k in np.flatnonzero(active):
        bodies = [int(i) for i in system.rows.body[k]]
        for side, i in enumerate(bodies):
            if i >= 0:
                G[k, side, 3:] = state.R[i] @ G[k, side, 3:]
        rows.append((bodies, G[k], float(drift[k] + system.constants.rate2[k])))
    return fixed + rows


def _axis_row(k: int) -> Array:
    row = np.zeros((2, 6))
    row[0, k] = 1.0
    return row


def _island(
    model: Model, state: BodyState, members: NDArray[np.int64], contacts: NDArray[np.int64],
    pair: NDArray[np.int64], frames: _Frames, mu: Array,
    rows: list[tuple[list[int], Array, float]], force: Array, torque: Array,
) -> IslandContacts:  # fmt: skip
    n, place = 6 * len(members), {int(i): 6 * k for k, i in enumerate(members)}
    M, load = np.zeros((n, n)), np.zeros(n)
    spin = state.spin
    for i, k in place.items():
        inertia = state.R[i] @ model.inertia[i] @ state.R[i].T
        M[k : k + 3, k : k + 3] = model.mass[i] * np.eye(3)
        M[k + 3 : k + 6, k + 3 : k + 6] = inertia
        load[k : k + 3] = force[i]
        load[k + 3 : k + 6] = torque[i] - cross(spin[i], inertia @ spin[i])
    J = np.zeros((3, len(contacts), n))
    for row, c in enumerate(contacts):
        for side, sign in ((0, 1.0), (1, -1.0)):
            i = int(pair[c, side])
            if i in place:
                k, d = place[i], frames.directions[c]
                J[:, row, k : k + 3] += sign * d
                J[:, row, k + 3 : k + 6] += sign * cross(frames.arms[c, side], d)
    own = [entry for entry in rows if any(i in place for i in entry[0])]
    G = np.zeros((len(own), n))
    for row, (bodies, jacobian, _) in enumerate(own):
        for side, i in enumerate(bodies):
            if i in place:
                G[row, place[i] : place[i] + 6] += jacobian[side]
    return IslandContacts(
        members, contacts, M, J[0], J[1], J[2], load, frames.slip[contacts],
        frames.bias[contacts], mu[contacts].copy(), G, np.array([entry[2] for entry in own]),
    )  # fmt: skip
