"""Euler parameters and multipliers, integrated by a Runge-Kutta method."""

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dovetail.contact.law import ContactMethod, ForceLaw, LawKind
from dovetail.errors import InputError, RunError
from dovetail.integrators.euler_parameter_dae import stages as kernel
from dovetail.integrators.euler_parameter_dae.runge_kutta import CLASSICAL, DORMAND_PRINCE
from dovetail.integrators.interface import JointValues, Observation, Snapshot, StepReport
from dovetail.integrators.pairing import prepared_law
from dovetail.integrators.shared.constrained_state import ConstrainedState
from dovetail.integrators.shared.held_limits import HeldLimits, refuse_limits
from dovetail.integrators.variational.stages import DONE, SINGULAR
from dovetail.model.frozen import Model
from dovetail.multibody.constraints.joint_friction import row_mobility
from dovetail.multibody.inputs import Inputs
from dovetail.multibody.state import BodyState
from dovetail.runtime.options import named_parameters

STABILISATIONS = ("projection", "baumgarte", "none")
SAFETY, MIN_FACTOR, MAX_FACTOR = 0.9, 0.2, 5.0  # of the next step relative to the last
MAX_SUBSTEPS = 100_000
STABLE = 2.0  # step times rate of dampers
SLOWEST = 1e-200  # of a rate at which friction sticks: bodies that nothing moves


@named_parameters
@dataclass(frozen=True)
class EulerParameterDAE:
    """Runge-Kutta on q = (x, Lambda) with the joints' second derivatives; fourth order.

    The augmented system of seed equations 13-25: quaternions Lambda of unit length, multipliers
    from d^2 phi/dt^2 = 0. `stabilisation` keeps the joints from drifting apart: 'projection' of
    poses and velocities after each step, 'baumgarte' (with `decay` [1/s]), or 'none'. With a
    `tolerance` the method of Dormand and Prince takes as many steps within each step as keep the
    estimated error of one below it (relative to the scene's length, 1 rad, and the largest speed
    or one length per step, whichever is more); without, the classical one takes the step as it is.
    The baseline that variational schemes are compared with: accurate for short times, but energy
    drifts.
    """

    stabilisation: str = "projection"
    decay: float = 10.0
    tolerance: float | None = None

    name: ClassVar[str] = "EulerParameterDAE"
    order: ClassVar[int] = 4
    takes: ClassVar[frozenset[LawKind]] = frozenset({"force"})
    takes_joints: ClassVar[bool] = True
    takes_couplings: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.stabilisation not in STABILISATIONS:
            raise InputError(
                f"`stabilisation` must be one of {', '.join(STABILISATIONS)}, got "
                f"{self.stabilisation!r}"
            )
        if not (isinstance(self.decay, int | float) and 0.0 < self.decay < np.inf):
            raise InputError(f"`decay` must be > 0 1/s, got {self.decay!r}")
        given = self.tolerance
        if given is not None and not (isinstance(given, int | float) and 1e-14 <= given < 1.0):
            raise InputError(
                f"`tolerance` must be None or from 1e-14 up to 1, relative, got {given!r}"
            )

    def start(self, model: Model, contact: ContactMethod | None) -> "EulerParameterStepper":
        refuse_limits(model, contact, self.name)
        law = prepared_law(self, model, contact)
        return EulerParameterStepper(model, law, self)


