"""Steps of mechanisms without what needs Python between the parts of a step."""

from typing import Any

import numpy as np

from dovetail.contact.ipc.joints.energies import CREEP, PENALTY
from dovetail.contact.ipc.newton.two_step import TwoStep
from dovetail.integrators.shared.bounce import Bounce
from dovetail.integrators.shared.ipc_steps import IpcSteps
from dovetail.integrators.shared.mechanism_kernels import (
    DONE,
    MechanismArrays,
    begin_mechanisms,
    bundle_mechanisms,
    end_mechanisms,
)
from dovetail.integrators.shared.potential_joints import PotentialJoints
from dovetail.integrators.shared.potential_solver import SolvedStep
from dovetail.multibody.state import BodyState

STICKING = CREEP * PENALTY


class MechanismSteps:
    """The jointed bodies of one run under constant loads; `joints` must be `plain`."""

    def __init__(
        self, state: BodyState, solver: IpcSteps, joints: PotentialJoints, bounce: Bounce | None
    ) -> None:
        assert joints.observed is not None
        self._state, self._solver, self._bounce = state, solver, bounce
        self._joints, self._observed = joints, joints.observed
        self._arrays: Any = None

    @property
    def ready(self) -> bool:
        """Whether the step that begins now can be made so."""
        return not self._joints.was_hit

    def _bundled(self) -> Any:
        """The arrays; the first step asks for them."""
        state, joints, bounce, n = self._state, self._joints, self._bounce, len(self._state.x)
        two: TwoStep = self._solver.solver.two_step
        start, observed = joints.arrays.start, self._observed
        if bounce is None:
            none = np.zeros((0, 3))
            before, dynamic, inverse_mass = state.copy(), np.zeros(0, np.bool_), none
        else:
            before, dynamic, inverse_mass = bounce.before, *bounce.masses
        return bundle_mechanisms(
            *MechanismArrays(
                two.acts, two.h, two.mechanism, two.known, two.by, two.held,
                np.zeros(n, np.bool_), state.x, state.R, state.v, state.omega, before.x, before.R,
                before.v, before.omega, dynamic, inverse_mass, self._solver.radius,
                self._solver.loads[0], start.time, start.gain, start.previous_h,
                joints.row_of_joint, observed.acted_before, np.zeros_like(observed.acted_before),
            )
        )  # fmt: skip

    def step(self, h: float, t: float) -> SolvedStep:
        """A step of h [s] to the time t, but for the `time` of the state."""
        if self._arrays is None:
            self._arrays = self._bundled()
        if self._bounce is not None:
            self._bounce.forget()
        begin_mechanisms(self._arrays, h)
        return self._solver.step(h, t)

    def end(self, h: float, solved: SolvedStep) -> bool:
        """The rest of the step that `step` solved.

        False, and nothing is done, where contact may have stopped a body.
        """
        observed, potential, end = self._observed, *self._joints.bundles
        ended = end_mechanisms(
            self._arrays, observed.arrays, potential, end, h, solved.tolerance, solved.awake > 0,
            STICKING,
        )  # fmt: skip
        if ended != DONE:
            return False
        observed.stepped(float(self._joints.arrays.start.previous_h[0]))
        return True
