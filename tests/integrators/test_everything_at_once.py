"""A workshop in which all acts at once: what every scheme keeps of it, forgets and returns to."""

import pickle
import warnings

import numpy as np
import pytest

import dovetail as dt
from live_scenes import METHODS

ALL = [*METHODS, ("sdf", "LieVerlet"), ("sdf", "JointCoordinates"), (None, "DL"),
       (None, "StewartTrinkle"), (None, "CompliantEuler"), (None, "ImplicitEuler"),
       (None, "BarrierVerlet")]  # fmt: skip
NO_FRICTION = {"DL", "EulerParameterDAE", "BarrierVerlet"}
STEP = 2e-3


def workshop(integrator, driven):
    """A sliding crate and what pushes it, a ball that bounces, an arm, a slide and a kite."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((6, 6, 0.2)), motion="static", position=(0, 0, -0.1))
    cube = dt.Box((0.2, 0.2, 0.2))
    scene.add_body("crate", cube, mass=2, position=(0, 0, 0.1001), velocity=(0.4, 0.1, 0))
    scene.add_body("ball", dt.Sphere(0.1), mass=1, position=(1, 1, 0.101), velocity=(0, 0, -0.2))
    scene.add_body(
        "pusher", cube, motion="kinematic", position=(-0.203, 0, 0.15), velocity=(0.8, 0, 0)
    )
    scene.add_body("kite", cube, mass=0.5, position=(0, 2, 2), angular_velocity=(1, 2, 3))
    scene.add_load(
        "wind", lambda t, s: {"kite": ((1 + 3 * t, 0, 0), -0.02 * s.angular_velocity("kite"))}
    )
    scene.add_spring("line", "crate", "kite", (0, 0, 0.2), (0, 2, 2), stiffness=20, damping=0.4)
    if integrator == "LieVerlet":
        return scene
    friction = 0.0 if integrator in NO_FRICTION else 0.3
    turns = dt.Actuation(stiffness=30, damping=0.6, rest=0.2, motor=2.0, friction=friction)
    scene.add_body("arm", dt.Box((0.05, 0.05, 0.8)), mass=1.5, position=(-1, -1, 1))
    scene.add_body("bob", dt.Box((0.1, 0.1, 0.3)), mass=0.7, position=(-1, -1, 0.42))
    scene.add_body("slide", cube, mass=3, position=(2, -1, 1))
    hinge = dt.Revolute((-1, -1, 1.4), (0, 1, 0), actuation=[turns])
    scene.add_joint("hinge", hinge, "ground", "arm")
    soft = dt.Actuation(damping=0.05)
    socket = dt.Spherical((-1, -1, 0.6), actuation=[soft] * 3)
    scene.add_joint("socket", socket, "arm", "bob")
    pulled = dt.Actuation(motor=("velocity", 0.3) if driven else 4.0)
    rail = dt.Prismatic((2, -1, 1), (0.6, 0, 0.8), actuation=[pulled])
    scene.add_joint("rail", rail, "ground", "slide")
    return scene


def made(method, driven=True):
    contact, integrator = method
    law = contact
    if contact is not None:
        soft = {"stiffness": 2e5} if contact == "sdf" and integrator else {}  # for explicit steps
        law = getattr(dt.contact, contact.upper())(friction=0.4, restitution=0.5, **soft)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dt.Simulation(
            workshop(integrator, driven), STEP, contact=law, integrator=integrator, check=False
        )


@pytest.fixture(scope="module", params=ALL, ids=str)
def method(request):
    return request.param


def seen(sim, of_step=True):
    """All that can be seen of a moment, with forces and energy of contacts if `of_step`."""
    observed, state = sim.observe(), sim.state
    report = observed.contact
    wrenches = () if observed.joint_wrenches is None else observed.joint_wrenches()
    return [np.array(one) for one in (
        sim.time, state.x, state.R, state.v, state.omega, report.min_distance,
        observed.stored_energy, observed.constraint_position, observed.constraint_velocity,
        *(array for name, array in vars(report.contacts).items()
          if of_step or name not in ("forces", "torques")),
        *wrenches, *([report.energy] if of_step else []),
    )]  # fmt: skip


def assert_same(first, second):
    assert len(first) == len(second)
    for a, b in zip(first, second):
        np.testing.assert_array_equal(a, b)


def test_a_snapshot_brings_all_that_can_be_seen_back_here_and_elsewhere(method):
    """Also into a simulation that has not moved, and one that has moved on elsewhere.

    Under IPC friction, and barriers that an impact changed, are those of the step that led there.
    """
    sim, other, of_step = made(method), made(method), method != ("ipc", None)
    for steps in (4, 5):
        sim.step(steps)
        kept, then = pickle.dumps(sim.snapshot()), seen(sim, of_step)
        sim.body("kite").push(force=(0, 0.5, 0))
        sim.step(3)
        later = seen(sim)
        for one in (sim, other):
            one.restore(pickle.loads(kept))
            assert_same(seen(one, of_step), then)
            one.body("kite").push(force=(0, 0.5, 0))
            one.step(3)
            assert_same(seen(one), later)
        other.body("crate").push(force=(-9, 0, 30))
        other.step(2)


def test_a_state_that_is_set_leaves_no_trace_of_the_motion_before(method):
    """Two simulations of other pasts, put into one state, cannot be told apart from there on."""
    sim, other, before = made(method), made(method), made(method)
    before.step(6)
    q, v = before.q, before.v
    for name in ("ball", "crate"):  # contact that is a force of the depth lets bodies overlap
        q[before.q_index(name)][2] += 2e-3
    if "rail" in before.joint_names:
        q[before.q_index("rail")], v[before.v_index("rail")] = 0.0, 0.3  # as its motor begins
    sim.step(9)
    other.body("crate").push(force=(0, 9, 40), torque=(1, 2, 3))
    other.step(4)
    for one in (sim, other):
        one.reset((q, v))
        assert one.time == 0.0
    assert_same(seen(sim), seen(other))
    for one in (sim, other):
        one.step(4)
    assert_same(seen(sim), seen(other))
