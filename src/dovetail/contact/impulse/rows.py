"""Scalar rows J u of joints and contacts, and the velocities that impulses along them cause.

A row has two bodies a, b (-1: the ground) and J (12,) = d/d(v_a, spin_a, v_b, spin_b), that of a
coupling of joints more of both;
WJ = M^-1 J^T, and diagonal = J WJ. A contact has three rows: along its normal and two tangents.
"""

import math

import numpy as np

from dovetail.collision.narrow_phase.contact_points import contact_points
from dovetail.contact.impulse.records import constraint_rows
from dovetail.linalg.vec3 import add, cross, dot, load3, load33, matvec, norm, scale, sub
from dovetail.multibody.body_arrays import NO_BODIES, spin_of
from dovetail.runtime.jit import jit_in_place, jit_within
from dovetail.runtime.warmup import warm

AT_REST = 1e-6  # of the speeds: below, a contact has no direction of slip


@jit_in_place
def invert_inertia(bodies, R, inverse_inertia):
    """inverse_inertia (n, 3, 3) [1/(kg m^2)] of every body in world axes."""
    for i in range(R.shape[0]):
        for c in range(3):
            e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
            column = spin_of(bodies, R, i, e)
            for r in range(3):
                inverse_inertia[i, r, c] = column[r]


@jit_within
def _set_response(dynamic, inverse_mass, inverse_inertia, body, J, WJ, diagonal, r):
    """WJ and the diagonal of row r."""
    total = 0.0
    for side in range(body.shape[1]):
        i, k = body[r, side], 6 * side
        if i < 0 or not dynamic[i]:
            for m in range(6):
                WJ[r, k + m] = 0.0
            continue
        a, b, c = J[r, k + 3], J[r, k + 4], J[r, k + 5]
        for m in range(3):
            linear = inverse_mass[i, m] * J[r, k + m]
            angular = (
                inverse_inertia[i, m, 0] * a
                + inverse_inertia[i, m, 1] * b
                + inverse_inertia[i, m, 2] * c
            )
            WJ[r, k + m], WJ[r, k + 3 + m] = linear, angular
            total += J[r, k + m] * linear + J[r, k + 3 + m] * angular
    diagonal[r] = total


@jit_in_place
def set_joint_rows(bodies, inverse_inertia, R, source, G, which, rows):
    """Rows which[k] of the joints' Jacobian G (r, k, 6), spins in body axes, as rows k.

    source (r, k) are the bodies of all rows of G.
    """
    body, J, WJ, diagonal = rows.body, rows.J, rows.WJ, rows.diagonal
    dynamic, inverse_mass = bodies.dynamic, bodies.inverse_mass
    for k in range(which.shape[0]):
        r = which[k]
        for side in range(source.shape[1]):
            i = source[r, side]
            body[k, side] = i
            angular = (G[r, side, 3], G[r, side, 4], G[r, side, 5])
            if i >= 0:
                angular = matvec(load33(R, i), angular)
            for m in range(3):
                J[k, 6 * side + m] = G[r, side, m]
                J[k, 6 * side + 3 + m] = angular[m]
        _set_response(dynamic, inverse_mass, inverse_inertia, body, J, WJ, diagonal, k)


@jit_within
def _across(n, d):
    """The part of d across the unit vector n."""
    return sub(d, scale(dot(n, d), n))


@jit_in_place
def _tangents(n, slip, speed, axes):
    """Two unit tangents: along the slip if there is one, else along the axis of a body.

    Of the columns of `axes` (3, 3) that is the one most nearly at right angles to n: a direction
    that turns with the scene.
    """
    tangential = _across(n, slip)
    size = norm(tangential)
    if not size > AT_REST * speed:
        best = 2.0
        for k in range(3):
            axis = (axes[0][k], axes[1][k], axes[2][k])
            along = abs(dot(n, axis))
            if along < best - AT_REST:
                best, tangential = along, _across(n, axis)
        size = norm(tangential)
    t = scale(1.0 / size, tangential)
    return t, cross(n, t)


