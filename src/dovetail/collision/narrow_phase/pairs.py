"""All contacts of pairs of bodies, with repeated and needless ones left out."""

import numpy as np

from dovetail.collision.narrow_phase.features import (
    crossed_edges,
    on_plane,
    touch_room,
    two_round,
    vertex_face,
    vertex_wire,
)
from dovetail.collision.narrow_phase.surfaces import (
    PLANE,
    ROUND,
    has_cone,
    no_pose,
    no_surfaces,
)
from dovetail.linalg.vec3 import add, dot, load3, load33, matvec, norm, scale, store3, sub
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm

MOST_ALIKE = 8  # contacts of one pair with one normal; more of them hold nothing more
ALIKE = 0.99  # cosine of normals that count as one
SAME = 0.999  # cosine of normals of one contact found twice
NEAR = 1e-3  # of the smaller body: closer points are one contact
EDGES_DEEP = 0.05  # of the same: deeper, vertices are inside and tell more
DEEP = 0.25  # of the thinner body: vertices further inside belong to its other side


@jit_in_place
def deepest_allowed(surfaces, a, b):
    """[m] how far inside a feature still is looked for."""
    return DEEP * min(surfaces.thickness[a], surfaces.thickness[b]) + (
        surfaces.radius[a] + surfaces.radius[b]
    )


@jit_in_place
def edges_allowed(surfaces, a, b):
    """[m] how far past each other crossed edges still are looked for."""
    return EDGES_DEEP * min(surfaces.thickness[a], surfaces.thickness[b])


@jit_in_place
def _vertices_on_faces(surfaces, pose, R, i, j, reach, deep, flip, out, count):
    """Vertices of body i against faces and wires of body j."""
    for v in range(surfaces.first_vertex[i], surfaces.first_vertex[i + 1]):
        if not surfaces.corner[v]:
            continue
        p = load3(pose.vertex, v)
        r = reach + surfaces.radius[i] + surfaces.radius[j]
        outside = False
        for k in range(3):  # the box of j already has the margin of j, which is not negative
            if p[k] < pose.box[j, k] - r or p[k] > pose.box[j, 3 + k] + r:
                outside = True
        if outside:
            continue
        for f in range(surfaces.first_face[j], surfaces.first_face[j + 1]):
            count = vertex_face(surfaces, pose, R, i, v, j, f, reach, deep, flip, out, count)
        for e in range(surfaces.first_edge[j], surfaces.first_edge[j + 1]):
            if not has_cone(surfaces, e):
                count = vertex_wire(surfaces, pose, i, v, j, e, reach, flip, out, count)
    return count


@jit_in_place
def pair_touches(surfaces, pose, x, R, a, b, reach, out, count):
    """Every contact of bodies a and b within `reach` [m], all features against all."""
    kind_a, kind_b = surfaces.kind[a], surfaces.kind[b]
    if kind_a == PLANE or kind_b == PLANE:
        i, j = (b, a) if kind_a == PLANE else (a, b)
        turned = load33(R, j)
        n = matvec(turned, load3(surfaces.axis, j))
        at = add(load3(x, j), matvec(turned, load3(surfaces.centre, j)))
        if dot(n, sub(load3(x, i), at)) > surfaces.reach[i] + reach:
            return count
        return on_plane(surfaces, pose, x, R, i, j, at, n, reach, i == b, out, count)
    if kind_a == ROUND and kind_b == ROUND:
        return two_round(surfaces, pose, a, b, reach, out, count)
    deep, crossed = deepest_allowed(surfaces, a, b), edges_allowed(surfaces, a, b)
    count = _vertices_on_faces(surfaces, pose, R, a, b, reach, deep, False, out, count)
    count = _vertices_on_faces(surfaces, pose, R, b, a, reach, deep, True, out, count)
    for ea in range(surfaces.first_edge[a], surfaces.first_edge[a + 1]):
        if surfaces.convex[ea]:
            for eb in range(surfaces.first_edge[b], surfaces.first_edge[b + 1]):
                if surfaces.convex[eb]:
                    count = crossed_edges(
                        surfaces, pose, R, a, ea, b, eb, reach, crossed, out, count
                    )
    return count


@jit_in_place
def listed_touches(surfaces, pose, R, a, b, reach, near, out, count):
    """As `pair_touches`, of the candidate arrays of `mesh.contact_features` only."""
    deep, crossed = deepest_allowed(surfaces, a, b), edges_allowed(surfaces, a, b)
    va, vb = surfaces.first_vertex[a], surfaces.first_vertex[b]
    ea, eb = surfaces.first_edge[a], surfaces.first_edge[b]
    fa, fb = surfaces.first_face[a], surfaces.first_face[b]
    point_face, face_point, edges, point_wire, wire_point = near
    for k in range(point_face.shape[0]):
        v, f = va + point_face[k, 0], fb + point_face[k, 1]
        if surfaces.corner[v]:
            count = vertex_face(surfaces, pose, R, a, v, b, f, reach, deep, False, out, count)
    for k in range(face_point.shape[0]):
        v, f = vb + face_point[k, 1], fa + face_point[k, 0]
        if surfaces.corner[v]:
            count = vertex_face(surfaces, pose, R, b, v, a, f, reach, deep, True, out, count)
    for k in range(edges.shape[0]):
        e, g = ea + edges[k, 0], eb + edges[k, 1]
        if surfaces.convex[e] and surfaces.convex[g]:
            count = crossed_edges(surfaces, pose, R, a, e, b, g, reach, crossed, out, count)
    for k in range(point_wire.shape[0]):
        v, e = va + point_wire[k, 0], point_wire[k, 1]
        if surfaces.corner[v]:
            count = vertex_wire(surfaces, pose, a, v, b, e, reach, False, out, count)
    for k in range(wire_point.shape[0]):
        v, e = vb + wire_point[k, 1], wire_point[k, 0]
        if surfaces.corner[v]:
            count = vertex_wire(surfaces, pose, b, v, a, e, reach, True, out, count)
    return count


