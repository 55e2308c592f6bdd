"""Steps that are divided where the equations of the joints cannot be solved in one.

Near a singular position, such as a parallelogram whose links lie flat, a mechanism that does not
fit to the last digit passes from one branch to the other within a part of a step, light links
spinning far faster than all others. The motion is smooth, but only smaller steps resolve it. Their
size follows from the kinetic energy after one of them and after two of half the size; they go on in
the steps after, until they are about as large as a step.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.errors import RunError
from dovetail.integrators.interface import Snapshot, StepReport
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import quote

SMALLEST = 2.0**-24  # of the step
GOOD = 1e-5  # of the kinetic energy: difference of a substep and two halves that will do
ROUND_OFF = 1e-11  # of the weight times the distance from the origin
FLOOR = 1e-2  # of the largest kinetic energy seen: what counts where there is little
LEAVE = 0.125  # of the step: with substeps as large as this the next step is tried as a whole
FAST = 1.0  # [rad] by which a body turns in a step that resolves its motion badly
MOST = 4096  # substeps of divided steps in a row: a pass of a singular position takes hundreds
GROWTH = 0.1  # of what is good: below, the next substep is twice as large


class DividedStepWarning(UserWarning):
    """A step had to be divided."""


class UnsolvedError(RunError):
    """A step whose equations were not solved; a smaller one may be."""


def energy_noise(model: Model, length: float) -> tuple[float, float]:
    """[J] what sums of potential energies cannot tell from 0; what is little in this model.

    `length` [m] is its size.
    """
    moving = model.motion == DYNAMIC
    away = np.linalg.norm(model.position[moving], axis=1)
    reach = float(np.max(away, initial=0.0))
    weight = float(model.mass[moving].sum()) * float(np.linalg.norm(model.gravity))
    return ROUND_OFF * weight * reach, FLOOR * weight * length


class DividedSteps:
    """Error-controlled substeps of a stepper that `advance`s; `kinetic` [J] is of its state."""

    def __init__(
        self, stepper: Any, advance: Callable[[float], StepReport], kinetic: Callable[[], float],
        model: Model | None = None,
    ) -> None:  # fmt: skip
        """`model` has the names of the bodies of the stepper."""
        self._stepper, self._advance, self._kinetic = stepper, advance, kinetic
        self._model, self._substeps = model, 0  # since whole steps were taken
        self._largest = 0.0  # [J]
        self.h = 0.0  # [s] of the next substep, 0 where whole steps are taken
        self._warned = False

    @property
    def active(self) -> bool:
        return self.h != 0.0

    def begin(self, whole: float) -> None:
        """A step of `whole` [s] was not solved: take smaller ones from here on."""
        self.h, self._substeps = 0.25 * whole, 0

    def step(self, t: float, t_next: float, failure: UnsolvedError | None) -> StepReport:
        """Advance from t to t_next; raises the failure where no substep is small enough."""
        whole, iterations, residual, smallest = t_next - t, 0, 0.0, abs(t_next - t)
        self._largest = max(self._largest, self._kinetic())
        while t != t_next:
            to = t_next if abs(t_next - t) <= 1.01 * abs(self.h) else t + self.h
            before = self._stepper.snapshot()
            self._substeps += 1
            if self._substeps > MOST:
                raise self._too_many(t, whole) from failure
            error = RunError(
                f"no substep down to {SMALLEST * abs(whole):.2g} s resolves the motion: a part of "
                "it grows without bound, or jumps; check limits, springs and dampers of the "
                "joints, and parts that are far lighter than what pushes them",
                t,
            )
            try:
                report, difference = self._twice(t, to)
            except UnsolvedError as unsolved:
                report, difference, error = StepReport(), float("inf"), unsolved
            if difference > GOOD:
                self._stepper.restore(before)
                self.h = 0.5 * (to - t)
                if abs(self.h) < SMALLEST * abs(whole):
                    raise failure or error
                continue
            iterations += report.iterations
            residual = max(residual, report.residual)
            smallest = min(smallest, abs(to - t))
            t = to
            if difference < GROWTH * GOOD:
                self.h *= 2.0
        if abs(self.h) >= LEAVE * abs(whole):
            self.h = 0.0
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"at t = {t_next:.6g} s a step of {abs(whole):.3g} s was divided, down to "
                f"{smallest:.2g} s: {self._cause(abs(whole))}; later such steps are not reported",
                DividedStepWarning,
                stacklevel=3,
            )
        return StepReport(iterations, residual)

    def _cause(self, whole: float) -> str:
        """Why a step of `whole` [s] had to be divided."""
        if self._model is not None:
            spins = np.linalg.norm(self._stepper.bodies.omega, axis=1)
            first = int(np.argmax(spins))
            if not self._model.joints or whole * spins[first] > FAST:
                return (
                    f"body {quote(self._model.names[first])} spins at {spins[first]:.4g} rad/s, by "
                    f"{whole * spins[first]:.2g} rad in a step; use a smaller step"
                )
        return (
            "the joints pass a position that is singular or nearly so, such as links in one line, "
            "where parts move fast"
        )

    def _too_many(self, t: float, whole: float) -> RunError:
        """The error of steps that take more substeps than MOST."""
        who = ""
        if self._model is not None:
            state, names = self._stepper.bodies, self._model.names
            spins, speeds = (np.linalg.norm(u, axis=1) for u in (state.omega, state.v))
            first = int(np.argmax(spins if spins.max() > 0.0 else speeds))
            who = (
                f"; body {quote(names[first])} spins at {spins[first]:.4g} rad/s and moves at "
                f"{speeds[first]:.4g} m/s"
            )
        return RunError(
            f"{MOST} substeps, the last of {abs(self.h):.2g} s, have not led to where steps of "
            f"{abs(whole):.3g} s can be solved{who}; check what drives the joints, or use a "
            "smaller step",
            t,
        )  # fmt: skip

    def _twice(self, t: float, to: float) -> tuple[StepReport, float]:
        """Two substeps to `to`, and by how much one would differ in kinetic energy, relative."""
        before = self._stepper.snapshot()
        first = self._advance(to)
        once = self._kinetic()
        self._stepper.restore(before)
        second, third = self._advance(0.5 * (t + to)), self._advance(to)
        twice = self._kinetic()
        size = max(abs(twice), FLOOR * self._largest)
        iterations = first.iterations + second.iterations + third.iterations
        report = StepReport(iterations, max(second.residual, third.residual))
        return report, abs(once - twice) / size if size > 0.0 else 0.0

    def snapshot(self) -> Snapshot:
        return {"divided": np.array([self.h, self._largest, float(self._substeps)])}

    def restore(self, snapshot: Snapshot) -> None:
        h, largest, substeps = snapshot["divided"].tolist()
        self.h, self._largest, self._substeps = h, largest, int(substeps)
