"""Many runs of one model at once: the same bits as runs one by one, whatever the threads."""

import numpy as np
import pytest

import dovetail as dt


def arm(limit=0.6):
    """Two hinges, one with limits and a damper, and a free ball."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    for k in range(2):
        scene.add_body(f"link{k}", mass=1 + k, inertia=(0.1, 0.2, 0.2), position=(0.5 + k, 0, 0))
    scene.add_body("ball", dt.Sphere(0.1), density=800, position=(0, 3, 0), velocity=(0, 0, 1))
    held = dt.Actuation(lower=-limit, upper=limit, damping=0.4)
    scene.add_joint("a", dt.Revolute((0, 0, 0), (0, 1, 0)), "ground", "link0")
    scene.add_joint("b", dt.Revolute((1, 0, 0), (0, 1, 0), actuation=(held,)), "link0", "link1")
    return scene


def starts(count):
    rng = np.random.default_rng(4)
    return [{"q": {"a": x, "b": 0.3 * x}, "v": {"a": y}} for x, y in rng.normal(size=(count, 2))]


def one_by_one(scene, entries, steps, efforts=None, **options):
    sim = dt.Simulation(scene, 0.005, **options)
    found = []
    for run, start in enumerate(entries):
        if efforts is not None:
            sim.steer()
        sim.reset(start)
        q, v = [sim.q], [sim.v]
        for k in range(steps):
            if efforts is not None:
                sim.efforts = efforts[run, k]
            sim.step()
            q.append(sim.q), v.append(sim.v)
        found.append((q, v))
    return np.array([q for q, _ in found]), np.array([v for _, v in found])


@pytest.mark.parametrize("steered", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_runs_are_those_of_single_simulations_to_the_bit(threads, steered):
    scene, entries, steps = arm(), [*starts(4), None], 60
    n_v = len(dt.Simulation(scene, 0.005).v)
    efforts = None
    if steered:
        efforts = np.zeros((5, steps, n_v))
        efforts[:, :, :2] = np.random.default_rng(1).normal(size=(5, steps, 2))
    made = dt.rollout(scene, entries, steps, 0.005, efforts=efforts, threads=threads)
    q, v = one_by_one(scene, entries, steps, efforts)
    assert np.array_equal(made.q, q) and np.array_equal(made.v, v)
    assert np.allclose(made.time, 0.005 * np.arange(steps + 1))
    assert not made.failures and len(made) == 5


def test_runs_with_motors_loops_and_contact_step_one_by_one_with_the_same_bits():
    scene = arm()
    scene.add_body("floor", dt.HalfSpace(), motion="static", position=(0, 0, -1.5))
    made = dt.rollout(scene, starts(3), 20, 0.005, contact="lcp")
    q, v = one_by_one(scene, starts(3), 20, contact="lcp")
    assert np.array_equal(made.q, q) and np.array_equal(made.v, v)


def test_frames_are_kept_every_so_many_steps():
    scene = arm()
    all_frames, some = (dt.rollout(scene, starts(2), 30, 0.005, every=k) for k in (1, 10))
    assert some.q.shape[1] == 4
    assert np.array_equal(all_frames.q[:, ::10], some.q)
    assert np.array_equal(all_frames.rotation[:, ::10], some.rotation)


def test_a_run_that_fails_is_named_and_the_others_go_on():
    fast = {"v": {"a": 1e4}}
    made = dt.rollout(arm(), [None, fast, None], 10, 0.005)
    assert list(made.failures) == [1] and "rad/s" in str(made.failures[1])
    assert np.isfinite(made.q[[0, 2]]).all() and np.isnan(made.q[1, -1]).all()
    assert np.array_equal(made.q[0], made.q[2])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([], 5, 0.01), "it is empty"),
        (([None, 3], 5, 0.01), "number 1 is 3"),
        (({"q": 1}, 5, 0.01), "one per run"),
        (([None], 0, 0.01), "`steps` must be a whole number >= 1"),
        (([{"q": {"c": 1.0}}], 5, 0.01), "start number 0"),
    ],
)
def test_bad_input_is_named(arguments, says):
    with pytest.raises(dt.InputError, match=says):
        dt.rollout(arm(), *arguments)
    with pytest.raises(dt.InputError, match="shape"):
        dt.rollout(arm(), [None], 5, 0.01, efforts=np.zeros((5, 1)))


def test_steps_are_made_in_one_call_unless_something_happens_between_them():
    sim = dt.Simulation(arm(), 0.005)
    efforts = np.zeros((2, len(sim.v)))
    assert sim.steps_ahead(2, 1, None) is not None
    sim.steer()
    assert sim.steps_ahead(2, 1, efforts) is not None
    driven = arm()
    drive = dt.Actuation(motor=np.sin)
    driven.add_body("wheel", mass=1, inertia=(1, 1, 1), position=(0, 9, 0))
    driven.add_joint("c", dt.Revolute((0, 9, 0), (0, 1, 0), actuation=(drive,)), "ground", "wheel")
    sim = dt.Simulation(driven, 0.005)
    assert sim.steps_ahead(2, 1, np.zeros((2, len(sim.v)))) is None
