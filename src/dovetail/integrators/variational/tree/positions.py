"""Where a tree is at the end of a substep: quasi-Newton, and Newton's method where that is slow."""

import math

import numpy as np

from dovetail.integrators.variational.tree.displacements import displacements, momenta_left
from dovetail.integrators.variational.tree.records import KRYLOV, LIMITS, N_DIFFERENCES
from dovetail.linalg.vec3 import add, add_scaled, cross, dot, load3, sub
from dovetail.multibody.tree.articulated import articulated_solve
from dovetail.multibody.tree.inertia import load_symmetric, symmetric_times
from dovetail.multibody.tree.kinematics import load6, store6
from dovetail.runtime.jit import jit_in_place

DONE, NOT_CONVERGED, ROTATES_TOO_FAR, SINGULAR, NOT_FINITE, UNSETTLED = range(6)
ROUND_OFF = 2e-16  # relative, in the norm of the kinetic energy
STALLED = 1e-9  # what may count as round-off where it no longer shrinks
SLOW = 0.05  # rate of convergence beyond which Newton's method takes over
KRYLOV_ERROR = 1e-6  # relative, of Newton's equations
MAX_ITERATIONS = 60


@jit_in_place
def predict(h, stage, work):
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
def remember(h, stage, work):
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
def _missing(h, parts):
    """work.left: momenta of bodies that work.xi needs beyond work.target.

    Returns (a body that rotates too far or -1, twice the kinetic energy of the displacement).
    """
    tree, work = parts.tree, parts.work
    body = displacements(tree, parts.workspace, work.xi, work.rotation, work.shift)
    if body >= 0:
        return body, 0.0
    size = momenta_left(
        h, tree, work.rotation, work.shift, work.arm, work.inertia, work.target, work.momentum,
        work.left,
    )  # fmt: skip
    return -1, size


@jit_in_place
def solve_positions(h, parts):
    """work.xi with N_0^T (P(xi) - target) = (h/2) tau + kick, the latter, negative, in work.rho.

    Returns (code, where, iterations, relative change). work.momentum becomes P of the result: that
    before the last change plus I N of it, which is off by O(h omega): a further iteration.
    """
    tree, factors, work = parts.tree, parts.factors, parts.work
    n, armature = work.xi.size, parts.held.rotor
    rate, before, newton = work.last[work.last.size - 1], math.inf, False
    relative, settled = math.inf, False
    for iteration in range(1, MAX_ITERATIONS + 1):
        body, size = _missing(h, parts)
        if body >= 0:
            return ROTATES_TOO_FAR, body, iteration, relative
        if newton:
            body = _newton_change(h, parts)
            if body >= 0:
                return ROTATES_TOO_FAR, body, iteration, relative
        else:
            for k in range(n):
                work.extra[k] = work.rho[k] + armature[k] * work.xi[k] / h
            articulated_solve(tree, factors, work.left, work.extra, work.change)
        size += h * h * work.load[0]
        for k in range(n):
            size += armature[k] * (work.xi[k] / h) ** 2
            size += work.rho[k] * work.rho[k] * factors.D[k, 0]
            work.xi[k] -= h * work.change[k]
        change = _energy_of_change(parts)
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
            body, size = _missing(h, parts)
            if body < 0 and parts.held.some[LIMITS]:  # whose impulses follow from a solve
                for k in range(n):
                    work.extra[k] = work.rho[k] + armature[k] * work.xi[k] / h
                articulated_solve(tree, factors, work.left, work.extra, work.change)
            return DONE if body < 0 else ROTATES_TOO_FAR, body, iteration, relative
        if settled:
            _change_momenta(parts)
            return DONE, -1, iteration, relative
        before = relative
    return NOT_CONVERGED, 0, MAX_ITERATIONS, relative


@jit_in_place
def _energy_of_change(parts):
    """Twice the kinetic energy of the velocities that the last solve has left in factors.A."""
    tree, factors, work = parts.tree, parts.factors, parts.work
    energy = 0.0
    for i in range(1, work.arm.shape[0]):
        w, u = load6(factors.A, i)
        u = add(u, cross(w, load3(work.arm, i)))
        spun = symmetric_times(load_symmetric(work.inertia, i, 0), w)
        energy += tree.mass[i] * dot(u, u) + dot(w, spun)
    for k in range(work.change.size):
        energy += parts.held.rotor[k] * work.change[k] * work.change[k]
    return energy


@jit_in_place
def _change_momenta(parts):
    """work.momentum -= I N change, by the velocities that the last solve has left in factors.A."""
    tree, factors, work = parts.tree, parts.factors, parts.work
    for i in range(1, work.momentum.shape[0]):
        w, u = load6(factors.A, i)
        turning, line = load6(work.momentum, i)
        line = add_scaled(line, -tree.mass[i], add(u, cross(w, load3(work.arm, i))))
        turning = sub(turning, symmetric_times(load_symmetric(work.inertia, i, 0), w))
        store6(work.momentum, i, turning, line)


@jit_in_place
def _newton_change(h, parts):
    """work.change: the solution of Newton's equations, by GMRES with M(q_0) as preconditioner.

    Derivatives along a direction are differences, good to about 1e-8. Returns a body that rotates
    too far, or -1. Saad and Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856.
    """
    tree, factors, work = parts.tree, parts.factors, parts.work
    n, basis, H, kept = work.xi.size, work.basis, work.hessenberg, work.kept
    left, kept_left, armature, extra = work.left, work.kept_left, parts.held.rotor, work.extra
    right, cosine, sine = KRYLOV, KRYLOV + 1, KRYLOV + 2  # columns of H besides its own
    speed = 0.0
    for k in range(n):
        kept[k] = work.xi[k]
        speed += (work.xi[k] / h) ** 2
    for i in range(left.shape[0]):
        for c in range(6):
            kept_left[i, c] = left[i, c]
    for k in range(n):
        extra[k] = work.rho[k] + armature[k] * kept[k] / h
    articulated_solve(tree, factors, left, extra, work.change)
    size = _length(work.change)
    if size == 0.0:
        return -1
    for k in range(n):
        basis[0, k] = work.change[k] / size
    H[0, right] = size
    small, count = 1e-7 * max(math.sqrt(speed), size), 0
    for j in range(min(KRYLOV, n)):
        for k in range(n):
            work.xi[k] = kept[k] + h * small * basis[j, k]
        body, _ = _missing(h, parts)
        if body >= 0:
            return body
        for i in range(left.shape[0]):
            for c in range(6):
                left[i, c] = (left[i, c] - kept_left[i, c]) / small
        for k in range(n):
            extra[k] = armature[k] * basis[j, k]
        articulated_solve(tree, factors, left, extra, work.change)
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
    # the velocities of the first solve again, which measure the change
    for i in range(left.shape[0]):
        for c in range(6):
            left[i, c] = kept_left[i, c]
    for k in range(n):
        extra[k] = work.rho[k] + armature[k] * kept[k] / h
    articulated_solve(tree, factors, left, extra, work.change)
    for k in range(n):
        work.xi[k], work.change[k] = kept[k], 0.0
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
