"""Whether steps over two are smooth (`newton.two_step`), and what the next one needs of a step.

A mechanism that a barrier presses or that a limit stops, or whose velocity jumps, makes the step,
and one more, by implicit Euler; so does a body alone that something new presses or that ceases to
be pressed, or that a mechanism presses. After that, and where its gaps swing, which implicit Euler
damps, it waits, the longer the more often. Bodies alone that press each other are a group, which
steps so where each of them may; a pair of them that parts refuses it.
"""

import math

import numpy as np

from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.contact.ipc.islands.sleeping import MOVES
from dovetail.contact.ipc.newton.lasting_contact import changes_of_spin, set_impulse
from dovetail.contact.ipc.newton.two_step import rate_at, velocities_at
from dovetail.linalg.so3 import vee
from dovetail.linalg.union_find import root
from dovetail.linalg.vec3 import (
    load3,
    load33,
    mat_scale,
    mat_sub,
    matmul,
    store3,
    store33,
    transpose,
)
from dovetail.multibody.constraints.bodies import LIMIT
from dovetail.runtime.jit import jit_in_place, when_called

LONGEST_WAIT = 31.0  # steps until a body alone that was refused tries again
BY_TWO = 3  # in `flies`, of bodies whose velocities are set here
SMOOTH = 0.5  # of the largest of some accelerations: by how much they may differ
FLOOR = 10.0  # times the tolerance of a step: smaller changes of velocity are none
FADES = 0.9  # in a step: an acceleration that is remembered
SWINGS = 0.1  # of the tolerance of a step: slower gaps are at rest
RELAXES = 0.9  # in a step that was made so: how long to wait after the next refusal
BEFORE, NOW, APART = range(3)  # columns of `change`
OPENED, OPENS = range(2)  # columns of `opening`
MOST, LAST = range(2)  # columns of `usual`


@jit_in_place
def refuse_pressed(bodies, lists, workspace):
    """Whether a barrier presses a mechanism at the start of a step that was to be made so.

    Bodies alone must be pressed, and not by mechanisms; groups of others do not step so.
    """
    return any_steps_so(workspace.two_step) and _refuse_pressed(bodies, lists, workspace)


@when_called(False)
@jit_in_place
def _refuse_pressed(bodies, lists, workspace):
    """As `refuse_pressed`."""
    two, flies, dynamic = workspace.two_step, workspace.flies, bodies.dynamic
    alone, by, group, rough = two.alone, two.by, two.group, two.rough
    for i in range(by.shape[0]):
        group[i], rough[i] = i, 0
        if alone[i] != 0 and flies[i] != 0:
            by[i] = 0
    _begin_changes(two)
    candidates, barriers = active_candidates(lists), lists.barriers
    pairs = candidates.pairs
    for p in range(candidates.n_pairs):
        if not barriers.start_gap[p] < barriers.dhat[p]:
            continue
        a, b = pairs[p, 0], pairs[p, 1]
        if alone[a] != 0 and alone[b] != 0:
            i, j = root(group, a), root(group, b)
            group[max(i, j)] = min(i, j)
            continue
        for i, other in ((a, b), (b, a)):
            if alone[i] == 0:
                _mark(two, i)
            elif dynamic[other] != 0:
                by[i] = 0
    for i in range(by.shape[0]):
        if alone[i] != 0 and by[i] == 0:
            rough[root(group, i)] = 1
    for i in range(by.shape[0]):
        if alone[i] != 0 and rough[root(group, i)] != 0:
            by[i] = 0
    return _refuse_marked(two)


@jit_in_place
def refuse_rough(bodies, lists, workspace, motion, dmin, h, tolerance):
    """Whether a mechanism was touched or jumped in a step that was made so; distances are known."""
    return _refuse_rough(bodies, lists, workspace, motion, dmin, h, tolerance)


@when_called(False)
@jit_in_place
def _refuse_rough(bodies, lists, workspace, motion, dmin, h, tolerance):
    """As `refuse_rough`."""
    two = workspace.two_step
    _begin_changes(two)
    _mark_jumps(bodies, workspace, motion, h, tolerance)
    _mark_touched(bodies, lists, workspace, two, dmin)
    _mark_stopped(workspace.joints, two)
    return _refuse_marked(two)


@jit_in_place
def refuse_unsolved(two):
    """Let bodies alone step by implicit Euler where a step over two did not converge; any do."""
    by, held, alone, any_refused = two.by, two.held, two.alone, False
    for i in range(by.shape[0]):
        if by[i] != 0 and alone[i] != 0:
            by[i], held[i], any_refused = 0, 1, True
    return any_refused


@jit_in_place
def any_steps_so(two):
    """Whether there is a body that makes the step so."""
    by = two.by
    for i in range(by.shape[0]):
        if by[i] != 0:
            return True
    return False


@jit_in_place
def any_slides_on(two):
    """Whether there is a body alone that makes the step so."""
    by, alone = two.by, two.alone
    for i in range(by.shape[0]):
        if by[i] != 0 and alone[i] != 0:
            return True
    return False


