"""Forces at the end of a step that only Python knows, and that depend on the velocities there."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.law import DampedLaw, ForceLaw, JointedLaw, KeepsHistory
from dovetail.contact.penalty.derivatives import contact_residual
from dovetail.errors import RunError
from dovetail.integrators.interface import Snapshot
from dovetail.integrators.shared.fixed_point import Anderson, Newton
from dovetail.integrators.shared.snapshots import part_of, prefixed
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array, quote
from dovetail.multibody.body_arrays import relative_change
from dovetail.multibody.freedoms import unheld_arrays
from dovetail.multibody.loads.functions import FunctionLoads
from dovetail.multibody.state import BodyState

TOLERANCE = 1e-13  # relative, of the end velocities
CONTACT_TOLERANCE = 1e-12  # where many contact forces cancel, rounding leaves no more
MOST_ITERATIONS = 100
UNSTABLE = 2.0  # rate times step beyond which an explicit step of a spring diverges
MARGIN = 1.1  # of the rates found harmless, before they are looked at again
MOST_TRIALS = 60  # of velocities that are only foreseen

Bodies = NDArray[np.int64]
Kick = Callable[[], bool]
"""Gives the state the velocities after a kick by the wrenches at hand; False where it cannot."""
Answers = Callable[[Bodies], Array]
"""(6m, 6m) change of (v, spin) of m bodies per impulse on them, world axes."""

Foreseen = tuple[Bodies, Array, Array]
"""Some bodies, and the velocities v, omega (n, 3) they will have."""


class ClosingForces:
    """Wrenches of contact and of the user's functions, solved for as w = G(velocities after w).

    Velocities answer to w by a known matrix, so Newton's method runs on foreseen velocities and
    the step itself is closed only once or twice.
    """

    def __init__(self, model: Model, law: ForceLaw | None, functions: FunctionLoads | None) -> None:
        self._model, self.law, self._functions = model, law, functions
        given: object = law
        self._damped = given if isinstance(given, DampedLaw) else None
        self._remembering = given if isinstance(given, KeepsHistory) else None
        self._swinging = given if isinstance(given, JointedLaw) else None
        self.knows_joints = True  # False: answers are those of free bodies
        self._moves = model.motion == DYNAMIC
        self._residual = relative_change if law is None else contact_residual
        self._tolerance = TOLERANCE if law is None else CONTACT_TOLERANCE
        self._cleared = UNSTABLE  # rate times step of free bodies that is harmless
        self._arrays = unheld_arrays(model) if self else None

    def __bool__(self) -> bool:
        return self.law is not None or bool(self._functions)

    @property
    def near(self) -> bool:
        """Whether two bodies were so close that contact was looked for in detail."""
        return bool(getattr(self.law, "near", False))

    def wrenches(self, state: BodyState) -> Array:
        """Force [N] and torque [N m] on all bodies at `state`, (2, n, 3)."""
        extra = np.zeros((2, self._model.n_bodies, 3))
        if self._functions:
            self._functions.add_wrenches(state, extra[0], extra[1])
        if self.law is not None:
            extra += self.law.wrenches(state)
        return extra

    def settle(self, time: float, w: Array, state: BodyState, kick: Kick, answers: Answers) -> int:
        """Find `w` (2, n, 3), in place; returns how often the kick was made, 0 if it could not be.

        `state` starts with the velocities of before, from which the first guess follows, and ends
        with those after the kick; w acts for `time` [s].
        """
        w[...] = self.wrenches(state)
        guesses = Anderson()
        error, body = np.inf, 0
        foreseen = None
        for iteration in range(1, MOST_ITERATIONS + 1):
            if not kick():
                return 0
            if foreseen is not None and _same_motion(state, foreseen):
                self.refuse_too_stiff(2.0 * time, state, answers)
                return iteration
            g = self.wrenches(state)
            error, body = self._missed(time, w, g - w, state)
            if error <= self._tolerance:
                self.refuse_too_stiff(2.0 * time, state, answers)
                return iteration
            bodies, slopes = self._touched(state)
            if len(bodies):
                touched, foreseen = self._foresee(
                    time, w, g, state, bodies, slopes, answers(bodies)
                )
                w[...] = g
                w[:, bodies] = touched
            else:
                w[...] = guesses.next(w.ravel().copy(), g.ravel()).reshape(w.shape)
        raise self.unsettled(error, body, 2.0 * time, state.t)

    def settle_with_places(
        self, time: float, time_squared: float, w: Array, state: BodyState, kick: Kick,
        answers: Answers,
    ) -> int:  # fmt: skip
        """As `settle`, where `kick` moves the bodies too: by time_squared times their answers."""
        w[...] = self.wrenches(state)
        guesses, newton = Anderson(), Newton()
        error, body = np.inf, 0
        everyone, lever = np.arange(self._model.n_bodies), time_squared / time
        for iteration in range(1, MOST_ITERATIONS + 1):
            if not kick():
                return 0
            g = self.wrenches(state)
            error, body = self._missed(time, w, g - w, state)
            if error <= self._tolerance:
                return iteration
            if self._damped is not None:
                tried = newton.next(
                    by_body(w, everyone), by_body(g, everyone),
                    lambda: time * self._answered(state, lever, answers),
                )  # fmt: skip
                w[...] = by_part(tried)
            else:
                w[...] = guesses.next(w.ravel().copy(), g.ravel()).reshape(w.shape)
        raise self.unsettled(error, body, 2.0 * time, state.t)

    def _answered(self, state: BodyState, lever: float, answers: Answers) -> Array:
        """Change of all wrenches per wrench and time, (6n, 6n); see `_touched` for `lever`."""
        bodies, slopes = self._touched(state, lever)
        n = self._model.n_bodies
        answered = np.zeros((6 * n, 6 * n))
        if len(bodies):
            rows = (6 * bodies[:, None] + np.arange(6)).ravel()
            answered[np.ix_(rows, rows)] = slopes @ answers(bodies)
        return answered

    def refuse_too_stiff(self, h: float, state: BodyState, answers: Answers) -> None:
        """Raise RunError where contacts of jointed bodies swing too fast for the step.

        The law knows masses only; what joints add to them is in `answers`. Looked at where a
        contact of free bodies would swing too fast, and faster than those found harmless before.
        """
        if self._swinging is None or self._damped is None or not self.knows_joints:
            return
        suspected = h * self._swinging.swing_if_free()
        if suspected <= self._cleared:
            return
        stiffness = self._damped.stiffness(state)
        bodies = np.flatnonzero(stiffness.any(axis=(1, 2, 3)) & self._moves)
        if not len(bodies):
            return
        squared = np.linalg.eigvals(of_bodies(stiffness, bodies) @ answers(bodies)).real
        rate = float(np.sqrt(max(-squared.min(), 0.0)))
        if rate * h > UNSTABLE:
            names = ", ".join(quote(self._model.names[body]) for body in bodies[:4])
            raise RunError(
                f"contacts of {names} swing at {rate:.4g} rad/s, too fast for a step of {h:.3g} s; "
                f"use a step of at most {0.2 / rate:.2g} s, or a smaller `stiffness`",
                state.t,
            )
        self._cleared = MARGIN * suspected

    def _missed(self, time: float, w: Array, left: Array, state: BodyState) -> tuple[float, int]:
        error, body = self._residual(
            time, self._arrays, state.R, state.v, state.spin, w[0], w[1], left[0], left[1]
        )
        return float(error), int(body)

    def unsettled(self, error: float, body: int, h: float, t: float) -> RunError:
        """What to say where no solution was found."""
        return RunError(
            f"forces on body {quote(self._model.names[body])} that depend on velocity did not "
            f"settle in {MOST_ITERATIONS} iterations: relative residual {error:.3g}, wanted "
            f"{self._tolerance:g}; use a smaller step than {h:.3g} s or a smoother force",
            t,
        )

    def _touched(self, state: BodyState, lever: float = 0.0) -> tuple[Bodies, Array]:
        """Bodies whose contact forces change with velocity, and those changes, (6m, 6m).

        `lever` [s] is how far bodies move per velocity they gain, where they move at all.
        """
        if self._damped is None:
            return np.zeros(0, np.int64), np.zeros((0, 0))
        slopes = self._damped.slopes(state)
        if lever > 0.0:
            slopes = slopes + lever * self._damped.stiffness(state)
        bodies = np.flatnonzero(slopes.any(axis=(1, 2, 3)) & self._moves)
        return bodies, of_bodies(slopes, bodies)

    def _foresee(
        self, time: float, w: Array, g: Array, state: BodyState, bodies: Bodies, slopes: Array,
        answers: Array,
    ) -> tuple[Array, Foreseen | None]:  # fmt: skip
        """Wrenches (2, m, 3) that cause the velocities at which they act, by Newton's method.

        With these velocities, where they are certain: they are not if functions act too.
        """
        newton, trial = Newton(), state.copy()
        spin = state.spin
        before = tried = by_body(w, bodies)
        now, wanted = slopes, by_body(g, bodies)
        for _ in range(MOST_TRIALS):
            tried = newton.next(tried, wanted, partial(np.matmul, time * now, answers))
            change = (time * answers @ (tried - before)).reshape(-1, 2, 3)
            trial.v[bodies] = state.v[bodies] + change[:, 0]
            turning = spin[bodies] + change[:, 1]
            trial.omega[bodies] = np.einsum("nji,nj->ni", state.R[bodies], turning)
            g = self.wrenches(trial)
            wanted = by_body(g, bodies)
            acting = w.copy()
            acting[:, bodies] = by_part(tried)
            left = np.zeros_like(w)
            left[:, bodies] = by_part(wanted - tried)
            if self._missed(time, acting, left, trial)[0] <= self._tolerance:
                sure = not self._functions
                return by_part(tried), (bodies, trial.v, trial.omega) if sure else None
            assert self._damped is not None
            now = of_bodies(self._damped.slopes(trial), bodies)
        return by_part(tried), None

    def snapshot(self) -> Snapshot:
        """What the law remembers, under names of its own."""
        if self._remembering is None:
            return {}
        return prefixed("law", self._remembering.snapshot())

    def restore(self, snapshot: Snapshot) -> None:
        if self._remembering is not None:
            self._remembering.restore(part_of(snapshot, "law"))


def _same_motion(state: BodyState, foreseen: Foreseen) -> bool:
    """Whether bodies move as foreseen, to rounding."""
    bodies, v, omega = foreseen
    for found, expected in ((state.v, v), (state.omega, omega)):
        size = float(np.abs(found).max())
        if not float(np.abs(found[bodies] - expected[bodies]).max()) <= TOLERANCE * size:
            return False
    return True


def of_bodies(slopes: Array, bodies: Bodies) -> Array:
    """The block (6m, 6m) of slopes (n, 6, n, 6) that concerns m bodies."""
    block: Array = slopes[bodies][:, :, bodies].reshape(6 * len(bodies), 6 * len(bodies))
    return block


def by_body(w: Array, bodies: Bodies) -> Array:
    """Forces and torques (2, n, 3) of some bodies as one vector (6m,), body after body."""
    row: Array = w[:, bodies].transpose(1, 0, 2).reshape(-1)
    return row


def by_part(row: Array) -> Array:
    """The reverse: (2, m, 3)."""
    w: Array = row.reshape(-1, 2, 3).transpose(1, 0, 2)
    return w
