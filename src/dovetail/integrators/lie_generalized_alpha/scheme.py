"""Lie group generalized-alpha: implicit, index 3, damps what the step cannot resolve."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dovetail.contact.law import ContactMethod, ForceLaw, LawKind
from dovetail.errors import InputError
from dovetail.integrators.interface import JointValues, Observation, Snapshot, StepReport
from dovetail.integrators.lie_generalized_alpha import step as lie_generalized_alpha_step
from dovetail.integrators.lie_generalized_alpha.step import alpha_memory, bundle_alpha
from dovetail.integrators.pairing import prepared_law
from dovetail.integrators.shared.constrained_state import ConstrainedState
from dovetail.integrators.shared.held_limits import HeldLimits, refuse_limits
from dovetail.integrators.variational.stages import DONE
from dovetail.model.frozen import KINEMATIC, Model
from dovetail.multibody.constraints.bodies import ARMATURE, JOINT, MOTOR
from dovetail.multibody.inputs import Inputs
from dovetail.multibody.state import BodyState
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True)
class LieGeneralizedAlpha:
    """Second order; `spectral_radius` in [0, 1] is what is left of a mode of infinite frequency.

    Bruls, Cardona and Arnold 2012; Huang et al. 2022 compare with a spectral radius of 0.9.
    Positions satisfy the joints to round-off, velocities to O(h^2); energy drifts. With 1 nothing
    damps the multipliers of this form, which oscillate more and more in long runs: stay below.
    """

    spectral_radius: float = 0.9

    name: ClassVar[str] = "LieGeneralizedAlpha"
    order: ClassVar[int] = 2
    takes: ClassVar[frozenset[LawKind]] = frozenset({"force"})
    takes_joints: ClassVar[bool] = True
    takes_couplings: ClassVar[bool] = True
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
        refuse_limits(model, contact, self.name)
        law = prepared_law(self, model, contact)
        return AlphaStepper(model, law, self.numbers)


class AlphaStepper:
    """One run of `LieGeneralizedAlpha`."""

    def __init__(
        self, model: Model, law: ForceLaw | None, numbers: tuple[float, float, float, float]
    ) -> None:
        self._constrained = ConstrainedState(model, law, coupled=True)
        self._numbers = numbers
        self._limits = HeldLimits(self._constrained)
        self._memory = alpha_memory(model.n_bodies, len(self._constrained.now.phi))
        self._bundle = bundle_alpha(*self._memory)
        self._code: tuple[int, int, int, float] = (DONE, -1, 0, 0.0)
        self._begun = False
        self._carries = bool((self._constrained.system.constants.role == ARMATURE).any())
        self._kinematic = np.flatnonzero(model.motion == KINEMATIC)

    @property
    def holds_limits(self) -> bool:
        """Whether limits are held only where they rest: arrivals must divide the step."""
        return bool(self._limits)

    @property
    def bodies(self) -> BodyState:
        return self._constrained.bodies

    def step(self, t_next: float) -> StepReport:
        if not self._limits:
            return self._take(t_next)
        h = t_next - self.bodies.t
        return self._limits.step(
            h, lambda others: self._take(t_next, others), self.snapshot, self.restore
        )

    def _take(self, t_next: float, others_hold: bool = False) -> StepReport:
        """A step; accelerations jump where `others_hold`, other limits than in the step before."""
        constrained = self._constrained
        if others_hold:
            self._begun = False
            held = constrained.now.active
            self._memory.aim[...] = np.where(held, constrained.now.phi, 0.0)
        h = t_next - constrained.bodies.t
        if not self._begun:
            self._begin(h)
        constrained.place_others(t_next)
        if self._carries:  # rotors resist what moves kinematic bodies
            constrained.carry(t_next)
            self._memory.w_next[self._kinematic] = constrained.carried[self._kinematic]
        before = constrained.work.extra.copy()
        self._code = DONE, -1, 0, 0.0
        total = 0
        settled = False
        try:
            if constrained.plain:
                settled = self._solve(h)
            else:
                total = self._settle(h)
                settled = total > 0
        finally:
            if not settled:
                constrained.work.extra[...] = before
        code, body, iterations, size = self._code
        if code != DONE:
            raise constrained.failure(code, body, size, t_next, lie_generalized_alpha_step.SETTLED)
        lie_generalized_alpha_step.commit(self._bundle, constrained.parts)
        constrained.finish_step(t_next)
        return StepReport(total + iterations, size, near=constrained.end_forces.near)

    def _begin(self, h: float) -> None:
        """Accelerations of the first state, those of stiff dampers as far as a step resolves them.

        One that would stop a body within a small part of the step would else throw it far back.
        """
        constrained = self._constrained
        constrained.solve_reactions(abs(h) if constrained.stops_within(h) else 0.0)
        self._memory.w[...] = self._memory.a[...] = constrained.work.u
        held = np.isin(constrained.system.constants.role, (JOINT, MOTOR))
        constrained.now.multiplier[held] = constrained.work.lam[held]
        self._begun = True

    def _solve(self, h: float) -> bool:
        """The step with the extra wrenches at hand."""
        self._code = lie_generalized_alpha_step.solve_step(
            h, self._numbers, self._bundle, self._constrained.parts
        )
        return self._code[0] == DONE

    def _settle(self, h: float) -> int:
        """Extra wrenches that fit the end of the step; velocities and places answer to them."""
        constrained = self._constrained
        alpha_m, alpha_f, beta, gamma = self._numbers
        share = (1.0 - alpha_f) / (1.0 - alpha_m)
        return constrained.end_forces.solve_with_poses(
            gamma * h * share, beta * h * h * share, constrained.work.extra,
            constrained.next_bodies, lambda: self._solve(h),
            lambda bodies: constrained.responses(constrained.after.G, constrained.work.G, bodies),
        )  # fmt: skip

    def set_inputs(self, inputs: Inputs, carried: bool = False) -> None:
        """Accelerations jump with the forces, in what is carried to the next step too."""
        constrained = self._constrained
        if carried or not self._begun:
            constrained.set_inputs(inputs, carried)
            return
        constrained.solve_reactions()
        before = constrained.work.u.copy()
        constrained.set_inputs(inputs)
        constrained.solve_reactions()
        jump = constrained.work.u - before
        self._memory.w[...] += jump
        self._memory.a[...] += jump

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        self._constrained.set_state(state, coordinates)
        self._begun = False

    def observe(self) -> Observation:
        return self._constrained.observe()

    def snapshot(self) -> Snapshot:
        own = {name: getattr(self._memory, name).copy() for name in ("w", "a", "aim")}
        own["begun"] = np.array(self._begun)
        return self._constrained.snapshot() | {
            f"alpha_{name}": array for name, array in own.items()
        }

    def restore(self, snapshot: Snapshot) -> None:
        self._constrained.restore(snapshot)
        self._memory.w[...] = snapshot["alpha_w"]
        self._memory.a[...] = snapshot["alpha_a"]
        self._memory.aim[...] = snapshot["alpha_aim"]
        self._begun = bool(snapshot["alpha_begun"])
