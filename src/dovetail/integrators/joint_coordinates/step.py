"""One variational step of a mechanism in joint coordinates, closed at both ends.

The action of a step is h (T - V)(q_m, w) with q_m halfway and w the constant joint velocity that
leads from q0 to q1. Its stationarity with closures e(q) = 0 (RATTLE, Hairer, Lubich, Wanner,
Geometric Numerical Integration (2006), VII.1.4; discrete Lagrangian of Marsden and West, Acta
Numerica 10 (2001), section 3.5) is
    p0 + J(q0)^T lambda = p_start(w),   e(q1) = 0,
    p1 = p_end(w) + J(q1)^T mu,         J(q1) M(q1)^-1 p1 = 0,
where dissipative efforts enter the momenta as they do in the middle. It is symplectic, symmetric
and of second order, and keeps both residuals at round-off. Contact forces, known to the caller
only, act as half kicks at both ends: p0 and p1 gain (h/2) J^T wrench there.
"""

import math

import numpy as np

from dovetail.linalg.lu import lu_factor, lu_solve
from dovetail.multibody.loads.wrenches import NO_LOADS, wrenches
from dovetail.multibody.loops.closures import jacobian, residuals
from dovetail.multibody.loops.records import no_loops
from dovetail.multibody.loops.velocity_projection import (
    choose_independent_rows,
    project_velocities,
    schur,
)
from dovetail.multibody.loops.workspace import step_workspace
from dovetail.multibody.tree.bodies import body_motion, wrenches_by_label
from dovetail.multibody.tree.crba import mass_matrix
from dovetail.multibody.tree.discrete_lagrangian import end_momenta
from dovetail.multibody.tree.efforts import add_efforts, no_efforts
from dovetail.multibody.tree.factor import factor, solve_lower, solve_upper
from dovetail.multibody.tree.impulses import add_impulses
from dovetail.multibody.tree.integrate import integrate
from dovetail.multibody.tree.kinematics import positions, velocities
from dovetail.multibody.tree.momenta import momenta
from dovetail.multibody.tree.records import empty_tree, workspace_for
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm

DONE, NO_INERTIA, UNSOLVED, NOT_FINITE, LOCKED = range(5)
ROUND_OFF = 4e-16
SETTLED = 1e-10  # below this a full Newton change that no longer shrinks is round-off
SIMPLY_SETTLED = 1e-13  # and a simplified one, which may only shrink slowly
CLOSED = 3.6e-15  # 16 units of round-off: of the distances that residuals of loops are made of
MAX_ITERATIONS = 60
PATIENCE = 3  # simplified iterations before slow ones give way to the full matrix
SLOW = 0.2
SHORTEST = 1e-3  # part of a full change that is tried when it does not help


@jit_in_place
def step(h, tree, loops, acting, loads, workspace, work):
    """From (q0, v0) to (q1, v1); returns (code, coordinate, iterations, residual).

    work.bodies is left halfway, work.ends at the end, work.e with the residuals of the closures.
    """
    w = work.w
    n = w.size
    positions(tree, work.q0, workspace)
    velocities(tree, work.v0, workspace)
    momenta(tree, workspace, work.v0, work.wrench, work.motor, work.p0, work.push)
    if work.kicks[0]:
        add_impulses(
            tree, workspace, work.label, work.start_force, work.start_torque, 0.5 * h, work.p0
        )
    _all_rows(tree, loops, workspace, work.q0, work.driven, work.active, work.J0)
    _first_guess(work)
    rank, iterations, settled = 0, 0, False
    size, before, full = 0.0, 0.0, False
    part, miss_before = 1.0, math.inf
    while True:
        at_middle(h, tree, acting, loads, workspace, work)
        if settled:
            break
        if iterations == MAX_ITERATIONS:
            return UNSOLVED, -1, iterations, before
        iterations += 1
        if iterations == 1:
            mass_matrix(tree, workspace, work.q_m, work.M)
            for k in range(n):
                work.inertia[k] = work.M[k, k]
                work.M[k, k] += work.slope[k]
            where = factor(work.above, work.M)
            if where >= 0:
                return NO_INERTIA, where, iterations, before
        integrate(tree, work.q0, w, h, work.q1)
        positions(tree, work.q1, workspace)
        _rates(h, loops, workspace, work)
        if iterations == 1 or full:
            _all_rows(tree, loops, workspace, work.q1, work.driven, work.active, work.J1)
        if iterations == 1:
            rank = choose_independent_rows(work, loops.size, work.J0)
            if not schur(work, work.J0, rank):
                return LOCKED, -1, iterations, before
        _missing(h, tree, rank, work)
        if full:
            # forces with sharp bends (friction, stops) throw iterations to and fro: go less far
            miss = _miss_length(work)
            if miss > miss_before and part > SHORTEST:
                _move(work, rank, -0.5 * part)
                part *= 0.5
                continue
            miss_before = miss
            if not _full_newton(h, tree, acting, loads, workspace, work, rank):
                return LOCKED, -1, iterations, before
        else:
            _simplified_newton(work, rank, 1.0)
        change, speed = _lengths(work)
        if not math.isfinite(change):
            return NOT_FINITE, -1, iterations, before
        size = max(size, speed, _push_length(h, work), change if iterations == 1 else 0.0)
        relative = change / size if size > 0.0 else 0.0
        part = 1.0
        _keep_change(work, rank)
        _move(work, rank, part)
        noise = SETTLED if full else SIMPLY_SETTLED
        settled = relative <= ROUND_OFF or (relative <= noise and relative > 0.5 * before > 0.0)
        if (
            not settled
            and relative > 0.5 * before > 0.0
            and _are_closed(tree, loops, workspace, work)
        ):
            # what is left is the round-off of closures, which 1/h magnifies: look at the rest alone
            _simplified_newton(work, rank, 0.0)
            settled = _lengths(work)[0] <= noise * size
        if iterations > PATIENCE and relative > SLOW * before and work.full.size > 0:
            full = True
        before = relative

    end_momenta(tree, h, w, work.momentum, work.push, 1.0, work.p1)
    integrate(tree, work.q0, w, h, work.q1)
    mass_matrix(tree, workspace, work.q1, work.M)
    _all_rows(tree, loops, workspace, work.q1, work.driven, work.active, work.J1)
    where = factor(work.above, work.M)
    if where >= 0:
        return NO_INERTIA, where, iterations, before
    residuals(loops, workspace, work.q1, work.e)
    if project_velocities(h, tree, loops, workspace, work) < 0:
        return LOCKED, -1, iterations, before
    return DONE, -1, iterations, before


