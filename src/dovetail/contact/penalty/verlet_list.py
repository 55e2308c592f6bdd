"""Verlet lists: which points, edges and faces of one body are near the field of another.

What lies further from a field than bodies have moved since it was listed cannot be inside yet
(Verlet, Phys. Rev. 159 (1967) 98): the contacts found with a list are those found without.
"""

import numpy as np

from dovetail.collision.sdf.evaluate import certain_gap
from dovetail.contact.penalty.records import CALLS, EDGES, FACES, MARGIN, POINTS, VerletList
from dovetail.linalg.vec3 import add, add_scaled, load3, matvec, norm, sub
from dovetail.runtime.jit import jit

WIDEST, NARROWEST = 1e-2, 1e-4  # of the smaller body: how far around it parts are listed
PIECES = 16  # of an edge
LIFETIME = 100.0  # calls that a list should serve


@jit
def _list_tree(field, tree, R, t, margin, listed):
    """Places of what may come inside if it moves by `margin` [m]; returns how many."""
    count, node = 0, 0
    while node < tree.after.shape[0]:
        p = add(matvec(R, load3(tree.centre, node)), t)
        if certain_gap(field, p, tree.radius[node] + margin) >= 0.0:
            node = tree.after[node]
            continue
        if tree.leaf[node]:
            for s in range(tree.start[node], tree.end[node]):
                p = add(matvec(R, load3(tree.points, s)), t)
                if certain_gap(field, p, tree.reach[s] + margin) < 0.0:
                    listed[count] = s
                    count += 1
        node += 1
    return count


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
def _displacement(near, radius, R, t):
    """A bound [m] on how far any point within `radius` of the origin moved since the listing."""
    rotated = 0.0
    for i in range(3):
        for j in range(3):
            rotated += (R[i][j] - near.pose[3 * i + j]) ** 2
    return norm(sub(t, (near.pose[9], near.pose[10], near.pose[11]))) + radius * rotated**0.5


@jit
def update_list(field, surface, near, size, R, t):
    """Rebuild the list where bodies moved too far; `size` [m] is that of the smaller one."""
    margin = 0.5 * (WIDEST + NARROWEST) * size
    if near.counts[POINTS] >= 0:
        near.validity[CALLS] += 1.0
        moved = _displacement(near, surface.radius, R, t)
        if moved <= near.validity[MARGIN]:
            return
        step = moved / near.validity[CALLS]
        margin = min(max(LIFETIME * step, NARROWEST * size), WIDEST * size)
    for i in range(3):
        for j in range(3):
            near.pose[3 * i + j] = R[i][j]
        near.pose[9 + i] = t[i]
    near.validity[MARGIN], near.validity[CALLS] = margin, 0.0
    near.counts[POINTS] = _list_tree(field, surface.points, R, t, margin, near.points)
    edges = _list_tree(field, surface.edge_tree, R, t, margin, near.edges)
    near.counts[EDGES] = _keep_near_edges(
        field, surface.corners, surface.edges, surface.edge_tree, R, t, margin, near.edges, edges
    )
    near.counts[FACES] = _list_tree(field, surface.face_tree, R, t, margin, near.faces)
    for m in range(near.edge_depths.shape[0]):
        near.edge_depths[m] = 0.0


def empty_list(points: int, edges: int, faces: int) -> VerletList:
    """Nothing listed yet, with the capacity for so many."""
    return VerletList(
        np.zeros(12), np.zeros(2), np.full(3, -1, np.int64), np.empty(points, np.int32),
        np.empty(edges, np.int32), np.empty(faces, np.int32), np.zeros(edges),
    )  # fmt: skip
