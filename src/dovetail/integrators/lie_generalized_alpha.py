"""Lie group generalized-alpha: implicit, index 3, damps what the step cannot resolve."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dovetail.contact.laws import ContactMethod, ForceLaw, LawKind
from dovetail.dynamics.state import BodyState
from dovetail.errors import InputError, RunError
from dovetail.integrators.interface import Memory, Observation, StepReport
from dovetail.integrators.joined_state import JoinedState, refuse_limits
from dovetail.integrators.pairing import refuse_mismatch
from dovetail.kernels import lie_alpha_step
from dovetail.kernels.lie_alpha_step import alpha_memory, bundle_alpha
from dovetail.kernels.position_stage import DONE
from dovetail.model.frozen import Model

TOLERANCE = 1e-12  # relative, of forces that Python finds at the end of the step
MOST_ITERATIONS = 100


@dataclass(frozen=True)
class LieGeneralizedAlpha:
    """Second order; `spectral_radius` in [0, 1] is what is left of a mode of infinite frequency.

    Bruls, Cardona and Arnold 2012; Huang et al. 2022 compare with a spectral radius of 0.9.
    Positions satisfy the joints to round-off, velocities to O(h^2); energy drifts.
    """

    spectral_radius: float = 0.9

    name: ClassVar[str] = "LieGeneralizedAlpha"
    order: ClassVar[int] = 2
    takes: ClassVar[frozenset[LawKind]] = frozenset({"force"})
    takes_joints: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not (isinstance(self.spectral_radius, int | float) and 0 <= self.spectral_radius <= 1):
            raise InputError(
                f"`spectral_radius` must be between 0 and 1, got {self.spectral_radius!r}"
            )

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma of Chung and Hulbert."""
        rho = float(self.spectral_radius)
        alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        gamma = 0.5 - alpha_m + alpha_f
        return alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma

    def start(self, model: Model, contact: ContactMethod | None) -> "AlphaStepper":
        refuse_mismatch(self, model, contact)
        refuse_limits(model, self.name)
        law = None if contact is None else contact.prepare(model)
        return AlphaStepper(model, law, self.numbers)


class AlphaStepper:
    """One run of `LieGeneralizedAlpha`."""

    def __init__(
        self, model: Model, law: ForceLaw | None, numbers: tuple[float, float, float, float]
    ) -> None:
        self._joined = JoinedState(model, law)
        self._numbers = numbers
        self._memory = alpha_memory(model.n_bodies)
        self._bundle = bundle_alpha(*self._memory)
        self._joined.solve_reactions()
        self._memory.w[...] = self._memory.a[...] = self._joined.work.u

    @property
    def bodies(self) -> BodyState:
        return self._joined.bodies

    def step(self, t_next: float) -> StepReport:
        joined = self._joined
        h = t_next - joined.bodies.t
        joined.place_others(t_next)
        before = joined.work.extra.copy()
        total = 0
        for _ in range(MOST_ITERATIONS):
            code, body, iterations, size = lie_alpha_step.solve_step(
                h, self._numbers, self._bundle, joined.parts
            )
            total += iterations
            if code != DONE:
                joined.work.extra[...] = before
                raise joined.failure(code, body, size, t_next)
            if joined.plain:
                break
            wanted = joined.extra_wrenches(joined.next_bodies)
            left = float(np.abs(wanted - joined.work.extra).max())
            joined.work.extra[...] = wanted
            if left <= TOLERANCE * max(float(np.abs(wanted).max()), 1e-300):
                break
        else:
            joined.work.extra[...] = before
            raise RunError(
                f"forces that depend on the state did not settle in {MOST_ITERATIONS} iterations: "
                f"they still change by {left:.3g} N; use a smaller step than {h:.3g} s",
                t_next,
            )
        lie_alpha_step.commit(self._bundle, joined.parts)
        joined.arrive(t_next)
        return StepReport(total, size)

    def observe(self) -> Observation:
        return self._joined.observe()

    def memory(self) -> Memory:
        own = {"w": self._memory.w.copy(), "a": self._memory.a.copy()}
        return self._joined.memory() | {f"alpha_{name}": array for name, array in own.items()}

    def restore(self, memory: Memory) -> None:
        self._joined.restore(memory)
        self._memory.w[...] = memory["alpha_w"]
        self._memory.a[...] = memory["alpha_a"]
