r"""One step of a variational integrator for bodies with joints (Huang et al. 2022, eqs. 6-23).

Position stage, unknowns dx, f of every body and L = (h^2/2) lambda of every row:
    m dx   - h m v_0     - (h^2/2) force_0  + G_x0^T L = 0
    h Pi_0(f) - h J w_0  - (h^2/2) torque_0 + G_t0^T L = 0        (eqs. 11, 13, 22)
    phi(x_0 + dx, R_0 exp(f)) = 0
by Newton's method with the exact Jacobian. Velocity stage, unknowns v_1, w_1 and (h/2) mu:
    m v_1 + (h/2) G_x1^T mu = m dx/h + (h/2) force_1,   J w_1 + ... = Pi_1(f) + (h/2) torque_1
    G_1 u_1 + d phi/dt = 0                                        (eqs. 12, 14, 23)
A damper is a row of the velocity stage with D = 2/(h c), so that its force is taken at the end
velocities: stable at any step. Forces of the start are those found at the end of the step before.
A rotor of inertia a along a coordinate q adds a (q_1 - q_0)^2 / (2 h) to the action: a row of
D = 1/a in both stages, L = a (q_1 - q_0 - h q'_0), then a (q'_1 - (q_1 - q_0) / h).
"""

from typing import Any

from dovetail.integrators.variational.position_stage import position_stage
from dovetail.integrators.variational.stages import (
    DONE,
    NOT_FINITE,
    SINGULAR,
    mass_blocks,
    set_modes,
)
from dovetail.integrators.variational.velocity_stage import (
    take_velocities,
    velocity_stage,
)
from dovetail.linalg.kkt.records import (
    AT_END,
    AT_NOW,
    ELSEWHERE,
    bundle_elimination,
    bundle_kkt,
    kkt_workspace,
    no_elimination,
)
from dovetail.linalg.kkt.rows import SOFT
from dovetail.linalg.kkt.tree import factor_at, solve
from dovetail.linalg.vec3 import dot, load3, load33, matvec
from dovetail.multibody.constraints.bodies import (
    ARMATURE,
    LIMIT,
    Parts,
    bundle_bodies,
    bundle_motion,
    bundle_parts,
    bundle_workspace,
    constraint_workspace,
    copy_but_jacobians,
    copy_motion,
    given_rate,
    joint_energy,
    no_constrained_bodies,
    zero_motion,
)
from dovetail.multibody.constraints.rows import bundle_rows, evaluate, no_rows, row_rate
from dovetail.multibody.loads.wrenches import NO_LOADS, potential_energy
from dovetail.runtime.jit import jit


@jit
def _keep_multipliers(h, h_before, constants, lam, now, after):
    """Lambda of an unprojected step at its start, and extended to its end.

    Its impulse at the start is (h + h_before)/2 times that. At the end it is known exactly only
    after the next step; the line through the last two values is off by O(h^2), hence the velocity
    by O(h^3), less than the scheme itself. A limit's jumps and is not extended.
    """
    role, before, at_start, at_end = constants.role, now.at_start, after.at_start, after.multiplier
    ahead = h / h_before if h_before != 0.0 else 0.0
    for r in range(lam.shape[0]):
        at_start[r] = 2.0 * lam[r] / (h * (h + h_before))
        at_end[r] = at_start[r]
        if role[r] != LIMIT:
            at_end[r] += ahead * (at_start[r] - before[r])


@jit
def step(h, h_before, rule, projects, parts):
    """A whole step; `now` changes only if it succeeds.

    Returns (code, body, iterations, last relative correction). Calls the stages itself: a layer
    more costs seconds of compilation.
    """
    constants, tree, rows = parts.constants, parts.tree, parts.rows
    work, kkt = parts.work, parts.kkt
    now, after = parts.now, parts.after
    code, body, iterations, size = position_stage(
        h, rule, projects, constants, tree, rows, now, after, work, kkt
    )
    if code != DONE:
        return code, body, iterations, size
    if not projects:
        _keep_multipliers(h, h_before, parts.constants, work.lam, parts.now, after)
    code, body = velocity_stage(
        h, rule, projects, constants, tree, parts.loads, rows, now, after, work, kkt
    )
    if code == DONE:
        copy_motion(now, after)
        if kkt.factors_of[0] == AT_END:
            kkt.factors_of[0] = AT_NOW
    return code, body, iterations, size


