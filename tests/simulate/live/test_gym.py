"""Environments that Gymnasium's own checker accepts."""

from concurrent.futures import ThreadPoolExecutor

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import dovetail as dt
from dovetail.simulate.live import gym


def cart_pole():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("cart", dt.Box((0.4, 0.2, 0.1)), mass=1.0, position=(0, 0, 0))
    scene.add_body("pole", dt.Box((0.04, 0.04, 1.0)), mass=0.1, position=(0, 0, 0.6))
    scene.add_joint("rail", dt.Prismatic((0, 0, 0), (1, 0, 0)), "ground", "cart")
    scene.add_joint("hinge", dt.Revolute((0, 0, 0.1), (0, 1, 0)), "cart", "pole")
    return scene


def upright(sim):
    return float(np.cos(sim.joint("hinge").position))


def fell(sim):
    return abs(sim.joint("hinge").position) > 0.5


def tilted(sim, rng):
    sim.set_state(q={"hinge": rng.uniform(-0.05, 0.05)})


def balance(seen):
    """Full state feedback that keeps the pole up."""
    x, angle, v, rate = seen
    return np.array([(1.0 * x + 30.0 * angle + 2.0 * v + 6.0 * rate) / 20.0], np.float32)


SETTINGS = {
    "scene": cart_pole, "joints": ["rail"], "scale": 20.0, "reward": upright, "terminated": fell,
    "start": tilted, "max_steps": 200,
}  # fmt: skip


@pytest.mark.parametrize("contact", [None, "lcp"])
def test_environments_pass_the_checker(contact):
    check_env(dt.gym.SceneEnv(**SETTINGS, contact=contact), skip_render_check=True)


def test_actions_are_of_all_joints_with_one_coordinate_or_of_those_that_are_named():
    """A ball joint has three velocities, no one effort: it is left out unless it is asked for."""

    def scene():
        made = cart_pole()
        made.add_body("bob", dt.Sphere(0.05), mass=0.1, position=(0, 0, -0.3))
        made.add_joint("string", dt.Spherical((0, 0, 0)), "cart", "bob")
        return made

    given = {**SETTINGS, "scene": scene, "scale": 1.0}
    given["joints"] = None
    assert dt.gym.SceneEnv(**given).action_space.shape == (2,)
    given["joints"] = ["rail", "string"]
    assert dt.gym.SceneEnv(**given).action_space.shape == (2,)
    given["joints"] = ["hinge"]
    assert dt.gym.SceneEnv(**given).action_space.shape == (1,)


def test_feedback_balances_a_pole_for_a_whole_episode():
    env = dt.gym.SceneEnv(**SETTINGS, contact="lcp")
    seen, _ = env.reset(seed=3)
    total, cut = 0.0, False
    while not cut:
        seen, reward, ended, cut, _ = env.step(balance(seen))
        total += reward
        assert not ended
    assert total > 195
    assert abs(seen[1]) < 0.02


def test_vector_environments_step_together():
    envs = dt.gym.vector(3, **SETTINGS)
    assert isinstance(
        envs, gymnasium.vector.SyncVectorEnv
    )  # in this process, if not requested otherwise
    seen, _ = envs.reset(seed=1)
    assert seen.shape == (3, 4)
    assert len({row[1] for row in seen}) == 3  # each starts from a state of its own
    seen, reward, _, _, _ = envs.step(np.zeros((3, 1), np.float32))
    assert reward == pytest.approx(1.0, abs=0.01)
    envs.close()


def test_rollouts_are_those_of_their_starts():
    settings = {name: value for name, value in SETTINGS.items() if name != "start"}
    starts = [{"q": {"hinge": angle}} for angle in (0.02, -0.02, 0.1)]
    found = dt.gym.rollouts(starts, balance, 20, workers=1, **settings)
    assert [episode["observation"][0, 1] for episode in found] == pytest.approx([0.02, -0.02, 0.1])
    assert found[0]["observation"] == pytest.approx(-found[1]["observation"], abs=1e-9)
    assert all(len(episode["reward"]) == 20 for episode in found)


