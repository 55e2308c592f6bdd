r"""Dampers at the end of a step: forces that depend on the velocities they change.

With half-kicked velocities u*, the damper forces l_j = -c_j g_j.u and u = u* + (h/2) M^-1 G l give
    (I + (h/2) C G^T M^-1 G C) m = -C G^T u*,   l = C m,   C = diag(sqrt(c_j)),
symmetric positive definite for h > 0, solved by conjugate gradients: as many iterations as there
are dampers at most, and no matrix.
"""

import math
from typing import NamedTuple

from dovetail.linalg.vec3 import ZERO, load3, scale, store3
from dovetail.multibody.body_arrays import velocity_change
from dovetail.multibody.loads.wrenches import lengthening, push_apart, spring_line
from dovetail.runtime.jit import jit
from dovetail.runtime.records import FloatArray

TOLERANCE = 1e-15  # of the residual, relative to the right-hand side


class DamperWork(NamedTuple):
    """Workspace of the solve: s springs, n bodies."""

    line: FloatArray  # (s, 3) unit vectors
    arms: FloatArray  # (s, 2, 3) [m] world axes
    vectors: FloatArray  # (4, s) of the conjugate gradients: m, r, p, A p
    rows: FloatArray  # (4, n, 3) force [N], torque [N m], change of v [m/s] and spin [rad/s]


@jit
def _arm(work, j, end):
    return (work.arms[j, end, 0], work.arms[j, end, 1], work.arms[j, end, 2])


@jit
def _gather(loads, work, v, spin, out):
    """Out_j = sqrt(c_j) g_j . u."""
    for j in range(out.shape[0]):
        n = load3(work.line, j)
        rate = lengthening(loads, j, _arm(work, j, 0), _arm(work, j, 1), n, v, spin)
        out[j] = math.sqrt(loads.spring_values[j, 1]) * rate


@jit
def _spread(loads, work, m, force, torque):
    """Add the forces l = C m to `force`, `torque`."""
    for j in range(m.shape[0]):
        f = scale(math.sqrt(loads.spring_values[j, 1]) * m[j], load3(work.line, j))
        push_apart(force, torque, loads, j, f, _arm(work, j, 0), _arm(work, j, 1))


@jit
def _apply(h, bodies, loads, R, work, p, out):
    """Out = (I + (h/2) C G^T M^-1 G C) p."""
    force, torque, change, spin = work.rows[0], work.rows[1], work.rows[2], work.rows[3]
    for i in range(force.shape[0]):
        store3(force, i, ZERO)
        store3(torque, i, ZERO)
    _spread(loads, work, p, force, torque)
    for i in range(force.shape[0]):
        dv, dspin = velocity_change(bodies, R, i, load3(force, i), load3(torque, i))
        store3(change, i, dv)
        store3(spin, i, dspin)
    _gather(loads, work, change, spin, out)
    for j in range(p.shape[0]):
        out[j] = p[j] + 0.5 * h * out[j]


@jit
def _dot(a, b):
    total = 0.0
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


@jit
def add_implicit_damping(h, bodies, loads, x, R, v, spin, work, force, torque):
    """Add to `force`, `torque` the dampers' forces at the end velocities of a half kick.

    `v`, `spin` are the end velocities without the dampers. Returns (iterations, residual): the
    residual relative to the right-hand side, at most about 1e-15 when solved.
    """
    m, r, p, Ap = work.vectors[0], work.vectors[1], work.vectors[2], work.vectors[3]
    n_springs = m.shape[0]
    for j in range(n_springs):
        arm_a, arm_b, n, _ = spring_line(loads, j, x, R)
        store3(work.line, j, n)
        for k in range(3):
            work.arms[j, 0, k] = arm_a[k]
            work.arms[j, 1, k] = arm_b[k]
    _gather(loads, work, v, spin, r)
    for j in range(n_springs):
        r[j] = -r[j]
        m[j] = 0.0
        p[j] = r[j]
    start = rr = _dot(r, r)
    iterations = 0
    while rr > TOLERANCE * TOLERANCE * start and iterations < 4 * n_springs + 20:
        _apply(h, bodies, loads, R, work, p, Ap)
        step = rr / _dot(p, Ap)
        for j in range(n_springs):
            m[j] += step * p[j]
            r[j] -= step * Ap[j]
        after = _dot(r, r)
        for j in range(n_springs):
            p[j] = r[j] + (after / rr) * p[j]
        rr = after
        iterations += 1
    _spread(loads, work, m, force, torque)
    return iterations, math.sqrt(rr / start) if start > 0.0 else 0.0
