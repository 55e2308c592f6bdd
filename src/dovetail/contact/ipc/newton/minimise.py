"""Newton's method on the group with a line search that never lets bodies meet.

Minimises the incremental potential of one step (Ferguson et al., Rigid IPC (2021), section 4)
    E(x, R) = sum of inertia terms + w sum of barriers load m B(D^2) + friction,
w load = h^2 kappa [kg m^2] (`barrier.stiffness`),
over the poses of all bodies with unknowns; friction is lagged (`friction.potential`). Each iterate
follows from the one before by a constant twist per body along which the curved CCD has found no
contact, so that the way along the iterates is free of contacts, whatever the step.
"""

import math

from dovetail.contact.ipc.barrier.contacts import add_barrier_terms, barrier_energy
from dovetail.contact.ipc.barrier.stiffness import TOO_CLOSE, raise_loads
from dovetail.contact.ipc.candidates.distances import stand
from dovetail.contact.ipc.candidates.lists import pairs_ready
from dovetail.contact.ipc.friction.lagged_contacts import add_friction_derivatives
from dovetail.contact.ipc.friction.potential import friction_energy
from dovetail.contact.ipc.islands.settled import (
    any_settled,
    begin_islands,
    fastest_of_islands,
    go_on_where_touched,
    settle,
    shorten_others,
)
from dovetail.contact.ipc.joints.direction import LARGEST_ROTATION as LARGEST_JOINTED_ROTATION
from dovetail.contact.ipc.joints.direction import constrained_direction
from dovetail.contact.ipc.joints.energies import joint_energy, rounding_work
from dovetail.contact.ipc.joints.hessian import add_joint_terms
from dovetail.contact.ipc.joints.multipliers import update_multipliers
from dovetail.contact.ipc.joints.projection import project_to_joints
from dovetail.contact.ipc.joints.rows import any_rows
from dovetail.contact.ipc.line_search.nonmonotone import (
    allowed_rise,
    begin_rises,
    forget_rises,
    note_rise,
)
from dovetail.contact.ipc.line_search.step_size import safe_time
from dovetail.contact.ipc.newton.inertia import set_inertia_terms, total_inertia_energy
from dovetail.contact.ipc.newton.projection import lift_pairs
from dovetail.contact.ipc.newton.rotation_trust_region import (
    LARGEST_TURN,
    damp_turns,
    free_turns,
    limit_turns,
    turning_body,
)
from dovetail.contact.ipc.newton.system import add_contact_blocks, hold_fixed
from dovetail.contact.ipc.poses import (
    copy_poses,
    find_paths,
    move,
    shorten_turns,
    twists_between,
)
from dovetail.contact.ipc.records import N_PAIRS, SWEEPS, WHICH
from dovetail.linalg.block_cholesky.factor import factorise, prepare, solve
from dovetail.runtime.jit import jit

DONE, NO_ROOM, NO_KNOT_ROOM, NO_FACTOR_ROOM, NO_FRICTION_ROOM = range(5)
TOUCHING, STUCK, TOO_MANY, NOT_FINITE = range(5, 9)

MOST_HALVINGS = 60
REST = 0.1  # of every gap that one search step leaves
CROSSED = 0.3  # of the safe way: a shorter search step means that slipping contacts turned about
RELAXED = 0.5  # how fast their stiffening is taken back
ROUNDING = 1e-13  # of the energy
AT_REST = 1e-10  # of the energy: no search step is expected to lower it by less
LEAST_PIVOT = 1e-13  # of its diagonal entry
PATIENCE = 300  # iterations with what is positive by itself; then with pairs lifted
FAR = 100.0  # times the tolerance: the speed of a direction that is far from the last one


@jit
def energy_at(bodies, lists, room, friction, x, R, x_0, R_0, dmin, dhat, weight):
    """E at a pose, where `stand` has been."""
    numbers = lists.numbers
    inertia = total_inertia_energy(
        bodies.mass, bodies.J, bodies.slot, x, R, room.x_hat, room.R_hat, R_0, room.impulse
    )
    pushed = barrier_energy(
        numbers[WHICH], numbers[N_PAIRS], lists.pairs, lists.start, lists.pool, room.squared,
        room.lever, bodies.edges, dmin, dhat, weight, room.load,
    )  # fmt: skip
    rubbed = friction_energy(friction.contacts, x, R, x_0)
    return inertia + pushed + rubbed


