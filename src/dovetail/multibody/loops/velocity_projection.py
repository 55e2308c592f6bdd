"""The end of a step in joint coordinates: momenta become velocities that the loops allow."""

import numpy as np

from dovetail.linalg.lu import lu_factor, lu_solve
from dovetail.multibody.loops.independent_rows import independent_rows
from dovetail.multibody.loops.records import no_loops
from dovetail.multibody.loops.workspace import step_workspace
from dovetail.multibody.tree.bodies import body_motion
from dovetail.multibody.tree.factor import solve_lower, solve_upper
from dovetail.multibody.tree.impulses import add_impulses, read_responses, unit_impulse
from dovetail.multibody.tree.kinematics import velocities
from dovetail.multibody.tree.records import empty_tree, workspace_for
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm

DEPENDENT = 1e-6  # part of an equation that must be new, in the metric of the kinetic energy


@jit_in_place
def _reduce_rows(above, L, J, Y):
    """Y = J L^-1."""
    for row in range(J.shape[0]):
        for k in range(J.shape[1]):
            Y[row, k] = J[row, k]
        solve_upper(above, L, Y, row)


@jit_in_place
def choose_independent_rows(work, sizes, J):
    """Numbers of independent rows of J in work.chosen, given the factors in work.M.

    J must be taken where the loops are closed: rows that depend on each other there, as those of
    an overconstrained linkage, need not do so nearby.
    """
    _reduce_rows(work.above, work.M, J, work.Y1)
    return independent_rows(work.Y1, work.driven.size, sizes, DEPENDENT, work.chosen)


@jit_in_place
def schur(work, J, rank):
    """Factors of S = J1 M^-1 J^T over the chosen rows."""
    _reduce_rows(work.above, work.M, J, work.Y0)
    _reduce_rows(work.above, work.M, work.J1, work.Y1)
    for i in range(rank):
        for j in range(rank):
            total = 0.0
            for k in range(work.above.size):
                total += work.Y1[work.chosen[i], k] * work.Y0[work.chosen[j], k]
            work.S[i, j] = total
    return lu_factor(work.S, rank, work.swaps)


@jit_in_place
def _project(work, sizes):
    """work.v1: from momenta to the nearest velocities that the equations of J1 allow.

    Minimises |v - M^-1 p| in the kinetic energy with J1 v = 0, or the given velocity of a driven
    coordinate; the factors of M are in work.M. Done twice, the second time for round-off.
    """
    n = work.w.size
    rank = choose_independent_rows(work, sizes, work.J1)
    if not schur(work, work.J1, rank):
        return -1
    for k in range(n):
        work.x[0, k] = work.v1[k]
    solve_upper(work.above, work.M, work.x, 0)
    solve_lower(work.above, work.M, work.x, 0)
    for _ in range(2):
        for k in range(n):
            work.v1[k] = work.x[0, k]
            work.x[1, k] = 0.0
        for i in range(rank):
            row = work.chosen[i]
            work.y[i] = work.v_target[row] if row < work.driven.size else 0.0
            for k in range(n):
                work.y[i] -= work.J1[row, k] * work.v1[k]
        lu_solve(work.S, rank, work.swaps, work.y)
        for i in range(rank):
            for k in range(n):
                work.x[1, k] += work.Y0[work.chosen[i], k] * work.y[i]
        solve_lower(work.above, work.M, work.x, 1)
        for k in range(n):
            work.x[0, k] = work.v1[k] + work.x[1, k]
    for k in range(n):
        work.v1[k] = work.x[0, k]
    for j in range(work.driven.size):
        if work.active[j]:
            work.v1[work.driven[j]] = work.v_target[j]
    return rank


@jit_in_place
def project_velocities(h, tree, loops, workspace, work):
    """Velocities work.v1 and motion work.ends after the kick at the end.

    Returns the number of independent equations, -1 where they contradict each other.
    May be repeated with other work.end_force and work.end_torque while nothing else changes.
    """
    for k in range(work.w.size):
        work.v1[k] = work.p1[k]
    if work.kicks[0]:
        add_impulses(tree, workspace, work.label, work.end_force, work.end_torque, 0.5 * h, work.v1)
    rank = _project(work, loops.size)
    if rank < 0:
        return -1
    velocities(tree, work.v1, workspace)
    body_motion(tree, workspace, work.frames, work.label, work.ends)
    return rank


@jit_in_place
def impulse_responses(tree, workspace, work, rank, bodies, rows, responses):
    """(6m, 6m): change of (v, spin) of m bodies per impulse on them, world axes.

    After `project_velocities`, whose factors, of `rank` equations, are used; work.end_force,
    work.end_torque and the motion in `rows` are overwritten.
    """
    n = work.w.size
    for column in range(responses.shape[1]):
        unit_impulse(bodies[column // 6], column % 6, work.end_force, work.end_torque)
        for k in range(n):
            work.p[k] = 0.0
        add_impulses(tree, workspace, work.label, work.end_force, work.end_torque, 1.0, work.p)
        for k in range(n):
            work.x[0, k] = work.p[k]
        solve_upper(work.above, work.M, work.x, 0)
        for i in range(rank):
            work.y[i] = 0.0
            for k in range(n):
                work.y[i] -= work.Y0[work.chosen[i], k] * work.x[0, k]
        lu_solve(work.S, rank, work.swaps, work.y)
        for i in range(rank):
            for k in range(n):
                work.x[0, k] += work.Y0[work.chosen[i], k] * work.y[i]
        solve_lower(work.above, work.M, work.x, 0)
        for k in range(n):
            work.p[k] = work.x[0, k]
        read_responses(
            tree, workspace, work.frames, work.label, work.p, rows, bodies, responses, column
        )


_NOBODY = np.zeros(0, dtype=np.int64)
_WORK = step_workspace(_NOBODY, _NOBODY, np.zeros((1, 3, 3)), _NOBODY, 0, 0)
warm(project_velocities, 0.0, empty_tree(), no_loops(), workspace_for(0, 0), _WORK)
warm(
    impulse_responses, empty_tree(), workspace_for(0, 0), _WORK, 0, _NOBODY, _WORK.ends,
    np.zeros((0, 0)),
)  # fmt: skip
