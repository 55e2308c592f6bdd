"""One Lie group Stoermer-Verlet step of bodies that nothing joins: kick, drift, kick.

The state kept between steps is (x, R, v) with the angular momentum L in *world* axes: nothing
touches L without a torque, so it is conserved to the last bit in free motion, and the recorded
R J omega to a few units of round-off after any number of steps.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    dot,
    load3,
    load33,
    mat_t_vec,
    matmul,
    norm,
    scale,
    store3,
    store33,
)
from dovetail.multibody.body_arrays import (
    FREE,
    HINGED,
    NO_BODIES,
    BodyArrays,
    free_part,
    per_mass,
    spin_of,
)
from dovetail.multibody.free_rotation import LARGEST_TURN, TOLERANCE, orthogonalised, turn
from dovetail.multibody.loads.dampers import DamperWork, add_implicit_damping
from dovetail.multibody.loads.wrenches import NO_LOADS, CompiledLoads, position_wrenches
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

DONE, TURNS_TOO_FAR, NOT_FINITE, DAMPERS_UNSOLVED = 0, 1, 2, 3


class Motion(NamedTuple):
    """The motion of n bodies at one time with the total wrench on each of them."""

    x: Any  # (n, 3) [m]
    R: Any  # (n, 3, 3)
    v: Any  # (n, 3) [m/s]
    omega: Any  # (n, 3) [rad/s] body axes
    L: Any  # (n, 3) [N m s] about the centre of mass, world axes
    force: Any  # (n, 3) [N]
    torque: Any  # (n, 3) [N m] about the centre of mass, world axes


class Kicked(NamedTuple):
    """Velocity and angular momentum between the two kicks, and the spin after the second."""

    v: Any  # (n, 3) [m/s]
    L: Any  # (n, 3) [N m s]
    spin: Any  # (n, 3) [rad/s] world axes


@jit
def drift(h, bodies, now, half, after):
    """First half kick, then the motion x + h v, R exp(f) of every dynamic body into `after`.

    Returns (code, body, iterations, residual).
    """
    most, worst = 0, 0.0
    for i in range(now.x.shape[0]):
        if not bodies.dynamic[i]:
            continue
        v = add_scaled(load3(now.v, i), 0.5 * h, per_mass(bodies, i, load3(now.force, i)))
        store3(half.v, i, v)
        store3(after.x, i, add_scaled(load3(now.x, i), h, v))
        torque = free_part(bodies, i, load3(now.torque, i))
        L = add_scaled(load3(now.L, i), 0.5 * h, torque)
        store3(half.L, i, L)
        R = load33(now.R, i)
        if bodies.turning[i] == FREE:
            J = load33(bodies.inertia, i)
            J_inverse = load33(bodies.inertia_inverse, i)
            f, iterations, residual = turn(J, J_inverse, h, mat_t_vec(R, L))
            most, worst = max(most, iterations), max(worst, residual)
            if not (residual <= TOLERANCE and norm(f) < LARGEST_TURN):
                return TURNS_TOO_FAR, i, iterations, residual
            R = orthogonalised(matmul(R, exp(f)))
        elif bodies.turning[i] == HINGED:
            axis = load3(bodies.axis, i)
            angle = h * dot(axis, L) / bodies.axis_inertia[i]
            R = orthogonalised(matmul(exp(scale(angle, axis)), R))
        store33(after.R, i, R)
    return DONE, -1, most, worst


@jit
def close(h, bodies, loads, half, after, work, extra_force, extra_torque):
    """Second half kick with the loads and the extra wrench at the new configuration.

    Dampers act at the velocities they lead to. Returns (code, body, iterations, residual).
    """
    n = after.x.shape[0]
    iterations, residual = 0, 0.0
    position_wrenches(loads, after.x, after.R, after.force, after.torque)
    for i in range(n):
        store3(after.force, i, add(load3(after.force, i), load3(extra_force, i)))
        store3(after.torque, i, add(load3(after.torque, i), load3(extra_torque, i)))
    if work.line.shape[0] > 0:
        _kick(h, bodies, half, after)
        iterations, residual = add_implicit_damping(
            h, bodies, loads, after.x, after.R, after.v, half.spin, work, after.force, after.torque
        )
        if not residual <= TOLERANCE:
            return DAMPERS_UNSOLVED, -1, iterations, residual
    _kick(h, bodies, half, after)
    for i in range(n):
        total = norm(load3(after.v, i)) + norm(load3(after.omega, i)) + norm(load3(after.x, i))
        if not math.isfinite(total):
            return NOT_FINITE, i, iterations, residual
    return DONE, -1, iterations, residual


@jit
def _kick(h, bodies, half, after):
    """`after.v`, `after.L`, `after.omega` and `half.spin` from the half-kicked values."""
    for i in range(after.x.shape[0]):
        if bodies.dynamic[i]:
            a = per_mass(bodies, i, load3(after.force, i))
            store3(after.v, i, add_scaled(load3(half.v, i), 0.5 * h, a))
            torque = free_part(bodies, i, load3(after.torque, i))
            L = add_scaled(load3(half.L, i), 0.5 * h, torque)
            store3(after.L, i, L)
            spin = spin_of(bodies, after.R, i, L)
            store3(half.spin, i, spin)
            store3(after.omega, i, mat_t_vec(load33(after.R, i), spin))


@jit
def commit(now, after):
    """`now` becomes `after`."""
    for i in range(now.x.shape[0]):
        store3(now.x, i, load3(after.x, i))
        store33(now.R, i, load33(after.R, i))
        store3(now.v, i, load3(after.v, i))
        store3(now.omega, i, load3(after.omega, i))
        store3(now.L, i, load3(after.L, i))
        store3(now.force, i, load3(after.force, i))
        store3(now.torque, i, load3(after.torque, i))


@jit
def step(h, arrays):
    """A whole step under compiled loads; `now` changes only if it succeeds.

    `arrays` are those of `bodies, loads, now, half, after, work` and the extra force and torque,
    one after another: Numba takes an array in a plain tuple twice as fast as in a named one.
    """
    bodies = BodyArrays(*arrays[:7])
    loads = CompiledLoads(*arrays[7:17])
    now, half, after = Motion(*arrays[17:24]), Kicked(*arrays[24:27]), Motion(*arrays[27:34])
    code, body, iterations, residual = drift(h, bodies, now, half, after)
    if code != DONE:
        return code, body, iterations, residual
    code, body, more, unsolved = close(
        h, bodies, loads, half, after, DamperWork(*arrays[34:38]), arrays[38], arrays[39]
    )
    if code == DONE:
        commit(now, after)
    return code, body, iterations + more, max(residual, unsolved)


_rows, _turns = np.zeros((0, 3)), np.zeros((0, 3, 3))
_motion = Motion(_rows, _turns, _rows, _rows, _rows, _rows, _rows)
_kicked = Kicked(_rows, _rows, _rows)
_work = DamperWork(_rows, np.zeros((0, 2, 3)), _rows, _turns)
warm(drift, 0.0, NO_BODIES, _motion, _kicked, _motion)
warm(close, 0.0, NO_BODIES, NO_LOADS, _kicked, _motion, _work, _rows, _rows)
warm(commit, _motion, _motion)
warm(step, 0.0, (*NO_BODIES, *NO_LOADS, *_motion, *_kicked, *_motion, *_work, _rows, _rows))
