"""Contacts of single features: vertex against face, edge against edge, vertex against wire.

Each writes at most one contact. Its normal points from body b to body a and its gap [m] is signed:
< 0 inside. The point lies midway between the two surfaces.
"""

import math

from dovetail.collision.distance.closest_points import (
    EDGES_CROSSED,
    POINT_FACE,
    edge_edge,
    point_edge,
    point_triangle,
    triangle_point,
)
from dovetail.collision.narrow_phase.contact_points import write_contact
from dovetail.collision.narrow_phase.faces_at import MAX_STEEPNESS, PASSED, face_met
from dovetail.collision.narrow_phase.surfaces import has_normal_cone, in_normal_cone, supports
from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    mat_t_vec,
    matvec,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit_in_place, jit_within

IMPOSSIBLE = 0.9  # sine from which on a vertex certainly does not touch a face
ON_FACE = 1e-6  # of the size: this far beside a face still counts as on it
CONE_TOLERANCE = 0.02  # sine by which a normal may leave the normal cone of an edge
PARALLEL = 1e-3  # sine of edges that do not cross
FAR_ON = 0.2  # [rad] along a rim: as far as a contact may roll in a step that resolves it


@jit_in_place
def _is_nearest(surfaces, pose, vertex, j, face, depth):
    """Whether no other face of body j is nearer to a vertex inside it than `depth` [m].

    Of faces that the vertex can touch from outside: the corner of a box below another one of the
    same size is next to its sides, and yet touches it from below.
    """
    p = load3(pose.vertex, vertex)
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
            if supports(surfaces, pose, vertex, load3(pose.normal, f), IMPOSSIBLE):
                return False
    return True


@jit_in_place
def _write_vertex_contact(surfaces, pose, i, vertex, j, n, gap, flip, out, count):
    """The contact of `vertex` of body i at `gap` from body j along n, if the vertex can touch."""
    if not supports(surfaces, pose, vertex, n, MAX_STEEPNESS):
        return count
    middle = add_scaled(load3(pose.vertex, vertex), -(surfaces.radius[i] + 0.5 * gap), n)
    a, b = (j, i) if flip else (i, j)
    return write_contact(out, count, a, b, flip, middle, n, gap)


@jit_within
def vertex_face(surfaces, pose, R, i, vertex, j, face, max_gap, max_depth, flip, out, count):
    """`vertex` of body i against `face` of body j; returns the new count.

    Looks for gaps up to `max_gap` and overlaps up to `max_depth` [m].
    """
    t0 = load3(pose.vertex, surfaces.face[face, 0])
    height = dot(load3(pose.normal, face), sub(load3(pose.vertex, vertex), t0))
    r = surfaces.radius[i] + surfaces.radius[j]
    if height > max_gap + r or height < -max_depth:
        if not (surfaces.two_sided[j] and abs(height) <= max_gap + r):
            return count
    return _vertex_near_face(surfaces, pose, R, i, vertex, j, face, max_gap, flip, out, count)


@jit_in_place
def _vertex_near_face(surfaces, pose, R, i, vertex, j, face, max_gap, flip, out, count):
    """The same where the plane of the face is within reach."""
    p, n = load3(pose.vertex, vertex), load3(pose.normal, face)
    t0 = load3(pose.vertex, surfaces.face[face, 0])
    height = dot(n, sub(p, t0))
    r = surfaces.radius[i] + surfaces.radius[j]
    t1 = load3(pose.vertex, surfaces.face[face, 1])
    t2 = load3(pose.vertex, surfaces.face[face, 2])
    case, s, t = point_triangle(p, t0, t1, t2)
    q = triangle_point(t0, t1, t2, s, t)
    d = sub(p, q)
    beside = norm(sub(d, scale(height, n)))
    if case == POINT_FACE or beside <= ON_FACE * min(surfaces.size[i], surfaces.size[j]):
        if surfaces.two_sided[j] and height < 0.0:
            n, height = scale(-1.0, n), -height
        inside = height < -ON_FACE * surfaces.size[j]
        if inside and not _is_nearest(surfaces, pose, vertex, j, face, -height * (1.0 - 1e-9)):
            return count
        gap = height - r
    else:
        height = norm(d)
        gap = height - r
        if gap > max_gap or height < ON_FACE * surfaces.size[j]:
            return count
        n, second = scale(1.0 / height, d), -1
        corner = surfaces.face[face, case % 3]
        if case >= 3:
            if not in_normal_cone(surfaces, R, surfaces.face_edge[face, case - 3], j, n, 1e-6):
                return count
            second = surfaces.face[face, (case + 1) % 3]
        elif not supports(surfaces, pose, corner, scale(-1.0, n), 1e-6):
            return count
        if r == 0.0 and not surfaces.two_sided[j]:
            met = face_met(surfaces, pose, i, vertex, j, corner, second)
            if met == PASSED:
                return count
            if met >= 0:
                n = load3(pose.normal, met)
                gap = dot(n, sub(p, load3(pose.vertex, corner)))
                if gap > max_gap:
                    return count
    return _write_vertex_contact(surfaces, pose, i, vertex, j, n, gap, flip, out, count)


