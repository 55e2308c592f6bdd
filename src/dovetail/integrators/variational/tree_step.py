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

import math

import numpy as np

from dovetail.integrators.variational.tree_displacements import (
    discrete_momenta,
    displacements,
    gather,
)
from dovetail.integrators.variational.tree_records import (
    KRYLOV,
    N_DIFFERENCES,
    bundled,
    tree_forces,
    tree_step_workspace,
)
from dovetail.linalg.vec3 import (
    add,
    cross,
    dot,
    load3,
    load33,
    matmul,
    matvec,
    scale,
    store3,
    store33,
)
from dovetail.multibody.loads.wrenches import NO_LOADS, position_wrenches
from dovetail.multibody.tree.articulated import articulated_factor, articulated_solve
from dovetail.multibody.tree.bodies import body_motion
from dovetail.multibody.tree.inertia import (
    load_symmetric,
    rotated_inertia,
    store_symmetric,
    symmetric_times,
)
from dovetail.multibody.tree.integrate import integrate
from dovetail.multibody.tree.kinematics import load6, positions, store6, velocities
from dovetail.multibody.tree.records import empty_tree, workspace_for
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.warmup import warm, warm_later

DONE, NOT_CONVERGED, ROTATES_TOO_FAR, SINGULAR, NOT_FINITE = range(5)
ROUND_OFF = 2e-16  # relative, in the norm of the kinetic energy
STALLED = 1e-10  # what may count as round-off where it no longer shrinks
SLOW = 0.05  # rate of convergence beyond which Newton's method takes over
KRYLOV_ERROR = 1e-6  # relative, of Newton's equations
MAX_ITERATIONS = 60


@jit_in_place
def factor_here(parts, extra):
    """Factors of M + diag(extra) at the positions in `workspace`.

    Returns a coordinate without inertia, or -1.
    `factors` is a workspace of its own, so that they can be used where positions have changed.
    """
    tree, workspace, factors = parts.tree, parts.workspace, parts.factors
    R, o, S, R1, o1, S1 = workspace.R, workspace.o, workspace.S, factors.R, factors.o, factors.S
    for i in range(o.shape[0]):
        store33(R1, i, load33(R, i))
        store3(o1, i, load3(o, i))
    for k in range(S.shape[0]):
        for c in range(6):
            S1[k, c] = S[k, c]
    return articulated_factor(tree, factors, extra)


@jit_in_place
def _arms(parts):
    tree, workspace, work = parts.tree, parts.workspace, parts.work
    R, coms, inertias = workspace.R, tree.com, tree.inertia
    for i in range(1, coms.shape[0]):
        Ri = load33(R, i)
        store3(work.arm, i, matvec(Ri, load3(coms, i)))
        store_symmetric(work.inertia, i, 0, rotated_inertia(Ri, load_symmetric(inertias, i, 0)))


@jit_in_place
def load_size(parts):
    """Sum of |force|^2 / mass, what loads could do, were they not to cancel."""
    tree, work = parts.tree, parts.work
    size = 0.0
    for body in range(work.label.size):
        i = work.label[body]
        if i > 0:
            f = load3(work.force, body)
            size += dot(f, f) / tree.mass[i]
    return size


@jit_in_place
def generalised_forces(parts):
    """work.g at the positions in `workspace`: loads, springs and motors, without dampers."""
    tree, forces, workspace, work = parts.tree, parts.forces, parts.workspace, parts.work
    q = work.q
    R, o, bodies = workspace.R, workspace.o, work.bodies
    if not work.constant[0]:
        for body in range(work.label.size):
            i = work.label[body]
            if i > 0:
                store3(bodies.x, body, add(load3(o, i), load3(work.arm, i)))
                store33(bodies.R, body, matmul(load33(R, i), load33(work.frames, i)))
        position_wrenches(parts.loads, bodies.x, bodies.R, work.force, work.torque)
        work.load[0] = load_size(parts)
    for body in range(work.label.size):
        i = work.label[body]
        if i > 0:
            f = load3(work.force, body)
            store6(work.pushes, i, add(load3(work.torque, body), cross(load3(work.arm, i), f)), f)
    gather(tree.parent, tree.v_start, o, workspace.S, work.pushes, work.g)
    for k in range(work.g.size):
        work.g[k] += forces.effort[k]
        if forces.q_index[k] >= 0:
            work.g[k] -= forces.stiffness[k] * (q[forces.q_index[k]] - forces.rest[k])


