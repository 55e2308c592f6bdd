"""Derivatives of contact forces by velocity and position, with which implicit steps solve."""

import math

import numpy as np

from dovetail.collision.field_contacts.rows import empty_contacts
from dovetail.contact.penalty.force import friction_coefficient, relative_velocity, spring
from dovetail.contact.penalty.records import (
    EXPONENT,
    MU_D,
    MU_S,
    N_PARAMETERS,
    ROUNDING,
    STIFFNESS,
    V_D,
    V_S,
)
from dovetail.linalg.so3 import hat
from dovetail.linalg.vec3 import (
    IDENTITY,
    ZERO,
    add_scaled,
    dot,
    load3,
    mat_add,
    mat_scale,
    mat_sub,
    matmul,
    norm,
    outer,
    scale,
    sub,
    transpose,
)
from dovetail.multibody.body_arrays import NO_BODIES, velocity_change
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm

NO_MATRIX = (ZERO, ZERO, ZERO)


@jit
def velocity_derivative(contacts, c, laws, damping, x, v, spin, tangent):
    """d f / d u (3, 3) of contact c: force on the point body by its relative velocity.

    Without `tangent`, friction is proportional to slip, mu(v) / v, as if from rest: the secant,
    which never lets a step go far beyond where friction reverses.
    """
    k = contacts.pair[c]
    g = load3(contacts.gradient, c)
    shape, _, _ = spring(contacts.depth[c], laws[k, EXPONENT], laws[k, ROUNDING])
    u = relative_velocity(contacts, c, x, v, spin)
    damping_factor = 1.0 - damping[k] * dot(u, g)
    if damping_factor <= 0.0:
        return NO_MATRIX
    elastic = laws[k, STIFFNESS] * shape
    by_u = scale(-elastic * damping[k], g)  # d f_N / d u
    normal = outer(g, by_u)
    if laws[k, MU_S] <= 0.0:
        return normal
    length = norm(g)
    n = scale(1.0 / length, g)
    slip = add_scaled(u, -dot(u, n), n)
    speed = norm(slip)
    mu_s, mu_d, v_s, v_d = laws[k, MU_S], laws[k, MU_D], laws[k, V_S], laws[k, V_D]
    per_speed = friction_coefficient(speed, mu_s, mu_d, v_s, v_d)
    across = mat_scale(per_speed, mat_sub(IDENTITY, outer(n, n)))
    if tangent and speed > 1e-6 * v_s:
        further = friction_coefficient(1.000001 * speed, mu_s, mu_d, v_s, v_d)
        curvature = (further - per_speed) / (1e-6 * speed * speed)
        across = mat_add(across, mat_scale(curvature, outer(slip, slip)))
    friction = mat_add(
        mat_scale(elastic * damping_factor * length, across),
        mat_scale(length * per_speed, outer(slip, by_u)),
    )
    return mat_sub(normal, friction)


@jit
def add_velocity_derivatives(contacts, count, laws, damping, x, v, spin, total):
    """Add d(force, torque) / d(v, spin) of all contacts to `total` (n, 6, n, 6), world axes."""
    for c in range(count):
        C = velocity_derivative(contacts, c, laws, damping, x, v, spin, True)
        _add_to_bodies(contacts, c, C, x, total)


@jit
def add_position_derivatives(contacts, count, laws, damping, x, v, spin, total):
    """Add d(force, torque) / d(small motion) of all contacts at fixed normals, world axes."""
    for c in range(count):
        k = contacts.pair[c]
        g = load3(contacts.gradient, c)
        _, _, derivative = spring(contacts.depth[c], laws[k, EXPONENT], laws[k, ROUNDING])
        damping_factor = 1.0 - damping[k] * dot(relative_velocity(contacts, c, x, v, spin), g)
        if damping_factor > 0.0:
            C = mat_scale(-laws[k, STIFFNESS] * derivative * damping_factor, outer(g, g))
            _add_to_bodies(contacts, c, C, x, total)


