"""The inverse inertia a contact feels: of the free system, or of one held by joints."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError

Array = NDArray[np.float64]
SMALLEST = 1e-13  # eigenvalue ratio below which a mass matrix is singular
CONTRADICTION = 1e-9


@dataclass(frozen=True)
class EffectiveInertia:
    """qdd = inverse f + drift under forces f, where joints hold G qdd + g = 0.

    inverse = M^-1 - M^-1 G^T (G M^-1 G^T)^+ G M^-1; dependent rows of G may repeat each other
    but not contradict.
    """

    inverse: Array
    drift: Array
    multiplier_rows: Array  # (m, n): constraint force = -(rows f) - offset
    multiplier_offset: Array

    @classmethod
    def of(cls, M: Array, constraints: Any, bias: Any) -> "EffectiveInertia":
        n = len(M)
        inverse = _inverse_of(M)
        if constraints is None:
            return cls(inverse, np.zeros(n), np.zeros((0, n)), np.zeros(0))
        G = np.atleast_2d(np.asarray(constraints, dtype=np.float64))
        if G.ndim != 2 or G.shape[1] != n or not np.all(np.isfinite(G)):
            raise InputError(
                f"`constraints` must be finite numbers of shape (m, {n}), got shape {G.shape}"
            )
        g = np.zeros(len(G)) if bias is None else np.asarray(bias, dtype=np.float64)
        if g.shape != (len(G),) or not np.all(np.isfinite(g)):
            raise InputError(
                f"`constraint_bias` must be {len(G)} finite numbers, got shape {g.shape}"
            )
        compliance = np.linalg.pinv(G @ inverse @ G.T, rcond=1e-12, hermitian=True)
        rows = compliance @ G @ inverse
        drift = -inverse @ G.T @ compliance @ g
        left = np.abs(G @ drift + g)
        if np.any(left > CONTRADICTION * max(1.0, float(np.max(np.abs(g))))):
            raise InputError(
                f"`constraints` must not contradict each other: row {int(np.argmax(left))} asks "
                f"for an acceleration that the other rows forbid by {np.max(left):.3g}; remove it "
                "or correct `constraint_bias`"
            )
        return cls(inverse - inverse @ G.T @ rows, drift, rows, compliance @ g)

    def acceleration(self, force: Array) -> Array:
        return np.asarray(self.inverse @ force + self.drift)

    def constraint_force(self, force: Array) -> Array:
        """Multipliers nu of M qdd = f + G^T nu."""
        return np.asarray(-(self.multiplier_rows @ force) - self.multiplier_offset)


def _inverse_of(M: Array) -> Array:
    """M^-1 of a symmetric positive definite M, scaled by its diagonal for unlike units."""
    if np.any(np.diag(M) <= 0):
        i = int(np.flatnonzero(np.diag(M) <= 0)[0])
        raise InputError(
            f"`M` must be positive definite, got {M[i, i]:g} on its diagonal at {i}; every "
            "coordinate needs a mass or inertia > 0"
        )
    scale = 1.0 / np.sqrt(np.diag(M))
    values, vectors = np.linalg.eigh(scale[:, None] * M * scale)
    if values[0] <= SMALLEST * values[-1]:
        raise InputError(
            "`M` must be positive definite, got a singular or indefinite matrix (least "
            f"eigenvalue {values[0]:.3g} where the diagonal is scaled to 1); every motion needs "
            "a mass or inertia > 0"
        )
    inverse = (vectors / values) @ vectors.T
    return np.asarray(scale[:, None] * inverse * scale)