@jit_in_place
def has_constant_wrenches(loads):
    """Whether forces and torques are the same in every configuration."""
    if loads.point_body.size > 0 or loads.spring_bodies.shape[0] > 0:
        return False
    for i in range(loads.body_force.shape[0]):
        for k in range(3):
            if loads.body_force[i, k] != 0.0 or loads.body_torque[i, k] != 0.0:
                return False
    return True


@jit_in_place
def show(parts):
    """Motion of the bodies at the state."""
    tree, workspace, work = parts.tree, parts.workspace, parts.work
    velocities(tree, work.eta, workspace)
    body_motion(tree, workspace, work.frames, work.label, work.bodies)


@jit_in_place
def _begin(parts):
    """All that a first step needs, from work.q and the velocities of work.bodies.

    Those that joints do not allow become the nearest, in kinetic energy, that they do. Returns a
    coordinate without inertia, or -1.
    """
    tree, workspace, work = parts.tree, parts.workspace, parts.work
    bodies = work.bodies
    positions(tree, work.q, workspace)
    _arms(parts)
    where = factor_here(parts, work.zero)
    if where >= 0:
        return where
    for body in range(work.label.size):
        i = work.label[body]
        if i > 0:
            w = matvec(load33(bodies.R, body), load3(bodies.omega, body))
            line = scale(tree.mass[i], load3(bodies.v, body))
            turning = symmetric_times(load_symmetric(work.inertia, i, 0), w)
            store6(work.sums, i, add(turning, cross(load3(work.arm, i), line)), line)
    gather(tree.parent, tree.v_start, workspace.o, workspace.S, work.sums, work.p)
    work.constant[0] = False
    generalised_forces(parts)
    work.constant[0] = has_constant_wrenches(parts.loads)
    articulated_solve(tree, parts.factors, work.p, work.eta)
    show(parts)
    return -1


@jit_in_place
def _predict(h, stage, work):
    """work.xi: h times the velocity, or what the last steps of this stage lead to expect."""
    n, order = work.order[stage], work.order[stage]
    if not abs(h - work.last[stage]) <= 1e-6 * abs(h):
        work.known[stage], n, order = 0, 0, 0
    work.last[stage] = h
    for k in range(work.xi.size):
        guess = work.eta[k] if order == 0 else 0.0
        for j in range(n):
            guess += work.differences[stage, j, k]
        work.xi[k] = h * guess


@jit_in_place
def _remember(h, stage, work):
    """Update the differences, the newest of each order being the error it would have had."""
    differences = work.differences
    known = work.known[stage]
    size = np.inf
    best = 0
    for j in range(min(known + 1, N_DIFFERENCES)):
        total = 0.0
        for k in range(work.xi.size):
            new = work.xi[k] / h if j == 0 else work.change[k]
            work.change[k] = new - differences[stage, j, k]
            differences[stage, j, k] = new
            total += new * new
        if j > 0 and total < size:
            size, best = total, j
    work.known[stage] = min(known + 1, N_DIFFERENCES)
    work.order[stage] = best


@jit_in_place
def _missing(h, parts, out):
    """out = N_0^T P(xi) - pi; returns a body that rotates too far, or -1."""
    tree, workspace, work = parts.tree, parts.workspace, parts.work
    body = displacements(tree, workspace, work.xi, work.rotation, work.shift)
    if body >= 0:
        return body
    discrete_momenta(
        h, tree, workspace, work.rotation, work.shift, work.arm, work.inertia, work.momentum,
        work.sums, out,
    )  # fmt: skip
    for k in range(out.size):
        out[k] -= work.pi[k]
    return -1


