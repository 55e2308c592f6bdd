"""Scalar constraint rows between two bodies: value, Jacobian and second derivative.

Every joint is a stack of such rows, made from its equations (`model.joints.equations`). A row of
bodies (a, b) reads, with y = R_a^T (x_b + R_b p - x_a) and axes e fixed in a, g fixed in b,
    GAP     phi = e . y - c                        a point of b stays in a plane of a
    DOT     phi = e . R_a^T R_b g - c              two axes keep their angle
    ANGLE   phi = atan2(Y.q, X.q) - c              the angle of q (in b) in the plane X, Y (in a)
    HELIX   phi = GAP - lead * ANGLE               a rotation that advances
    STRETCH d|d|/dt of a spring, velocity only     a damper
    SPIN    g . R_b^T (spin_b - spin_a), velocity only: how fast b rotates about an axis of its own
    COUPLING phi = sum of polynomials of the phi of rows before it - c: gears, tendons
The Jacobian G is in body twists: d phi = G_x . dx + G_t . dt with dR = R hat(dt), x in world axes.
Body -1 is the ground. A COUPLING has as many bodies as take part, so all rows have room for that
many, the others filled with -1; a side is the place of a body in a row.
"""

import math
from typing import NamedTuple

import numpy as np

from dovetail.linalg.vec3 import (
    IDENTITY,
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    mat_t_vec,
    matvec,
    norm,
    scale,
    sub,
)
from dovetail.model.couplings import MAX_DEGREE
from dovetail.model.joints.equations import ANGLE, COUPLING, DOT, GAP, HELIX, SPIN, STRETCH
from dovetail.multibody.coupling_terms import term_bend, term_value
from dovetail.multibody.loads.wrenches import SHORTEST
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import FloatArray, Int64Array, bundler


class Rows(NamedTuple):
    """Constants of r rows; `offset` alone may change as time goes on."""

    kind: Int64Array  # (r,) GAP, ...
    body: Int64Array  # (r, k) a, b and, of a COUPLING, others; k = 2 without any
    e: FloatArray  # (r, 3) in a
    g: FloatArray  # (r, 3) in b: an axis, or the arm p [m]
    plane: FloatArray  # (r, 3, 3) X and Y in a, q in b, of an ANGLE
    lead: FloatArray  # (r,) [m/rad] of a HELIX
    offset: FloatArray  # (r,) c
    term_start: Int64Array  # (r + 1,) terms of a COUPLING; others have none
    term_row: Int64Array  # (t,) the row that measures the coordinate
    term_side: Int64Array  # (t, 2) sides of the COUPLING that are its bodies, -1 the ground
    term_factor: FloatArray  # (t, MAX_DEGREE) coefficients of q, q^2, ...


@jit
def pose_of(x, R, i):
    """Position and rotation of body i, or of the ground."""
    if i < 0:
        return ZERO, IDENTITY
    return load3(x, i), load33(R, i)


@jit
def part(a, r, k):
    """Vector k of entry r of an (n, m, 3) array."""
    return (a[r, k, 0], a[r, k, 1], a[r, k, 2])


@jit_in_place
def write(G, r, side, x, rotation):
    """Jacobian of row r for one of its bodies."""
    for k in range(3):
        G[r, side, k] = x[k]
        G[r, side, 3 + k] = rotation[k]


@jit
def _seen(p, xa, Ra, xb, Rb):
    """y = R_a^T (x_b + R_b p - x_a)."""
    return mat_t_vec(Ra, sub(add(xb, matvec(Rb, p)), xa))


@jit
def _point(e, p, xa, Ra, xb, Rb):
    """Value and Jacobians of e . y: (value, x of b = -x of a, rotation of a, rotation of b)."""
    return _point_at(_seen(p, xa, Ra, xb, Rb), e, p, Ra, Rb)


