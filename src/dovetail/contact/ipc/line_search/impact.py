"""The time of impact of one candidate along constant twists.

A ball that rolls has hundreds of faces within its way, and slides along all but a few. So before
its CCD a round point is tried along the shortest direction u to a face: as long as the face stays
beyond the plane that it is behind now, by more than is left of any gap, its CCD lets it pass
(`ccd.additive_ccd`). Until t a corner r of the face comes closer along u by at most
-t u.(ds + w_b x r) + t^2/2 |w_b|^2 |r|, the point likewise (`candidates.approach`).
"""

import math
from typing import NamedTuple

import numpy as np

from dovetail.collision.distance.closest_points import point_triangle, triangle_point
from dovetail.contact.ipc.candidates.records import FEATURE_I, FEATURE_J, KIND, SWAP
from dovetail.contact.ipc.candidates.relative_motion import ROUNDING
from dovetail.contact.ipc.feature_pair import (
    face_of,
    place_candidate,
    radii,
    squared_distance,
    time_of_impact,
)
from dovetail.contact.ipc.records import POINT_FACE
from dovetail.linalg.vec3 import add, cross, dot, load3, norm, norm_squared, scale, sub
from dovetail.runtime.jit import jit_in_place, jit_within
from dovetail.runtime.records import FloatArray


class Twists(NamedTuple):
    """A search direction: constant twists of n bodies from their positions."""

    x: FloatArray  # (n, 3) [m]
    twist: FloatArray  # (n, 6) [m, rad]
    dmin: float  # [m] minimum separation
    min_gap_fraction: float  # part of every gap that is left
    most_kept: float  # [m] what is left of wide gaps


@jit_within
def relative_twists(twist, a, b):
    """(translation of b less that of a [m], rotation of a, rotation of b [rad])."""
    ds = (twist[b, 0] - twist[a, 0], twist[b, 1] - twist[a, 1], twist[b, 2] - twist[a, 2])
    w_a = (twist[a, 3], twist[a, 4], twist[a, 5])
    return ds, w_a, (twist[b, 3], twist[b, 4], twist[b, 5])


@jit_in_place
def impact_of(rows, c, a, b, features, motion, near, t):
    """The time of impact of candidate c of the pair a, b."""
    if rows[c, SWAP] == 1:
        a, b = b, a
    kind, i, j = np.int64(rows[c, KIND]), np.int64(rows[c, FEATURE_I]), np.int64(rows[c, FEATURE_J])
    return impact(kind, i, j, np.int64(a), np.int64(b), features, motion, near, t)


@jit_in_place
def impact(kind, i, j, a, b, features, motion, near, t):
    """The time of impact of feature i of body a and j of b, at most t: t if not within `near` [m].

    A negative `near` lets all pass. All integers are int64, so that it is compiled once.
    """
    place_candidate(kind, i, j, features)
    D = sub(load3(motion.x, b), load3(motion.x, a))
    if near >= 0.0 and squared_distance(kind, i, j, D, features) > near * near:
        return t
    ds, w_a, w_b = relative_twists(motion.twist, a, b)
    if kind == POINT_FACE and features.vertex_radius.shape[0] > 0:
        if features.vertex_radius[i] > 0.0 and passes_along(
            i, j, D, ds, w_a, w_b, features, motion, t
        ):
            return t
    return time_of_impact(
        kind, i, j, D, ds, w_a, w_b, features, motion.dmin, t, motion.min_gap_fraction,
        motion.most_kept,
    )  # fmt: skip


@jit_in_place
def passes_along(i, j, D, ds, w_a, w_b, features, motion, t):
    """Whether point i and face j stay apart until t along what is the shortest direction now."""
    p, (f, g, h) = load3(features.r_world, i), face_of(features, j)
    f_at, g_at, h_at = add(f, D), add(g, D), add(h, D)
    _, along_fg, along_fh = point_triangle(p, f_at, g_at, h_at)
    shortest = sub(triangle_point(f_at, g_at, h_at, along_fg, along_fh), p)
    distance = norm(shortest)
    if not distance > 0.0:
        return False
    u = scale(1.0 / distance, shortest)
    tilt = cross(u, w_b)
    receding = min(dot(tilt, f), min(dot(tilt, g), dot(tilt, h)))
    closing = dot(cross(u, w_a), p) - dot(u, ds) - receding
    spin_a, spin_b, far_a = norm(w_a), norm(w_b), norm(p)
    far_b = math.sqrt(max(norm_squared(f), max(norm_squared(g), norm_squared(h))))
    bend = spin_a * spin_a * far_a + spin_b * spin_b * far_b
    size = norm(D) + norm(ds) + (1.0 + spin_a + spin_b) * (far_a + far_b)
    of_point, of_face = radii(POINT_FACE, i, j, features)
    beyond = motion.dmin + of_point + of_face
    beyond += 1.25 * motion.most_kept * 1.000001 + 4.0 * ROUNDING * size
    return distance - t * max(0.0, closing) - 0.5 * t * t * bend > beyond
