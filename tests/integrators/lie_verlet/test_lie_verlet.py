"""What the scheme promises to the time loop: state, memory, refusals, errors."""

import numpy as np
import pytest

from dovetail.contact.law import ContactReport
from dovetail.errors import InputError, RunError
from dovetail.integrators import LieVerlet
from dovetail.model.joints import Revolute
from dovetail.model.scene import Scene
from rounding import ORTHOGONALITY, rounding


def busy_scene():
    """Bodies under every kind of load, a kinematic and a hinged one."""
    scene = Scene(gravity=(0, 0, -9.81))
    scene.add_body("a", mass=1, inertia=(0.1, 0.2, 0.25), angular_velocity=(1, 2, 3))
    scene.add_body("b", mass=2, inertia=(0.3, 0.2, 0.4), position=(1, 0, 0))
    scene.add_body("hand", motion="kinematic", angular_velocity=(0, 1, 0), position=(0, 2, 0))
    scene.add_body(
        "door", mass=1, inertia=(1, 2, 2.5), position=(3, 0, 0), fixed=[True] * 5 + [False]
    )
    scene.add_spring("ab", "a", "b", (0.1, 0, 0), (1, 0.2, 0), 50, 2)
    scene.add_spring("hb", "hand", "b", (0.5, 2, 0), (1, 0, 0), 20, 1)
    scene.add_spring("db", "door", "b", (3, 0.5, 0), (1, 0, 0), 20, 1)
    scene.add_force("thrust", "a", (1, 0, 0), (0, 0.1, 0), point=(0, 0.1, 0), frame="body")
    return scene


def with_drag(scene):
    def drag(t, state):
        v, w = state.velocity("a"), state.angular_velocity("a")
        return {"a": (-0.3 * np.linalg.norm(v) * v + [np.sin(t), 0, 0], -0.1 * w)}

    scene.add_load("drag", drag)
    return scene


@pytest.mark.parametrize("decorate", [lambda scene: scene, with_drag], ids=["kernel", "function"])
def test_restored_memory_continues_bit_for_bit(decorate):
    model = decorate(busy_scene()).build()
    one, two = LieVerlet().start(model, None), LieVerlet().start(model, None)
    for k in range(1, 40):
        one.step(k * 0.01)
    kept = {name: array.copy() for name, array in one.snapshot().items()}
    for k in range(40, 80):
        one.step(k * 0.01)
    two.step(0.2)  # somewhere else entirely
    two.restore(kept)
    assert two.bodies.t == 39 * 0.01
    for k in range(40, 80):
        two.step(k * 0.01)
    for name, array in one.snapshot().items():
        assert np.array_equal(array, two.snapshot()[name]), name


def test_memory_is_a_copy_that_later_steps_do_not_change():
    stepper = LieVerlet().start(busy_scene().build(), None)
    kept = stepper.snapshot()
    x = kept["x"].copy()
    stepper.step(0.1)
    assert np.array_equal(kept["x"], x)


def test_spin_too_fast_for_the_step_is_an_error_with_a_step_that_works():
    scene = Scene()
    scene.add_body("rotor", mass=1, inertia=(1, 2, 2.5), angular_velocity=(30, 400, 20))
    stepper = LieVerlet().start(scene.build(), None)
    before = stepper.bodies.copy()
    with pytest.raises(RunError, match=r"body 'rotor' spins at .* use a step of at most") as raised:
        stepper.step(0.1)
    assert raised.value.time == pytest.approx(0.1)
    assert np.array_equal(stepper.bodies.R, before.R) and stepper.bodies.t == 0.0
    advice = float(str(raised.value).split("at most ")[1].split(" s")[0])
    for k in range(1, 20):
        stepper.step(k * advice)


@pytest.mark.parametrize("turn", [0.5, 1.5, 2.5, 3.0])
def test_large_turns_in_a_step_are_solved_and_keep_the_momentum(turn):
    """Up to pi rad per step, for a body as lopsided as bodies get."""
    scene = Scene()
    omega = turn * np.array([0.5, 0.7, 0.5]) / np.linalg.norm([0.5, 0.7, 0.5])
    J = np.array([1.0, 1.9, 2.8])
    scene.add_body("body", mass=1, inertia=J, angular_velocity=omega)
    stepper = LieVerlet().start(scene.build(), None)
    assert stepper.step(1.0).residual <= 1e-13
    after = stepper.bodies
    assert np.allclose(after.R[0] @ (J * after.omega[0]), J * omega, rtol=0, atol=rounding(40, 9.0))


def test_force_that_never_settles_is_an_error_with_time_body_and_residual():
    scene = Scene()
    scene.add_body("ball", mass=1, inertia=(1, 1, 1))
    scene.add_body("shaker", mass=1, inertia=(1, 1, 1))
    sign = [1.0]

    def restless(t, state):
        sign[0] = -1.7 * sign[0] if abs(sign[0]) < 50 else 1.0
        return {"shaker": ((sign[0], 0, 0), (0, 0, 0))}

    scene.add_load("restless", restless)
    stepper = LieVerlet().start(scene.build(), None)
    with pytest.raises(
        RunError,
        match=r"at t = 0.1 s: forces on body 'shaker'.*relative residual [0-9.e+-]+, wanted",
    ):
        stepper.step(0.1)
    assert stepper.bodies.t == 0.0 and not stepper.bodies.x.any()


