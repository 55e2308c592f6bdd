"""What a step with compliant contacts needs besides the solution for velocities."""

import math

import numpy as np

from dovetail.collision.field_contacts.rows import empty_contacts
from dovetail.contact.friction_curve import smooth_coulomb
from dovetail.contact.penalty.compliant.contact_impulse import spring_energy
from dovetail.contact.penalty.compliant.records import (
    END,
    MU_D,
    MU_S,
    N_COMPLIANT,
    START,
    STORED,
    V_D,
    V_S,
)
from dovetail.contact.penalty.compliant.workspace import coupling, no_joints
from dovetail.linalg.vec3 import add, add_scaled, cross, dot, load3, norm, sub
from dovetail.multibody.body_arrays import NO_BODIES
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm


@jit_in_place
def _relative(contacts, c, x, u):
    i, j, p = contacts.point_body[c], contacts.field_body[c], load3(contacts.point, c)
    a = cross((u[i, 3], u[i, 4], u[i, 5]), sub(p, load3(x, i)))
    b = cross((u[j, 3], u[j, 4], u[j, 5]), sub(p, load3(x, j)))
    return sub(add((u[i, 0], u[i, 1], u[i, 2]), a), add((u[j, 0], u[j, 1], u[j, 2]), b))


@jit
def friction_at_slip(contacts, count, laws, x, u, mu, slips):
    """mu (count,) of the contacts' friction curves at their slips (count,) [m/s].

    `slips` is written first, so it may be `mu`.
    """
    for c in range(count):
        k, n = contacts.pair[c], load3(contacts.gradient, c)
        v = _relative(contacts, c, x, u)
        slip = norm(add_scaled(v, -dot(v, n), n))
        slips[c] = slip
        mu[c] = smooth_coulomb(slip, laws[k, MU_S], laws[k, MU_D], laws[k, V_S], laws[k, V_D])


@jit
def end_gaps(h, contacts, count, x, u, shift, gaps):
    """gaps (count,) [m] after the bodies moved by h u + shift (n, 6), as far as linear."""
    for c in range(count):
        n = load3(contacts.gradient, c)
        moved = h * dot(_relative(contacts, c, x, u), n)
        gaps[c] = -contacts.depth[c] + moved + dot(_relative(contacts, c, x, shift), n)


@jit
def store_energy(h, contacts, count, laws, gaps, elastic):
    """Of each pair the energy [J] that motion has stored in its springs, `elastic` (3, pairs).

    A step from springs with the energy START to END changes what is STORED by END - START; no
    spring gives back more than END. Contacts found deeper than the step before left them, where an
    edge slides off another one, hold energy that nothing put in: it is not counted, so what they
    give to bodies shows as energy gained.
    """
    for k in range(laws.shape[0]):
        elastic[START, k], elastic[END, k] = 0.0, 0.0
    for c in range(count):
        k = contacts.pair[c]
        elastic[START, k] += spring_energy(laws, k, h, -contacts.depth[c])
        elastic[END, k] += spring_energy(laws, k, h, gaps[c])
    for k in range(laws.shape[0]):
        stored = elastic[STORED, k] + elastic[END, k] - elastic[START, k]
        elastic[STORED, k] = max(0.0, min(stored, elastic[END, k]))


@jit
def couple(bodies, contacts, count, joint_pairs, coupled):
    """Number the pairs of moving bodies in contact; joint_pairs are the first of coupled.pair.

    Returns (pairs, whether they are others than last time), pairs -1 where they do not fit.
    """
    m = np.int64(joint_pairs)
    changed = False
    last = np.int64(-1)
    for c in range(count):
        a = min(contacts.point_body[c], contacts.field_body[c])
        b = max(contacts.point_body[c], contacts.field_body[c])
        if not (bodies.dynamic[a] and bodies.dynamic[b]):
            coupled.of_contact[c] = -1
            continue
        if last >= 0 and coupled.pair[last, 0] == a and coupled.pair[last, 1] == b:
            coupled.of_contact[c] = last
            continue
        last = np.int64(-1)
        for k in range(joint_pairs):
            if coupled.pair[k, 0] == a and coupled.pair[k, 1] == b:
                last = np.int64(k)
        if last < 0:
            if m >= coupled.pair.shape[0]:
                return np.int64(-1), True
            if m >= coupled.count[0] or coupled.pair[m, 0] != a or coupled.pair[m, 1] != b:
                changed = True
                coupled.pair[m, 0], coupled.pair[m, 1] = a, b
            last = m
            m += 1
        coupled.of_contact[c] = last
    changed = changed or m != coupled.count[0]
    coupled.count[0] = m
    return m, changed


@jit
def world_rows(R, source, G, which, body, J):
    """Rows which[k] of G (r, m, 6), spins in body axes, as J (k, 6 m) in world axes."""
    for k in range(which.shape[0]):
        r = which[k]
        for side in range(source.shape[1]):
            i = source[r, side]
            for m in range(3):
                J[k, 6 * side + m] = G[r, side, m]
                total = G[r, side, 3 + m]
                if i >= 0:
                    total = 0.0
                    for q in range(3):
                        total += R[i, m, q] * G[r, side, 3 + q]
                J[k, 6 * side + 3 + m] = total


@jit
def point_speeds(u, radius, inverse_mass, force, h, speeds):
    """speeds (n, 3): of any point of each body at most, what loads add [m/s]; the spin [rad/s]."""
    for i in range(u.shape[0]):
        linear = math.sqrt(u[i, 0] ** 2 + u[i, 1] ** 2 + u[i, 2] ** 2)
        angular = math.sqrt(u[i, 3] ** 2 + u[i, 4] ** 2 + u[i, 5] ** 2)
        speeds[i, 0] = linear + radius[i] * angular
        f = load3(force, i)
        a = (inverse_mass[i, 0] * f[0], inverse_mass[i, 1] * f[1], inverse_mass[i, 2] * f[2])
        speeds[i, 1] = h * norm(a)
        speeds[i, 2] = angular


_x, _u, _laws = np.zeros((0, 3)), np.zeros((0, 6)), read_only(np.zeros((0, N_COMPLIANT)))
_contacts, _f = empty_contacts(0), np.zeros(0)
warm(friction_at_slip, _contacts, 0, _laws, _x, _u, _f, _f)
warm(end_gaps, 1.0, _contacts, 0, _x, _u, _u, _f)
warm(store_energy, 1.0, _contacts, 0, _laws, _f, np.zeros((3, 0)))
warm(couple, NO_BODIES, _contacts, 0, 0, coupling(0, 0, 0))
_joints = no_joints()
warm(
    world_rows, np.zeros((0, 3, 3)), np.zeros((0, 2), np.int64), np.zeros((0, 2, 6)),
    np.zeros(0, np.int64), _joints.body, _joints.J,
)  # fmt: skip
warm(point_speeds, _u, _f, _x, _x, 1.0, np.zeros((0, 3)))
