"""Which points, edges and faces of one body are near another, kept while the two hardly move.

What lies further from a field than bodies have moved since it was listed cannot be inside yet
(Verlet's lists, Phys. Rev. 159 (1967) 98): the contacts found with a list are those found without.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.collision.sdf.evaluate import certain_gap
from dovetail.linalg.vec3 import add, add_scaled, load3, matvec, norm, sub
from dovetail.runtime.jit import jit

WIDEST, NARROWEST = 1e-2, 1e-4  # of the smaller body: how far around it parts are listed
PIECES = 16  # of an edge
STEPS = 100.0  # a list should last so many calls


class NearParts(NamedTuple):
    """Places in the octrees of what is near, as of the pose they were listed at."""

    pose: Any  # (12,) rotation by rows, translation [m]
    lasting: Any  # (2,) how far bodies may move [m], calls since it was listed
    counts: Any  # (3,) int64 of points, edges, faces; the first is -1 before anything is listed
    points: Any  # int32
    edges: Any
    faces: Any
    edge_depths: Any  # [m] by number of the edge, 0 for those not listed


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
def _thin_out(field, points, parts, tree, R, t, margin, listed, count):
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
def _moved(near, far, R, t):
    """A bound [m] on how far any point within `far` of the origin moved since the listing."""
    turned = 0.0
    for i in range(3):
        for j in range(3):
            turned += (R[i][j] - near.pose[3 * i + j]) ** 2
    return norm(sub(t, (near.pose[9], near.pose[10], near.pose[11]))) + far * turned**0.5


@jit
def keep_listed(field, probes, near, size, R, t):
    """List anew where bodies moved too far; `size` [m] is that of the smaller one."""
    margin = 0.5 * (WIDEST + NARROWEST) * size
    if near.counts[0] >= 0:
        near.lasting[1] += 1.0
        moved = _moved(near, probes.far, R, t)
        if moved <= near.lasting[0]:
            return
        step = moved / near.lasting[1]
        margin = min(max(STEPS * step, NARROWEST * size), WIDEST * size)
    for i in range(3):
        for j in range(3):
            near.pose[3 * i + j] = R[i][j]
        near.pose[9 + i] = t[i]
    near.lasting[0], near.lasting[1] = margin, 0.0
    near.counts[0] = _list_tree(field, probes.tree, R, t, margin, near.points)
    edges = _list_tree(field, probes.edge_tree, R, t, margin, near.edges)
    near.counts[1] = _thin_out(
        field, probes.corners, probes.edges, probes.edge_tree, R, t, margin, near.edges, edges
    )
    near.counts[2] = _list_tree(field, probes.face_tree, R, t, margin, near.faces)
    for m in range(near.edge_depths.shape[0]):
        near.edge_depths[m] = 0.0


def nothing_listed(points: int, edges: int, faces: int) -> NearParts:
    """Room for so many."""
    return NearParts(
        np.zeros(12), np.zeros(2), np.full(3, -1, np.int64), np.empty(points, np.int32),
        np.empty(edges, np.int32), np.empty(faces, np.int32), np.zeros(edges),
    )  # fmt: skip
