"""All contacts of pairs of bodies, without duplicates and with at most eight per normal."""

from typing import NamedTuple

import numpy as np

from dovetail.collision.narrow_phase.contact_points import contact_points, move_contact
from dovetail.collision.narrow_phase.features import (
    body_plane,
    crossed_edges,
    round_round,
    vertex_face,
    vertex_wire,
)
from dovetail.collision.narrow_phase.surfaces import (
    PLANE,
    ROUND,
    has_normal_cone,
    no_pose,
    no_surfaces,
)
from dovetail.linalg.vec3 import add, dot, load3, load33, matvec, norm, scale, sub
from dovetail.runtime.jit import jit_in_place, jit_within
from dovetail.runtime.records import FloatArray, Int8Array, Int32Array
from dovetail.runtime.warmup import warm

MAX_PER_NORMAL = 8  # contacts of one pair with one normal; more do not restrict the motion further
SAME_NORMAL = 0.99  # cosine of normals that count as one
PARALLEL = 1.0 - 1e-9  # cosine of normals of one plane
TURNS = 8.0  # [rad] times the largest gap over the smaller body's size: how far a pair may turn
DUPLICATE = 0.999  # cosine of normals of one contact found twice
DUPLICATE_DISTANCE = 1e-3  # of the smaller body: closer points are one contact
MAX_EDGE_DEPTH = 0.05  # of the thinner body: deeper, vertices are inside and give the contact
MAX_DEPTH = 0.25  # of the thinner body: vertices further inside belong to its other side

UNSEEN, KEPT, OPEN, DROPPED = 0, 1, 2, 3  # marks of contacts during the reduction


class FeatureCandidates(NamedTuple):
    """Pairs of features of two bodies that may touch, (n, 2) each."""

    point_face: Int32Array  # vertex of a, face of b
    face_point: Int32Array  # face of a, vertex of b
    edge_edge: Int32Array
    point_wire: Int32Array  # vertex of a, edge of b among all edges
    wire_point: Int32Array  # edge of a among all edges, vertex of b


class ReductionWorkspace(NamedTuple):
    """Workspace for the contacts of one pair of bodies."""

    mark: Int8Array  # UNSEEN, KEPT, OPEN or DROPPED
    distance: FloatArray  # [m] to the nearest contact kept


def reduction_workspace(m: int) -> ReductionWorkspace:
    return ReductionWorkspace(np.zeros(m, np.int8), np.zeros(m))


@jit_in_place
def max_depth_of(surfaces, a, b):
    """[m] how far inside a feature still is looked for."""
    return MAX_DEPTH * min(surfaces.thickness[a], surfaces.thickness[b]) + (
        surfaces.radius[a] + surfaces.radius[b]
    )


@jit_in_place
def max_edge_depth_of(surfaces, a, b):
    """[m] how far past each other crossed edges still are looked for."""
    return MAX_EDGE_DEPTH * min(surfaces.thickness[a], surfaces.thickness[b])


@jit_in_place
def _vertices_on_faces(surfaces, pose, R, i, j, max_gap, max_depth, flip, out, count):
    """Vertices of body i against faces and wires of body j."""
    for v in range(surfaces.first_vertex[i], surfaces.first_vertex[i + 1]):
        if not surfaces.corner[v]:
            continue
        p = load3(pose.vertex, v)
        r = max_gap + surfaces.radius[i] + surfaces.radius[j]
        outside = False
        for k in range(3):  # the box of j already has the margin of j, which is not negative
            if p[k] < pose.box[j, k] - r or p[k] > pose.box[j, 3 + k] + r:
                outside = True
        if outside:
            continue
        for f in range(surfaces.first_face[j], surfaces.first_face[j + 1]):
            count = vertex_face(surfaces, pose, R, i, v, j, f, max_gap, max_depth, flip, out, count)
        for e in range(surfaces.first_edge[j], surfaces.first_edge[j + 1]):
            if not has_normal_cone(surfaces, e):
                count = vertex_wire(surfaces, pose, i, v, j, e, max_gap, flip, out, count)
    return count


@jit_within
def _edge_outside(surfaces, pose, edge, j, margin):
    """Whether both ends of an edge lie beyond the same side of the box of body j by `margin`."""
    v, w = surfaces.edge[edge, 0], surfaces.edge[edge, 1]
    for k in range(3):
        low, high = pose.box[j, k] - margin, pose.box[j, 3 + k] + margin
        if pose.vertex[v, k] < low and pose.vertex[w, k] < low:
            return True
        if pose.vertex[v, k] > high and pose.vertex[w, k] > high:
            return True
    return False