@jit_in_place
def _begin_changes(two):
    change = two.change
    for i in range(change.shape[0]):
        change[i, BEFORE] = change[i, NOW] = change[i, APART] = 0.0


@jit_in_place
def _mark(two, i):
    """The mechanism of body i was not smooth."""
    m = two.mechanism[i]
    if m >= 0:
        two.change[m, APART] = np.inf


@jit_in_place
def _mark_touched(bodies, lists, workspace, two, dmin):
    """Mechanisms that a barrier presses at the start or at the pose measured last.

    And bodies alone that it begins or ceases to press, that a mechanism presses, or of which a pair
    begins or ceases to touch.
    """
    squared, barriers, candidates = workspace.squared, lists.barriers, active_candidates(lists)
    pairs, first, mechanism = candidates.pairs, candidates.start, two.mechanism
    alone, dynamic, pressed, opening = two.alone, bodies.dynamic, two.pressed, two.opening
    for i in range(pressed.shape[0]):
        pressed[i], opening[i, OPENS] = 0, 0.0
    for p in range(candidates.n_pairs):
        if mechanism[pairs[p, 0]] < 0 and mechanism[pairs[p, 1]] < 0:
            continue
        reach = dmin + barriers.dhat[p]
        before = barriers.start_gap[p] < barriers.dhat[p]
        least = np.inf
        for c in range(first[p], first[p + 1]):
            least = min(least, squared[c])
        now = least < reach * reach
        opened = math.sqrt(least) - dmin - barriers.start_gap[p] if before and now else 0.0
        if now:
            pressed[pairs[p, 0]] = pressed[pairs[p, 1]] = 1
        if not (before or now):
            continue
        for side in range(2):
            i, other = pairs[p, side], pairs[p, 1 - side]
            if abs(opened) > abs(opening[i, OPENS]):
                opening[i, OPENS] = opened
            lasts = dynamic[other] == 0 or (now and alone[other] != 0)
            if not (before and alone[i] != 0 and lasts):
                _mark(two, i)
    for i in range(pressed.shape[0]):
        if alone[i] != 0 and pressed[i] == 0:
            _mark(two, i)


@jit_in_place
def _mark_stopped(joints, two):
    """Mechanisms that a limit of a joint stops."""
    rows, body, phi = joints.rows, joints.rows.equations.body, joints.trial.phi
    role, side, l, K = rows.role, rows.side, joints.multipliers.value, joints.multipliers.penalty
    for r in range(phi.shape[0]):
        if role[r] == LIMIT and l[r] + K[r] * side[r] * phi[r] > 0.0:
            for k in range(body.shape[1]):
                if body[r, k] >= 0:
                    _mark(two, body[r, k])


@jit_in_place
def _mark_jumps(bodies, workspace, motion, h, tolerance):
    """Mechanisms that accelerate otherwise than in the step before, in the mass norm.

    And by more than they usually do, since an acceleration may pass through zero.
    """
    two, change, usual = workspace.two_step, workspace.two_step.change, workspace.two_step.usual
    for i in range(two.by.shape[0]):
        if two.by[i] != 0:
            _add_changes(bodies, workspace, motion, h, FLOOR * tolerance / h, i)
    for m in range(change.shape[0]):
        least = max(change[m, BEFORE], max(change[m, NOW], usual[m, MOST]))
        if change[m, APART] > SMOOTH**2 * least:
            change[m, APART] = np.inf


@jit_in_place
def _add_changes(bodies, workspace, motion, h, floor, i):
    """What body i adds to the squared accelerations of its mechanism."""
    two, mass, v, v_before = workspace.two_step, bodies.mass, motion.v, workspace.two_step.v
    change, m, last = two.change, two.mechanism[i], two.h[0]
    now, rate_now = velocities_at(bodies, workspace, motion, h, i)
    rate, J = rate_at(two, motion, i), load33(bodies.J, i)
    if two.alone[i] != 0:
        spins = changes_of_spin(bodies, two, motion, rate_now, load33(workspace.iterate.R, i), h, i)
        change[m, BEFORE] += spins[0]
        change[m, NOW] += spins[1]
        change[m, APART] += spins[2] - mass[i] * floor * floor
        J = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    after = mat_scale(1.0 / h, mat_sub(rate_now, rate))
    before = mat_scale(1.0 / last, mat_sub(rate, load33(two.rate, i))) if last > 0.0 else after
    change[m, BEFORE] += _spread(before, J)
    change[m, NOW] += _spread(after, J)
    change[m, APART] += _spread(mat_sub(after, before), J)
    if two.alone[i] == 0:
        change[m, APART] -= mass[i] * floor * floor
    for k in range(3):
        after_k = (now[k] - v[i, k]) / h
        before_k = (v[i, k] - v_before[i, k]) / last if last > 0.0 else after_k
        change[m, BEFORE] += mass[i] * before_k * before_k
        change[m, NOW] += mass[i] * after_k * after_k
        change[m, APART] += mass[i] * (after_k - before_k) ** 2


