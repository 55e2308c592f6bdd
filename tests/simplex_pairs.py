"""Random pairs of points, edges and triangles in every case of their distance."""

import numpy as np

from dovetail.collision.distance.closest_points import (
    EDGES_CROSSED,
    edge_edge,
    point_edge,
    point_triangle,
)
from dovetail.contact.ipc.barrier.terms import (
    edge_edge_terms,
    point_edge_terms,
    point_patch_terms,
    point_point_terms,
)
from dovetail.runtime.jit import jit


@jit
def point_triangle_terms(p, t0, t1, t2, x_a, x_b, barrier, theta, out, k):
    """Point p of a against a patch of b that is the triangle t0 t1 t2."""
    return point_patch_terms(p, t0, t1, t2, 0, x_a, x_b, barrier, theta, out, k)


ON_A = {"point-point": 1, "point-edge": 1, "point-triangle": 1, "edge-edge": 2}
TERMS = {
    "point-point": point_point_terms,
    "point-edge": point_edge_terms,
    "point-triangle": point_triangle_terms,
    "edge-edge": edge_edge_terms,
}
CLOSEST = {
    "point-point": lambda p, q: (0, 0.0, 0.0),
    "point-edge": point_edge,
    "point-triangle": point_triangle,
    "edge-edge": edge_edge,
}
CASES = {"point-point": 1, "point-edge": 3, "point-triangle": 7, "edge-edge": 9}
EVERY = [(kind, case) for kind, n in CASES.items() for case in range(n)]
N_POINTS = {"point-point": 2, "point-edge": 3, "point-triangle": 4, "edge-edge": 4}


def tuples(points):
    return tuple(map(tuple, np.asarray(points, float).tolist()))


def case_of(kind, points):
    return CLOSEST[kind](*tuples(points))[0]


def sample(kind, case, rng):
    """Random points (n, 3) whose distance is of this case, well inside it."""
    while True:
        points = rng.normal(size=(N_POINTS[kind], 3))
        near = [points + 1e-3 * rng.normal(size=points.shape) for _ in range(10)]
        if all(case_of(kind, moved) == case for moved in (points, *near)):
            return points


def nearly_parallel(case, angle, rng, play=0.0):
    """Two edges at a small angle whose distance is of this case, also when moved by `play`."""
    while True:
        points = rng.normal(size=(4, 3))
        e = points[1] - points[0]
        across = np.cross(e, rng.normal(size=3))
        across *= np.linalg.norm(e) / np.linalg.norm(across)
        other = rng.uniform(0.5, 2) * (e + angle * across)
        if case == EDGES_CROSSED:  # too rare to wait for
            normal = np.cross(e, across) / np.dot(e, e)
            meeting = points[0] + rng.uniform(0.3, 0.7) * e
            points[2] = meeting + rng.normal() * normal - rng.uniform(0.3, 0.7) * other
        points[3] = points[2] + other
        near = [points + play * rng.normal(size=points.shape) for _ in range(20)]
        if all(case_of("edge-edge", moved) == case for moved in (points, *near)):
            return points
