r"""Impulses of joints and contacts by Newton's method in the velocities of the bodies.

Coulomb's law is that of a convex cone if the slip, times mu, is added to the normal velocity
(De Saxce and Feng 1998; for a polygon the slip is the largest of -v_T . p over its corners p):
    (lambda_N, lambda_T) in K   _|_   (v_N + c + mu slip, v_T) in K*.
With that slip fixed, and multipliers l known so far,
    lambda(u) = P_K(l - w (J u + c)),     M (u - u_free) = J^T lambda(u)
is the minimum of a convex function, found by Newton's method with the matrix M + J^T w P_K' J and
a line search along each step. Then l and the slip are updated, and w grows tenfold: the method of
multipliers (Rockafellar 1976). Redundant contacts do no harm, and one factorisation does what
hundreds of sweeps do in a high stack.
"""

from typing import Any

import numpy as np

from dovetail.contact.impulse.gauss_seidel import residual
from dovetail.contact.impulse.newton.projected_impulses import (
    JOINT_PENALTY,
    power_along,
    project_impulses,
    set_bias,
    set_weights,
    update_bias,
)
from dovetail.contact.impulse.newton.system import (
    assemble,
    assemble_fixed,
    free_rows,
    gradient,
    is_factored,
)
from dovetail.contact.impulse.newton.workspace import bundle_newton, newton_workspace
from dovetail.contact.impulse.records import no_system
from dovetail.contact.impulse.rows import apply_impulses, rate, rates
from dovetail.linalg.block_cholesky.factor import factor_workspace, factorise, solve
from dovetail.linalg.block_cholesky.row_pairs import row_pairs
from dovetail.multibody.body_arrays import NO_BODIES
from dovetail.multibody.mass_blocks import mass_blocks
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.warmup import warm, warm_later

MAX_PENALTY = 1e6  # largest w, times the inertia that a row feels
GROWTH = 10.0  # of w
FAST_GROWTH, FEW_STEPS = 100.0, 2  # of w with joints, after multipliers that took so few steps
INNER_TOLERANCE = 0.1  # of the change of the multipliers: accuracy of the velocities before it
FLAT = 0.1  # of the derivative at the start of a step: where the line search ends
SLIP_CHANGE = 0.1  # of the change of mu slip: if the multipliers' is less, w does not grow
MAX_LINE_SEARCH = 20
MAX_INNER_STEPS = 20  # with the same multipliers
MAX_STALLS = 5  # updates of the multipliers that hardly improve
PATIENCE, SLOW = 2, 0.25  # steps that leave more than this share of the residual are slow


@jit_in_place
def _update_impulses(system, count, workspace):
    """Impulses and their derivatives at the velocities workspace.u."""
    body, J = system.rows.body, system.rows.J
    y, weight = workspace.y, workspace.weight
    for r in range(count):
        y[r] = workspace.multiplier_share[r] * workspace.multiplier[r]
        if weight[r] > 0.0:
            y[r] -= weight[r] * (rate(body, J, r, workspace.u) + workspace.bias[r])
    project_impulses(system, y, weight, workspace.trial, workspace.derivative)


@jit_in_place
def _extrapolate(system, count, penalty, workspace):
    """New weights, and impulses at workspace.u as if each row stayed in the case it is in.

    lambda + P' (y' - y) with P' at the last y, and w' P' as the derivatives. A larger weight takes
    y' far beyond y, past bounds that the solution does not pass; the step from these impulses ends
    at the solution with the new weights if no row changes its case.
    """
    body, J, n_joint = system.rows.body, system.rows.J, system.n_joint
    y, weight, lam = workspace.y, workspace.weight, workspace.trial
    derivative, change, bias = workspace.derivative, workspace.rate, workspace.bias
    for k in range(n_joint + system.active.shape[0]):
        r = k if k < n_joint else n_joint + 3 * (k - n_joint)
        for m in range(1 if k < n_joint else 6):
            derivative[k, m] = derivative[k, m] / weight[r] if weight[r] > 0.0 else 0.0
    set_weights(system, penalty, weight, workspace.multiplier_share)
    for r in range(count):
        new = workspace.multiplier_share[r] * workspace.multiplier[r]
        if weight[r] > 0.0:
            new -= weight[r] * (rate(body, J, r, workspace.u) + bias[r])
        change[r] = new - y[r]
        y[r] = new
    for k in range(n_joint):
        lam[k] += derivative[k, 0] * change[k]
        derivative[k, 0] *= weight[k]
    for k in range(n_joint, n_joint + system.active.shape[0]):
        r = n_joint + 3 * (k - n_joint)
        n, a, b = change[r], change[r + 1], change[r + 2]
        nn, na, nb = derivative[k, 0], derivative[k, 1], derivative[k, 2]
        aa, ab, bb = derivative[k, 3], derivative[k, 4], derivative[k, 5]
        lam[r] += nn * n + na * a + nb * b
        lam[r + 1] += na * n + aa * a + ab * b
        lam[r + 2] += nb * n + ab * a + bb * b
        for m in range(6):
            derivative[k, m] *= weight[r]