@jit
def derive(bodies, lists, room, friction, x_0, R_0, dmin, dhat, weight, theta, positive):
    """Gradient and Hessian blocks at the iterate: (energy, contacts, blocks off the diagonal)."""
    numbers = lists.numbers
    which, n_pairs = numbers[WHICH], numbers[N_PAIRS]
    x, R, gradient, diagonal, off = room.x, room.R, room.gradient, room.diagonal, room.off
    energy = set_inertia_terms(
        bodies.mass, bodies.J, bodies.slot, x, R, room.x_hat, room.R_hat, R_0, room.impulse,
        gradient, diagonal, positive,
    )  # fmt: skip
    pushed, contacts = add_barrier_terms(
        which, n_pairs, lists.pairs, lists.start, lists.pool, room.squared, x, room.lever,
        bodies.edges, bodies.faces, bodies.open, room.facing, dmin, dhat, weight, room.load, theta,
        room.rows, room.active,
    )  # fmt: skip
    rubbed = 0.0
    if friction.contacts.n_contacts[0] > 0:
        add_friction_derivatives(lists, room, friction, x_0, theta)
        rubbed = friction_energy(friction.contacts, x, R, x_0)
    if positive and theta > 0.0:
        lift_pairs(
            which, n_pairs, lists.pairs, room.active, room.rows, bodies.radius, friction.square
        )
    n_linked = add_contact_blocks(
        which, n_pairs, lists.pairs, room.active, room.rows, bodies.slot, gradient, diagonal, off,
        room.linked,
    )  # fmt: skip
    hold_fixed(
        n_linked, room.linked, bodies.owner, bodies.free, room.still, gradient, diagonal, off
    )
    return energy + pushed + rubbed, contacts, n_linked


@jit
def direct(bodies, lists, room, friction, x_0, R_0, dmin, dhat, weight, caution):
    """Newton's twists; returns (code, energy, contacts, caution, slope g.d, blocks, shift).

    Caution 0 is the exact Hessian; where it is not positive, 1 keeps of every contact only what is
    positive by itself (`distance.derivatives.add_terms`), which leads a long way without surprises;
    2 lifts the exact Hessian of every pair of bodies to its positive part, which is nearer to the
    truth and sees how a point that slides comes closer to a face that turns; beyond, the diagonal
    is raised.
    """
    energy, contacts, n_linked, shift, slope = 0.0, 0, 0, 0.0, math.inf
    gradient, right, twist, owner = room.gradient, room.right, room.twist, bodies.owner
    factor, joints = room.factor, room.joints
    m = owner.shape[0]
    code = DONE
    while code == DONE and caution < 60 and not slope <= 0.0:
        if caution < 3:
            theta = 0.0 if caution == 1 else 1.0
            energy, contacts, n_linked = derive(
                bodies, lists, room, friction, x_0, R_0, dmin, dhat, weight, theta, caution > 0
            )
            held, n_linked = add_joint_terms(joints, bodies, room, n_linked, caution == 0)
            energy += held
            if not prepare(factor, m, room.linked, n_linked):
                code = NO_FACTOR_ROOM
        else:
            shift = 1e-8 * 2.0 ** (caution - 3)
        if (
            code == DONE
            and factorise(factor, room.diagonal, room.off, n_linked, shift, LEAST_PIVOT) < 0
        ):
            slope = 0.0
            if any_rows(joints):
                slope = constrained_direction(joints, bodies, room)
            else:
                for k in range(m):
                    for r in range(6):
                        right[k, r] = -gradient[k, r]
                solve(factor, right)
                for k in range(m):
                    for r in range(6):
                        slope += gradient[k, r] * right[k, r]
            for k in range(m):
                for r in range(6):
                    twist[owner[k], r] = right[k, r]
        if not slope <= 0.0:
            caution += 1
    return code, energy, contacts, caution, slope, n_linked, shift


@jit
def way_is_free(bodies, lists, room, dmin, reach):
    """Whether nothing meets on the straight way from the iterate to the pose tried.

    1, 0, or -1 where there was no room; room.path is zero afterwards.
    """
    way, path, slot = room.joints.displacement, room.path, bodies.slot
    twists_between(slot, room.x, room.R, room.x_try, room.R_try, way)
    find_paths(slot, bodies.radius, way, path)
    fits = pairs_ready(bodies, lists, room.x, room.R, path, reach)
    for i in range(path.shape[0]):
        path[i] = 0.0
    if not fits:
        return -1
    t, _ = safe_time(bodies, lists, room, room.x, room.R, way, dmin, 0.0, 0.5 * REST)
    return 1 if t >= 1.0 else 0


