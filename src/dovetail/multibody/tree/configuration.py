"""Configurations of a tree: the initial one, random ones, and steps between them."""

from typing import Any

import numpy as np

from dovetail.model.joints.motions import BALL, FREE
from dovetail.multibody.tree import integrate as tree_integrate
from dovetail.multibody.tree.records import CODE, Q_INDEX
from dovetail.multibody.tree.structure import Array, Tree


def neutral(tree: Tree) -> Array:
    """The pose the tree was built in: zeros and unit quaternions."""
    q = np.zeros(tree.n_q)
    for start in _quaternion_starts(tree):
        q[start] = 1.0
    return q


def random_configuration(tree: Tree, rng: np.random.Generator) -> Array:
    """Angles and displacements in [-1, 1] and uniform rotations, for studies and tests."""
    q = rng.uniform(-1.0, 1.0, tree.n_q)
    for start in _quaternion_starts(tree):
        quaternion = rng.normal(size=4)
        q[start : start + 4] = quaternion / np.linalg.norm(quaternion)
    return q


def integrate(tree: Tree, q: Any, v: Any, h: float) -> Array:
    """Where constant joint velocities v lead from q in a time h [s], on the manifold."""
    out = np.empty(tree.n_q)
    tree_integrate.integrate(tree.arrays, tree.checked_q(q), tree.checked_v(v), float(h), out)
    return out


def _quaternion_starts(tree: Tree) -> list[int]:
    """Index of the real part of each quaternion in q."""
    codes, starts = tree.arrays.motion[:, CODE], tree.arrays.motion[:, Q_INDEX]
    return [int(start) for start in (*starts[codes == BALL], *(starts[codes == FREE] + 3))]
