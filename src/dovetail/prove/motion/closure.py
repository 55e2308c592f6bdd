"""Equations that hold closed loops together, for many configurations at once.

Around a loop of joints the displacements multiply to the identity,
    T(q) = exp(q_1 X_1) ... exp(q_k X_k) = I,
with X_i the screw of a coordinate at the initial pose as a 4x4 matrix, negative where the loop runs
through the joint backwards. Its derivative is (P_i X_i P_i^-1) T, P_i the product of what comes
before (Murray, Li, Sastry 1994, section 3.3). Held couplings add one equation each. Lengths are
divided by the size of the assembly.
"""

from dataclasses import dataclass

import numpy as np

from dovetail.model.values import Array

ENTRIES = 12  # of T that are compared with those of the identity


@dataclass(frozen=True, eq=False)
class Loop:
    """Coordinates around a loop, in order, with their screws."""

    coordinates: list[int]
    screws: Array  # (k, 6), lengths divided by the size


@dataclass(frozen=True, eq=False)
class Sum:
    """A held coupling: sum over coordinates of a polynomial without constant term = offset."""

    terms: list[tuple[int, tuple[float, ...]]]
    offset: float


class Closure:
    """All equations of an assembly, of `n` coordinates."""

    def __init__(self, n: int, loops: list[Loop], sums: list[Sum]) -> None:
        self.n, self.loops, self.sums = n, loops, sums
        self.n_rows = ENTRIES * len(loops) + len(sums)

    def values(self, q: Array) -> tuple[Array, Array, Array]:
        """At (N, n) coordinates: residual (N, rows), Jacobian (N, rows, n), sizes (N, n).

        The sizes are the Frobenius norms of the screws where they are, the largest of all loops.
        """
        N = len(q)
        F, J = np.zeros((N, self.n_rows)), np.zeros((N, self.n_rows, self.n))
        sizes = np.zeros((N, self.n))
        row = 0
        for loop in self.loops:
            rows = slice(row, row + ENTRIES)
            P = np.broadcast_to(np.eye(4), (N, 4, 4))
            carried = []
            for k, screw in zip(loop.coordinates, loop.screws, strict=True):
                X = _matrix(screw)
                carried.append(P @ X @ _inverse(P))
                P = P @ _exponentials(screw, q[:, k])
            F[:, rows] = (P - np.eye(4))[:, :3].reshape(N, ENTRIES)
            for k, X in zip(loop.coordinates, carried, strict=True):
                J[:, rows, k] += (X @ P)[:, :3].reshape(N, ENTRIES)
                sizes[:, k] = np.maximum(sizes[:, k], np.linalg.norm(X, axis=(1, 2)))
            row += ENTRIES
        for held in self.sums:
            F[:, row] = -held.offset
            for k, coefficients in held.terms:
                for power, c in enumerate(coefficients, 1):
                    F[:, row] += c * q[:, k] ** power
                    J[:, row, k] += power * c * q[:, k] ** (power - 1)
            row += 1
        return F, J, sizes


def _matrix(screw: Array) -> Array:
    w, v = screw[:3], screw[3:]
    X = np.zeros((4, 4))
    X[0, 1], X[0, 2], X[1, 2] = -w[2], w[1], -w[0]
    X[:3, :3] -= X[:3, :3].T
    X[:3, 3] = v
    return X


def _inverse(P: Array) -> Array:
    """Of displacements (N, 4, 4)."""
    R = P[:, :3, :3].swapaxes(1, 2)
    made = np.zeros_like(P)
    made[:, :3, :3] = R
    made[:, :3, 3] = -(R @ P[:, :3, 3:])[..., 0]
    made[:, 3, 3] = 1.0
    return made


def _exponentials(screw: Array, q: Array) -> Array:
    """(N, 4, 4) displacements exp(q X); |w| = 1 or w = 0."""
    w, v = screw[:3], screw[3:]
    made = np.zeros((len(q), 4, 4))
    made[:] = np.eye(4)
    if not w @ w > 0.0:
        made[:, :3, 3] = q[:, None] * v
        return made
    W = _matrix(screw)[:3, :3]
    c, s = np.cos(q)[:, None, None], np.sin(q)[:, None, None]
    R = np.eye(3) + s * W + (1.0 - c) * (W @ W)
    m = np.cross(w, v)
    made[:, :3, :3] = R
    made[:, :3, 3] = m - R @ m + q[:, None] * (w @ v) * w
    return made