def test_rollouts_of_several_workers_come_in_the_order_of_their_starts(monkeypatch):
    def threads(count, context):
        assert context.get_start_method() == "spawn"
        return ThreadPoolExecutor(count)

    monkeypatch.setattr(gym, "ProcessPoolExecutor", threads)
    settings = {name: value for name, value in SETTINGS.items() if name != "start"}
    starts = [{"q": {"hinge": angle}} for angle in (0.02, -0.02, 0.1, 0.05, -0.1)]
    one = dt.gym.rollouts(starts, balance, 3, workers=1, **settings)
    several = dt.gym.rollouts(starts, balance, 3, workers=2, **settings)
    assert len(several) == 5
    for a, b in zip(one, several):
        assert np.array_equal(a["observation"], b["observation"])


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"scene": 3}, "`scene` must be a dt.Scene or a function that makes one, got 3"),
        ({"contrl": "effort"}, "did you mean 'control'"),
        ({"control": "torque"}, "`control` must be effort, target_position, target_velocity"),
        ({"steps_per_action": 0}, "`steps_per_action` must be a whole number >= 1, got 0"),
        ({"max_steps": 2.5}, "`max_steps` must be a whole number >= 1, got 2.5"),
        ({"scale": [1.0, 2.0, 3.0]}, "`scale` must be 2 finite numbers"),
        ({"scale": np.nan}, "`scale` must be a finite number"),
        ({"joints": ["rial"]}, "there is no joint 'rial'.*did you mean 'rail'"),
        ({"joints": []}, "acts on joints of one coordinate, but the scene has none"),
        ({"observation": lambda sim: [np.nan]}, "`observation` must return an array of numbers"),
        ({"observation": lambda sim: [[1], [1, 2]]}, "`observation` must return an array"),
    ],
)
def test_settings_that_make_no_environment_are_refused(settings, says):
    with pytest.raises(dt.InputError, match=says):
        dt.gym.SceneEnv(**({"scene": cart_pole()} | settings))


@pytest.mark.parametrize("action", [[0.5], [0.5, 0.5, 0.5], [np.nan, 0.0], "left"])
def test_actions_that_fit_no_joints_are_refused(action):
    env = dt.gym.SceneEnv(cart_pole())
    env.reset(seed=1)
    with pytest.raises(dt.InputError, match="an action must be 2 finite numbers"):
        env.step(action)


def test_without_a_reward_there_is_none_and_an_episode_is_cut_off_at_its_length():
    settings = {**SETTINGS, "max_steps": 4}
    del settings["reward"], settings["start"]
    (found,) = dt.gym.rollouts([None], balance, 20, workers=1, **settings)
    assert found["reward"].tolist() == [0.0] * 4
    assert found["observation"].shape == (5, 4) and found["action"].shape == (4, 1)


def test_a_step_that_fails_ends_the_episode_without_reward_and_says_why():
    env = dt.gym.SceneEnv(**{**SETTINGS, "joints": ["hinge"], "scale": 1e9, "terminated": None})
    env.reset(seed=3)
    _, reward, ended, cut, info = env.step(np.ones(1, np.float32))
    assert (reward, ended, cut) == (0.0, True, False)
    assert "hinge" in info["error"] or "pole" in info["error"]


def test_environments_of_many_processes_are_made_in_fresh_ones(monkeypatch):
    """Forks of a process with threads may hang."""
    made = []

    def kept(makers, context):
        made.extend(makers)
        return context

    monkeypatch.setattr(gymnasium.vector, "AsyncVectorEnv", kept)
    assert dt.gym.vector(2, processes=True, **SETTINGS) == "spawn"
    assert [one().action_space.shape for one in made] == [(1,), (1,)]


@pytest.mark.parametrize(("starts", "workers", "cores"), [(1, 4, 4), (0, 4, 4), (3, None, None)])
def test_a_single_worker_needs_no_process_of_its_own(monkeypatch, starts, workers, cores):
    """There are no more workers than starts, nor than cores, of which there is at least one."""
    monkeypatch.setattr(gym, "ProcessPoolExecutor", None)
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    found = dt.gym.rollouts([None] * starts, balance, 1, workers=workers, **SETTINGS)
    assert len(found) == starts
