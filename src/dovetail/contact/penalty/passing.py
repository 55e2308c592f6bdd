"""Bodies that could pass one another between two states without being seen."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.penalty.body import TouchingBody
from dovetail.model.values import Array

LONGEST = 0.5  # of the thinner body's thickness, in one step


@dataclass(frozen=True)
class Passing:
    """Two bodies and how far they moved against each other."""

    bodies: tuple[int, int]
    moved: float  # [m]
    thickness: float  # [m] of the thinner one


class PassingGuard:
    """Sizes of all bodies, to judge steps by."""

    def __init__(self, bodies: list[TouchingBody | None]) -> None:
        boxed = [body if body is not None and body.box is not None else None for body in bodies]
        self._size = np.array([np.nan if body is None else body.size for body in boxed])
        self._thickness = np.array([np.inf if body is None else body.thickness for body in boxed])
        ball = [body is None or (body.round and len(body.octree or ()) == 1) for body in boxed]
        lever = np.where(ball, 0.0, self._size / 2)  # turning a ball moves no surface
        self._lever = np.nan_to_num(lever)
        self._least = LONGEST * float(np.min(self._thickness, initial=np.inf))

    def suspects(self, x_t0: Array, moved: Array, turned: Array) -> list[Passing]:
        """Pairs that moved by more than half of the thinner one's thickness, and near each other.

        Bodies went from x_t0 (n, 3) by `moved` (n, 3) [m] and turned by (n,) [rad]. A half-space
        cannot be passed.
        """
        travel = np.sqrt(np.einsum("ni,ni->n", moved, moved)) + turned * self._lever
        found: list[Passing] = []
        if not 2 * float(travel.max(initial=0.0)) > self._least:
            return found
        for i in np.flatnonzero(2 * travel > self._least):
            if np.isfinite(self._thickness[i]):
                found += self._passed_by(int(i), x_t0, moved, turned)
        return found

    def _passed_by(self, i: int, x_t0: Array, moved: Array, turned: Array) -> list[Passing]:
        across = moved[i] - moved
        slid = np.linalg.norm(across, axis=1)
        step = slid + turned[i] * self._lever[i] + turned * self._lever
        thin = np.minimum(self._thickness, self._thickness[i])
        start = x_t0[i] - x_t0
        along = np.zeros(len(start))
        np.divide(-np.sum(start * across, axis=1), slid**2, out=along, where=slid > 0)
        nearest = np.linalg.norm(start + np.clip(along, 0, 1)[:, None] * across, axis=1)
        with np.errstate(invalid="ignore"):
            suspect: NDArray[np.bool_] = (step > LONGEST * thin) & (
                nearest <= 0.5 * (self._size + self._size[i])
            )
        suspect[i] = False
        return [
            Passing((i, int(j)), float(step[j]), float(thin[j])) for j in np.flatnonzero(suspect)
        ]
