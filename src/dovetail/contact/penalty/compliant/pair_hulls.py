"""The hulls around bodies, and what is known of pairs that they show to be apart."""

from collections.abc import Sequence

import numpy as np

from dovetail.collision.field_contacts.apart import KnownDirections, nothing_known
from dovetail.collision.field_contacts.bodies import FieldBody
from dovetail.collision.field_contacts.outer_points import hull_trees
from dovetail.collision.field_contacts.pairs import INWARD
from dovetail.collision.sdf.evaluate import ROOT3
from dovetail.model.values import Array
from dovetail.runtime.records import Int32Array, Int64Array

TWICE = 2.0  # times INWARD: a gap found that far inside may be less than that of the feature


class PairHulls:
    """Hulls of all bodies, with directions in which pairs were apart."""

    def __init__(self, bodies: Sequence[FieldBody | None]) -> None:
        outer = [() if body is None else body.outer for body in bodies]
        self.trees = hull_trees(outer)
        self._parts = np.array([len(parts) for parts in outer])
        self._thickness = np.array([np.inf if body is None else body.thickness for body in bodies])
        self._rounding = 0.5 * ROOT3 * np.array([_spacing(body) for body in bodies])
        self._known = nothing_known(np.zeros(0, np.int64))

    def known(self, pairs: Int64Array) -> KnownDirections:
        """What is known of each of the pairs (m, 2), in their order."""
        known, have = self._known, len(self._known.first)
        if have < len(pairs):
            more = nothing_known(np.prod(self._parts[pairs[have:]], axis=1))
            self._known = KnownDirections(
                np.concatenate([known.first, more.first + len(known.u)]),
                np.concatenate([known.calls, more.calls]), np.concatenate([known.u, more.u]),
                np.concatenate([known.places, more.places]),
            )  # fmt: skip
        return self._known

    def enough(self, pairs: Int32Array, margin: Array) -> Array:
        """(m,) [m] apart, pairs (m, 2) have no features with gaps below their margins (n,) [m].

        Gaps are off by the error of a grid, and by how far inside of a body they are evaluated.
        """
        i, j = pairs[:, 0], pairs[:, 1]
        thin = np.minimum(self._thickness[i], self._thickness[j])
        inward = TWICE * INWARD * np.where(np.isfinite(thin), thin, 0.0)
        off = inward + np.maximum(self._rounding[i], self._rounding[j])
        return np.asarray(margin[i] + margin[j] + off)


def _spacing(body: FieldBody | None) -> float:
    """[m] of the grid of its field, 0 where that is exact."""
    if body is None or body.field is None or len(body.field.arrays.shapes):
        return 0.0
    return float(body.field.arrays.spacing)
