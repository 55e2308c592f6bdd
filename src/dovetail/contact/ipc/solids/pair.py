"""Candidates of which one is a solid of revolution: all that depends on their kind.

Feature i is the body of the solid; feature j a half-space, a face, an edge, a vertex or another
solid. As `feature_pair`, which calls this for kinds from SOLID_PLANE on.
"""

import math

from dovetail.collision.ccd.additive_ccd import MAX_ITERATIONS
from dovetail.collision.ccd.revolution import (
    EDGE,
    POINT,
    SOLID,
    TRIANGLE,
    advance_solid,
    advance_solid_plane,
)
from dovetail.collision.distance.revolution import (
    Solid,
    edge_solid,
    point_solid,
    reach_below,
    triangle_solid,
)
from dovetail.collision.distance.solids import certain_distance
from dovetail.contact.ipc.records import (
    RING_FACE,
    SOLID_EDGE,
    SOLID_FACE,
    SOLID_PLANE,
    SOLID_POINT,
    SOLID_SOLID,
)
from dovetail.contact.ipc.solids.between import add_between_terms, between_gap
from dovetail.contact.ipc.solids.gaps import edge_gap, face_gap, plane_gap
from dovetail.contact.ipc.solids.ring_faces import (
    add_ring_face_terms,
    ring_face_gap,
    ring_face_squared_distance,
    ring_face_time,
)
from dovetail.contact.ipc.solids.terms import add_edge_terms, add_plane_terms, of_gap
from dovetail.linalg.vec3 import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit_in_place, jit_within, when_called

SPREAD_POINTS = 4  # that share the friction of a solid on a plane, a face or another solid
FLAT = 1e-3  # [rad] between axis and normal, below which a disc lies flat
LINE, AREA = 0.5, 2.0 / 3.0  # where an even pressure acts: of half a line, of a disc


@jit_within
def solid_at(features, i):
    """The solid of body i at its pose."""
    R, row = features.R, features.solids
    axis = (R[i, 0, 2], R[i, 1, 2], R[i, 2, 2])
    return Solid(axis, row[i, 1], row[i, 2], row[i, 3], row[i, 4], row[i, 5])


@jit_within
def _corner(features, v, D):
    return add(load3(features.r_world, v), D)


@jit_within
def _radius(features, v):
    return features.vertex_radius[v] if features.vertex_radius.shape[0] > 0 else 0.0


@when_called(0.0)
@jit_in_place
def solid_squared_distance(kind, i, j, D, features):
    """Squared distance [m^2] of a solid and a feature; -1 where they overlap."""
    if kind == RING_FACE:
        return ring_face_squared_distance(i, j, D, features)
    solid = solid_at(features, i)
    if kind == SOLID_PLANE:
        n = load3(features.plane_normal, j)
        d = -dot(n, D) - reach_below(solid, n)[0] - solid.tube
    elif kind == SOLID_FACE:
        t0, t1, t2 = _corners(features, j, D)
        d = triangle_solid(t0, t1, t2, solid, 0.0)[0]
    elif kind == SOLID_EDGE:
        p, q = (
            _corner(features, features.edges[j, 0], D),
            _corner(features, features.edges[j, 1], D),
        )
        s = edge_solid(p, q, solid, 0.0)
        d = point_solid(add_scaled(p, s, sub(q, p)), solid).distance
        d -= _radius(features, features.edges[j, 0])
    elif kind == SOLID_POINT:
        d = point_solid(_corner(features, j, D), solid).distance - _radius(features, j)
    else:
        d = certain_distance(solid, solid_at(features, j), D)[0]
    return d * d if d > 0.0 else -1.0


@jit_within
def _corners(features, f, D):
    faces = features.faces
    return (
        _corner(features, faces[f, 0], D), _corner(features, faces[f, 1], D),
        _corner(features, faces[f, 2], D),
    )  # fmt: skip


