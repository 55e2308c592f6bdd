"""Limits that are passed at the start, and dry friction in joints, under every method."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.verifier.certificate import certify

METHODS = [
    {"integrator": "RATTLie"}, {"integrator": "DH"}, {"integrator": "JointCoordinates"},
    {"integrator": "DL"}, {"integrator": "LieGeneralizedAlpha"},
    {"integrator": "EulerParameterDAE"},
    {"contact": "lcp"}, {"contact": "sdf"}, {"contact": "ipc"},
    {"contact": "ipc", "integrator": "BarrierVerlet"},
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


@pytest.mark.filterwarnings("ignore:.*contact")
@pytest.mark.parametrize(
    "integrator",
    ["RATTLie", "DH", "DL", "JointCoordinates", "LieGeneralizedAlpha", "EulerParameterDAE",
     "BarrierVerlet"],
)  # fmt: skip
@pytest.mark.parametrize("upper", [0.6, 0.603, 0.6051])
@pytest.mark.parametrize(
    "acting", [{}, {"damping": 0.3, "friction": 0.5}], ids=["free", "held back"]
)
def test_a_limit_that_is_reached_between_two_steps_takes_all_speed(integrator, upper, acting):
    """The step that brought the door back to its limit left it a speed of up to that of arrival."""
    scene = dt.Scene()
    turning = {"velocity": (0, 0.84, 0), "angular_velocity": (0, 0, 2)}
    scene.add_body("door", dt.Box((0.8, 0.04, 1)), density=400, position=(0.42, 0, 0), **turning)
    limited = [dt.Actuation(lower=-1, upper=upper, **acting)]
    hinge = dt.Revolute((0, 0, 0), (0, 0, 1), actuation=limited)
    scene.add_joint("hinge", hinge, "ground", "door")
    contact = "ipc" if integrator == "BarrierVerlet" else None
    result = dt.simulate(
        scene, duration=0.6, step=0.004, integrator=integrator, contact=contact, progress=False
    )
    speed = result.angular_velocity("door")[:, 2]
    rest = 1e-6 if contact else 1e-9
    assert speed.min() > -rest and np.abs(speed[-1]) < rest
    assert certify(result).trusted


def two_links(restitution=0.0):
    """Links of 1 kg that fall; the limits of both hinges are reached, one while the other holds."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    above = "ground"
    for k, upper in enumerate((0.7, 0.5)):
        name = f"link{k}"
        scene.add_body(name, dt.Box((0.5, 0.05, 0.05)), mass=1.0, position=(0.25 + 0.5 * k, 0, 0))
        limited = dt.Actuation(upper=upper, limit_restitution=restitution)
        hinge = dt.Revolute((0.5 * k, 0, 0), (0, 1, 0), actuation=limited)
        scene.add_joint(f"hinge{k}", hinge, above, name)
        above = name
    return scene


@pytest.mark.filterwarnings("ignore:RATTLie takes")
@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize(
    "integrator",
    ["RATTLie", "DH", "DL", "JointCoordinates", "LieGeneralizedAlpha", "EulerParameterDAE"],
)
def test_limits_give_no_energy_to_other_bodies(integrator, restitution):
    """A step that passed a limit and came back gave the other link 1 J, at any step.

    What is left is the error of the scheme, of the second order in the step.
    """
    gained = []
    for step in (1e-2, 2e-3):
        scene = two_links(restitution)
        run = dt.simulate(scene, duration=1.0, step=step, integrator=integrator, progress=False)
        gained.append(float(np.diff(run.energy["total"]).max()))
        assert np.ptp(run.energy["total"]) > 3.0  # [J] taken by the limits
    within = 1e-2 if integrator == "LieGeneralizedAlpha" else 5e-3  # its error of free motion
    assert gained[0] < within and gained[1] < gained[0] / 20  # 25 at the second order


def test_what_leaves_its_limit_is_not_held():
    """A door that swings back under its spring leaves the limit when the spring is stretched."""
    scene = dt.Scene()
    turning = {"velocity": (0, 0.84, 0), "angular_velocity": (0, 0, 2)}
    scene.add_body("door", dt.Box((0.8, 0.04, 1)), density=400, position=(0.42, 0, 0), **turning)
    limited = [dt.Actuation(upper=0.303, stiffness=20.0)]
    hinge = dt.Revolute((0, 0, 0), (0, 0, 1), actuation=limited)
    scene.add_joint("hinge", hinge, "ground", "door")
    result = dt.simulate(scene, duration=0.6, step=0.004, progress=False)
    R = result.rotation("door")
    turned = np.arctan2(R[:, 1, 0], R[:, 0, 0])
    inertia = result.scene.bodies["door"].checked.mass * (0.42**2 + (0.8**2 + 0.04**2) / 12)
    left = np.flatnonzero(turned >= 0.303 - 1e-9)[-1]
    expected = 0.303 * np.cos(np.sqrt(20.0 / inertia) * (result.time - result.time[left]))
    assert np.abs(turned[left:] - expected[left:]).max() < 1e-3