@jit_in_place
def at_middle(h, tree, acting, loads, workspace, work):
    """Momenta and what pushes them, halfway of a step with velocity work.w."""
    w = work.w
    integrate(tree, work.q0, w, 0.5 * h, work.q_m)
    positions(tree, work.q_m, workspace)
    velocities(tree, w, workspace)
    bodies = work.bodies
    body_motion(tree, workspace, work.frames, work.label, bodies)
    wrenches(loads, bodies.x, bodies.R, bodies.v, bodies.omega, work.spin, work.force, work.torque)
    wrenches_by_label(
        work.label, work.force, work.torque, work.extra_force, work.extra_torque, work.wrench
    )
    for k in range(w.size):
        work.tau[k] = work.motor[k]
        work.slope[k] = 0.0
        work.load[k] = abs(work.motor[k])
    add_efforts(acting, h, work.q_m, w, work.v0, work.tau, work.slope, work.load)
    momenta(tree, workspace, w, work.wrench, work.tau, work.momentum, work.push)
    for k in range(w.size):
        work.load[k] += abs(work.push[k] - work.tau[k])


@jit_in_place
def _first_guess(work):
    """The velocity at the start, or what drives a coordinate."""
    for k in range(work.w.size):
        work.w[k] = work.v0[k]
    for j in range(work.multipliers.size):
        work.multipliers[j] = 0.0
    for j in range(work.driven.size):
        if work.active[j]:
            work.w[work.driven[j]] = work.w_target[j]


@jit_in_place
def _all_rows(tree, loops, workspace, q, driven, active, J):
    """Unit rows of driven coordinates, then closures. A motor that gave in has a row of zeros."""
    for j in range(driven.size):
        for k in range(J.shape[1]):
            J[j, k] = 0.0
        if active[j]:
            J[j, driven[j]] = 1.0
    jacobian(tree, loops, workspace, q, driven.size, J)


@jit_in_place
def _rates(h, loops, workspace, work):
    """work.rate: residuals at the end of the step divided by h; positions must be known there."""
    d = work.driven.size
    residuals(loops, workspace, work.q1, work.e)
    for row in range(loops.kind.size):
        work.rate[d + row] = work.e[row] / h
    for j in range(d):
        work.rate[j] = 0.0
        if work.active[j]:
            work.rate[j] = work.w[work.driven[j]] - work.w_target[j]


@jit_in_place
def _missing(h, tree, rank, work):
    """work.r: p_start(w) - p0 - J0^T lambda."""
    end_momenta(tree, h, work.w, work.momentum, work.push, -1.0, work.p)
    for k in range(work.w.size):
        work.r[k] = work.p[k] - work.p0[k]
    for j in range(rank):
        row = work.chosen[j]
        impulse = work.multipliers[row]
        for k in range(work.w.size):
            work.r[k] -= work.J0[row, k] * impulse


@jit_in_place
def _are_closed(tree, loops, workspace, work):
    """Whether all closures are as good as round-off lets them be: |e| <= CLOSED * distances.

    At e = round-off the change of w is e / h, whatever the step: it cannot get smaller.
    """
    if loops.kind.size == 0:
        return False
    reach = 0.0
    for i in range(tree.parent.size):
        for k in range(3):
            reach = max(reach, abs(workspace.o[i, k]))
    for row in range(loops.kind.size):
        reach = max(reach, loops.size[row])
    for k in range(work.q1.size):
        reach = max(reach, abs(work.q1[k]))
    for row in range(loops.kind.size):
        if not abs(work.e[row]) * loops.size[row] <= CLOSED * reach:
            return False
    return True


