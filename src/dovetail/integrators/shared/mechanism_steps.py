"""Steps of mechanisms without what needs Python between the parts of a step."""

from typing import Any

import numpy as np

from dovetail.contact.ipc.barrier.clearance import NONE
from dovetail.contact.ipc.joints.energies import CREEP, PENALTY
from dovetail.contact.ipc.newton.two_step import TwoStep
from dovetail.contact.ipc.solver import outcome_of
from dovetail.contact.ipc.status import StepStatus
from dovetail.contact.ipc.step import StepOutcome
from dovetail.integrators.interface import StepReport
from dovetail.integrators.shared.bounce import Bounce
from dovetail.integrators.shared.ipc_steps import IpcSteps
from dovetail.integrators.shared.mechanism_kernels import (
    DONE,
    MadeStep,
    MechanismArrays,
    bundle_mechanisms,
    bundle_step,
    end_mechanisms,
    step_mechanisms,
)
from dovetail.integrators.shared.potential_joints import PotentialJoints
from dovetail.integrators.shared.potential_solver import SolvedStep, report_of
from dovetail.multibody.state import BodyState

STICKING = CREEP * PENALTY
OUTCOME = len(StepOutcome._fields)  # the first numbers of a MadeStep
AGAIN = frozenset(  # a workspace is to grow, or the step to be made otherwise (`IpcSteps.step`)
    int(status)
    for status in (
        StepStatus.LISTS_FULL, StepStatus.ITERATES_FULL, StepStatus.FACTOR_FULL,
        StepStatus.FRICTION_FULL, StepStatus.REFUSED,
    )
)  # fmt: skip


class MechanismSteps:
    """The jointed bodies of one run under constant loads; `joints` must be `plain`."""

    def __init__(
        self, state: BodyState, solver: IpcSteps, joints: PotentialJoints, bounce: Bounce | None
    ) -> None:
        assert joints.observed is not None
        self._state, self._solver, self._bounce = state, solver, bounce
        self._joints, self._observed = joints, joints.observed
        self._parts: Any = None  # of the solver
        self._records: Any = None
        self._each: tuple[Any, ...] = ()  # of these, without `parts`
        self._begins = True

    @property
    def ready(self) -> bool:
        """Whether the step that begins now can be made so."""
        return not self._joints.was_hit

    def _bundled(self, parts: Any) -> Any:
        """All records; the first step asks for them, and one whose `parts` have grown."""
        if not self._each:
            self._each = self._mechanisms(), self._observed.arrays, *self._joints.bundles
        arrays, seen, potential, end = self._each
        *accuracy, most = self._solver.settings
        return bundle_step(
            arrays, parts, seen, potential, end, np.array(accuracy), np.array([most]),
            np.array([STICKING]),
        )  # fmt: skip

    def _mechanisms(self) -> Any:
        """The bundle of `MechanismArrays`."""
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

    def begins(self) -> None:
        """What `step` makes next is the first part of a step that joints report on."""
        self._begins = True
        self._observed.begins()

    def step(self, h: float, t: float) -> tuple[StepReport, SolvedStep | None]:
        """A step of h [s] to the time t.

        And how it was solved where it has not ended: contact may have stopped a body.
        """
        solver, parts = self._solver, self._solver.parts_for(h)
        if parts is not self._parts:
            self._parts, self._records = parts, self._bundled(parts)
        if self._bounce is not None:
            self._bounce.forget()
        numbers = step_mechanisms(self._records, h, self._begins)
        self._begins = False
        status, iterations, speed, _, contacts, _, _, _, unresolved = numbers[:OUTCOME]
        ended, slept, creep, settled = numbers[OUTCOME:]
        if not (status or ended or slept) and unresolved == NONE:
            contacts += solver.made_plainly(h, iterations)
            self._state.t = t
            self._observed.stepped(h)
            return StepReport(iterations, speed, None, creep, settled, contacts > 0), None
        return self._finished(MadeStep(*numbers), h, t)

    def _finished(self, made: MadeStep, h: float, t: float) -> tuple[StepReport, SolvedStep | None]:
        """As `step`, where the kernel could not do all of it."""
        solver = self._solver
        if made.status in AGAIN:
            solved = solver.step(h, t)
            self._state.t = t
            return report_of(solved), None if self._end(h, solved) else solved
        if made.status or made.slept or made.unresolved != NONE:
            solved = solver.solved(outcome_of(made[:OUTCOME]), h, t)
        else:
            solved = solver.solved_plainly(made, h)
        self._state.t = t
        return report_of(solved), None if self._seen(made.ended) else solved

    def _end(self, h: float, solved: SolvedStep) -> bool:
        """The rest of a step that was solved.

        False, and nothing is done, where contact may have stopped a body.
        """
        ended = end_mechanisms(*self._each, h, solved.tolerance, solved.awake > 0, STICKING)
        return self._seen(ended)

    def _seen(self, ended: int) -> bool:
        if ended != DONE:
            return False
        self._observed.stepped(float(self._joints.arrays.start.previous_h[0]))
        return True
