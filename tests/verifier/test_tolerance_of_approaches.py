"""A tolerance allows overlaps of bodies that were apart when the path to the overlap began."""

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
