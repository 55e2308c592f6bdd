"""The records of compliant contact, and the columns of their arrays."""

from typing import NamedTuple

import numpy as np

from dovetail.collision.sdf.evaluate import FieldArrays
from dovetail.collision.sdf.features import FeatureArrays
from dovetail.runtime.records import FloatArray, Int32Array, Int64Array, bundler

# entries of `NearFeatures.counts` and of `NearFeatures.validity`
VERTICES, EDGES = 0, 1
MARGIN, CALLS = 0, 1

# columns of the parameters of a pair, (n_pairs, N_COMPLIANT)
STIFFNESS, EXPONENT, RELAXATION, MU_S, MU_D, V_S, V_D, RESTITUTION, CAP, RECOVERY = range(10)
N_COMPLIANT = 10


class NearFeatures(NamedTuple):
    """Verlet list: places in the octrees of the features near a field, at one relative pose."""

    pose: FloatArray  # (12,) rotation by rows, translation [m]
    validity: FloatArray  # (2,) MARGIN: how far features were listed [m], CALLS since then
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