@jit_in_place
def set_contact_rows(bodies, inverse_inertia, x, R, u, points, first, rows, rho):
    """Rows first + 3 k + (0, 1, 2) of contacts k, the first tangent along the slip in u.

    rho (count,) [kg] is the reciprocal of the largest eigenvalue of the tangential 2 x 2 block.
    """
    body, J, WJ, diagonal, coupling = rows.body, rows.J, rows.WJ, rows.diagonal, rows.coupling
    dynamic, inverse_mass = bodies.dynamic, bodies.inverse_mass
    pair, point, normal = points.body, points.point, points.normal
    for k in range(rho.shape[0]):
        a, b = pair[k, 0], pair[k, 1]
        p, n = load3(point, k), load3(normal, k)
        arm_a, arm_b = sub(p, load3(x, a)), sub(p, load3(x, b))
        spin_a, spin_b = (u[a, 3], u[a, 4], u[a, 5]), (u[b, 3], u[b, 4], u[b, 5])
        va = add((u[a, 0], u[a, 1], u[a, 2]), cross(spin_a, arm_a))
        vb = add((u[b, 0], u[b, 1], u[b, 2]), cross(spin_b, arm_b))
        lighter = a
        if not dynamic[a] or (dynamic[b] and inverse_mass[b, 0] > inverse_mass[a, 0]):
            lighter = b
        t1, t2 = _tangents(n, sub(va, vb), norm(va) + norm(vb), load33(R, lighter))
        for m in range(3):
            d = n if m == 0 else (t1 if m == 1 else t2)
            r = first + 3 * k + m
            body[r, 0], body[r, 1] = a, b
            for side in range(2, body.shape[1]):
                body[r, side] = -1
            moment_a, moment_b = cross(arm_a, d), cross(arm_b, d)
            for q in range(3):
                J[r, q], J[r, 3 + q] = d[q], moment_a[q]
                J[r, 6 + q], J[r, 9 + q] = -d[q], -moment_b[q]
            _set_response(dynamic, inverse_mass, inverse_inertia, body, J, WJ, diagonal, r)
        r = first + 3 * k + 1
        between = 0.0
        coupling[r], coupling[r + 1] = 0.0, 0.0
        for q in range(12):
            between += J[r, q] * WJ[r + 1, q]
            coupling[r] += J[r, q] * WJ[r - 1, q]
            coupling[r + 1] += J[r + 1, q] * WJ[r - 1, q]
        mean = 0.5 * (diagonal[r] + diagonal[r + 1])
        half_difference = 0.5 * (diagonal[r] - diagonal[r + 1])
        largest = mean + math.sqrt(half_difference * half_difference + between * between)
        rho[k] = 1.0 / largest if largest > 0.0 else 0.0


@jit_within
def _rate_of(body, J, r, side, u):
    """The part of one body in `rate`."""
    total = 0.0
    i, k = body[r, side], 6 * side
    if i >= 0:
        for m in range(6):
            total += J[r, k + m] * u[i, m]
    return total


@jit_within
def rate(body, J, r, u):
    """J u of row r [m/s or rad/s]."""
    total = 0.0
    for side in range(2):
        total += _rate_of(body, J, r, side, u)
    for side in range(2, body.shape[1]):
        total += _rate_of(body, J, r, side, u)
    return total


@jit_within
def _apply_to(body, WJ, r, side, impulse, u):
    """The part of one body in `apply_impulse`."""
    i, k = body[r, side], 6 * side
    if i >= 0:
        for m in range(6):
            u[i, m] += WJ[r, k + m] * impulse


@jit_within
def apply_impulse(body, WJ, r, impulse, u):
    """u += M^-1 J^T impulse of row r."""
    for side in range(2):
        _apply_to(body, WJ, r, side, impulse, u)
    for side in range(2, body.shape[1]):
        _apply_to(body, WJ, r, side, impulse, u)


@jit_in_place
def apply_impulses(body, WJ, count, factor, impulses, u):
    """U += M^-1 J^T (factor * impulses) of the first `count` rows."""
    for r in range(count):
        if impulses[r] != 0.0:
            apply_impulse(body, WJ, r, factor * impulses[r], u)


@jit_in_place
def rates(body, J, count, u, out):
    """out = J u of the first `count` rows."""
    for r in range(count):
        out[r] = rate(body, J, r, u)


_f, _x, _u = np.zeros(0), np.zeros((0, 3)), np.zeros((0, 6))
_blocks, _rows = np.zeros((0, 3, 3)), constraint_rows(0)
warm(invert_inertia, NO_BODIES, _blocks, _blocks)
warm(
    set_joint_rows, NO_BODIES, _blocks, _blocks, np.zeros((0, 2), np.int64), np.zeros((0, 2, 6)),
    np.zeros(0, np.int64), _rows,
)  # fmt: skip
warm(set_contact_rows, NO_BODIES, _blocks, _x, _blocks, _u, contact_points(0), 0, _rows, _f)
warm(apply_impulses, _rows.body, _rows.WJ, 0, 1.0, _f, _u)
warm(rates, _rows.body, _rows.J, 0, _u, _f)