@jit_in_place
def _face_gap(solid, f, D, features, delta):
    plane, faces = _corners(features, features.patch[f], D), features.faces
    return face_gap(
        solid, plane, _corners(features, f, D), (faces[f, 0], faces[f, 1], faces[f, 2]),
        features.inner[f], D, delta,
    )  # fmt: skip


@jit_in_place
def solid_gap(kind, i, j, D, features, delta):
    """The `SolidGap` of a candidate, flat parts bent by delta [m]."""
    if kind == RING_FACE:
        return ring_face_gap(i, j, D, features, delta)
    solid = solid_at(features, i)
    if kind == SOLID_PLANE:
        return plane_gap(solid, load3(features.plane_normal, j), D, D, delta).gap
    if kind == SOLID_FACE:
        return _face_gap(solid, j, D, features, delta)[0].gap
    if kind == SOLID_SOLID:
        return between_gap(solid, solid_at(features, j), D, delta)[0]
    is_edge = kind == SOLID_EDGE
    v, w = (features.edges[j, 0], features.edges[j, 1]) if is_edge else (j, j)
    return edge_gap(
        solid, _corner(features, v, D), _corner(features, w, D), is_edge, _radius(features, v), D,
        delta,
    ).gap  # fmt: skip


@when_called(0.0)
@jit_in_place
def solid_energy(kind, i, j, D, features, barrier):
    """The energy of the barrier of a candidate."""
    gap = solid_gap(kind, i, j, D, features, barrier.offset)
    return gap.share * of_gap(gap.distance, barrier)[0]


@when_called(0.0)
@jit_in_place
def add_solid_derivatives(kind, i, j, D, features, barrier, theta, rows, row):
    """Add the derivatives of the barrier of a candidate to `rows`; returns its energy."""
    if kind == RING_FACE:
        return add_ring_face_terms(i, j, D, features, barrier, theta, rows, row)
    solid, delta = solid_at(features, i), barrier.offset
    if kind == SOLID_PLANE:
        over = plane_gap(solid, load3(features.plane_normal, j), D, D, delta)
        return add_plane_terms(over, solid, D, True, barrier, theta, rows, row)
    if kind == SOLID_FACE:
        over, is_over = _face_gap(solid, j, D, features, delta)
        return add_plane_terms(over, solid, D, is_over, barrier, theta, rows, row)
    if kind == SOLID_SOLID:
        other = solid_at(features, j)
        gap, found = between_gap(solid, other, D, delta)
        return add_between_terms(gap, found, solid, other, barrier, theta, rows, row)
    is_edge = kind == SOLID_EDGE
    v, w = (features.edges[j, 0], features.edges[j, 1]) if is_edge else (j, j)
    radius = _radius(features, v)
    edge = edge_gap(
        solid, _corner(features, v, D), _corner(features, w, D), is_edge, radius, D, delta
    )
    return add_edge_terms(edge, solid, D, radius, barrier, theta, rows, row)


@when_called(0.0)
@jit_in_place
def solid_time_of_impact(
    kind, i, j, D, ds, w_a, w_b, features, dmin, t, min_gap_fraction, most_kept
):  # fmt: skip
    """How much of the twists, at most t, leaves `min_gap_fraction` of the gap beyond dmin [m].

    Of wide gaps it leaves `most_kept` [m].
    """
    if kind == RING_FACE:
        return ring_face_time(i, j, D, ds, w_a, w_b, features, dmin, t, min_gap_fraction, most_kept)
    solid, r = solid_at(features, i), features.r_world
    if kind == SOLID_PLANE:
        n = load3(features.plane_normal, j)
        return advance_solid_plane(
            solid, n, D, ds, w_a, w_b, dmin, t, min_gap_fraction, MAX_ITERATIONS, most_kept
        )[0]
    other, meets, radius = solid, POINT, 0.0
    points = (ZERO, ZERO, ZERO)
    if kind == SOLID_SOLID:
        other, meets = solid_at(features, j), SOLID
        top = scale(other.z1, other.axis)
        points = (scale(other.z0, other.axis), top, top)
    elif kind == SOLID_FACE:
        f, meets = features.faces, TRIANGLE
        points = (load3(r, f[j, 0]), load3(r, f[j, 1]), load3(r, f[j, 2]))
    elif kind == SOLID_EDGE:
        e, meets = features.edges, EDGE
        points = (load3(r, e[j, 0]), load3(r, e[j, 1]), load3(r, e[j, 1]))
        radius = _radius(features, e[j, 0])
    else:
        points = (load3(r, j), load3(r, j), load3(r, j))
        radius = _radius(features, j)
    return advance_solid(
        meets, solid, other, points, radius, D, ds, w_a, w_b, dmin, t, min_gap_fraction,
        MAX_ITERATIONS, most_kept,
    )[0]  # fmt: skip


