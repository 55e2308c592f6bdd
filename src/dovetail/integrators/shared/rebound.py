"""Impacts without restitution: what a barrier gives back is taken back.

A barrier is elastic: where steps resolve it, it throws back what it has stopped. With e = 0 bodies
do not part. So the impulses of contacts that strike, or open by the force of their barrier, are
replaced by those of an impact without restitution,
    0 <= lambda_N _|_ J_N u >= 0,   |lambda_T| <= mu lambda_N against the slip,
by sweeps of projected Gauss-Seidel over these contacts alone, begun with what the barrier did. All
others keep their forces.
"""

import numpy as np

from dovetail.contact.ipc.report import BODY_A, BODY_B, COLUMNS, NORMAL, POINT
from dovetail.linalg.vec3 import add, cross, dot, norm, scale, sub
from dovetail.multibody.body_arrays import NO_BODIES, velocity_change
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

HELD = 1.1  # times what loads add in a step: what contact changes at rest, with a margin
SWEEPS = 50
DONE = 1e-4  # of the largest change of a velocity: what ends the sweeps


@jit
def contact_stops(dynamic, inverse_mass, radius, v_0, omega_0, v, omega, force, h, slowest):
    """Whether contact may have changed a velocity by more than it takes to hold a body.

    What is at rest gets h force / m; what is turned by torques or by itself may be counted too.
    """
    for i in range(dynamic.shape[0]):
        if not dynamic[i]:
            continue
        change, turned, held = 0.0, 0.0, 0.0
        for k in range(3):
            added = h * inverse_mass[i, k] * force[i, k]
            change += (v[i, k] - v_0[i, k] - added) ** 2
            turned += (omega[i, k] - omega_0[i, k]) ** 2
            held += added * added
        if change**0.5 + radius[i] * turned**0.5 > HELD * held**0.5 + slowest:
            return True
    return False


@jit
def _vector(rows, r, column):
    return rows[r, column], rows[r, column + 1], rows[r, column + 2]


@jit
def _velocity(u, i, arm):
    """[m/s] of the point `arm` [m] from the centre of body i."""
    return add((u[i, 0], u[i, 1], u[i, 2]), cross((u[i, 3], u[i, 4], u[i, 5]), arm))


@jit
def _relative(rows, r, x, u):
    """[m/s] velocity of the first body relative to the second at contact r."""
    a, b, point = int(rows[r, BODY_A]), int(rows[r, BODY_B]), _vector(rows, r, POINT)
    return sub(
        _velocity(u, a, sub(point, (x[a, 0], x[a, 1], x[a, 2]))),
        _velocity(u, b, sub(point, (x[b, 0], x[b, 1], x[b, 2]))),
    )


@jit
def opening_rates(rows, x, u):
    """(m,) [m/s] how fast the contacts `rows` (see `ipc.report`) open at velocities u (n, 6)."""
    rates = np.empty(rows.shape[0])
    for r in range(rows.shape[0]):
        rates[r] = dot(_vector(rows, r, NORMAL), _relative(rows, r, x, u))
    return rates


@jit
def slip_speeds(rows, x, u):
    """(m,) [m/s] how fast the contacts `rows` slip at velocities u (n, 6)."""
    speeds = np.empty(rows.shape[0])
    for r in range(rows.shape[0]):
        n, velocity = _vector(rows, r, NORMAL), _relative(rows, r, x, u)
        speeds[r] = norm(sub(velocity, scale(dot(n, velocity), n)))
    return speeds


@jit
def _apply(bodies, R, a, b, arm_a, arm_b, p, u):
    """Let the impulse p [N s] act on body a, and -p on b, at `arm_a`, `arm_b` of the centres."""
    dv, dw = velocity_change(bodies, R, a, p, cross(arm_a, p))
    for k in range(3):
        u[a, k] += dv[k]
        u[a, 3 + k] += dw[k]
    dv, dw = velocity_change(bodies, R, b, p, cross(arm_b, p))
    for k in range(3):
        u[b, k] -= dv[k]
        u[b, 3 + k] -= dw[k]