@jit_in_place
def _solve_positions(h, parts):
    """work.xi with N_0^T P(xi) = pi. Returns (code, where, iterations, relative change).

    work.momentum, P, is that before the last change of xi, with work.rho what it missed. Along the
    coordinates of the end the change makes it up, but for O(h omega) of it: a further iteration.
    """
    tree, factors, work = parts.tree, parts.factors, parts.work
    n = work.xi.size
    rate, before, newton = work.last[work.last.size - 1], math.inf, False
    relative, settled = math.inf, False
    for iteration in range(1, MAX_ITERATIONS + 1):
        body = _missing(h, parts, work.rho)
        if body >= 0:
            return ROTATES_TOO_FAR, body, iteration, relative
        if newton:
            body = _newton_change(h, parts)
            if body >= 0:
                return ROTATES_TOO_FAR, body, iteration, relative
        else:
            articulated_solve(tree, factors, work.rho, work.change)
        change, size = 0.0, h * h * work.load[0]
        for k in range(n):
            change += abs(work.rho[k] * work.change[k])
            size += abs((work.rho[k] + work.pi[k]) * work.xi[k] / h)
            work.xi[k] -= h * work.change[k]
        if not math.isfinite(change):
            return NOT_FINITE, 0, iteration, relative
        relative = math.sqrt(change / size) if size > 0.0 else 0.0
        if iteration > 1 and before > 0.0:
            measured = relative / before
            if not newton:
                if relative > 1e-13:
                    rate = max(0.5 * rate, 2.0 * measured)
                    work.last[work.last.size - 1] = rate
                if measured > SLOW and relative > STALLED:
                    newton = True
            settled = relative <= STALLED and measured > 0.25
        expected = max(relative, 10.0 * KRYLOV_ERROR) if newton else min(1.0, rate)
        settled = settled or relative <= ROUND_OFF or expected * relative <= ROUND_OFF
        if settled and newton:  # which left P of its last difference
            body = _missing(h, parts, work.rho)
            if body >= 0:
                return ROTATES_TOO_FAR, body, iteration, relative
        if settled:
            return DONE, -1, iteration, relative
        before = relative
    return NOT_CONVERGED, 0, MAX_ITERATIONS, relative


@jit_in_place
def _newton_change(h, parts):
    """work.change: the solution of Newton's equations, by GMRES with M(q_0) as preconditioner.

    Derivatives along a direction are differences, good to about 1e-8. Returns a body that rotates
    too far, or -1. Saad and Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856.
    """
    tree, factors, work = parts.tree, parts.factors, parts.work
    n, basis, H, kept = work.xi.size, work.basis, work.hessenberg, work.kept
    right, cosine, sine = KRYLOV, KRYLOV + 1, KRYLOV + 2  # columns of H besides its own
    speed = 0.0
    for k in range(n):
        kept[0, k], kept[1, k] = work.xi[k], work.rho[k]
        speed += (work.xi[k] / h) ** 2
    articulated_solve(tree, factors, work.rho, work.change)
    size = _length(work.change)
    if size == 0.0:
        return -1
    for k in range(n):
        basis[0, k] = work.change[k] / size
    H[0, right] = size
    small, count = 1e-7 * max(math.sqrt(speed), size), 0
    for j in range(min(KRYLOV, n)):
        for k in range(n):
            work.xi[k] = kept[0, k] + h * small * basis[j, k]
        body = _missing(h, parts, work.rho)
        if body >= 0:
            return body
        for k in range(n):
            work.rho[k] = (work.rho[k] - kept[1, k]) / small
        articulated_solve(tree, factors, work.rho, work.change)
        for i in range(j + 1):
            part = 0.0
            for k in range(n):
                part += work.change[k] * basis[i, k]
            H[i, j] = part
            for k in range(n):
                work.change[k] -= part * basis[i, k]
        length = _length(work.change)
        for i in range(j):
            above, below = H[i, j], H[i + 1, j]
            H[i, j] = H[i, cosine] * above + H[i, sine] * below
            H[i + 1, j] = H[i, cosine] * below - H[i, sine] * above
        root = math.hypot(H[j, j], length)
        if root == 0.0:
            break
        H[j, cosine], H[j, sine] = H[j, j] / root, length / root
        H[j, j] = root
        H[j + 1, right] = -H[j, sine] * H[j, right]
        H[j, right] *= H[j, cosine]
        count = j + 1
        if abs(H[j + 1, right]) <= KRYLOV_ERROR * size or length <= 1e-12 * root:
            break
        for k in range(n):
            basis[j + 1, k] = work.change[k] / length
    for k in range(n):
        work.xi[k], work.rho[k], work.change[k] = kept[0, k], kept[1, k], 0.0
    for j in range(count - 1, -1, -1):
        y = H[j, right]
        for i in range(j + 1, count):
            y -= H[j, i] * H[i, right]
        H[j, right] = y / H[j, j]
        for k in range(n):
            work.change[k] += H[j, right] * basis[j, k]
    return -1