@when_called(False)
@jit_in_place
def is_on_discs(kind, i, j, n, features):
    """Whether the solids touch with their flat discs, whose points stay where they are in them."""
    on_disc = norm(cross(solid_at(features, i).axis, n)) < FLAT
    if kind == SOLID_SOLID:
        return on_disc and norm(cross(solid_at(features, j).axis, n)) < FLAT
    return on_disc


@jit_in_place
def friction_points(kind):
    """How many points share the friction of a candidate of this kind."""
    if kind == SOLID_PLANE or kind == SOLID_FACE or kind == SOLID_SOLID:
        return SPREAD_POINTS
    return 1


@when_called(ZERO)
@jit_in_place
def spread(kind, i, j, n, features, delta, m):
    """[m] of point m of those that share the friction, from where the solid touches along n.

    A solid that stands or lies touches along a disc or a line. An even pressure resists turning
    there as two thirds of the radius of the disc do, or half of half the line.
    """
    if friction_points(kind) == 1:
        return ZERO
    solid = solid_at(features, i)
    by = _spread_of(solid, n, delta, m)
    if kind == SOLID_SOLID:
        other = _spread_of(solid_at(features, j), n, delta, m)
        if norm(other) < norm(by):
            by = other
    return by


@jit_in_place
def _spread_of(solid, n, delta, m):
    """Half the length of the flat part at the lowest point along n, in direction m of four."""
    a = solid.axis
    u, x = dot(a, n), cross(a, n)
    s = norm(x)
    e = 0.5 * delta / max(solid.r0, solid.r1)
    sigma = math.sqrt(s * s + e * e)
    sign = 1.0 if m % 2 == 0 else -1.0
    difference = (solid.r0 - solid.r1) * s - (solid.z0 - solid.z1) * u
    root = math.sqrt(difference * difference + delta * delta)
    if m < 2:  # along the side
        dr, dz = solid.r1 - solid.r0, solid.z1 - solid.z0
        half = LINE * math.sqrt(dr * dr + dz * dz) * (1.0 - abs(difference) / root)
        along = cross(x, n)
        if s > 0.5:
            return scale(sign * half / s, along)
        radius = solid.r0 if difference > 0.0 else solid.r1
        return _in_disc(n, a, _friction_arm(solid) * radius * (1.0 - s / sigma), sign, 0)
    if s > 0.5:
        return ZERO
    radius = solid.r0 if difference > 0.0 else solid.r1
    return _in_disc(n, a, _friction_arm(solid) * radius * (1.0 - s / sigma), sign, 1)


@jit_within
def _friction_arm(solid):
    """Of the radius: where an even pressure on a disc, or along a ring, acts."""
    return AREA if solid.tube == 0.0 else 1.0


@jit_within
def _in_disc(n, a, length, sign, which):
    """One of two directions across n that do not turn with the solid."""
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    unit = (1.0, 0.0, 0.0)
    if y <= x and y <= z:
        unit = (0.0, 1.0, 0.0)
    elif z <= x and z <= y:
        unit = (0.0, 0.0, 1.0)
    first = cross(n, unit)
    first = scale(1.0 / norm(first), first)
    return scale(sign * length, first if which == 0 else cross(n, first))
