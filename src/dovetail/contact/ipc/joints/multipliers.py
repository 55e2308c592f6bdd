"""Multipliers of the rows: carried from step to step, updated until motors and limits hold.

Method of multipliers (Bertsekas, Constrained Optimization and Lagrange Multiplier Methods (1982),
chapter 2): l <- l + K phi for motors, l <- max(0, l + K s phi) for limits. A motor that bodies in
its path stop does not converge: updates end, and it pushes on as hard as K.
"""

from dovetail.contact.ipc.joints.energies import PENALTY
from dovetail.contact.ipc.joints.rows import AT_ITERATE, AT_START, evaluate_rows
from dovetail.multibody.constraints.bodies import FRICTION, LIMIT, MOTOR
from dovetail.multibody.constraints.rows import evaluate_values
from dovetail.runtime.jit import jit_in_place, when_called

CONVERGED = 1e-10  # of the scene's length: motors and limits
MAX_UPDATES = 50  # of multipliers in a solve
PROGRESS = 0.9  # of the residual before, at most, in an update that makes progress
MAX_STALLED = 3  # updates one after the other without


@when_called(None)
@jit_in_place
def begin_joints(joints, bodies, x, R, h):
    """Start a step: multipliers of the one before, penalties of motors and limits."""
    rows, iterate = joints.rows, joints.iterate
    start, multipliers = joints.start, joints.multipliers
    phi, G, trial_phi, body = iterate.phi, iterate.G, joints.trial.phi, rows.equations.body
    mass, J, slot, role = bodies.mass, bodies.J, bodies.slot, rows.role
    l, previous, penalty = multipliers.value, multipliers.previous, multipliers.penalty
    phi_0, scale = start.phi, 1.0
    if start.previous_h[0] > 0.0:
        scale = (h / start.previous_h[0]) ** 2
    start.h[0], multipliers.blocked[0] = h, 0
    if joints.known[0] != AT_START:
        evaluate_rows(rows, bodies, x, R, start.angle, iterate)
    joints.known[0] = AT_ITERATE
    for r in range(phi.shape[0]):
        l[r] = scale * previous[r]
        phi_0[r] = trial_phi[r] = start.reference[r] = phi[r]
        start.speed[r], start.time[r], start.gain[r] = start.rate[r], h, 0.0
        penalty[r], mobility = 0.0, 0.0
        if role[r] != MOTOR and role[r] != LIMIT and role[r] != FRICTION:
            continue  # those of equations follow from the Hessian, others have none
        for side in range(body.shape[1]):
            i = body[r, side]
            if i < 0 or slot[i] < 0:
                continue
            spread = J[i, 0, 0] + J[i, 1, 1] + J[i, 2, 2]
            for k in range(6):
                inertia = mass[i] if k < 3 else 2.0 / 3.0 * spread
                mobility += G[r, side, k] * G[r, side, k] / inertia
        penalty[r] = PENALTY / mobility if mobility > 0.0 else 0.0


@when_called(None)
@jit_in_place
def end_joints(joints, x, R):
    """The step is done and led to the poses x, R."""
    rows, iterate, phi = joints.rows, joints.iterate, joints.iterate.phi
    start, multipliers = joints.start, joints.multipliers
    evaluate_values(rows.equations, x, R, iterate.angle, phi, iterate.angle)
    start.previous_h[0] = start.h[0]
    l, previous, blocked = multipliers.value, multipliers.previous, multipliers.blocked[0] != 0
    role, angle, angle_0 = rows.role, iterate.angle, start.angle
    for r in range(role.shape[0]):
        previous[r], angle_0[r] = l[r], angle[r]
        start.moved[r] = phi[r] - start.phi[r]
        start.rate_before[r] = start.rate[r]
        if blocked and role[r] == MOTOR:
            previous[r] = 0.0


@jit_in_place
def update_multipliers(joints, phi):
    """Whether motors and limits hold at phi (r,); if not, their multipliers are updated.

    True as well where updates make no progress any more.
    """
    return phi.shape[0] == 0 or _update(joints, phi)


@when_called(False)
@jit_in_place
def _update(joints, phi):
    """As `update_multipliers`, where there are rows."""
    rows, multipliers = joints.rows, joints.multipliers
    role, side, unit, l, K = rows.role, rows.side, rows.unit, multipliers.value, multipliers.penalty
    residual = 0.0
    for r in range(phi.shape[0]):
        if role[r] == MOTOR:
            residual = max(residual, abs(phi[r]) * unit[r])
        elif role[r] == LIMIT:
            over = side[r] * phi[r]
            residual = max(residual, (over if over > 0.0 or l[r] == 0.0 else -over) * unit[r])
    if not residual > CONVERGED * rows.length[0]:
        return True
    updates, stalled = multipliers.updates, multipliers.stalled
    progress = updates[0] == 0 or residual <= PROGRESS * multipliers.residual[0]
    stalled[0] = 0 if progress else stalled[0] + 1
    if updates[0] >= MAX_UPDATES or stalled[0] >= MAX_STALLED:
        multipliers.blocked[0] = 1
        return True
    updates[0] += 1
    multipliers.residual[0] = residual
    for r in range(phi.shape[0]):
        if role[r] == MOTOR:
            l[r] += K[r] * phi[r]
        elif role[r] == LIMIT:
            l[r] = max(0.0, l[r] + K[r] * side[r] * phi[r])
    return False
