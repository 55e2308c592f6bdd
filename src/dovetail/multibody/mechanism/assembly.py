"""Consistent initial conditions: close every loop, then make velocities fit."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.model.frozen import GROUND, STATIC, Model, PlacedJoint
from dovetail.model.joints.equations import DOT
from dovetail.model.values import Array, quote
from dovetail.multibody.loops import MassFactor, independent
from dovetail.multibody.mechanism.mechanism import Mechanism
from dovetail.multibody.mechanism.placement import joint_frames
from dovetail.multibody.state import BodyState, initial_state
from dovetail.multibody.tree import integrate, kinematics, mass_matrix, momenta

CLOSED = 1e-10  # of the mechanism's size: what counts as assembled
EXACT = 1e-13  # where a pose is left as it was given
MAX_ITERATIONS = 200
LARGEST_ROTATION = 0.5  # [rad] per iteration


@dataclass(frozen=True, eq=False)
class Assembled:
    """Where a mechanism starts: coordinates that close every loop, velocities that keep it so."""

    q: Array
    v: Array
    moved: float
    """Largest change of a coordinate from the pose that was given [m or rad]."""


def assemble(model: Model) -> Model:
    """The model with its parts moved until all joints fit, and velocities that fit them.

    Tree joints fit by construction; loops are closed by Levenberg and Marquardt's iteration in
    the metric of the kinetic energy, so light parts move rather than heavy ones. Driven joints
    and kinematic bodies stay where their motion begins. Raises InputError with the joint that
    cannot close.
    """
    mechanism = Mechanism(model)
    start = assembled(mechanism)
    state = mechanism.state(start.q, start.v)
    joints = tuple(_moved_joint(model, state, placed) for placed in model.joints)
    arrays = {"position": state.x, "rotation": state.R, "velocity": state.v}
    arrays["angular_velocity"] = state.spin
    for array in arrays.values():
        array.flags.writeable = False
    return replace(model, joints=joints, **arrays)  # type: ignore[arg-type]


def assembled(mechanism: Mechanism, v_driven: Array | None = None) -> Assembled:
    """Coordinates and velocities to start from; v_driven: of the driven coordinates."""
    given = mechanism.neutral()
    q = given.copy()
    for motor in mechanism.acting.driven:
        if motor.mode == "position":
            q[motor.q_index] = motor.at(0.0)
    q = closed_near(mechanism, q, mechanism.driven)
    v = fitting_velocities(mechanism, q, v_driven, initial_state(mechanism.model))
    return Assembled(q, v, float(np.abs(q - given).max(initial=0.0)))


def closed_near(mechanism: Mechanism, q: Array, held: NDArray[np.int64]) -> Array:
    """Coordinates near q that close all loops, to round-off; those `held` (of v) stay.

    Where the iteration ends in a dead point, such as all links in one line, it starts again from
    poses rotated a little at random, always the same ones.
    """
    if not mechanism.n_equations:
        return q
    if _gap(mechanism, q) <= EXACT * mechanism.length:
        return q
    free = np.setdiff1d(np.arange(mechanism.n_v, dtype=np.int64), held)
    best = _descended(mechanism, q, free)
    rng = np.random.default_rng(0)
    for scale in (0.1, 0.1, 0.3, 0.3, 0.6, 0.6, 1.0, 1.0):
        if _gap(mechanism, best) <= CLOSED * mechanism.length:
            return best
        change = np.zeros(mechanism.n_v)
        change[free] = scale * rng.uniform(-1.0, 1.0, free.size)
        trial = _descended(mechanism, integrate(mechanism.tree, q, change, 1.0), free)
        if _gap(mechanism, trial) < _gap(mechanism, best):
            best = trial
    _refuse_open(mechanism, best)
    return best


def _gap(mechanism: Mechanism, q: Array) -> float:
    """Largest residual as a length [m]."""
    return float(np.abs(mechanism.loops.size * mechanism.residuals(q)).max())


def _descended(mechanism: Mechanism, q: Array, free: NDArray[np.int64]) -> Array:
    """The end of Levenberg and Marquardt's iteration from q."""
    size = mechanism.loops.size
    e = size * mechanism.residuals(q)
    damping, best = 0.0, float(np.linalg.norm(e))
    for _ in range(MAX_ITERATIONS):
        change = _correction(mechanism, q, e, free, damping)
        trial = integrate(mechanism.tree, q, change, 1.0)
        e_trial = size * mechanism.residuals(trial)
        gap = float(np.linalg.norm(e_trial))
        if gap < best:
            slow = gap > 0.5 * best and best <= CLOSED * mechanism.length
            stuck = gap > (1.0 - 1e-9) * best
            q, e, best = trial, e_trial, gap
            damping = 0.1 * damping if damping > 1e-12 else 0.0
            if slow or stuck:
                break
        elif best <= CLOSED * mechanism.length:
            break
        else:
            damping = 10.0 * damping if damping > 0.0 else 1e-8
            if damping > 1e12:
                break
    return q


