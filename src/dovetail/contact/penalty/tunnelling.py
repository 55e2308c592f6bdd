"""Tunnelling: bodies that could pass one another between two states without being detected."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.penalty.collision_body import CollisionBody
from dovetail.model.values import Array

LONGEST = 0.5  # of the thinner body's thickness, in one step


@dataclass(frozen=True)
class PossibleTunnelling:
    """Two bodies and how far they moved against each other."""

    bodies: tuple[int, int]
    moved: float  # [m]
    thickness: float  # [m] of the thinner one


class TunnellingGuard:
    """Sizes of all bodies, with which steps are checked."""

    def __init__(self, bodies: list[CollisionBody | None]) -> None:
        boxed = [body if body is not None and body.box is not None else None for body in bodies]
        self._size = np.array([np.nan if body is None else body.size for body in boxed])
        self._thickness = np.array([np.inf if body is None else body.thickness for body in boxed])
        ball = [body is None or (body.is_round and len(body.octree or ()) == 1) for body in boxed]
        radius = np.where(ball, 0.0, self._size / 2)  # rotation of a ball moves no surface
        self._radius = np.nan_to_num(radius)  # [m] times the angle: how far a surface moves
        self._least = LONGEST * float(np.min(self._thickness, initial=np.inf))

    def suspects(self, x_t0: Array, moved: Array, rotated: Array) -> list[PossibleTunnelling]:
        """Pairs that moved by more than half of the thinner one's thickness, near each other.

        Bodies went from x_t0 (n, 3) by `moved` (n, 3) [m] and rotated by (n,) [rad]. A half-space
        cannot be passed.
        """
        travel = np.sqrt(np.einsum("ni,ni->n", moved, moved)) + rotated * self._radius
        found: list[PossibleTunnelling] = []
        if not 2 * float(travel.max(initial=0.0)) > self._least:
            return found
        for i in np.flatnonzero(2 * travel > self._least):
            if np.isfinite(self._thickness[i]):
                found += self._passed_by(int(i), x_t0, moved, rotated)
        return found

    def _passed_by(
        self, i: int, x_t0: Array, moved: Array, rotated: Array
    ) -> list[PossibleTunnelling]:
        relative = moved[i] - moved
        distance = np.linalg.norm(relative, axis=1)
        step = distance + rotated[i] * self._radius[i] + rotated * self._radius
        thin = np.minimum(self._thickness, self._thickness[i])
        start = x_t0[i] - x_t0
        along = np.zeros(len(start))
        np.divide(-np.sum(start * relative, axis=1), distance**2, out=along, where=distance > 0)
        nearest = np.linalg.norm(start + np.clip(along, 0, 1)[:, None] * relative, axis=1)
        with np.errstate(invalid="ignore"):
            suspect: NDArray[np.bool_] = (step > LONGEST * thin) & (
                nearest <= 0.5 * (self._size + self._size[i])
            )
        suspect[i] = False
        return [
            PossibleTunnelling((i, int(j)), float(step[j]), float(thin[j]))
            for j in np.flatnonzero(suspect)
        ]