@jit
def _point_at(y, e, p, Ra, Rb):
    """As `_point`, y being known."""
    u = matvec(Ra, e)
    return dot(e, y), u, cross(e, y), cross(p, mat_t_vec(Rb, u))


@jit
def _dot(e, g, Ra, Rb):
    """Value and rotation Jacobians of e . R_a^T R_b g."""
    w = mat_t_vec(Ra, matvec(Rb, g))
    return dot(e, w), cross(e, w), cross(g, mat_t_vec(Rb, matvec(Ra, e)))


@jit
def nearest_angle(raw, near):
    """The angle that equals `raw` up to whole revolutions and lies nearest to `near`."""
    return raw + 2.0 * math.pi * math.floor((near - raw) / (2.0 * math.pi) + 0.5)


@jit
def _angle(X, Y, q, Ra, Rb, near):
    """Angle [rad] near `near` and its rotation Jacobians, exact wherever q lies."""
    w = mat_t_vec(Ra, matvec(Rb, q))
    sine, cosine = dot(Y, w), dot(X, w)
    square = sine * sine + cosine * cosine
    Z = sub(scale(cosine / square, Y), scale(sine / square, X))
    angle = nearest_angle(math.atan2(sine, cosine), near)
    return angle, cross(Z, w), cross(q, mat_t_vec(Rb, matvec(Ra, Z)))


@jit
def _couple(rows, r, phi, G):
    """Value and Jacobian of a COUPLING from the rows that measure its coordinates."""
    for side in range(G.shape[1]):
        write(G, r, side, ZERO, ZERO)
    total = -rows.offset[r]
    for k in range(rows.term_start[r], rows.term_start[r + 1]):
        t = rows.term_row[k]
        value, slope = term_value(rows.term_factor, k, phi[t])
        total += value
        for side in range(2):
            at = rows.term_side[k, side]
            if at >= 0:
                for m in range(6):
                    G[r, at, m] += slope * G[t, side, m]
    phi[r] = total


@jit
def evaluate(rows, x, R, previous, phi, angle, G):
    """Write values phi (r,), angles [rad] (r,) near `previous`, and Jacobians G (r, k, 6)."""
    kinds, bodies, in_a, in_b, offset = rows.kind, rows.body, rows.e, rows.g, rows.offset
    plane, leads = rows.plane, rows.lead
    a, b, known, point, y = -2, -2, False, ZERO, ZERO  # gaps of a joint follow each other
    xa, Ra = pose_of(x, R, -1)
    xb, Rb = xa, Ra
    for r in range(kinds.shape[0]):
        kind = kinds[r]
        if bodies[r, 0] != a or bodies[r, 1] != b:
            a, b, known = bodies[r, 0], bodies[r, 1], False
            xa, Ra = pose_of(x, R, a)
            xb, Rb = pose_of(x, R, b)
        e, g = load3(in_a, r), load3(in_b, r)
        phi[r] = 0.0
        if kind == GAP:
            if not known or g != point:
                known, point, y = True, g, _seen(g, xa, Ra, xb, Rb)
            value, u, rotation_a, rotation_b = _point_at(y, e, g, Ra, Rb)
            phi[r] = value - offset[r]
            write(G, r, 0, scale(-1.0, u), rotation_a)
            write(G, r, 1, u, rotation_b)
        elif kind == DOT:
            value, rotation_a, rotation_b = _dot(e, g, Ra, Rb)
            phi[r] = value - offset[r]
            write(G, r, 0, ZERO, rotation_a)
            write(G, r, 1, ZERO, rotation_b)
        elif kind == STRETCH:
            arm_a, arm_b = matvec(Ra, e), matvec(Rb, g)
            d = sub(add(xa, arm_a), add(xb, arm_b))
            length = norm(d)
            n = scale(1.0 / length, d) if length > SHORTEST else ZERO
            write(G, r, 0, n, cross(e, mat_t_vec(Ra, n)))
            write(G, r, 1, scale(-1.0, n), scale(-1.0, cross(g, mat_t_vec(Rb, n))))
        elif kind == SPIN:
            write(G, r, 0, ZERO, scale(-1.0, mat_t_vec(Ra, matvec(Rb, g))))
            write(G, r, 1, ZERO, g)
        elif kind == COUPLING:
            _couple(rows, r, phi, G)
        else:
            X, Y, q = part(plane, r, 0), part(plane, r, 1), part(plane, r, 2)
            value, rotation_a, rotation_b = _angle(X, Y, q, Ra, Rb, previous[r])
            angle[r] = value
            u = ZERO
            if kind == HELIX:
                lead = leads[r]
                displacement, u, along_a, along_b = _point(e, g, xa, Ra, xb, Rb)
                value = displacement - lead * value
                rotation_a = add_scaled(along_a, -lead, rotation_a)
                rotation_b = add_scaled(along_b, -lead, rotation_b)
            phi[r] = value - offset[r]
            write(G, r, 0, scale(-1.0, u), rotation_a)
            write(G, r, 1, u, rotation_b)


