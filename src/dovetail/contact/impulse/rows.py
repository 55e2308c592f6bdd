"""Scalar rows J u of joints and contacts, and what impulses along them do to the velocities.

u (n, 6) holds v [m/s] and the spin [rad/s] of every body in world axes. A row has two bodies a, b
(-1: the ground) and J (12,) = d/d(v_a, spin_a, v_b, spin_b); WJ = M^-1 J^T, and diagonal = J WJ.
A contact has three rows: along its normal and two tangents.
"""

import math

import numpy as np

from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    matvec,
    norm,
    scale,
    sub,
)
from dovetail.multibody.body_arrays import NO_BODIES, spin_of, velocity_change
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

AT_REST = 1e-6  # of the speeds: below, a contact has no direction of slip


@jit
def turning_blocks(bodies, R, turning):
    """turning (n, 3, 3) [1/(kg m^2)]: spin that an angular impulse makes, both in world axes."""
    for i in range(R.shape[0]):
        for c in range(3):
            e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
            column = spin_of(bodies, R, i, e)
            for r in range(3):
                turning[i, r, c] = column[r]


@jit
def _finish(bodies, turning, body, J, WJ, diagonal, r):
    """WJ and the diagonal of row r."""
    total = 0.0
    for side in range(2):
        i, k = body[r, side], 6 * side
        if i < 0 or not bodies.dynamic[i]:
            for m in range(6):
                WJ[r, k + m] = 0.0
            continue
        a, b, c = J[r, k + 3], J[r, k + 4], J[r, k + 5]
        for m in range(3):
            change = bodies.inverse_mass[i, m] * J[r, k + m]
            turn = turning[i, m, 0] * a + turning[i, m, 1] * b + turning[i, m, 2] * c
            WJ[r, k + m], WJ[r, k + 3 + m] = change, turn
            total += J[r, k + m] * change + J[r, k + 3 + m] * turn
    diagonal[r] = total


@jit
def joint_rows(bodies, turning, R, source, G, which, body, J, WJ, diagonal):
    """Rows which[k] of the joints' Jacobian G (r, 2, 6), spins in body axes, as rows k."""
    for k in range(which.shape[0]):
        r = which[k]
        for side in range(2):
            i = source[r, side]
            body[k, side] = i
            turn = (G[r, side, 3], G[r, side, 4], G[r, side, 5])
            if i >= 0:
                turn = matvec(load33(R, i), turn)
            for m in range(3):
                J[k, 6 * side + m] = G[r, side, m]
                J[k, 6 * side + 3 + m] = turn[m]
        _finish(bodies, turning, body, J, WJ, diagonal, k)


@jit
def _tangents(n, slip, speed):
    """Two unit tangents: along the slip where there is one, else by the smallest part of n."""
    flat = sub(slip, scale(dot(n, slip), n))
    size = norm(flat)
    if not size > AT_REST * speed:
        least = 0
        for k in range(1, 3):
            if abs(n[k]) < abs(n[least]):
                least = k
        e = (1.0 if least == 0 else 0.0, 1.0 if least == 1 else 0.0, 1.0 if least == 2 else 0.0)
        flat = sub(e, scale(dot(n, e), n))
        size = norm(flat)
    t = scale(1.0 / size, flat)
    return t, cross(n, t)


