r"""How the forces of a Lie-alpha step change with what it solves for: the rest of Newton's matrix.

An acceleration changes the pose by c_q = beta h^2 share and the velocity by c_u = gamma h share of
itself, so besides mass and gyroscopic terms the matrix has, with J_r of the rotation f of a step,
    c_q d(G^T l)/dq J_r                             multipliers, springs, dampers and efforts
    c_q d(-R^T torque, -R force, ...)/dt J_r        loads, relative to the body
and the soft rows l = k phi + c G u of springs and dampers, in their own equations
    (c_q k G J_r + c_u c G + c_q c d(G u)/dq J_r) w - l = 0.
Blocks between the two bodies of a row go to `kkt.coupling`.
"""

from dovetail.integrators.variational.discrete_momentum import right_jacobian_transposed
from dovetail.integrators.variational.stages import tangent
from dovetail.linalg.kkt.rows import HARD, SOFT
from dovetail.linalg.vec3 import (
    IDENTITY,
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    mat_t_vec,
    matvec,
    neg,
    norm,
    sub,
)
from dovetail.model.joints.equations import ANGLE, COUPLING, DOT, GAP, SPIN, STRETCH
from dovetail.multibody.constraints.bodies import ARMATURE, DAMPER, EFFORT, MEASURE
from dovetail.multibody.constraints.joint_friction import friction_derivative, friction_force
from dovetail.multibody.constraints.row_derivatives import row_derivative, row_of
from dovetail.multibody.constraints.rows import pose_of, row_rate, twist_of
from dovetail.multibody.coupling_terms import term_bend, term_value
from dovetail.runtime.jit import jit

SECANT_BEFORE, SECANT_AFTER = 3, 15  # iterations with the secant of friction


@jit
def rotation_column(f, k):
    """Column k of J_r(f): the rotation in body axes per change of f."""
    return right_jacobian_transposed(neg(f), IDENTITY[k])


@jit
def add_load_derivatives(c_pose, order, loads, delta, R, extra, A):
    """Add the derivatives of loads fixed in world axes, and of forces fixed in body axes."""
    torques, pushes = loads.torque, loads.body_force
    for i in order:
        rotation = load33(R, i)
        _, f = tangent(delta, i)
        outside = (extra[1, i, 0], extra[1, i, 1], extra[1, i, 2])
        torque, push = mat_t_vec(rotation, add(load3(torques, i), outside)), load3(pushes, i)
        for k in range(3):
            t = rotation_column(f, k)
            bent, forced = cross(t, torque), matvec(rotation, cross(t, push))
            for m in range(3):
                A[i, 3 + m, 3 + k] += c_pose * bent[m]
                A[i, m, 3 + k] -= c_pose * forced[m]
    for p in range(loads.point_body.shape[0]):
        i = loads.point_body[p]
        _, f = tangent(delta, i)
        arm, pull = load3(loads.point_arm, p), mat_t_vec(load33(R, i), load3(loads.point_force, p))
        for k in range(3):
            bent = cross(arm, cross(rotation_column(f, k), pull))
            for m in range(3):
                A[i, 3 + m, 3 + k] += c_pose * bent[m]


@jit
def _stretched(rows, r, x, R, rest):
    """How much longer than at rest the spring of a STRETCH is [m]."""
    xa, Ra = pose_of(x, R, rows.body[r, 0])
    xb, Rb = pose_of(x, R, rows.body[r, 1])
    at_a, at_b = add(xa, matvec(Ra, load3(rows.e, r))), add(xb, matvec(Rb, load3(rows.g, r)))
    return norm(sub(at_a, at_b)) - rest


@jit
def _strength(r, role, iteration, constants, rows, after, slip_rate):
    """The force l of a soft row in G^T l, its stiffness and its damping."""
    if role == MEASURE:
        return 0.0, 0.0, 0.0
    if role == EFFORT:
        k = constants.stiffness[r]
        return k * (after.phi[r] - constants.rest[r]) - constants.effort[r], k, 0.0
    rate = row_rate(rows.body, after.G, r, after.v, after.omega)
    if role == DAMPER:
        k, c = constants.stiffness[r], constants.damping[r]
        pull = c * rate
        if k > 0.0 and rows.kind[r] == STRETCH:
            pull += k * _stretched(rows, r, after.x, after.R, constants.rest[r])
        return pull, k, c
    early_or_late = iteration < SECANT_BEFORE or iteration > SECANT_AFTER
    steep = early_or_late or rate * slip_rate[r] < 0.0
    slip_rate[r] = rate
    f, eps = constants.friction[r], constants.creep[r]
    return friction_force(f, eps, rate), 0.0, friction_derivative(f, eps, rate, steep)


@jit
def _add_column(A, coupling, r, side, other, i, j, k, gain, x1, t1):
    """Column k of body j of the block of body i, from changes x1, t1 of row r at i."""
    for m in range(3):
        if side == other:
            A[i, m, k] += gain * x1[m]
            A[i, 3 + m, k] += gain * t1[m]
        else:
            coupling[r, side, m, k] += gain * x1[m]
            coupling[r, side, 3 + m, k] += gain * t1[m]


