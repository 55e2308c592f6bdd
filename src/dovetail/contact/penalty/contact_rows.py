"""Writing rows of contacts."""

from dovetail.linalg.vec3 import add, add_scaled, load3, load33, matvec, norm, store3
from dovetail.runtime.jit import jit


@jit
def write_contact(contacts, row, point_body, field_body, pair, p, reach, depth, gradient, x, R):
    """A point p of `point_body` as a row; p and the gradient are in the frames of their bodies."""
    g = matvec(load33(R, field_body), gradient)
    length = norm(g)
    p = add(matvec(load33(R, point_body), p), load3(x, point_body))
    if length > 0.0:
        p = add_scaled(p, (0.5 * depth - reach) / length, g)
    contacts.point_body[row], contacts.field_body[row] = point_body, field_body
    contacts.pair[row] = pair
    contacts.depth[row] = depth
    store3(contacts.point, row, p)
    store3(contacts.gradient, row, g)


@jit
def write_points_inside(
    contacts, begin, found, count, points, reach, point_body, field_body, pair, x, R
):
    """Add `count` points of `point_body` found in `field_body` as rows from `begin` on."""
    for c in range(count):
        i = found.point[c]
        write_contact(
            contacts, begin + c, point_body, field_body, pair, load3(points, i), reach[i],
            found.depth[c], load3(found.gradient, c), x, R,
        )  # fmt: skip