def test_force_that_switches_on_moves_a_body_at_rest():
    """Nothing moves and nothing pushes before t = 0.5 s, then 2 N on 1 kg."""
    scene = Scene()
    scene.add_body("ball", mass=1, inertia=(1, 1, 1))
    scene.add_load("late", lambda t, state: {"ball": ((2.0 * (t >= 0.5), 0, 0), (0, 0, 0))})
    stepper = LieVerlet().start(scene.build(), None)
    for k in range(1, 101):
        stepper.step(k / 100)
    # the step that ends at 0.5 s gets half the force: 50.5 steps of push
    assert stepper.bodies.v[0, 0] == pytest.approx(2.0 * 0.505, rel=1e-12)


def test_force_without_bound_is_an_error_not_a_nan():
    scene = Scene()
    scene.add_body("ball", mass=1e-90, inertia=(1, 1, 1))
    scene.add_force("push", "ball", (1e250, 0, 0))
    stepper = LieVerlet().start(scene.build(), None)
    with pytest.raises(RunError, match="body 'ball' has a position or velocity that is no finite"):
        stepper.step(1.0)
    assert np.isfinite(stepper.bodies.x).all()


def test_joints_are_refused_by_name():
    scene = Scene()
    scene.add_body("a", mass=1, inertia=(1, 1, 1))
    scene.add_joint("hinge", Revolute(point=(0, 0, 0), axis=(0, 0, 1)), "ground", "a")
    with pytest.raises(InputError, match=r"LieVerlet moves free bodies only.*'hinge'"):
        LieVerlet().start(scene.build(), None)


def test_body_without_extent_along_its_line_is_refused_unless_held():
    scene = Scene()
    scene.add_body("wire", mass=1, inertia=(1, 1, 1e-14))
    with pytest.raises(InputError, match="body 'wire' must have moments of inertia > 0"):
        LieVerlet().start(scene.build(), None)


class Ceiling:
    """A contact method of the force kind: a linear spring-damper above z = 1 m."""

    name, kind = "ceiling", "force"

    def prepare(self, model):
        return self

    def wrenches(self, state):
        force = np.zeros_like(state.x)
        depth = np.maximum(state.x[:, 2] - 1.0, 0.0)
        force[:, 2] = -depth * (100.0 + 5.0 * state.v[:, 2])
        return force, np.zeros_like(force)

    def report(self, state):
        return ContactReport(min_distance=float(1.0 - state.x[0, 2]))


def test_contact_forces_of_the_force_kind_act_and_are_observed():
    scene = Scene()
    scene.add_body("ball", mass=1, inertia=(1, 1, 1), velocity=(0, 0, 2))
    stepper = LieVerlet().start(scene.build(), Ceiling())
    for k in range(1, 151):
        stepper.step(k * 0.01)
    assert -2 < stepper.bodies.v[0, 2] < -1.5  # thrown back, with some loss
    assert stepper.observe().contact.min_distance == 1.0 - stepper.bodies.x[0, 2]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.nan, r"`wrenches` of contact method 'ceiling' must return finite numbers, got nan at"),
        (1e308, r"at t = 0.08 s: body 'ball' has a position or velocity"),  # v overflows
    ],
)
def test_contact_force_without_a_finite_motion_stops_the_run(value, message):
    class Broken(Ceiling):
        def wrenches(self, state):
            force = np.zeros_like(state.x)
            force[:, 0] = value if state.t > 0.05 else 0.0
            return force, np.zeros_like(force)

    scene = Scene()
    scene.add_body("ball", mass=1e-3, inertia=(1, 1, 1))
    stepper = LieVerlet().start(scene.build(), Broken())
    stepper.step(0.04)
    with pytest.raises(RunError, match=message):
        stepper.step(0.08)
    assert np.isfinite(stepper.bodies.x).all()


def test_contact_methods_of_another_kind_are_refused():
    class Hard(Ceiling):
        name, kind = "hard", "impulse"

    scene = Scene()
    scene.add_body("ball", mass=1, inertia=(1, 1, 1))
    with pytest.raises(InputError, match="LieVerlet takes a force law, but contact method 'hard'"):
        LieVerlet().start(scene.build(), Hard())


@pytest.mark.slow
def test_rotation_stays_orthogonal_for_a_million_steps():
    scene = Scene()
    scene.add_body("body", mass=1, inertia=(1, 2, 2.5), angular_velocity=(0.3, 2, 0.2))
    stepper = LieVerlet().start(scene.build(), None)
    for k in range(1, 1_000_001):
        stepper.step(k * 0.01)
    R = stepper.bodies.R[0]
    assert np.abs(R.T @ R - np.eye(3)).max() < ORTHOGONALITY
