"""A tolerance allows overlaps of bodies that were apart before, and no passing through."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.verifier.certificate import certify


@pytest.mark.parametrize("contact", ["lcp", "sdf"])
@pytest.mark.parametrize("shape", [dt.Box((0.1, 0.1, 0.06)), dt.Cylinder(0.05, 0.06, segments=12)])
def test_bodies_that_land_may_overlap_by_the_tolerance(shape, contact):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("table", dt.Box((1, 1, 0.1)), motion="static", position=(0, 0, -0.05))
    scene.add_body("puck", shape, mass=0.4, position=(0, 0, 0.0305))
    result = dt.simulate(scene, 0.03, 1e-3, contact=contact, progress=False, check=False)
    depth = max(one.depth for one in certify(result).overlaps)
    assert 0.0 < depth < 1e-6
    assert certify(result, tolerance=1e-6).verdict == "free"
    assert certify(result, tolerance=0.3 * depth).verdict == "intersecting"


def wire(*points):
    return dt.Mesh(np.array(points, float), edges=[(k, k + 1) for k in range(len(points) - 1)])


SQUARE = dt.Mesh([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2), (0, 2, 3)])
ALONG_X, ALONG_Y = wire((-1, 0, 0), (1, 0, 0)), wire((0, -1, 0), (0, 1, 0))
PLATE, CHIP = dt.Box((2, 2, 1e-3)), dt.Box((0.01, 0.01, 1e-3))


@pytest.mark.parametrize("tolerance", [1e-9, 3e-3])
@pytest.mark.parametrize("spin", [(0, 0, 0), (0, 0, 0.4)])
@pytest.mark.parametrize("step", [1.0, 1e-1, 1e-3])
@pytest.mark.parametrize(
    ("a", "b"), [(ALONG_X, ALONG_Y), (SQUARE, CHIP), (PLATE, CHIP), (PLATE, PLATE)]
)
@pytest.mark.filterwarnings("ignore:.*")
def test_what_passes_through_is_not_within_a_tolerance(a, b, step, spin, tolerance):
    """At each instant a translation by the thickness parts them; they change sides all the same."""
    scene = dt.Scene()
    scene.add_body("a", a, mass=1.0, inertia=(1, 1, 1))
    at = 5.05e-3 if step == 1e-3 else 1 / 3
    scene.add_body(
        "b", b, mass=1.0, inertia=(1, 1, 1), position=(0.1, 0.1, at), velocity=(0, 0, -1),
        angular_velocity=spin,
    )  # fmt: skip
    result = dt.simulate(scene, 10 * step if step < 1 else 1.0, step, progress=False, check=False)
    assert certify(result, tolerance=tolerance).verdict == "intersecting"


@pytest.mark.filterwarnings("ignore:.*")
def test_an_overlap_that_goes_around_an_edge_is_within_the_tolerance():
    """The translation that parts them goes from upward to sideways."""
    scene = dt.Scene()
    scene.add_body("block", dt.Box((1, 1, 1)), motion="static")
    push = {"mass": 1.0, "inertia": (1, 1, 1), "velocity": (0.4, 0, -0.4)}
    scene.add_body("cube", dt.Box((1, 0.5, 1)), position=(0.7961, 0, 1.2011), **push)
    result = dt.simulate(scene, 1.0, 0.0125, progress=False, check=False)
    assert certify(result, tolerance=2e-3).verdict == "free"
    assert certify(result, tolerance=1e-3).verdict == "intersecting"
