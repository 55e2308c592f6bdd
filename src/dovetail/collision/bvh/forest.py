"""Putting the trees of many bodies into one set of arrays."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.forest_arrays import Forest
from dovetail.collision.bvh.tree import Bvh
from dovetail.runtime.read_only import read_only


def forest_of(trees: Sequence[Bvh]) -> Forest:
    """The forest of bodies with these trees."""
    distinct = list({id(tree): tree for tree in trees}.values())
    place = {id(tree): number for number, tree in enumerate(distinct)}
    of_body = [place[id(tree)] for tree in trees]
    vertex = _starts([len(tree.vertices) for tree in distinct])
    simplex = _starts([tree.n_simplices for tree in distinct])
    node = _starts([len(tree.right) for tree in distinct])
    right = [
        np.where(tree.right < 0, tree.right - simplex[k], tree.right + node[k])
        for k, tree in enumerate(distinct)
    ]
    simplices = [tree.simplices + vertex[k] for k, tree in enumerate(distinct)]
    return Forest(
        read_only(np.concatenate([np.empty((0, 3)), *(tree.vertices for tree in distinct)])),
        read_only(np.concatenate([np.empty((0, 3), np.int32), *simplices]), np.int32),
        read_only(np.concatenate([np.empty((0, 6)), *(tree.boxes for tree in distinct)])),
        read_only(np.concatenate([np.empty(0, np.int32), *right]), np.int32),
        read_only(node[of_body], np.int32),
        read_only(vertex[of_body], np.int32),
        read_only(simplex[of_body], np.int32),
        read_only([len(tree.vertices) for tree in trees], np.int32),
        read_only([tree.radius for tree in trees]),
    )


def _starts(counts: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])[:-1]
