"""Gymnasium environments from any scene, one or many; needs the extra `gym`."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, ClassVar

import numpy as np

from dovetail.errors import InputError, RunError
from dovetail.model.scene import Scene
from dovetail.model.values import Array, finite_array, is_count, quote
from dovetail.runtime.extras import require
from dovetail.runtime.options import named_options
from dovetail.simulate.live.simulation import Simulation

gymnasium: Any = require("gymnasium")

LARGEST = 1e9  # of an observation: nothing in a scene comes near
CONTROLS = ("effort", "target_position", "target_velocity")
Of = Callable[[Simulation], Any]


def q_and_v(sim: Simulation) -> Array:
    """The default observation: all joint coordinates, then all velocities."""
    return np.concatenate((sim.q, sim.v))


def nothing(sim: Simulation) -> float:
    """The default reward."""
    return 0.0


class SceneEnv(gymnasium.Env):  # type: ignore[misc]
    """A scene as an environment: actions are efforts or targets of joints.

    Args:
        scene: a `dt.Scene`, or a function that makes one.
        step: [s] of the simulation.
        contact: such as "lcp"; integrator: as in `dt.Simulation`.
        joints: names of the joints that actions move; default: all of one coordinate.
        control: "effort", "target_position" or "target_velocity".
        scale: largest action, one number or one per joint; actions are in [-1, 1] times it.
        steps_per_action: steps of the simulation in each step of the environment.
        observation: function of the simulation; default: q and v.
        reward: function of the simulation, after each step.
        terminated: function of the simulation; True ends the episode.
        start: function (simulation, random generator) that sets the state an episode starts from.
        max_steps: of an episode, which is truncated then.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    @named_options
    def __init__(
        self,
        scene: Scene | Callable[[], Scene],
        step: float = 2e-3,
        contact: Any = None,
        integrator: Any = None,
        joints: Sequence[str] | None = None,
        control: str = "effort",
        scale: Any = 1.0,
        steps_per_action: int = 5,
        observation: Of = q_and_v,
        reward: Of = nothing,
        terminated: Of | None = None,
        start: Callable[[Simulation, Any], object] | None = None,
        max_steps: int = 1000,
        render_mode: str | None = None,
    ) -> None:
        _refuse_mistakes(scene, control, steps_per_action, max_steps)
        made = scene if isinstance(scene, Scene) else scene()
        self.simulation = Simulation(made, step, contact, integrator, check=False)
        sim = self.simulation
        names = sim.joint_names if joints is None else tuple(joints)
        handles = [sim.joint(name) for name in names]
        if joints is None:
            handles = [one for one in handles if np.ndim(one.position) == 0]
        if not handles:
            raise InputError(
                "an environment acts on joints of one coordinate, but the scene has none; give some"
            )
        self._handles, self._control = handles, control
        shape = () if np.ndim(scale) == 0 else (len(handles),)
        self._scale = np.broadcast_to(finite_array(scale, "`scale`", shape), len(handles)).copy()
        self._steps_per_action, self._max_steps = int(steps_per_action), int(max_steps)
        self._observe, self._reward, self._ends = observation, reward, terminated
        self._start, self._count = start, 0
        self.render_mode = render_mode
        box = gymnasium.spaces.Box
        self.observation_space = box(-LARGEST, LARGEST, self._seen().shape, np.float64)
        self.action_space = box(-1.0, 1.0, (len(handles),), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """To the start of an episode; `options` may have {"state": ...} for `Simulation.reset`."""
        super().reset(seed=seed)
        self.simulation.reset((options or {}).get("state"))
        if self._start is not None:
            self._start(self.simulation, self.np_random)
        self._count = 0
        return self._seen(), {"time": self.simulation.time}

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Act for some steps of the simulation; one that fails ends the episode."""
        given = finite_array(action, "an action", self._scale.shape)
        values = self._scale * np.clip(given, -1.0, 1.0)
        for handle, value in zip(self._handles, values.tolist()):
            setattr(handle, self._control, value)
        info: dict[str, Any] = {}
        failed = False
        try:
            self.simulation.step(self._steps_per_action)
        except RunError as error:
            info["error"], failed = str(error), True
        self._count += 1
        info["time"] = self.simulation.time
        reward = 0.0 if failed else float(self._reward(self.simulation))
        ended = failed or (self._ends is not None and bool(self._ends(self.simulation)))
        return self._seen(), reward, ended, self._count >= self._max_steps, info

    def _seen(self) -> Array:
        found = self._observe(self.simulation)
        try:
            seen = np.array(found, dtype=np.float64)
        except (TypeError, ValueError):
            seen = np.array(np.nan)
        if np.isnan(seen).any():
            raise InputError(f"`observation` must return an array of numbers, got {quote(found)}")
        return np.clip(seen, -LARGEST, LARGEST)


def _refuse_mistakes(scene: Any, control: str, steps_per_action: Any, max_steps: Any) -> None:
    found = []
    if not isinstance(scene, Scene) and not callable(scene):
        found.append(f"`scene` must be a dt.Scene or a function that makes one, got {quote(scene)}")
    if control not in CONTROLS:
        found.append(f"`control` must be {', '.join(CONTROLS)}, got {quote(control)}")
    for name, count in (("steps_per_action", steps_per_action), ("max_steps", max_steps)):
        if not is_count(count, 1):
            found.append(f"`{name}` must be a whole number >= 1, got {quote(count)}")
    if found:
        raise InputError(found)


class _Maker:
    """Makes one environment, in whatever process."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings

    def __call__(self) -> SceneEnv:
        return SceneEnv(**self._settings)


def vector(count: int, processes: bool = False, **settings: Any) -> Any:
    """`count` environments stepped together, a `gymnasium.vector.VectorEnv`.

    Settings as of `SceneEnv`. With `processes` each has a process of its own; then `scene` and the
    functions must be picklable, so give functions of a module, and a function that makes the scene.
    """
    makers = [_Maker(settings) for _ in range(count)]
    if processes:
        return gymnasium.vector.AsyncVectorEnv(makers, context="spawn")
    return gymnasium.vector.SyncVectorEnv(makers)


def rollouts(
    starts: Sequence[Any],
    policy: Callable[[Array], Any],
    steps: int,
    workers: int | None = None,
    **settings: Any,
) -> list[dict[str, Array]]:
    """Episodes from many starts on all cores: arrays observation, action, reward of each.

    Args:
        starts: states as `Simulation.reset` takes them, one an episode.
        policy: function of the observation; of a module, where `workers` > 1.
        steps: at most, of each episode.
        workers: processes; default: all cores.
        settings: as of `SceneEnv`.
    """
    count = min(workers or os.cpu_count() or 1, max(1, len(starts)))
    if count == 1:
        return _episodes(starts, policy, steps, settings)
    import multiprocessing

    parts = [list(starts[k::count]) for k in range(count)]
    with ProcessPoolExecutor(count, multiprocessing.get_context("spawn")) as pool:
        jobs = [pool.submit(_episodes, part, policy, steps, settings) for part in parts]
        found = [job.result() for job in jobs]
    ordered: list[dict[str, Array]] = [{} for _ in starts]
    for k, part in enumerate(found):
        ordered[k::count] = part
    return ordered


def _episodes(
    starts: Sequence[Any], policy: Callable[[Array], Any], steps: int, settings: dict[str, Any]
) -> list[dict[str, Array]]:
    env, found = SceneEnv(**settings), []
    for start in starts:
        seen, _ = env.reset(options={"state": start})
        kept: dict[str, list[Any]] = {"observation": [seen], "action": [], "reward": []}
        for _ in range(steps):
            action = policy(seen)
            seen, reward, ended, cut, _ = env.step(action)
            for name, value in (("observation", seen), ("action", action), ("reward", reward)):
                kept[name].append(value)
            if ended or cut:
                break
        found.append({name: np.array(rows) for name, rows in kept.items()})
    return found
