"""A lower bound of the distance of moving bodies: never more than the distance, and close to it."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.contact.ipc.candidates.records import BodyPair, BodyShapes
from dovetail.contact.ipc.candidates.separation import MOST_VERTICES, separation
from dovetail.contact.ipc.model_bodies import ipc_bodies
from dovetail.linalg.exact.convex_hull import convex_hull
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def bound(shapes, R, D, ds, w_a, w_b, t, enough):
    return separation(shapes, R, BodyPair(0, 1, D), (ds, w_a, w_b), t, enough)


def hull(rng, count):
    points = rng.normal(size=(count, 3)) * rng.uniform(0.3, 1.0, 3)
    return dt.Mesh(points, faces=convex_hull(points))


def shapes_of_two(first, second):
    scene = dt.Scene()
    for name, shape in (("a", first), ("b", second)):
        scene.add_body(name, shape, mass=1.0, inertia=(1.0, 1.0, 1.0))
    geometry = ipc_bodies(scene.build()).geometry
    return BodyShapes(
        geometry.radius, geometry.core_radius, geometry.rounding, geometry.box_centre,
        geometry.box_half, geometry.half_spaces.is_half_space, geometry.features, geometry.trees,
        geometry.patches,
    )  # fmt: skip


def corners(shapes, i):
    first = shapes.features.first[:, 0]
    return shapes.features.vertices[first[i] : first[i + 1]]


def hull_distance(p, q):
    """[m] between the convex hulls of points p and q, by the weights of their corners."""
    points = np.concatenate((p, -q))
    ends = [np.r_[np.ones(len(p)), np.zeros(len(q))], np.r_[np.zeros(len(p)), np.ones(len(q))]]
    found = minimize(
        lambda x: ((x @ points) ** 2).sum(), ends[0] / len(p) + ends[1] / len(q),
        jac=lambda x: 2 * points @ (x @ points), method="SLSQP", bounds=[(0, 1)] * len(points),
        constraints=[
            {"type": "eq", "fun": lambda x, e=e: e @ x - 1, "jac": lambda x, e=e: e} for e in ends
        ],
        options={"maxiter": 300, "ftol": 1e-14},
    )  # fmt: skip
    return np.sqrt(found.fun)


def random_case(seed):
    rng = np.random.default_rng(seed)
    shapes = shapes_of_two(hull(rng, 10), hull(rng, 10))
    R = Rotation.random(2, random_state=seed).as_matrix()
    D = rng.normal(size=3)
    D *= rng.uniform(1.5, 5.0) / np.linalg.norm(D)
    ds, w_a, w_b = 0.5 * rng.normal(size=3), 0.3 * rng.normal(size=3), 0.3 * rng.normal(size=3)
    return shapes, R, D, ds, w_a, w_b


def distance_at(shapes, R, D, ds, w_a, w_b, t):
    p = corners(shapes, 0) @ (Rotation.from_rotvec(t * w_a).as_matrix() @ R[0]).T
    q = corners(shapes, 1) @ (Rotation.from_rotvec(t * w_b).as_matrix() @ R[1]).T + D + t * ds
    return hull_distance(p, q)


@pytest.mark.parametrize("seed", range(12))
def test_bound_holds_at_all_times(seed):
    shapes, R, D, ds, w_a, w_b = random_case(seed)
    least = min(distance_at(shapes, R, D, ds, w_a, w_b, t) for t in np.linspace(0, 1, 9))
    at = tuple(D), tuple(ds), tuple(w_a), tuple(w_b)
    assert bound(shapes, R, *at, 1.0, np.inf) <= least + 1e-6


@pytest.mark.parametrize("seed", range(12))
def test_bound_of_bodies_at_rest_is_close_to_their_distance(seed):
    shapes, R, D, *_ = random_case(seed)
    zero = (0.0, 0.0, 0.0)
    found = bound(shapes, R, tuple(D), zero, zero, zero, 0.0, np.inf)
    distance = distance_at(shapes, R, D, 0 * D, 0 * D, 0 * D, 0.0)
    assert found <= distance + 1e-6
    if distance > 0.3:
        assert found >= 0.8 * distance


def test_bound_along_the_normal_of_a_wide_wall_is_its_distance():
    rng = np.random.default_rng(0)
    shapes = shapes_of_two(dt.Box((20.0, 20.0, 1.0)), hull(rng, 12))
    zero, D = (0.0, 0.0, 0.0), (7.0, -6.0, 3.0)
    R = np.tile(np.eye(3), (2, 1, 1))
    gap = 3.0 + corners(shapes, 1)[:, 2].min() - 0.5
    assert bound(shapes, R, D, zero, zero, zero, 0.0, np.inf) == pytest.approx(gap, rel=1e-9)
    slides = bound(shapes, R, D, (4.0, 3.0, 0.0), zero, zero, 1.0, np.inf)
    assert slides == pytest.approx(gap, rel=1e-9)  # what moves along a wall comes no closer


@pytest.mark.parametrize(
    "shape",
    [
        dt.Sphere(1.0), dt.Capsule(1.0, 2.0), dt.Cylinder(1.0, 2.0), dt.Torus(0.75, 0.25),
        pytest.param(None, id="many vertices"),
    ],
    ids=repr,
)  # fmt: skip
def test_bound_of_shapes_that_are_not_a_few_corners(shape):
    rng = np.random.default_rng(3)
    if shape is None:
        points = rng.normal(size=(2 * MOST_VERTICES, 3))
        points /= np.linalg.norm(points, axis=1)[:, None]
        shape = dt.Mesh(points, faces=convex_hull(points))
    shapes = shapes_of_two(shape, dt.Box((1.0, 1.0, 1.0)))
    zero, R = (0.0, 0.0, 0.0), np.tile(np.eye(3), (2, 1, 1))
    found = bound(shapes, R, (4.0, 0.0, 0.0), zero, zero, zero, 0.0, np.inf)
    assert 0.0 < found <= 2.5 + 0.02  # the sides of the shape are at 1 m at most
    assert found >= 2.5 - 1e-9 or isinstance(shape, dt.Mesh)
