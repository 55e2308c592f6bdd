"""One candidate, a pair of features of two bodies: all that depends on its kind.

A candidate is a vertex and a face, two edges, a vertex and an edge, two vertices, or a vertex and
the plane of a half-space. Only this file distinguishes the five kinds, and `solids.pair` those of
solids of revolution, which come after them. D leads from
the centre of the body with feature i to the centre of the body with feature j; points are world
axes from the centre of the body with feature i.

Features of round shapes have a radius (`round_shapes`): their distance is that of their cores less
the sum of both radii, the offset of the candidate.

Vertex offsets r_world (world axes, from the centre of the body) are computed when a candidate first
needs them at a pose; `placed_at` has the number of the pose that a vertex was last placed for.
"""

import math
from typing import NamedTuple

from dovetail.collision.ccd.additive_ccd import (
    MAX_ITERATIONS,
    advance_edge_edge,
    advance_point_edge,
    advance_point_point,
    advance_point_triangle,
)
from dovetail.collision.ccd.plane import advance_point_plane
from dovetail.collision.distance.closest_points import (
    edge_edge,
    edge_edge_squared,
    point_edge,
    point_edge_squared,
    point_triangle,
    point_triangle_squared,
    triangle_point,
)
from dovetail.collision.distance.point_plane import over_plane
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.barrier.terms import (
    edge_edge_terms,
    point_edge_terms,
    point_patch_terms,
    point_plane_terms,
    point_point_terms,
)
from dovetail.contact.ipc.records import (
    EDGE_EDGE,
    POINT_EDGE,
    POINT_FACE,
    POINT_PLANE,
    POINT_POINT,
    SOLID_EDGE,
    SOLID_FACE,
    SOLID_POINT,
)
from dovetail.contact.ipc.solids.pair import (
    add_solid_derivatives,
    is_on_discs,
    solid_gap,
    solid_squared_distance,
    solid_time_of_impact,
)
from dovetail.linalg.vec3 import (
    ZERO,
    add,
    add_scaled,
    load3,
    load33,
    matvec,
    norm_squared,
    scale,
    store3,
    sub,
)
from dovetail.runtime.jit import jit_in_place, jit_within, when_called
from dovetail.runtime.records import ByteArray, FloatArray, Int32Array, Int64Array

SHARP = 1e-9  # of its radius: a solid of revolution that is bent by no more


class PlacedFeatures(NamedTuple):
    """Features of all bodies at one pose."""

    pose: int  # number of the pose
    R: FloatArray  # (n, 3, 3)
    vertices: FloatArray  # (n_vertices, 3) [m] body axes
    vertex_body: Int32Array  # (n_vertices,)
    edges: Int32Array  # (n_edges, 2)
    faces: Int32Array  # (n_faces, 3)
    vertex_radius: FloatArray  # (n_vertices,) [m], (0,) where nothing is round
    r_world: FloatArray  # (n_vertices, 3) [m] vertex offsets
    placed_at: Int64Array  # (n_vertices,) the pose that a vertex offset belongs to
    plane_normal: FloatArray  # (n, 3) of half-spaces, world axes
    solids: FloatArray  # (n, 6) of `Features`
    patch: Int32Array  # (n_faces,) of `CoplanarPatches`
    inner: ByteArray  # (n_faces,)


@jit_in_place
def features_at(bodies, lists, workspace, R):
    """The features at the current pose, whose rotations are R; see `begin_pose`."""
    features, offsets = bodies.geometry.features, workspace.offsets
    patches = bodies.geometry.patches
    return PlacedFeatures(
        lists.counters[0].pose, R, features.vertices, features.vertex_body, features.edges,
        features.faces, features.vertex_radius, offsets.r_world, offsets.placed_at,
        offsets.plane_normal, features.solids, patches.patch, patches.inner,
    )  # fmt: skip


