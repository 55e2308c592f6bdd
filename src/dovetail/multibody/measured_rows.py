"""Values and rates of rows that measure coordinates of joints, in one or many states."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.linalg.so3 import to_quaternion
from dovetail.linalg.vec3 import load3, load33, mat_t_vec
from dovetail.multibody.constraints.rows import bundle_rows, evaluate, no_rows, row_rate
from dovetail.runtime.jit import jit
from dovetail.runtime.records import FloatArray, bundler
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


@jit
def read_free(bodies, q_at, v_at, x, R, v, omega, q, rates):
    """Position and quaternion into q, velocities in the body's axes into `rates`, of free bodies.

    They start at q_at (m,) and v_at (m,).
    """
    for j in range(bodies.size):
        i, at, to = bodies[j], q_at[j], v_at[j]
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
    none, flat = np.zeros(0, np.int64), np.zeros((0, 3))
    warm(read_free, none, none, none, flat, np.zeros((0, 3, 3)), flat, flat, some, some)
    warm(measure, meter, some, place, np.zeros((0, 0, 3, 3)), place, place, table, table)


warm_later(_register)