@jit_in_place
def _step_size(at_low, system, workspace):
    """Line search: where the derivative of the convex function along the step is small.

    `at_low` is its derivative at the start.
    """
    mass, step = workspace.mass, workspace.step
    start, curvature = 0.0, 0.0  # derivative of the kinetic part, and its growth
    for i in range(step.shape[0]):
        for r in range(6):
            total = 0.0
            for c in range(6):
                total += mass[i, r, c] * step[i, c]
            start += total * (workspace.u[i, r] - workspace.u_free[i, r])
            curvature += total * step[i, r]
    low, high = 0.0, 1.0
    at_high = start + curvature - power_along(system, workspace, 1.0)
    flat = FLAT * abs(at_low)
    if at_high <= flat:
        return 1.0
    size = 1.0
    for k in range(MAX_LINE_SEARCH):
        size = low - at_low * (high - low) / (at_high - at_low)
        if k % 3 == 2:
            size = 0.5 * (low + high)
        derivative = start + size * curvature - power_along(system, workspace, size)
        if abs(derivative) <= flat:
            break
        if derivative < 0.0:
            low, at_low = size, derivative
        else:
            high, at_high = size, derivative
    return size


@jit_in_place
def minimise(
    bodies, R, system, lam, u, coupled, workspace, factor, penalty, tolerance, enough, max_steps
):  # fmt: skip
    """Improve `lam`, with u its velocities, until the residual is at most `tolerance` [m/s].

    Once it is at most `enough` [m/s], that ends when steps are slow.

    `penalty` is the first w; `factor` is prepared for the pairs of `coupled`. Returns the
    fields of an `Outcome`; `lam` is the best that was found.
    """
    w, rows, n_contacts = workspace, system.rows, system.active.shape[0]
    body, J, WJ = rows.body, rows.J, rows.WJ
    n, count, n_pairs = u.shape[0], system.n_joint + 3 * n_contacts, coupled.pair.shape[0]
    mass_blocks(bodies, R, w.mass)
    free_rows(bodies, rows, count, w.J)
    for i in range(n):
        for m in range(6):
            w.u_free[i, m] = w.u[i, m] = u[i, m]
    apply_impulses(body, WJ, count, -1.0, lam, w.u_free)
    for r in range(count):
        w.multiplier[r] = w.best[r] = lam[r]
    set_bias(system, u, w.bias)
    set_weights(system, penalty, w.weight, w.multiplier_share)
    assemble_fixed(bodies.dynamic, system, coupled, w)
    best, best_row, last = np.inf, -1, np.inf
    mark, since = np.inf, 0  # the last residual that was much less than before, in which step
    steps, inner_steps, stalls, relaxation = 0, 0, 0, 0.0
    while True:
        _update_impulses(system, count, w)
        for i in range(n):
            for m in range(6):
                w.u_end[i, m] = w.u_free[i, m]
        apply_impulses(body, WJ, count, 1.0, w.trial, w.u_end)
        left, row = residual(system, w.trial, w.u_end)
        if left < best:
            best, best_row = left, row
            for r in range(count):
                w.best[r] = w.trial[r]
        if left <= SLOW * mark:
            mark, since = left, steps
        if best <= tolerance or steps >= max_steps:
            break
        if best <= enough and steps - since >= PATIENCE:
            break  # rounding in the larger of the weights is all that is left
        for i in range(n):
            for m in range(6):
                w.step[i, m] = w.u_end[i, m] - w.u[i, m]
        error, change = 0.0, 0.0
        for r in range(count):
            if w.weight[r] > 0.0:
                error = max(error, abs(rate(body, J, r, w.step)))
                change = max(change, abs(w.trial[r] - w.multiplier[r]) / w.weight[r])
        converged = error <= INNER_TOLERANCE * max(change, tolerance)
        if converged:
            stalls = stalls + 1 if left > 0.5 * last else 0
            last = min(last, left)
            if stalls > MAX_STALLS:
                break
            for r in range(count):
                w.multiplier[r] = w.trial[r]
            slip, relaxation = update_bias(
                system, w.u_end, w.trial, relaxation, w.bias_change, w.bias
            )
            if change > SLIP_CHANGE * slip:
                fast = system.n_joint > 0 and inner_steps <= FEW_STEPS
                growth = FAST_GROWTH if fast else GROWTH
                penalty = min(penalty * growth, MAX_PENALTY)
        elif inner_steps >= MAX_INNER_STEPS:
            stalls += 1
            if stalls > MAX_STALLS:
                break
            penalty = max(penalty / GROWTH, 1.0)
        extrapolated = False
        if converged or inner_steps >= MAX_INNER_STEPS:
            inner_steps = 0
            if converged:
                _extrapolate(system, count, penalty, w)
                extrapolated = True
            else:
                set_weights(system, penalty, w.weight, w.multiplier_share)
                _update_impulses(system, count, w)
            if penalty > JOINT_PENALTY:
                assemble_fixed(bodies.dynamic, system, coupled, w)
        gradient(body, count, w)
        known = is_factored(system.n_joint + n_contacts, w) and steps > 0
        if not known:
            assemble(bodies.dynamic, system, coupled, w)
            if factorise(factor, w.diagonal, w.block, n_pairs, 0.0, 0.0) >= 0:
                break
        for i in range(n):
            for m in range(6):
                w.u_end[i, m] = w.step[i, m]
        solve(factor, w.step)
        size = 1.0
        if not extrapolated:
            descent = 0.0
            for i in range(n):
                for m in range(6):
                    descent -= w.u_end[i, m] * w.step[i, m]
            rates(body, J, count, w.step, w.rate)
            size = _step_size(descent, system, w)
        for i in range(n):
            for m in range(6):
                w.u[i, m] += size * w.step[i, m]
        steps += 1
        inner_steps += 1
    for r in range(count):
        lam[r] = w.best[r]
    for i in range(n):
        for m in range(6):
            u[i, m] = w.u_free[i, m]
    apply_impulses(body, WJ, count, 1.0, lam, u)
    return steps, best, best_row


