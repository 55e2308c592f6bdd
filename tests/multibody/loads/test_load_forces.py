"""Wrenches of gravity and loads, and what a function may return."""

import numpy as np
import pytest

from dovetail.errors import RunError
from dovetail.linalg.lie import so3
from dovetail.model.scene import Scene
from dovetail.multibody.energy import kinetic_energy, potential_energy
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.momentum import angular_momentum, linear_momentum
from dovetail.multibody.state import BodyState, initial_state


def random_state(model, rng):
    n = model.n_bodies
    return BodyState(
        0.3,
        rng.standard_normal((n, 3)),
        so3.exp(rng.standard_normal((n, 3))),
        rng.standard_normal((n, 3)),
        rng.standard_normal((n, 3)),
    )


def moved(state, i, shift, turn):
    """The state with body i shifted [m] and turned about its centre (world axes) [rad]."""
    other = state.copy()
    other.x[i] += shift
    other.R[i] = so3.exp(turn) @ other.R[i]
    return other


def two_bodies(**more):
    scene = Scene(**more)
    scene.add_body("a", mass=1.5, inertia=(0.1, 0.2, 0.25), position=(1, 0, 0))
    scene.add_body("b", mass=2.5, inertia=(0.3, 0.2, 0.4), position=(0, 2, 0))
    return scene


def test_wrenches_are_the_negative_gradient_of_the_potential():
    """Gravity, a world force at a point and springs, by central differences in all directions."""
    scene = two_bodies(gravity=(1, -2, -9.81))
    scene.add_force("push", "a", force=(3, 4, 5), point=(1.2, -0.3, 0.1))
    scene.add_force("pull", "b", force=(-1, 2, 0))
    scene.add_spring("ab", "a", "b", (1.1, 0.1, 0), (0, 2, 0.3), stiffness=40, rest_length=0.7)
    scene.add_spring("g", "ground", "b", (0, 0, 1), (0.2, 2, 0), stiffness=25)
    model = scene.build()
    loads, rng, d = LoadForces(model), np.random.default_rng(1), 1e-5
    state = random_state(model, rng)
    force, torque = loads.wrenches(state)
    for i in range(2):
        for k, axis in enumerate(np.eye(3)):
            for found, shift, turn in ((force, d * axis, 0 * axis), (torque, 0 * axis, d * axis)):
                rise = potential_energy(model, moved(state, i, shift, turn))
                rise -= potential_energy(model, moved(state, i, -shift, -turn))
                # central differences: truncation d^2 |V'''| / 6, round-off EPS |V| / d
                assert abs(found[i, k] + rise / (2 * d)) < 1e-7


def test_internal_forces_add_no_momentum_to_a_pair():
    scene = two_bodies()
    scene.add_spring("ab", "a", "b", (1.1, 0.1, 0), (0, 2, 0.3), stiffness=40, damping=7)
    model = scene.build()
    state = random_state(model, np.random.default_rng(2))
    force, torque = LoadForces(model).wrenches(state)
    assert np.abs(force[0]).max() > 1
    assert np.abs(force.sum(axis=0)).max() < 1e-13
    about_origin = torque + np.cross(state.x, force)
    assert np.abs(about_origin.sum(axis=0)).max() < 1e-12


def test_damper_takes_power_c_times_the_square_of_its_lengthening():
    scene = two_bodies()
    scene.add_spring("ab", "a", "b", (1.1, 0.1, 0), (0, 2, 0.3), damping=7)
    model = scene.build()
    state = random_state(model, np.random.default_rng(3))
    force, torque = LoadForces(model).wrenches(state)
    power = np.sum(force * state.v) + np.sum(torque * state.spin)

    def length(t):
        ends = []
        start = initial_state(model)
        for i, point in ((0, (1.1, 0.1, 0)), (1, (0, 2, 0.3))):
            R = so3.exp(t * state.spin[i]) @ state.R[i]
            ends.append(state.x[i] + t * state.v[i] + R @ (np.array(point) - start.x[i]))
        return np.linalg.norm(ends[0] - ends[1])

    rate = (length(1e-6) - length(-1e-6)) / 2e-6
    assert power == pytest.approx(-7 * rate**2, rel=1e-8)


def test_spring_whose_ends_meet_has_no_force_and_no_nan():
    scene = two_bodies()
    scene.add_spring("ab", "a", "b", (1, 0, 0), (0, 2, 0), 40, 3, rest_length=0.5)
    model = scene.build()
    state = initial_state(model)
    state.x[1] = state.x[0]
    force, torque = LoadForces(model).wrenches(state)
    assert not force.any() and not torque.any()
    assert potential_energy(model, state) == pytest.approx(40 * 0.5**2 / 2)


def test_loads_in_body_axes_turn_with_the_body():
    scene = two_bodies()
    scene.add_force("t", "a", (1, 0, 0), (0, 0, 2), point=(1, 0.5, 0), frame="body")
    model = scene.build()
    state = random_state(model, np.random.default_rng(4))
    force, torque = LoadForces(model).wrenches(state)
    assert np.allclose(force[0], state.R[0] @ [1, 0, 0])
    assert np.allclose(torque[0], state.R[0] @ [0, 0, 2 - 0.5])


