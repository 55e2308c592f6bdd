"""One implicit Euler step of bodies in contact, free of intersections, as one compiled call.

    x^ = x + h v + h^2 f/m,   R^ = R + h R',   then minimise (`friction.lagging`),
    v <- (x_1 - x_0)/h,       R' <- (R_1 - R_0)/h.
Ferguson et al., Rigid IPC (2021), eqs. 7-9. The rate R' is kept as a matrix, as there.
"""

import math
from typing import Any, NamedTuple

from dovetail.collision.distance.derivatives import GRADIENT_ONLY
from dovetail.contact.ipc.barrier.stiffness import take_loads
from dovetail.contact.ipc.candidates.distances import stand
from dovetail.contact.ipc.friction.lagged_contacts import N_HELD
from dovetail.contact.ipc.friction.lagging import (
    minimise_with_friction,
    nothing_rubs,
    remember_friction,
)
from dovetail.contact.ipc.islands.settled import begin_islands
from dovetail.contact.ipc.islands.sleeping import (
    ASLEEP,
    everybody_sleeps,
    fall_asleep,
    put_to_rest,
    wake_changed,
    wake_touched,
)
from dovetail.contact.ipc.joints.rows import begin_joints, end_joints
from dovetail.contact.ipc.newton.inertia import set_inertia_terms
from dovetail.contact.ipc.newton.minimise import DONE, NO_ROOM, derive
from dovetail.contact.ipc.newton.system import hold_fixed
from dovetail.contact.ipc.poses import copy_poses, set_velocities, twists_between
from dovetail.linalg.vec3 import load3, load33, matvec, norm
from dovetail.runtime.jit import jit
from dovetail.runtime.records import bundler

HALF_WAY = 4.33  # |dB/dD| dhat at D = dhat/2
STOPPED = 9.0  # 2 B at D = dhat/10
HARDEST = 10.0  # dhat: ways beyond STOPPED of it are left to rising loads, see `step`
RANGE = 100.0  # of the least stiffness, within which it follows the forces
ALIKE = 1.02  # times the stiffness of the step before, or its inverse: loads that it balances
NEARLY = 2.0  # the same with momentum: beyond, the stiffness follows even so


class IpcMotion(NamedTuple):
    """The motion of n bodies and what acts on them."""

    x: Any  # (n, 3) [m]
    R: Any  # (n, 3, 3)
    v: Any  # (n, 3) [m/s]
    omega: Any  # (n, 3) [rad/s] body axes
    rate: Any  # (n, 3, 3) [1/s] R'
    force: Any  # (n, 3) [N] without contact, world axes
    torque: Any  # (n, 3) [N m] about the centre of mass, world axes
    load: Any  # (n,) [kg] that contacts had to carry in the step before, see `barrier.stiffness`
    asleep: Any  # (n,) uint8, see `islands.sleeping`
    isle: Any  # (n,) int32 island of a body asleep
    rest_loads: Any  # (n, 7) force [N], torque [N m] and step [s] it fell asleep with
    rest: Any  # (3,) int64 how many sleep, fell asleep and woke


bundle_motion = bundler(IpcMotion)


@jit
def predict(bodies, room, motion, h):
    """x^, R^ and h^2 torque of dynamic bodies; the targets of driven ones are there already."""
    slot, acts, free, mass = bodies.slot, bodies.acts, bodies.free, bodies.mass
    x, R, v, rate = motion.x, motion.R, motion.v, motion.rate
    force, torque = motion.force, motion.torque
    x_hat, R_hat, impulse = room.x_hat, room.R_hat, room.impulse
    for i in range(slot.shape[0]):
        if slot[i] < 0 or acts[i] == 0:
            continue
        for r in range(3):
            x_hat[i, r] = x[i, r]
            if free[i, r] != 0:
                x_hat[i, r] += h * v[i, r] + h * h * force[i, r] / mass[i]
            impulse[i, r] = h * h * torque[i, r]
            for c in range(3):
                R_hat[i, r, c] = R[i, r, c] + h * rate[i, r, c]