@jit
def improve(parts, R, system, lam, u, penalty, tolerance, enough, max_steps):
    """`minimise` with the parts of a `NewtonSolver`."""
    return minimise(
        parts.bodies, R, system, lam, u, parts.coupled, parts.workspace, parts.factor, penalty,
        tolerance, enough, max_steps,
    )  # fmt: skip


@jit_in_place
def same_bodies(body, n_joint, n_contacts, last):
    """Whether rows have the bodies (joints + contacts, k) of `last`."""
    if last.shape[0] != n_joint + n_contacts or last.shape[1] != body.shape[1]:
        return False
    for k in range(last.shape[0]):
        r = k if k < n_joint else n_joint + 3 * (k - n_joint)
        for side in range(body.shape[1]):
            if body[r, side] != last[k, side]:
                return False
    return True


def no_newton() -> Any:
    """A bundle of no bodies, of the types every call has."""
    coupled = row_pairs(np.zeros((0, 2), np.int32), np.zeros(0, np.bool_))
    return bundle_newton(NO_BODIES, coupled, newton_workspace(0, 0, 0, 0), factor_workspace(0, 0))


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    warm(
        improve,
        no_newton(),
        np.zeros((0, 3, 3)),
        no_system(),
        np.zeros(0),
        np.zeros((0, 6)),
        1.0,
        0.0,
        0.0,
        0,
    )


_body = np.zeros((0, 2), np.int32)
warm(same_bodies, _body, 0, 0, _body)
warm_later(_register)