@jit_in_place
def pair_contacts(surfaces, pose, x, R, a, b, max_gap, out, count):
    """Every contact of bodies a and b within `max_gap` [m], all features against all."""
    kind_a, kind_b = surfaces.kind[a], surfaces.kind[b]
    if kind_a == PLANE or kind_b == PLANE:
        i, j = (b, a) if kind_a == PLANE else (a, b)
        rotation = load33(R, j)
        n = matvec(rotation, load3(surfaces.axis, j))
        at = add(load3(x, j), matvec(rotation, load3(surfaces.centre, j)))
        if dot(n, sub(load3(x, i), at)) > surfaces.bounding_radius[i] + max_gap:
            return count
        return body_plane(surfaces, pose, x, R, i, j, at, n, max_gap, i == b, out, count)
    if kind_a == ROUND and kind_b == ROUND:
        return round_round(surfaces, pose, a, b, max_gap, out, count)
    max_depth, max_edge_depth = max_depth_of(surfaces, a, b), max_edge_depth_of(surfaces, a, b)
    count = _vertices_on_faces(surfaces, pose, R, a, b, max_gap, max_depth, False, out, count)
    count = _vertices_on_faces(surfaces, pose, R, b, a, max_gap, max_depth, True, out, count)
    margin = max_gap + surfaces.radius[a] + surfaces.radius[b]
    for ea in range(surfaces.first_edge[a], surfaces.first_edge[a + 1]):
        if surfaces.convex[ea] and not _edge_outside(surfaces, pose, ea, b, margin):
            for eb in range(surfaces.first_edge[b], surfaces.first_edge[b + 1]):
                if surfaces.convex[eb] and not _edge_outside(surfaces, pose, eb, a, margin):
                    count = crossed_edges(
                        surfaces, pose, R, a, ea, b, eb, max_gap, max_edge_depth, out, count
                    )
    return count


@jit_in_place
def candidate_contacts(surfaces, pose, R, a, b, max_gap, candidates, out, count):
    """As `pair_contacts`, of the given candidates only."""
    max_depth, max_edge_depth = max_depth_of(surfaces, a, b), max_edge_depth_of(surfaces, a, b)
    va, vb = surfaces.first_vertex[a], surfaces.first_vertex[b]
    ea, eb = surfaces.first_edge[a], surfaces.first_edge[b]
    fa, fb = surfaces.first_face[a], surfaces.first_face[b]
    point_face, face_point, edges = (
        candidates.point_face, candidates.face_point, candidates.edge_edge,
    )  # fmt: skip
    point_wire, wire_point = candidates.point_wire, candidates.wire_point
    for k in range(point_face.shape[0]):
        v, f = va + point_face[k, 0], fb + point_face[k, 1]
        if surfaces.corner[v]:
            count = vertex_face(
                surfaces, pose, R, a, v, b, f, max_gap, max_depth, False, out, count
            )
    for k in range(face_point.shape[0]):
        v, f = vb + face_point[k, 1], fa + face_point[k, 0]
        if surfaces.corner[v]:
            count = vertex_face(surfaces, pose, R, b, v, a, f, max_gap, max_depth, True, out, count)
    for k in range(edges.shape[0]):
        e, g = ea + edges[k, 0], eb + edges[k, 1]
        if surfaces.convex[e] and surfaces.convex[g]:
            count = crossed_edges(
                surfaces, pose, R, a, e, b, g, max_gap, max_edge_depth, out, count
            )
    for k in range(point_wire.shape[0]):
        v, e = va + point_wire[k, 0], point_wire[k, 1]
        if surfaces.corner[v]:
            count = vertex_wire(surfaces, pose, a, v, b, e, max_gap, False, out, count)
    for k in range(wire_point.shape[0]):
        v, e = vb + wire_point[k, 1], wire_point[k, 0]
        if surfaces.corner[v]:
            count = vertex_wire(surfaces, pose, b, v, a, e, max_gap, True, out, count)
    return count


@jit_in_place
def _without_duplicates(out, start, count, close):
    """Contacts start:count, each of them once; returns the new count."""
    kept = start
    for k in range(start, count):
        p, n, same = load3(out.point, k), load3(out.normal, k), -1
        for m in range(start, kept):
            if (
                dot(n, load3(out.normal, m)) > DUPLICATE
                and norm(sub(p, load3(out.point, m))) < close
            ):
                same = m
                break
        if same < 0:
            move_contact(out, k, kept)
            kept += 1
        elif out.gap[k] < out.gap[same]:
            move_contact(out, k, same)
    return kept


