"""Do two closed simplices meet? Exact answers from orientation signs alone.

Points are tuples, sets are closed (touching is meeting), and a triangle may be degenerate: with
(p, q, q) it is a segment and with (p, p, p) a point, so one predicate serves faces, wires and
points. Domain of the coordinates: see `orientation`.
"""

from dovetail.linalg.exact.orientation import orient2d, orient3d
from dovetail.runtime.jit import jit


@jit
def without(p, axis):
    """The point without its coordinate `axis`: its projection on a coordinate plane."""
    if axis == 0:
        return (p[1], p[2])
    if axis == 1:
        return (p[2], p[0])
    return (p[0], p[1])


@jit
def spread_axis(a, b, c):
    """An axis along which a, b, c are seen as a proper triangle; -1 if they are collinear."""
    for axis in range(3):
        if orient2d(without(a, axis), without(b, axis), without(c, axis)) != 0:
            return axis
    return -1


@jit
def _not_after(p, q):
    """P <= q in lexicographic order, which on any line is the order along it."""
    if p[0] != q[0]:
        return p[0] < q[0]
    if p[1] != q[1]:
        return p[1] < q[1]
    return p[2] <= q[2]


@jit
def _intervals_meet(p, q, r, s):
    """Segments pq and rs of one line have a common point."""
    if not _not_after(p, q):
        p, q = q, p
    if not _not_after(r, s):
        r, s = s, r
    return _not_after(p, s) and _not_after(r, q)


@jit
def _one_sided(i, j, k):
    """No two of the three signs are opposite."""
    return (i >= 0 and j >= 0 and k >= 0) or (i <= 0 and j <= 0 and k <= 0)


@jit
def segments_meet(p, q, r, s):
    """Closed segments pq and rs have a common point."""
    if orient3d(p, q, r, s) != 0:
        return False
    axis = spread_axis(p, q, r)
    if axis < 0:
        axis = spread_axis(p, q, s)
    if axis < 0:
        axis = spread_axis(r, s, p)  # where p = q
    if axis < 0:
        return _intervals_meet(p, q, r, s)
    p2, q2, r2, s2 = without(p, axis), without(q, axis), without(r, axis), without(s, axis)
    if orient2d(p2, q2, r2) * orient2d(p2, q2, s2) > 0:
        return False
    return orient2d(r2, s2, p2) * orient2d(r2, s2, q2) <= 0


@jit
def _point_in_flat(p, a, b, c, axis):
    """P, in the plane of the proper triangle abc, lies in it; seen along `axis`."""
    p2, a2, b2, c2 = without(p, axis), without(a, axis), without(b, axis), without(c, axis)
    return _one_sided(orient2d(a2, b2, p2), orient2d(b2, c2, p2), orient2d(c2, a2, p2))


@jit
def _segment_meets_outline(p, q, a, b, c):
    return segments_meet(p, q, a, b) or segments_meet(p, q, b, c) or segments_meet(p, q, c, a)


@jit
def segment_meets_triangle(p, q, a, b, c):
    """Closed segment pq and closed triangle abc have a common point."""
    side_p = orient3d(a, b, c, p)
    side_q = orient3d(a, b, c, q)
    if side_p * side_q > 0:
        return False
    if side_p == 0 and side_q == 0:
        axis = spread_axis(a, b, c)
        if axis >= 0 and _point_in_flat(p, a, b, c, axis):
            return True
        return _segment_meets_outline(p, q, a, b, c)
    # pq crosses the plane in one point: in abc where the line passes all edges on one side
    return _one_sided(orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a))


@jit
def _is_point_or_segment(a, b, c):
    """Two corners coincide."""
    return a == b or b == c or c == a


@jit
def _outline_meets_triangle(a0, a1, a2, b0, b1, b2):
    """An edge of triangle a meets triangle b; edges that are points are left to the others."""
    if a0 == a1:
        return segment_meets_triangle(a1, a2, b0, b1, b2)
    if a1 == a2 or a2 == a0:
        return segment_meets_triangle(a0, a1, b0, b1, b2)
    return (
        segment_meets_triangle(a0, a1, b0, b1, b2)
        or segment_meets_triangle(a1, a2, b0, b1, b2)
        or segment_meets_triangle(a2, a0, b0, b1, b2)
    )


