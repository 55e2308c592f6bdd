"""The function that an implicit Euler step minimises, for any contact potential.

    E(x, R) = sum of m/2 |x - x^|^2 + 1/2 tr((R - R^) J (R - R^)^T) - h^2 torque . vee(R R_0^T)
              + h^2 V(x, R),
with J = tr(I)/2 1 - I, x^ = x_0 + h v + h^2 f/m and R^ = R_0 + h R' (Ferguson et al., Rigid IPC
(2021), eqs. 7-9; the terms of one body are derived in `contact.ipc.newton.inertia_potential`, which
the compiled IPC step uses). Derivatives are in world twists: x <- x + s, R <- exp([w]) R.
"""

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.law import Potential
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState


class IncrementalPotential:
    """E of one step from `state` over h [s], divided by h^2 so that it is in joules."""

    def __init__(
        self,
        model: Model,
        law: Potential,
        state: BodyState,
        rate: Array,
        force: Array,
        torque: Array,
        h: float,
    ) -> None:
        self.h, self.law = h, law
        self.free = free_motions(model)
        self._moves = np.flatnonzero(model.motion == DYNAMIC)
        m = self._moves
        self._mass = model.mass[m]
        trace = np.trace(model.inertia[m], axis1=1, axis2=2)
        self._J = 0.5 * trace[:, None, None] * np.eye(3) - model.inertia[m]
        pushed = h * state.v[m] + h * h * force[m] / self._mass[:, None]
        self._x_hat = state.x[m] + np.where(self.free[m, :3], pushed, 0.0)
        self._R_hat = state.R[m] + h * rate[m]
        self._R_0, self._torque = state.R[m].copy(), h * h * torque[m]

    def value(self, x: Array, R: Array) -> float:
        """[J]; inf where the law says so."""
        m = self._moves
        off, rotated = x[m] - self._x_hat, R[m] - self._R_hat
        spread = np.einsum("nij,njk,nik->", rotated, self._J, rotated)
        work = np.einsum("ni,ni->", _vee(R[m] @ self._R_0.transpose(0, 2, 1)), self._torque)
        inertia = 0.5 * np.einsum("n,ni,ni->", self._mass, off, off) + 0.5 * spread - work
        return float(inertia) / self.h**2 + self.law.value(x, R)

    def gradient(self, x: Array, R: Array) -> Array:
        """(n, 6) [N, N m]."""
        m = self._moves
        gradient = np.array(self.law.gradient(x, R))
        gradient[m, :3] += self._mass[:, None] * (x[m] - self._x_hat) / self.h**2
        gradient[m, 3:] += 2.0 * _vee(self._rotation_matrix(R)) / self.h**2
        return gradient

    def hessian(self, x: Array, R: Array) -> Array:
        """(n, 6, n, 6)."""
        hessian = np.array(self.law.hessian(x, R))
        S = self._rotation_matrix(R)
        trace = np.trace(S, axis1=1, axis2=2)[:, None, None] * np.eye(3)
        rotational = (trace - 0.5 * (S + S.transpose(0, 2, 1))) / self.h**2
        for k, i in enumerate(self._moves):
            hessian[i, :3, i, :3] += self._mass[k] / self.h**2 * np.eye(3)
            hessian[i, 3:, i, 3:] += rotational[k]
        return hessian

    def _rotation_matrix(self, R: Array) -> Array:
        """S = R J R^^T + 1/2 R R_0^T [h^2 torque]^T, whose axial part is the torque."""
        m = self._moves
        P = R[m] @ self._R_0.transpose(0, 2, 1)
        inertial: Array = R[m] @ self._J @ self._R_hat.transpose(0, 2, 1)
        return inertial - 0.5 * P @ _hat(self._torque)


def free_motions(model: Model) -> NDArray[np.bool_]:
    """(n, 6) which displacements of every body are unknowns."""
    return np.asarray((model.motion == DYNAMIC)[:, None] & ~model.fixed)


def _vee(A: Array) -> Array:
    """(n, 3) axial vectors of the skew parts of A (n, 3, 3)."""
    skew = 0.5 * (A - A.transpose(0, 2, 1))
    return np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=1)


def _hat(w: Array) -> Array:
    """(n, 3, 3) cross product matrices."""
    out = np.zeros((len(w), 3, 3))
    out[:, 2, 1], out[:, 0, 2], out[:, 1, 0] = w.T
    return out - out.transpose(0, 2, 1)
