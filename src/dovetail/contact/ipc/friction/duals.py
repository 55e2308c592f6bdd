r"""The dual of a lagged contact: its friction force over its limit, found with the displacements.

With eps far below the displacements of a step the potential of a contact is as good as mu lambda
|u|, whose kink Newton's method does not see: beyond it the curvature along u is zero, the step
crosses the kink and is cut to nothing. Written with the force w as an unknown of its own,
    |u| w = u,   linearised:   |u| (w + dw) = u + du - w (t . du),   t = u/|u|,
the same Newton's method has the curvature mu lambda/|u| (1 - sym(w t^T)) instead of (1 - t t^T)
(Chan, Golub and Mulet, SIAM J. Sci. Comput. 20 (1999), for total variation). It is positive as long
as |w| <= 1; a contact that sticks with a force w comes to u = 0 in one step, and one that slips has
w = t and so Newton's curvature. Only the curvature depends on w: the energy and its gradient are
those of the potential, and so is the minimum.

Contacts are lagged anew several times in a step; the same two features keep their dual.
"""

from dovetail.contact.ipc.friction.potential import (
    pair_motion,
    smoothed_derivatives,
    tangential,
    tangential_displacement,
    vector_at,
)
from dovetail.contact.ipc.friction.records import (
    DUAL,
    EPS,
    FEATURES,
    LIMIT,
    NEWEST,
    NORMAL,
    PRESLIDING,
)
from dovetail.linalg.vec3 import add, add_scaled, cross, dot, norm, scale, sub
from dovetail.runtime.jit import jit_in_place, jit_within


@jit_within
def within_disc(w):
    """W, or what is as long as 1 of it."""
    size = norm(w)
    return scale(1.0 / size, w) if size > 1.0 else w


@jit_in_place
def put_dual(rows, i, w):
    """Set the dual of contact i, in its tangent plane."""
    w = within_disc(tangential(vector_at(rows, i, NORMAL), w))
    rows[i, DUAL], rows[i, DUAL + 1], rows[i, DUAL + 2] = w


@jit_within
def _displacement(twist, i, r):
    w = (twist[i, 3], twist[i, 4], twist[i, 5])
    return add((twist[i, 0], twist[i, 1], twist[i, 2]), cross(w, r))


@jit_in_place
def update_duals(contacts, iterate, x_0, twist):
    """The duals that the direction `twist` (n, 6) from the iterate leads to."""
    rows, bodies = contacts.rows, contacts.bodies
    for i in range(contacts.n_contacts[0]):
        if rows[i, LIMIT] == 0.0:
            continue
        a, b = bodies[i, 0], bodies[i, 1]
        motion = pair_motion(iterate.x, iterate.R, x_0, a, b)
        du, r_a, r_b = tangential_displacement(rows, i, motion)
        u = add(du, vector_at(rows, i, PRESLIDING))
        moved = sub(_displacement(twist, a, r_a), _displacement(twist, b, r_b))
        moved = tangential(vector_at(rows, i, NORMAL), moved)
        y = norm(u)
        across, along = smoothed_derivatives(y, rows[i, EPS])
        w = scale(across, add(u, moved))
        if y >= rows[i, EPS]:
            w = add_scaled(w, -across * dot(u, moved) / y, vector_at(rows, i, DUAL))
        elif y > 0.0:
            w = add_scaled(w, (along - across) * dot(u, moved) / (y * y), u)
        put_dual(rows, i, w)


@jit_in_place
def keep_duals(contacts, kept):
    """Keep the duals of the contacts lagged last in `kept`."""
    rows, bodies, count = contacts.rows, contacts.bodies, 0
    for i in range(contacts.n_contacts[0]):
        if rows[i, NEWEST] == 0.0:
            continue
        for k in range(3):
            kept.values[count, k] = rows[i, FEATURES + k]
            kept.values[count, 3 + k] = rows[i, DUAL + k]
        kept.bodies[count, 0], kept.bodies[count, 1] = bodies[i, 0], bodies[i, 1]
        count += 1
    kept.count[0] = count


@jit_in_place
def find_kept(kept, at, a, b):
    """The first kept contact from `at` on that does not lie before the pair (a, b)."""
    bodies = kept.bodies
    while at < kept.count[0] and (
        bodies[at, 0] < a or (bodies[at, 0] == a and bodies[at, 1] < b)
    ):  # fmt: skip
        at += 1
    return at


@jit_in_place
def take_dual(kept, at, a, b, rows, i):
    """The dual of contact i of the pair (a, b), whose kept contacts begin at `at`: 0 if new."""
    bodies, values = kept.bodies, kept.values
    w = (0.0, 0.0, 0.0)
    while at < kept.count[0] and bodies[at, 0] == a and bodies[at, 1] == b:
        if (
            values[at, 0] == rows[i, FEATURES]
            and values[at, 1] == rows[i, FEATURES + 1]
            and values[at, 2] == rows[i, FEATURES + 2]
        ):
            w = (values[at, 3], values[at, 4], values[at, 5])
            break
        at += 1
    put_dual(rows, i, w)
