"""Contacts of single features: vertex against face, edge against edge, vertex against wire.

Each writes at most one contact. Its normal points from body b to body a and its gap [m] is signed:
< 0 inside. The point lies midway between the two surfaces.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from dovetail.collision.distance.closest_points import (
    EDGES_CROSSED,
    POINT_FACE,
    edge_edge,
    point_edge,
    point_triangle,
    triangle_point,
)
from dovetail.collision.narrow_phase.surfaces import has_cone, in_edge_cone, supports
from dovetail.linalg.vec3 import add, add_scaled, cross, dot, load3, norm, scale, store3, sub
from dovetail.runtime.jit import jit_in_place

STEEPEST = 0.5  # sine by which an edge at a touching vertex may lead into the other body
BESIDE = 1e-6  # of the size: this far beside a face still counts as on it
CONE = 0.02  # sine by which a normal may leave the normals of an edge
PARALLEL = 1e-3  # sine of edges that do not cross


class Touches(NamedTuple):
    """Room for contacts."""

    body: Any  # (m, 2) a, b
    point: Any  # (m, 3) [m]
    normal: Any  # (m, 3) from b to a
    gap: Any  # (m,) [m]


def touch_room(m: int) -> Touches:
    return Touches(np.zeros((m, 2), np.int32), np.zeros((m, 3)), np.zeros((m, 3)), np.zeros(m))


@jit_in_place
def write(out, count, a, b, flip, point, normal, gap):
    """Add a contact whose normal leads to the body with the vertex; `flip`: that one is b.

    Counts on beyond the room there is, so that the caller can make more.
    """
    if count < out.gap.shape[0]:
        out.body[count, 0] = a
        out.body[count, 1] = b
        store3(out.point, count, point)
        store3(out.normal, count, scale(-1.0, normal) if flip else normal)
        out.gap[count] = gap
    return count + 1


@jit_in_place
def _is_nearest(surfaces, pose, p, j, face, depth):
    """Whether no other face of body j is nearer to a point inside it than `depth` [m]."""
    for f in range(surfaces.first_face[j], surfaces.first_face[j + 1]):
        if f == face:
            continue
        t0 = load3(pose.vertex, surfaces.face[f, 0])
        if abs(dot(load3(pose.normal, f), sub(p, t0))) >= depth:
            continue
        t1 = load3(pose.vertex, surfaces.face[f, 1])
        t2 = load3(pose.vertex, surfaces.face[f, 2])
        _, s, t = point_triangle(p, t0, t1, t2)
        if norm(sub(p, triangle_point(t0, t1, t2, s, t))) < depth:
            return False
    return True


@jit_in_place
def vertex_face(surfaces, pose, R, i, vertex, j, face, reach, deep, flip, out, count):
    """`vertex` of body i against `face` of body j; returns the new count."""
    p, n = load3(pose.vertex, vertex), load3(pose.normal, face)
    t0 = load3(pose.vertex, surfaces.face[face, 0])
    height = dot(n, sub(p, t0))
    r = surfaces.radius[i] + surfaces.radius[j]
    if height > reach + r or height < -deep:
        if not (surfaces.two_sided[j] and abs(height) <= reach + r):
            return count
    t1 = load3(pose.vertex, surfaces.face[face, 1])
    t2 = load3(pose.vertex, surfaces.face[face, 2])
    case, s, t = point_triangle(p, t0, t1, t2)
    q = triangle_point(t0, t1, t2, s, t)
    d = sub(p, q)
    beside = norm(sub(d, scale(height, n)))
    if case == POINT_FACE or beside <= BESIDE * min(surfaces.size[i], surfaces.size[j]):
        if surfaces.two_sided[j] and height < 0.0:
            n, height = scale(-1.0, n), -height
        inside = height < -BESIDE * surfaces.size[j]
        if inside and not _is_nearest(surfaces, pose, p, j, face, -height * (1.0 - 1e-9)):
            return count
        gap = height - r
    else:
        height = norm(d)
        gap = height - r
        if gap > reach or height < BESIDE * surfaces.size[j]:
            return count
        n = scale(1.0 / height, d)
        if case >= 3:
            if not in_edge_cone(surfaces, R, surfaces.face_edge[face, case - 3], j, n, 1e-6):
                return count
        elif not supports(surfaces, pose, surfaces.face[face, case], scale(-1.0, n), 1e-6):
            return count
    if not supports(surfaces, pose, vertex, n, STEEPEST):
        return count
    middle = add_scaled(p, -(surfaces.radius[i] + 0.5 * gap), n)
    a, b = (j, i) if flip else (i, j)
    return write(out, count, a, b, flip, middle, n, gap)


@jit_in_place
def crossed_edges(surfaces, pose, R, a, ea, b, eb, reach, deep, out, count):
    """Edge `ea` of body a against edge `eb` of body b, crossing within both."""
    a0, a1 = load3(pose.vertex, surfaces.edge[ea, 0]), load3(pose.vertex, surfaces.edge[ea, 1])
    b0, b1 = load3(pose.vertex, surfaces.edge[eb, 0]), load3(pose.vertex, surfaces.edge[eb, 1])
    r = surfaces.radius[a] + surfaces.radius[b]
    far = max(reach + r, deep)
    for k in range(3):
        if min(a0[k], a1[k]) > max(b0[k], b1[k]) + far:
            return count
        if min(b0[k], b1[k]) > max(a0[k], a1[k]) + far:
            return count
    u, w = sub(a1, a0), sub(b1, b0)
    case, s, t = edge_edge(a0, a1, b0, b1)
    if case != EDGES_CROSSED:
        return count
    n = cross(u, w)
    sine = norm(n)
    if sine < PARALLEL * norm(u) * norm(w):
        return count
    pa, pb = add_scaled(a0, s, u), add_scaled(b0, t, w)
    d = sub(pa, pb)
    n = scale(1.0 / sine, n)
    cone_a, cone_b = has_cone(surfaces, ea), has_cone(surfaces, eb)
    if r > 0.0 or not (cone_a or cone_b):
        if dot(n, d) < 0.0:
            n = scale(-1.0, n)
    else:
        back = scale(-1.0, n)
        if cone_b:
            if not in_edge_cone(surfaces, R, eb, b, n, CONE):
                n = back
        elif not in_edge_cone(surfaces, R, ea, a, back, CONE):
            n = back
    if cone_b and not in_edge_cone(surfaces, R, eb, b, n, CONE):
        return count
    if cone_a and not in_edge_cone(surfaces, R, ea, a, scale(-1.0, n), CONE):
        return count
    gap = dot(n, d) - r
    if gap > reach or gap < -deep:
        return count
    middle = add_scaled(pa, -(surfaces.radius[a] + 0.5 * gap), n)
    return write(out, count, a, b, False, middle, n, gap)


@jit_in_place
def vertex_wire(surfaces, pose, i, vertex, j, edge, reach, flip, out, count):
    """`vertex` of body i against a free edge of body j: a wire, or the core of a capsule."""
    p = load3(pose.vertex, vertex)
    e0, e1 = load3(pose.vertex, surfaces.edge[edge, 0]), load3(pose.vertex, surfaces.edge[edge, 1])
    _, t, _ = point_edge(p, e0, e1)
    d = sub(p, add_scaled(e0, t, sub(e1, e0)))
    height = norm(d)
    gap = height - surfaces.radius[i] - surfaces.radius[j]
    if gap > reach or not height > 0.0:
        return count
    n = scale(1.0 / height, d)
    if not supports(surfaces, pose, vertex, n, STEEPEST):
        return count
    middle = add_scaled(p, -(surfaces.radius[i] + 0.5 * gap), n)
    a, b = (j, i) if flip else (i, j)
    return write(out, count, a, b, flip, middle, n, gap)


@jit_in_place
def two_round(surfaces, pose, a, b, reach, out, count):
    """Two balls or capsules: closest points of their cores; two contacts of parallel bars."""
    a0 = load3(pose.vertex, surfaces.first_vertex[a])
    a1 = load3(pose.vertex, surfaces.first_vertex[a + 1] - 1)
    b0 = load3(pose.vertex, surfaces.first_vertex[b])
    b1 = load3(pose.vertex, surfaces.first_vertex[b + 1] - 1)
    u, w = sub(a1, a0), sub(b1, b0)
    if norm(cross(u, w)) <= PARALLEL * norm(u) * norm(w) and norm(u) * norm(w) > 0.0:
        length = dot(u, u)
        s0, s1 = dot(sub(b0, a0), u) / length, dot(sub(b1, a0), u) / length
        low, high = max(0.0, min(s0, s1)), min(1.0, max(s0, s1))
        if high > low:
            for s in (low, high):
                pa = add_scaled(a0, s, u)
                _, t, _ = point_edge(pa, b0, b1)
                pb = add_scaled(b0, t, w)
                count = _balls(surfaces, a, b, pa, pb, reach, out, count)
            return count
    _, s, t = edge_edge(a0, a1, b0, b1)
    pa, pb = add_scaled(a0, s, u), add_scaled(b0, t, w)
    return _balls(surfaces, a, b, pa, pb, reach, out, count)


@jit_in_place
def _balls(surfaces, a, b, pa, pb, reach, out, count):
    d = sub(pa, pb)
    apart = norm(d)
    gap = apart - surfaces.radius[a] - surfaces.radius[b]
    if gap > reach or not apart > 0.0:
        return count
    n = scale(1.0 / apart, d)
    middle = add_scaled(pa, -(surfaces.radius[a] + 0.5 * gap), n)
    return write(out, count, a, b, False, middle, n, gap)


@jit_in_place
def on_plane(surfaces, pose, x, R, i, j, at, n, reach, flip, out, count):
    """Body i against a half-space j with a point `at` and outward normal n."""
    a, b = (j, i) if flip else (i, j)
    bar, half = surfaces.round_bar[i, 0], surfaces.round_bar[i, 1]
    if bar > 0.0:
        return _bar_on_plane(surfaces, x, R, i, at, n, reach, bar, half, a, b, flip, out, count)
    r = surfaces.radius[i]
    for v in range(surfaces.first_vertex[i], surfaces.first_vertex[i + 1]):
        p = load3(pose.vertex, v)
        gap = dot(n, sub(p, at)) - r
        if gap <= reach and surfaces.corner[v]:
            count = write(out, count, a, b, flip, add_scaled(p, -(r + 0.5 * gap), n), n, gap)
    return count


@jit_in_place
def _bar_on_plane(surfaces, x, R, i, at, n, reach, bar, half, a, b, flip, out, count):
    """A round bar: the lowest point of each rim, and two more a third of a turn away."""
    across = (R[i, 0, 0], R[i, 1, 0], R[i, 2, 0])
    along = (R[i, 0, 2], R[i, 1, 2], R[i, 2, 2])
    c = load3(surfaces.centre, i)
    middle = load3(x, i)
    for k in range(3):
        middle = add_scaled(middle, c[k], (R[i, 0, k], R[i, 1, k], R[i, 2, k]))
    down = sub(scale(dot(n, along), along), n)
    steep = norm(down)
    first = scale(1.0 / steep, down) if steep > 1e-9 else across
    second = cross(along, first)
    for end in range(2):
        rim = add_scaled(middle, half if end else -half, along)
        for k in range(3):
            angle = 2.0 * math.pi * k / 3.0
            p = add(
                rim, add_scaled(scale(bar * math.cos(angle), first), bar * math.sin(angle), second)
            )
            gap = dot(n, sub(p, at))
            if gap <= reach:
                count = write(out, count, a, b, flip, add_scaled(p, -0.5 * gap, n), n, gap)
    return count
