"""Lie group generalized-alpha: implicit, index 3, damps what the step cannot resolve."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dovetail.contact.law import ContactMethod, ForceLaw, LawKind
from dovetail.errors import InputError
from dovetail.integrators.interface import Observation, Snapshot, StepReport
from dovetail.integrators.lie_generalized_alpha import step as lie_generalized_alpha_step
from dovetail.integrators.lie_generalized_alpha.step import alpha_memory, bundle_alpha
from dovetail.integrators.pairing import prepared_law
from dovetail.integrators.shared.constrained_state import JoinedState, refuse_limits
from dovetail.integrators.variational.position_stage import DONE
from dovetail.model.frozen import Model
from dovetail.multibody.constraints.bodies import JOINT, MOTOR
from dovetail.multibody.state import BodyState


@dataclass(frozen=True)
class LieGeneralizedAlpha:
    """Second order; `spectral_radius` in [0, 1] is what is left of a mode of infinite frequency.

    Bruls, Cardona and Arnold 2012; Huang et al. 2022 compare with a spectral radius of 0.9.
    Positions satisfy the joints to round-off, velocities to O(h^2); energy drifts. With 1 nothing
    damps the multipliers of this form, which swing ever wider in long runs: stay below.
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
        refuse_limits(model, self.name)
        law = prepared_law(self, model, contact)
        return AlphaStepper(model, law, self.numbers)


class AlphaStepper:
    """One run of `LieGeneralizedAlpha`."""

    def __init__(
        self, model: Model, law: ForceLaw | None, numbers: tuple[float, float, float, float]
    ) -> None:
        self._joined = JoinedState(model, law, coupled=True)
        self._numbers = numbers
        self._memory = alpha_memory(model.n_bodies)
        self._bundle = bundle_alpha(*self._memory)
        self._code: tuple[int, int, int, float] = (DONE, -1, 0, 0.0)
        self._begun = False

    @property
    def bodies(self) -> BodyState:
        return self._joined.bodies

    def step(self, t_next: float) -> StepReport:
        joined = self._joined
        h = t_next - joined.bodies.t
        if not self._begun:
            self._begin(h)
        joined.place_others(t_next)
        before = joined.work.extra.copy()
        self._code = DONE, -1, 0, 0.0
        total = 0
        settled = False
        try:
            if joined.plain:
                settled = self._solve(h)
            else:
                total = self._settle(h)
                settled = total > 0
        finally:
            if not settled:
                joined.work.extra[...] = before
        code, body, iterations, size = self._code
        if code != DONE:
            raise joined.failure(code, body, size, t_next, lie_generalized_alpha_step.SETTLED)
        lie_generalized_alpha_step.commit(self._bundle, joined.parts)
        joined.arrive(t_next)
        return StepReport(total + iterations, size, near=joined.end_forces.near)

    def _begin(self, h: float) -> None:
        """Accelerations of the first state, those of stiff dampers as far as a step resolves them.

        One that would stop a body within a small part of the step would else throw it far back.
        """
        joined = self._joined
        joined.solve_reactions(abs(h) if joined.stops_within(h) else 0.0)
        self._memory.w[...] = self._memory.a[...] = joined.work.u
        held = np.isin(joined.system.joined.role, (JOINT, MOTOR))
        joined.now.multiplier[held] = joined.work.lam[held]
        self._begun = True

    def _solve(self, h: float) -> bool:
        """The step with the extra wrenches at hand."""
        self._code = lie_generalized_alpha_step.solve_step(
            h, self._numbers, self._bundle, self._joined.parts
        )
        return self._code[0] == DONE

    def _settle(self, h: float) -> int:
        """Extra wrenches that fit the end of the step; velocities and places answer to them."""
        joined = self._joined
        alpha_m, alpha_f, beta, gamma = self._numbers
        share = (1.0 - alpha_f) / (1.0 - alpha_m)
        return joined.end_forces.solve_with_poses(
            gamma * h * share, beta * h * h * share, joined.work.extra, joined.next_bodies,
            lambda: self._solve(h),
            lambda bodies: joined.answers(joined.after.G, joined.work.G, bodies),
        )  # fmt: skip

    def observe(self) -> Observation:
        return self._joined.observe()

    def snapshot(self) -> Snapshot:
        own = {"w": self._memory.w.copy(), "a": self._memory.a.copy()}
        own["begun"] = np.array(self._begun)
        return self._joined.snapshot() | {f"alpha_{name}": array for name, array in own.items()}

    def restore(self, snapshot: Snapshot) -> None:
        self._joined.restore(snapshot)
        self._memory.w[...] = snapshot["alpha_w"]
        self._memory.a[...] = snapshot["alpha_a"]
        self._begun = bool(snapshot["alpha_begun"])
