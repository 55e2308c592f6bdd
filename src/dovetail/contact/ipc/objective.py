"""The incremental potential of one step, as a function of the poses of all bodies.

    E(x, R) = sum of inertia terms + W sum of barriers B(D^2),   W = h^2 kappa [kg m^2].
Source: Ferguson et al., Rigid IPC (2021), section 4.1, on the group (`kernels.inertia_potential`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.contact.ipc.bodies import IpcBodies
from dovetail.geometry.contact_features import Candidates
from dovetail.kernels.contact_pairs import add_pair_terms, pair_energy, pair_safe_time
from dovetail.kernels.distance_derivatives import PAIR_ROW, expand
from dovetail.kernels.inertia_potential import inertia_energy, inertia_terms
from dovetail.lie import so3
from dovetail.model.values import Array

Near = dict[tuple[int, int], Candidates]
ADVANCES = 200  # distance evaluations of one CCD query at most
SWAP = np.r_[6:12, 0:6]


@dataclass(frozen=True, eq=False)
class StepObjective:
    """What is constant during one solve."""

    bodies: IpcBodies
    x_hat: Array  # (n, 3) [m] where the bodies would be without contact
    R_hat: Array  # (n, 3, 3)
    R_0: Array  # (n, 3, 3) at the start of the step
    impulse: Array  # (n, 3) [kg m^2] h^2 torque
    dhat: float  # [m]
    dmin: float  # [m]

    def moves(self, k: int) -> bool:
        return bool(self.bodies.free[k].any())

    def inertia(self, x: Array, R: Array) -> float:
        """[kg m^2]."""
        movers = [k for k in range(self.bodies.count) if self.moves(k)]
        return float(np.sum([inertia_energy(*self._parts(k, x, R)) for k in movers]))

    def barrier(self, x: Array, R: Array, near: Near) -> tuple[float, float]:
        """(sum of B, least distance [m])."""
        total, least = 0.0, np.inf
        for a, b, candidates, D in self._pairs(x, near):
            energy, squared = pair_energy(
                self.bodies.arrays(a, R), self.bodies.arrays(b, R), candidates, D,
                self.dmin, self.dhat,
            )  # fmt: skip
            total, least = total + energy, min(least, squared)
        return total, float(np.sqrt(least))

    def inertia_terms(self, x: Array, R: Array) -> tuple[Array, Array]:
        """Gradient (6 n,) and Hessian (6 n, 6 n) in the twists of all bodies."""
        n = self.bodies.count
        gradient, H = np.zeros(6 * n), np.zeros((6 * n, 6 * n))
        for k in range(n):
            if not self.moves(k):
                continue
            at = 6 * k
            force, torque, turn = inertia_terms(*self._parts(k, x, R))
            gradient[at : at + 3], gradient[at + 3 : at + 6] = force, torque
            H[at : at + 3, at : at + 3] = self.bodies.mass[k] * np.eye(3)
            H[at + 3 : at + 6, at + 3 : at + 6] = turn
        return gradient, H

    def barrier_terms(
        self, x: Array, R: Array, near: Near, positive: bool = False
    ) -> tuple[Array, Array]:
        """Gradient and Hessian of the sum of B.

        With `positive` the negative eigenvalues of every pair of bodies are set to zero, where
        turns are measured by the way they move the rim of the smaller body, to have one unit.
        """
        n = self.bodies.count
        gradient, H = np.zeros(6 * n), np.zeros((6 * n, 6 * n))
        g, block = np.empty(12), np.empty((12, 12))
        for a, b, candidates, D in self._pairs(x, near):
            out = np.zeros((2, PAIR_ROW))
            add_pair_terms(
                self.bodies.arrays(a, R), self.bodies.arrays(b, R), candidates, D,
                self.dmin, self.dhat, 1.0, 1.0, out, 0,
            )  # fmt: skip
            rows = np.r_[6 * a : 6 * a + 6, 6 * b : 6 * b + 6]
            whole = np.zeros((12, 12))
            for k, order in enumerate((np.arange(12), SWAP)):
                expand(out, k, g, block)
                gradient[rows[order]] += g
                whole[np.ix_(order, order)] += block
            if positive:
                rim = min(self.bodies.features[a].radius, self.bodies.features[b].radius)
                whole = _positive_part(whole, np.tile([1.0] * 3 + [rim] * 3, 2))
            H[np.ix_(rows, rows)] += whole
        return gradient, H

    def safe_time(self, x: Array, R: Array, twist: Array, near: Near, rest: float) -> float:
        """How much of the twists (n, 6), at most 1, can be followed without a contact."""
        t = 1.0
        for a, b, candidates, D in self._pairs(x, near):
            ds = _triple(twist[b, :3] - twist[a, :3])
            w_a, w_b = _triple(twist[a, 3:]), _triple(twist[b, 3:])
            t = pair_safe_time(
                self.bodies.arrays(a, R), self.bodies.arrays(b, R), candidates, D, ds, w_a, w_b,
                self.dmin, t, rest, ADVANCES,
            )  # fmt: skip
        return t

    def _parts(self, k: int, x: Array, R: Array) -> tuple[Any, ...]:
        return (
            float(self.bodies.mass[k]), _rows(self.bodies.J[k]), _triple(x[k]), _rows(R[k]),
            _triple(self.x_hat[k]), _rows(self.R_hat[k]), _rows(self.R_0[k]),
            _triple(self.impulse[k]),
        )  # fmt: skip

    def _pairs(self, x: Array, near: Near) -> list[tuple[int, int, tuple[Any, ...], Any]]:
        return [(a, b, near[a, b].arrays, _triple(x[b] - x[a])) for a, b in near]


def moved(x: Array, R: Array, twist: Array, t: float) -> tuple[Array, Array]:
    """Poses after the part t of the twists (n, 6): x + t s, exp(t [w]) R; at rest to the bit."""
    turned = so3.project(so3.exp(t * twist[:, 3:]) @ R)
    still = np.all(twist[:, 3:] == 0.0, axis=1)
    return x + t * twist[:, :3], np.where(still[:, None, None], R, turned)


def _positive_part(H: Array, units: Array) -> Array:
    """H without its negative eigenvalues in coordinates measured in `units`."""
    values, vectors = np.linalg.eigh(H / units[:, None] / units)
    kept = (vectors * np.maximum(values, 0.0)) @ vectors.T
    result: Array = units[:, None] * kept * units
    return result


def _triple(a: Array) -> tuple[float, float, float]:
    return (float(a[0]), float(a[1]), float(a[2]))


def _rows(A: Array) -> tuple[tuple[float, float, float], ...]:
    return (_triple(A[0]), _triple(A[1]), _triple(A[2]))
