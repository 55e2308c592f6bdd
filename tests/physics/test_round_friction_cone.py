"""Coulomb friction under LCP has no preferred direction and converges with the step."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.linalg.lie import so3
from dovetail.validation.agreement.cases import crate

G = 9.81


def at_rest(h, **options):
    """Where the thrown crate comes to rest [m]."""
    law = dt.contact.LCP(friction=0.4, **options)
    return dt.simulate(crate.build(), 1.5, h, contact=law, progress=False).position("crate")[-1]


@pytest.mark.slow
def test_thrown_crate_comes_to_rest_at_one_place_whatever_the_step():
    """The pyramid of eight facets leads to places 6.5 mm apart."""
    places = np.array([at_rest(h) for h in (1e-3, 5e-4, 2.5e-4)])
    assert np.ptp(places, axis=0).max() < 2e-3, places


def landing(angle):
    """Place and rotation vector of a spinning box after its landing, in axes turned by `angle`."""
    turn = np.asarray(so3.exp((0.0, 0.0, angle)))
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("box", dt.Box((0.3, 0.2, 0.15)), density=500, position=turn @ [0, 0, 0.25],
                   rotation=turn @ so3.exp((0.2, 0.1, 0)), velocity=turn @ [1.5, 0.3, 0],
                   angular_velocity=turn @ [1.0, 2.0, 3.0])  # fmt: skip
    law = dt.contact.LCP(friction=0.4)
    result = dt.simulate(scene, 0.3, 1e-3, contact=law, progress=False)
    return turn.T @ result.position("box")[-1], turn.T @ result.rotation("box")[-1]


def test_a_landing_does_not_depend_on_the_axes():
    first, turned = landing(0.0), landing(0.3)
    np.testing.assert_allclose(turned[0], first[0], atol=1e-7)
    np.testing.assert_allclose(turned[1], first[1], atol=1e-6)


@pytest.mark.parametrize("method", ["LCP", "SDF"])
def test_block_thrown_across_a_slope_ends_downhill_at_half_its_speed(method):
    """With mu = tan(slope) the speed plus its downhill part stays: v + v_y = v0, in the end 2 v_y.

    Friction and the pull of gravity are the same, g sin(slope), so d(v + v_y)/dt = 0.
    """
    slope, speed = 0.3, 1.0
    scene = dt.Scene(gravity=G * np.array([0.0, np.sin(slope), -np.cos(slope)]))
    scene.add_body("slope", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("block", dt.Box((0.2, 0.2, 0.02)), mass=1, position=(0, 0, 0.01),
                   velocity=(speed, 0, 0))  # fmt: skip
    law = getattr(dt.contact, method)(friction=float(np.tan(slope)))
    result = dt.simulate(scene, 1.0, 2e-3, contact=law, progress=False)
    v = result.velocity("block")
    conserved = np.linalg.norm(v[:, :2], axis=1) + v[:, 1]
    np.testing.assert_allclose(conserved, speed, atol=2e-2)
    assert v[-1, 1] == pytest.approx(speed / 2, abs=0.02)
