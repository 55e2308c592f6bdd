"""One run of BarrierVerlet: reactions at rest, impacts, snapshots, states that are set."""

import math
import warnings

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import BarrierVerlet
from dovetail.linalg.lie import so3
from dovetail.multibody.state import initial_state
from live_scenes import arm_and_box, resting_box

G, H, MASS = 9.81, 4e-3, 2.0
WEIGHT = MASS * G


def stepper_of(scene, friction=0.3, restitution=0.0, contact=True):
    model = scene.build()
    method = dt.contact.IPC(friction=friction, restitution=restitution) if contact else None
    return BarrierVerlet().start(model, method)


def stepped(stepper, count, h=H):
    t = stepper.bodies.t
    for k in range(1, count + 1):
        stepper.step(t + k * h)
    return stepper


def test_a_box_at_rest_is_carried_by_the_floor_and_stays_where_it_is():
    stepper = stepped(stepper_of(resting_box(mass=MASS)), 40)
    height = stepper.bodies.x[1, 2]
    stepped(stepper, 5)
    report = stepper.observe().contact
    record = report.contacts
    signs = np.where(record.bodies[:, :1] == 1, 1.0, -1.0)
    assert (signs * record.forces).sum(axis=0) == pytest.approx([0, 0, WEIGHT], abs=1e-6 * WEIGHT)
    assert stepper.bodies.x[1, 2] == pytest.approx(height, abs=1e-9)
    assert np.abs(stepper.bodies.v[1]).max() < 1e-9
    assert report.min_distance == record.gaps.min() and 0.0 < report.min_distance < 1e-3
    assert np.abs(record.normals[:, 2]) == pytest.approx(1.0) and report.energy == 0.0


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_a_ball_bounces_with_its_coefficient_of_restitution(restitution):
    """Without gravity a speed of 1 m/s towards the floor becomes e m/s away from it."""
    scene = dt.Scene()
    scene.add_body("floor", dt.Box((4, 4, 0.2)), motion="static", position=(0, 0, -0.1))
    scene.add_body("box", dt.Box((0.2, 0.2, 0.2)), mass=MASS, position=(0, 0, 0.11),
                   velocity=(0, 0, -1.0))  # fmt: skip
    stepper = stepped(stepper_of(scene, 0.0, restitution), 6)
    assert stepper.bodies.v[1, 2] == pytest.approx(restitution, abs=1e-6)
    assert stepper.bodies.x[1, 2] > 0.1


@pytest.mark.parametrize("make", [lambda: resting_box(gap=0.02), arm_and_box], ids=["box", "arm"])
def test_another_stepper_with_the_same_snapshot_goes_on_bit_for_bit(make):
    first, other = stepper_of(make(), restitution=0.4), stepper_of(make(), restitution=0.4)
    stepped(first, 17)
    kept = first.snapshot()
    other.restore({name: np.array(value) for name, value in kept.items()})
    again = other.snapshot()
    assert again.keys() == kept.keys()
    for name, value in kept.items():
        np.testing.assert_array_equal(again[name], value, err_msg=name)
    for _ in range(6):
        stepped(first, 1)
        stepped(other, 1)
        for name, value in first.snapshot().items():
            np.testing.assert_array_equal(other.snapshot()[name], value, err_msg=name)
    mine, theirs = other.observe().contact.contacts, first.observe().contact.contacts
    for name in ("bodies", "points", "normals", "forces", "gaps"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))


def test_a_snapshot_does_not_change_with_the_stepper():
    stepper = stepped(stepper_of(arm_and_box()), 3)
    kept = stepper.snapshot()
    before = {name: value.copy() for name, value in kept.items()}
    stepped(stepper, 3)
    for name, value in before.items():
        np.testing.assert_array_equal(kept[name], value, err_msg=name)


