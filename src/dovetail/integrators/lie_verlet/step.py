"""One Lie group Stoermer-Verlet step of bodies without joints: kick, drift, kick.

The state kept between steps is (x, R, v) with the angular momentum L in *world* axes: nothing
changes L without a torque, so it is conserved to the last bit in free motion, and the recorded
R J omega to a few units of round-off after any number of steps.
"""

import math
from typing import NamedTuple

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
from dovetail.multibody.free_rotation import LARGEST_ROTATION, TOLERANCE, orthogonalised, rotation
from dovetail.multibody.loads.dampers import DamperWork, add_implicit_damping
from dovetail.multibody.loads.wrenches import NO_LOADS, CompiledLoads, position_wrenches
from dovetail.runtime.jit import jit
from dovetail.runtime.records import FloatArray
from dovetail.runtime.warmup import warm

DONE, ROTATES_TOO_FAR, NOT_FINITE, DAMPERS_UNSOLVED = 0, 1, 2, 3


class Motion(NamedTuple):
    """The motion of n bodies at one time with the total wrench on each of them."""

    x: FloatArray  # (n, 3) [m]
    R: FloatArray  # (n, 3, 3)
    v: FloatArray  # (n, 3) [m/s]
    omega: FloatArray  # (n, 3) [rad/s] body axes
    L: FloatArray  # (n, 3) [N m s] about the centre of mass, world axes
    force: FloatArray  # (n, 3) [N]
    torque: FloatArray  # (n, 3) [N m] about the centre of mass, world axes


class HalfStep(NamedTuple):
    """Velocity and angular momentum between the two kicks, and the spin after the second."""

    v: FloatArray  # (n, 3) [m/s]
    L: FloatArray  # (n, 3) [N m s]
    spin: FloatArray  # (n, 3) [rad/s] world axes


# where each record ends in the plain tuple of arrays that `step` takes
BODIES_END = len(BodyArrays._fields)
LOADS_END = BODIES_END + len(CompiledLoads._fields)
NOW_END = LOADS_END + len(Motion._fields)
HALF_END = NOW_END + len(HalfStep._fields)
AFTER_END = HALF_END + len(Motion._fields)
DAMPERS_END = AFTER_END + len(DamperWork._fields)
EXTRA_FORCE, EXTRA_TORQUE = DAMPERS_END, DAMPERS_END + 1


@jit
def drift(h, bodies, now, half, after):
    """First half kick, then the motion x + h v, R exp(f) of every dynamic body into `after`.

    Returns (code, body, iterations, residual).
    """
    max_iterations, worst = 0, 0.0
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
            f, iterations, residual = rotation(J, J_inverse, h, mat_t_vec(R, L))
            max_iterations, worst = max(max_iterations, iterations), max(worst, residual)
            if not (residual <= TOLERANCE and norm(f) < LARGEST_ROTATION):
                return ROTATES_TOO_FAR, i, iterations, residual
            R = orthogonalised(matmul(R, exp(f)))
        elif bodies.turning[i] == HINGED:
            axis = load3(bodies.axis, i)
            angle = h * dot(axis, L) / bodies.axis_inertia[i]
            R = orthogonalised(matmul(exp(scale(angle, axis)), R))
        store33(after.R, i, R)
    return DONE, -1, max_iterations, worst


@jit
def finish(h, bodies, loads, half, after, work, extra_force, extra_torque):
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
    bodies = BodyArrays(*arrays[:BODIES_END])
    loads = CompiledLoads(*arrays[BODIES_END:LOADS_END])
    now, after = Motion(*arrays[LOADS_END:NOW_END]), Motion(*arrays[HALF_END:AFTER_END])
    half = HalfStep(*arrays[NOW_END:HALF_END])
    code, body, iterations, residual = drift(h, bodies, now, half, after)
    if code != DONE:
        return code, body, iterations, residual
    code, body, more, unsolved = finish(
        h, bodies, loads, half, after, DamperWork(*arrays[AFTER_END:DAMPERS_END]),
        arrays[EXTRA_FORCE], arrays[EXTRA_TORQUE],
    )  # fmt: skip
    if code == DONE:
        commit(now, after)
    return code, body, iterations + more, max(residual, unsolved)


_rows, _rotations = np.zeros((0, 3)), np.zeros((0, 3, 3))
_motion = Motion(_rows, _rotations, _rows, _rows, _rows, _rows, _rows)
_half = HalfStep(_rows, _rows, _rows)
_work = DamperWork(_rows, np.zeros((0, 2, 3)), _rows, _rotations)
warm(drift, 0.0, NO_BODIES, _motion, _half, _motion)
warm(finish, 0.0, NO_BODIES, NO_LOADS, _half, _motion, _work, _rows, _rows)
warm(commit, _motion, _motion)
warm(step, 0.0, (*NO_BODIES, *NO_LOADS, *_motion, *_half, *_motion, *_work, _rows, _rows))