@jit_in_place
def begin_pose(bodies, lists, workspace, R):
    """Make all vertex offsets out of date; normals of half-spaces in world axes."""
    lists.counters[0].pose += 1
    half_spaces, plane_normal = bodies.geometry.half_spaces, workspace.offsets.plane_normal
    is_half_space, normal = half_spaces.is_half_space, half_spaces.normal
    for i in range(is_half_space.shape[0]):
        if is_half_space[i] != 0:
            store3(plane_normal, i, matvec(load33(R, i), load3(normal, i)))


@jit_within
def place_vertex(v, features):
    """The offset of a vertex at this pose."""
    if features.placed_at[v] != features.pose:
        features.placed_at[v] = features.pose
        rotated = matvec(load33(features.R, features.vertex_body[v]), load3(features.vertices, v))
        store3(features.r_world, v, rotated)


@jit_within
def place_candidate(kind, i, j, features):
    """The offsets of all vertices of a candidate."""
    edges, faces = features.edges, features.faces
    if kind > POINT_PLANE:
        _place_beside_solid(kind, j, features)
        return
    if kind == EDGE_EDGE:
        place_vertex(edges[i, 0], features)
        place_vertex(edges[i, 1], features)
    else:
        place_vertex(i, features)
    if kind == POINT_FACE:
        for k in range(3):
            place_vertex(faces[j, k], features)
    elif kind == POINT_POINT:
        place_vertex(j, features)
    elif kind != POINT_PLANE:
        place_vertex(edges[j, 0], features)
        place_vertex(edges[j, 1], features)


@jit_in_place
def _place_beside_solid(kind, j, features):
    """The offsets of all vertices of feature j; of a face also those that its patch's plane has."""
    if kind == SOLID_FACE:
        for k in range(3):
            place_vertex(features.faces[j, k], features)
            place_vertex(features.faces[features.patch[j], k], features)
    elif kind == SOLID_EDGE:
        place_vertex(features.edges[j, 0], features)
        place_vertex(features.edges[j, 1], features)
    elif kind == SOLID_POINT:
        place_vertex(j, features)


@jit_within
def edge_of(features, e):
    """Both ends of an edge, from the centre of its body."""
    edges, r = features.edges, features.r_world
    return load3(r, edges[e, 0]), load3(r, edges[e, 1])


@jit_within
def face_of(features, f):
    """The three corners of a face, from the centre of its body."""
    faces, r = features.faces, features.r_world
    return load3(r, faces[f, 0]), load3(r, faces[f, 1]), load3(r, faces[f, 2])


@jit_within
def radii(kind, i, j, features):
    """[m] of features i and j."""
    radius = features.vertex_radius
    if radius.shape[0] == 0 or kind > POINT_PLANE:
        return 0.0, 0.0
    of_i = radius[features.edges[i, 0]] if kind == EDGE_EDGE else radius[i]
    if kind == POINT_FACE:
        return of_i, radius[features.faces[j, 0]]
    if kind == POINT_PLANE:
        return of_i, 0.0
    if kind == POINT_POINT:
        return of_i, radius[j]
    return of_i, radius[features.edges[j, 0]]


@jit_within
def is_round(kind, i, j, n, features):
    """Whether one of two features is round where the normal n is, so that it rolls."""
    if kind > POINT_PLANE:
        return not is_on_discs(kind, i, j, n, features) or _rounded(kind, j, features)
    of_i, of_j = radii(kind, i, j, features)
    return of_i + of_j > 0.0


@jit_within
def _rounded(kind, j, features):
    """Whether what touches a solid is a ball or a capsule."""
    radius = features.vertex_radius
    if radius.shape[0] == 0:
        return False
    if kind == SOLID_POINT:
        return radius[j] > 0.0
    return kind == SOLID_EDGE and radius[features.edges[j, 0]] > 0.0


@jit_within
def squared_distance(kind, i, j, D, features):
    """Squared distance [m^2] of a candidate; -1 below a plane, or where round features overlap."""
    if kind > POINT_PLANE:
        return solid_squared_distance(kind, i, j, D, features)
    squared = _squared_core_distance(kind, i, j, D, features)
    if features.vertex_radius.shape[0] == 0:
        return squared
    of_i, of_j = radii(kind, i, j, features)
    offset = of_i + of_j
    if offset == 0.0:
        return squared
    distance = math.sqrt(squared) - offset if squared > 0.0 else -1.0
    return distance * distance if distance > 0.0 else -1.0


