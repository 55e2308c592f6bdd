r"""Forces of the linearised contacts by projected Gauss-Seidel sweeps (`first_iterate.linearise`).

One contact after another gets the force with which its own law holds,
    g = g_0 + A f,  f = -dK B/dD(g),        q = projection of q - s/A_t on the disc of radius mu f,
g_0 its gap without its own force. The friction cone is that of the present normal force, so that
friction and normal forces are found together, without lagging (as in `contact.impulse`).
"""

import math

from dovetail.contact.ipc.barrier.function import log_barrier
from dovetail.contact.ipc.first_iterate.linearise import apply_force
from dovetail.contact.ipc.first_iterate.records import FIRST, NORMAL, SECOND, WIDTH
from dovetail.runtime.jit import jit_in_place

MAX_SWEEPS = 60
ACCURACY = 0.01  # of dhat: the change of a gap by a sweep that ends them
GAP_ACCURACY = 1e-3  # of the gap of one contact
MAX_STEPS = 25  # to find it


@jit_in_place
def within_disc(a, b, radius):
    """The point of the disc nearest to (a, b)."""
    size = math.hypot(a, b)
    if size <= radius:
        return a, b
    return a * radius / size, b * radius / size


@jit_in_place
def gap_of(g_0, response, present, stiffness, dmin, dhat):
    """(g [m], force [kg m]) of a contact whose gap is g = g_0 + response times its force."""
    high = dmin + dhat
    if g_0 >= high:
        return g_0, 0.0
    low = max(dmin, g_0)
    g = present
    if not low < g < high:
        g = 0.5 * (low + high)
    for _ in range(MAX_STEPS):
        _, first, second = log_barrier(g * g, dmin, dhat)
        force = -2.0 * stiffness * first * g
        slope = -stiffness * (2.0 * first + 4.0 * second * g * g)
        left = g - g_0 - response * force
        if left > 0.0:
            high = g
        else:
            low = g
        step = left / (1.0 - response * slope)
        g -= step
        if not low < g < high:
            g = 0.5 * (low + high)
        elif abs(step) <= GAP_ACCURACY * (g - dmin):
            break
    return g, (g - g_0) / response


@jit_in_place
def _rate(contacts, r, which, twist):
    """[m] J u of one row."""
    J, at, total = contacts.J, which * WIDTH, 0.0
    a, b = contacts.bodies[r, 0], contacts.bodies[r, 1]
    for k in range(6):
        total += J[r, at + k] * twist[a, k] + J[r, at + 6 + k] * twist[b, k]
    return total


@jit_in_place
def _relax(contacts, r, twist, dmin):
    """The new force of contact r; the change of its gap and slip [m]."""
    force, response, mu = contacts.force, contacts.response, contacts.mu[r]
    present = contacts.distance[r] + _rate(contacts, r, NORMAL, twist)
    old, A = force[r, NORMAL], response[r, 0]
    _, new = gap_of(
        present - A * old, A, present, contacts.barrier[r, 1], dmin, contacts.barrier[r, 0]
    )
    change = 0.0
    if new != old:
        force[r, NORMAL] = new
        apply_force(contacts, r, NORMAL, new - old, twist)
        change = abs(new - old) * A
    if mu > 0.0 and (new > 0.0 or force[r, FIRST] != 0.0 or force[r, SECOND] != 0.0):
        across = response[r, 1]
        q1, q2 = force[r, FIRST], force[r, SECOND]
        s1 = contacts.slip[r, 0] + _rate(contacts, r, FIRST, twist)
        s2 = contacts.slip[r, 1] + _rate(contacts, r, SECOND, twist)
        n1, n2 = within_disc(q1 - s1 / across, q2 - s2 / across, mu * new)
        force[r, FIRST], force[r, SECOND] = n1, n2
        apply_force(contacts, r, FIRST, n1 - q1, twist)
        apply_force(contacts, r, SECOND, n2 - q2, twist)
        change = max(change, max(abs(n1 - q1), abs(n2 - q2)) * across)
    return change


@jit_in_place
def sweep_contacts(contacts, twist, dmin, dhat):
    """Improve the forces, with `twist` (n, 6) the twists of them; returns the sweeps."""
    n = contacts.count[0]
    for sweep in range(MAX_SWEEPS):
        largest = 0.0
        for k in range(n):
            r = k if sweep % 2 == 0 else n - 1 - k
            largest = max(largest, _relax(contacts, r, twist, dmin))
        if largest <= ACCURACY * dhat:
            return sweep + 1
    return MAX_SWEEPS