@jit
def scales(bodies, motion, h):
    """Largest acceleration [m/s^2] and largest speed [m/s] of bodies that move."""
    slot, acts, mass, radius = bodies.slot, bodies.acts, bodies.mass, bodies.radius
    v, omega, force, free = motion.v, motion.omega, motion.force, bodies.free
    acceleration, speed = 0.0, 0.0
    for i in range(slot.shape[0]):
        if slot[i] < 0:
            continue
        speed = max(speed, norm(load3(v, i)) + radius[i] * norm(load3(omega, i)))
        if acts[i] == 0:
            continue
        f = (free[i, 0] * force[i, 0], free[i, 1] * force[i, 1], free[i, 2] * force[i, 2])
        acceleration = max(acceleration, norm(f) / mass[i])
    return acceleration, speed


@jit
def _between(low, value, high):
    return min(max(value, low), high)


@jit
def _within(factor, a, b):
    """Whether two positive numbers differ by no more than a factor."""
    return a <= factor * b and b <= factor * a


@jit
def stiffness(bodies, lists, room, friction, motion, h, dmin, dhat, least, before):
    """w = h^2 kappa / load [m^2], between the least and RANGE times it.

    Within that range it balances the forces there are, -gB.gE / gB.gB (Li et al. 2020,
    supplement), products weighted by the inverse masses so that forces and torques can be added.
    That of the step `before` is kept where it balances the loads and is about right for what
    moves, too. One that followed every change would follow its own: friction bears some of the
    weight where normals are slanted, which the forces do not tell, and bodies at rest would sink
    on ever softer contacts; and one that followed their last motions (without gE's part h v, `h`
    being 0 where that is not known) would keep them going.
    """
    x_0, R_0, v, omega = motion.x, motion.R, motion.v, motion.omega
    if least == 0.0:
        return least
    gradient, diagonal, right, twist = room.gradient, room.diagonal, room.right, room.twist
    owner = bodies.owner
    set_inertia_terms(
        bodies.mass, bodies.J, bodies.slot, x_0, R_0, room.x_hat, room.R_hat, R_0, room.impulse,
        gradient, diagonal, False,
    )  # fmt: skip
    hold_fixed(0, room.linked, owner, bodies.free, room.still, gradient, diagonal, room.off)
    for k in range(owner.shape[0]):
        for r in range(6):
            right[k, r] = gradient[k, r]
            twist[owner[k], r] = diagonal[k, r, r]
    unit = dhat * dhat  # not 1 m^2, which would round differently in other units
    _, contacts, _ = derive(
        bodies, lists, room, friction, x_0, R_0, dmin, dhat, unit, GRADIENT_ONLY, False
    )
    if contacts == 0:
        return least
    both, size, moving = 0.0, 0.0, 0.0
    for k in range(owner.shape[0]):
        i = owner[k]
        spin = matvec(load33(R_0, i), load3(omega, i))
        for r in range(6):
            pushed, inertia = gradient[k, r] - right[k, r], twist[i, r]
            both += pushed * right[k, r] / inertia
            size += pushed * pushed / inertia
            moving += pushed * (v[i, r] if r < 3 else spin[r - 3])
    if not size > 0.0 or not math.isfinite(size):
        return least
    most = RANGE * least
    wanted = _between(least, -both / size * unit, most)
    standing = _between(least, -(both + h * moving) / size * unit, most)
    kept = least <= before <= most and _within(ALIKE, standing, before)
    return before if kept and _within(NEARLY, wanted, before) else wanted


@jit
def stands(bodies, lists, room, x, R, reach, dhat):
    """Lists and distances at a pose; whether there was room."""
    path = room.path
    for i in range(path.shape[0]):
        path[i] = 0.0
    fits, _ = stand(bodies, lists, room, x, R, path, reach, dhat)
    return fits