@jit
def _add_to_bodies(contacts, c, C, x, total):
    """Add the derivative C (3, 3) of one contact's force to those of its two bodies."""
    p = load3(contacts.point, c)
    bodies = (contacts.point_body[c], contacts.field_body[c])
    for a in range(2):
        torque_by_v = matmul(hat(sub(p, load3(x, bodies[a]))), C)
        for b in range(2):
            sign = 1.0 if a == b else -1.0
            arm_b = transpose(hat(sub(p, load3(x, bodies[b]))))
            force_by_spin, torque_by_spin = matmul(C, arm_b), matmul(torque_by_v, arm_b)
            for i in range(3):
                for j in range(3):
                    total[bodies[a], i, bodies[b], j] += sign * C[i][j]
                    total[bodies[a], 3 + i, bodies[b], j] += sign * torque_by_v[i][j]
                    total[bodies[a], i, bodies[b], 3 + j] += sign * force_by_spin[i][j]
                    total[bodies[a], 3 + i, bodies[b], 3 + j] += sign * torque_by_spin[i][j]


@jit
def fill_inverse_masses(bodies, R, inverse):
    """(n, 6, 6) the velocity change (v, spin) of every body per impulse, world axes."""
    for i in range(inverse.shape[0]):
        for j in range(3):
            unit = IDENTITY[j]
            if bodies.dynamic[i]:
                dv, _ = velocity_change(bodies, R, i, unit, ZERO)
                _, dspin = velocity_change(bodies, R, i, ZERO, unit)
            else:
                dv, dspin = ZERO, ZERO
            for r in range(3):
                inverse[i, r, j], inverse[i, 3 + r, 3 + j] = dv[r], dspin[r]
                inverse[i, 3 + r, j] = inverse[i, r, 3 + j] = 0.0


@jit
def contact_residual(h, bodies, R, v, spin, force, torque, more_force, more_torque):
    """What `more` of a wrench, acting for h [s], would change in the velocities, relative.

    As `multibody.body_arrays.relative_change`, but spins count as speeds at the radius of gyration:
    where many contact forces cancel, a body that does not rotate has a torque and a spin of
    rounding only, to which nothing can be relative. Returns (largest relative change, its body).
    """
    fastest = 0.0
    for i in range(v.shape[0]):
        dv, dspin = velocity_change(bodies, R, i, load3(force, i), load3(torque, i))
        at = _gyration(bodies, i)
        fastest = max(fastest, norm(load3(v, i)) + abs(h) * norm(dv))
        fastest = max(fastest, at * (norm(load3(spin, i)) + abs(h) * norm(dspin)))
    worst, body = 0.0, 0
    for i in range(v.shape[0]):
        dv, dspin = velocity_change(bodies, R, i, load3(more_force, i), load3(more_torque, i))
        change = abs(h) * (norm(dv) + _gyration(bodies, i) * norm(dspin))
        if not math.isfinite(change):
            return math.inf, i
        if change > worst * fastest:
            worst, body = change / fastest, i
    return worst, body


@jit
def _gyration(bodies, i):
    """Radius of gyration [m] of a body that rotates freely, else 0 or that of its axis."""
    least = max(
        bodies.inverse_mass[i, 0], max(bodies.inverse_mass[i, 1], bodies.inverse_mass[i, 2])
    )
    if not bodies.dynamic[i] or least == 0.0:
        return 0.0
    inertia = bodies.inertia[i, 0, 0] + bodies.inertia[i, 1, 1] + bodies.inertia[i, 2, 2]
    return math.sqrt(max(inertia / 2.0, 0.0) * least)


_none, _rows, _laws = np.empty(0), np.empty((0, 3)), read_only(np.empty((0, N_PARAMETERS)))
for _kernel in (add_velocity_derivatives, add_position_derivatives):
    warm(_kernel, empty_contacts(0), 0, _laws, _none, _rows, _rows, _rows, np.empty((0, 6, 0, 6)))
warm(fill_inverse_masses, NO_BODIES, np.empty((0, 3, 3)), np.empty((0, 6, 6)))
_rotations = np.empty((0, 3, 3))
warm(contact_residual, 1.0, NO_BODIES, _rotations, _rows, _rows, _rows, _rows, _rows, _rows)