@jit_in_place
def _spread(A, J):
    """tr(A J A^T)."""
    B, total = matmul(A, J), 0.0
    for r in range(3):
        total += B[r][0] * A[r][0] + B[r][1] * A[r][1] + B[r][2] * A[r][2]
    return total


@jit_in_place
def _refuse_marked(two):
    """Let marked mechanisms and groups of marked bodies step by implicit Euler; whether any do."""
    by, held, mechanism, change, any_refused = two.by, two.held, two.mechanism, two.change, False
    alone, group, rough = two.alone, two.group, two.rough
    for i in range(by.shape[0]):
        rough[i] = 0
    for i in range(by.shape[0]):
        if by[i] != 0 and change[mechanism[i], APART] == np.inf:
            rough[root(group, i) if alone[i] != 0 else mechanism[i]] = 1
    for i in range(by.shape[0]):
        if by[i] != 0 and rough[root(group, i) if alone[i] != 0 else mechanism[i]] != 0:
            by[i], held[i], any_refused = 0, 1, True
    return any_refused


@jit_in_place
def _remember(bodies, workspace, motion, h):
    """The largest acceleration of each mechanism before the last step, and that of this one.

    Of those that made the step by two `refuse_rough` has found it.
    """
    two, change, usual = workspace.two_step, workspace.two_step.change, workspace.two_step.usual
    flies, by, mechanism, alone = workspace.flies, two.by, two.mechanism, two.alone
    for i in range(by.shape[0]):
        if mechanism[i] >= 0 and by[i] == 0:
            change[mechanism[i], NOW] = 0.0
    for i in range(by.shape[0]):
        if mechanism[i] >= 0 and by[i] == 0 and (alone[i] == 0 or flies[i] == 0):
            _add_changes(bodies, workspace, motion, h, 0.0, i)
    for m in range(change.shape[0]):
        usual[m, MOST] = max(FADES**2 * usual[m, MOST], usual[m, LAST])
        usual[m, LAST] = change[m, NOW]
        change[m, APART] = 0.0


@jit_in_place
def end_two_steps(bodies, lists, workspace, motion, dmin, h, tolerance):
    """Velocities at the end of the step to the iterate, and what the next one needs of it."""
    if workspace.two_step.acts[0] != 0:
        _end(bodies, lists, workspace, motion, dmin, h, tolerance)


@when_called(None)
@jit_in_place
def _end(bodies, lists, workspace, motion, dmin, h, tolerance):
    """As `end_two_steps`; distances at the iterate are known."""
    two, iterate, flies = workspace.two_step, workspace.iterate, workspace.flies
    known, by, held, mechanism = two.known, two.by, two.held, two.mechanism
    stillness, joints = workspace.islands.stillness, workspace.joints
    alone, wait, opening = two.alone, two.wait, two.opening
    _remember(bodies, workspace, motion, h)
    _mark_touched(bodies, lists, workspace, two, dmin)
    _mark_stopped(joints, two)
    for i in range(by.shape[0]):
        x, R = load3(motion.x, i), load33(motion.R, i)
        v, rate = load3(motion.v, i), rate_at(two, motion, i)
        if by[i] != 0:
            now, rate_now = velocities_at(bodies, workspace, motion, h, i)
            R_1 = load33(iterate.R, i)
            turn = matmul(transpose(R_1), rate_now)
            store3(motion.v, i, now)
            store3(motion.omega, i, vee(turn))
            store33(motion.rate, i, rate_now)
            flies[i] = BY_TWO
        store3(two.x, i, x)
        store33(two.R, i, R)
        store3(two.v, i, v)
        store33(two.rate, i, rate)
        known[i] = 0
        if mechanism[i] >= 0 and held[i] == 0 and stillness[i] == MOVES:
            known[i] = 0 if two.change[mechanism[i], APART] == np.inf else 1
        if alone[i] != 0:
            set_impulse(bodies, two, motion, iterate, v, h, i)
            swings = opening[i, OPENED] * opening[i, OPENS] < 0.0
            fastest = max(abs(opening[i, OPENED]), abs(opening[i, OPENS]) / h)
            if flies[i] != 0 and by[i] == 0:
                wait[i, 0] = wait[i, 1] = 0.0
            elif known[i] == 0 or (swings and fastest > SWINGS * tolerance):
                wait[i, 1] = min(2.0 * wait[i, 1] + 1.0, LONGEST_WAIT)
                wait[i, 0] = wait[i, 1]
            opening[i, OPENED] = opening[i, OPENS] / h
            if wait[i, 0] > 0.0 or (flies[i] != 0 and by[i] == 0):
                known[i] = 0
            wait[i, 0] = max(wait[i, 0] - 1.0, 0.0)
            wait[i, 1] *= RELAXES if by[i] != 0 else 1.0
        two.led[i], held[i] = by[i] if stillness[i] == MOVES else 0, 0
    two.h[0] = h