@jit_in_place
def _simplified_newton(work, rank, share):
    """work.x[0], work.y: changes of w and of the multipliers, with the matrices of the start.

    `share` of what the equations of the loops miss counts.
    """
    n = work.w.size
    for k in range(n):
        work.x[0, k] = -work.r[k]
    solve_upper(work.above, work.M, work.x, 0)
    for i in range(rank):
        row = work.chosen[i]
        work.y[i] = -share * work.rate[row]
        for k in range(n):
            work.y[i] -= work.Y1[row, k] * work.x[0, k]
    lu_solve(work.S, rank, work.swaps, work.y)
    for i in range(rank):
        row = work.chosen[i]
        for k in range(n):
            work.x[0, k] += work.Y0[row, k] * work.y[i]
    solve_lower(work.above, work.M, work.x, 0)


@jit_in_place
def _full_newton(h, tree, acting, loads, workspace, work, rank):
    """As `_simplified_newton` with the derivative of the momenta by differences."""
    n = work.w.size
    A, x, w = work.full, work.full_x, work.w
    largest = 0.0
    for k in range(n):
        largest = max(largest, abs(w[k]), abs(work.x[0, k]))
        work.x[1, k] = work.r[k]
    for k in range(n):
        kept = w[k]
        small = 1e-7 * (abs(kept) + 0.01 * largest) + 1e-30
        w[k] = kept + small
        small = w[k] - kept
        at_middle(h, tree, acting, loads, workspace, work)
        _missing(h, tree, rank, work)
        for i in range(n):
            A[i, k] = (work.r[i] - work.x[1, i]) / small
        w[k] = kept
    for j in range(rank):
        row = work.chosen[j]
        for k in range(n):
            A[k, n + j] = -work.J0[row, k]
            A[n + j, k] = work.J1[row, k]
        for i in range(rank):
            A[n + j, n + i] = 0.0
        x[n + j] = -work.rate[row]
    for k in range(n):
        work.r[k] = work.x[1, k]
        x[k] = -work.r[k]
    if not lu_factor(A, n + rank, work.full_swaps):
        return False
    lu_solve(A, n + rank, work.full_swaps, x)
    for k in range(n):
        work.x[0, k] = x[k]
    for j in range(rank):
        work.y[j] = x[n + j]
    return True


@jit_in_place
def _lengths(work):
    """Of the change work.x[0] and of w, in the metric of the factors: |L x|, |L w|."""
    change, speed = 0.0, 0.0
    for k in range(work.w.size):
        a, b = work.M[k, k] * work.x[0, k], work.M[k, k] * work.w[k]
        i = work.above[k]
        while i >= 0:
            a += work.M[k, i] * work.x[0, i]
            b += work.M[k, i] * work.w[i]
            i = work.above[i]
        change += a * a
        speed += b * b
    return math.sqrt(change), math.sqrt(speed)


@jit_in_place
def _move(work, rank, part):
    """Change w and the multipliers by a part of work.change."""
    n = work.w.size
    for k in range(n):
        work.w[k] += part * work.change[k]
    for j in range(rank):
        work.multipliers[work.chosen[j]] += part * work.change[n + j]


@jit_in_place
def _keep_change(work, rank):
    """What is moved by is needed again where it went too far; work.x serves other things then."""
    n = work.w.size
    for k in range(n):
        work.change[k] = work.x[0, k]
    for j in range(rank):
        work.change[n + j] = work.y[j]


@jit_in_place
def _miss_length(work):
    """Of r, by the inertia of each coordinate.

    Not by work.M: with the steep friction of a joint at rest in it, what such a joint misses would
    not count.
    """
    total = 0.0
    for k in range(work.w.size):
        if work.inertia[k] > 0.0:
            total += work.r[k] * work.r[k] / work.inertia[k]
    return math.sqrt(total)


@jit_in_place
def _push_length(h, work):
    """|L^-T h load|: what the pushes of the step could change, were they not to cancel."""
    for k in range(work.w.size):
        work.x[1, k] = h * work.load[k]
    solve_upper(work.above, work.M, work.x, 1)
    total = 0.0
    for k in range(work.w.size):
        total += work.x[1, k] * work.x[1, k]
    return math.sqrt(total)


_WHOLE = np.zeros(0, dtype=np.int64)
_WORK = step_workspace(_WHOLE, _WHOLE, np.zeros((1, 3, 3)), _WHOLE, 0, 0)
_ARGUMENTS = (empty_tree(), no_loops(), no_efforts(), NO_LOADS, workspace_for(0, 0), _WORK)
warm(step, 0.0, *_ARGUMENTS)