def test_the_time_in_which_a_scene_changes_is_that_of_loads_or_of_speeds():
    """Size over speed, or sqrt(size / acceleration), whichever is shorter."""
    radius = math.sqrt(3) * 0.1
    for velocity, gravity, expected in (
        ((0, 0, 0), G, math.sqrt(radius / G)),
        ((0, 0, 50.0), G, radius / 50.0),
        ((0, 0, 0.5), 0.0, radius / 0.5),
        ((0, 0, 0.01), 0.0, radius / 0.01),
        ((0, 0, 0), 0.0, 1.0),
    ):
        scene = dt.Scene(gravity=(0, 0, -gravity))
        scene.add_body("box", dt.Box((0.2, 0.2, 0.2)), mass=MASS, velocity=velocity)
        stepper = stepper_of(scene)
        assert stepper._time_scale() == pytest.approx(expected, rel=1e-9)


def hanging(contact):
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("bob", dt.Box((0.2, 0.2, 0.2)), mass=MASS, position=(0, 0, -1))
    scene.add_joint("pin", dt.Revolute((0, 0, 0), (0, 1, 0)), "ground", "bob")
    return stepper_of(scene, contact=contact)


@pytest.mark.parametrize("contact", [True, False])
def test_a_joint_carries_the_weight_from_before_the_first_step_on(contact):
    stepper = hanging(contact)
    for count in (0, 1, 3):
        stepped(stepper, count)
        force, torque = stepper.observe().joint_wrenches()
        assert force[0] == pytest.approx([0, 0, WEIGHT], abs=1e-7 * WEIGHT)
        assert np.abs(torque[0]).max() < 1e-7 * WEIGHT
    assert stepper.observe().constraint_position < 1e-12
    assert stepper.observe().contact.contacts.gaps.tolist() == []


def test_a_top_on_a_ball_joint_is_followed_to_second_order():
    """Half the step, a quarter of the error; the fourfold resolved run is the reference."""

    def end(h):
        scene = dt.Scene(gravity=(0, 0, -G))
        scene.add_body(
            "top", dt.Box((0.1, 0.2, 0.4)), mass=MASS, position=(0.15, 0, 0.2),
            rotation=so3.exp([0, 0.6, 0.2]), velocity=(0.2, 0.8, -0.15),
            angular_velocity=(-4, 1, 3),
        )  # fmt: skip
        scene.add_joint("tip", dt.Spherical((0, 0, 0)), "ground", "top")
        stepper = stepper_of(scene, contact=False)
        stepped(stepper, round(0.16 / h), h)
        return stepper.bodies.x[0].copy(), stepper.bodies.R[0].copy()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # velocities that are fitted to the joint
        coarse, fine, exact = end(8e-3), end(4e-3), end(5e-4)
    for k in range(2):
        errors = [np.abs(one[k] - exact[k]).max() for one in (coarse, fine)]
        assert 3.3 < errors[0] / errors[1] < 4.9


def test_a_state_that_is_set_forgets_what_happened_before():
    """The stepper goes on as one that starts there: no reaction is expected of the next step."""
    other = resting_box(gap=0.03)
    fresh = stepper_of(other)
    used = stepped(stepper_of(resting_box(gap=1e-4)), 25)
    state = initial_state(other.build())
    state.t = used.bodies.t
    used.set_state(state, {})
    for _ in range(12):
        stepped(fresh, 1)
        stepped(used, 1)
    np.testing.assert_allclose(used.bodies.x, fresh.bodies.x, rtol=0, atol=1e-9)
    np.testing.assert_allclose(used.bodies.v, fresh.bodies.v, rtol=0, atol=1e-7)


def test_other_potentials_are_refused():
    class Potential:
        name, kind = "own", "potential"

        def prepare(self, model):
            return self

        def value(self, x, R):
            return 0.0

        gradient = hessian = report = value

    with pytest.raises(dt.InputError, match="steps the barriers of IPC only"):
        BarrierVerlet().start(resting_box().build(), Potential())
    assert repr(BarrierVerlet()) == "BarrierVerlet()"
