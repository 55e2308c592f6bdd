"""Forces at the end of a step that only Python knows, and that depend on the velocities there."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.law import DampedLaw, ForceLaw, Forgets, JointedLaw, KeepsHistory
from dovetail.contact.penalty.derivatives import contact_residual
from dovetail.errors import RunError
from dovetail.integrators.interface import Snapshot
from dovetail.integrators.shared.fixed_point import Anderson, Newton, force_noise
from dovetail.integrators.shared.snapshots import part_of, prefixed
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array, quote
from dovetail.multibody.body_arrays import relative_change
from dovetail.multibody.freedoms import unheld_arrays
from dovetail.multibody.loads.functions import FunctionLoads
from dovetail.multibody.state import BodyState

TOLERANCE = 1e-13  # relative, of the end velocities
CONTACT_TOLERANCE = 1e-12  # where many contact forces cancel, rounding leaves no more
MAX_ITERATIONS = 100
UNSTABLE = 2.0  # natural frequency times step beyond which an explicit step diverges
MARGIN = 1.1  # of frequencies found stable, before they are computed again
MAX_PREDICTIONS = 60  # of the velocities of one iteration

Bodies = NDArray[np.int64]
Kick = Callable[[], bool]
"""Gives the state the velocities after a kick by the current wrenches; False where it cannot."""
Responses = Callable[[Bodies], Array]
"""(6m, 6m) change of (v, spin) of m bodies per impulse on them, world axes."""


class Prediction(NamedTuple):
    """Some bodies, and the velocities that all will have."""

    bodies: Bodies  # (m,)
    v: Array  # (n, 3) [m/s]
    omega: Array  # (n, 3) [rad/s] body axes


class EndForces:
    """Wrenches of contact and of the user's functions, solved for as w = G(velocities after w).

    The velocities change with w by a known matrix, so Newton's method runs on predicted velocities
    and the step itself is completed only once or twice.
    """

    def __init__(self, model: Model, law: ForceLaw | None, functions: FunctionLoads | None) -> None:
        self._model, self.law, self._functions = model, law, functions
        given: object = law
        self._damped = given if isinstance(given, DampedLaw) else None
        self._with_history = given if isinstance(given, KeepsHistory) else None
        self._jointed = given if isinstance(given, JointedLaw) else None
        self.knows_joints = True  # False: responses are those of free bodies
        self._moves = model.motion == DYNAMIC
        self._residual = relative_change if law is None else contact_residual
        self._tolerance = TOLERANCE if law is None else CONTACT_TOLERANCE
        self._stable_up_to = UNSTABLE  # natural frequency of free bodies times step
        self._arrays = unheld_arrays(model) if self else None
        self._noise = force_noise(model)

    def __bool__(self) -> bool:
        return self.law is not None or bool(self._functions)

    @property
    def near(self) -> bool:
        """Whether two bodies were so close that the narrow phase was needed."""
        return bool(getattr(self.law, "near", False))

    def wrenches(self, state: BodyState) -> Array:
        """Force [N] and torque [N m] on all bodies at `state`, (2, n, 3)."""
        extra = np.zeros((2, self._model.n_bodies, 3))
        if self._functions:
            self._functions.add_wrenches(state, extra[0], extra[1])
        if self.law is not None:
            extra += self.law.wrenches(state)
        return extra

    def solve(
        self, time: float, w: Array, state: BodyState, kick: Kick, responses: Responses
    ) -> int:
        """Find `w` (2, n, 3), in place; returns how often the kick was made, 0 if it could not be.

        `state` starts with the velocities of before, from which the first guess follows, and ends
        with those after the kick; w acts for `time` [s].
        """
        w[...] = self.wrenches(state)
        guesses = Anderson()
        error, body = np.inf, 0
        predicted = None
        for iteration in range(1, MAX_ITERATIONS + 1):
            if not kick():
                return 0
            if predicted is not None and _same_motion(state, predicted):
                self.refuse_too_stiff(2.0 * time, state, responses)
                return iteration
            g = self.wrenches(state)
            error, body = self._residual_of(time, w, g - w, state)
            if error <= self._tolerance:
                self.refuse_too_stiff(2.0 * time, state, responses)
                return iteration
            bodies, derivatives = self._derivatives(state)
            if len(bodies):
                on_bodies, predicted = self._predict(
                    time, w, g, state, bodies, derivatives, responses(bodies)
                )
                w[...] = g
                w[:, bodies] = on_bodies
            else:
                w[...] = guesses.next(w.ravel().copy(), g.ravel()).reshape(w.shape)
        raise self.not_converged(error, body, 2.0 * time, state.t)

    def solve_with_poses(
        self, time: float, time_squared: float, w: Array, state: BodyState, kick: Kick,
        responses: Responses,
    ) -> int:  # fmt: skip
        """As `solve`, where `kick` moves the bodies too: by time_squared times their responses."""
        w[...] = self.wrenches(state)
        guesses, newton = Anderson(), Newton()
        error, body = np.inf, 0
        everyone, moved_per_velocity = np.arange(self._model.n_bodies), time_squared / time
        for iteration in range(1, MAX_ITERATIONS + 1):
            if not kick():
                return 0
            g = self.wrenches(state)
            error, body = self._residual_of(time, w, g - w, state)
            if error <= self._tolerance:
                return iteration
            if self._damped is not None:
                tried = newton.next(
                    by_body(w, everyone), by_body(g, everyone),
                    lambda: time * self._jacobian(state, moved_per_velocity, responses),
                )  # fmt: skip
                w[...] = by_part(tried)
            else:
                w[...] = guesses.next(w.ravel().copy(), g.ravel()).reshape(w.shape)
        raise self.not_converged(error, body, 2.0 * time, state.t)

    def _jacobian(self, state: BodyState, moved_per_velocity: float, responses: Responses) -> Array:
        """Change of all wrenches per wrench and time, (6n, 6n); see `_derivatives`."""
        bodies, derivatives = self._derivatives(state, moved_per_velocity)
        n = self._model.n_bodies
        jacobian = np.zeros((6 * n, 6 * n))
        if len(bodies):
            rows = (6 * bodies[:, None] + np.arange(6)).ravel()
            jacobian[np.ix_(rows, rows)] = derivatives @ responses(bodies)
        return jacobian

    def refuse_too_stiff(self, h: float, state: BodyState, responses: Responses) -> None:
        """Raise RunError where natural frequencies of jointed bodies are too high for the step.

        The law knows masses only; what joints add to them is in `responses`. Computed where the
        frequency of free bodies is too high, and higher than those found stable before.
        """
        if self._jointed is None or self._damped is None or not self.knows_joints:
            return
        if_free = h * self._jointed.natural_frequency()
        if if_free <= self._stable_up_to:
            return
        derivatives = self._damped.position_derivatives(state)
        bodies = np.flatnonzero(derivatives.any(axis=(1, 2, 3)) & self._moves)
        if not len(bodies):
            return
        squared = np.linalg.eigvals(of_bodies(derivatives, bodies) @ responses(bodies)).real
        frequency = float(np.sqrt(max(-squared.min(), 0.0)))
        if frequency * h > UNSTABLE:
            names = ", ".join(quote(self._model.names[body]) for body in bodies[:4])
            raise RunError(
                f"contacts of {names} have a natural frequency of {frequency:.4g} rad/s, too high "
                f"for a step of {h:.3g} s; use a step of at most {0.2 / frequency:.2g} s, or a "
                "smaller `stiffness`",
                state.t,
            )
        self._stable_up_to = MARGIN * if_free

    def _residual_of(
        self, time: float, w: Array, left: Array, state: BodyState
    ) -> tuple[float, int]:
        force, moment = self._noise
        if self.law is None and np.abs(left[0]).max() <= force and np.abs(left[1]).max() <= moment:
            return 0.0, 0
        error, body = self._residual(
            time, self._arrays, state.R, state.v, state.spin, w[0], w[1], left[0], left[1]
        )
        return float(error), int(body)

    def not_converged(self, error: float, body: int, h: float, t: float) -> RunError:
        """The error where no solution was found."""
        return RunError(
            f"forces on body {quote(self._model.names[body])} that depend on velocity did not "
            f"settle in {MAX_ITERATIONS} iterations: relative residual {error:.3g}, wanted "
            f"{self._tolerance:g}; use a smaller step than {h:.3g} s or a smoother force",
            t,
        )

    def _derivatives(
        self, state: BodyState, moved_per_velocity: float = 0.0
    ) -> tuple[Bodies, Array]:
        """Bodies whose contact forces change with velocity, and those derivatives, (6m, 6m).

        `moved_per_velocity` [s] is how far bodies move per velocity they gain, 0 if they do not.
        """
        if self._damped is None:
            return np.zeros(0, np.int64), np.zeros((0, 0))
        total = self._damped.velocity_derivatives(state)
        if moved_per_velocity > 0.0:
            total = total + moved_per_velocity * self._damped.position_derivatives(state)
        bodies = np.flatnonzero(total.any(axis=(1, 2, 3)) & self._moves)
        return bodies, of_bodies(total, bodies)

    def _predict(
        self, time: float, w: Array, g: Array, state: BodyState, bodies: Bodies,
        derivatives: Array, responses: Array,
    ) -> tuple[Array, Prediction | None]:  # fmt: skip
        """Wrenches (2, m, 3) that cause the velocities at which they act, by Newton's method.

        With these velocities, where they are certain: they are not if functions act too.
        """
        newton, trial = Newton(), state.copy()
        spin = state.spin
        before = tried = by_body(w, bodies)
        now, wanted = derivatives, by_body(g, bodies)
        for _ in range(MAX_PREDICTIONS):
            tried = newton.next(tried, wanted, partial(np.matmul, time * now, responses))
            change = (time * responses @ (tried - before)).reshape(-1, 2, 3)
            trial.v[bodies] = state.v[bodies] + change[:, 0]
            new_spin = spin[bodies] + change[:, 1]
            trial.omega[bodies] = np.einsum("nji,nj->ni", state.R[bodies], new_spin)
            g = self.wrenches(trial)
            wanted = by_body(g, bodies)
            acting = w.copy()
            acting[:, bodies] = by_part(tried)
            left = np.zeros_like(w)
            left[:, bodies] = by_part(wanted - tried)
            if self._residual_of(time, acting, left, trial)[0] <= self._tolerance:
                certain = not self._functions
                predicted = Prediction(bodies, trial.v, trial.omega) if certain else None
                return by_part(tried), predicted
            assert self._damped is not None
            now = of_bodies(self._damped.velocity_derivatives(trial), bodies)
        return by_part(tried), None

    def forget(self) -> None:
        """Bodies are put elsewhere."""
        given: object = self.law
        if isinstance(given, Forgets):
            given.forget()

    def snapshot(self) -> Snapshot:
        """The snapshot of the law, under names of its own, and what motors count."""
        kept: Snapshot = {}
        if self._functions:
            kept |= self._functions.snapshot()
        if self._with_history is not None:
            kept |= prefixed("law", self._with_history.snapshot())
        return kept

    def restore(self, snapshot: Snapshot) -> None:
        if self._functions:
            self._functions.restore(snapshot)
        if self._with_history is not None:
            self._with_history.restore(part_of(snapshot, "law"))


def _same_motion(state: BodyState, predicted: Prediction) -> bool:
    """Whether bodies move as predicted, to rounding."""
    bodies = predicted.bodies
    for found, expected in ((state.v, predicted.v), (state.omega, predicted.omega)):
        size = float(np.abs(found).max())
        if not float(np.abs(found[bodies] - expected[bodies]).max()) <= TOLERANCE * size:
            return False
    return True


def of_bodies(derivatives: Array, bodies: Bodies) -> Array:
    """The block (6m, 6m) of derivatives (n, 6, n, 6) that concerns m bodies."""
    block: Array = derivatives[bodies][:, :, bodies].reshape(6 * len(bodies), 6 * len(bodies))
    return block


def by_body(w: Array, bodies: Bodies) -> Array:
    """Forces and torques (2, n, 3) of some bodies as one vector (6m,), body after body."""
    row: Array = w[:, bodies].transpose(1, 0, 2).reshape(-1)
    return row


def by_part(row: Array) -> Array:
    """The reverse: (2, m, 3)."""
    w: Array = row.reshape(-1, 2, 3).transpose(1, 0, 2)
    return w
