"""Joints are closed again after every step by displacements that leave velocities as they are."""

import numpy as np

from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.solver import ImpulseSolver
from dovetail.integrators.shared.impulse_poses import shift_poses
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState

TOLERANCE = 1e-10  # of the scene's length
SOLVER_TOLERANCE = 1e-3  # of the largest violation
MAX_ITERATIONS = 6
STALLED = 0.5  # of the violation before an iteration: if more is left, joints contradict each other


def correct_joint_drift(
    joints: JointRows, solver: ImpulseSolver, state: BodyState, L: Array
) -> int:
    """Newton's method on phi(x, R) = 0 at the new pose, >= 0 for limits; returns the sweeps.

    The angular momenta L (n, 3) stay, so spins in body axes follow the rotation.
    """
    problem, sweeps, last = solver.problem, 0, np.inf
    for _ in range(MAX_ITERATIONS if joints.count else 0):
        joints.at(state.x, state.R)
        largest = joints.largest_violation()
        if largest <= TOLERANCE * float(joints.system.constants.length[0]) or largest > last:
            break
        last = STALLED * largest
        problem.set_joints(state.R)
        problem.clear_contacts()
        problem.lam[: problem.n_joint] = 0.0
        problem.c[: problem.n_joint] = joints.gaps()
        shift = np.zeros((len(state.x), 6))
        tolerance = SOLVER_TOLERANCE * largest
        done = solver.solve(
            shift, np.zeros(0), np.zeros(0, np.int8), tolerance, release_dampers=True
        )
        sweeps += done.iterations
        shift_poses(problem.bodies, shift, state.x, state.R, state.omega, L)
    return sweeps
