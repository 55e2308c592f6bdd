"""Which contacts of a piece of a step bounce."""

from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.impact.records import BOUNCE, SAME_TIME
from dovetail.contact.impulse.records import Outcome
from dovetail.integrators.shared.impulse_poses import NOT_FINITE
from dovetail.integrators.stewart_trinkle.failures import pose_failure, unsolved
from dovetail.integrators.stewart_trinkle.kinematic_bodies import kinematic_motion
from dovetail.integrators.stewart_trinkle.pieces import (
    impact_contacts,
    slow_approaches,
    will_bounce,
)
from dovetail.linalg.lie import so3
from dovetail.multibody.state import initial_state


def two_contacts(restitution=(0.5, 0.0)):
    """Of bodies 0 and 1, and of 2 and 1."""
    return SimpleNamespace(
        count=2,
        points=SimpleNamespace(body=np.array([[0, 1], [2, 1]]), gap=np.array([0.1, 0.2])),
        smaller_size=np.array([3.0, 4.0]),
        materials=SimpleNamespace(restitution=np.array(restitution)),
    )


def a_problem(rates, c=(0.0, 0.0), lam=(0.0, 0.0)):
    """Rows of two contacts; the rates of `fall` are those of its first numbers."""

    def rows(values):
        out = np.full(6, 77.0)
        out[::3] = values
        return out

    return SimpleNamespace(
        rates=lambda u: rows(rates if u[0, 0] == 1.0 else u[0, :2]), normals=lambda: slice(0, 6, 3),
        c=rows(c), lam=rows(lam),
    )  # fmt: skip


U = np.ones((4, 6))


def test_approaches_that_loads_explain_are_slow():
    speed = np.array([1.0, 2.0, 4.0, 9.0])
    assert slow_approaches(two_contacts(), speed) == pytest.approx([3.0 * BOUNCE, 6.0 * BOUNCE])
    found = impact_contacts(two_contacts(), speed)
    assert found.gap.tolist() == [0.1, 0.2] and found.restitution.tolist() == [0.5, 0.0]
    assert found.touching == pytest.approx([3.0 * SAME_TIME, 4.0 * SAME_TIME])
    assert found.slow == pytest.approx([3.0 * BOUNCE, 6.0 * BOUNCE])


def test_contacts_bounce_that_approach_faster_than_slowly():
    problem, slow = a_problem((-1.0, -2.0)), np.array([1.0, 1.9])
    assert will_bounce(two_contacts(), problem, U, slow).tolist() == [False, True]
    parting = a_problem((1.5, 2.0))
    assert will_bounce(two_contacts(), parting, U, slow).tolist() == [False, False]


def test_kinematic_bodies_have_their_mean_velocities_and_end_on_their_way():
    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(1), mass=1)
    scene.add_body("sled", dt.Sphere(1), motion="kinematic", position=(3, 0, 0),
                   velocity=(2, 0, 0), angular_velocity=(0, 0, 0.5))  # fmt: skip
    model = scene.build()
    state = initial_state(model)
    state.x[1, 1] = 0.3  # it is off its way
    motion = kinematic_motion(model, np.array([1]), state, 0.1)
    u = np.zeros((2, 6))
    motion.set_velocities(u)
    assert u[1] == pytest.approx([2, -3, 0, 0, 0, 0.5]) and not u[0].any()
    state.x[0] = 7.0
    motion.finish(state)
    assert state.x[1] == pytest.approx([3.2, 0, 0]) and state.x[0].tolist() == [7, 7, 7]
    assert state.R[1] == pytest.approx(so3.exp([0, 0, 0.05]))
    assert state.v[1] == pytest.approx([2, 0, 0]) and state.omega[1] == pytest.approx([0, 0, 0.5])
    nobody = kinematic_motion(model, np.zeros(0, np.int64), state, 0.2)
    nobody.set_velocities(u)
    nobody.finish(state)
    assert nobody.end is None and state.x[1] == pytest.approx([3.2, 0, 0])


def test_failures_name_bodies_and_what_to_do():
    scene = dt.Scene()
    for k in range(3):
        scene.add_body(f"b{k}", dt.Sphere(1), mass=1, position=(3 * k, 0, 0))
    model = scene.build()
    rows = SimpleNamespace(body=np.array([[-1, 1, -1], [0, 2, 1], [2, 0, -1]]))
    problem = SimpleNamespace(rows=rows, n_joint=2)
    said = [unsolved(model, problem, Outcome(7, 0.5, row), 0.25) for row in range(3)]
    assert "the joint of ground and 'b1' is off by 0.5 m/s, wanted 0.25 m/s" in said[0]
    assert "the joint of 'b0' and 'b2' and 'b1' is off" in said[1] and "in 7 sweeps" in said[1]
    assert "the contact of 'b2' and 'b0' is off" in said[2]
    lost = pose_failure(model, NOT_FINITE, 1, 0.0, 0.01, 3.0)
    assert "'b1' has a position or velocity that is no finite number" in str(lost)
    fast = str(pose_failure(model, NOT_FINITE + 1, 2, 100.0, 0.1, 3.0))
    assert "at t = 3 s: body 'b2' spins at 100 rad/s" in fast and "at most 0.002 s" in fast