@jit
def contact_rows(bodies, turning, x, u, touches, count, first, body, J, WJ, diagonal, rho):
    """Rows first + 3 k + (0, 1, 2) of contacts k < count, the first tangent along the slip in u.

    rho (count,) [kg] is the reciprocal of the largest eigenvalue of the tangential 2 x 2 block.
    """
    for k in range(count):
        a, b = touches.body[k, 0], touches.body[k, 1]
        p, n = load3(touches.point, k), load3(touches.normal, k)
        arm_a, arm_b = sub(p, load3(x, a)), sub(p, load3(x, b))
        va = add((u[a, 0], u[a, 1], u[a, 2]), cross((u[a, 3], u[a, 4], u[a, 5]), arm_a))
        vb = add((u[b, 0], u[b, 1], u[b, 2]), cross((u[b, 3], u[b, 4], u[b, 5]), arm_b))
        t1, t2 = _tangents(n, sub(va, vb), norm(va) + norm(vb))
        for m in range(3):
            d = n if m == 0 else (t1 if m == 1 else t2)
            r = first + 3 * k + m
            body[r, 0], body[r, 1] = a, b
            turn_a, turn_b = cross(arm_a, d), cross(arm_b, d)
            for q in range(3):
                J[r, q], J[r, 3 + q] = d[q], turn_a[q]
                J[r, 6 + q], J[r, 9 + q] = -d[q], -turn_b[q]
            _finish(bodies, turning, body, J, WJ, diagonal, r)
        r = first + 3 * k + 1
        both = 0.0
        for q in range(12):
            both += J[r, q] * WJ[r + 1, q]
        half = 0.5 * (diagonal[r] + diagonal[r + 1])
        apart = 0.5 * (diagonal[r] - diagonal[r + 1])
        largest = half + math.sqrt(apart * apart + both * both)
        rho[k] = 1.0 / largest if largest > 0.0 else 0.0


@jit
def rate(body, J, r, u):
    """J u of row r [m/s or rad/s]."""
    total = 0.0
    for side in range(2):
        i = body[r, side]
        if i >= 0:
            k = 6 * side
            for m in range(6):
                total += J[r, k + m] * u[i, m]
    return total


@jit
def kick(body, WJ, r, impulse, u):
    """u += M^-1 J^T impulse of row r."""
    for side in range(2):
        i = body[r, side]
        if i >= 0:
            k = 6 * side
            for m in range(6):
                u[i, m] += WJ[r, k + m] * impulse


@jit
def kick_all(body, WJ, rows, share, impulse, u):
    """U += M^-1 J^T (share * impulse) of the first `rows` rows."""
    for r in range(rows):
        if impulse[r] != 0.0:
            kick(body, WJ, r, share * impulse[r], u)


@jit
def rates(body, J, rows, u, out):
    """out = J u of the first `rows` rows."""
    for r in range(rows):
        out[r] = rate(body, J, r, u)


@jit
def loaded(bodies, x, R, L, v, h, force, torque, u):
    """u = velocities after all loads act for h [s]; L [N m s] of every body in world axes grows."""
    for i in range(x.shape[0]):
        if not bodies.dynamic[i]:
            continue
        change, _ = velocity_change(bodies, R, i, load3(force, i), (0.0, 0.0, 0.0))
        spin = spin_of(bodies, R, i, add_scaled(load3(L, i), h, load3(torque, i)))
        for k in range(3):
            u[i, k] = v[i, k] + h * change[k]
            u[i, 3 + k] = spin[k]


_f, _rows = np.zeros(0), np.zeros((0, 3))
_body, _wide, _u = np.zeros((0, 2), np.int32), np.zeros((0, 12)), np.zeros((0, 6))
_turns = np.zeros((0, 3, 3))


def warm_rows() -> None:
    """Types of the calls from Python."""
    from dovetail.collision.narrow_phase.features import touch_room

    warm(
        joint_rows, NO_BODIES, _turns, _turns, np.zeros((0, 2), np.int64), np.zeros((0, 2, 6)),
        np.zeros(0, np.int64), _body, _wide, _wide, _f,
    )  # fmt: skip
    warm(turning_blocks, NO_BODIES, _turns, _turns)
    warm(
        contact_rows, NO_BODIES, _turns, _rows, _u, touch_room(0), 0, 0, _body, _wide, _wide, _f, _f
    )
    warm(kick_all, _body, _wide, 0, 1.0, _f, _u)
    warm(rates, _body, _wide, 0, _u, _f)
    warm(loaded, NO_BODIES, _rows, _turns, _rows, _rows, 0.0, _rows, _rows, _u)


warm_rows()
