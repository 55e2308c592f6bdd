"""The stepper of all variational schemes for bodies with joints."""

import numpy as np

from dovetail.contact.law import ForceLaw
from dovetail.integrators.interface import Observation, Snapshot, StepReport
from dovetail.integrators.shared.constrained_state import JoinedState
from dovetail.integrators.variational import step as variational_step
from dovetail.integrators.variational.position_stage import DONE
from dovetail.model.frozen import Model
from dovetail.multibody.state import BodyState


class VariationalStepper:
    """One run of a scheme given by its rule of discrete momentum and whether it projects."""

    def __init__(self, model: Model, law: ForceLaw | None, rule: int, projects: bool) -> None:
        self._joined = JoinedState(model, law)
        self._rule, self._projects = rule, projects
        self._joined.end_forces.knows_joints = projects
        self._h_before = 0.0

    @property
    def bodies(self) -> BodyState:
        return self._joined.bodies

    def step(self, t_next: float) -> StepReport:
        joined = self._joined
        h = t_next - joined.bodies.t
        if self._h_before == 0.0:
            joined.soften_dampers(h)
        joined.place_others(t_next)
        if joined.plain:
            code, body, iterations, size = variational_step.step(
                h, self._h_before, self._rule, self._projects, joined.parts
            )
        else:
            code, body, iterations, size = self._step_with_extra(h, t_next)
        if code != DONE:
            raise joined.failure(code, body, size, t_next)
        joined.arrive(t_next)
        self._h_before = h
        return StepReport(iterations, size, near=joined.end_forces.near)

    def _step_with_extra(self, h: float, t_next: float) -> tuple[int, int, int, float]:
        """A step whose end forces need Python and are solved for together with velocities."""
        joined, rule, projects = self._joined, self._rule, self._projects
        code, body, iterations, size = variational_step.move(
            h, self._h_before, rule, projects, joined.parts
        )
        if code != DONE:
            return code, body, iterations, size
        G, before = joined.after.G, joined.work.extra.copy()
        closed: tuple[int, int] = (DONE, -1)

        def kick() -> bool:
            nonlocal closed
            closed = variational_step.close(h, rule, projects, joined.parts)
            return bool(closed[0] == DONE)

        settled = 0
        try:
            settled = joined.end_forces.solve(
                0.5 * h, joined.work.extra, joined.next_bodies, kick,
                lambda bodies: joined.answers(G, G, bodies),
            )  # fmt: skip
        finally:
            if not settled:
                joined.work.extra[...] = before
        if not settled:
            return *closed, iterations, size
        variational_step.commit(joined.parts)
        return DONE, -1, iterations + settled, size

    def observe(self) -> Observation:
        return self._joined.observe()

    def snapshot(self) -> Snapshot:
        return self._joined.snapshot() | {"h_before": np.array(self._h_before)}

    def restore(self, snapshot: Snapshot) -> None:
        self._joined.restore(snapshot)
        self._h_before = float(snapshot["h_before"])