@jit_in_place
def _move(out, source, target):
    if source != target:
        out.body[target, 0], out.body[target, 1] = out.body[source, 0], out.body[source, 1]
        store3(out.point, target, load3(out.point, source))
        store3(out.normal, target, load3(out.normal, source))
        out.gap[target] = out.gap[source]


@jit_in_place
def _without_repeats(out, start, count, close):
    """Contacts start:count with those found twice left out; returns the new count."""
    kept = start
    for k in range(start, count):
        p, n, same = load3(out.point, k), load3(out.normal, k), -1
        for m in range(start, kept):
            if dot(n, load3(out.normal, m)) > SAME and norm(sub(p, load3(out.point, m))) < close:
                same = m
                break
        if same < 0:
            _move(out, k, kept)
            kept += 1
        elif out.gap[k] < out.gap[same]:
            _move(out, k, same)
    return kept


@jit_in_place
def _spread(out, start, count, n, mark, apart):
    """Mark (1) the contacts with normal n to keep: the deepest, then the farthest from those."""
    best, alike = -1, 0
    for k in range(start, count):
        if mark[k - start] == 0 and dot(n, load3(out.normal, k)) > ALIKE:
            mark[k - start] = 2
            apart[k - start] = np.inf
            alike += 1
            if best < 0 or out.gap[k] < out.gap[best]:
                best = k
    for _ in range(min(alike, MOST_ALIKE)):
        mark[best - start] = 1
        p, farthest, nxt = load3(out.point, best), -1.0, -1
        for k in range(start, count):
            if mark[k - start] == 2:
                away = sub(load3(out.point, k), p)
                flat = norm(sub(away, scale(dot(n, away), n)))
                apart[k - start] = min(apart[k - start], flat)
                if apart[k - start] > farthest:
                    farthest, nxt = apart[k - start], k
        if nxt < 0:
            break
        best = nxt
    for k in range(start, count):
        if mark[k - start] == 2:
            mark[k - start] = 3


@jit_in_place
def reduced(surfaces, out, start, count, mark, apart):
    """The contacts start:count of one pair without repeats, and of many alike the outermost."""
    if count - start < 2:
        return count
    a, b = out.body[start, 0], out.body[start, 1]
    count = _without_repeats(out, start, count, NEAR * min(surfaces.size[a], surfaces.size[b]))
    if count - start <= MOST_ALIKE or count - start > mark.shape[0]:
        return count
    for k in range(count - start):
        mark[k] = 0
    for k in range(start, count):
        if mark[k - start] == 0:
            _spread(out, start, count, load3(out.normal, k), mark, apart)
    kept = start
    for k in range(start, count):
        if mark[k - start] == 1:
            _move(out, k, kept)
            kept += 1
    return kept


@jit_in_place
def all_touches(surfaces, pose, x, R, pairs, reach, out, first, mark, apart):
    """Contacts of pairs (m, 2), those of pair k being first[k]:first[k + 1] of `out`.

    Returns how much room was needed, which may be more than there is.
    """
    count, most = 0, 0
    for k in range(pairs.shape[0]):
        first[k] = count
        found = pair_touches(surfaces, pose, x, R, pairs[k, 0], pairs[k, 1], reach[k], out, count)
        most = max(most, found)
        if found > out.gap.shape[0]:
            return found
        count = reduced(surfaces, out, count, found, mark, apart)
    first[pairs.shape[0]] = count
    return most


@jit_in_place
def some_touches(surfaces, pose, R, a, b, reach, near, out, count, mark, apart):
    """Contacts of one pair by its candidates behind `count`; returns (new count, room needed)."""
    found = listed_touches(surfaces, pose, R, a, b, reach, near, out, count)
    if found > out.gap.shape[0]:
        return count, found
    return reduced(surfaces, out, count, found, mark, apart), found


_x, _R, _out = np.zeros((0, 3)), np.zeros((0, 3, 3)), touch_room(0)
_pairs, _marks = np.zeros((0, 2), np.int32), np.zeros(0, np.int8)
warm(
    all_touches, no_surfaces(), no_pose(), _x, _R, _pairs, np.zeros(0), _out,
    np.zeros(1, np.int64), _marks, np.zeros(0),
)  # fmt: skip
warm(
    some_touches, no_surfaces(), no_pose(), _R, 0, 0, 0.0, (_pairs,) * 5, _out, 0, _marks,
    np.zeros(0),
)  # fmt: skip
