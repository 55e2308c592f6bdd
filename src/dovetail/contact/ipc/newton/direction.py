"""Newton's direction, with as much Hessian projection as it needs to be one of descent."""

import math
from typing import NamedTuple

from dovetail.contact.ipc.joints.direction import constrained_direction
from dovetail.contact.ipc.joints.hessian import add_joint_terms
from dovetail.contact.ipc.joints.rows import any_rows
from dovetail.contact.ipc.newton.potential import differentiate
from dovetail.contact.ipc.status import StepStatus
from dovetail.linalg.block_cholesky.factor import factorise, prepare, solve
from dovetail.runtime.jit import jit_in_place

LEAST_PIVOT = 1e-13  # of its diagonal entry

# Hessian projection modes, tried in this order: the exact Hessian; of every contact only what is
# positive by itself (`distance.derivatives.add_terms`), which is safe far from the minimum;
# the PSD projection of every pair of bodies, which is nearer to the truth and sees how a point that
# moves along a rotating face comes closer to it; beyond, the diagonal is raised.
EXACT, CONTACT_WISE, PAIR_WISE, SHIFTED = range(4)
MAX_MODE = 60  # of the Hessian projection: the largest shift of the diagonal


class Direction(NamedTuple):
    """Newton's twists are in workspace.twist."""

    status: StepStatus
    energy: float  # [kg m^2] at the iterate
    contacts: int
    mode: int  # Hessian projection mode that was needed
    descent: float  # [kg m^2] gradient times direction
    n_linked: int  # blocks off the diagonal
    shift: float  # of the diagonal


@jit_in_place
def newton_direction(bodies, lists, workspace, friction, start, barrier, mode):
    """Newton's twists at the iterate; the first Hessian projection mode to try is `mode`."""
    energy, contacts, n_linked, shift, descent = 0.0, 0, 0, 0.0, math.inf
    system, factor, joints = workspace.system, workspace.factor, workspace.joints
    right, twist, owner = system.right, workspace.twist, bodies.owner
    m = owner.shape[0]
    status = StepStatus.OK
    while status == StepStatus.OK and mode < MAX_MODE and not descent <= 0.0:
        if mode < SHIFTED:
            theta = 0.0 if mode == CONTACT_WISE else 1.0
            energy, contacts, n_linked = differentiate(
                bodies, lists, workspace, friction, start, barrier, theta, mode > EXACT
            )
            if any_rows(joints):
                of_joints, n_linked = add_joint_terms(
                    joints, bodies, workspace, n_linked, mode == EXACT
                )
                energy += of_joints
            if not prepare(factor, m, system.linked, n_linked):
                status = StepStatus.FACTOR_FULL
        else:
            shift = 1e-8 * 2.0 ** (mode - SHIFTED)
        if (
            status == StepStatus.OK
            and factorise(factor, system.diagonal, system.off, n_linked, shift, LEAST_PIVOT) < 0
        ):
            if any_rows(joints):
                descent = constrained_direction(joints, bodies, workspace)
            else:
                descent = _solve(system, factor)
            for k in range(m):
                for r in range(6):
                    twist[owner[k], r] = right[k, r]
        if not descent <= 0.0:
            mode += 1
    return Direction(status, energy, contacts, mode, descent, n_linked, shift)


@jit_in_place
def _solve(system, factor):
    """The solution d of H d = -g into system.right; returns g . d."""
    gradient, right = system.gradient, system.right
    for k in range(gradient.shape[0]):
        for r in range(6):
            right[k, r] = -gradient[k, r]
    solve(factor, right)
    descent = 0.0
    for k in range(gradient.shape[0]):
        for r in range(6):
            descent += gradient[k, r] * right[k, r]
    return descent
