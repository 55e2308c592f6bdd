r"""Impulses of joints and frictional contacts by projected Gauss-Seidel with conjugate directions.

Find impulses \(\lambda\) with u = u_free + M^-1 J^T \(\lambda\) such that
    joints      J u + c + s lambda = 0          (s > 0: a damper; lambda >= 0: a limit;
                                                 |lambda| <= bound: dry friction)
    normals     0 <= lambda_N  _|_  J_N u + c >= 0
    tangents    lambda_T = argmax over mu lambda_N P of -lambda_T . J_T u   (maximal dissipation)
P being the unit disc (facets = 0) or the regular polygon with `facets` corners, one of them along
the slip: Stewart and Trinkle 1996; Anitescu and Potra 1997. The conjugate directions are those of
Silcowitz-Hansen, Niebe and Erleben 2010, "A nonsmooth nonlinear conjugate gradient method for
interactive contact force problems".

Unlike `linalg.lcp.gauss_seidel`, which sweeps over the rows of a given matrix A, this never forms
A = J M^-1 J^T: a changed impulse changes the velocities u of two bodies.
"""

import math

import numpy as np

from dovetail.contact.impulse.friction_cone import project_friction
from dovetail.contact.impulse.records import ACTIVE, BOUNDED, RELEASED, UNILATERAL, no_system
from dovetail.contact.impulse.rows import apply_impulse, rate
from dovetail.contact.impulse.workspace import sweep_workspace
from dovetail.runtime.jit import jit_in_place, jit_within
from dovetail.runtime.warmup import warm


@jit_within
def _relaxed(mode, bound, diagonal, softness, left, value):
    """The new impulse of a joint row with the impulse `value` and the violation `left` [m/s]."""
    value -= left / (diagonal + softness)
    if mode == UNILATERAL:
        value = max(0.0, value)
    elif mode == BOUNDED:
        value = min(bound, max(-bound, value))
    return value


@jit_in_place
def _sweep_joints(backward, system, lam, u):
    """Once over all rows of joints; the largest change of a rate [m/s]."""
    rows, n_joint, mode, softness = system.rows, system.n_joint, system.mode, system.softness
    body, J, WJ, diagonal = rows.body, rows.J, rows.WJ, rows.diagonal
    c, bound, unit, largest = system.c, system.bound, system.unit, 0.0
    for step in range(n_joint):
        k = n_joint - 1 - step if backward else step
        if mode[k] == RELEASED or not diagonal[k] > 0.0:
            continue
        left = rate(body, J, k, u) + c[k] + softness[k] * lam[k]
        value = _relaxed(mode[k], bound[k], diagonal[k], softness[k], left, lam[k])
        change = value - lam[k]
        if change != 0.0:
            lam[k] = value
            apply_impulse(body, WJ, k, change, u)
        largest = max(largest, abs(change) * (diagonal[k] + softness[k]) * unit[k])
    return largest


@jit_in_place
def _sweep_contacts(backward, system, lam, u):
    """Once over all contacts, first the normal, then friction; the largest change [m/s]."""
    rows, first, active, facets = system.rows, system.n_joint, system.active, system.facets
    body, J, WJ, diagonal, coupling = rows.body, rows.J, rows.WJ, rows.diagonal, rows.coupling
    c, mu, rho = system.c, system.mu, system.rho
    largest, count = 0.0, mu.shape[0]
    for step in range(count):
        k = count - 1 - step if backward else step
        if not active[k]:
            continue
        r = first + 3 * k
        a, b = body[r, 0], body[r, 1]
        n, s, t = c[r], c[r + 1], c[r + 2]
        if a >= 0:
            for m in range(6):
                v = u[a, m]
                n += J[r, m] * v
                s += J[r + 1, m] * v
                t += J[r + 2, m] * v
        if b >= 0:
            for m in range(6):
                v = u[b, m]
                n += J[r, 6 + m] * v
                s += J[r + 1, 6 + m] * v
                t += J[r + 2, 6 + m] * v
        dn, ds, dt = 0.0, 0.0, 0.0
        if active[k] == ACTIVE and diagonal[r] > 0.0:
            dn = max(0.0, lam[r] - n / diagonal[r]) - lam[r]
            lam[r] += dn
            largest = max(largest, abs(dn) * diagonal[r])
        bound = mu[k] * lam[r]
        if rho[k] > 0.0 and (bound > 0.0 or lam[r + 1] != 0.0 or lam[r + 2] != 0.0):
            s += coupling[r + 1] * dn
            t += coupling[r + 2] * dn
            x, y = lam[r + 1] - rho[k] * s, lam[r + 2] - rho[k] * t
            x, y = project_friction(x, y, bound, facets)
            ds, dt = x - lam[r + 1], y - lam[r + 2]
            lam[r + 1], lam[r + 2] = x, y
            largest = max(largest, max(abs(ds), abs(dt)) / rho[k])
        if dn != 0.0 or ds != 0.0 or dt != 0.0:
            if a >= 0:
                for m in range(6):
                    u[a, m] += WJ[r, m] * dn + WJ[r + 1, m] * ds + WJ[r + 2, m] * dt
            if b >= 0:
                for m in range(6):
                    u[b, m] += WJ[r, 6 + m] * dn + WJ[r + 1, 6 + m] * ds + WJ[r + 2, 6 + m] * dt
    return largest


@jit_in_place
def _sweep(backward, system, lam, u):
    """Once over all rows, from the last to the first if `backward`; the largest change [m/s]."""
    largest = 0.0
    if backward:
        largest = _sweep_contacts(True, system, lam, u)
    largest = max(largest, _sweep_joints(backward, system, lam, u))
    if not backward:
        largest = max(largest, _sweep_contacts(False, system, lam, u))
    return largest