@jit
def move(h, h_before, rule, projects, parts):
    """The first half of `step`, for forces that Python must find at the new poses."""
    work, after = parts.work, parts.after
    code, body, iterations, size = position_stage(
        h, rule, projects, parts.constants, parts.tree, parts.rows, parts.now, after, work,
        parts.kkt,
    )  # fmt: skip
    if code == DONE and not projects:
        _keep_multipliers(h, h_before, parts.constants, work.lam, parts.now, after)
    return code, body, iterations, size


@jit
def close(h, rule, projects, parts):
    """The second half, with those forces in `work.extra`; `now` does not change. (code, body)."""
    return velocity_stage(
        h, rule, projects, parts.constants, parts.tree, parts.loads, parts.rows, parts.now,
        parts.after, parts.work, parts.kkt,
    )  # fmt: skip


@jit
def commit(parts):
    """`now` becomes `after`."""
    copy_motion(parts.now, parts.after)
    if parts.kkt.factors_of[0] == AT_END:
        parts.kkt.factors_of[0] = AT_NOW


@jit
def mechanical_energy(parts):
    """Kinetic energy, and with that of loads and joint springs, at `now` [J]."""
    constants, tree, now = parts.constants, parts.tree, parts.now
    mass, inertia, v, omega = constants.mass, constants.inertia, now.v, now.omega
    kinetic = 0.0
    for i in tree.order:
        w, u = load3(omega, i), load3(v, i)
        kinetic += 0.5 * (mass[i] * dot(u, u) + dot(w, matvec(load33(inertia, i), w)))
    stored = joint_energy(constants, parts.rows.body, now)
    return kinetic, kinetic + stored + potential_energy(parts.loads, tree.moves, now.x, now.R)


@jit
def keep(parts, kept):
    """`kept` becomes `now`."""
    copy_but_jacobians(kept, parts.now)


@jit
def take_back(parts, kept):
    """`now` becomes `kept`."""
    now, after = parts.now, parts.after
    copy_but_jacobians(now, kept)
    evaluate(parts.rows, now.x, now.R, now.angle, after.phi, after.angle, now.G)
    parts.kkt.factors_of[0] = ELSEWHERE


@jit
def dissipate(h, damping, parts):
    """Dampers alone, of coefficients `damping` (r,), for a time h by the midpoint rule.

    With u the mean of the velocities before and after, M (2 u - 2 v) + h G^T c G u = 0 along the
    motions that joints allow: a row of D = 2 / (h c) as in a velocity stage. Returns (code, body).
    """
    constants, tree, now, work, kkt = parts.constants, parts.tree, parts.now, parts.work, parts.kkt
    order, b, c, u, v, omega = tree.order, kkt.b, work.c, work.u, now.v, now.omega
    mass, inertia, rates = constants.mass, constants.inertia, constants.rate
    role = constants.role
    set_modes(constants, kkt, now.active, True, True, h)
    mode, D = kkt.mode, kkt.D
    for r in range(c.shape[0]):
        if damping[r] > 0.0:
            mode[r], D[r] = SOFT, 2.0 / (h * damping[r])
        c[r] = -given_rate(tree.body, tree.moves, now.G, r, v, omega, rates[r])
        if role[r] == ARMATURE:
            c[r] += row_rate(tree.body, now.G, r, v, omega)
    mass_blocks(constants, order, kkt.A)
    body = factor_at(tree, now.x, now.R, now.G, kkt)
    if body >= 0:
        return SINGULAR, body
    for i in order:
        spun = matvec(load33(inertia, i), load3(omega, i))
        for k in range(3):
            b[i, k], b[i, 3 + k] = mass[i] * v[i, k], spun[k]
    solve(tree, now.G, now.G, kkt, c, u, work.lam)
    for i in order:
        for k in range(3):
            u[i, k] = 2.0 * u[i, k] - v[i, k]
            u[i, 3 + k] = 2.0 * u[i, 3 + k] - omega[i, k]
    body = take_velocities(constants, order, u, now)
    return DONE if body < 0 else NOT_FINITE, body


def bundled(parts: Parts) -> Any:
    """The named tuples of `parts` as one bundle of bundles that share their memory."""
    return bundle_parts(
        bundle_bodies(*parts.constants), bundle_elimination(parts.tree), parts.loads,
        bundle_rows(*parts.rows), bundle_motion(*parts.now), bundle_motion(*parts.after),
        bundle_workspace(*parts.work), bundle_kkt(parts.kkt),
    )  # fmt: skip


def no_parts() -> Parts:
    """Nothing at all, of the types every call has."""
    return Parts(
        no_constrained_bodies(), no_elimination(), NO_LOADS, no_rows(), zero_motion(0, 0),
        zero_motion(0, 0), constraint_workspace(0, 0), kkt_workspace(no_elimination()),
    )  # fmt: skip