@jit
def triangles_meet(a0, a1, a2, b0, b1, b2):
    """Closed triangles a and b, degenerate ones included, have a common point."""
    if _is_point_or_segment(a0, a1, a2):
        if _is_point_or_segment(b0, b1, b2):
            # b as a segment: the pair of its corners that differ, if any do
            if b0 == b1:
                return _outline_meets_segment(a0, a1, a2, b1, b2)
            return _outline_meets_segment(a0, a1, a2, b0, b1)
        return _outline_meets_triangle(a0, a1, a2, b0, b1, b2)
    if _is_point_or_segment(b0, b1, b2):
        return _outline_meets_triangle(b0, b1, b2, a0, a1, a2)

    side_b0, side_b1, side_b2 = (
        orient3d(a0, a1, a2, b0),
        orient3d(a0, a1, a2, b1),
        orient3d(a0, a1, a2, b2),
    )
    if side_b0 == side_b1 and side_b1 == side_b2 and side_b0 != 0:
        return False
    side_a0, side_a1, side_a2 = (
        orient3d(b0, b1, b2, a0),
        orient3d(b0, b1, b2, a1),
        orient3d(b0, b1, b2, a2),
    )
    if side_a0 == side_a1 and side_a1 == side_a2 and side_a0 != 0:
        return False
    if (side_a0 == 0 and side_a1 == 0 and side_a2 == 0) or (
        side_b0 == 0 and side_b1 == 0 and side_b2 == 0
    ):  # coplanar or collinear: an edge of one meets the other or lies in it
        return _outline_meets_triangle(a0, a1, a2, b0, b1, b2) or _outline_meets_triangle(
            b0, b1, b2, a0, a1, a2
        )
    # Proper triangles in two planes: the ends of their overlap on the common line are points
    # where an edge of one passes through the plane of the other, inside it. An edge lying in the
    # other's plane ends in such points of its neighbours. The overlap has two ends, on different
    # edges, or is one point that ends the parts of both: five of the six edges suffice.
    return (
        _passes(side_a0, side_a1, a0, a1, b0, b1, b2)
        or _passes(side_a1, side_a2, a1, a2, b0, b1, b2)
        or _passes(side_a2, side_a0, a2, a0, b0, b1, b2)
        or _passes(side_b0, side_b1, b0, b1, a0, a1, a2)
        or _passes(side_b1, side_b2, b1, b2, a0, a1, a2)
    )


@jit
def _outline_meets_segment(a0, a1, a2, p, q):
    """The segment or point with corners a0, a1, a2, two of them equal, meets pq."""
    if a0 == a1:
        return segments_meet(a1, a2, p, q)
    return segments_meet(a0, a1, p, q)


@jit
def _passes(side_p, side_q, p, q, a, b, c):
    """Segment pq, with these sides of plane abc, crosses that plane inside the triangle."""
    if side_p * side_q > 0 or (side_p == 0 and side_q == 0):
        return False
    first = orient3d(p, q, a, b)
    second = orient3d(p, q, b, c)
    if first * second < 0:
        return False
    return _one_sided(first, second, orient3d(p, q, c, a))


@jit
def overlap_beyond_vertex(v, a1, a2, b1, b2):
    """Proper triangles (v, a1, a2) and (v, b1, b2) share more than their corner v.

    Seen from v, the last common point of any ray lies on the edge opposite v of one of them.
    """
    return segment_meets_triangle(a1, a2, v, b1, b2) or segment_meets_triangle(b1, b2, v, a1, a2)


@jit
def overlap_beyond_edge(u, v, a, b):
    """Proper triangles (u, v, a) and (u, v, b) share more than their edge uv: folded flat."""
    if orient3d(u, v, a, b) != 0:
        return False
    axis = spread_axis(u, v, a)
    u2, v2 = without(u, axis), without(v, axis)
    return orient2d(u2, v2, without(a, axis)) == orient2d(u2, v2, without(b, axis))