@jit
def evaluate_values(rows, x, R, previous, phi, angle):
    """As `evaluate`, values phi (r,) and angles (r,) alone."""
    kinds, bodies, offset = rows.kind, rows.body, rows.offset
    a, b, known, point, y = -2, -2, False, ZERO, ZERO  # gaps of a joint follow each other
    xa, Ra = pose_of(x, R, -1)
    xb, Rb = xa, Ra
    for r in range(kinds.shape[0]):
        kind, value = kinds[r], 0.0
        if bodies[r, 0] != a or bodies[r, 1] != b:
            a, b, known = bodies[r, 0], bodies[r, 1], False
            xa, Ra = pose_of(x, R, a)
            xb, Rb = pose_of(x, R, b)
        if kind == GAP or kind == HELIX:
            g = load3(rows.g, r)
            if not known or g != point:
                known, point, y = True, g, _seen(g, xa, Ra, xb, Rb)
            value = dot(load3(rows.e, r), y)
        elif kind == DOT:
            value = dot(load3(rows.e, r), mat_t_vec(Ra, matvec(Rb, load3(rows.g, r))))
        elif kind == COUPLING:
            value = -offset[r]
            for k in range(rows.term_start[r], rows.term_start[r + 1]):
                value += term_value(rows.term_factor, k, phi[rows.term_row[k]])[0]
            phi[r] = value
            continue
        if kind == ANGLE or kind == HELIX:
            w = mat_t_vec(Ra, matvec(Rb, part(rows.plane, r, 2)))
            raw = math.atan2(dot(part(rows.plane, r, 1), w), dot(part(rows.plane, r, 0), w))
            angle[r] = nearest_angle(raw, previous[r])
            value = angle[r] if kind == ANGLE else value - rows.lead[r] * angle[r]
        phi[r] = 0.0 if kind == STRETCH or kind == SPIN else value - offset[r]


@jit_in_place
def row_rate(bodies, G, r, v, omega):
    """G u of row r [m/s or rad/s], all bodies included."""
    rate = 0.0
    for side in range(bodies.shape[1]):
        i = bodies[r, side]
        if i >= 0:
            for k in range(3):
                rate += G[r, side, k] * v[i, k] + G[r, side, 3 + k] * omega[i, k]
    return rate


@jit
def twist_of(v, omega, i):
    """Velocity and body angular velocity of body i, or of the ground."""
    if i < 0:
        return ZERO, ZERO
    return load3(v, i), load3(omega, i)


@jit
def _point_bias(e, p, xa, Ra, xb, Rb, va, wa, vb, wb):
    """First and second rate of e . y at zero acceleration (of v and of body omega)."""
    y = mat_t_vec(Ra, sub(add(xb, matvec(Rb, p)), xa))
    spun = cross(wb, p)
    V = mat_t_vec(Ra, sub(add(vb, matvec(Rb, spun)), va))
    y_rate = sub(V, cross(wa, y))
    inward = mat_t_vec(Ra, matvec(Rb, cross(wb, spun)))
    return dot(e, y_rate), dot(e, sub(inward, add(cross(wa, V), cross(wa, y_rate))))