def test_points_are_where_the_scene_puts_them_on_a_body_that_starts_turned():
    """At the start the arm of every load is its world point minus the centre of mass."""
    scene = Scene()
    x, p, F = np.array([1.0, 2, 3]), np.array([1.5, 1.0, 3.2]), np.array([3.0, -1, 2])
    R = so3.exp([0.4, -0.7, 1.1])
    scene.add_body("a", mass=1, inertia=(1, 1, 1), position=x, rotation=R)
    scene.add_force("push", "a", force=F, point=p)
    scene.add_force("jet", "a", force=R.T @ F, point=p, frame="body")
    scene.add_spring("s", "ground", "a", p + F, p, stiffness=1.0, rest_length=0.0)
    model = scene.build()
    force, torque = LoadForces(model).wrenches(initial_state(model))
    assert np.allclose(force[0], 3 * F, atol=1e-14)
    assert np.allclose(torque[0], 3 * np.cross(p - x, F), atol=1e-13)


def test_only_dynamic_bodies_count_in_energy_and_momentum():
    scene = two_bodies(gravity=(0, 0, -10))
    scene.add_body("wall", motion="static", mass=100, inertia=(1, 1, 1), position=(0, 0, 5))
    scene.add_body("hand", motion="kinematic", mass=9, inertia=(1, 1, 1), velocity=(1, 1, 1))
    scene.add_force("push", "hand", (1, 1, 1))
    model = scene.build()
    state = random_state(model, np.random.default_rng(5))
    pair = two_bodies(gravity=(0, 0, -10)).build()
    alone = BodyState(0.3, state.x[:2], state.R[:2], state.v[:2], state.omega[:2])
    assert kinetic_energy(model, state) == pytest.approx(kinetic_energy(pair, alone))
    assert potential_energy(model, state) == pytest.approx(potential_energy(pair, alone))
    assert np.allclose(linear_momentum(model, state), linear_momentum(pair, alone))
    assert np.allclose(angular_momentum(model, state), angular_momentum(pair, alone))


def test_energy_and_momentum_are_those_of_the_points_of_the_body():
    """Eight point masses at the corners of a box, moved as one body."""
    scene, rng = Scene(), np.random.default_rng(6)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-2, 2) for z in (-0.5, 0.5)])
    r2 = np.sum(corners**2, axis=1)
    J = sum(s * np.eye(3) - np.outer(c, c) for s, c in zip(r2, corners))
    scene.add_body("box", mass=8, inertia=J)
    model = scene.build()
    state = random_state(model, rng)
    arms = corners @ state.R[0].T
    v = state.v[0] + np.cross(state.spin[0], arms)
    x = state.x[0] + arms
    assert kinetic_energy(model, state) == pytest.approx(0.5 * np.sum(v**2))
    assert np.allclose(linear_momentum(model, state), v.sum(axis=0))
    assert np.allclose(angular_momentum(model, state), np.cross(x, v).sum(axis=0))


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ({"c": ((0, 0, 0), (0, 0, 0))}, r"names body 'c', which is not in the scene \(it has: a"),
        ({"a": ((0, 0), (0, 0, 0))}, r"must return \(force, torque\) for body 'a', three finite"),
        ({"a": ((0, 0, np.nan), (0, 0, 0))}, r"for body 'a', three finite numbers in N"),
        ({"a": (0, 0, 0)}, r"for body 'a', three finite numbers in N"),
        ({"a": "force"}, r"for body 'a', three finite numbers in N"),
        ({7: ((0, 0, 0), (0, 0, 0))}, r"names body 7, which is not in the scene"),
        (None, r"must return a dict \{body: \(force, torque\)\}, got None"),
    ],
)
def test_function_that_returns_nonsense_is_named_with_its_time(answer, sentence):
    scene = two_bodies()
    scene.add_load("wind", lambda t, state: answer)
    model = scene.build()
    state = initial_state(model)
    state.t = 0.25
    opening = r"at t = 0.25 s: the function of load 'wind' .*"
    with pytest.raises(RunError, match=opening + sentence):
        LoadForces(model).wrenches(state)


def test_function_that_fails_is_named_with_its_error():
    scene = two_bodies()
    scene.add_load("wind", lambda t, state: 1 / 0)
    model = scene.build()
    with pytest.raises(RunError, match="load 'wind' failed: ZeroDivisionError"):
        LoadForces(model).wrenches(initial_state(model))


def test_function_sees_the_state_and_its_wrench_is_added():
    scene = two_bodies(gravity=(0, 0, -1))
    seen = {}

    def wind(t, state):
        seen.update(t=t, x=state.position("a"), w=state.angular_velocity("b"))
        return {"a": ([1, 0, 0], [0, 1, 0]), "ground": ([9, 9, 9], [9, 9, 9])}

    scene.add_load("wind", wind)
    model = scene.build()
    state = random_state(model, np.random.default_rng(7))
    force, torque = LoadForces(model).wrenches(state)
    assert np.allclose(force, [[1, 0, -1.5], [0, 0, -2.5]])
    assert np.allclose(torque, [[0, 1, 0], [0, 0, 0]])
    assert seen["t"] == 0.3 and np.array_equal(seen["x"], state.x[0])
    assert np.allclose(seen["w"], state.spin[1])
