"""All bodies of a result at one recorded time, and which of them meet there, exactly."""

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.forest import forest_of
from dovetail.collision.bvh.forest_arrays import Forest
from dovetail.collision.intersection.surfaces import exact_coordinates
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only
from dovetail.verifier.crossing_states import COUNT, N_COLUMNS, count_meetings, place_bodies
from dovetail.verifier.recorded_motion import BodyMotion
from dovetail.verifier.stop_arrays import StopArrays


class PlacedForest:
    """The surfaces of bodies in the world; first `move_to` a frame."""

    def __init__(self, bodies: list[BodyMotion], forest: Forest | None = None) -> None:
        self._positions, self._rotations = StopArrays(bodies, "x"), StopArrays(bodies, "R")
        self._forest = forest or forest_of([body.tree for body in bodies])
        self._thick = np.array([[body.verified.outer_radius] for body in bodies]).reshape(-1, 1)
        ends = np.cumsum(self._forest.n_vertices)
        self._start = read_only(ends - self._forest.n_vertices, np.int32)
        self._raw = np.empty((int(ends[-1]) if len(ends) else 0, 3))
        self._world: Array = self._raw
        self._x: Array = np.empty((0, 3))
        self._R: Array = np.empty((0, 3, 3))

    def move_to(self, stop: int) -> None:
        if not len(self._start):
            return
        self._x, self._R = self._positions[stop], self._rotations[stop]
        place_bodies(self._forest, self._x, self._R, self._start, self._raw)
        self._world = exact_coordinates(self._raw)

    @property
    def boxes(self) -> Array:
        """(n_bodies, 6) [m] lower and upper corners of the vertices."""
        if not len(self._start):
            return np.empty((0, 6))
        lower = np.minimum.reduceat(self._world, self._start) - self._thick
        upper = np.maximum.reduceat(self._world, self._start) + self._thick
        return np.concatenate([lower, upper], axis=1)

    def world_of(self, body: int) -> Array:
        """(n_vertices, 3) [m], the doubles on which the exact tests decide."""
        start = int(self._start[body])
        rows: Array = self._world[start : start + int(self._forest.n_vertices[body])]
        return rows

    def meetings(self, pairs: NDArray[np.int32]) -> dict[tuple[int, int], list[int]]:
        """Of `pairs` (n, 2) those that meet: how many simplices do, and the first two."""
        if not len(pairs):
            return {}
        found = np.empty((len(pairs), N_COLUMNS), np.int64)
        count_meetings(
            self._forest, read_only(pairs, np.int32), self._x, self._R, self._start, self._world,
            found,
        )  # fmt: skip
        met = np.flatnonzero(found[:, COUNT])
        return {(int(pairs[k, 0]), int(pairs[k, 1])): found[k].tolist() for k in met}
