"""Forces of the user's functions at the end of a step, where they depend on the velocities there.

    w = f(x_1, u_1(w)):   w <- w + (1 + h/2 C M^-1)^-1 (f(x_1, u_1(w)) - w),
a fixed point iteration that converges for dampers of any strength, since C, the damping of the
functions, is taken into account; M are the masses of free bodies.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.errors import RunError
from dovetail.integrators.shared.load_derivatives import LoadMatrix
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array, quote
from dovetail.multibody.loads.functions import FunctionLoads
from dovetail.multibody.state import BodyState

TOLERANCE = 1e-11  # of the speeds, and of what the forces change of them
ROUNDED = 1e-7  # likewise, where an iteration does not lead closer any more
MAX_ITERATIONS = 60


class EndFunctions:
    """The functions of one model."""

    def __init__(self, model: Model, functions: FunctionLoads) -> None:
        self._model, self._functions = model, functions
        dynamic = model.motion == DYNAMIC
        self._inverse_mass = dynamic / np.where(dynamic, model.mass, 1.0)
        inertia = np.where(dynamic[:, None, None], model.inertia, 0.0)
        self._inverse_inertia = np.linalg.pinv(inertia, hermitian=True)

    def __bool__(self) -> bool:
        return bool(self._functions)

    def wrenches(self, state: BodyState) -> Array:
        """(n, 6) [N, N m] at `state`."""
        wrench = np.zeros((2, self._model.n_bodies, 3))
        self._functions.add_wrenches(state, wrench[0], wrench[1])
        return np.concatenate((wrench[0], wrench[1]), axis=1)

    def solve(
        self, h: float, state: BodyState, damping: LoadMatrix, finish: Callable[[Array], Array]
    ) -> None:
        """Find w (n, 6) with w = f(velocities `finish(w)`); the last call of it is the result.

        `finish` returns (n, 6) the velocities at the end of a half step of h/2 in which w acts.
        """
        w = self.wrenches(state)
        moving = np.flatnonzero(damping.diagonal.any(axis=(1, 2)) | w.any(axis=1))
        matrix = self._dense(damping, state.R, moving, h)
        before = np.inf
        for _ in range(MAX_ITERATIONS):
            u = finish(w)
            trial = state.copy()
            trial.v[...] = u[:, :3]
            trial.omega[...] = np.einsum("nji,nj->ni", state.R, u[:, 3:])
            left = self.wrenches(trial) - w
            change = 0.5 * h * self._accelerations(left, state.R)
            largest = float(change.max())
            scale = max(float(np.abs(u).max()), h * float(self._accelerations(w, state.R).max()))
            rounded = largest >= 0.5 * before and largest <= ROUNDED * scale
            if largest <= TOLERANCE * scale or rounded:
                return
            before = largest
            w = w + left
            w[moving] += (np.linalg.solve(matrix, left[moving].ravel()).reshape(-1, 6)
                          - left[moving])  # fmt: skip
        body = int(np.argmax(change))
        raise RunError(
            f"forces of functions on body {quote(self._model.names[body])} that depend on velocity "
            f"did not settle in {MAX_ITERATIONS} iterations; use a smaller step than {h:.3g} s or "
            "a smoother force",
            state.t,
        )

    def _accelerations(self, w: Array, R: Array) -> Array:
        """(n,) the largest [m/s^2 or rad/s^2] of free bodies under wrenches w (n, 6)."""
        turned = np.einsum("nij,nkj,nk->ni", self._inverse_inertia, R, w[:, 3:])
        pushed = self._inverse_mass * np.linalg.norm(w[:, :3], axis=1)
        return np.asarray(np.maximum(pushed, np.abs(turned).max(axis=1)))

    def _dense(self, damping: LoadMatrix, R: Array, bodies: Any, h: float) -> Array:
        """1 + h/2 C M^-1 of some bodies, (6m, 6m)."""
        m, place = len(bodies), np.full(len(R), -1)
        place[bodies] = np.arange(m)
        inverse = np.zeros((m, 6, 6))
        for k, i in enumerate(bodies):
            inverse[k, :3, :3] = self._inverse_mass[i] * np.eye(3)
            inverse[k, 3:, 3:] = R[i] @ self._inverse_inertia[i] @ R[i].T
        C = np.zeros((m, 6, m, 6))
        for i in bodies:
            C[place[i], :, place[i]] = damping.diagonal[i]
        for (a, b), block in zip(damping.pairs, damping.off):
            C[place[a], :, place[b]], C[place[b], :, place[a]] = block, block.T
        product = np.einsum("aibk,bkj->aibj", C, inverse).reshape(6 * m, 6 * m)
        return np.asarray(np.eye(6 * m) + 0.5 * h * product)
