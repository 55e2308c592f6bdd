"""A point between two triangles at the place where they are closest."""

import numpy as np

from dovetail.collision.bvh.forest_arrays import Forest
from dovetail.model.values import Array
from dovetail.prove.motion.chains import PairMotion
from dovetail.prove.motion.records import Found
from dovetail.prove.pairs.nested import pose_at

ROUNDS = 200


def closest_point(
    forest: Forest, numbers: tuple[int, int], motion: PairMotion, found: Found, at: Array,
    radii: tuple[float, float] = (0.0, 0.0),
) -> tuple[float, float, float]:  # fmt: skip
    """[m] with body a in its initial pose, by projecting from one triangle to the other and back.

    `radii` [m]: the bodies are all that lies within them of these triangles.

    The projections converge to a closest pair of two convex sets (Cheney, Goldstein 1959).
    """
    a, b = numbers
    corners_a = _corners(forest, a, int(found.simplex_a)) @ motion.chain.R_a.T + motion.chain.x_a
    R_b, x_b = pose_at(motion, at)
    corners_b = _corners(forest, b, int(found.simplex_b)) @ R_b.T + x_b
    p = corners_a.mean(axis=0)
    q = corners_b.mean(axis=0)
    for _ in range(ROUNDS):
        q = _nearest(corners_b, p)
        p, before = _nearest(corners_a, q), p
        if np.array_equal(p, before):
            break
    apart = float(np.linalg.norm(q - p))
    share = 0.5 if apart == 0.0 else 0.5 * (1.0 + (radii[0] - radii[1]) / apart)
    x, y, z = (p + min(1.0, max(0.0, share)) * (q - p)).tolist()
    return x, y, z


def _corners(forest: Forest, body: int, simplex: int) -> Array:
    rows = forest.simplices[forest.first_simplex[body] + max(simplex, 0)]
    return np.asarray(forest.vertices[rows])


def _nearest(corners: Array, p: Array) -> Array:
    """The point of a triangle, possibly degenerate, that is nearest to p."""
    a, b, c = corners
    normal = np.cross(b - a, c - a)
    size = float(normal @ normal)
    if size > 0.0:
        foot = p - ((p - a) @ normal) / size * normal
        sides = [np.cross(t - s, foot - s) @ normal for s, t in ((a, b), (b, c), (c, a))]
        if min(sides) >= 0.0:
            return np.asarray(foot)
    candidates = [_on_segment(s, t, p) for s, t in ((a, b), (b, c), (c, a))]
    return min(candidates, key=lambda q: float((p - q) @ (p - q)))


def _on_segment(s: Array, t: Array, p: Array) -> Array:
    d = t - s
    length = float(d @ d)
    return s if length == 0.0 else s + min(1.0, max(0.0, float((p - s) @ d) / length)) * d
