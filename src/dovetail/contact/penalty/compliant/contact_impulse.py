"""The impulse of one compliant contact as a function of its relative velocity."""

import math

from dovetail.contact.penalty.compliant.records import (
    ARREST,
    CAP,
    EXPONENT,
    RECOVERY,
    RELAXATION,
    STIFFNESS,
)
from dovetail.linalg.vec3 import add_scaled, cross, dot, load3, scale, sub
from dovetail.multibody.body_arrays import velocity_change
from dovetail.runtime.jit import jit_in_place

CREEP = 1e-4  # of w lambda, and of what loads add to speeds in a step: see `creep_speed`


@jit_in_place
def stiffness_at(laws, k, h):
    """(k [N/m^n], tau [s]) of pair k in steps of h [s]: derived ones no stiffer than a step can.

    k <= max(4 pi^2 m / h^2, m v / (h d)): near-rigid (SAP, Castro et al. 2021), or what stops the
    expected impact of speed v within the step at its depth d; tau grows as sqrt(m / k).
    """
    stiffness, tau = laws[k, STIFFNESS], laws[k, RELAXATION]
    most = max(laws[k, CAP], h * laws[k, ARREST])
    if laws[k, CAP] > 0.0 and stiffness * h * h > most:
        tau *= math.sqrt(stiffness * h * h / most)
        stiffness = most / (h * h)
    return stiffness, tau


@jit_in_place
def normal_impulse(laws, k, h, gap, rate):
    """(lambda_N [N s], -d lambda_N / d v_N [kg]) at the gap [m] and v_N = rate [m/s].

    Deep overlaps, as bodies may have at the start, are damped so that they part slowly.
    """
    stiffness, tau = stiffness_at(laws, k, h)
    span = h if gap > 0.0 else h + max(tau, -gap / laws[k, RECOVERY])
    depth = -gap - span * rate
    if depth <= 0.0:
        return 0.0, 0.0
    n = laws[k, EXPONENT]
    if n == 1.0:
        return h * stiffness * depth, h * stiffness * span
    power = h * stiffness * depth ** (n - 1.0)
    return power * depth, n * power * span


@jit_in_place
def spring_energy(laws, k, h, gap):
    """[J] of the spring of a contact at the gap [m]: k d^(n + 1) / (n + 1)."""
    if gap >= 0.0:
        return 0.0
    n = laws[k, EXPONENT]
    return stiffness_at(laws, k, h)[0] * (-gap) ** (n + 1.0) / (n + 1.0)


@jit_in_place
def creep_speed(bound, inverse_mass, limit):
    """[m/s] the slip at which friction of a contact that sticks is full, about.

    Stick is a slow creep, whose speed is a ten-thousandth of what the impulse would cause on a free
    body; no more than `limit` [m/s], or a light body under a heavy one would creep with the speed
    that all of that weight could give it.
    """
    return min(CREEP * inverse_mass * bound, limit)


@jit_in_place
def friction_parts(speed, bound, small):
    """(lambda_T / |v_T|, its derivative along the slip, across it) [kg] at the slip speed [m/s].

    bound v_T / sqrt(v_T^2 + e^2) with e = `small` [m/s], the speed of creep.
    """
    if bound <= 0.0:
        return 0.0, 0.0, 0.0
    root = math.sqrt(speed * speed + small * small)
    per_speed = bound / root
    return per_speed, per_speed * (small / root) ** 2, per_speed


@jit_in_place
def contact_scale(bodies, contacts, c, x, R):
    """[1/kg] velocity along the normal of contact c per impulse."""
    n, p = load3(contacts.gradient, c), load3(contacts.point, c)
    total = 0.0
    for side in range(2):
        i = contacts.point_body[c] if side == 0 else contacts.field_body[c]
        if bodies.dynamic[i]:
            arm = sub(p, load3(x, i))
            dv, dspin = velocity_change(bodies, R, i, n, cross(arm, n))
            total += dot(n, add_scaled(dv, 1.0, cross(dspin, arm)))
    return total


@jit_in_place
def contact_matrix(derivative, n, direction, c):
    """-d lambda / d v (3, 3): stiffness along n, along the slip and across both."""
    stiffness, along, across = derivative[c, 0], derivative[c, 1], derivative[c, 2]
    s = load3(direction, c)
    rows = (scale(n[0], n), scale(n[1], n), scale(n[2], n))
    out = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    a, b, d = out
    a = _row(0, n, s, rows, stiffness, along, across)
    b = _row(1, n, s, rows, stiffness, along, across)
    d = _row(2, n, s, rows, stiffness, along, across)
    return (a, b, d)


@jit_in_place
def _row(r, n, s, outer_n, stiffness, along, across):
    """Row r of stiffness n n^T + across (1 - n n^T - s s^T) + along s s^T."""
    e = (1.0 if r == 0 else 0.0, 1.0 if r == 1 else 0.0, 1.0 if r == 2 else 0.0)
    nn = outer_n[r]
    return (
        stiffness * nn[0] + across * (e[0] - nn[0]) + (along - across) * s[r] * s[0],
        stiffness * nn[1] + across * (e[1] - nn[1]) + (along - across) * s[r] * s[1],
        stiffness * nn[2] + across * (e[2] - nn[2]) + (along - across) * s[r] * s[2],
    )