@jit
def step(
    bodies, lists, room, motion, friction, h, dmin, dhat, before, tolerance, part, most, given
):  # fmt: skip
    """Advance by h [s]; the motion changes only when the code is DONE.

    `tolerance` [m/s], or 0 for `part` of the speeds that matter; where it is negative, the smaller
    of both. Returns what `minimise` does. With `given` the caller has set where bodies would be
    without contact, room.x_hat and rotations room.R_hat, and velocities stay as they are.
    `before` [m^2] is the stiffness w of the step before, in this step's h^2; 0 for none.
    """
    x, R = motion.x, motion.R
    if given:
        impulse = room.impulse
        for i in range(impulse.shape[0]):
            impulse[i, 0] = impulse[i, 1] = impulse[i, 2] = 0.0
    else:
        wake_changed(lists, motion, h)
        if everybody_sleeps(bodies, motion):
            nothing_rubs(friction)
            return DONE, 0, 0.0, before, math.inf, 0, 0, -1, tolerance
        predict(bodies, room, motion, h)
    acceleration, speed = scales(bodies, motion, h)
    if tolerance <= 0.0:
        wanted = part * max(max(h * acceleration, 0.01 * speed), 0.01 * dhat / h)
        tolerance = wanted if tolerance == 0.0 else min(-tolerance, wanted)
    # Held at half of dhat against what moves it in a step, and the energy of that is used up at
    # a tenth: a weaker barrier would let fast bodies pass each other at gaps of almost nothing.
    shift = max(max(h * h * acceleration, h * speed), 1e-3 * dhat)
    softest = shift * max(dhat / HALF_WAY, min(shift / STOPPED, HARDEST * dhat))
    reach, rest = dmin + dhat, motion.rest
    code, iterations, last, weight, least, contacts = NO_ROOM, 0, 0.0, 0.0, 0.0, 0
    careful, by, again = 0, -1, True
    while again:
        copy_poses(x, R, room.x, room.R)
        begin_islands(bodies, lists, room)
        if not stands(bodies, lists, room, x, R, reach, dhat):
            return NO_ROOM, 0, 0.0, 0.0, 0.0, 0, 0, -1, tolerance
        if wake_touched(lists, room, motion, reach):
            continue
        if room.joints.phi.shape[0] > 0:
            begin_joints(room.joints, bodies, x, R, h)
        take_loads(bodies, lists, room, motion.load, dmin, dhat)
        friction.counts[N_HELD] = 0
        weight = stiffness(
            bodies, lists, room, friction, motion, 0.0 if given else h, dmin, dhat, softest, before
        )
        code, iterations, last, weight, least, contacts, careful, by = minimise_with_friction(
            bodies, lists, room, friction, x, R, h, dmin, dhat, weight, tolerance, most
        )
        again = False
        if code == DONE and rest[ASLEEP] > 0:
            if not stands(bodies, lists, room, room.x, room.R, reach, dhat):
                return NO_ROOM, 0, 0.0, 0.0, 0.0, 0, 0, -1, tolerance
            again = wake_touched(lists, room, motion, reach)
    if code == DONE and not given:
        put_to_rest(bodies, lists, room, motion, h, iterations)
    if code == DONE:
        code = remember_friction(bodies, lists, room, friction, x, R, h, dmin, dhat, weight)
    if code == DONE:
        slot = bodies.slot
        if not given:
            fall_asleep(bodies, lists, motion, h)
            twists_between(slot, x, R, room.x, room.R, room.twist)
            set_velocities(
                slot, h, x, R, room.x, room.R, room.twist, motion.v, motion.omega, motion.rate
            )
        copy_poses(room.x, room.R, x, R)
        load, kept = room.load, motion.load
        for i in range(load.shape[0]):
            kept[i] = load[i]
        if room.joints.phi.shape[0] > 0:
            end_joints(room.joints, bodies, x, R)
    return code, iterations, last, weight, least, contacts, careful, by, tolerance
