"""Impulses as functions of the velocities, lambda(u) = P(l - w (J u + c)), of all rows.

P projects onto the admissible impulses of a row: all (a joint), lambda >= 0 (a limit), or the
friction cone (a contact).
"""

import math

from dovetail.contact.impulse.friction_cone import project_onto_cone, slip_bound
from dovetail.contact.impulse.records import BILATERAL, BOUNDED, RELEASED, UNILATERAL
from dovetail.contact.impulse.rows import rate
from dovetail.runtime.jit import jit_in_place

MIN_RELAXATION, MAX_RELAXATION = 0.3, 1.5
JOINT_PENALTY = 1e6  # least weight of a row that acts both ways, times the inertia it feels


@jit_in_place
def set_weights(system, penalty, weight, multiplier_share):
    """W and the share of l in y for all rows: w is `penalty` times the inertia the row feels.

    A soft row has J u + c + s lambda + (lambda - l) / w0 = 0, so w = 1 / (s + 1 / w0). Rows that
    act both ways have no case to be found out, so their w is large from the start.
    """
    diagonal, n_joint, mode, softness = (
        system.rows.diagonal, system.n_joint, system.mode, system.softness,
    )  # fmt: skip
    rho, active = system.rho, system.active
    for k in range(n_joint):
        weight[k], multiplier_share[k] = 0.0, 1.0
        if mode[k] != RELEASED and diagonal[k] > 0.0:
            own = penalty
            if mode[k] == BILATERAL:
                own = max(penalty, JOINT_PENALTY)
            weight[k] = 1.0 / (softness[k] + diagonal[k] / own)
            multiplier_share[k] = weight[k] * diagonal[k] / own
    for k in range(active.shape[0]):
        r = n_joint + 3 * k
        w = 0.0
        if active[k] and diagonal[r] > 0.0:
            w = penalty * min(rho[k], 1.0 / diagonal[r])
        for m in range(3):
            weight[r + m], multiplier_share[r + m] = w, 1.0


@jit_in_place
def set_bias(system, u, bias):
    """Bias = c, with mu times the slip in u added for normals."""
    body, J, c = system.rows.body, system.rows.J, system.c
    n_joint, mu, facets = system.n_joint, system.mu, system.facets
    for k in range(n_joint):
        bias[k] = c[k]
    for k in range(mu.shape[0]):
        r = n_joint + 3 * k
        a, b = rate(body, J, r + 1, u) + c[r + 1], rate(body, J, r + 2, u) + c[r + 2]
        bias[r] = c[r] + mu[k] * slip_bound(a, b, facets)
        bias[r + 1], bias[r + 2] = c[r + 1], c[r + 2]


@jit_in_place
def update_bias(system, u, lam, relaxation, change, bias):
    """Move the bias of pressing contacts towards that of the slip in u.

    By the factor `relaxation`, or Aitken's if this is not the first time (relaxation > 0):
    relaxation <- -relaxation change . (new - change) / |new - change|^2, `change` (rows,) being
    the difference found then. Returns (the largest difference [m/s], the relaxation).
    """
    body, J, c = system.rows.body, system.rows.J, system.c
    n_joint, mu, facets = system.n_joint, system.mu, system.facets
    largest, along, square = 0.0, 0.0, 0.0
    for k in range(mu.shape[0]):
        r = n_joint + 3 * k
        a, b = rate(body, J, r + 1, u) + c[r + 1], rate(body, J, r + 2, u) + c[r + 2]
        new = c[r] + mu[k] * slip_bound(a, b, facets) - bias[r]
        if not lam[r] > 0.0:
            bias[r] += new
            new = 0.0
        elif relaxation > 0.0:
            along += change[r] * (new - change[r])
            square += (new - change[r]) * (new - change[r])
        change[r] = new
        largest = max(largest, abs(new))
    if not relaxation > 0.0:
        relaxation = 1.0
    else:
        aitken = -relaxation * along / square if along < 0.0 else math.inf  # or it diverges
        relaxation = min(MAX_RELAXATION, max(MIN_RELAXATION, aitken))
    for k in range(mu.shape[0]):
        r = n_joint + 3 * k
        bias[r] = max(c[r], bias[r] + relaxation * change[r])
    return largest, relaxation


@jit_in_place
def project_impulses(system, y, weight, lam, derivative):
    """Lam = P(y) of all rows, and derivative (joints + contacts, 6) = w P' of each, symmetric."""
    n_joint, mode, active = system.n_joint, system.mode, system.active
    mu, facets = system.mu, system.facets
    for k in range(n_joint):
        lam[k], derivative[k, 0] = y[k], weight[k]
        if mode[k] == RELEASED or (mode[k] == UNILATERAL and y[k] <= 0.0):
            lam[k], derivative[k, 0] = 0.0, 0.0
        elif mode[k] == BOUNDED and abs(y[k]) > system.bound[k]:
            lam[k], derivative[k, 0] = math.copysign(system.bound[k], y[k]), 0.0
    for k in range(active.shape[0]):
        r, at = n_joint + 3 * k, n_joint + k
        if not active[k]:
            for m in range(3):
                lam[r + m] = y[r + m]
            for m in range(6):
                derivative[at, m] = 0.0
            continue
        p = project_onto_cone(y[r], y[r + 1], y[r + 2], mu[k], facets)
        w = weight[r]
        lam[r], lam[r + 1], lam[r + 2] = p.n, p.a, p.b
        derivative[at, 0], derivative[at, 1], derivative[at, 2] = w * p.nn, w * p.na, w * p.nb
        derivative[at, 3], derivative[at, 4], derivative[at, 5] = w * p.aa, w * p.ab, w * p.bb


@jit_in_place
def power_along(system, workspace, step_size):
    """Power of the impulses at u + t step along the step: sum of J step . P(y - t w J step).

    t is `step_size`; y, rate = J step and weight are those of the workspace.
    """
    n_joint, mode, active = system.n_joint, system.mode, system.active
    mu, facets = system.mu, system.facets
    y, rates, w = workspace.y, workspace.rate, workspace.weight
    total = 0.0
    for k in range(n_joint):
        at = y[k] - step_size * w[k] * rates[k]
        if mode[k] == RELEASED or (mode[k] == UNILATERAL and at <= 0.0):
            continue
        if mode[k] == BOUNDED and abs(at) > system.bound[k]:
            at = math.copysign(system.bound[k], at)
        total += rates[k] * at
    for k in range(active.shape[0]):
        r = n_joint + 3 * k
        n = y[r] - step_size * w[r] * rates[r]
        a = y[r + 1] - step_size * w[r] * rates[r + 1]
        b = y[r + 2] - step_size * w[r] * rates[r + 2]
        if active[k]:
            p = project_onto_cone(n, a, b, mu[k], facets)
            n, a, b = p.n, p.a, p.b
        total += rates[r] * n + rates[r + 1] * a + rates[r + 2] * b
    return total
