"""The prepared law: contacts near a state with their friction and restitution."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.collision.bvh.tree import PairBuffer
from dovetail.collision.narrow_phase.features import Touches, touch_room
from dovetail.collision.narrow_phase.model_surfaces import pose_room, touch_surfaces
from dovetail.collision.narrow_phase.near_features import NearFeatures
from dovetail.collision.narrow_phase.pairs import all_touches, some_touches
from dovetail.collision.narrow_phase.surfaces import place
from dovetail.contact.impulse.pairs import TouchingPairs
from dovetail.model.frozen import Model
from dovetail.model.values import Array

if TYPE_CHECKING:
    from dovetail.contact.impulse.method import LCP

MARGIN = 1e-4  # of the smaller body: contacts this far apart are always kept


class ImpulseLaw:
    """Finds the contacts that a step must know of; the integrator solves for their impulses."""

    def __init__(self, model: Model, settings: "LCP") -> None:
        self._model = model
        self.surfaces, bodies = touch_surfaces(model)
        self.facets = settings.corners
        self.pairs = TouchingPairs(model, self.surfaces, settings)
        self._pose = pose_room(self.surfaces)
        self._near = NearFeatures(self.surfaces, bodies)
        self._buffer = PairBuffer()
        self.touches: Touches = touch_room(256)
        self.count = 0
        self._mark, self._apart = np.zeros(4096, np.int8), np.zeros(4096)
        self._margin = MARGIN * np.where(np.isfinite(self.surfaces.size), self.surfaces.size, 0.0)

    def find(self, x: Array, R: Array, way: Array) -> None:
        """Contacts at x (n, 3), R of bodies whose points may move by `way` (n,) [m] in the step."""
        margin = way + self._margin
        place(self.surfaces, x, R, margin, self._pose)
        pairs = self.pairs.allowed(self._near_pairs())
        reach = margin[pairs[:, 0]] + margin[pairs[:, 1]]
        large = self._near.is_large(pairs)
        small = np.ascontiguousarray(pairs[~large])
        first = np.zeros(len(small) + 1, np.int64)
        while True:
            needed = all_touches(
                self.surfaces, self._pose, x, R, small, np.ascontiguousarray(reach[~large]),
                self.touches, first, self._mark, self._apart,
            )  # fmt: skip
            if needed <= len(self.touches.gap):
                break
            self.touches = touch_room(2 * needed)
        self.count = int(first[-1])
        for (a, b), distance in zip(pairs[large].tolist(), reach[large].tolist()):
            self._add_listed(a, b, distance, x, R)

    def sizes(self) -> Array:
        """(count,) [m] size of the smaller body of each contact."""
        return np.asarray(self.surfaces.size[self.touches.body[: self.count]].min(axis=1))

    def numbers(self) -> Array:
        """(count, 5) mu_s, mu_d, v_s, v_d and restitution of each contact."""
        return self.pairs.numbers(self.touches.body[: self.count])

    def _near_pairs(self) -> NDArray[np.int32]:
        others, planes = self.pairs.others, self.pairs.planes
        found = others[overlapping_boxes(self._pose.box[others], self._buffer)]
        against = [
            np.column_stack([np.minimum(others, plane), np.maximum(others, plane)])
            for plane in planes
        ]
        return np.concatenate([found.reshape(-1, 2), *against]).astype(np.int32)

    def _add_listed(self, a: int, b: int, reach: float, x: Array, R: Array) -> None:
        near = self._near.between(a, b, x, R, reach)
        while True:
            count, needed = some_touches(
                self.surfaces, self._pose, R, a, b, reach, near, self.touches, self.count,
                self._mark, self._apart,
            )  # fmt: skip
            if needed <= len(self.touches.gap):
                break
            larger = touch_room(2 * needed)
            for old, new in zip(self.touches, larger):
                new[: self.count] = old[: self.count]
            self.touches = larger
        self.count = count
