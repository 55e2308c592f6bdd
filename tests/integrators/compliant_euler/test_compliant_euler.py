"""Steps with compliant contacts: joints, momentum, resuming, what is said and refused."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators.compliant_euler.scheme import CompliantEuler

G = 9.81


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    monkeypatch.setenv("DOVETAIL_QUIET", "1")


def thrown_crate() -> dt.Scene:
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.Box((6, 6, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body(
        "crate", dt.Box((0.3, 0.2, 0.15)), density=500, position=(0, 0, 0.5),
        velocity=(1.5, 0.3, 0), angular_velocity=(1, 2, 3),
    )  # fmt: skip
    return scene


def test_the_tool_of_a_heavy_slide_stops_without_rebound():
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("wall", dt.Box((0.2, 1, 1)), motion="static", position=(0.2, 0, 0))
    scene.add_body(
        "slide", mass=10.0, inertia=(1, 1, 1), position=(-0.5, 0, 0), velocity=(0.1, 0, 0)
    )
    scene.add_body("tool", dt.Sphere(0.05), mass=0.01, position=(0.04, 0, 0), velocity=(0.1, 0, 0))
    scene.add_joint("rail", dt.Prismatic((-0.5, 0, 0), (1, 0, 0)), "ground", "slide")
    scene.add_joint("across", dt.Prismatic((0, 0, 0), (0, 0, 1)), "slide", "tool")
    result = dt.simulate(scene, 0.2, 1e-3, contact=dt.contact.SDF())
    assert abs(result.velocity("slide")[-1, 0]) < 1e-3
    assert result.position("tool")[-1, 0] == pytest.approx(0.05, abs=1e-4)
    assert result.constraint_violation["position"].max() < 1e-9


def test_impacts_with_joints_and_friction_keep_momentum():
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("block", dt.Box((0.3, 0.3, 0.3)), density=1000)
    bar = dt.Box((0.4, 0.1, 0.1))
    scene.add_body("one", bar, density=1000, position=(0.25, 0, 0.21), velocity=(0, 0, -1.5))
    scene.add_body("two", bar, density=1000, position=(0.65, 0, 0.21), velocity=(0, 0, -1.5))
    scene.add_joint("ball", dt.Spherical((0.45, 0, 0.21)), "one", "two")
    result = dt.simulate(scene, 0.03, 1e-4, contact=dt.contact.SDF(friction=0.4), every=2)
    size = np.linalg.norm(result.momentum["linear"][0])
    # joints are closed by displacements at fixed velocities, h^2 in a step
    for part, left in (("linear", 1e-12), ("angular", 2e-6)):
        momentum = result.momentum[part]
        assert np.abs(momentum - momentum[0]).max() < left * size
    assert result.energy["total"][-1] < 0.9 * result.energy["total"][0]
    assert np.diff(result.energy["total"]).max() < 1e-9


def test_a_resumed_run_goes_on_bit_for_bit():
    model = thrown_crate().build()
    law = dt.contact.SDF(friction=0.4, restitution=0.3)
    stepper = CompliantEuler().start(model, law)
    for k in range(1, 330):
        stepper.step(k * 1e-3)
    snapshot = {name: np.array(value) for name, value in stepper.snapshot().items()}
    again = CompliantEuler().start(model, law)
    again.restore(snapshot)
    for k in range(330, 500):
        stepper.step(k * 1e-3)
        again.step(k * 1e-3)
    np.testing.assert_array_equal(stepper.bodies.x, again.bodies.x)
    np.testing.assert_array_equal(stepper.bodies.v, again.bodies.v)


def test_stiffness_and_depth_are_said_before_the_first_step(capsys, monkeypatch):
    monkeypatch.delenv("DOVETAIL_QUIET")
    scene = thrown_crate()
    CompliantEuler().start(scene.build(), dt.contact.SDF()).step(1e-3)
    said = capsys.readouterr().err
    assert "stiffness of floor-crate" in said and "m deep" in said and "impact at" in said


def test_a_damper_of_ones_own_is_resolved_in_time_or_refused():
    model, law = thrown_crate().build(), dt.contact.SDF(stiffness=1e6, damping=0.0)
    assert type(dt.integrators.default_for(law, model)).__name__ == "LieVerlet"
    with pytest.raises(dt.InputError, match="takes no `damping`"):
        CompliantEuler().start(model, law)


def test_dry_friction_of_a_joint_stops_its_slide_after_the_distance_of_its_work():
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("slide", dt.Box((0.1, 0.1, 0.1)), mass=2.0, velocity=(1, 0, 0))
    scene.add_body("wall", dt.Box((0.1, 1, 1)), motion="static", position=(5, 0, 0))
    rail = dt.Prismatic((0, 0, 0), (1, 0, 0), actuation=(dt.Actuation(friction=4.0),))
    scene.add_joint("rail", rail, "ground", "slide")
    result = dt.simulate(scene, 1.0, 1e-3, contact=dt.contact.SDF())
    assert result.position("slide")[-1, 0] == pytest.approx(0.25, abs=1e-3)  # m v^2 / 2 f
    assert abs(result.velocity("slide")[-1, 0]) < 1e-6


@pytest.mark.filterwarnings("ignore:joint 'pin' starts 0.3")
def test_a_limit_that_is_passed_at_the_start_is_returned_to_without_a_kick():
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("rod", dt.Box((0.1, 0.1, 1)), mass=1.0, position=(0, 0, -0.5))
    pin = dt.Revolute((0, 0, 0), (0, 1, 0), actuation=(dt.Actuation(lower=0.3, upper=1.0),))
    scene.add_joint("pin", pin, "ground", "rod")
    result = dt.simulate(scene, 12.0, 1e-2, contact=dt.contact.SDF())
    turned = np.arctan2(result.rotation("rod")[:, 0, 2], result.rotation("rod")[:, 2, 2])
    assert turned[-1] == pytest.approx(0.3, abs=1e-4)
    assert np.abs(result.energy["kinetic"]).max() < 1e-12


def test_an_elastic_impact_beside_the_centre_turns_a_bar_and_keeps_its_energy():
    """A bar falls flat with v onto a peg at a = L / 4 from its centre. With p = the impulse,
    v' = v - p / m, w' = p a / I and v' - w' a = -v give p = 2 v / (1 / m + a^2 / I).
    """
    scene, a = dt.Scene(), 0.25
    scene.add_body("peg", dt.Sphere(0.1), motion="static", position=(a, 0, -0.1501))
    bar = scene.add_body("bar", dt.Box((1, 0.1, 0.1)), mass=2.0, velocity=(0, 0, -1))
    inertia = float(bar.inertia[1, 1])
    contact = dt.contact.SDF(stiffness=1e7, restitution=1.0)
    result = dt.simulate(
        scene, 0.03, 1e-3, contact=contact, integrator=CompliantEuler(), progress=False
    )
    p = 2.0 / (1 / 2.0 + a**2 / inertia)
    assert result.velocity("bar")[-1] == pytest.approx([0, 0, -1 + p / 2.0], abs=2e-2)
    spin = result.angular_velocity("bar")[-1]
    assert spin == pytest.approx([0, -p * a / inertia, 0], abs=5e-2)
    kinetic = result.energy["kinetic"]
    assert kinetic[-1] == pytest.approx(kinetic[0], rel=1e-2)
