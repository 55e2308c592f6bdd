r"""RATTLie over a tree of joints, in joint coordinates: the same step, solved at linear cost.

The joints' multipliers do no work along motions that the joints allow. With N the velocities of the
bodies per joint velocity, the equations of `variational.step` multiplied by N_0^T and N_1^T are
    N_0^T P(xi) = p_0 + (h/2) g_0,     q_1 = q_0 + xi,
    M(q_1) eta_1 = N_1^T P(xi) + (h/2) g_1 = p_1,
with P the discrete momenta of the bodies (`tree_displacements`), M = N^T M N and g the generalised
forces; rotors add armature xi / h to the momenta along their coordinates. Joints hold to round-off
by construction. The first equation is solved with the matrix of
the step before, M(q_0), in articulated-body form (recursive inverse quasi-Newton: Lee, Liu, Park
and Srinivasa, WAFR 2016, arXiv:1609.02898), whose error shrinks by O(h omega) per iteration, or by
Newton's method in a Krylov space where that is too slow. The first guess extrapolates the mean
velocities of this stage in the steps before: after k steps it is off by O(h^k).
"""

import numpy as np

from dovetail.integrators.variational.tree.forces import (
    about_origins,
    factor_here,
    has_constant_wrenches,
    place_centres,
    show,
    update_forces,
)
from dovetail.integrators.variational.tree.held import (
    add_pressure,
    aim,
    begin_friction,
    friction_line,
    friction_settled,
    lock_impulses,
    press_limits,
    reach_limits,
    release_pulling,
    release_yielding,
    solve_velocities,
    stop_at_limits,
    yielding_damping,
)
from dovetail.integrators.variational.tree.positions import (
    DONE,
    SINGULAR,
    UNSETTLED,
    predict,
    remember,
    solve_positions,
)
from dovetail.integrators.variational.tree.records import (
    FRICTION,
    LIMITS,
    YIELDING,
    bundled,
    tree_forces,
    tree_holds,
    tree_step_workspace,
)
from dovetail.linalg.vec3 import (
    load3,
    load33,
    matvec,
    scale,
)
from dovetail.multibody.constraints.joint_friction import MAX_TRIALS, eased_force, friction_force
from dovetail.multibody.loads.wrenches import NO_LOADS
from dovetail.multibody.tree.articulated import articulated_factor, articulated_solve
from dovetail.multibody.tree.inertia import (
    load_symmetric,
    symmetric_times,
)
from dovetail.multibody.tree.integrate import integrate
from dovetail.multibody.tree.kinematics import positions, store6
from dovetail.multibody.tree.records import empty_tree, workspace_for
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.warmup import warm, warm_later

MAX_STOPS = 20  # times in a step that limits are found to be passed


@jit_in_place
def _begin(parts):
    """All that a first step needs, from work.q and the velocities of work.bodies.

    Those that joints do not allow become the nearest, in kinetic energy, that they do. Returns a
    coordinate without inertia, or -1.
    """
    tree, workspace, work, held = parts.tree, parts.workspace, parts.work, parts.held
    bodies = work.bodies
    positions(tree, work.q, workspace)
    place_centres(parts)
    for k in range(work.extra.size):  # bodies alone say what velocities were given
        held.lock[k] = np.inf if held.prescribed[k] else 0.0
        work.extra[k] = held.lock[k] - tree.armature[k]
        work.rho[k] = tree.armature[k] * held.rate[k]
        held.active[k], held.pressed[k], held.rotor[k] = 0, 0, tree.armature[k]
    where = factor_here(parts, work.extra)
    if where >= 0:
        return where
    work.constant[0] = False
    update_forces(parts)
    work.constant[0] = has_constant_wrenches(parts.loads)
    for body in range(work.label.size):
        i = work.label[body]
        if i > 0:
            w = matvec(load33(bodies.R, body), load3(bodies.omega, body))
            line = scale(tree.mass[i], load3(bodies.v, body))
            turning = symmetric_times(load_symmetric(work.inertia, i, 0), w)
            store6(work.kicked, i, turning, line)
    solve_velocities(parts, work.rho)
    show(parts)
    for body in range(work.label.size):
        i = work.label[body]
        if i > 0:
            w = matvec(load33(bodies.R, body), load3(bodies.omega, body))
            line = scale(tree.mass[i], load3(bodies.v, body))
            turning = symmetric_times(load_symmetric(work.inertia, i, 0), w)
            store6(work.kicked, i, turning, line)
    press_limits(parts)
    add_pressure(parts)
    for k in range(work.kick.size):
        work.kick[k] = held.rotor[k] * work.eta[k]
        held.multiplier[k] = friction_force(held.friction[k], 0.0, work.eta[k])
        work.tau[k] -= held.multiplier[k]
    return factor_here(parts, held.lock)


