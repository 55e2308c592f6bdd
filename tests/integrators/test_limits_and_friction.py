"""Limits that are passed at the start, and dry friction in joints, under every method."""

import numpy as np
import pytest

import dovetail as dt

METHODS = [
    {"integrator": "RATTLie"}, {"integrator": "DH"}, {"integrator": "JointCoordinates"},
    {"contact": "lcp"}, {"contact": "sdf"}, {"contact": "ipc"},
]  # fmt: skip


def hinged_box(position, **acting):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((4, 4, 0.1)), motion="static", position=(0, 0, -3))
    scene.add_body("arm", dt.Box((0.1, 0.12, 0.5)), mass=3.0, position=position)
    hinge = dt.Revolute((0, 0, 0), (1, 0, 0), actuation=[dt.Actuation(**acting)])
    scene.add_joint("hinge", hinge, "ground", "arm")
    return scene


def angle(result):
    R = result.rotation("arm")
    return np.arctan2(R[:, 2, 1], R[:, 1, 1])


@pytest.mark.filterwarnings(
    "ignore:joint 'hinge' starts 0.2", "ignore:RATTLie takes", "ignore:.*contact"
)
@pytest.mark.parametrize("settings", METHODS)
@pytest.mark.parametrize("step", [1e-2, 2e-3])
def test_a_limit_passed_at_the_start_goes_home(settings, step):
    """No faster than gravity would swing it, and without energy from nowhere."""
    scene = hinged_box((0, 0, -0.3), lower=0.2, upper=0.6)
    result = dt.simulate(scene, duration=1.5, step=step, **settings)
    found = angle(result)
    assert found[0] == 0.0 and found[-1] == pytest.approx(0.2, abs=0.01)
    assert found.max() < 0.205
    assert np.abs(result.angular_velocity("arm")).max() < 0.5
    lifted = 3.0 * 9.81 * 0.3 * (1.0 - np.cos(0.2))
    assert np.max(result.energy["total"] - result.energy["total"][0]) < 1.05 * lifted


def test_the_user_is_warned():
    with pytest.warns(UserWarning, match="joint 'hinge' starts 0.2 m or rad beyond its limit"):
        dt.simulate(hinged_box((0, 0, -0.3), lower=0.2), duration=0.01, step=0.01)


@pytest.mark.filterwarnings("ignore:RATTLie takes", "ignore:.*contact")
@pytest.mark.parametrize("settings", METHODS)
def test_dry_friction_holds_or_slides(settings):
    """The weight's torque is 8.83 N m; what 5 N m leave over accelerates the arm."""
    held = dt.simulate(hinged_box((0, 0.3, 0), friction=12.0), duration=0.2, step=1e-3, **settings)
    assert abs(angle(held)[-1]) < 1e-3
    slides = dt.simulate(hinged_box((0, 0.3, 0), friction=5.0), duration=0.2, step=1e-3, **settings)
    weight, inertia = 3.0 * 9.81 * 0.3, 3.0 * (0.12**2 + 0.5**2) / 12 + 3.0 * 0.3**2
    expected = -0.5 * (weight - 5.0) / inertia * 0.2**2
    assert angle(slides)[-1] == pytest.approx(expected, rel=0.02)
