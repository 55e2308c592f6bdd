"""The barrier stiffness with which a step begins, from its forces and speeds.

w = h^2 kappa / scale [m^2] (`barrier.stiffness`): at least what stops bodies in time, and within a
range above that what balances the forces at the start of the step.
"""

import math

from dovetail.collision.distance.derivatives import GRADIENT_ONLY
from dovetail.contact.ipc.barrier.function import with_stiffness
from dovetail.contact.ipc.newton.inertia_terms import set_inertia_terms
from dovetail.contact.ipc.newton.potential import differentiate
from dovetail.contact.ipc.newton.system import fix_unknowns
from dovetail.contact.ipc.records import Poses
from dovetail.linalg.vec3 import load3, load33, matvec
from dovetail.runtime.jit import jit_in_place

FORCE_AT_HALF = 4.33  # |dB/dD| dhat at D = dhat/2
ENERGY_AT_TENTH = 9.0  # 2 B at D = dhat/10
MAX_SHIFT = 10.0  # dhat: faster bodies are left to the stiffness scales, see `least_stiffness`
LARGEST_RATIO = 100.0  # of the least stiffness, within which it follows the forces
BALANCED = 1.02  # times the previous stiffness, or its inverse: forces that it balances
NEARLY_BALANCED = 2.0  # the same with momentum: beyond, the stiffness follows even so


@jit_in_place
def least_stiffness(acceleration, speed, h, dhat):
    """w [m^2] that stops at half of dhat what forces move, at a tenth of it what flies.

    A weaker barrier would let fast bodies pass each other at gaps of almost nothing.
    """
    shift = max(max(h * h * acceleration, h * speed), 1e-3 * dhat)
    return shift * max(dhat / FORCE_AT_HALF, min(shift / ENERGY_AT_TENTH, MAX_SHIFT * dhat))


@jit_in_place
def _clamped(low, value, high):
    return min(max(value, low), high)


@jit_in_place
def _within(factor, a, b):
    """Whether two positive numbers differ by no more than a factor."""
    return a <= factor * b and b <= factor * a


@jit_in_place
def balanced_stiffness(bodies, lists, workspace, friction, motion, barrier, h, least, previous):
    """w = h^2 kappa / scale [m^2], between the least and LARGEST_RATIO times it.

    Within that range it balances the forces there are, -gB.gE / gB.gB (Li et al. 2020,
    supplement), products weighted by the inverse masses so that forces and torques can be added.
    The `previous` one is kept where it balances the loads and is about right for what moves, too.
    One that followed every change would follow its own: friction bears some of the weight where
    normals are slanted, which the forces do not say, and bodies at rest would sink on ever softer
    contacts; and one that followed their last motions (without gE's part h v, `h` being 0 where
    that is not known) would keep them going.
    """
    v, omega, start = motion.v, motion.omega, Poses(motion.x, motion.R)
    if least == 0.0:
        return least
    system, twist, owner = workspace.system, workspace.twist, bodies.owner
    gradient, diagonal, right = system.gradient, system.diagonal, system.right
    set_inertia_terms(
        bodies.mass, bodies.J, bodies.slot, start, workspace.predicted, start.R,
        workspace.impulse, gradient, diagonal, False,
    )  # fmt: skip
    fix_unknowns(system, 0, owner, bodies.free, workspace.islands.state)
    for k in range(owner.shape[0]):
        for r in range(6):
            right[k, r] = gradient[k, r]
            twist[owner[k], r] = diagonal[k, r, r]
    unit = barrier.dhat * barrier.dhat  # not 1 m^2, which would round differently in other units
    _, contacts, _ = differentiate(
        bodies, lists, workspace, friction, start, with_stiffness(barrier, unit), GRADIENT_ONLY,
        False,
    )  # fmt: skip
    if contacts == 0:
        return least
    barrier_dot_inertia, barrier_squared, moving = 0.0, 0.0, 0.0
    for k in range(owner.shape[0]):
        i = owner[k]
        spin = matvec(load33(start.R, i), load3(omega, i))
        for r in range(6):
            pushed, inertia = gradient[k, r] - right[k, r], twist[i, r]
            barrier_dot_inertia += pushed * right[k, r] / inertia
            barrier_squared += pushed * pushed / inertia
            moving += pushed * (v[i, r] if r < 3 else spin[r - 3])
    if not barrier_squared > 0.0 or not math.isfinite(barrier_squared):
        return least
    largest = LARGEST_RATIO * least
    balancing = _clamped(least, -barrier_dot_inertia / barrier_squared * unit, largest)
    without_motion = _clamped(
        least, -(barrier_dot_inertia + h * moving) / barrier_squared * unit, largest
    )
    keep = least <= previous <= largest and _within(BALANCED, without_motion, previous)
    return previous if keep and _within(NEARLY_BALANCED, balancing, previous) else balancing
