"""Projection of a trial pose onto the equations of joints.

Chord method with the factor of H + G^T W G and the Jacobians of the iterate: corrections
d = -(H + G^T W G)^-1 G^T W phi are the least in the metric of the step's own Hessian, so that they
undo the least of what Newton's direction gained. (`euler_parameter_dae.pose_projection`
solves G d = -phi in the mass metric with Jacobians of every iterate, for bodies without contact.)
"""

import math

from dovetail.contact.ipc.joints.rows import subtract_row
from dovetail.contact.ipc.poses import move
from dovetail.linalg.block_cholesky.factor import solve
from dovetail.multibody.constraints.bodies import JOINT
from dovetail.multibody.constraints.rows import evaluate_values
from dovetail.runtime.jit import jit_in_place, when_called

EQUATIONS_WITHIN = 1e-14  # of the scene's length, where rounding allows it,
ROUNDED = 1e4  # and so many times that where it does not
MAX_CORRECTIONS = 25
CONVERGES = 0.9  # of the violation before, at most, after a correction


@when_called(False)
@jit_in_place
def project_to_joints(joints, bodies, workspace):
    """Bring workspace.trial back onto the equations; False where that does not converge."""
    rows, near, trial, G = joints.rows, joints.iterate.angle, joints.trial, joints.iterate.G
    pose, right, factor = workspace.trial, workspace.system.right, workspace.factor
    phi, W, correction = trial.phi, joints.multipliers.penalty, joints.displacement
    role, unit, body = rows.role, rows.unit, rows.equations.body
    slot, owner = bodies.slot, bodies.owner
    before, enough = math.inf, EQUATIONS_WITHIN * rows.length[0]
    for _ in range(MAX_CORRECTIONS):
        evaluate_values(rows.equations, pose.x, pose.R, near, phi, trial.angle)
        violation = 0.0
        for r in range(phi.shape[0]):
            if role[r] == JOINT:
                violation = max(violation, abs(phi[r]) * unit[r])
        rounded = violation >= 0.5 * before and violation <= ROUNDED * enough
        if violation <= enough or rounded:
            return True
        if not violation < CONVERGES * before:
            return False
        before = violation
        for k in range(right.shape[0]):
            for i in range(6):
                right[k, i] = 0.0
        for r in range(phi.shape[0]):
            if role[r] == JOINT:
                subtract_row(body, slot, G, r, W[r] * phi[r], right)
        solve(factor, right)
        for k in range(owner.shape[0]):
            for i in range(6):
                correction[owner[k], i] = right[k, i]
        move(slot, pose, correction, 1.0, pose)
    return False
