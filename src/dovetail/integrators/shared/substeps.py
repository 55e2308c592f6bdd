"""Steps that do not converge are divided, as often as needed, and grow again."""

import dataclasses
from collections.abc import Callable
from typing import Protocol

import numpy as np

from dovetail.contact.derived_settings import report_note
from dovetail.contact.law import ContactRecord, ContactReport
from dovetail.errors import RunError
from dovetail.integrators.interface import Snapshot, StepReport
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState

EASY = 4  # parts of one size that converge before the next is twice as long
MANY = 16  # parts after which a step is looked at again, see `refuse`
SMALLEST = 2.0**-24  # of the step: what does not converge even so is an error
MAX_ATTEMPTS = 4096  # at one step: down to the smallest part and back takes about 120
MOST_WORK = 20_000  # iterations in which parts must lead LITTLE farther
LITTLE = 2.0**-8  # of the step


class Divisible(Protocol):
    """A stepper whose step can be tried again: it changes only where it converges."""

    @property
    def bodies(self) -> BodyState:
        """The current motion."""

    def waypoints_of_substep(self) -> tuple[Array, Array]:
        """Poses (k, n, 3), (k, n, 3, 3) that the last of its steps passed."""

    def snapshot(self) -> Snapshot:
        """All that `restore` needs."""

    def restore(self, snapshot: Snapshot) -> None:
        """Continue from what `snapshot` returned."""

    def contacts_of_substep(self) -> ContactReport:
        """Contacts at the end of the last of its steps, with their forces then."""


