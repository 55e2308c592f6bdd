"""Forces of penetrating points: normal (Hertz with damping) and friction (smooth Coulomb).

Zhang, You and Liu 2024, eqs. 36-43. A contact is a point of the body `point_body` inside the
body `field_body` with depth d [m], gradient g of the latter's field there (world axes, outwards)
and a pair whose parameters are a row of `laws` (columns: see `records`).
"""

import numpy as np

from dovetail.collision.field_contacts.rows import empty_contacts
from dovetail.contact.friction_curve import smooth_coulomb
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
from dovetail.linalg.vec3 import add, add_scaled, cross, dot, load3, norm, scale, store3, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm


@jit
def spring(d, n, rounding):
    """(shape of the force, its integral, its derivative): d^n, made C1 at d = 0 for n = 1.

    For n = 1 the first `rounding` metres are a parabola: d^2 / 2 r below r, d - r / 2 above.
    """
    if n == 1.0:
        if d < rounding:
            return 0.5 * d * d / rounding, d * d * d / (6.0 * rounding), d / rounding
        over = d - rounding
        below = rounding * rounding / 6.0
        return d - 0.5 * rounding, below + 0.5 * over * d, 1.0
    power = d ** (n - 1.0)
    return power * d, power * d * d / (n + 1.0), n * power


@jit
def friction_coefficient(v, mu_s, mu_d, v_s, v_d):
    """mu(v) / v [s/m] of eq. 38: mu is 0 at rest, mu_s at v_s, mu_d from v_d on, and C1."""
    if v <= v_s:
        s = 0.5 * (v / v_s + 1.0)
        if v < 1e-6 * v_s:
            return 1.5 * mu_s / v_s
        return (-mu_s + 2.0 * mu_s * (3.0 - 2.0 * s) * s * s) / v
    return smooth_coulomb(v, mu_s, mu_d, v_s, v_d) / v


@jit
def relative_velocity(contacts, c, x, v, spin):
    """Velocity of the point body relative to the field body at a contact."""
    i, j = contacts.point_body[c], contacts.field_body[c]
    p = load3(contacts.point, c)
    u = add(load3(v, i), cross(load3(spin, i), sub(p, load3(x, i))))
    w = add(load3(v, j), cross(load3(spin, j), sub(p, load3(x, j))))
    return sub(u, w)


@jit
def approach_speeds(contacts, count, x, v, spin, speeds):
    """Raise speeds[pair] [m/s] to the largest d(depth)/dt of the pair's contacts."""
    for c in range(count):
        rate = -dot(relative_velocity(contacts, c, x, v, spin), load3(contacts.gradient, c))
        k = contacts.pair[c]
        speeds[k] = max(speeds[k], rate)


@jit
def contact_force(contacts, c, laws, damping, x, v, spin):
    """(force on the point body [N], stored energy [J]) of contact c.

    f_N = k s(d) (1 + a d_dot) >= 0 with s(d) = d^n and a [s/m] the pair's damping over stiffness;
    it acts along g, so that without damping it derives from the stored energy exactly.
    """
    k = contacts.pair[c]
    g = load3(contacts.gradient, c)
    shape, integral, _ = spring(contacts.depth[c], laws[k, EXPONENT], laws[k, ROUNDING])
    u = relative_velocity(contacts, c, x, v, spin)
    rate = -dot(u, g)
    normal = laws[k, STIFFNESS] * shape * max(1.0 + damping[k] * rate, 0.0)
    force = scale(normal, g)
    if laws[k, MU_S] > 0.0:
        length = norm(g)
        n = scale(1.0 / length, g)
        slip = add_scaled(u, -dot(u, n), n)
        per_speed = friction_coefficient(
            norm(slip), laws[k, MU_S], laws[k, MU_D], laws[k, V_S], laws[k, V_D]
        )
        force = add_scaled(force, -per_speed * normal * length, slip)
    return force, laws[k, STIFFNESS] * integral


@jit
def add_wrenches(contacts, count, laws, damping, x, v, spin, force, torque):
    """Add all contact forces and their torques about the centres of mass.

    The force acts on both bodies at the same point: linear and angular momentum are conserved.
    """
    for c in range(count):
        f, _ = contact_force(contacts, c, laws, damping, x, v, spin)
        p = load3(contacts.point, c)
        for body, sign in ((contacts.point_body[c], 1.0), (contacts.field_body[c], -1.0)):
            on = scale(sign, f)
            store3(force, body, add(load3(force, body), on))
            arm = sub(p, load3(x, body))
            store3(torque, body, add(load3(torque, body), cross(arm, on)))


@jit
def each_force(contacts, count, laws, damping, x, v, spin, forces):
    """The force on each point body into `forces` (count, 3); returns the energy stored in all."""
    energy = 0.0
    for c in range(count):
        f, stored = contact_force(contacts, c, laws, damping, x, v, spin)
        store3(forces, c, f)
        energy += stored
    return energy


@jit
def pair_stiffness(contacts, count, laws, stiffness, deepest):
    """Add up d f_N / d d [N/m] of each pair, and its largest depth [m]."""
    for c in range(count):
        k = contacts.pair[c]
        _, _, derivative = spring(contacts.depth[c], laws[k, EXPONENT], laws[k, ROUNDING])
        stiffness[k] += laws[k, STIFFNESS] * derivative
        deepest[k] = max(deepest[k], contacts.depth[c])


_none, _rows, _laws = np.empty(0), np.empty((0, 3)), read_only(np.empty((0, N_PARAMETERS)))
_contacts = empty_contacts(0)
warm(approach_speeds, _contacts, 0, _rows, _rows, _rows, _none)
warm(add_wrenches, _contacts, 0, _laws, _none, _rows, _rows, _rows, _rows, _rows)
warm(each_force, _contacts, 0, _laws, _none, _rows, _rows, _rows, _rows)
warm(pair_stiffness, _contacts, 0, _laws, _none, _none)
