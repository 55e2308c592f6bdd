"""Values and rates of rows that measure coordinates of joints, in one or many states."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.linalg.so3 import to_quaternion
from dovetail.linalg.vec3 import (
    ZERO,
    add,
    cross,
    load3,
    load33,
    mat_t_vec,
    matmul,
    matvec,
    sub,
    transpose,
)
from dovetail.multibody.constraints.rows import bundle_rows, evaluate, no_rows, row_rate
from dovetail.multibody.motion_squares import squares_of
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import BoolArray, FloatArray, Int64Array, bundler
from dovetail.runtime.warmup import warm, warm_later


class MeterArrays(NamedTuple):
    """The rows that measure r coordinates, and memory for them."""

    rows: Any  # Rows
    angle: FloatArray  # (r,) [rad] of the state before
    phi: FloatArray  # (r,)
    G: FloatArray  # (r, 2, 6)


bundle_meter = bundler(MeterArrays)


@jit
def measure(meter, times, x, R, v, omega, values, rates):
    """Values and rates (k, r) of k states (k, n, ...) at `times` (k,) [s].

    Angles are those nearest to what the rates of the state before lead to.
    """
    rows, angle, phi, G = meter.rows, meter.angle, meter.phi, meter.G
    body = rows.body
    for k in range(times.shape[0]):
        if k > 0:
            for r in range(phi.shape[0]):
                angle[r] += (times[k] - times[k - 1]) * rates[k - 1, r]
        evaluate(rows, x[k], R[k], angle, phi, angle, G)
        for r in range(phi.shape[0]):
            values[k, r] = phi[r]
            rates[k, r] = row_rate(body, G, r, v[k], omega[k])


class StateArrays(NamedTuple):
    """The motion of n bodies in arrays that a stepper keeps, and what is read of it.

    Of r rows and m bodies that move freely, in q and v of all joints and free bodies.
    """

    x: FloatArray  # (n, 3) [m]
    R: FloatArray  # (n, 3, 3)
    v: FloatArray  # (n, 3) [m/s]
    omega: FloatArray  # (n, 3) [rad/s]
    values: FloatArray  # (r,) [m or rad]
    rates: FloatArray  # (r,) [m/s or rad/s]
    q_of_row: Int64Array  # (r,) places in q and v
    v_of_row: Int64Array  # (r,)
    free: Int64Array  # (m,) bodies
    free_q: Int64Array  # (m,) where their coordinates start
    free_v: Int64Array  # (m,)
    q: FloatArray  # (n_q,)
    rate: FloatArray  # (n_v,)


bundle_state = bundler(StateArrays)


@jit
def measure_now(meter, now):
    """As `measure`, of one state; returns its `motion_squares`."""
    return _measure_now(meter, now)


@jit_in_place
def _measure_now(meter, now):
    """See `measure_now`."""
    rows, angle, phi, G = meter.rows, meter.angle, meter.phi, meter.G
    body, v, omega, values, rates = rows.body, now.v, now.omega, now.values, now.rates
    evaluate(rows, now.x, now.R, angle, phi, angle, G)
    for r in range(phi.shape[0]):
        values[r] = phi[r]
        rates[r] = row_rate(body, G, r, v, omega)
    _read_now(now)
    return squares_of(now)


@jit_in_place
def _read_now(now):
    """The values and rates measured, and the motion of free bodies, into q and v."""
    values, rates, q_of_row, v_of_row = now.values, now.rates, now.q_of_row, now.v_of_row
    q, v = now.q, now.rate
    for r in range(values.shape[0]):
        q[q_of_row[r]], v[v_of_row[r]] = values[r], rates[r]
    x, R, speeds, omega = now.x, now.R, now.v, now.omega
    free, q_at, v_at = now.free, now.free_q, now.free_v
    for j in range(free.shape[0]):
        _read_free_body(free[j], q_at[j], v_at[j], x, R, speeds, omega, q, v)


class BallArrays(NamedTuple):
    """The m ball rotations and free joints of a model of n bodies."""

    body: Int64Array  # (m, 2) first and second, -1 is the ground
    free: BoolArray  # (m,) whether it is a free joint
    q_at: Int64Array  # (m,)
    v_at: Int64Array  # (m,)
    axes: FloatArray  # (m, 3, 3) of the joint, its columns
    x: FloatArray  # (n, 3) [m] at the initial pose
    R: FloatArray  # (n, 3, 3)


bundle_balls = bundler(BallArrays)
_EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@jit
def _carried(balls, i, x, R, v, omega):
    """How body i carries directions of the initial pose, its position, velocity, spin and start."""
    if i < 0:
        return _EYE, ZERO, ZERO, ZERO, ZERO
    now = load33(R, i)
    turned = matmul(now, transpose(load33(balls.R, i)))
    return turned, load3(x, i), load3(v, i), matvec(now, load3(omega, i)), load3(balls.x, i)


@jit
def read_balls(balls, x, R, v, omega, q, rates):
    """Rotations of balls in their joints' axes, motions of free joints, of k states, as above."""
    for frame in range(q.shape[0]):
        for j in range(balls.free.size):
            Ra, xa, va, wa, a0 = _carried(
                balls, balls.body[j, 0], x[frame], R[frame], v[frame], omega[frame]
            )
            Rb, xb, vb, wb, b0 = _carried(
                balls, balls.body[j, 1], x[frame], R[frame], v[frame], omega[frame]
            )
            axes, at, to = load33(balls.axes, j), balls.q_at[j], balls.v_at[j]
            turned = to_quaternion(matmul(transpose(axes), matmul(matmul(transpose(Ra), Rb), axes)))
            spin = mat_t_vec(Rb, sub(wb, wa))
            if balls.free[j]:
                reached = sub(xb, add(xa, matvec(Ra, sub(b0, a0))))
                speed = sub(sub(vb, va), cross(wa, sub(xb, xa)))
                place, speed = mat_t_vec(Ra, reached), mat_t_vec(Rb, speed)
                for k in range(3):
                    q[frame, at + k], rates[frame, to + k] = place[k], speed[k]
                at, to = at + 3, to + 3
            else:
                spin = mat_t_vec(axes, spin)
            for k in range(4):
                q[frame, at + k] = turned[k]
            for k in range(3):
                rates[frame, to + k] = spin[k]