@jit_within
def _violation(mode, bound, diagonal, left, lam):
    """[m/s] or [rad/s] how far a joint row with the impulse `lam` is from its law.

    `left` is what its rate and bias sum up to.
    """
    if mode == UNILATERAL:
        left = lam * diagonal - max(0.0, lam * diagonal - left)
    elif mode == BOUNDED:
        most = bound * diagonal
        left = lam * diagonal - min(most, max(-most, lam * diagonal - left))
    return abs(left)


@jit_in_place
def _joint_residual(system, lam, u):
    """(largest violation of the law of a joint row [m/s], the row)."""
    rows, mode, softness, largest, row = system.rows, system.mode, system.softness, 0.0, -1
    body, J, diagonal, c = rows.body, rows.J, rows.diagonal, system.c
    bound, unit = system.bound, system.unit
    for k in range(system.n_joint):
        if mode[k] == RELEASED or not diagonal[k] > 0.0:
            continue
        left = rate(body, J, k, u) + c[k] + softness[k] * lam[k]
        left = _violation(mode[k], bound[k], diagonal[k], left, lam[k]) * unit[k]
        if not left <= largest:
            largest, row = left, k
    return largest, row


@jit_within
def _contact_residual(body, J, diagonal, c, active, mu, rho, facets, r, lam, u):
    """Violations of the laws of the contact of rows r, of its normal and of its friction [m/s]."""
    normal, friction = 0.0, 0.0
    if active == ACTIVE and diagonal[r] > 0.0:
        pressing = lam[r] * diagonal[r]
        normal = abs(pressing - max(0.0, pressing - rate(body, J, r, u) - c[r]))
    if active and mu > 0.0 and rho > 0.0:
        a, b = lam[r + 1], lam[r + 2]
        at, bt = project_friction(
            a - rho * (rate(body, J, r + 1, u) + c[r + 1]),
            b - rho * (rate(body, J, r + 2, u) + c[r + 2]), mu * lam[r], facets,
        )  # fmt: skip
        friction = max(abs(a - at), abs(b - bt)) / rho
    return normal, friction


@jit_in_place
def residual(system, lam, u):
    """(largest violation of any row's law [m/s], its row): the change of a projected step."""
    rows, n_joint, c, facets = system.rows, system.n_joint, system.c, system.facets
    body, J, diagonal = rows.body, rows.J, rows.diagonal
    mu, rho, active = system.mu, system.rho, system.active
    largest, row = _joint_residual(system, lam, u)
    for k in range(mu.shape[0]):
        r = n_joint + 3 * k
        normal, friction = _contact_residual(
            body, J, diagonal, c, active[k], mu[k], rho[k], facets, r, lam, u
        )
        if not normal <= largest:
            largest, row = normal, r
        if not friction <= largest:
            largest, row = friction, r + 1
    return largest, row


@jit_in_place
def contact_residuals(system, lam, u, out):
    """out (contacts,) [m/s]: the violation of each contact's laws."""
    rows, n_joint, c, facets = system.rows, system.n_joint, system.c, system.facets
    body, J, diagonal = rows.body, rows.J, rows.diagonal
    mu, rho, active = system.mu, system.rho, system.active
    for k in range(out.shape[0]):
        normal, friction = _contact_residual(
            body, J, diagonal, c, active[k], mu[k], rho[k], facets, n_joint + 3 * k, lam, u
        )
        out[k] = max(normal, friction)
        if normal != normal or friction != friction:
            out[k] = math.inf


@jit_in_place
def gauss_seidel(system, lam, u, workspace, tolerance, max_sweeps, stall_ratio):
    """Improve `lam`, with u its velocities, until the residual is at most `tolerance` [m/s].

    Ends too when a forward and a backward sweep leave more than `stall_ratio` of what those before
    changed. Returns the fields of an `Outcome`.
    """
    body, WJ, diagonal = system.rows.body, system.rows.WJ, system.rows.diagonal
    previous, direction = workspace.previous, workspace.direction
    rows = system.n_joint + 3 * system.mu.shape[0]
    for r in range(rows):
        direction[r] = 0.0
    squares, sweeps, found, row, last = math.inf, 0, math.inf, -1, math.inf
    while sweeps < max_sweeps:
        for r in range(rows):
            previous[r] = lam[r]
        _sweep(False, system, lam, u)
        largest = _sweep(True, system, lam, u)
        sweeps += 2
        ends = sweeps >= max_sweeps or largest > stall_ratio * last
        last = largest
        if largest <= tolerance or ends:
            found, row = residual(system, lam, u)
            if found <= tolerance or ends:
                break
        total = 0.0
        for r in range(rows):
            change = lam[r] - previous[r]
            total += change * change * diagonal[r]
        beta = total / squares
        if beta > 1.0:
            beta = 0.0
        squares = total
        for r in range(rows):
            step = lam[r] - previous[r]
            if beta > 0.0 and direction[r] != 0.0:
                lam[r] += beta * direction[r]
                apply_impulse(body, WJ, r, beta * direction[r], u)
            direction[r] = beta * direction[r] + step
    return sweeps, found, row


_f, _u = np.zeros(0), np.zeros((0, 6))
warm(gauss_seidel, no_system(), _f, _u, sweep_workspace(0), 0.0, 0, 0.0)
warm(residual, no_system(), _f, _u)
warm(contact_residuals, no_system(), _f, _u, _f)
