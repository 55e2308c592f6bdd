"""Joints are closed again after every step by displacements that leave velocities as they are."""

import numpy as np

from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.solver import ImpulseSolver
from dovetail.integrators.shared.impulse_poses import shift_poses
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState

TOLERANCE = 1e-10  # of the scene's length
SOLVER_TOLERANCE = 1e-6  # of the largest violation
LEFT_OPEN = 0.03  # of what TOLERANCE allows: a correction need not be nearer
MAX_ITERATIONS = 6
STALLED = 0.5  # of the violation before an iteration: if more is left, joints contradict each other


def accuracy(largest: float, length: float) -> float:
    """[m] to which joints that are `largest` [m] open are closed, in a scene of `length` [m]."""
    return max(SOLVER_TOLERANCE * largest, LEFT_OPEN * TOLERANCE * length)


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
        length = float(joints.system.constants.length[0])
        if largest <= TOLERANCE * length or largest > last:
            break
        last = STALLED * largest
        problem.set_joints(state.R)
        problem.clear_contacts()
        problem.lam[: problem.n_joint] = 0.0
        problem.c[: problem.n_joint] = joints.gaps()
        shift = np.zeros((len(state.x), 6))
        tolerance = accuracy(largest, length)
        done = solver.solve(
            shift, np.zeros(0), np.zeros(0, np.int8), tolerance, release_dampers=True
        )
        sweeps += done.iterations
        shift_poses(problem.bodies, shift, state.x, state.R, state.omega, L)
    return sweeps
