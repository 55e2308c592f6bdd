"""The stepper of all variational schemes for bodies with joints."""

import numpy as np

from dovetail.contact.law import ForceLaw
from dovetail.integrators.interface import Observation, Snapshot, StepReport
from dovetail.integrators.shared.constrained_state import ConstrainedState
from dovetail.integrators.variational import step as variational_step
from dovetail.integrators.variational.position_stage import DONE
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState

ONE = np.ones(1)


class VariationalStepper:
    """One run of a scheme given by its rule of discrete momentum and whether it projects."""

    def __init__(
        self, model: Model, law: ForceLaw | None, rule: int, projects: bool, gammas: Array = ONE
    ) -> None:
        """`gammas`: substeps of a composition, for a scheme that projects."""
        self._constrained = ConstrainedState(model, law)
        self._rule, self._projects, self._gammas = rule, projects, gammas
        self._damping = self._constrained.system.constants.damping.copy()
        self._damped = bool(self._damping.any())
        if len(gammas) > 1 and self._damped:
            self._constrained.leave_dampers_out()
        self._constrained.end_forces.knows_joints = projects
        self._h_before = 0.0

    @property
    def bodies(self) -> BodyState:
        return self._constrained.bodies

    def step(self, t_next: float) -> StepReport:
        if len(self._gammas) == 1:
            return self._substep(t_next)
        t = self._constrained.bodies.t
        h, iterations, size = t_next - t, 0, 0.0
        damping = self._constrained.system.constants.damping
        damping[...] = 0.0
        try:
            self._dissipate(0.5 * h)
            for part in [*np.cumsum(self._gammas)[:-1].tolist(), 1.0]:
                report = self._substep(t_next if part == 1.0 else t + part * h)
                iterations += report.iterations
                size = max(size, report.residual)
            self._dissipate(0.5 * h)
        finally:
            damping[...] = self._damping
        return StepReport(iterations, size)

    def _dissipate(self, h: float) -> None:
        """Dampers alone for a time h."""
        if self._damped:
            code, body = variational_step.dissipate(h, self._damping, self._constrained.parts)
            if code != DONE:
                constrained = self._constrained
                raise constrained.failure(code, body, 0.0, constrained.bodies.t)

    def _substep(self, t_next: float) -> StepReport:
        constrained = self._constrained
        h = t_next - constrained.bodies.t
        if self._h_before == 0.0:
            constrained.soften_dampers(h)
        constrained.place_others(t_next)
        if constrained.plain:
            code, body, iterations, size = variational_step.step(
                h, self._h_before, self._rule, self._projects, constrained.parts
            )
        else:
            code, body, iterations, size = self._step_with_extra(h, t_next)
        if code != DONE:
            raise constrained.failure(code, body, size, t_next)
        constrained.finish_step(t_next)
        self._h_before = h
        return StepReport(iterations, size, near=constrained.end_forces.near)

    def _step_with_extra(self, h: float, t_next: float) -> tuple[int, int, int, float]:
        """A step whose end forces need Python and are solved for together with velocities."""
        constrained, rule, projects = self._constrained, self._rule, self._projects
        code, body, iterations, size = variational_step.move(
            h, self._h_before, rule, projects, constrained.parts
        )
        if code != DONE:
            return code, body, iterations, size
        G, before = constrained.after.G, constrained.work.extra.copy()
        closed: tuple[int, int] = (DONE, -1)

        def kick() -> bool:
            nonlocal closed
            closed = variational_step.close(h, rule, projects, constrained.parts)
            return bool(closed[0] == DONE)

        settled = 0
        try:
            settled = constrained.end_forces.solve(
                0.5 * h, constrained.work.extra, constrained.next_bodies, kick,
                lambda bodies: constrained.responses(G, G, bodies),
            )  # fmt: skip
        finally:
            if not settled:
                constrained.work.extra[...] = before
        if not settled:
            return *closed, iterations, size
        variational_step.commit(constrained.parts)
        return DONE, -1, iterations + settled, size

    def observe(self) -> Observation:
        return self._constrained.observe()

    def snapshot(self) -> Snapshot:
        return self._constrained.snapshot() | {"h_before": np.array(self._h_before)}

    def restore(self, snapshot: Snapshot) -> None:
        self._constrained.restore(snapshot)
        self._h_before = float(snapshot["h_before"])
