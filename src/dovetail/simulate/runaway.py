"""Speeds that grow without bound end a run, with the body and what may drive it."""

from functools import cached_property
from math import inf

import numpy as np

from dovetail.errors import RunError
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import quote
from dovetail.multibody.kept_arrays import KeptArrays
from dovetail.multibody.loads.forces import load_forces
from dovetail.multibody.motion_squares import bundle_motion_arrays, motion_squares
from dovetail.multibody.state import BodyState, initial_state
from dovetail.simulate.energy_watch import sources_of_energy
from dovetail.simulate.failures import refuse_not_finite, seems_finite

GROWTH = 1e6  # times the speed that the scene explains
SUSPICIOUS = 1e3  # times that, where a step has failed
STRIDES = 1e3  # sizes of the scene in one step, or radians


class Runaway:
    """Compares speeds with what the start, gravity and constant forces explain."""

    def __init__(self, model: Model, duration: float) -> None:
        self._model = model
        self._kept = KeptArrays(bundle_motion_arrays)
        moves = model.motion == DYNAMIC
        sizes = [body.surface.radius for body in model.bodies]
        self._size = max(
            float(np.max(sizes, initial=0.0)),
            float(np.linalg.norm(np.ptp(model.position, axis=0))) if model.n_bodies > 1 else 0.0,
        )
        speed = np.linalg.norm(model.velocity, axis=1).max(initial=0.0)
        spin = np.linalg.norm(model.angular_velocity, axis=1).max(initial=0.0)
        self._speed = max(float(speed), self._size / duration)
        self._spin = max(float(spin), 1 / duration)
        self._any = bool(moves.any()) and self._size > 0

    @cached_property
    def _pull(self) -> float:
        """[m/s^2] of gravity and constant loads."""
        model = self._model
        moves = model.motion == DYNAMIC
        force, _ = load_forces(model).compiled_wrenches(initial_state(model))
        pulls = np.linalg.norm(force[moves], axis=1) / model.mass[moves]
        return float(np.max(pulls, initial=0.0))

    def refuse_state(
        self, state: BodyState, h: float, squares: tuple[float, float, float] | None = None
    ) -> None:
        """Raise RunError for what a step of h [s] must not lead to.

        That are numbers that are not finite, and speeds that nothing in the scene explains.
        `squares` are those of the state, where they are known.
        """
        v2, w2, places = self._squares(state) if squares is None else squares
        if not v2 + w2 + places < inf:
            refuse_not_finite(self._model, state)
        if not self._any:
            return
        fast, turning = STRIDES * self._size / h, STRIDES / h
        if v2 <= fast * fast and w2 <= turning * turning:
            return
        explained = self._speed + self._pull * state.t
        fast = max(GROWTH * explained, fast)
        turning = max(GROWTH * (self._spin + explained / self._size), turning)
        if v2 <= fast * fast and w2 <= turning * turning:
            return
        raise RunError(self._sentence(state, fast, turning), state.t)

    def _squares(self, state: BodyState) -> tuple[float, float, float]:
        """Sums of v^2, of omega^2, and of x^2 and R^2; not finite where a number is not."""
        kept = self._kept.of(state)
        if kept is not None:
            v2, w2, places = motion_squares(kept)
            return v2, w2, places
        v2, w2 = float(np.vdot(state.v, state.v)), float(np.vdot(state.omega, state.omega))
        return v2, w2, float(np.vdot(state.x, state.x) + np.vdot(state.R, state.R))

    def cause(self, state: BodyState) -> str:
        """Why a step may have failed: speeds that something drives far beyond what is explained."""
        if not self._any or not sources_of_energy(self._model) or not seems_finite(state):
            return ""
        explained = self._speed + self._pull * state.t
        fast, turning = SUSPICIOUS * explained, SUSPICIOUS * (self._spin + explained / self._size)
        v2, w2, _ = self._squares(state)
        if v2 <= fast * fast and w2 <= turning * turning:
            return ""
        return self._sentence(state, fast, turning)

    def _sentence(self, state: BodyState, fast: float, turning: float) -> str:
        """Which body, how fast, and what drives it."""
        speeds = np.linalg.norm(state.v, axis=1) / fast
        spins = np.linalg.norm(state.omega, axis=1) / turning
        body = int(np.argmax(np.maximum(speeds, spins)))
        driving = sources_of_energy(self._model)
        what = (
            f"check what drives it: {', '.join(driving[:3])}" if driving else "use a smaller step"
        )
        return (
            f"the speed of body {quote(self._model.names[body])} grows without bound: it reached "
            f"{np.linalg.norm(state.v[body]):.3g} m/s and "
            f"{np.linalg.norm(state.omega[body]):.3g} rad/s; {what}"
        )