@jit
def search(bodies, lists, room, friction, x_0, R_0, t, dmin, dhat, weight, energy, rise):
    """The first of t, t/2, t/4, ... that raises the energy by no more than `rise`; else 0.

    The pose is in x_try, R_try.

    Stands there. Returns (t, or -1 where there was no room, the least squared distance [m^2], the
    energy).
    """
    allowed = energy + rise
    x, R, path = room.x_try, room.R_try, room.path
    for i in range(path.shape[0]):
        path[i] = 0.0
    joints = room.joints
    jointed = any_rows(joints)
    if jointed:
        allowed += rounding_work(joints, room.x)
    for _ in range(MOST_HALVINGS):
        move(bodies.slot, room.x, room.R, room.twist, t, x, R)
        if jointed:
            free = 0
            if project_to_joints(joints, bodies, room):
                free = way_is_free(bodies, lists, room, dmin, dmin + dhat)
            if free < 0:
                return -1.0, math.inf, 0.0
            if free == 0:
                t *= 0.5
                continue
        fits, least = stand(bodies, lists, room, x, R, path, dmin + dhat, dhat)
        if not fits:
            return -1.0, least, 0.0
        there = energy_at(bodies, lists, room, friction, x, R, x_0, R_0, dmin, dhat, weight)
        if jointed:
            there += joint_energy(joints)
        if there <= allowed:
            return t, least, there
        t *= 0.5
    return 0.0, math.inf, 0.0


@jit
def minimise(
    bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight, tolerance, most, first
):  # fmt: skip
    """As `_descend`; afterwards nobody is passed over, and distances are those of the iterate."""
    begin_islands(bodies, lists, room)
    code, iterations, speed, weight, least, contacts, careful, by = _descend(
        bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight, tolerance, most, first
    )
    if any_settled(room):
        begin_islands(bodies, lists, room)
        for i in range(room.path.shape[0]):
            room.path[i] = 0.0
        fits, squared = stand(bodies, lists, room, room.x, room.R, room.path, dmin + dhat, dhat)
        least = math.sqrt(squared)
        if not fits:
            code = NO_ROOM
    return code, iterations, speed, weight, least, contacts, careful, by


