"""Steps with an impulse law from outside: what it is asked, and what its impulses do."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.law import ContactGeometry
from dovetail.integrators.stewart_trinkle.impulse_stepper import (
    ImpulseStepper,
    contact_jacobian,
    tangents,
)
from dovetail.linalg.lie import so3

H, G = 0.01, 9.81


class Asked:
    """Contacts and impulses as given; remembers what it was asked."""

    def __init__(self, contacts=None, impulses=None):
        self.given, self.answer, self.problem, self.reach = contacts, impulses, None, None

    def contacts(self, x, R, reach):
        self.reach = reach
        if self.given is None:
            none = np.zeros((0, 3))
            return ContactGeometry(np.zeros((0, 2), np.int32), none, none, np.zeros(0))
        return self.given

    def impulses(self, problem):
        self.problem = problem
        return self.answer


def two_bodies(**more):
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body(
        "top", dt.Box((1, 2, 3)), mass=2, inertia=np.diag([0.3, 0.4, 0.6]), position=(0, 1, 2),
        velocity=(1, 0, 0), angular_velocity=(0.3, -2, 1), **more,
    )  # fmt: skip
    scene.add_body("ball", dt.Sphere(0.5), mass=3, position=(1, 1, 2))
    return scene.build()


def momentum(stepper, model):
    """Angular momentum [N m s] of body 1 about its centre, world axes."""
    state = stepper.bodies
    return state.R[1] @ model.inertia[1] @ state.omega[1]


def test_without_contacts_bodies_fall_and_keep_their_angular_momentum():
    model = two_bodies()
    law = Asked()
    stepper = ImpulseStepper(model, law)
    before = momentum(stepper, model)
    report = stepper.step(H)
    state = stepper.bodies
    assert state.t == H and not report.near and law.problem is None
    assert state.v[1] == pytest.approx([1, 0, -G * H]) and state.v[2] == pytest.approx(
        [0, 0, -G * H]
    )
    assert state.x[1] == pytest.approx([H, 1, 2 - G * H**2 / 2], rel=1e-12)  # as bodies fall
    assert momentum(stepper, model) == pytest.approx(before, rel=1e-12)
    assert not state.v[0].any() and not state.x[0].any()
    radius = np.linalg.norm([0.5, 1, 1.5])
    speed = 1 + radius * np.linalg.norm([0.3, -2, 1])
    assert law.reach == pytest.approx([0, H * (speed + 2 * H * G), 2 * H * H * G])


def one_contact(gap=0.1):
    """Between top and ball, its normal not along an axis."""
    normal = np.array([0.48, 0.6, 0.64])
    point = np.array([[0.6, 1.2, 2.5]])
    return ContactGeometry(np.array([[1, 2]], np.int32), point, normal[None], np.array([gap]))


def test_impulses_act_on_both_bodies_at_the_point_and_are_recorded_as_forces():
    model, geometry = two_bodies(), one_contact()
    law = Asked(geometry, np.array([[0.5, 0.2, -0.3]]))
    stepper, free = ImpulseStepper(model, law), ImpulseStepper(model, Asked())
    stepper.step(H)
    free.step(H)
    n, (t1, t2) = geometry.normals[0], (row[0] for row in tangents(geometry.normals))
    p = 0.5 * n + 0.2 * t1 - 0.3 * t2
    after, before = stepper.bodies, free.bodies
    assert after.v[1] - before.v[1] == pytest.approx(p / 2)
    assert after.v[2] - before.v[2] == pytest.approx(-p / 3)
    for i in (1, 2):  # the velocity after the impulse, all of the step
        np.testing.assert_allclose(after.x[i], model.position[i] + H * after.v[i], rtol=1e-14)
    arm = geometry.points[0] - model.position[1]
    change = momentum(stepper, model) - momentum(free, model)
    assert change == pytest.approx(np.cross(arm, p), abs=1e-9)
    report = stepper.observe().contact
    assert report.contacts.forces[0] == pytest.approx(p / H)
    assert report.contacts.bodies.tolist() == [[1, 2]]
    u = np.concatenate([after.v, after.spin], axis=1)
    u[1, 3:] = np.linalg.solve(model.inertia[1], momentum(stepper, model))  # before it turned
    arms = [geometry.points[0] - model.position[i] for i in (1, 2)]
    rate = n @ (u[1, :3] + np.cross(u[1, 3:], arms[0]) - u[2, :3] - np.cross(u[2, 3:], arms[1]))
    assert report.min_distance == pytest.approx(0.1 + H * rate, rel=1e-12)


def test_the_problem_has_the_delassus_matrix_and_the_rates_before_and_after_loads():
    model, geometry = two_bodies(), one_contact()
    law = Asked(geometry, np.zeros((1, 3)))
    assert ImpulseStepper(model, law).step(H).near
    problem = law.problem
    arm, arms_ball = geometry.points[0] - model.position[1], geometry.points[0] - model.position[2]
    frame = np.stack([geometry.normals[0], *(row[0] for row in tangents(geometry.normals))])
    u = model.velocity[1] + np.cross(model.angular_velocity[1], arm)
    assert problem.rates_before == pytest.approx(frame @ u)
    W = np.zeros((3, 3))
    for i, r in ((1, arm), (2, arms_ball)):
        hat = so3.hat(r[None])[0]
        W += (
            frame
            @ (np.eye(3) / model.mass[i] - hat @ np.linalg.inv(model.inertia[i]) @ hat)
            @ frame.T
        )
    np.testing.assert_allclose(problem.W, W, rtol=1e-12)
    assert problem.h == H and problem.geometry is geometry
    assert problem.rates == pytest.approx(problem.rates_before)  # both fall alike


def test_a_body_that_may_turn_about_one_axis_answers_about_it_only():
    model = two_bodies(fixed=(False, False, False, True, True, False))
    stepper = ImpulseStepper(model, Asked(one_contact(), np.array([[1.0, 0, 0]])))
    assert stepper.bodies.omega[1] == pytest.approx([0, 0, 1.0])
    stepper.step(H)
    arm, p = one_contact().points[0] - model.position[1], one_contact().normals[0]
    assert stepper.bodies.spin[1] == pytest.approx([0, 0, 1.0 + np.cross(arm, p)[2] / 0.6])


def test_kinematic_bodies_push_with_their_mean_velocity_and_stay_on_their_way():
    scene = dt.Scene()
    scene.add_body("sled", dt.Box((1, 1, 1)), motion="kinematic", velocity=(2, 0, 0),
                   angular_velocity=(0, 0, 0.5))  # fmt: skip
    scene.add_body("ball", dt.Sphere(0.5), mass=3, position=(1, 0, 0))
    geometry = ContactGeometry(
        np.array([[1, 0]], np.int32),
        np.array([[0.5, 0.2, 0]]),
        np.array([[1.0, 0, 0]]),
        np.zeros(1),
    )
    law = Asked(geometry, np.array([[6.0, 0, 0]]))
    stepper = ImpulseStepper(scene.build(), law)
    stepper.step(H)
    assert law.problem.rates_before[0] == pytest.approx(-(2 - 0.5 * 0.2))
    state = stepper.bodies
    assert state.x[0] == pytest.approx([2 * H, 0, 0]) and state.v[1] == pytest.approx([2, 0, 0])
    assert so3.log(state.R[0]) == pytest.approx([0, 0, 0.5 * H])
    assert state.v[0] == pytest.approx([2, 0, 0]) and state.omega[0] == pytest.approx([0, 0, 0.5])


def test_too_fast_a_body_ends_the_run_with_its_name():
    law = Asked(one_contact(), np.array([[1e6, 0, 0]]))
    with pytest.raises(dt.RunError, match=r"body '(top|ball)' moves or spins too fast for a step"):
        ImpulseStepper(two_bodies(), law).step(H)


class Counting(Asked):
    """A law with a history."""

    count = 0

    def snapshot(self):
        return {"count": np.array(self.count)}

    def restore(self, snapshot):
        self.count = int(snapshot["count"])


def test_a_restored_stepper_goes_on_to_the_bit():
    impulses = np.array([[0.5, 0.2, -0.3]])
    laws = [Counting(one_contact(), impulses) for _ in range(2)]
    first, second = (ImpulseStepper(two_bodies(), law) for law in laws)
    first.step(H)
    laws[0].count = 7
    second.restore(first.snapshot())
    assert laws[1].count == 7
    kept, known = second.observe().contact, first.observe().contact
    assert np.array_equal(kept.contacts.forces, known.contacts.forces)
    assert kept.min_distance == known.min_distance
    for stepper in (first, second):
        stepper.step(2 * H)
    for name in ("x", "R", "v", "omega"):
        assert np.array_equal(getattr(first.bodies, name), getattr(second.bodies, name))
    assert first.bodies.t == second.bodies.t == 2 * H


def test_a_state_that_is_set_has_no_contacts():
    model = two_bodies(fixed=(True, False, False, False, False, False))
    stepper = ImpulseStepper(model, Asked(one_contact(), np.zeros((1, 3))))
    stepper.step(H)
    state = stepper.bodies.copy()
    state.t, state.x[1], state.v[1] = 3.0, (7, 8, 9), (1, 2, 3)
    stepper.set_state(state, {})
    assert stepper.bodies.t == 3.0 and stepper.bodies.x[1].tolist() == [7, 8, 9]
    assert stepper.bodies.v[1].tolist() == [0, 2, 3]  # x is held
    assert stepper.observe().contact.min_distance == np.inf


def test_tangents_are_across_the_normal_and_each_other():
    normals = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0.48, 0.6, 0.64]])
    first, second = tangents(normals)
    for n, a, b in zip(normals, first, second):
        frame = np.stack([n, a, b])
        assert frame @ frame.T == pytest.approx(np.eye(3))
        assert np.linalg.det(frame) == pytest.approx(1.0)
    assert tangents(np.zeros((0, 3)))[0].shape == (0, 3)


def test_the_jacobian_gives_the_velocity_of_a_relative_to_b_at_the_point():
    rng = np.random.default_rng(3)
    x, u = rng.normal(size=(3, 3)), rng.normal(size=(3, 6))
    normals = rng.normal(size=(2, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    bodies, points = np.array([[2, 0], [1, 2]], np.int32), rng.normal(size=(2, 3))
    J = contact_jacobian(ContactGeometry(bodies, points, normals, np.zeros(2)), x)
    rates = (J.reshape(6, -1) @ u.ravel()).reshape(2, 3)
    frames = np.stack([normals, *tangents(normals)], axis=1)
    for k, (a, b) in enumerate(bodies):
        at = [u[i, :3] + np.cross(u[i, 3:], points[k] - x[i]) for i in (a, b)]
        assert rates[k] == pytest.approx(frames[k] @ (at[0] - at[1]))