@jit_in_place
def substep(h, stage, factors, parts):
    """From (q, kicked, kick) in `work` to those h later; (code, where, iterations, residual).

    `factors`: whether to factor the mass matrix there. Velocities are left as they were: the next
    substep does not need them.
    """
    tree, workspace, work = parts.tree, parts.workspace, parts.work
    for i in range(work.target.shape[0]):
        for c in range(6):
            work.target[i, c] = work.kicked[i, c] + 0.5 * h * work.wrench[i, c]
    for k in range(work.xi.size):
        work.rho[k] = -(work.kick[k] + 0.5 * h * work.tau[k])
    held, iterations, tries = parts.held, 0, MAX_STOPS
    while True:
        predict(h, stage, work)
        aim(parts)
        code, where, taken, residual = solve_positions(h, parts)
        iterations += taken
        if code != DONE:
            return code, where, iterations, residual
        if not held.some[LIMITS]:
            break
        lock_impulses(parts, work.change)
        changed = release_pulling(parts, -1.0)
        if tries > 0 and stop_at_limits(parts):
            changed, tries = True, tries - 1
        if not changed:
            break
        factor_here(parts, held.lock)
    remember(h, stage, work)
    integrate(tree, work.q, work.xi, 1.0, work.q_next)
    for k in range(work.q.size):
        work.q[k] = work.q_next[k]
    positions(tree, work.q, workspace)
    place_centres(parts)
    press_limits(parts)
    update_forces(parts)
    add_pressure(parts)
    for i in range(work.kicked.shape[0]):
        for c in range(6):
            work.kicked[i, c] = work.momentum[i, c] + 0.5 * h * work.wrench[i, c]
    for k in range(work.kick.size):
        work.kick[k] = 0.5 * h * work.tau[k] + held.rotor[k] * work.xi[k] / h
    reach_limits(parts)
    where = factor_here(parts, held.lock) if factors else -1
    return DONE if where < 0 else SINGULAR, where, iterations, residual


@jit_in_place
def take_velocities(h, damped, parts):
    """work.eta of the momenta; with the half kick of dampers and friction at the end of a step h.

    Limits that would have to pull let go. Returns a code.
    """
    tree, forces, factors, work = parts.tree, parts.forces, parts.factors, parts.work
    held, n = parts.held, work.eta.size
    rubs, yields = held.some[FRICTION], held.some[YIELDING]
    factored, trial = not (damped or rubs or yields), 0
    if rubs:
        begin_friction(parts)
    while True:
        for k in range(n):
            base, slope = friction_line(h, parts, k)
            work.extra[k] = held.lock[k] + 0.5 * h * slope
            if damped:
                work.extra[k] += 0.5 * h * forces.damping[k]
            work.extra[k] += 0.5 * h * yielding_damping(parts, k)
            work.rho[k] = work.kick[k] - 0.5 * h * base
        if not factored and factor_here(parts, work.extra) >= 0:
            return SINGULAR
        solve_velocities(parts, work.rho)
        factored = False
        if rubs and not friction_settled(h, trial, parts):
            trial += 1
            if trial == MAX_TRIALS:
                return UNSETTLED
        elif yields and release_yielding(h, parts):
            continue
        elif not (held.some[LIMITS] and release_pulling(parts, 1.0)):
            break
    _end_kick(h, damped, parts)
    if damped or rubs or yields:
        articulated_factor(tree, factors, held.lock)
    return DONE


@jit_in_place
def _end_kick(h, damped, parts):
    """Add what holds coordinates to momenta and efforts, so that N^T kicked + kick = M eta."""
    forces, held, work = parts.forces, parts.held, parts.work
    for k in range(work.eta.size):
        if held.lock[k] == np.inf:
            work.kick[k] += held.impulse[k]
        if held.pressed[k] != 0:
            work.kick[k] -= 0.5 * h * held.give[k, 1] * work.eta[k]
            work.tau[k] -= held.give[k, 1] * work.eta[k]
        if damped:
            work.kick[k] -= 0.5 * h * forces.damping[k] * work.eta[k]
            work.tau[k] -= forces.damping[k] * work.eta[k]
        f = held.friction[k]
        if f > 0.0:
            before = held.multiplier[k]
            held.multiplier[k] = friction_force(f, held.creep[k] * abs(h), work.eta[k])
            work.kick[k] -= 0.5 * h * held.acting[k]
            stopped = held.active[k] != 0  # what rubbed until then has ended
            eased = eased_force(f, held.multiplier[k], before)
            work.tau[k] -= held.multiplier[k] if stopped else eased


@jit_in_place
def dissipate(h, parts):
    """Dampers alone for a time h, by the midpoint rule: they never give energy back."""
    tree, forces, factors, work = parts.tree, parts.forces, parts.factors, parts.work
    held, n = parts.held, work.eta.size
    for k in range(n):
        half = 0.5 * h * forces.damping[k]
        work.extra[k] = held.lock[k] + half
        work.kick[k] -= half * work.eta[k]
        work.rho[k] = work.kick[k]
    articulated_factor(tree, factors, work.extra)
    solve_velocities(parts, work.rho)
    for k in range(n):
        work.kick[k] -= 0.5 * h * forces.damping[k] * work.eta[k]
        if held.lock[k] == np.inf:
            work.kick[k] += held.impulse[k]
    articulated_factor(tree, factors, held.lock)