@jit
def _descend(
    bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight, tolerance, most, first
):  # fmt: skip
    """Minimise from the poses room.x, room.R, which must be free of intersections.

    Stops when no vertex moves faster than `tolerance` [m/s] in the full Newton direction (the
    reference's rule), after taking that step. Knots are kept from number `first` on. Returns (code,
    iterations, speed of the last direction [m/s], W, least distance [m], contacts, iterations with
    caution, limiting pair).
    """
    x, R, twist, path, slot = room.x, room.R, room.twist, room.path, bodies.slot
    knot_x, knot_turn = room.knot_x, room.knot_turn
    reach = dmin + dhat
    numbers = lists.numbers
    iterations, careful, contacts, by = 0, 0, 0, -1
    stiffening = friction.stiffening
    stiffening[0] = 0.0
    joints = room.joints
    joints.multipliers.updates[0] = 0
    jointed = any_rows(joints)
    largest_turn = LARGEST_JOINTED_ROTATION if jointed else LARGEST_TURN
    speed, before, next_caution = math.inf, math.inf, 0
    begin_rises(room.past, friction.contacts.n_contacts[0] == 0)
    for i in range(slot.shape[0]):
        path[i] = 0.0
    free_turns(room)
    copy_poses(x, R, room.x_try, room.R_try)
    copy_poses(x, R, knot_x[first], knot_turn[first])
    fits, least = stand(bodies, lists, room, x, R, path, reach, dhat)
    if not fits:
        return NO_ROOM, iterations, speed, weight, 0.0, contacts, careful, by
    while iterations < most:
        code, energy, touching, caution, slope, n_linked, shift = direct(
            bodies, lists, room, friction, x_0, R_0, dmin, dhat, weight, next_caution
        )
        contacts = max(contacts, touching)
        careful += 1 if caution > 0 else 0
        if code == DONE and not math.isfinite(slope):
            code = NOT_FINITE
        if code != DONE:
            return code, iterations, speed, weight, math.sqrt(least), contacts, careful, by
        way, some_settle = fastest_of_islands(bodies, lists, room, n_linked, h * tolerance)
        speed = way / h
        converged = speed <= tolerance
        if not converged and touching > 0 and not jointed:
            slope = damp_turns(bodies, room, n_linked, shift, LEAST_PIVOT, slope)
        shorten_turns(slot, twist, largest_turn)
        find_paths(slot, bodies.radius, twist, path)
        swept = numbers[SWEEPS]
        fits = pairs_ready(bodies, lists, x, R, path, reach)
        if fits and numbers[SWEEPS] != swept:
            fits, _ = stand(bodies, lists, room, x, R, path, reach, dhat)
        if not fits:
            return NO_ROOM, iterations, speed, weight, 0.0, contacts, careful, by
        t, by = safe_time(bodies, lists, room, x, R, twist, dmin, reach, REST)
        if not t > 0.0:
            return TOUCHING, iterations, speed, weight, math.sqrt(least), contacts, careful, by
        reached, turning, shortened = t, turning_body(lists, room, by, reach), 1.0
        if some_settle and t < 1.0:
            shortened = t
            shorten_others(room.still, twist, t)
            t, _ = safe_time(bodies, lists, room, x, R, twist, dmin, reach, REST)
            reached = shortened * t
            if not t > 0.0:
                return TOUCHING, iterations, speed, weight, math.sqrt(least), contacts, careful, by
        rise = ROUNDING * abs(energy)
        if converged:  # what the last step gains is less than the energy can tell
            rise = max(rise, min(-slope, AT_REST * abs(energy)))
        if reached < 1.0 and speed > FAR * tolerance:
            rise += allowed_rise(room.past)
        t, now, there = search(
            bodies, lists, room, friction, x_0, R_0, t, dmin, dhat, weight, energy, rise
        )
        if t < 0.0:
            return NO_ROOM, iterations, speed, weight, 0.0, contacts, careful, by
        if not t > 0.0:
            at_rest = -slope <= AT_REST * abs(energy)
            settled = not at_rest or update_multipliers(joints, joints.iterate.phi)
            if (not at_rest and caution < 8) or not settled:
                next_caution = caution + 1 if settled else 0
                if not settled:
                    forget_rises(room.past)
                fits, _ = stand(bodies, lists, room, x, R, path, reach, dhat)
                if not fits:
                    return NO_ROOM, iterations, speed, weight, 0.0, contacts, careful, by
                continue
            code = DONE if at_rest or converged else STUCK
            return code, iterations, speed, weight, math.sqrt(least), contacts, careful, by
        settles = some_settle and t >= 1.0 and not jointed
        t *= shortened
        limit_turns(room, turning, t)
        # Where it was not positive far from the end, it will not be in the next iteration.
        next_caution = 0
        if caution > 0 and speed > FAR * tolerance:
            next_caution = 1 if iterations < PATIENCE else 2
        stiffening[0] = 1.0 if t < CROSSED * reached else RELAXED * stiffening[0]
        if stiffening[0] < 0.1:
            stiffening[0] = 0.0
        copy_poses(room.x_try, room.R_try, x, R)
        note_rise(room.past, iterations, there - energy)
        iterations += 1
        if first + iterations >= knot_x.shape[0]:
            return NO_KNOT_ROOM, iterations, speed, weight, 0.0, contacts, careful, by
        copy_poses(x, R, knot_x[first + iterations], knot_turn[first + iterations])
        gap = math.sqrt(now) - dmin
        closer = now < before and there <= energy  # not on the way through a barrier
        if gap < TOO_CLOSE * dhat and (closer or converged):
            if raise_loads(bodies, lists, room, dmin, dhat):
                converged = settles = False
                forget_rises(room.past)
        settle(room, settles)
        if any_settled(room) and go_on_where_touched(lists, room, reach):
            converged = False
            for i in range(path.shape[0]):
                path[i] = 0.0
            fits, now = stand(bodies, lists, room, x, R, path, reach, dhat)
            if not fits:
                return NO_ROOM, iterations, speed, weight, 0.0, contacts, careful, by
        least = before = now
        if converged:
            if update_multipliers(joints, joints.trial.phi):
                return DONE, iterations, speed, weight, math.sqrt(least), contacts, careful, by
            forget_rises(room.past)
    return TOO_MANY, iterations, speed, weight, math.sqrt(least), contacts, careful, by
