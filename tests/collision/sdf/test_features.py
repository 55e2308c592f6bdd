"""The features of a body: corners, sharp edges, rims, balls; nothing of flat faces."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.collision.sdf.features import features_of


def of(shape):
    return features_of(shape, shape.surface(), np.zeros(3))


def cut_cube(pieces: int) -> dt.Mesh:
    """A unit cube with every face cut into squares."""
    flat = np.linspace(-0.5, 0.5, pieces + 1)
    u, v = (a.ravel() for a in np.meshgrid(flat, flat, indexing="ij"))
    i, j = (a.ravel() for a in np.meshgrid(np.arange(pieces), np.arange(pieces), indexing="ij"))
    a = i * (pieces + 1) + j
    b, c, d = a + pieces + 1, a + pieces + 2, a + 1
    one = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    points, faces = [], []
    for axis in range(3):
        for sign in (0.5, -0.5):
            columns = [np.full_like(u, sign), u, v] if sign > 0 else [np.full_like(u, sign), v, u]
            faces.append(one + len(u) * len(points))
            points.append(np.roll(np.column_stack(columns), axis, axis=1))
    shared, number = np.unique(np.round(np.concatenate(points), 9), axis=0, return_inverse=True)
    return dt.Mesh(shared, number.reshape(-1)[np.concatenate(faces)])


def test_a_box_has_eight_corners_and_twelve_edges_without_the_diagonals_of_its_faces():
    found = of(dt.Box((1, 2, 3)))
    assert len(found.vertices.order) == 8 and len(found.ends) == 12
    corners = found.vertices.points[np.argsort(found.vertices.order)]
    into = -corners / np.linalg.norm(corners, axis=1)[:, None]
    assert (np.einsum("ij,ij->i", found.into, into) > 0.5).all()  # into the body
    for m in range(12):  # both sides of an edge lead along its faces, across it
        along = found.ends[m, 3:] - found.ends[m, :3]
        for side in (found.sides[m, :3], found.sides[m, 3:]):
            assert side @ along == pytest.approx(0, abs=1e-12)
            assert np.linalg.norm(side) == pytest.approx(1)


@pytest.mark.parametrize("pieces", [1, 5])
def test_points_inside_flat_faces_are_no_features(pieces):
    found = of(cut_cube(pieces))
    on_edges = 8 + 12 * (pieces - 1)
    assert len(found.vertices.order) == on_edges
    assert len(found.ends) == 12 * pieces


def test_the_normal_cone_of_a_corner_is_that_of_its_three_faces():
    found = of(dt.Box((1, 1, 1)))
    corner = int(np.argmax(found.vertices.points.sum(axis=1)))
    i = found.vertices.order[corner]
    edges = found.cone[found.first[i] : found.first[i + 1]]
    inside = np.array([1.0, 1, 1]) / np.sqrt(3)
    assert (edges @ -inside >= 0).all()  # n = -inside is accepted: n . e >= 0
    for outside in ([-1, 0, 0], [0, 0, -1], [1, -0.1, 0]):
        assert (edges @ -np.array(outside) < -0.017).any()


def test_round_shapes_are_a_ball_a_rod_and_rims():
    ball = of(dt.Sphere(0.3))
    assert len(ball.vertices.order) == 1 and ball.vertices.reach[0] == 0.3
    rod = of(dt.Capsule(0.1, 0.4))
    assert len(rod.ends) == 1 and rod.edge_reach[0] == 0.1 and len(rod.vertices.order) == 2
    roller = of(dt.Cylinder(0.1, 0.4))
    assert len(roller.circles) == 2 and len(roller.vertices.order) == 0
    np.testing.assert_allclose(roller.circles[:, 3:6], [[0, 0, -1], [0, 0, 1]])  # out of the body