@jit_within
def crossed_edges(surfaces, pose, R, a, ea, b, eb, max_gap, max_depth, out, count):
    """Edge `ea` of body a against edge `eb` of body b, crossing within both."""
    a0, a1 = load3(pose.vertex, surfaces.edge[ea, 0]), load3(pose.vertex, surfaces.edge[ea, 1])
    b0, b1 = load3(pose.vertex, surfaces.edge[eb, 0]), load3(pose.vertex, surfaces.edge[eb, 1])
    far = max(max_gap + surfaces.radius[a] + surfaces.radius[b], max_depth)
    for k in range(3):
        if min(a0[k], a1[k]) > max(b0[k], b1[k]) + far:
            return count
        if min(b0[k], b1[k]) > max(a0[k], a1[k]) + far:
            return count
    return _near_edges(surfaces, pose, R, a, ea, b, eb, max_gap, max_depth, out, count)


@jit_in_place
def _near_edges(surfaces, pose, R, a, ea, b, eb, max_gap, max_depth, out, count):
    """The same where the boxes of both edges are within reach."""
    a0, a1 = load3(pose.vertex, surfaces.edge[ea, 0]), load3(pose.vertex, surfaces.edge[ea, 1])
    b0, b1 = load3(pose.vertex, surfaces.edge[eb, 0]), load3(pose.vertex, surfaces.edge[eb, 1])
    r = surfaces.radius[a] + surfaces.radius[b]
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
    cone_a, cone_b = has_normal_cone(surfaces, ea), has_normal_cone(surfaces, eb)
    if r > 0.0 or not (cone_a or cone_b):
        if dot(n, d) < 0.0:
            n = scale(-1.0, n)
    else:
        back = scale(-1.0, n)
        if cone_b:
            if not in_normal_cone(surfaces, R, eb, b, n, CONE_TOLERANCE):
                n = back
        elif not in_normal_cone(surfaces, R, ea, a, back, CONE_TOLERANCE):
            n = back
    if cone_b and not in_normal_cone(surfaces, R, eb, b, n, CONE_TOLERANCE):
        return count
    if cone_a and not in_normal_cone(surfaces, R, ea, a, scale(-1.0, n), CONE_TOLERANCE):
        return count
    gap = dot(n, d) - r
    if gap > max_gap or gap < -max_depth:
        return count
    middle = add_scaled(pa, -(surfaces.radius[a] + 0.5 * gap), n)
    return write_contact(out, count, a, b, False, middle, n, gap)


@jit_in_place
def vertex_wire(surfaces, pose, i, vertex, j, edge, max_gap, flip, out, count):
    """`vertex` of body i against a free edge of body j: a wire, or the core of a capsule."""
    p = load3(pose.vertex, vertex)
    e0, e1 = load3(pose.vertex, surfaces.edge[edge, 0]), load3(pose.vertex, surfaces.edge[edge, 1])
    _, t, _ = point_edge(p, e0, e1)
    d = sub(p, add_scaled(e0, t, sub(e1, e0)))
    height = norm(d)
    gap = height - surfaces.radius[i] - surfaces.radius[j]
    if gap > max_gap or not height > 0.0:
        return count
    n = scale(1.0 / height, d)
    return _write_vertex_contact(surfaces, pose, i, vertex, j, n, gap, flip, out, count)