@jit_within
def _squared_core_distance(kind, i, j, D, features):
    """Squared distance [m^2] of the cores; -1 for a vertex below a plane."""
    r = features.r_world
    if kind == POINT_FACE:
        t0, t1, t2 = face_of(features, j)
        return point_triangle_squared(load3(r, i), add(t0, D), add(t1, D), add(t2, D))
    if kind == EDGE_EDGE:
        a0, a1 = edge_of(features, i)
        b0, b1 = edge_of(features, j)
        return edge_edge_squared(a0, a1, add(b0, D), add(b1, D))
    if kind == POINT_EDGE:
        b0, b1 = edge_of(features, j)
        return point_edge_squared(load3(r, i), add(b0, D), add(b1, D))
    if kind == POINT_PLANE:
        height = over_plane(load3(r, i), D, load3(features.plane_normal, j))[0]
        return height * height if height > 0.0 else -1.0
    return norm_squared(sub(load3(r, i), add(load3(r, j), D)))


@jit_in_place
def closest_points(kind, i, j, D, features):
    """The two closest points [m] of the cores."""
    if kind == EDGE_EDGE:
        a0, a1 = edge_of(features, i)
        e0, e1 = edge_of(features, j)
        b0, b1 = add(e0, D), add(e1, D)
        _, s, t = edge_edge(a0, a1, b0, b1)
        return add_scaled(a0, s, sub(a1, a0)), add_scaled(b0, t, sub(b1, b0))
    p = load3(features.r_world, i)
    if kind == POINT_FACE:
        f0, f1, f2 = face_of(features, j)
        t0, t1, t2 = add(f0, D), add(f1, D), add(f2, D)
        _, s, t = point_triangle(p, t0, t1, t2)
        return p, triangle_point(t0, t1, t2, s, t)
    if kind == POINT_EDGE:
        e0, e1 = edge_of(features, j)
        b0, b1 = add(e0, D), add(e1, D)
        _, t, _ = point_edge(p, b0, b1)
        return p, add_scaled(b0, t, sub(b1, b0))
    if kind == POINT_PLANE:
        return p, over_plane(p, D, load3(features.plane_normal, j))[1]
    return p, add(load3(features.r_world, j), D)


@jit_within
def surface_points(kind, i, j, D, features):
    """The two closest points [m] and the vector from that of j to that of i."""
    if kind > POINT_PLANE:
        return _points_at_solid(kind, i, j, D, features)
    p, q = closest_points(kind, i, j, D, features)
    apart = sub(p, q)
    if features.vertex_radius.shape[0] == 0:
        return p, q, apart
    of_i, of_j = radii(kind, i, j, features)
    if of_i + of_j == 0.0:
        return p, q, apart
    per = 1.0 / math.sqrt(norm_squared(apart))  # the gap is far less than the radii: no difference
    p, q = add_scaled(p, -of_i * per, apart), add_scaled(q, of_j * per, apart)
    return p, q, scale(1.0 - (of_i + of_j) * per, apart)


@when_called((ZERO, ZERO, ZERO))
@jit_in_place
def _points_at_solid(kind, i, j, D, features):
    """As `surface_points`, of a solid of revolution."""
    gap = solid_gap(kind, i, j, D, features, features.solids[i, 2] * SHARP)
    squared = max(solid_squared_distance(kind, i, j, D, features), 0.0)
    return gap.p, gap.q, scale(math.sqrt(squared / norm_squared(gap.s)), gap.s)


