"""Convex hulls against Qhull and exact signs, where coplanar and equal points are frequent."""

from itertools import permutations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from dovetail.linalg.exact.convex_hull import convex_hull
from dovetail.linalg.exact.orientation import orient3d


def clouds():
    rng = np.random.default_rng(7)
    for n in (5, 12, 300):
        yield "normal", rng.normal(size=(n, 3))
        ball = rng.normal(size=(n, 3))
        yield "sphere", ball / np.linalg.norm(ball, axis=1)[:, None]
        yield "lattice", rng.integers(0, 4, (4 * n, 3)).astype(float)
        yield "tenths far away", rng.integers(0, 8, (4 * n, 3)) * 0.1 + 1e3
        yield "twice", np.repeat(rng.normal(size=(n, 3)), 2, axis=0)
        yield "micrometres", 1e-6 * rng.normal(size=(n, 3))


@pytest.mark.parametrize(("kind", "points"), list(clouds()))
def test_hull_is_closed_convex_and_as_large_as_qhulls(kind, points):
    faces = convex_hull(points)
    edges = [tuple(face[[i, j]]) for face in faces for i, j in ((0, 1), (1, 2), (2, 0))]
    assert len(set(edges)) == len(edges) and {(b, a) for a, b in edges} == set(edges)
    assert len(faces) == 2 * len(np.unique(faces)) - 4  # a sphere
    rows = [tuple(row) for row in points]
    some = rows[:: len(rows) // 60 + 1]
    for a, b, c in faces:  # exactly: no point above any face
        assert all(orient3d(rows[a], rows[b], rows[c], p) >= 0 for p in some)
    corners = (points - points.mean(axis=0))[faces]
    volume = np.linalg.det(corners).sum() / 6
    assert volume == pytest.approx(ConvexHull(points).volume, rel=1e-11)


def test_cube_of_one_has_volume_one_in_every_order_of_its_corners():
    corners = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    for order in list(permutations(range(8)))[::331]:
        faces = convex_hull(corners[list(order)])
        assert len(faces) == 12
        assert np.linalg.det(corners[list(order)][faces] - 0.5).sum() / 6 == pytest.approx(1)


@pytest.mark.parametrize(
    "points",
    [np.zeros((6, 3)), np.eye(3), np.outer(np.arange(9.0), [1, 2, 3]),
     np.column_stack([np.random.default_rng(1).normal(size=(40, 2)), np.full(40, 0.3)])],
    ids=["one point", "three points", "a line", "a plane"],
)  # fmt: skip
def test_flat_points_have_no_hull(points):
    assert convex_hull(points) is None