@jit
def read_free(bodies, q_at, v_at, x, R, v, omega, q, rates):
    """Position and quaternion into q, velocities in the body's axes into `rates`, of free bodies.

    In k states (k, n, ...), q (k, n_q), rates (k, n_v); they start at q_at (m,) and v_at (m,).
    """
    for frame in range(q.shape[0]):
        for j in range(bodies.size):
            _read_free_body(
                bodies[j], q_at[j], v_at[j], x[frame], R[frame], v[frame], omega[frame], q[frame],
                rates[frame],
            )  # fmt: skip


@jit_in_place
def _read_free_body(i, at, to, x, R, v, omega, q, rates):
    """As `read_free`, of body i in one state."""
    own = load33(R, i)
    turned, speed = to_quaternion(own), mat_t_vec(own, load3(v, i))
    for k in range(3):
        q[at + k], rates[to + k], rates[to + 3 + k] = x[i, k], speed[k], omega[i, k]
    for k in range(4):
        q[at + 3 + k] = turned[k]


def _register() -> None:
    some, place = np.zeros(0), np.zeros((0, 0, 3))
    meter = bundle_meter(bundle_rows(*no_rows()), some, some, np.zeros((0, 2, 6)))
    table = np.zeros((0, 0))
    none, many = np.zeros(0, np.int64), np.zeros((0, 0, 3, 3))
    balls = bundle_balls(
        np.zeros((0, 2), np.int64), np.zeros(0, np.bool_), none, none, np.zeros((0, 3, 3)),
        np.zeros((0, 3)), np.zeros((0, 3, 3)),
    )  # fmt: skip
    warm(read_balls, balls, place, many, place, place, table, table)
    warm(read_free, none, none, none, place, many, place, place, table, table)
    now = bundle_state(
        np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 3)), some, some, none,
        none, none, none, none, some, some,
    )  # fmt: skip
    warm(measure_now, meter, now)
    warm(measure, meter, some, place, np.zeros((0, 0, 3, 3)), place, place, table, table)


warm_later(_register)