@jit_within
def time_of_impact(
    kind, i, j, D, ds, w_a, w_b, features, dmin, t, min_gap_fraction, most_kept
):  # fmt: skip
    """How much of the twists, at most t, leaves `min_gap_fraction` of the gap beyond dmin [m].

    Of wide gaps it leaves `most_kept` [m].
    ds = s_b - s_a [m] and w [rad] are the twists of the bodies of features i and j, as in
    `ccd.additive_ccd`.
    """
    if kind > POINT_PLANE:
        return solid_time_of_impact(
            kind, i, j, D, ds, w_a, w_b, features, dmin, t, min_gap_fraction, most_kept
        )
    r = features.r_world
    if features.vertex_radius.shape[0] > 0:
        of_i, of_j = radii(kind, i, j, features)
        dmin += of_i + of_j
    if kind == POINT_FACE:
        p, face = (load3(r, i),), face_of(features, j)
        return advance_point_triangle(
            p, face, D, ds, w_a, w_b, dmin, t, min_gap_fraction, MAX_ITERATIONS, most_kept
        )[0]
    if kind == EDGE_EDGE:
        e, f = edge_of(features, i), edge_of(features, j)
        return advance_edge_edge(
            e, f, D, ds, w_a, w_b, dmin, t, min_gap_fraction, MAX_ITERATIONS, most_kept
        )[0]  # fmt: skip
    if kind == POINT_PLANE:
        # its steps depend on how far they may lead
        n = load3(features.plane_normal, j)
        time = advance_point_plane(
            load3(r, i), n, D, ds, w_a, w_b, dmin, 1.0, min_gap_fraction, MAX_ITERATIONS, most_kept
        )[0]  # fmt: skip
        return min(t, time)
    return _time_of_lines(
        kind, i, j, D, ds, w_a, w_b, features, dmin, t, min_gap_fraction, most_kept
    )


@when_called(0.0)
@jit_in_place
def _time_of_lines(kind, i, j, D, ds, w_a, w_b, features, dmin, t, min_gap_fraction, most_kept):
    """As `time_of_impact`, of a point and an edge or a point: of round shapes, wires and points."""
    p = (load3(features.r_world, i),)
    if kind == POINT_EDGE:
        f = edge_of(features, j)
        return advance_point_edge(
            p, f, D, ds, w_a, w_b, dmin, t, min_gap_fraction, MAX_ITERATIONS, most_kept
        )[0]  # fmt: skip
    q = (load3(features.r_world, j),)
    return advance_point_point(
        p, q, D, ds, w_a, w_b, dmin, t, min_gap_fraction, MAX_ITERATIONS, most_kept
    )[0]


@jit_within
def add_barrier_derivatives(kind, i, j, D, features, inner, barrier, theta, rows, row):
    """Add the derivatives of the barrier of a candidate to `rows`; returns its energy.

    `inner` is that of `CoplanarPatches`, `theta` the part of the Hessian that is not a square.
    """
    if kind > POINT_PLANE:
        return add_solid_derivatives(kind, i, j, D, features, barrier, theta, rows, row)
    r = features.r_world
    of_i, of_j = radii(kind, i, j, features)
    barrier = Barrier(barrier.dhat, barrier.dmin, barrier.stiffness, of_i + of_j)
    if kind == POINT_FACE:
        t0, t1, t2 = face_of(features, j)
        return point_patch_terms(
            load3(r, i), add(t0, D), add(t1, D), add(t2, D), inner[j], ZERO, D, barrier, theta,
            rows, row,
        )  # fmt: skip
    if kind == EDGE_EDGE:
        a0, a1 = edge_of(features, i)
        b0, b1 = edge_of(features, j)
        return edge_edge_terms(a0, a1, add(b0, D), add(b1, D), ZERO, D, barrier, theta, rows, row)
    if kind == POINT_EDGE:
        b0, b1 = edge_of(features, j)
        return point_edge_terms(
            load3(r, i), add(b0, D), add(b1, D), ZERO, D, barrier, theta, rows, row
        )
    if kind == POINT_PLANE:
        n = load3(features.plane_normal, j)
        return point_plane_terms(load3(r, i), n, ZERO, D, barrier, theta, rows, row)
    return point_point_terms(
        load3(r, i), add(load3(r, j), D), ZERO, D, barrier, theta, rows, row
    )  # fmt: skip
