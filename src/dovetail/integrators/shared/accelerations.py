r"""Accelerations and multipliers at a given state: the index-1 form of the equations of motion.

    [ M  G^T ] [ u' ]   [ force - gyroscopic ]
    [ G   0  ] [ l  ] = [ -(G' u + d^2 phi/dt^2) ]
with u = (v, omega in body axes); also the projection of velocities, in the mass norm, onto
those that the joints allow.
"""

from dovetail.integrators.variational.stages import mass_blocks, set_modes
from dovetail.integrators.variational.velocity_stage import take_velocities
from dovetail.linalg.kkt.rows import HARD, SOFT
from dovetail.linalg.kkt.symmetric_tree import factor_symmetric, is_plain_tree, solve_symmetric
from dovetail.linalg.kkt.tree import factor, solve
from dovetail.linalg.vec3 import cross, load3, load33, mat_t_vec, matvec, sub
from dovetail.multibody.constraints.bodies import ARMATURE, DAMPER, given_rate, push, wrenches
from dovetail.multibody.constraints.joint_friction import add_friction
from dovetail.multibody.constraints.rows import bias, evaluate, row_rate
from dovetail.runtime.jit import jit, jit_in_place


@jit
def all_wrenches(constants, tree, loads, rows, previous_angle, motion, extra):
    """Rows and total wrenches, dampers included, at the state of `motion`."""
    R, G, force, torque, v, omega = (
        motion.R, motion.G, motion.force, motion.torque, motion.v, motion.omega,
    )  # fmt: skip
    role, damping, body, moves = constants.role, constants.damping, tree.body, tree.moves
    evaluate(rows, motion.x, R, previous_angle, motion.phi, motion.angle, G)
    wrenches(constants, tree, loads, rows, motion, extra)
    for r in range(role.shape[0]):
        if role[r] == DAMPER:
            pull = -damping[r] * row_rate(body, G, r, v, omega)
            push(body, moves, R, G, r, pull, force, torque)
    add_friction(constants, tree, motion)


@jit
def solve_accelerations(constants, tree, rows, motion, carried, decay, ahead, work, kkt):
    """Accelerations into work.u, multipliers into work.lam, at rows and wrenches known before.

    `carried` (n, 6) are the accelerations of kinematic bodies. `decay` [1/s] > 0 asks for
    d^2 phi/dt^2 + 2 decay d phi/dt + decay^2 phi = 0 instead of d^2 phi/dt^2 = 0 (Baumgarte).
    With `ahead` [s] > 0 dampers act as they will after that time at this acceleration. Returns a
    body without solution, or -1.
    """
    order, body, moves, G = tree.order, tree.body, tree.moves, motion.G
    R, omega, forces, torques = motion.R, motion.omega, motion.force, motion.torque
    c, b, inertia, rate, rate2 = work.c, kkt.b, constants.inertia, constants.rate, constants.rate2
    v, phi = motion.v, motion.phi
    set_modes(constants, kkt, motion.active, False, True, 1.0)
    mode, D, role, damping = kkt.mode, kkt.D, constants.role, constants.damping
    for r in range(c.shape[0]):
        if role[r] == DAMPER and ahead * damping[r] > 0.0:
            mode[r], D[r] = SOFT, 1.0 / (ahead * damping[r])
    mass_blocks(constants, order, kkt.A)
    unsolved = factor(tree, G, G, kkt)
    if unsolved >= 0:
        return unsolved
    bias(rows, motion.x, R, v, omega, phi, c)
    for r in range(c.shape[0]):
        prescribed = c[r] + rate2[r]
        if decay > 0.0 and role[r] != ARMATURE:
            speed = row_rate(body, G, r, v, omega) + rate[r]
            prescribed += decay * (2.0 * speed + decay * phi[r])
        for side in range(body.shape[1]):
            i = body[r, side]
            if i >= 0 and not moves[i]:
                for k in range(6):
                    prescribed += G[r, side, k] * carried[i, k]
        c[r] = -prescribed if mode[r] == HARD or role[r] == ARMATURE else 0.0
    for i in order:
        w = load3(omega, i)
        torque = mat_t_vec(load33(R, i), load3(torques, i))
        free = sub(torque, cross(w, matvec(load33(inertia, i), w)))
        for k in range(3):
            b[i, k] = forces[i, k]
            b[i, 3 + k] = free[k]
    solve(tree, G, G, kkt, c, work.u, work.lam)
    return -1


@jit_in_place
def project_velocities(constants, tree, motion, work, kkt):
    """Project velocities onto G u + d phi/dt = 0; a body without solution, or -1.

    Minimises the kinetic energy of the change; the rows of `motion` must be known. `kkt` has the
    factors of M and the rows afterwards.
    """
    return _project(constants, tree, motion, work, kkt, False)


@jit_in_place
def project_once(constants, tree, motion, work, kkt):
    """As `project_velocities`, for whom does not need the factors afterwards."""
    return _project(constants, tree, motion, work, kkt, is_plain_tree(tree, kkt))


@jit_in_place
def _project(constants, tree, motion, work, kkt, by_symmetry):
    """See `project_velocities` and `linalg.kkt.symmetric_tree`."""
    order, body, moves, G = tree.order, tree.body, tree.moves, motion.G
    v, omega, c, b = motion.v, motion.omega, work.c, kkt.b
    mass, inertia, rates = constants.mass, constants.inertia, constants.rate
    for r in range(c.shape[0]):
        c[r] = -given_rate(body, moves, G, r, v, omega, rates[r])
        if constants.role[r] == ARMATURE:
            c[r] += row_rate(body, G, r, v, omega)
    set_modes(constants, kkt, motion.active, False, True, 1.0)
    mass_blocks(constants, order, kkt.A)
    if by_symmetry and factor_symmetric(tree, G, kkt) >= 0:
        by_symmetry = False
        mass_blocks(constants, order, kkt.A)
    if not by_symmetry:
        unsolved = factor(tree, G, G, kkt)
        if unsolved >= 0:
            return unsolved
    for i in order:
        momentum = matvec(load33(inertia, i), load3(omega, i))
        for k in range(3):
            b[i, k] = mass[i] * v[i, k]
            b[i, 3 + k] = momentum[k]
    if by_symmetry:
        solve_symmetric(tree, kkt, c, work.u, work.lam)
    else:
        solve(tree, G, G, kkt, c, work.u, work.lam)
    return take_velocities(constants, order, work.u, motion)


@jit
def start(parts):
    """Rows, consistent velocities and wrenches of `now`; a body without solution, or -1."""
    constants, tree, now, work = parts.constants, parts.tree, parts.now, parts.work
    evaluate(parts.rows, now.x, now.R, now.angle, now.phi, now.angle, now.G)
    unsolved = project_velocities(constants, tree, now, work, parts.kkt)
    if unsolved < 0:
        all_wrenches(constants, tree, parts.loads, parts.rows, now.angle, now, work.extra)
    return unsolved


@jit
def reactions(parts, carried, ahead):
    """Accelerations into work.u and multipliers into work.lam at `now`, its wrenches known."""
    return solve_accelerations(
        parts.constants, parts.tree, parts.rows, parts.now, carried, 0.0, ahead, parts.work,
        parts.kkt,
    )  # fmt: skip
