"""Implicit Euler with a potential from outside: its step, its path and what it keeps."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.law import ContactReport
from dovetail.integrators.shared.potential_newton import largest_displacement
from dovetail.integrators.shared.potential_stepper import PotentialStepper, orthogonalised
from dovetail.linalg.lie import so3

H = 0.1


class Pull:
    """k |x - a|^2 / 2 of body 1 from the point a; nothing else acts between bodies."""

    def __init__(self, k=30.0, a=(0.0, 0.0, 0.0), n=2):
        self.k, self.a, self.n = k, np.array(a), n

    def value(self, x, R):
        return 0.5 * self.k * float(np.sum((x[1] - self.a) ** 2))

    def gradient(self, x, R):
        g = np.zeros((self.n, 6))
        g[1, :3] = self.k * (x[1] - self.a)
        return g

    def hessian(self, x, R):
        H = np.zeros((self.n, 6, self.n, 6))
        H[1, :3, 1, :3] = self.k * np.eye(3)
        return H

    def report(self, x, R):
        return ContactReport(energy=self.value(x, R))


def a_model(**more):
    scene = dt.Scene()
    scene.add_body("sled", dt.Box((1, 1, 1)), motion="kinematic", velocity=(0.5, 0, 0))
    scene.add_body(
        "ball", dt.Sphere(0.5), mass=2, position=(3, 1, 0), velocity=(1, 0, 2),
        angular_velocity=(0, 0, 0.7), **more,
    )  # fmt: skip
    return scene.build()


def test_a_step_on_a_spring_is_that_of_implicit_euler():
    """v' = (v - h k x / m) / (1 + h^2 k / m) and x' = x + h v'."""
    stepper = PotentialStepper(a_model(), Pull())
    report = stepper.step(H)
    state = stepper.bodies
    v = (np.array([1.0, 0, 2]) - H * 30 / 2 * np.array([3.0, 1, 0])) / (1 + H * H * 30 / 2)
    assert state.v[1] == pytest.approx(v) and state.x[1] == pytest.approx([3, 1, 0] + H * v)
    assert state.t == H and report.iterations >= 1 and report.residual < 1e-6
    assert state.x[0] == pytest.approx([0.5 * H, 0, 0]) and state.v[0] == pytest.approx([0.5, 0, 0])
    assert state.omega[1] == pytest.approx([0, 0, 0.7], rel=0.02)
    assert so3.log(state.R[1]) == pytest.approx(H * state.omega[1])
    assert stepper.observe().contact.energy == pytest.approx(15 * np.sum(state.x[1] ** 2))
    assert stepper.waypoints()[0].shape == (0, 2, 3)
    assert stepper.waypoints()[1].shape == (0, 2, 3, 3)


def test_the_report_has_the_speed_of_the_last_correction(monkeypatch):
    monkeypatch.setattr("dovetail.integrators.shared.potential_stepper.TOLERANCE", 1e3)
    stepper = PotentialStepper(a_model(), Pull())
    before = stepper.bodies.copy()
    report = stepper.step(H)  # the first iteration will do: it is the whole step
    twist = np.zeros((2, 6))
    twist[1, :3] = stepper.bodies.x[1] - before.x[1]
    twist[1, 3:] = so3.log(stepper.bodies.R[1])
    radius = np.array([0.0, 0.5])
    assert report.iterations == 1
    assert report.residual == pytest.approx(largest_displacement(twist, radius) / H, rel=0.05)


def test_a_wall_in_the_way_of_a_kinematic_body_is_an_error_with_the_step():
    class Wall(Pull):
        def value(self, x, R):
            return np.inf if x[0, 0] > 0.04 else super().value(x, R)

    with pytest.raises(dt.RunError, match=r"t = 0.1 s: kinematic bodies run .* than 0.1 s"):
        PotentialStepper(a_model(), Wall()).step(H)


