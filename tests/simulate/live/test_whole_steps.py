"""A simulation is stepped by one thread at a time, and a step that is broken off is said."""

import copy
import os
import pickle
import signal
import threading

import numpy as np
import pytest

import dovetail as dt
from live_scenes import METHODS, arm_and_box

STEPS = 20


def made(method):
    contact, integrator = method
    return dt.Simulation(
        arm_and_box(), step=1e-3, contact=contact, integrator=integrator, check=False
    )


def broken_off(sim):
    """Ctrl-C arrives when the stepper has made its step and nothing else has been done yet."""
    step = type(sim.stepper).step

    def interrupted(self, t):
        step(self, t)
        raise KeyboardInterrupt

    type(sim.stepper).step = interrupted
    try:
        with pytest.raises(KeyboardInterrupt):
            sim.step()
    finally:
        type(sim.stepper).step = step


@pytest.mark.parametrize("method", METHODS)
def test_a_step_that_ctrl_c_breaks_off_has_to_be_taken_back(method):
    sim = made(method)
    sim.step(3)
    saved = sim.snapshot()
    sim.step(STEPS)
    wanted = sim.q
    sim.restore(saved)
    broken_off(sim)
    for go_on in (sim.step, sim.snapshot):
        with pytest.raises(dt.InputError, match=r"broken off in its middle; restore"):
            go_on()
    sim.restore(saved)
    sim.step(STEPS)
    assert np.array_equal(sim.q, wanted)
    sim.restore(saved)
    broken_off(sim)
    began = sim.time
    sim.set_state(q=sim.q, v=sim.v)
    sim.step(STEPS)
    assert sim.time == pytest.approx(began + 1e-3 * STEPS, abs=1e-12)
    assert np.isfinite(sim.q).all()
    broken_off(sim)
    sim.reset()
    sim.step(3 + STEPS)
    assert np.array_equal(sim.q, wanted)


def test_ctrl_c_in_many_steps_falls_between_two():
    sim, whole = made((None, None)), made((None, None))
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sim.step(10**9)
    timer.join()
    steps = round(sim.time / 1e-3)
    sim.step()
    whole.step(steps + 1)
    assert np.array_equal(sim.q, whole.q)
    assert sim.time == whole.time


def test_two_threads_cannot_step_one_simulation():
    sim, found, inside = made((None, None)), [], threading.Event()
    waits = threading.Event()

    def slow(simulation):
        inside.set()
        waits.wait(10)
        return 0.0

    sim.sense(slow=slow)
    other = threading.Thread(target=sim.step)
    other.start()
    inside.wait(10)
    with pytest.raises(dt.InputError, match=r"in a step already: .* two threads"):
        sim.step()
    waits.set()
    other.join()
    sim.step()
    assert sim.time == pytest.approx(2e-3)

    again = made((None, None))
    again.sense(again=lambda one: found.append(one.step()))
    with pytest.raises(dt.RunError, match=r"sensor 'again' failed: .* in a step already"):
        again.step()


@pytest.mark.parametrize("act", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_simulation_is_not_copied_but_its_snapshot_is(act):
    sim = made((None, None))
    with pytest.raises(dt.InputError, match=r"cannot be copied or pickled; sim.snapshot\(\) can"):
        act(sim)
    saved = pickle.loads(pickle.dumps(sim.snapshot()))
    sim.step()
    sim.restore(saved)
    assert sim.time == 0.0


def test_a_ball_takes_no_stiffness():
    scene = dt.Scene()
    scene.add_body("bob", dt.Sphere(0.1), density=1000, position=(0, 0, -1))
    scene.add_joint("ball", dt.Spherical((0, 0, 0)), "ground", "bob")
    sim = dt.Simulation(scene, step=1e-3, check=False)
    with pytest.raises(dt.InputError, match="'ball' takes no stiffness: turns of a ball"):
        sim.joint("ball").stiffness = 5.0
    sim.joint("ball").set_target(velocity=(0, 0, 1.0), damping=2.0)
