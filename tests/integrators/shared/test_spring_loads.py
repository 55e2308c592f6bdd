"""Springs and dampers inside steps with barriers: what the solver's terms leave to the loads."""

from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators.shared.spring_loads import SpringLoads
from dovetail.linalg.lie import so3
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.state import initial_state

K, C, REST, H = 30.0, 4.0, 0.7, 0.05
NOBODY = SimpleNamespace(by=np.zeros(3, np.bool_))  # steps over two steps, see `two_steps`


@pytest.fixture
def pair():
    """A box hung by a spring from the ground, a second one from its corner, all moving."""
    scene, box = dt.Scene(), dt.Box((0.4, 0.2, 0.3))
    for k in range(2):
        scene.add_body(
            f"b{k}", box, mass=1 + k, position=(k, 0.3 * k, 1), rotation=so3.exp([0.3, 0.2 * k, 0]),
            velocity=(0.3, -0.2, 0.5 - k), angular_velocity=(0.4, -k, 0.2),
        )  # fmt: skip
    scene.add_body("arm", box, motion="kinematic", position=(3, 0, 0), velocity=(0, 2, 0))
    for a, b, at, to in (
        ("b0", "ground", (0.2, 0.1, 1.1), (0, 0, 2)),
        ("b0", "b1", (-0.1, 0.1, 0.9), (1.2, 0.3, 1.1)),
        ("arm", "b1", (3.1, 0.1, 0), (1, 0.2, 0.9)),
    ):
        scene.add_spring(f"{a}-{b}", a, b, at, to, stiffness=K, damping=C, rest_length=REST)
    model = scene.build()
    loads, state = LoadForces(model), initial_state(model)
    return SpringLoads(model, loads.compiled, np.array([0, 1, -1], np.int32)), loads, state


def ends_of(springs, state):
    """Positions (s, 2, 3) and velocities of the ends."""
    places, speeds = [], []
    for pair, arms in zip(springs._bodies.tolist(), springs._arms):
        for body, arm in zip(pair, arms):
            on = (np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))
            if body >= 0:
                on = state.x[body], state.R[body], state.v[body], state.spin[body]
            places.append(on[0] + on[1] @ arm)
            speeds.append(on[2] + np.cross(on[3], on[1] @ arm))
    return np.reshape(places, (-1, 2, 3)), np.reshape(speeds, (-1, 2, 3))


def wrenches(springs, state, tension):
    """(n, 6) of `tension` (s,) [N] that pulls the ends together."""
    found = np.zeros((len(state.x), 6))
    places = ends_of(springs, state)[0]
    for pair, ends, pull in zip(springs._bodies.tolist(), places, tension):
        along = (ends[0] - ends[1]) / np.linalg.norm(ends[0] - ends[1])
        for body, end, sign in zip(pair, ends, (-1.0, 1.0)):
            if body >= 0:
                force = sign * pull * along
                found[body, :3] += force
                found[body, 3:] += np.cross(end - state.x[body], force)
    return found


def lengths_and_rates(springs, state):
    places, speeds = ends_of(springs, state)
    apart, opening = places[:, 0] - places[:, 1], speeds[:, 0] - speeds[:, 1]
    length = np.linalg.norm(apart, axis=1)
    return length, np.einsum("si,si->s", apart, opening) / length


def test_springs_of_implicit_euler_act_as_at_the_end_of_the_step(pair):
    """h^2 k and h c in the solver; the constant takes out the spring that loads have."""
    springs, _, state = pair
    constant, terms = springs.begin_euler(state, H, NOBODY), springs.terms
    length, _ = lengths_and_rates(springs, state)
    assert bool(springs) and terms.stiffness == pytest.approx([H * H * K] * 3)
    assert terms.damping == pytest.approx([H * C] * 3)
    assert terms.reference == pytest.approx(length)
    expected = -H * H * wrenches(springs, state, K * (length - REST))
    assert constant == pytest.approx(expected, abs=1e-14)


def test_springs_of_newmark_act_half_at_the_start_and_half_at_the_end(pair):
    """A quarter of h^2 k and half of h c, about where half a step leads."""
    springs, _, state = pair
    constant, terms = springs.begin_newmark(state, H), springs.terms
    length, rate = lengths_and_rates(springs, state)
    assert terms.stiffness == pytest.approx([0.25 * H * H * K] * 3)
    assert terms.damping == pytest.approx([0.5 * H * C] * 3)
    assert terms.reference == pytest.approx(length + 0.5 * H * rate)
    expected = -0.25 * H * H * wrenches(springs, state, K * (length - REST) + C * rate)
    assert constant == pytest.approx(expected, abs=1e-14)


def test_wrenches_of_springs_are_those_of_the_loads(pair):
    springs, loads, state = pair
    length, rate = lengths_and_rates(springs, state)
    force, torque = loads.wrenches(state)
    tension = K * (length - REST) + C * rate
    expected = wrenches(springs, state, tension)[:2]
    assert np.concatenate((force, torque), axis=1)[:2] == pytest.approx(expected, abs=1e-12)


def test_a_scene_without_springs_has_none():
    scene = dt.Scene()
    scene.add_body("a", dt.Box((1, 1, 1)), mass=1)
    model = scene.build()
    none = SpringLoads(model, LoadForces(model).compiled, np.zeros(1, np.int32))
    assert not none and none.begin_euler(initial_state(model), H, NOBODY).tolist() == [[0.0] * 6]
