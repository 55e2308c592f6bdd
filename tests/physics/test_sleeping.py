"""Bodies at rest that sleep under the impulse method, and what wakes them."""

import numpy as np
import pytest

import dovetail as dt

G, H = 9.81, 0.005


def tower(n=3, **more):
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    for k in range(n):
        scene.add_body(f"box{k}", dt.Box((0.2, 0.2, 0.2)), mass=1, position=(0, 0, 0.1 + 0.2 * k))
    for name, given in more.items():
        scene.add_body(name, **given)
    return scene


def stepper_of(scene, sleep=True, **law):
    law = dt.contact.LCP(friction=0.5, sleep=sleep, **law)
    return dt.integrators.StewartTrinkle().start(scene.build(), law)


def advance(stepper, t, steps):
    for k in range(1, steps + 1):
        stepper.step(t + k * H)
    return t + steps * H


def test_tower_at_rest_falls_asleep_and_its_contacts_still_carry_its_weight():
    stepper = stepper_of(tower())
    t = advance(stepper, 0.0, 200)
    assert stepper._sleeping.asleep.tolist() == [False, True, True, True]
    assert stepper.step(t + H).iterations == 0
    contacts = stepper.observe().contact.contacts
    on_floor = (contacts.bodies == 0).any(axis=1)
    assert abs(contacts.forces[on_floor, 2].sum()) == pytest.approx(3 * G, rel=1e-6)
    assert not stepper.bodies.v.any()


BALL = {"shape": dt.Sphere(0.1), "mass": 2, "position": (-5, 0, 0.45), "velocity": (4, 0, 5.93)}
"""Meets the top of the tower from the side after 1.17 s."""


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_ball_that_hits_a_sleeping_tower_moves_it_as_if_it_had_never_slept(restitution):
    """Solved to 1e-9 m/s: a sliding box with four corners makes 1e5 times that of any error."""
    ends = []
    for sleep in (True, False):
        stepper = stepper_of(tower(ball=BALL), sleep, restitution=restitution, tolerance=1e-9)
        advance(stepper, 0.0, 230)
        assert stepper._sleeping.asleep.any() == sleep
        advance(stepper, 230 * H, 20)
        ends.append(np.concatenate([stepper.bodies.x, stepper.bodies.v]))
    assert ends[0][3, 0] > 0.05  # the top box was hit
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-4)


def test_load_that_changes_wakes_a_body():
    scene = tower(1)
    scene.add_load("pull", lambda t, state: {"box0": ((20.0 * (t > 1), 0, 0), (0, 0, 0))})
    stepper = stepper_of(scene)
    t = advance(stepper, 0.0, 195)
    assert stepper._sleeping.asleep[1]
    advance(stepper, t, 30)
    assert stepper.bodies.v[1, 0] > 0.5


def test_belt_that_starts_to_move_takes_a_sleeping_block_along():
    scene = dt.Scene(gravity=(0, 0, -G))
    times = np.array([0.0, 1.0, 1.5])
    places = np.array([[0, 0, -0.1], [0, 0, -0.1], [0.3, 0, -0.1]])
    scene.add_body("belt", dt.Box((4, 1, 0.2)), motion="kinematic", position=(0, 0, -0.1),
                   trajectory=dt.PoseTable(times, places))  # fmt: skip
    scene.add_body("block", dt.Box((0.2, 0.2, 0.2)), mass=1, position=(0, 0, 0.1))
    stepper = stepper_of(scene)
    t = advance(stepper, 0.0, 199)
    assert stepper._sleeping.asleep[1]
    advance(stepper, t, 100)
    slip = 0.6**2 / (2 * 0.5 * G)  # while it is slower than the belt
    assert stepper.bodies.x[1, 0] == pytest.approx(0.3 - slip, abs=0.6 * H)


def test_run_that_is_split_while_bodies_sleep_moves_bit_for_bit_alike():
    scene = tower(ball=BALL)
    whole, part = stepper_of(scene), stepper_of(scene)
    for k in range(1, 261):
        whole.step(k * H)
    for k in range(1, 201):
        part.step(k * H)
    assert part._sleeping.asleep.any()
    other = stepper_of(scene)
    other.restore(part.snapshot())
    for k in range(201, 261):
        other.step(k * H)
    for name in ("x", "R", "v", "omega"):
        np.testing.assert_array_equal(getattr(other.bodies, name), getattr(whole.bodies, name))


def test_nothing_sleeps_without_loads_or_in_motion():
    scene = dt.Scene()
    for k in range(2):
        scene.add_body(f"box{k}", dt.Box((1, 1, 1)), mass=1, position=(k, 0, 0))
    stepper = stepper_of(scene)
    advance(stepper, 0.0, 100)
    assert not stepper._sleeping.asleep.any()
    scene = tower(0)
    scene.add_body("ball", dt.Sphere(0.1), mass=1, position=(0, 0, 0.1), velocity=(0.05, 0, 0),
                   angular_velocity=(0, 0.5, 0))  # fmt: skip
    stepper = stepper_of(scene)
    advance(stepper, 0.0, 400)
    assert stepper.bodies.x[1, 0] == pytest.approx(0.05 * 400 * H, rel=1e-6)