class Substeps:
    """Takes the steps of a run by `advance`; the path of a divided one leads through its parts."""

    def __init__(
        self,
        stepper: Divisible,
        advance: Callable[[float], StepReport],
        refuse: Callable[[float, RunError], None] | None = None,
        work: Callable[[], int] = lambda: 0,
    ) -> None:
        """`refuse(h, failure)` raises RunError where a step of h [s] that failed is to be given up.

        It is asked before the step is divided, and again every MANY parts. `work` counts the
        iterations of the run so far, those of parts that failed too.
        """
        self._stepper, self._advance, self._refuse = stepper, advance, refuse
        self._work = work
        self.part = 1.0  # of the step, to begin the next one with
        self._x: list[Array] = []  # poses that the parts of the last step passed
        self._R: list[Array] = []
        self._acted: list[tuple[float, ContactRecord]] = []  # share of the step, contacts
        self._divided = self._reported = False
        self._last = 1.0  # share of the last part

    def step(self, t_next: float) -> StepReport:
        """Advance to `t_next`; raises RunError, and leaves all as it was, where it cannot."""
        self._divided, t = False, self._stepper.bodies.t
        if self.part == 1.0:
            try:
                return self._advance(t_next)
            except RunError as error:
                if self._stepper.bodies.t != t:  # it failed when poses had converged
                    raise
                if self._refuse is not None:
                    self._refuse(t_next - t, error)
                return self._in_parts(t_next, error)
        return self._in_parts(t_next, None)

    def _in_parts(self, t_next: float, failure: RunError | None) -> StepReport:
        """The step in parts: half of one that failed, twice as much after EASY that did not."""
        bodies, before = self._stepper.bodies, self._stepper.snapshot()
        t, whole = bodies.t, t_next - bodies.t
        rejected = 0 if failure is None else 1
        part = 0.5 if failure is not None else self.part
        total, done, easy, attempts, last = StepReport(), 0.0, 0, rejected, failure
        self._x, self._R, self._acted = [], [], []
        begun = reached = self._work(), 0.0  # iterations; share of the step that was done
        while done < 1.0:
            part, attempts = min(part, 1.0 - done), attempts + 1
            if done >= reached[1] + LITTLE:
                reached = self._work(), done
            if attempts > MAX_ATTEMPTS or self._work() > reached[0] + MOST_WORK:
                self._stepper.restore(before)
                self.part = 1.0
                parts = f"{attempts - 1} parts of {self._work() - begun[0]} iterations"
                raise _too_many(t + done * whole, whole, (done, part), parts, last) from None
            end = t_next if done + part >= 1.0 else t + (done + part) * whole
            if attempts % MANY == 0:
                divided = last or RunError(f"the step takes more than {attempts} parts", end)
                self._refuse_or_restore(whole, divided, before)
            try:
                report = self._advance(end)
            except RunError as error:
                if failure is None:
                    self._refuse_or_restore(whole, error, before)
                failure, last = failure or error, error
                rejected, part, easy = rejected + 1, 0.5 * part, 0
                if part < SMALLEST:
                    self._stepper.restore(before)
                    self.part = 1.0
                    raise failure from None
                continue
            total, easy = _sum(total, report), easy + 1
            done += part
            if done < 1.0:
                self._keep(self._stepper.waypoints_of_substep())
                self._keep((bodies.x[None].copy(), bodies.R[None].copy()))
                self._acted.append((part, self._stepper.contacts_of_substep().contacts))
                part *= 2.0 if easy % EASY == 0 else 1.0
        self.part, self._divided, self._last = min(1.0, 2.0 * part), True, part
        if failure is not None and not self._reported:
            self._reported = True
            report_note(
                f"the step to t = {t_next:g} s did not converge and was divided, as others may be: "
                "result.stats['rejected'] counts the attempts"
            )
        return dataclasses.replace(total, rejected=rejected)

    def _refuse_or_restore(self, h: float, error: RunError, before: Snapshot) -> None:
        """As `refuse`, for a part; the motion is that of the step's start where it raises."""
        if self._refuse is None:
            return
        try:
            self._refuse(h, error)
        except RunError:
            self._stepper.restore(before)
            self.part = 1.0
            raise

    def contacts(self) -> ContactReport:
        """Contacts of the whole step: forces are its mean, which changes the momenta as they did.

        Of a divided step each part has its rows, with its share of the step as a factor.
        """
        report = self._stepper.contacts_of_substep()
        if not self._divided:
            return report
        parts = [*self._acted, (self._last, report.contacts)]
        return dataclasses.replace(report, contacts=_joined(parts))

    def _keep(self, poses: tuple[Array, Array]) -> None:
        self._x += list(poses[0])
        self._R += list(poses[1])

    def waypoints(self) -> tuple[Array, Array]:
        """Poses of the whole step, see `interface.LeavesWaypoints`."""
        x, R = self._stepper.waypoints_of_substep()
        if not self._divided:
            return x, R
        n = len(self._stepper.bodies.x)
        return (
            np.array([*self._x, *x]).reshape(-1, n, 3),
            np.array([*self._R, *R]).reshape(-1, n, 3, 3),
        )


def _too_many(
    t: float, whole: float, reached: tuple[float, float], parts: str, last: RunError | None
) -> RunError:
    """The error of a step that takes more `parts` than there may be.

    `reached`: the share of it that is done, and that of the next part.
    """
    done, part = reached
    cause = "" if last is None else f"; a part failed {last}"
    return RunError(
        f"a step of {abs(whole):.3g} s was tried in {parts}, the last of "
        f"{abs(part * whole):.2g} s, and {100 * done:.3g} % of it is done{cause}",
        t,
    )


def _joined(parts: list[tuple[float, ContactRecord]]) -> ContactRecord:
    """Rows of all parts, forces times the share of their part."""
    records = [record for _, record in parts]
    shares = np.concatenate([np.full(len(record.gaps), share) for share, record in parts])[:, None]
    return ContactRecord(
        np.concatenate([record.bodies for record in records]),
        np.concatenate([record.points for record in records]),
        np.concatenate([record.normals for record in records]),
        np.concatenate([record.forces for record in records]) * shares,
        np.concatenate([record.gaps for record in records]),
        np.concatenate([record.torques for record in records]) * shares,
    )


def _sum(a: StepReport, b: StepReport) -> StepReport:
    """The report of two steps, one after the other."""
    return StepReport(
        a.iterations + b.iterations, max(a.residual, b.residual), None, max(a.creep, b.creep),
        a.settled and b.settled, a.near or b.near, converged=a.converged and b.converged,
    )  # fmt: skip
