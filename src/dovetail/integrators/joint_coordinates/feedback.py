"""Forces of a step in joint coordinates that only Python knows, and that depend on its motion."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.errors import RunError
from dovetail.integrators.shared.fixed_point import Anderson, force_noise
from dovetail.model.values import Array
from dovetail.multibody.mechanism import Mechanism
from dovetail.multibody.state import BodyState

SETTLED = 1e-12  # relative, of forces that only Python knows
MAX_ITERATIONS = 100


def _same(w: Array, g: Array, noise: float) -> bool:
    """Whether forces have settled."""
    scale = max(float(np.abs(w).max(initial=0.0)), float(np.abs(g).max(initial=0.0)))
    return float(np.abs(g - w).max(initial=0.0)) <= max(SETTLED * scale, noise)


class Feedback:
    """Function loads and motors that follow the state, by iteration; False where there are none."""

    def __init__(self, mechanism: Mechanism, functions: Any, work: Any) -> None:
        """`work` is that of the steps, whose efforts and extra wrenches are set here."""
        self._motors = [m for m in mechanism.acting.efforts if m.follows_state]
        self._functions, self._work = functions, work
        self._n_bodies = mechanism.model.n_bodies
        self._noise = min(force_noise(mechanism.model))

    def __bool__(self) -> bool:
        return bool(self._functions) or bool(self._motors)

    def settled(
        self, h: float, t: float, middle: BodyState, step: Callable[[], tuple[int, float]]
    ) -> tuple[int, float]:
        """Repeat `step` of h from t [s] until forces are those of the motion halfway, `middle`."""
        work, q, v = self._work, self._work.q0, self._work.v0
        guesses, iterations = Anderson(), 0
        prescribed, split = work.motor.copy(), 6 * self._n_bodies
        efforts = self._efforts(t, q, v)
        for _ in range(MAX_ITERATIONS):
            self._set_motors(prescribed, efforts, q)
            taken, residual = step()
            iterations += taken
            extra = np.stack((work.extra_force, work.extra_torque))
            w = np.concatenate((extra.ravel(), efforts))
            found = self._efforts(t + 0.5 * h, work.q_m, work.w)
            g = np.concatenate((self._wrenches(middle).ravel(), found))
            parts = slice(split), slice(split, None)
            if all(_same(w[part], g[part], self._noise) for part in parts):
                self._set_motors(prescribed, found, q)
                return iterations, residual
            guess = guesses.next(w, g)
            work.extra_force[...], work.extra_torque[...] = guess[:split].reshape(extra.shape)
            efforts = guess[split:]
        raise RunError(
            f"forces that depend on velocity did not settle in {MAX_ITERATIONS} iterations; use "
            f"a smaller step than {h:.3g} s or a smoother force",
            t + h,
        )

    def _set_motors(self, prescribed: Array, efforts: Array, q: Array) -> None:
        """Efforts of all motors into `work`."""
        motor = self._work.motor
        motor[...] = prescribed
        for one, effort in zip(self._motors, efforts, strict=True):
            motor[...] += effort * one.along.gradient(q, len(motor))

    def _efforts(self, t: float, q: Array, v: Array) -> Array:
        """[N or N m] of the motors that follow the state (q, v) at t."""
        return np.array(
            [
                motor.effort(t, motor.along.value(q), float(motor.along.gradient(q, len(v)) @ v))
                for motor in self._motors
            ]
        )

    def _wrenches(self, state: BodyState) -> Array:
        """Force [N] and torque [N m] of function loads, (2, n, 3)."""
        extra = np.zeros((2, self._n_bodies, 3))
        self._functions.add_wrenches(state, extra[0], extra[1])
        return extra