@jit
def _dot_bias(e, g, Ra, Rb, wa, wb):
    """First and second rate of e . R_a^T R_b g at zero acceleration."""
    w = mat_t_vec(Ra, matvec(Rb, g))
    e1, g1 = cross(wa, e), cross(wb, g)
    w1 = mat_t_vec(Ra, matvec(Rb, g1))
    w2 = mat_t_vec(Ra, matvec(Rb, cross(wb, g1)))
    first = dot(e1, w) + dot(e, w1)
    return first, dot(cross(wa, e1), w) + 2.0 * dot(e1, w1) + dot(e, w2)


@jit
def _bias_of(rows, r, x, R, v, omega):
    """First and second rate of row r, no COUPLING, at zero acceleration; 0 of velocity rows."""
    kind = rows.kind[r]
    xa, Ra = pose_of(x, R, rows.body[r, 0])
    xb, Rb = pose_of(x, R, rows.body[r, 1])
    va, wa = twist_of(v, omega, rows.body[r, 0])
    vb, wb = twist_of(v, omega, rows.body[r, 1])
    e, g = load3(rows.e, r), load3(rows.g, r)
    first, second = 0.0, 0.0
    if kind == GAP or kind == HELIX:
        first, second = _point_bias(e, g, xa, Ra, xb, Rb, va, wa, vb, wb)
    elif kind == DOT:
        first, second = _dot_bias(e, g, Ra, Rb, wa, wb)
    if kind == ANGLE or kind == HELIX:
        X, Y, q = part(rows.plane, r, 0), part(rows.plane, r, 1), part(rows.plane, r, 2)
        w = mat_t_vec(Ra, matvec(Rb, q))
        sine, cosine = dot(Y, w), dot(X, w)
        sine1, sine2 = _dot_bias(Y, q, Ra, Rb, wa, wb)
        cosine1, cosine2 = _dot_bias(X, q, Ra, Rb, wa, wb)
        square = sine * sine + cosine * cosine
        rate = (cosine * sine1 - sine * cosine1) / square
        turning = (cosine * sine2 - sine * cosine2) / square
        turning -= 2.0 * rate * (sine * sine1 + cosine * cosine1) / square
        share = 1.0 if kind == ANGLE else -rows.lead[r]
        first, second = first + share * rate, second + share * turning
    return first, second


@jit
def bias(rows, x, R, v, omega, phi, out):
    """out_r = d^2 phi / dt^2 at zero acceleration, the velocity part G' u [m/s^2 or rad/s^2].

    phi (r,) are the values there, which couplings need.
    """
    kinds = rows.kind
    for r in range(kinds.shape[0]):
        if kinds[r] == COUPLING:
            out[r] = 0.0
            for k in range(rows.term_start[r], rows.term_start[r + 1]):
                t = rows.term_row[k]
                first, second = _bias_of(rows, t, x, R, v, omega)
                _, slope = term_value(rows.term_factor, k, phi[t])
                bend = term_bend(rows.term_factor, k, phi[t])
                out[r] += slope * second + bend * first * first
        else:
            _, out[r] = _bias_of(rows, r, x, R, v, omega)


bundle_rows = bundler(Rows)


def no_rows() -> Rows:
    """Rows of nothing, of the types every call has."""
    return Rows(
        np.zeros(0, np.int64), np.zeros((0, 2), np.int64), np.zeros((0, 3)), np.zeros((0, 3)),
        np.zeros((0, 3, 3)), np.zeros(0), np.zeros(0), np.zeros(1, np.int64),
        np.zeros(0, np.int64), np.zeros((0, 2), np.int64), np.zeros((0, MAX_DEGREE)),
    )  # fmt: skip
