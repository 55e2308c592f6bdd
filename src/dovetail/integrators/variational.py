"""The stepper of all variational schemes for bodies with joints."""

import numpy as np

from dovetail.contact.laws import ForceLaw
from dovetail.dynamics.state import BodyState
from dovetail.errors import RunError
from dovetail.integrators.fixed_point import Anderson
from dovetail.integrators.interface import Memory, Observation, StepReport
from dovetail.integrators.joined_state import JoinedState
from dovetail.kernels import variational_step
from dovetail.kernels.position_stage import DONE
from dovetail.model.frozen import Model
from dovetail.model.values import shown

TOLERANCE = 1e-13  # relative, of forces that Python finds at the end velocities
MOST_ITERATIONS = 100


class VariationalStepper:
    """One run of a scheme given by its rule of discrete momentum and whether it projects."""

    def __init__(self, model: Model, law: ForceLaw | None, rule: int, projects: bool) -> None:
        self._joined = JoinedState(model, law)
        self._rule, self._projects = rule, projects
        self._h_before = 0.0

    @property
    def bodies(self) -> BodyState:
        return self._joined.bodies

    def step(self, t_next: float) -> StepReport:
        joined = self._joined
        h = t_next - joined.bodies.t
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
        return StepReport(iterations, size)

    def _step_with_extra(self, h: float, t_next: float) -> tuple[int, int, int, float]:
        """A step whose closing forces need Python: solve w = G(velocities after the kick by w)."""
        joined, rule, projects = self._joined, self._rule, self._projects
        code, body, iterations, size = variational_step.move(
            h, self._h_before, rule, projects, joined.parts
        )
        if code != DONE:
            return code, body, iterations, size
        extra = joined.work.extra
        before, guesses = extra.copy(), Anderson()
        for _ in range(MOST_ITERATIONS):
            code, body = variational_step.close(h, rule, projects, joined.parts)
            if code != DONE:
                extra[...] = before
                return code, body, iterations, size
            iterations += 1
            wanted = joined.extra_wrenches(joined.next_bodies)
            left = np.abs(wanted - extra)
            largest = max(
                np.abs(wanted).max(), np.abs(extra).max(), np.abs(joined.after.force).max()
            )
            if left.max() <= TOLERANCE * largest:
                variational_step.commit(joined.parts)
                return DONE, -1, iterations, size
            extra[...] = guesses.next(extra.ravel().copy(), wanted.ravel()).reshape(extra.shape)
        worst = int(np.argmax(left.max(axis=(0, 2))))
        error = float(left.max() / largest)
        extra[...] = before
        raise RunError(
            f"forces on body {shown(joined.model.names[worst])} that depend on velocity did not "
            f"settle in {MOST_ITERATIONS} iterations: relative residual {error:.3g}, wanted "
            f"{TOLERANCE:g}; use a smaller step than {h:.3g} s or a smoother force",
            t_next,
        )

    def observe(self) -> Observation:
        return self._joined.observe()

    def memory(self) -> Memory:
        return self._joined.memory() | {"h_before": np.array(self._h_before)}

    def restore(self, memory: Memory) -> None:
        self._joined.restore(memory)
        self._h_before = float(memory["h_before"])
