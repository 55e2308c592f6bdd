"""Barriers that act already when a run begins: in balance with the loads, or without energy.

A pair whose bodies begin within dhat of each other would push them apart with a force that nothing
balances and an energy that nobody put in. So the stiffness of each such pair is that with which
barriers and loads are in balance as well as they can be,
    min over K_p >= 0 of |f - sum of K_p g_p|^2,   g_p the gradient of pair p for K_p = 1,
forces and torques weighted by inverse inertias; found by projected Gauss-Seidel sweeps. Its dhat
is hardly more than its gap: what the balance leaves, torques and friction, is then borne after next
to no motion. Bodies that would pass each other are left out (`barrier.clearance`). A pair that
no load presses together has no energy: its dhat is its gap (`barrier.stiffness` lets it grow). One
that bodies press together by their motion gets the stiffness that stops them at once, with the
energy of the balance.
"""

import math

from dovetail.collision.distance.derivatives import DS, DW_A, DW_B, GRADIENT_ONLY
from dovetail.contact.ipc.barrier.clearance import NONE, follow_clearances, release_passing
from dovetail.contact.ipc.barrier.contacts import add_barrier_terms
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.barrier.memory import remember_pairs
from dovetail.contact.ipc.barrier.stiffness import (
    ACCELERATION,
    ENERGY_AT_TENTH,
    begin_pairs,
    meeting_stiffness,
    neutral_dhat,
    set_motion_scales,
)
from dovetail.contact.ipc.candidates.distances import distances_at
from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.contact.ipc.feature_pair import features_at
from dovetail.contact.ipc.newton.projection import merge_rows
from dovetail.contact.ipc.records import Poses
from dovetail.linalg.vec3 import load3, load33, matvec
from dovetail.runtime.jit import jit_in_place

MAX_UPDATES = 10_000_000  # of the stiffness of one pair, in all
ACCURACY = 1e-12  # of the loads: changes of the force that end the sweeps
RIGID = 1e-4  # of dhat: how much larger the dhat of a pair is than the gap it begins with,
WIDE = 10.0  # and at most so many gaps
UNLOADED = 1e-6  # of the loads: pairs that bear less have no energy


@jit_in_place
def _set_loads(bodies, motion, residual, weight):
    """Loads (n, 6) on all bodies, and the inverse inertias (n, 2) of those that can follow them."""
    dynamic, free, mass, J = bodies.dynamic, bodies.free, bodies.mass, bodies.J
    for i in range(dynamic.shape[0]):
        for k in range(6):
            residual[i, k] = 0.0
        weight[i, 0] = weight[i, 1] = 0.0
        if dynamic[i] == 0:
            continue
        weight[i, 0] = 1.0 / mass[i]
        spread = J[i, 0, 0] + J[i, 1, 1] + J[i, 2, 2]
        weight[i, 1] = 1.5 / spread if spread > 0.0 else 0.0
        for k in range(3):
            residual[i, k] = free[i, k] * motion.force[i, k]
            residual[i, 3 + k] = free[i, 3 + k] * motion.torque[i, k]


@jit_in_place
def _project(rows, r, a, b, free, weight, along):
    """(g . W g, g . W along) of row r, `along` (n, 6) a wrench of all bodies."""
    squared, product = 0.0, 0.0
    for k in range(3):
        s, u, w = rows[r, DS + k], rows[r, DW_A + k], rows[r, DW_B + k]
        fa, fb = free[a, k] * weight[a, 0], free[b, k] * weight[b, 0]
        ta, tb = free[a, 3 + k] * weight[a, 1], free[b, 3 + k] * weight[b, 1]
        squared += (fa + fb) * s * s + ta * u * u + tb * w * w
        product += s * (fa * along[a, k] - fb * along[b, k])
        product += ta * u * along[a, 3 + k] + tb * w * along[b, 3 + k]
    return squared, product


@jit_in_place
def _subtract(rows, r, a, b, stiffness, residual):
    """Take the force of row r from the residual."""
    for k in range(3):
        residual[a, k] -= stiffness * rows[r, DS + k]
        residual[b, k] += stiffness * rows[r, DS + k]
        residual[a, 3 + k] -= stiffness * rows[r, DW_A + k]
        residual[b, 3 + k] -= stiffness * rows[r, DW_B + k]


@jit_in_place
def _closing_speed(rows, r, a, b, motion):
    """[m/s] with which the gaps of row r close: g . u / |force|."""
    spin_a = matvec(load33(motion.R, a), load3(motion.omega, a))
    spin_b = matvec(load33(motion.R, b), load3(motion.omega, b))
    rate, force = 0.0, 0.0
    for k in range(3):
        s = rows[r, DS + k]
        rate += s * (motion.v[a, k] - motion.v[b, k])
        rate += rows[r, DW_A + k] * spin_a[k] + rows[r, DW_B + k] * spin_b[k]
        force += s * s
    return max(rate, 0.0) / math.sqrt(force) if force > 0.0 else 0.0


