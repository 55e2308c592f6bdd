r"""The force of one contact that is tied to its gap, or slip, by a spring: proximal maps.

The augmented Lagrangian of a contact with energy phi, force f and penalty p at the gap g is
    min over z of  phi(z) + p/2 (z - c)^2,   c = g - f/p,       (Moreau's envelope of phi at c)
and its derivative, the new force, is p (z - c). Its second derivative is below p, however stiff phi
is. Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm (1976).
"""

import math

from dovetail.contact.ipc.barrier.function import log_barrier
from dovetail.runtime.jit import jit_in_place

GAP_ACCURACY = 1e-9  # of the gap
MAX_STEPS = 60  # to find it


@jit_in_place
def proximal_gap(c, compliance, guess, stiffness, dmin, dhat):
    """(z [m], force [kg m], d force/d c [kg]) of a barrier: z = c + compliance force(z).

    The compliance is 1/p [1/kg]; `stiffness` [kg m^2] that of the barrier. The derivative is
    negative.
    """
    high = dmin + dhat
    if c >= high:
        return c, 0.0, 0.0
    low = max(dmin, c)
    z = guess
    if not low < z < high:
        z = 0.5 * (low + high)
    slope = 0.0
    for _ in range(MAX_STEPS):
        _, first, second = log_barrier(z * z, dmin, dhat)
        force = -2.0 * stiffness * first * z
        slope = -stiffness * (2.0 * first + 4.0 * second * z * z)
        left = z - c - compliance * force
        if left > 0.0:
            high = z
        else:
            low = z
        step = left / (1.0 - compliance * slope)
        z -= step
        if abs(step) <= GAP_ACCURACY * (z - dmin):
            break
        if not low < z < high:
            z = 0.5 * (low + high)
    return z, (z - c) / compliance, slope / (1.0 - compliance * slope)


@jit_in_place
def proximal_slip(size, limit, penalty, eps):
    """(force, d force/d size, force/size) of smoothed friction along c, |c| = `size` [m].

    z = c/|c| y with y + limit/penalty f1(y) = |c|, f1 as in `friction.potential`; the force is
    penalty (|c| - y) = limit f1(y) [kg m], against the slip; the other two [kg] are the radial and
    the tangential stiffness.
    """
    k = limit / penalty
    if size - k >= eps:
        return limit, 0.0, limit / size
    b, a = 1.0 + 2.0 * k / eps, k / (eps * eps)
    y = 2.0 * size / (b + math.sqrt(max(b * b - 4.0 * a * size, 0.0)))
    slope = 2.0 * k * (1.0 - y / eps) / eps
    radial = penalty * slope / (1.0 + slope)
    if not size > 0.0:
        return 0.0, radial, radial
    force = penalty * (size - y)
    return force, radial, force / size