@jit
def _add_row_derivative(
    r, row, c_pose, c_speed, pull, stiffness, damping, tree, delta, after, G1, kkt
):
    """Blocks of row r, and its own equation if it is soft."""
    body, moves, x, R, G = tree.body, tree.moves, after.x, after.R, after.G
    A, coupling = kkt.A, kkt.coupling
    a, b, kind = body[r, 0], body[r, 1], row[0]
    xa, Ra = pose_of(x, R, a)
    xb, Rb = pose_of(x, R, b)
    va, wa = twist_of(after.v, after.omega, a)
    vb, wb = twist_of(after.v, after.omega, b)
    gain, rate = c_pose * pull, c_pose * stiffness + c_speed * damping
    only_rotation = kind == DOT or kind == ANGLE or kind == SPIN
    moves_a, moves_b = a >= 0 and moves[a], b >= 0 and moves[b]
    for other in range(2):
        j = b if other == 1 else a
        if not (moves_b if other == 1 else moves_a):
            continue
        _, f = tangent(delta, j)
        for k in range(3 if only_rotation else 0, 6):
            d, t = ZERO, ZERO
            if k < 3:
                d = IDENTITY[k]
            else:
                t = rotation_column(f, k - 3)
            if other == 0:
                xa1, ta1, xb1, tb1 = row_derivative(row, xa, Ra, xb, Rb, d, t, ZERO, ZERO)
            else:
                xa1, ta1, xb1, tb1 = row_derivative(row, xa, Ra, xb, Rb, ZERO, ZERO, d, t)
            if moves_a:
                _add_column(A, coupling, r, 0, other, a, j, k, gain, xa1, ta1)
            if moves_b:
                _add_column(A, coupling, r, 1, other, b, j, k, gain, xb1, tb1)
            if rate > 0.0:
                along = dot(xa1, va) + dot(ta1, wa) + dot(xb1, vb) + dot(tb1, wb)
                sprung = c_pose * stiffness * G1[r, other, k]
                damped = damping * (c_speed * G[r, other, k] + c_pose * along)
                G1[r, other, k] = (sprung + damped) / rate


@jit
def _soften_coupling(r, sprung, damped, G, G1):
    """The equation of a COUPLING with a spring or damper; how G changes with the pose is left out
    of that of a damper.
    """
    if damped > 0.0:
        for side in range(G.shape[1]):
            for k in range(6):
                total = sprung * G1[r, side, k] + damped * G[r, side, k]
                G1[r, side, k] = total / (sprung + damped)


@jit
def _add_coupling_derivative(r, c_pose, c_speed, pull, tree, rows, delta, after, G1, kkt):
    """Blocks of a COUPLING, sum of f(q): f'(q) those of q, and f''(q) times the square of G."""
    A, coupling, body, moves, G = kkt.A, kkt.coupling, tree.body, tree.moves, after.G
    for e in range(rows.term_start[r], rows.term_start[r + 1]):
        t = rows.term_row[e]
        _, slope = term_value(rows.term_factor, e, after.phi[t])
        bend = c_pose * pull * term_bend(rows.term_factor, e, after.phi[t])
        if slope * pull != 0.0:
            _add_row_derivative(
                t, row_of(rows, t), c_pose, c_speed, slope * pull, 0.0, 0.0, tree, delta, after,
                G1, kkt,
            )  # fmt: skip
        for side in range(2 if bend != 0.0 else 0):
            i = body[t, side]
            if i < 0 or not moves[i]:
                continue
            for other in range(2):
                for m in range(6):
                    for k in range(6):
                        value = bend * G[t, side, m] * G1[t, other, k]
                        if side == other:
                            A[i, m, k] += value
                        else:
                            coupling[t, side, m, k] += value


@jit
def _goes_on(r, kinds, bodies, arms, mode):
    """Whether row r + 1 is one more direction of the point that row r fixes."""
    if r + 1 == kinds.shape[0] or mode[r + 1] != HARD or kinds[r + 1] != GAP:
        return False
    same = bodies[r, 0] == bodies[r + 1, 0] and bodies[r, 1] == bodies[r + 1, 1]
    for k in range(3):
        same = same and arms[r, k] == arms[r + 1, k]
    return same


@jit
def add_row_derivatives(iteration, c_pose, c_speed, constants, tree, rows, delta, after, work, kkt):
    """Add the derivatives of all forces along rows; of soft rows also to D and work.G.

    work.G must be G J_r, kkt.mode the hard rows, and work.lam the multipliers so far. A GAP is
    linear in its direction e, so those of one fixed point count as one with the sum of lambda e.
    """
    mode, D, coupling, lam, slip_rate = kkt.mode, kkt.D, kkt.coupling, work.lam, work.slip_rate
    role, kinds, bodies, arms, G1 = constants.role, rows.kind, rows.body, rows.g, work.G
    direction = ZERO
    for r in range(mode.shape[0]):
        for side in range(2):
            for m in range(6):
                for k in range(6):
                    coupling[r, side, m, k] = 0.0
        pull, stiffness, damping, row = lam[r], 0.0, 0.0, row_of(rows, r)
        if mode[r] != HARD and role[r] != ARMATURE:
            pull, stiffness, damping = _strength(
                r, role[r], iteration, constants, rows, after, slip_rate
            )
        elif kinds[r] == GAP:
            direction = add_scaled(direction, pull, row[1])
            if _goes_on(r, kinds, bodies, arms, mode):
                continue
            row = (row[0], direction, row[2], row[3], row[4], row[5], row[6])
            direction, pull = ZERO, 1.0
        rate = c_pose * stiffness + c_speed * damping
        if rate > 0.0:
            mode[r] = SOFT
            D[r] = 1.0 / rate
        if kinds[r] == COUPLING:
            _soften_coupling(r, c_pose * stiffness, c_speed * damping, after.G, G1)
            _add_coupling_derivative(r, c_pose, c_speed, pull, tree, rows, delta, after, G1, kkt)
        elif pull != 0.0 or damping > 0.0:
            _add_row_derivative(
                r, row, c_pose, c_speed, pull, stiffness, damping, tree, delta, after, G1, kkt
            )