@jit_in_place
def balance_new_pairs(bodies, lists, workspace, motion, barrier):
    """Set stiffness and dhat of the pairs that `begin_pairs` did not know of."""
    barriers, scales = lists.barriers, lists.scales
    dhat, stiffness, start_gap = barriers.dhat, barriers.stiffness, barriers.start_gap
    candidates, terms = active_candidates(lists), workspace.terms
    pairs, rows, free = candidates.pairs, terms.rows, bodies.free
    residual, weight = workspace.unbalanced, workspace.inverse_inertia
    n_pairs = candidates.n_pairs
    poses = Poses(motion.x, motion.R)
    _set_loads(bodies, motion, residual, weight)
    new = 0
    for p in range(n_pairs):
        if start_gap[p] < 0.0:
            wide = min(-WIDE * start_gap[p], RIGID * dhat[p])
            stiffness[p], dhat[p] = 1.0, min(dhat[p], wide - start_gap[p])
            new += 1
    add_barrier_terms(
        candidates, workspace.squared, poses.x, features_at(bodies, lists, workspace, poses.R),
        bodies.geometry.patches.inner, Barrier(barrier.dhat, barrier.dmin, 1.0, 0.0), barriers,
        GRADIENT_ONLY, terms,
    )  # fmt: skip
    for p in range(n_pairs):
        if terms.active[p] != 0:
            merge_rows(rows, 2 * p)
        if start_gap[p] < 0.0:
            stiffness[p] = 0.0
        elif terms.active[p] != 0:
            _subtract(rows, 2 * p, pairs[p, 0], pairs[p, 1], 1.0, residual)
    smallest, updates, change = ACCURACY * scales.values[ACCELERATION], 0, math.inf
    while change > smallest and updates < MAX_UPDATES:
        change = 0.0
        updates += new
        for p in range(n_pairs):
            if not start_gap[p] < 0.0 or terms.active[p] == 0:
                continue
            a, b = pairs[p, 0], pairs[p, 1]
            squared, product = _project(rows, 2 * p, a, b, free, weight, residual)
            if not squared > 0.0:
                continue
            wanted = max(0.0, stiffness[p] + product / squared)
            step = wanted - stiffness[p]
            if step != 0.0:
                _subtract(rows, 2 * p, a, b, step, residual)
                stiffness[p] = wanted
                change = max(change, abs(step) * math.sqrt(squared))
    for p in range(n_pairs):
        if not start_gap[p] < 0.0:
            continue
        start_gap[p] = -start_gap[p]
        a, b = pairs[p, 0], pairs[p, 1]
        squared, _ = _project(rows, 2 * p, a, b, free, weight, residual)
        if stiffness[p] * math.sqrt(squared) <= UNLOADED * scales.values[ACCELERATION]:
            dhat[p] = start_gap[p]
            stiffness[p] = meeting_stiffness(scales, a, b, dhat[p])
            continue
        closing = _closing_speed(rows, 2 * p, a, b, motion)
        least = min(scales.mass[a], scales.mass[b]) * closing * closing / ENERGY_AT_TENTH
        if least > stiffness[p]:
            factor = least / stiffness[p]
            dhat[p] = neutral_dhat(start_gap[p], dhat[p], barrier.dmin, factor)
            stiffness[p] = least


@jit_in_place
def begin_barriers(bodies, lists, workspace, motion, barrier, h):
    """Stiffness and dhat of all pairs at the start of a step of h [s], 0 where a run begins.

    Needs the distances of the pose. Returns what `follow_clearances` does.
    """
    if begin_pairs(lists, workspace.squared, barrier) > 0:
        release_passing(bodies, lists, workspace, motion, barrier, h)
        balance_new_pairs(bodies, lists, workspace, motion, barrier)
    if h > 0.0:
        return follow_clearances(bodies, lists, workspace, motion, barrier, h)
    return NONE


@jit_in_place
def begin_run(bodies, lists, workspace, motion, barrier):
    """Set and remember the barriers of the pose that a run begins with; whether they fit."""
    set_motion_scales(bodies, lists.scales, motion, 0.0, barrier.dhat)
    poses = Poses(motion.x, motion.R)
    if not distances_at(bodies, lists, workspace, poses, barrier)[0]:
        return False
    begin_barriers(bodies, lists, workspace, motion, barrier, 0.0)
    return remember_pairs(bodies, lists, workspace, barrier)
