"""Closed forms against the distances of finely triangulated shapes, and against each other."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.collision.sdf.analytic import moved, of_shape
from dovetail.collision.sdf.distance_mesh import exact_distance
from rounding import rounding

SHAPES = [
    (dt.Box((1.0, 0.6, 0.4)), np.inf),
    (dt.Sphere(0.5, segments=128), 0.5),
    (dt.Cylinder(0.4, 1.0, segments=256), 0.4),
    (dt.Capsule(0.3, 0.8, segments=128), 0.3),
    (dt.Cone(0.4, 0.7, segments=256), 0.4),
    (dt.Torus(0.5, 0.2, segments=256), 0.2),
]


@pytest.mark.parametrize(("shape", "radius"), SHAPES, ids=lambda v: type(v).__name__)
def test_closed_forms_are_the_distances_of_the_shapes(shape, radius):
    points = np.random.default_rng(1).uniform(-1, 1, (3000, 3))
    field = of_shape(shape)
    assert field is not None and field.error == 0
    surface = shape.surface()
    assert np.abs(field.value(surface.vertices)).max() < rounding(8)
    exact = exact_distance(surface).value(points)
    ends = surface.vertices[surface.edges]
    flat = np.abs(field.value(ends.mean(axis=1))) < rounding(8)  # edges on the true surface
    curved = np.linalg.norm(ends[~flat, 0] - ends[~flat, 1], axis=1)
    # a triangle with its corners on a ball of radius r dips by at most (L / sqrt 3)^2 / 2 r
    sag = np.max(curved, initial=0.0) ** 2 / (6 * radius)
    if isinstance(shape, dt.Cone):  # all edges are on the surface, and the triangles are not
        sag = radius * (1 - np.cos(np.pi / shape.segments))
    assert np.abs(field.value(points) - exact).max() <= 1.01 * sag + 1e-14


@pytest.mark.parametrize(("shape", "_radius"), SHAPES, ids=lambda v: type(v).__name__)
def test_gradients_of_closed_forms_have_length_one_and_are_derivatives(shape, _radius):
    points = np.random.default_rng(2).uniform(-1, 1, (2000, 3))
    field = of_shape(shape)
    gradient = field.gradient(points)
    np.testing.assert_allclose(np.linalg.norm(gradient, axis=1), 1.0, rtol=1e-12)
    step = 1e-6
    slopes = np.column_stack(
        [(field.value(points + d) - field.value(points - d)) / (2 * step) for d in step * np.eye(3)]
    )
    kinked = np.abs(slopes - gradient).max(axis=1) > 1e-5  # the middle planes of a box
    assert kinked.mean() < 0.001


def test_a_plane_is_turned_and_moved():
    field = dt.sdf.plane((1, 0, 1), (0, 0, 2))
    assert field.value((0, 0, 2)) == pytest.approx(0, abs=rounding(8, 2.0))
    assert field.value((3, 5, 2)) == pytest.approx(3 / np.sqrt(2))
    np.testing.assert_allclose(field.normal((9.0, 1, 1)), np.array([1, 0, 1]) / np.sqrt(2))


def test_a_union_is_the_least_and_a_compound_is_one():
    turn = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    parts = [
        dt.Placed(dt.Cylinder(0.1, 1.0), rotation=turn),
        dt.Placed(dt.Box((0.2, 0.2, 0.9)), position=(0, 0, -0.5)),
    ]
    field = of_shape(dt.Compound(parts))
    points = np.random.default_rng(3).uniform(-1, 1, (500, 3))
    bar = moved(dt.sdf.cylinder(0.1, 1.0), turn, np.zeros(3)).value(points)
    local = dt.sdf.cylinder(0.1, 1.0).value(points @ turn)
    np.testing.assert_allclose(bar, local, atol=rounding(8))
    stem = dt.sdf.box((0.2, 0.2, 0.9)).value(points + np.array([0, 0, 0.5]))
    np.testing.assert_allclose(field.value(points), np.minimum(bar, stem), atol=rounding(8))
    box = dt.Box((1, 1, 1)).surface()
    assert of_shape(dt.Mesh(box.vertices, box.faces)) is None


def test_mistakes_are_reported():
    with pytest.raises(dt.InputError, match="`radius` must be > 0 m"):
        dt.sdf.sphere(-1)
    with pytest.raises(dt.InputError, match="points"):
        dt.sdf.sphere(1).value([[1, 2]])
    with pytest.raises(dt.InputError, match="finite"):
        dt.sdf.sphere(1).value([np.nan, 0, 0])


def test_a_union_of_many_shapes_is_the_least_of_each():
    random = np.random.default_rng(3)
    parts, alone = [], []
    for k in range(40):
        shape = (dt.Box((0.2, 0.1, 0.3)), dt.Sphere(0.12), dt.Cylinder(0.1, 0.3))[k % 3]
        R, t = dt.lie.so3.exp(random.normal(size=3)), random.uniform(-1, 1, 3)
        parts.append(dt.Placed(shape, t, R))
        alone.append((dt.sdf.of_shape(shape), R, t))
    points = random.uniform(-1.5, 1.5, (3000, 3))
    field = dt.sdf.of_shape(dt.Compound(parts))
    least = np.min([one.value((points - t) @ R) for one, R, t in alone], axis=0)
    np.testing.assert_allclose(field.value(points), least, rtol=0, atol=1e-14)
    assert (least < -0.02).sum() > 20
    again = dt.sdf.union(field, dt.sdf.plane((0, 0, 1), (0, 0, -1.2)))
    np.testing.assert_allclose(
        again.value(points), np.minimum(least, points[:, 2] + 1.2), rtol=0, atol=1e-14
    )