@jit_in_place
def step(h, gammas, given, which, damped, parts):
    """One step of a composition, substeps gamma h; (code, where, iterations, residual).

    given (steps, stages + 1, n_v) has the efforts at the end of each substep, of prescribed
    coordinates their goals, and then the rates of these at the end of the step; (0, ...) where
    nothing changes. Dampers of a composition, whose substeps go back too, act for half a step
    before and after it.
    """
    iterations, residual = 0, 0.0
    composed = gammas.size > 1
    held = parts.held
    soft = (damped and not composed) or held.some[FRICTION] or held.some[YIELDING]
    if damped and composed:
        dissipate(0.5 * h, parts)
    for stage in range(gammas.size):
        if which < given.shape[0]:
            for k in range(given.shape[2]):
                if parts.held.prescribed[k]:
                    parts.held.goal[k] = given[which, stage, k]
                    parts.held.rate[k] = given[which, gammas.size, k]
                else:
                    parts.forces.effort[k] = given[which, stage, k]
        code, where, taken, relative = substep(gammas[stage] * h, stage, not soft, parts)
        iterations += taken
        residual = max(residual, relative)
        if code != DONE:
            return code, where, iterations, residual
    code = take_velocities(h, damped and not composed, parts)
    if code != DONE:
        return code, 0, iterations, residual
    if damped and composed:
        dissipate(0.5 * h, parts)
    return DONE, -1, iterations, residual


@jit_in_place
def _advance(times, gammas, given, damped, parts):
    """Steps from times[0] to each of the others; (code, where, iterations, residual, steps done).

    `given` is as in `step`.
    """
    iterations, residual = 0, 0.0
    for j in range(times.size - 1):
        code, where, taken, relative = step(
            times[j + 1] - times[j], gammas, given, j, damped, parts
        )
        iterations += taken
        residual = max(residual, relative)
        if code != DONE:
            return code, where, iterations, residual, j
    show(parts)
    return DONE, -1, iterations, residual, times.size - 1


@jit
def begin(parts):
    """As `_begin`, to be called from Python."""
    return _begin(parts)


@jit
def advance(times, gammas, given, damped, parts):
    """As `_advance`, to be called from Python."""
    return _advance(times, gammas, given, damped, parts)


@jit
def add_dampers(h, parts):
    """Add dampers to the efforts of the initial state.

    Where one stops its body within a step h, all act as they will a step later: it would else throw
    the body far back.
    """
    tree, forces, factors, work = parts.tree, parts.forces, parts.factors, parts.work
    held = parts.held
    stiff = False
    for k in range(work.tau.size):
        work.extra[k] = h * forces.damping[k] + held.lock[k]
        stiff = stiff or h * forces.damping[k] * factors.D[k, 0] > 1.0
        work.rho[k] = work.tau[k] - forces.damping[k] * work.eta[k]
    if not stiff:
        for k in range(work.tau.size):
            work.tau[k] = work.rho[k]
        return
    articulated_factor(tree, factors, work.extra)
    about_origins(parts, 0.0, work.wrench, work.left)
    articulated_solve(tree, factors, work.left, work.rho, work.change)
    for k in range(work.tau.size):
        work.tau[k] -= forces.damping[k] * (work.eta[k] + h * work.change[k])
    articulated_factor(tree, factors, held.lock)


@jit
def respond(parts, b):
    """B (n_v,) of impulses along coordinates becomes the velocities they give."""
    articulated_solve(parts.tree, parts.factors, parts.work.nothing, b, b)


@jit
def restore(parts):
    """All that the next step needs besides the state that `work` has."""
    work = parts.work
    positions(parts.tree, work.q, parts.workspace)
    place_centres(parts)
    where = factor_here(parts, parts.held.lock)
    for k in range(work.tau.size):
        work.rho[k] = work.tau[k]
    work.constant[0] = False
    update_forces(parts)
    work.constant[0] = has_constant_wrenches(parts.loads)
    for k in range(work.tau.size):
        work.tau[k] = work.rho[k]
    show(parts)
    return where


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    work = tree_step_workspace(np.zeros(0, np.int64), np.zeros((1, 3, 3)), 0, 0, 1)
    spaces = [workspace_for(0, 0), workspace_for(0, 0)]
    parts = bundled(empty_tree(), NO_LOADS, tree_forces(0), tree_holds(0), spaces, work)
    warm(begin, parts)
    warm(advance, np.zeros(1), np.ones(1), np.zeros((0, 2, 0)), False, parts)
    warm(add_dampers, 0.0, parts)
    warm(respond, parts, np.zeros(0))
    warm(restore, parts)


warm_later(_register)
