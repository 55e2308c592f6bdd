"""The second-order scheme under the barrier: energy, order, and no intersections."""

import numpy as np
import pytest
from stepping import observed_orders

import dovetail as dt
from dovetail.integrators import BarrierVerlet, ImplicitEuler, RATTLie
from dovetail.multibody.energy import kinetic_energy, potential_energy
from dovetail.verifier.certificate import certify
from jointed_scenes import EVERY_JOINT, two_bodies_joined_by


def total(model, stepper):
    state = stepper.bodies
    return kinetic_energy(model, state) + potential_energy(model, state)


def moved(scene, h, count, contact=None, scheme=BarrierVerlet):
    model = scene.build()
    stepper = scheme().start(model, contact)
    start = total(model, stepper)
    for k in range(1, count + 1):
        stepper.step(k * h)
    return stepper, start, total(model, stepper)


def test_free_top_keeps_its_energy_for_a_thousand_turns():
    """Moments 1:2:3 about the middle one, 5000 steps of 0.2 rad; in flight under both schemes."""
    scene = dt.Scene()
    scene.add_body("top", mass=1, inertia=(1, 2, 3), angular_velocity=(0.1, 5, 0.1))
    _, start, end = moved(scene, 0.04, 5000)
    assert end == pytest.approx(start, rel=2e-2)
    _, start, end = moved(scene, 0.04, 5000, scheme=ImplicitEuler)
    assert end == pytest.approx(start, rel=2e-2)


def sliding(height=0.2005, **more):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((20, 20, 0.2)), motion="static", position=(0, 0, -0.1))
    scene.add_body("block", dt.Box((0.4, 0.4, 0.4)), density=1000, position=(-3, 0, height), **more)
    return scene


def test_sliding_and_spinning_block_without_friction_keeps_its_energy():
    scene = sliding(velocity=(2, 0, 0), angular_velocity=(0, 0, 3))
    result = dt.simulate(scene, 2.0, 0.01, contact=dt.contact.IPC(), integrator=BarrierVerlet(),
                         progress=False)  # fmt: skip
    assert np.allclose(result.velocity("block")[-1], [2, 0, 0], rtol=0, atol=1e-6)
    assert result.angular_velocity("block")[-1, 2] == pytest.approx(3.0, rel=1e-9)
    kinetic = result.energy["kinetic"]
    assert np.abs(kinetic - kinetic[0]).max() < 1e-6 * kinetic[0]
    assert certify(result).verdict == "free"


def test_block_with_friction_stops_as_coulomb_says():
    """v^2 / (2 mu g) = 1.019 m, in v / (mu g) = 1.02 s; then it rests."""
    scene = sliding(velocity=(2, 0, 0))
    result = dt.simulate(scene, 1.4, 0.01, contact=dt.contact.IPC(friction=0.2),
                         integrator=BarrierVerlet(), progress=False)  # fmt: skip
    distance = result.position("block")[-1, 0] + 3
    assert distance == pytest.approx(4 / (2 * 0.2 * 9.81), rel=1e-2)
    assert np.abs(result.velocity("block")[-1]).max() < 1e-6


@pytest.mark.parametrize("kind", ["revolute", "universal", "screw", "planar"])
def test_jointed_motion_converges_at_second_order(kind):
    joint, T = EVERY_JOINT[kind], 0.2
    exact = RATTLie().start(two_bodies_joined_by(joint).build(), None)
    for k in range(1, 4001):
        exact.step(k * T / 4000)

    def error(count):
        stepper, _, _ = moved(two_bodies_joined_by(joint), T / count, count)
        assert stepper.observe().constraint_position < 1e-12
        return np.abs(stepper.bodies.x - exact.bodies.x).max()

    orders = observed_orders(error, (40, 80, 160))
    assert np.all(np.abs(orders - 2) < 0.25), orders


def test_resumed_run_gives_the_same_bits():
    scene, contact = sliding(velocity=(2, 0, 0)), dt.contact.IPC(friction=0.2)
    whole, _, _ = moved(scene, 0.01, 6, contact)
    other, _, _ = moved(scene, 0.02, 2, contact)
    other.restore(whole.snapshot())
    for k in range(7, 12):
        whole.step(k * 0.01)
        other.step(k * 0.01)
    for part in ("x", "R", "v", "omega"):
        assert np.array_equal(getattr(whole.bodies, part), getattr(other.bodies, part))
