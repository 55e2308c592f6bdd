"""Joints without contacts in compiled steps: their impulses, and their positions afterwards."""

from typing import Any

import numpy as np

from dovetail.contact.impulse.islands import KnownIslands
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.newton.solver import MAX_STEPS, NewtonSolver
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import Outcome
from dovetail.contact.impulse.solver import ACCEPTABLE, AIM, JOINED, WARM_PENALTY
from dovetail.integrators.stewart_trinkle.jointed_kernels import (
    Effort,
    bundle_joint_step,
    close_joints,
    solve_joints,
)
from dovetail.integrators.stewart_trinkle.quiet_kernels import quiet_step
from dovetail.model.values import Array


class JointedSteps:
    """Newton's method on the rows of joints, whose bodies are the same in all steps."""

    def __init__(
        self, problem: ImpulseProblem, joints: JointRows, force: Array, R: Array, tolerance: float,
        fixed: float | None,
    ) -> None:  # fmt: skip
        """`force` (k,) [N or N m] of the rows is kept by the caller; R are the rotations now.

        The residual `tolerance` is wanted, in parts of the largest speed, unless a `fixed` one
        [m/s] is.
        """
        self._problem, self._joints = problem, joints
        n, k = len(problem.bodies.dynamic), joints.count
        none = np.zeros(0, np.int8)
        self.own: Any = bundle_joint_step(
            joints.unit, joints.unheld, force, np.zeros(k, np.int8), np.zeros(k),
            np.zeros((n, 6)), np.zeros(0), none,
        )  # fmt: skip
        problem.set_joints(R)
        problem.clear_contacts()
        islands = KnownIslands()
        islands.of(problem)
        self._single = islands.single
        self.newton: Any = NewtonSolver(problem.bodies).prepare(
            problem.system(np.zeros(0), none, 0), n
        )
        self._length = float(joints.system.constants.length[0])
        aim = AIM * tolerance, AIM * (fixed or 0.0)
        enough = max(1.0, JOINED * ACCEPTABLE) * tolerance
        self.effort: Any = Effort(*aim, WARM_PENALTY, MAX_STEPS, enough, fixed or 0.0, self._length)
        self._enough, self._fixed = enough, fixed

    @property
    def single(self) -> bool:
        """Whether all joints are of one island."""
        return self._single

    def step(self, piece: Any, quiet: Any, seen: Any, h: float) -> tuple[Any, ...]:
        """See `quiet_kernels.quiet_step`."""
        found: tuple[Any, ...] = quiet_step(
            piece, self._joints.arrays, self._problem.arrays, self.own, self.newton,
            self.effort, quiet, seen, h,
        )  # fmt: skip
        return found

    def solve(self, piece: Any, h: float) -> tuple[Outcome, float] | None:
        """Velocities and impulses at the end of a piece of h [s] without contacts.

        Returns the outcome and the largest speed [m/s]; None if it must be solved in another way.
        """
        if not self._single:
            return None
        steps, left, row, speed = solve_joints(
            piece, self._joints.arrays, self._problem.arrays, self.own, self.newton,
            self.effort, h,
        )  # fmt: skip
        enough = self._fixed or self._enough * speed
        return (Outcome(steps, left, row), speed) if left <= enough else None

    def close(self, piece: Any) -> int | None:
        """Close the joints as `correct_joint_drift` does; None: it has to go on."""
        done, solved = close_joints(
            piece, self._joints.arrays, self._problem.arrays, self.own, self.newton,
            self.effort, self._length,
        )  # fmt: skip
        return int(done) if solved else None