@jit_in_place
def round_round(surfaces, pose, a, b, max_gap, out, count):
    """Two balls or capsules: closest points of their cores; two contacts of parallel capsules."""
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
                count = _ball_ball(surfaces, a, b, pa, pb, max_gap, out, count)
            return count
    _, s, t = edge_edge(a0, a1, b0, b1)
    pa, pb = add_scaled(a0, s, u), add_scaled(b0, t, w)
    return _ball_ball(surfaces, a, b, pa, pb, max_gap, out, count)


@jit_in_place
def _ball_ball(surfaces, a, b, pa, pb, max_gap, out, count):
    d = sub(pa, pb)
    apart = norm(d)
    gap = apart - surfaces.radius[a] - surfaces.radius[b]
    if gap > max_gap or not apart > 0.0:
        return count
    n = scale(1.0 / apart, d)
    middle = add_scaled(pa, -(surfaces.radius[a] + 0.5 * gap), n)
    return write_contact(out, count, a, b, False, middle, n, gap)


@jit_in_place
def body_plane(surfaces, pose, x, R, i, j, at, n, max_gap, flip, out, count):
    """Body i against a half-space j with a point `at` and outward normal n."""
    if surfaces.cylinder_radius[i] > 0.0:
        return _cylinder_plane(surfaces, pose, x, R, i, j, at, n, max_gap, flip, out, count)
    a, b = (j, i) if flip else (i, j)
    r = surfaces.radius[i]
    for v in range(surfaces.first_vertex[i], surfaces.first_vertex[i + 1]):
        p = load3(pose.vertex, v)
        gap = dot(n, sub(p, at)) - r
        if gap <= max_gap and surfaces.corner[v]:
            middle = add_scaled(p, -(r + 0.5 * gap), n)
            count = write_contact(out, count, a, b, flip, middle, n, gap)
    return count


@jit_in_place
def _lowest_later(pose, i, along, first, n):
    """(direction across `along` to where a rim will be lowest at the end of the step, whether).

    Whether that is more than FAR_ON away from `first`, where it is lowest now.
    """
    w = (pose.motion[i, 3], pose.motion[i, 4], pose.motion[i, 5])
    turn = exp(w)
    later = matvec(turn, along)
    down = sub(scale(dot(n, later), later), n)
    steepness = norm(down)
    if not steepness > 1e-9:
        return first, False
    d = mat_t_vec(turn, scale(1.0 / steepness, down))
    return d, dot(d, first) < math.cos(FAR_ON)


@jit_in_place
def _cylinder_plane(surfaces, pose, x, R, i, j, at, n, max_gap, flip, out, count):
    """A cylinder: the lowest point of each rim, and two more at 120 degrees from it.

    Where a step rolls it far, the point that is lowest at its end, too: it would sink in.
    """
    a, b = (j, i) if flip else (i, j)
    radius, half = surfaces.cylinder_radius[i], surfaces.half_height[i]
    across = (R[i, 0, 0], R[i, 1, 0], R[i, 2, 0])
    along = (R[i, 0, 2], R[i, 1, 2], R[i, 2, 2])
    c = load3(surfaces.centre, i)
    centre = load3(x, i)
    for k in range(3):
        centre = add_scaled(centre, c[k], (R[i, 0, k], R[i, 1, k], R[i, 2, k]))
    down = sub(scale(dot(n, along), along), n)
    steepness = norm(down)
    first = scale(1.0 / steepness, down) if steepness > 1e-9 else across
    second = cross(along, first)
    later, far = _lowest_later(pose, i, along, first, n)
    for end in range(2):
        rim = add_scaled(centre, half if end else -half, along)
        for k in range(4 if far else 3):
            angle = 2.0 * math.pi * k / 3.0
            arm = add_scaled(
                scale(radius * math.cos(angle), first), radius * math.sin(angle), second
            )
            if k == 3:
                arm = scale(radius, later)
            p = add(rim, arm)
            gap = dot(n, sub(p, at))
            if gap <= max_gap:
                middle = add_scaled(p, -0.5 * gap, n)
                count = write_contact(out, count, a, b, flip, middle, n, gap)
    return count
