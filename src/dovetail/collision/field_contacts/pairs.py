"""The features of one body beside the field of another, with the list kept between steps."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.collision.sdf.evaluate import FieldArrays
from dovetail.collision.sdf.features import FeatureArrays
from dovetail.runtime.records import FloatArray, Int32Array, Int64Array, bundler

# entries of `NearFeatures.counts`
VERTICES, EDGES = 0, 1

INWARD = 0.02  # of the thinner body: how far inside of a body its sharp features are evaluated


class NearFeatures(NamedTuple):
    """Verlet list: places in the octrees of the features near a field, at one relative pose."""

    pose: FloatArray  # (12,) rotation by rows, translation [m]
    validity: FloatArray  # (2,) as in `sdf.verlet_list`
    counts: Int64Array  # (2,) VERTICES, EDGES; -1 before anything is listed
    vertices: Int32Array  # (n,)
    edges: Int32Array  # (m,)


class FeaturePair(NamedTuple):
    """The features of one body and the field of another."""

    features: FeatureArrays
    field: FieldArrays
    near: NearFeatures
    every: float  # [m] no feature of the field's body is thinner than twice that
    inward: float  # [m] how far inside of the body the field is evaluated at sharp features
    size: float  # [m] of the smaller body


bundle_feature_pair = bundler(FeaturePair)


def no_features_listed(vertices: int, edges: int) -> NearFeatures:
    """Nothing listed yet, with the capacity for so many."""
    return NearFeatures(
        np.zeros(12), np.zeros(2), np.full(2, -1, np.int64), np.empty(vertices, np.int32),
        np.empty(edges, np.int32),
    )  # fmt: skip


def feature_pair(
    features: FeatureArrays, field: FieldArrays, thickness: tuple[float, float], thinnest: float,
    size: float,
) -> Any:  # fmt: skip
    """A bundled FeaturePair with nothing listed.

    `thickness` [m] is that of both bodies; `thinnest` [m] of what the features may meet; `size` [m]
    is the smaller body's.
    """
    thin = min(thickness)
    return bundle_feature_pair(
        features, field,
        no_features_listed(len(features.vertices.order), len(features.edges.order)),
        0.5 * thinnest, INWARD * (thin if np.isfinite(thin) else 0.0), size,
    )  # fmt: skip