class EulerParameterStepper:
    """One run of `EulerParameterDAE`."""

    def __init__(self, model: Model, law: ForceLaw | None, settings: EulerParameterDAE) -> None:
        self._constrained = ConstrainedState(model, law)
        self._constrained.divides = True
        self._limits = HeldLimits(self._constrained)
        self._projects = settings.stabilisation == "projection"
        self._decay = float(settings.decay) if settings.stabilisation == "baumgarte" else 0.0
        self._tolerance = settings.tolerance
        self._method = CLASSICAL if settings.tolerance is None else DORMAND_PRINCE
        self._next_h = np.inf  # [s] length of the next substep
        self._warned = False
        n, stages = model.n_bodies, len(self._method.c)
        self._y, self._y_stage = np.zeros((2, n, kernel.WIDTH))
        self._end = np.zeros((n, kernel.WIDTH))
        self._K = np.zeros((stages, n, kernel.WIDTH))
        kernel.begin(self._constrained.parts, self._y)

    @property
    def holds_limits(self) -> bool:
        """Whether limits are held only where they rest: arrivals must divide the step."""
        return bool(self._limits)

    @property
    def bodies(self) -> BodyState:
        return self._constrained.bodies

    def step(self, t_next: float) -> StepReport:
        h = t_next - self.bodies.t
        self._constrained.take_creep(abs(h))
        if not self._limits:
            return self._take(t_next)
        return self._limits.step(h, lambda _: self._take(t_next), self.snapshot, self.restore)

    def _take(self, t_next: float) -> StepReport:
        """The step in one part or in several."""
        if self._tolerance is not None:
            return self._substeps(t_next, self._tolerance)
        t, total, largest = self.bodies.t, 0, 0.0
        parts = self._stable_parts(t_next - t)
        for part in range(1, parts + 1):
            to = t_next if part == parts else t + part * (t_next - t) / parts
            iterations, size = self._whole_step(to)
            total, largest = total + iterations, max(largest, size)
        return StepReport(total, largest, near=self._constrained.end_forces.near)

    def _whole_step(self, t_next: float) -> tuple[int, float]:
        """One step of the classical method; stages and iterations, size of the projection."""
        h, G, constrained = t_next - self.bodies.t, self._constrained.after.G, self._constrained
        self._advance(t_next, 0.0)
        constrained.end_forces.refuse_too_stiff(
            h, constrained.next_bodies, lambda bodies: constrained.responses(G, G, bodies)
        )
        iterations, size = self._finish(t_next)
        return len(self._method.c) + iterations, size

    def _stable_parts(self, h: float) -> int:
        """Into how many a step must be divided that dampers and friction do not make unstable.

        Their rates add up to sum c mu at most, mu the mobility along one and c the damping, or that
        of dry friction that sticks; the classical method is stable up to 2.78 / h on the negative
        axis (Hairer and Wanner 1996, IV.2).
        """
        constants = self._constrained.system.constants
        sticking = np.zeros(len(constants.role))
        rubs = constants.frictions
        sticking[rubs] = constants.friction[rubs] / np.maximum(constants.creep[rubs], SLOWEST)
        strength = constants.damping + sticking
        rows = np.flatnonzero(strength > 0.0)
        if not len(rows):
            return 1
        self._constrained.solve_reactions()
        parts = self._constrained.parts
        mobility = np.array([float(row_mobility(parts, r)) for r in rows])
        rate, damped = float(strength[rows] @ mobility), float(constants.damping[rows] @ mobility)
        if abs(h) * rate <= STABLE:
            return 1
        count = int(np.ceil(abs(h) * rate / STABLE))
        if count > MAX_SUBSTEPS:
            raise RunError(
                f"dampers of the scene act at {rate:.3g} 1/s, which this explicit scheme cannot "
                f"follow with steps of {h:.3g} s; use RATTLie or JointCoordinates",
                self.bodies.t,
            )
        if not self._warned and abs(h) * damped > STABLE:
            self._warned = True
            warnings.warn(
                f"EulerParameterDAE divides a step of {abs(h):.3g} s into {count}: dampers of the "
                f"scene act at {rate:.3g} 1/s, and an explicit scheme is stable up to 2.8 / step; "
                "RATTLie and JointCoordinates take it whole",
                stacklevel=3,
            )
        return count

    def _substeps(self, t_next: float, tolerance: float) -> StepReport:
        """As many steps to `t_next` as the tolerance requires."""
        total, worst, slow = 0, 0.0, 1.0 / abs(t_next - self.bodies.t)
        for _ in range(MAX_SUBSTEPS):
            t = self.bodies.t
            left = t_next - t
            last = self._next_h >= abs(left) * (1.0 - 1e-12)
            h = left if last else float(np.copysign(self._next_h, left))
            error = self._advance(t_next if last else t + h, slow) / tolerance
            total += len(self._method.c)
            wanted = float(
                np.clip(SAFETY * max(error, 1e-10) ** -0.2, MIN_FACTOR, MAX_FACTOR)
            ) * abs(h)
            if error > 1.0:
                if wanted <= 1e-14 * max(abs(t), abs(left)):
                    break
                self._next_h = wanted
                continue
            self._next_h = max(wanted, self._next_h) if last else wanted
            iterations, size = self._finish(t_next if last else t + h)
            total, worst = total + iterations, max(worst, error)
            if last:
                return StepReport(total, size, error=worst, near=self._constrained.end_forces.near)
        raise RunError(
            f"the error of a step stays above `tolerance` = {tolerance:g} down to steps of "
            f"{self._next_h:.3g} s; use a larger one or look for a force that jumps",
            self.bodies.t,
        )

    def _advance(self, t_next: float, slow: float) -> float:
        """The stages of a step to `t_next` into `self._end`; its estimated error, if known.

        Speeds are not resolved below `slow` [1/s] times the scene's length.
        """
        constrained, method, K = self._constrained, self._method, self._K
        t, h = self.bodies.t, t_next - self.bodies.t
        if constrained.autonomous:
            body = kernel.all_stages(
                h, method.a, method.b, self._y, K, self._y_stage, self._end, constrained.parts,
                constrained.carried, self._decay,
            )  # fmt: skip
            if body >= 0:
                raise constrained.failure(SINGULAR, body, 0.0, t_next)
        else:
            self._stage_by_stage(t, t_next)
        if method.error is None:
            return 0.0
        length = float(constrained.system.constants.length[0])
        return float(
            kernel.largest_error(h, method.error, length, slow, constrained.parts, self._y, K)
        )

    def _stage_by_stage(self, t: float, t_next: float) -> None:
        """The stages where motors, kinematic bodies or forces from Python change between them."""
        constrained, method, K, h = self._constrained, self._method, self._K, t_next - t
        for s, c in enumerate(method.c):
            at = t_next if c == 1.0 else t + c * h
            constrained.place_others(at)
            kernel.place(h, method.a, s, self._y, K, self._y_stage, constrained.parts)
            constrained.carry(at)
            if not constrained.plain:
                constrained.work.extra[...] = constrained.end_forces.wrenches(
                    constrained.next_bodies
                )
            body = kernel.rates(
                s, self._y_stage, K, constrained.parts, constrained.carried, self._decay
            )
            if body >= 0:
                raise constrained.failure(SINGULAR, body, 0.0, at)
        kernel.combine(constrained.system.tree.order, h, method.b, 0, self._y, K, self._end)

    def _finish(self, t_next: float) -> tuple[int, float]:
        """Take the end of the step as the current state; (iterations, size) of the projection."""
        constrained = self._constrained
        constrained.place_others(t_next)
        code, body, iterations, size = kernel.finish(constrained.parts, self._projects, self._end)
        if code != DONE:
            raise constrained.failure(code, body, size, t_next)
        self._y[...] = self._end
        constrained.finish_step(t_next)
        return iterations, size

    def set_inputs(self, inputs: Inputs, carried: bool = False) -> None:
        self._constrained.set_inputs(inputs, carried)

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        self._constrained.set_state(state, coordinates)
        self._next_h = np.inf
        kernel.begin(self._constrained.parts, self._y)

    def observe(self) -> Observation:
        return self._constrained.observe()

    def snapshot(self) -> Snapshot:
        return self._constrained.snapshot() | {
            "y": self._y.copy(),
            "next_h": np.array(self._next_h),
        }

    def restore(self, snapshot: Snapshot) -> None:
        self._constrained.restore(snapshot)
        self._y[...] = snapshot["y"]
        self._next_h = float(snapshot["next_h"])