def _correction(
    mechanism: Mechanism, q: Array, e: Array, free: NDArray[np.int64], damping: float
) -> Array:
    """-L^-1 Y^+ e with Y = J L^-1 over the free coordinates, damped as Levenberg does."""
    M = mass_matrix(mechanism.tree, q)[np.ix_(free, free)]
    L = np.linalg.cholesky(M)
    J = (mechanism.loops.size[:, None] * mechanism.jacobian(q))[:, free]
    Y = np.linalg.solve(L, J.T).T
    U, s, Vt = np.linalg.svd(Y, full_matrices=False)
    if not s.size or s[0] == 0.0:
        return np.zeros(mechanism.n_v)
    filtered = np.zeros_like(s)
    keep = s > 1e-9 * s[0]
    filtered[keep] = s[keep] / (s[keep] ** 2 + damping * s[0] ** 2)
    y = -Vt.T @ (filtered * (U.T @ e))
    change = np.zeros(mechanism.n_v)
    change[free] = np.linalg.solve(L.T, y)
    largest = float(np.abs(change).max())
    allowed = LARGEST_ROTATION * max(1.0, mechanism.length)
    return change * min(1.0, allowed / largest) if largest > 0.0 else change


def _refuse_open(mechanism: Mechanism, q: Array) -> None:
    """InputError naming each joint that is still open, and by how much."""
    e = mechanism.residuals(q)
    mistakes, row = [], 0
    for closure in mechanism.closures:
        part = slice(row, row + len(closure.equations))
        row = part.stop
        kinds = mechanism.loops.kind[part]
        gap = float(np.linalg.norm(e[part][kinds != DOT]))
        tilt = float(np.arcsin(min(1.0, float(np.linalg.norm(e[part][kinds == DOT])))))
        if max(gap, tilt * mechanism.length) > CLOSED * mechanism.length:
            names = [mechanism.parts.body_name(number) for number in closure.bodies]
            mistakes.append(
                f"joint {quote(closure.name)} between {quote(names[0])} and {quote(names[1])} "
                f"cannot close: a gap of {gap:.3g} m and a tilt of {tilt:.3g} rad remain; check "
                "the lengths of the loop's parts, or place them nearer to where they belong"
            )
    for coupling, off in zip(mechanism.couplings, e[row:], strict=True):
        if abs(off) > CLOSED * max(1.0, mechanism.length):
            mistakes.append(
                f"coupling {quote(coupling.name)} cannot hold: its sum is off by {off:.3g} m or "
                "rad; check its factors and `offset`, which count from the initial pose"
            )
    if mistakes:
        raise InputError(mistakes)


def fitting_velocities(
    mechanism: Mechanism, q: Array, v_driven: Array | None, given: BodyState
) -> Array:
    """The velocities nearest, in kinetic energy, to those the bodies were given.

    Minimises sum over bodies of |X v - V_given|^2 in their inertias with J v = 0 and the driven
    velocities as they must be: M v = X^T I V_given + J^T mu.
    """
    p = _given_momenta(mechanism, q, given)
    tree = mechanism.tree  # without rotors: bodies alone say what velocities were given
    alone = tree.arrays._replace(armature=np.zeros_like(tree.arrays.armature))
    mass = MassFactor(replace(tree, arrays=alone), q)
    J = mechanism.jacobian(q)
    wanted = np.zeros(len(J))
    driven = mechanism.driven
    if driven.size:
        J = np.concatenate((np.eye(mechanism.n_v)[driven], J))
        held = np.zeros(driven.size) if v_driven is None else v_driven
        wanted = np.concatenate((held, wanted))
    y = mass.reduced(p[None])[0]
    if len(J):
        Y = mass.reduced(J)
        chosen = independent(Y, mechanism.loops.size, driven.size)
        Q, upper = np.linalg.qr(Y[chosen].T)
        y = y + Q @ (np.linalg.solve(upper.T, wanted[chosen]) - Q.T @ y)
    return np.ascontiguousarray(mass.expanded(y))


def _given_momenta(mechanism: Mechanism, q: Array, given: BodyState) -> Array:
    """X^T I V_given: momenta along the coordinates of the velocities that bodies were given."""
    tree = mechanism.tree
    workspace = tree.workspace()
    kinematics.positions(tree.arrays, q, workspace)
    for number, owner in enumerate(mechanism.parts.owners, 1):
        label = mechanism.topology.label_of(number)
        rotation = workspace.R[label] @ tree.body_frames[label] @ given.R[owner].T
        spin, speed = rotation @ given.spin[owner], rotation @ given.v[owner]
        arm = workspace.R[label] @ tree.arrays.com[label]
        workspace.V[label] = [*spin, *(speed - np.cross(spin, arm))]
    p, push, zero = np.zeros(tree.n_v), np.zeros(tree.n_v), np.zeros(tree.n_v)
    wrench = np.zeros((tree.n_bodies + 1, 6))
    momenta.momenta(tree.arrays, workspace, zero, wrench, zero, p, push)
    return p


def _moved_joint(model: Model, state: BodyState, placed: PlacedJoint) -> PlacedJoint:
    """The joint where its first body has carried it, now in one place on both bodies."""
    first, _ = joint_frames(placed.joint)
    body = placed.body_a
    if body == GROUND or model.motion[body] == STATIC:
        rotation, shift = np.eye(3), np.zeros(3)
    else:
        given = initial_state(model)
        rotation = state.R[body] @ given.R[body].T
        shift = state.x[body] - rotation @ given.x[body]
    changes: dict[str, Any] = {"point_b": None, "axis_b": None}
    changes["point"] = tuple((rotation @ first.point + shift).tolist())
    if placed.joint.axes:
        changes["axis"] = tuple((rotation @ first.axes[:, 2]).tolist())
    if placed.joint.axes == 2:
        changes["axis2"] = tuple((rotation @ first.axes[:, 0]).tolist())
    return replace(placed, joint=replace(placed.joint, **changes))
