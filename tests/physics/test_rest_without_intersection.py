"""What has come to rest under a barrier stays where it is, with friction as well."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import ImplicitEuler

STEP = 0.01


def stack(high):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((9, 9, 1)), motion="static", position=(0, 0, -0.5))
    for k in range(high):
        scene.add_body(
            f"cube {k}", dt.Box((1, 1, 1)), density=1000, position=(0, 0, 0.51 + 1.01 * k)
        )
    return scene


@pytest.mark.parametrize("high", [1, 3])
def test_a_dropped_stack_comes_to_rest_for_good(high):
    """Its friction settles in every step, and it creeps by less than the 1e-9 m/s we promise."""
    stepper = ImplicitEuler().start(stack(high).build(), dt.contact.IPC(friction=0.3))
    for k in range(100):
        stepper.step(STEP * (k + 1))
    for k in range(100, 150):
        report = stepper.step(STEP * (k + 1))
        assert report.iterations <= 1
        assert report.settled
        assert np.max(np.abs(stepper.bodies.v)) < 1e-9


def on_floor(*bodies, friction=0.3, fields=()):
    """Cubes of 1 m and 1000 kg on a floor; of each its place and velocity along x, by name."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    for name, x, v in bodies:
        scene.add_body(
            name, dt.Box((1, 1, 1)), density=1000, position=(x, 0, 0.5012), velocity=(v, 0, 0)
        )
    for add in fields:
        add(scene)
    return ImplicitEuler().start(scene.build(), dt.contact.IPC(friction=friction))


def steps(stepper, first, last):
    """The reports of the steps `first` to `last`."""
    return [stepper.step(STEP * (k + 1)) for k in range(first, last)]


def test_a_body_at_rest_sleeps_and_keeps_its_forces():
    stepper = on_floor(("cube", 0.0, 0.0))
    steps(stepper, 0, 100)
    x = stepper.bodies.x.copy()
    assert all(report.iterations == 0 and report.near for report in steps(stepper, 100, 120))
    np.testing.assert_array_equal(stepper.bodies.x, x)
    seen = stepper.observe().contact
    on_cube = np.where(seen.contacts.bodies[:, :1] == 1, 1, -1) * seen.contacts.forces
    np.testing.assert_allclose(on_cube.sum(axis=0), (0, 0, 9810), atol=1e-3)
    assert 0 < seen.min_distance < 1e-3 * np.sqrt(3)
    assert seen.energy > 0


def test_who_sleeps_is_woken_by_who_runs_into_it_and_momentum_is_kept():
    """The step of the impact is taken with both awake: not even it sees a wall."""
    stepper = on_floor(("rests", 0.0, 0.0), ("comes", 3.0, -2.0), friction=0.0)
    steps(stepper, 0, 80)
    assert stepper._solver.motion.asleep.tolist() == [0, 1, 0]
    p, struck = 1000 * stepper.bodies.v[:, 0].sum(), False
    for k in range(80, 160):
        stepper.step(STEP * (k + 1))
        assert 1000 * stepper.bodies.v[:, 0].sum() == pytest.approx(p, rel=1e-6)
        struck |= stepper.bodies.v[1, 0] < -0.5
    assert struck
    assert stepper._solver.motion.asleep.tolist() == [0, 0, 0]


def test_who_sleeps_is_woken_by_a_load_at_the_step_it_comes():
    def push(scene):
        def force(t, _):
            return {"cube": ((5000.0 if t > 1.495 else 0.0, 0.0, 0.0), (0.0, 0.0, 0.0))}

        scene.add_load("push", force)

    stepper = on_floor(("cube", 0.0, 0.0), fields=[push])
    steps(stepper, 0, 150)
    assert stepper._solver.motion.asleep.tolist() == [0, 1]
    assert stepper.bodies.v[1, 0] == 0.0
    stepper.step(1.51)
    assert stepper.bodies.v[1, 0] == pytest.approx((5.0 - 0.3 * 9.81) * STEP, rel=0.05)


def test_who_sleeps_is_woken_by_a_kinematic_body():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("cube", dt.Box((1, 1, 1)), density=1000, position=(0, 0, 0.5012))
    scene.add_body(
        "pusher", dt.Box((1, 1, 0.5)), motion="kinematic", position=(-1.8, 0, 0.5),
        velocity=(0.5, 0, 0),
    )  # fmt: skip
    stepper = ImplicitEuler().start(scene.build(), dt.contact.IPC(friction=0.3))
    steps(stepper, 0, 100)
    assert stepper._solver.motion.asleep[1] == 1
    steps(stepper, 100, 300)
    gap = stepper.bodies.x[1, 0] - stepper.bodies.x[2, 0] - 1.0
    assert 0 < gap < 2e-3
    assert stepper.bodies.v[1, 0] == pytest.approx(0.5, rel=1e-3)


def test_only_islands_at_rest_sleep():
    """One cube sleeps beside another that slides, which sleeps when it has come to rest."""
    on_ice = [lambda scene: scene.add_material_pair("slides", "floor", friction=0.0)]
    stepper = on_floor(("rests", 0.0, 0.0), ("slides", 4.0, 3.0), fields=on_ice)
    steps(stepper, 0, 60)
    assert stepper._solver.motion.asleep.tolist() == [0, 1, 0]
    assert stepper.bodies.v[2, 0] == pytest.approx(3.0, rel=1e-9)
    stepper = on_floor(("rests", 0.0, 0.0), ("slides", 4.0, 1.0))
    steps(stepper, 0, 150)
    assert stepper._solver.motion.asleep.tolist() == [0, 1, 1]


def test_a_run_with_bodies_asleep_repeats_to_the_bit_from_its_memory():
    bodies = (("rests", 0.0, 0.0), ("comes", 3.0, -4.0))
    first, second = on_floor(*bodies, friction=0.1), on_floor(*bodies, friction=0.1)
    steps(first, 0, 45)
    assert first._solver.motion.asleep.tolist() == [0, 1, 0]
    second.restore(first.snapshot())
    steps(first, 45, 120)
    steps(second, 45, 120)
    assert first.bodies.x[1, 0] < -0.1  # it was struck
    np.testing.assert_array_equal(first.bodies.x, second.bodies.x)
    np.testing.assert_array_equal(first.bodies.R, second.bodies.R)
    np.testing.assert_array_equal(
        first.observe().contact.contacts.forces, second.observe().contact.contacts.forces
    )


def test_a_top_without_a_shape_goes_on_turning():
    """Nothing loads it and it has no radius: it flies, and keeps its spin."""
    scene = dt.Scene()
    scene.add_body("top", mass=1, inertia=(2, 2, 2), angular_velocity=(0, 5, 0))
    result = dt.simulate(scene, 0.1, 0.001, integrator=ImplicitEuler(), progress=False)
    spin = np.linalg.norm(result.angular_velocity("top"), axis=1)
    assert spin == pytest.approx(np.full(101, 5.0), rel=1e-12)