def test_a_step_that_does_not_converge_says_how_far_it_is(monkeypatch):
    monkeypatch.setattr("dovetail.integrators.shared.potential_stepper.MAX_ITERATIONS", 1)
    with pytest.raises(dt.RunError, match=r"in 1 Newton iterations: a point would still move by"):
        PotentialStepper(a_model(), Pull()).step(H)


class Bounded(Pull):
    """Allows every displacement, or only short ones."""

    longest = np.inf

    def collision_free_step_size(self, x, R, displacement):
        far = largest_displacement(displacement, np.full(2, 0.5))
        return 1.0 if far <= self.longest else self.longest / far


def test_a_path_that_is_not_free_has_the_iterates_as_waypoints():
    free = PotentialStepper(a_model(), Bounded())
    free.step(H)
    assert len(free.waypoints()[0]) == 0
    law = Bounded()
    law.longest = 0.1
    bound = PotentialStepper(a_model(), law)
    start = bound.bodies.copy()
    bound.step(H)
    x, R = bound.waypoints()
    assert len(x) >= 3 and x.shape[1:] == (2, 3) and R.shape[1:] == (2, 3, 3)
    way = np.linalg.norm(np.diff([start.x[1], *x[:, 1], bound.bodies.x[1]], axis=0), axis=1)
    assert way.max() <= 0.1 and bound.bodies.x[1] == pytest.approx(free.bodies.x[1], abs=1e-8)
    assert not bound.is_path_collision_free(start.x, start.R)
    assert bound.is_path_collision_free(bound.bodies.x, bound.bodies.R)
    turned = bound.bodies.copy()
    turned.R[1] = so3.exp([0.3, 0, 0]) @ turned.R[1]  # 0.15 m at the radius
    assert not bound.is_path_collision_free(turned.x, turned.R)
    assert PotentialStepper(a_model(), Pull()).is_path_collision_free(start.x + 9.0, start.R)


def test_a_state_that_is_set_goes_on_from_there_with_its_rotation():
    law = Bounded()
    law.longest = 0.1
    stepper = PotentialStepper(a_model(fixed=(False, True, False, False, False, False)), law)
    stepper.step(H)
    state = stepper.bodies.copy()
    state.t, state.x[1], state.v[1], state.omega[1] = 2.0, (0, 0, 0), (0, 5, 0), (0, 0, 3.0)
    stepper.set_state(state, {})
    assert stepper.bodies.v[1].tolist() == [0, 0, 0]  # y is held
    assert len(stepper.waypoints()[0]) == 0 and stepper.bodies.t == 2.0
    law.longest = np.inf
    stepper.step(2.0 + 0.01)
    assert stepper.bodies.omega[1] == pytest.approx([0, 0, 3.0], rel=0.02)


class Counting(Pull):
    count = 0

    def snapshot(self):
        return {"count": np.array(self.count)}

    def restore(self, snapshot):
        self.count = int(snapshot["count"])

    def begin_step(self, state, h):
        self.count += 1
        self.began = state.t, h


def test_a_restored_stepper_goes_on_to_the_bit_with_the_history_of_its_law():
    first, second = Counting(), Counting()
    one, other = PotentialStepper(a_model(), first), PotentialStepper(a_model(), second)
    one.step(H)
    one.step(2 * H)
    assert first.count == 2 and first.began == (H, pytest.approx(H))
    other.restore(one.snapshot())
    assert second.count == 2
    one.step(3 * H)
    other.step(3 * H)
    for name in ("x", "R", "v", "omega"):
        assert np.array_equal(getattr(one.bodies, name), getattr(other.bodies, name))
    assert other.bodies.t == 3 * H


def test_a_matrix_that_is_nearly_a_rotation_becomes_one_to_second_order():
    R = so3.exp(np.array([[0.3, -0.2, 0.5]]))
    skewed = R + 1e-5 * np.arange(9.0).reshape(1, 3, 3)
    found = orthogonalised(skewed)
    error = np.abs(found.transpose(0, 2, 1) @ found - np.eye(3)).max()
    assert error < 10 * np.abs(skewed - R).max() ** 2