@jit_in_place
def _length(x):
    total = 0.0
    for k in range(x.size):
        total += x[k] * x[k]
    return math.sqrt(total)


@jit_in_place
def substep(h, stage, parts):
    """From (q, p, g) in `work` to those h later; returns (code, where, iterations, residual).

    Velocities are left as they were: the next substep does not need them.
    """
    tree, workspace, work = parts.tree, parts.workspace, parts.work
    n = work.xi.size
    for k in range(n):
        work.pi[k] = work.p[k] + 0.5 * h * work.g[k]
    _predict(h, stage, work)
    code, where, iterations, residual = _solve_positions(h, parts)
    if code != DONE:
        return code, where, iterations, residual
    _remember(h, stage, work)
    integrate(tree, work.q, work.xi, 1.0, work.q_next)
    for k in range(work.q.size):
        work.q[k] = work.q_next[k]
    positions(tree, work.q, workspace)
    _arms(parts)
    for i in range(1, tree.parent.size):
        turning, line = load6(work.momentum, i)
        store6(work.sums, i, add(turning, cross(load3(work.arm, i), line)), line)
    gather(tree.parent, tree.v_start, workspace.o, workspace.S, work.sums, work.p)
    generalised_forces(parts)
    for k in range(n):
        work.p[k] += 0.5 * h * work.g[k] - work.rho[k]
    where = factor_here(parts, work.zero)
    return DONE if where < 0 else SINGULAR, where, iterations, residual


@jit_in_place
def take_velocities(h, damped, parts):
    """work.eta of work.p; with the half kick of dampers at the end of a step h."""
    tree, forces, factors, work = parts.tree, parts.forces, parts.factors, parts.work
    if damped:
        for k in range(work.eta.size):
            work.extra[k] = 0.5 * h * forces.damping[k]
        articulated_factor(tree, factors, work.extra)
    articulated_solve(tree, factors, work.p, work.eta)
    if damped:
        for k in range(work.eta.size):
            work.p[k] -= work.extra[k] * work.eta[k]
            work.g[k] -= forces.damping[k] * work.eta[k]
        articulated_factor(tree, factors, work.zero)


@jit_in_place
def dissipate(h, parts):
    """Dampers alone for a time h, by the midpoint rule: they never give energy back."""
    tree, forces, factors, work = parts.tree, parts.forces, parts.factors, parts.work
    n = work.eta.size
    for k in range(n):
        work.extra[k] = 0.5 * h * forces.damping[k]
        work.p[k] -= work.extra[k] * work.eta[k]
    articulated_factor(tree, factors, work.extra)
    articulated_solve(tree, factors, work.p, work.eta)
    for k in range(n):
        work.p[k] -= work.extra[k] * work.eta[k]
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
    """Add dampers to the forces of the initial state.

    Where one stops its body within a step h, all act as they will a step later: it would else throw
    the body far back.
    """
    tree, forces, factors, work = parts.tree, parts.forces, parts.factors, parts.work
    stiff = False
    for k in range(work.g.size):
        work.extra[k] = h * forces.damping[k]
        stiff = stiff or work.extra[k] * factors.D[k, 0] > 1.0
        work.rho[k] = work.g[k] - forces.damping[k] * work.eta[k]
    if not stiff:
        for k in range(work.g.size):
            work.g[k] = work.rho[k]
        return
    articulated_factor(tree, factors, work.extra)
    articulated_solve(tree, factors, work.rho, work.change)
    for k in range(work.g.size):
        work.g[k] -= forces.damping[k] * (work.eta[k] + h * work.change[k])
    articulated_factor(tree, factors, work.zero)


@jit
def restore(parts):
    """All that the next step needs besides the state that `work` has."""
    work = parts.work
    positions(parts.tree, work.q, parts.workspace)
    _arms(parts)
    where = factor_here(parts, work.zero)
    for k in range(work.g.size):
        work.pi[k] = work.g[k]
    work.constant[0] = False
    generalised_forces(parts)
    work.constant[0] = has_constant_wrenches(parts.loads)
    for k in range(work.g.size):
        work.g[k] = work.pi[k]
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
