r"""RATTLie over a tree of joints, in joint coordinates: the same step, solved at linear cost.

The joints' multipliers do no work along motions that the joints allow. With N the velocities of the
bodies per joint velocity, the equations of `variational.step` multiplied by N_0^T and N_1^T are
    N_0^T P(xi) = p_0 + (h/2) g_0,     q_1 = q_0 + xi,
    M(q_1) eta_1 = N_1^T P(xi) + (h/2) g_1 = p_1,
with P the discrete momenta of the bodies (`tree_displacements`), M = N^T M N and g the generalised
forces. Joints hold to round-off by construction. The first equation is solved with the matrix of
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
from dovetail.integrators.variational.tree.positions import (
    DONE,
    SINGULAR,
    predict,
    remember,
    solve_positions,
)
from dovetail.integrators.variational.tree.records import (
    bundled,
    tree_forces,
    tree_step_workspace,
)
from dovetail.linalg.vec3 import (
    load3,
    load33,
    matvec,
    scale,
)
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


@jit_in_place
def _begin(parts):
    """All that a first step needs, from work.q and the velocities of work.bodies.

    Those that joints do not allow become the nearest, in kinetic energy, that they do. Returns a
    coordinate without inertia, or -1.
    """
    tree, workspace, work = parts.tree, parts.workspace, parts.work
    bodies = work.bodies
    positions(tree, work.q, workspace)
    place_centres(parts)
    where = factor_here(parts, work.zero)
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
    about_origins(parts, 0.0, work.kicked, work.left)
    articulated_solve(tree, parts.factors, work.left, work.zero, work.eta)
    show(parts)
    for body in range(work.label.size):
        i = work.label[body]
        if i > 0:
            w = matvec(load33(bodies.R, body), load3(bodies.omega, body))
            line = scale(tree.mass[i], load3(bodies.v, body))
            turning = symmetric_times(load_symmetric(work.inertia, i, 0), w)
            store6(work.kicked, i, turning, line)
    for k in range(work.kick.size):
        work.kick[k] = 0.0
    return -1


@jit_in_place
def substep(h, stage, parts):
    """From (q, kicked, kick) in `work` to those h later; (code, where, iterations, residual).

    Velocities are left as they were: the next substep does not need them.
    """
    tree, workspace, work = parts.tree, parts.workspace, parts.work
    for i in range(work.target.shape[0]):
        for c in range(6):
            work.target[i, c] = work.kicked[i, c] + 0.5 * h * work.wrench[i, c]
    for k in range(work.xi.size):
        work.rho[k] = -(work.kick[k] + 0.5 * h * work.tau[k])
    predict(h, stage, work)
    code, where, iterations, residual = solve_positions(h, parts)
    if code != DONE:
        return code, where, iterations, residual
    remember(h, stage, work)
    integrate(tree, work.q, work.xi, 1.0, work.q_next)
    for k in range(work.q.size):
        work.q[k] = work.q_next[k]
    positions(tree, work.q, workspace)
    place_centres(parts)
    update_forces(parts)
    for i in range(work.kicked.shape[0]):
        for c in range(6):
            work.kicked[i, c] = work.momentum[i, c] + 0.5 * h * work.wrench[i, c]
    for k in range(work.kick.size):
        work.kick[k] = 0.5 * h * work.tau[k]
    where = factor_here(parts, work.zero)
    return DONE if where < 0 else SINGULAR, where, iterations, residual


@jit_in_place
def take_velocities(h, damped, parts):
    """work.eta of the momenta; with the half kick of dampers at the end of a step h."""
    tree, forces, factors, work = parts.tree, parts.forces, parts.factors, parts.work
    if damped:
        for k in range(work.eta.size):
            work.extra[k] = 0.5 * h * forces.damping[k]
        articulated_factor(tree, factors, work.extra)
    about_origins(parts, 0.0, work.kicked, work.left)
    articulated_solve(tree, factors, work.left, work.kick, work.eta)
    if damped:
        for k in range(work.eta.size):
            work.kick[k] -= work.extra[k] * work.eta[k]
            work.tau[k] -= forces.damping[k] * work.eta[k]
        articulated_factor(tree, factors, work.zero)


@jit_in_place
def dissipate(h, parts):
    """Dampers alone for a time h, by the midpoint rule: they never give energy back."""
    tree, forces, factors, work = parts.tree, parts.forces, parts.factors, parts.work
    n = work.eta.size
    for k in range(n):
        work.extra[k] = 0.5 * h * forces.damping[k]
        work.kick[k] -= work.extra[k] * work.eta[k]
    articulated_factor(tree, factors, work.extra)
    about_origins(parts, 0.0, work.kicked, work.left)
    articulated_solve(tree, factors, work.left, work.kick, work.eta)
    for k in range(n):
        work.kick[k] -= work.extra[k] * work.eta[k]
    articulated_factor(tree, factors, work.zero)


@jit_in_place
def step(h, gammas, efforts, which, damped, parts):
    """One step of a composition, substeps gamma h; (code, where, iterations, residual).

    Dampers of a composition, whose substeps go back too, act for half a step before and after it.
    """
    iterations, residual = 0, 0.0
    composed = gammas.size > 1
    if damped and composed:
        dissipate(0.5 * h, parts)
    for stage in range(gammas.size):
        if which < efforts.shape[0]:
            for k in range(efforts.shape[2]):
                parts.forces.effort[k] = efforts[which, stage, k]
        code, where, taken, relative = substep(gammas[stage] * h, stage, parts)
        iterations += taken
        residual = max(residual, relative)
        if code != DONE:
            return code, where, iterations, residual
    take_velocities(h, damped and not composed, parts)
    if damped and composed:
        dissipate(0.5 * h, parts)
    return DONE, -1, iterations, residual


@jit_in_place
def _advance(times, gammas, efforts, damped, parts):
    """Steps from times[0] to each of the others; (code, where, iterations, residual, steps done).

    efforts (steps, stages, n_v) [N or N m] are those at the end of each substep, or (0, ...) where
    they do not change.
    """
    iterations, residual = 0, 0.0
    for j in range(times.size - 1):
        code, where, taken, relative = step(
            times[j + 1] - times[j], gammas, efforts, j, damped, parts
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
def advance(times, gammas, efforts, damped, parts):
    """As `_advance`, to be called from Python."""
    return _advance(times, gammas, efforts, damped, parts)


@jit
def add_dampers(h, parts):
    """Add dampers to the efforts of the initial state.

    Where one stops its body within a step h, all act as they will a step later: it would else throw
    the body far back.
    """
    tree, forces, factors, work = parts.tree, parts.forces, parts.factors, parts.work
    stiff = False
    for k in range(work.tau.size):
        work.extra[k] = h * forces.damping[k]
        stiff = stiff or work.extra[k] * factors.D[k, 0] > 1.0
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
    articulated_factor(tree, factors, work.zero)


@jit
def restore(parts):
    """All that the next step needs besides the state that `work` has."""
    work = parts.work
    positions(parts.tree, work.q, parts.workspace)
    place_centres(parts)
    where = factor_here(parts, work.zero)
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
    parts = bundled(empty_tree(), NO_LOADS, tree_forces(0), spaces, work)
    warm(begin, parts)
    warm(advance, np.zeros(1), np.ones(1), np.zeros((0, 1, 0)), False, parts)
    warm(add_dampers, 0.0, parts)
    warm(restore, parts)


warm_later(_register)
