"""Euler parameters and multipliers, integrated by the classical Runge-Kutta method."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dovetail.contact.laws import ContactMethod, ForceLaw, LawKind
from dovetail.dynamics.state import BodyState
from dovetail.errors import InputError
from dovetail.integrators.interface import Memory, Observation, StepReport
from dovetail.integrators.joined_state import JoinedState, refuse_limits
from dovetail.integrators.pairing import refuse_mismatch
from dovetail.kernels import euler_parameter_step
from dovetail.kernels.position_stage import DONE, SINGULAR
from dovetail.lie import so3
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array

L_ENTRY = np.array([[1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]])
L_SIGN = np.array([[-1.0, 1, 1, -1], [-1, -1, 1, 1], [-1, 1, -1, 1]])
STABILISATIONS = ("projection", "baumgarte", "none")


@dataclass(frozen=True)
class EulerParameterDAE:
    """Fourth-order Runge-Kutta on q = (x, Lambda) with the joints' second derivatives.

    The augmented system of seed equations 13-25: quaternions Lambda of unit length, multipliers
    from d^2 phi/dt^2 = 0. `stabilisation` keeps the joints from drifting apart: 'projection' of
    poses and velocities after each step, 'baumgarte' (with `decay` [1/s]), or 'none'. The baseline
    that variational schemes are compared with: accurate for short times, but energy drifts.
    """

    stabilisation: str = "projection"
    decay: float = 10.0

    name: ClassVar[str] = "EulerParameterDAE"
    order: ClassVar[int] = 4
    takes: ClassVar[frozenset[LawKind]] = frozenset({"force"})
    takes_joints: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.stabilisation not in STABILISATIONS:
            raise InputError(
                f"`stabilisation` must be one of {', '.join(STABILISATIONS)}, got "
                f"{self.stabilisation!r}"
            )
        if not (isinstance(self.decay, int | float) and 0.0 < self.decay < np.inf):
            raise InputError(f"`decay` must be > 0 1/s, got {self.decay!r}")

    def start(self, model: Model, contact: ContactMethod | None) -> "EulerParameterStepper":
        refuse_mismatch(self, model, contact)
        refuse_limits(model, self.name)
        law = None if contact is None else contact.prepare(model)
        return EulerParameterStepper(model, law, self)


@dataclass
class _Coordinates:
    """x [m], Lambda, and their rates; also used for rates of all these."""

    x: Array  # (n, 3)
    p: Array  # (n, 4) w, x, y, z
    v: Array  # (n, 3)
    p_rate: Array  # (n, 4)

    def plus(self, h: float, rate: "_Coordinates") -> "_Coordinates":
        return _Coordinates(
            self.x + h * rate.x, self.p + h * rate.p, self.v + h * rate.v,
            self.p_rate + h * rate.p_rate,
        )  # fmt: skip


def _L(p: Array) -> Array:
    """L of equation 17, (n, 3, 4): omega in body axes is 2 L dLambda/dt."""
    return np.asarray(p[:, L_ENTRY] * L_SIGN)


class EulerParameterStepper:
    """One run of `EulerParameterDAE`."""

    def __init__(self, model: Model, law: ForceLaw | None, settings: EulerParameterDAE) -> None:
        self._joined = JoinedState(model, law)
        self._projects = settings.stabilisation == "projection"
        self._decay = float(settings.decay) if settings.stabilisation == "baumgarte" else 0.0
        self._moves = model.motion == DYNAMIC
        self._p = so3.to_quaternion(self._joined.bodies.R)
        self._p_rate = self._rate_of(self._p, self._joined.bodies.omega)

    @staticmethod
    def _rate_of(p: Array, omega: Array) -> Array:
        """dLambda/dt = L^T omega / 2."""
        return np.asarray(0.5 * np.einsum("nij,ni->nj", _L(p), omega))

    @property
    def bodies(self) -> BodyState:
        return self._joined.bodies

    def step(self, t_next: float) -> StepReport:
        state = self._joined.bodies
        t, h = state.t, t_next - state.t
        y = _Coordinates(state.x.copy(), self._p, state.v.copy(), self._p_rate)
        k1 = self._rate(t, y)
        k2 = self._rate(t + 0.5 * h, y.plus(0.5 * h, k1))
        k3 = self._rate(t + 0.5 * h, y.plus(0.5 * h, k2))
        k4 = self._rate(t_next, y.plus(h, k3))
        end = y
        for k, weight in ((k1, h / 6), (k2, h / 3), (k3, h / 3), (k4, h / 6)):
            end = end.plus(weight, k)
        self._take(t_next, end)
        code, body, iterations, size = euler_parameter_step.arrive(
            self._joined.parts, self._projects
        )
        if code != DONE:
            raise self._joined.failure(code, body, size, t_next)
        self._joined.arrive(t_next)
        self._p, self._p_rate = end.p, end.p_rate
        if self._projects:
            near = np.sign(np.einsum("ni,ni->n", so3.to_quaternion(state.R), end.p))
            self._p = near[:, None] * so3.to_quaternion(state.R)
            self._p_rate = self._rate_of(self._p, state.omega)
        return StepReport(4 + iterations, size, near=self._joined.closing.near)

    def _take(self, t: float, y: _Coordinates) -> None:
        """Write coordinates as poses and twists into the state after the step."""
        joined, moves = self._joined, self._moves
        joined.place_others(t)
        after = joined.next_bodies
        after.x[moves], after.v[moves] = y.x[moves], y.v[moves]
        unit = y.p / np.linalg.norm(y.p, axis=1)[:, None]
        after.R[moves] = so3.from_quaternion(unit)[moves]
        after.omega[moves] = 2.0 * np.einsum("nij,nj->ni", _L(y.p), y.p_rate)[moves]

    def _rate(self, t: float, y: _Coordinates) -> _Coordinates:
        """dq/dt and d^2q/dt^2 = (a, L^T alpha / 2 - |dLambda/dt|^2 Lambda)."""
        joined = self._joined
        self._take(t, y)
        joined.carry(t)
        joined.work.extra[...] = joined.closing.wrenches(joined.next_bodies)
        body = euler_parameter_step.accelerations_after(joined.parts, joined.carried, self._decay)
        if body >= 0:
            raise joined.failure(SINGULAR, body, 0.0, t)
        u = joined.work.u
        bent = np.einsum("ni,ni->n", y.p_rate, y.p_rate)[:, None] * y.p
        second = self._rate_of(y.p, u[:, 3:]) - bent
        return _Coordinates(y.v, y.p_rate, u[:, :3].copy(), second)

    def observe(self) -> Observation:
        return self._joined.observe()

    def memory(self) -> Memory:
        return self._joined.memory() | {"p": self._p.copy(), "p_rate": self._p_rate.copy()}

    def restore(self, memory: Memory) -> None:
        self._joined.restore(memory)
        self._p, self._p_rate = memory["p"].copy(), memory["p_rate"].copy()