@jit_in_place
def _spread(out, start, count, n, workspace):
    """Mark as KEPT contacts with normal n: the deepest, then the farthest from those."""
    mark, distance = workspace.mark, workspace.distance
    best, alike = -1, 0
    for k in range(start, count):
        if mark[k - start] == UNSEEN and dot(n, load3(out.normal, k)) > SAME_NORMAL:
            mark[k - start] = OPEN
            distance[k - start] = np.inf
            alike += 1
            if best < 0 or out.gap[k] < out.gap[best]:
                best = k
    for _ in range(min(alike, MAX_PER_NORMAL)):
        mark[best - start] = KEPT
        p, farthest, nxt = load3(out.point, best), -1.0, -1
        for k in range(start, count):
            if mark[k - start] == OPEN:
                away = sub(load3(out.point, k), p)
                flat = norm(sub(away, scale(dot(n, away), n)))
                distance[k - start] = min(distance[k - start], flat)
                if distance[k - start] > farthest:
                    farthest, nxt = distance[k - start], k
        if nxt < 0:
            break
        best = nxt
    for k in range(start, count):
        if mark[k - start] == OPEN:
            mark[k - start] = DROPPED


@jit_in_place
def _drop_covered(out, start, count, turn, workspace):
    """Drop contacts that cannot close, as one beside them is lower and closes before.

    If the bodies turn by at most `turn` [rad], the gaps of two contacts with one normal change by
    amounts that differ by at most that times their distance along the plane.
    """
    mark = workspace.mark
    for k in range(start, count):
        p, n, gap = load3(out.point, k), load3(out.normal, k), out.gap[k]
        for m in range(start, count):
            lower = gap - out.gap[m]
            if not lower > 0.0 or dot(n, load3(out.normal, m)) < PARALLEL:
                continue
            away = sub(load3(out.point, m), p)
            if lower > turn * norm(sub(away, scale(dot(n, away), n))):
                mark[k - start] = DROPPED
                break


@jit_in_place
def reduced(surfaces, out, start, count, max_gap, workspace):
    """The contacts start:count of one pair without duplicates; of one normal the outermost.

    `max_gap` [m] bounds how far their points may move in the step.
    """
    mark = workspace.mark
    if count - start < 2:
        return count
    a, b = out.body[start, 0], out.body[start, 1]
    count = _without_duplicates(
        out, start, count, DUPLICATE_DISTANCE * min(surfaces.size[a], surfaces.size[b])
    )
    if count - start <= MAX_PER_NORMAL or count - start > mark.shape[0]:
        return count
    for k in range(count - start):
        mark[k] = UNSEEN
    turn = TURNS * max_gap / min(surfaces.size[a], surfaces.size[b])
    _drop_covered(out, start, count, turn, workspace)
    for k in range(start, count):
        if mark[k - start] == UNSEEN:
            _spread(out, start, count, load3(out.normal, k), workspace)
    kept = start
    for k in range(start, count):
        if mark[k - start] == KEPT:
            move_contact(out, k, kept)
            kept += 1
    return kept


@jit_in_place
def find_contacts(surfaces, pose, x, R, pairs, max_gap, out, first, workspace):
    """Contacts of pairs (m, 2), those of pair k being first[k]:first[k + 1] of `out`.

    max_gap (m,) [m]. Returns how much space was needed, which may be more than there is.
    """
    count, most = 0, 0
    for k in range(pairs.shape[0]):
        first[k] = count
        a, b = pairs[k, 0], pairs[k, 1]
        found = pair_contacts(surfaces, pose, x, R, a, b, max_gap[k], out, count)
        most = max(most, found)
        if found > out.gap.shape[0]:
            return found
        count = reduced(surfaces, out, count, found, max_gap[k], workspace)
    first[pairs.shape[0]] = count
    return most


@jit_in_place
def find_candidate_contacts(surfaces, pose, R, a, b, max_gap, candidates, out, count, workspace):
    """Append the contacts of one pair by its candidates; returns (new count, space needed)."""
    found = candidate_contacts(surfaces, pose, R, a, b, max_gap, candidates, out, count)
    if found > out.gap.shape[0]:
        return count, found
    return reduced(surfaces, out, count, found, max_gap, workspace), found


_x, _R, _out = np.zeros((0, 3)), np.zeros((0, 3, 3)), contact_points(0)
_pairs, _workspace = np.zeros((0, 2), np.int32), reduction_workspace(0)
warm(
    find_contacts, no_surfaces(), no_pose(), _x, _R, _pairs, np.zeros(0), _out,
    np.zeros(1, np.int64), _workspace,
)  # fmt: skip
warm(
    find_candidate_contacts, no_surfaces(), no_pose(), _R, 0, 0, 0.0,
    FeatureCandidates(*(_pairs,) * 5), _out, 0, _workspace,
)  # fmt: skip