@jit
def _response(bodies, R, a, b, arm_a, arm_b, n):
    """[1/kg] how fast the contact opens along n by an impulse along n."""
    dv_a, dw_a = velocity_change(bodies, R, a, n, cross(arm_a, n))
    dv_b, dw_b = velocity_change(bodies, R, b, n, cross(arm_b, n))
    return dot(n, add(add(dv_a, cross(dw_a, arm_a)), add(dv_b, cross(dw_b, arm_b))))


@jit
def take_back(bodies, x, R, rows, thrown, mu, impulses, u):
    """Replace `impulses` (m, 3) [N s] of contacts `thrown`, and change u (n, 6) with them.

    `rows` (m, COLUMNS) are contacts (see `ipc.report`), mu (m,) their friction.
    """
    fastest, responses = 0.0, np.zeros(len(thrown))
    for k, r in enumerate(thrown):
        a, b = int(rows[r, BODY_A]), int(rows[r, BODY_B])
        point, n = _vector(rows, r, POINT), _vector(rows, r, NORMAL)
        arm_a = sub(point, (x[a, 0], x[a, 1], x[a, 2]))
        arm_b = sub(point, (x[b, 0], x[b, 1], x[b, 2]))
        responses[k] = _response(bodies, R, a, b, arm_a, arm_b, n)
    for _ in range(SWEEPS):
        largest = 0.0
        for k, r in enumerate(thrown):
            a, b = int(rows[r, BODY_A]), int(rows[r, BODY_B])
            point, n = _vector(rows, r, POINT), _vector(rows, r, NORMAL)
            arm_a = sub(point, (x[a, 0], x[a, 1], x[a, 2]))
            arm_b = sub(point, (x[b, 0], x[b, 1], x[b, 2]))
            response = responses[k]
            if not response > 0.0:
                continue
            old = _vector(impulses, r, 0)
            before = dot(n, old)
            rate = dot(n, sub(_velocity(u, a, arm_a), _velocity(u, b, arm_b)))
            normal = max(0.0, before - rate / response)
            if normal != before:
                _apply(bodies, R, a, b, arm_a, arm_b, scale(normal - before, n), u)
            total = scale(normal, n)
            if mu[r] > 0.0:
                tangential = sub(old, scale(before, n))
                velocity = sub(_velocity(u, a, arm_a), _velocity(u, b, arm_b))
                slip = sub(velocity, scale(dot(n, velocity), n))
                wanted, speed = tangential, norm(slip)
                if speed > 0.0:
                    along = scale(1.0 / speed, slip)
                    easy = _response(bodies, R, a, b, arm_a, arm_b, along)
                    wanted = sub(tangential, scale(speed / easy, along))
                size, bound = norm(wanted), mu[r] * normal
                if size > bound:
                    wanted = scale(bound / size, wanted)
                _apply(bodies, R, a, b, arm_a, arm_b, sub(wanted, tangential), u)
                total = add(total, wanted)
            for c in range(3):
                impulses[r, c] = total[c]
            largest = max(largest, norm(sub(total, old)) * response)
        fastest = max(fastest, largest)
        if not largest > DONE * fastest:
            break


_n, _v, _u = np.zeros(0), np.zeros((0, 3)), np.zeros((0, 6))
warm(
    contact_stops, NO_BODIES.dynamic, NO_BODIES.inverse_mass, _n, _v, _v, _v, _v, _v, 0.0, 0.0
)  # fmt: skip
warm(opening_rates, np.zeros((0, COLUMNS)), _v, _u)
warm(slip_speeds, np.zeros((0, COLUMNS)), _v, _u)
warm(
    take_back, NO_BODIES, _v, np.zeros((0, 3, 3)), np.zeros((0, COLUMNS)), np.zeros(0, np.int64),
    _n, _v, _u,
)  # fmt: skip
