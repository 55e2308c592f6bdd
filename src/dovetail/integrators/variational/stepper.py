"""The stepper of all variational schemes for bodies with joints."""

import numpy as np

from dovetail.contact.law import ForceLaw
from dovetail.integrators.interface import Observation, Snapshot, StepReport
from dovetail.integrators.shared.constrained_state import ConstrainedState
from dovetail.integrators.variational import step as variational_step
from dovetail.integrators.variational.position_stage import DONE
from dovetail.model.frozen import Model
from dovetail.multibody.state import BodyState


class VariationalStepper:
    """One run of a scheme given by its rule of discrete momentum and whether it projects."""

    def __init__(self, model: Model, law: ForceLaw | None, rule: int, projects: bool) -> None:
        self._constrained = ConstrainedState(model, law)
        self._rule, self._projects = rule, projects
        self._constrained.end_forces.knows_joints = projects
        self._h_before = 0.0

    @property
    def bodies(self) -> BodyState:
        return self._constrained.bodies

    def step(self, t_next: float) -> StepReport:
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
