"""Verlet lists of points, edges and faces of one body near the field of another."""

import numpy as np

from dovetail.collision.sdf.evaluate import certain_gap
from dovetail.collision.sdf.verlet_list import list_tree, reach_of_new_list
from dovetail.contact.penalty.records import EDGES, FACES, POINTS, VerletList
from dovetail.linalg.vec3 import add, add_scaled, load3, matvec, norm, sub
from dovetail.runtime.jit import jit

PIECES = 16  # of an edge


@jit
def _keep_near_edges(field, points, parts, tree, R, t, margin, listed, count):
    """Keep the listed edges of which a piece is near, not only the ball around the whole."""
    kept = 0
    for c in range(count):
        m = tree.order[listed[c]]
        a = add(matvec(R, load3(points, parts.corners[m, 0])), t)
        b = add(matvec(R, load3(points, parts.corners[m, 1])), t)
        along = sub(b, a)
        reach = 0.5 / PIECES * norm(along) + parts.reach[m] + margin
        for k in range(PIECES):
            if certain_gap(field, add_scaled(a, (k + 0.5) / PIECES, along), reach) < 0.0:
                listed[kept] = listed[c]
                kept += 1
                break
    return kept


@jit
def update_list(field, surface, near, size, R, t):
    """Rebuild the list where bodies moved too far; `size` [m] is that of the smaller one."""
    margin = reach_of_new_list(near, near.counts[POINTS] >= 0, surface.radius, size, 0.0, R, t)
    if margin < 0.0:
        return
    near.counts[POINTS] = list_tree(field, surface.points, R, t, margin, near.points)
    edges = list_tree(field, surface.edge_tree, R, t, margin, near.edges)
    near.counts[EDGES] = _keep_near_edges(
        field, surface.corners, surface.edges, surface.edge_tree, R, t, margin, near.edges, edges
    )
    near.counts[FACES] = list_tree(field, surface.face_tree, R, t, margin, near.faces)
    for m in range(near.edge_depths.shape[0]):
        near.edge_depths[m] = 0.0


def empty_list(points: int, edges: int, faces: int) -> VerletList:
    """Nothing listed yet, with the capacity for so many."""
    return VerletList(
        np.zeros(12), np.zeros(2), np.full(3, -1, np.int64), np.empty(points, np.int32),
        np.empty(edges, np.int32), np.empty(faces, np.int32), np.zeros(edges),
    )  # fmt: skip
