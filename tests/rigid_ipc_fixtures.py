"""Scenes of the reference implementation of Rigid IPC, its times and its trajectories.

They are not part of the repository: see `shared_data` in conftest.py.
"""

import csv
import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dovetail import contact, integrators
from dovetail.errors import RunError
from dovetail.io import load_scene
from dovetail.linalg.lie import so3
from dovetail.model.frozen import DYNAMIC
from dovetail.results import Result
from dovetail.simulate import simulate

HERE = Path(__file__)


def data_folder() -> Path:
    shared = Path(os.environ.get("DOVETAIL_SHARED", HERE.parents[2] / "shared"))
    return shared / "data" / "rigid-ipc"


@dataclass(frozen=True)
class Baseline:
    """A row of baseline.csv: what the reference took, in the machine and hour it was timed."""

    fixture: str
    patch: dict
    steps: int
    steps_full: int
    s_per_step: float
    newton_per_step: float
    calibration_s: float

    @property
    def title(self) -> str:
        return self.fixture + (" (patched)" if self.patch else "")


def fixtures() -> list[str]:
    """The names of all scenes."""
    folder = data_folder() / "fixtures"
    paths = sorted(folder.rglob("*.json"))
    return [path.relative_to(folder).as_posix()[: -len(".json")] for path in paths]


def baselines() -> list[Baseline]:
    with (data_folder() / "baseline.csv").open(newline="") as file:
        return [
            Baseline(
                row["fixture"],
                json.loads(row["patch"]) if row["patch"] else {},
                int(row["steps"]),
                int(row["steps_full"]),
                float(row["s_per_step"]),
                float(row["newton_per_step"]),
                float(row["calibration_s"]),
            )
            for row in csv.DictReader(file)
        ]


@dataclass
class FixtureRun:
    """One run of a fixture with its own step and tolerance."""

    result: Result
    failure: str  # empty when all steps were made
    steps: int
    cpu: list[float] = field(default_factory=list)  # [s] of each step, without recording
    wall: list[float] = field(default_factory=list)  # [s]


def run_fixture(
    name: str, steps: int | None = None, patch: dict | None = None, seconds: float = np.inf,
    every: int = 1, kick: float = 0.0,
) -> FixtureRun:  # fmt: skip
    """Run a fixture for `steps` steps (default: all), or until `seconds` of CPU time are over.

    `kick` [m/s] is given to every dynamic body at the start, in directions drawn at random.
    """
    loaded = load_scene(data_folder() / "fixtures" / f"{name}.json")
    requested, h = loaded.run.contact, loaded.run.step
    changed = _options(patch or {})
    kept = dict(requested.options)
    if "velocity_tolerance" in changed:
        kept.pop("relative_velocity_tolerance", None)
    law = contact.named(requested.name, kept | changed)
    count = round(loaded.run.duration / h) if steps is None else steps
    scheme = integrators.default_for(law, loaded.scene.build())
    cpu: list[float] = []
    wall: list[float] = []
    begun = time.process_time()

    def stop_in_time(t, state):
        if time.process_time() - begun > seconds:
            raise KeyboardInterrupt

    failure = ""
    try:
        result = simulate(
            loaded.scene, count * h, h, law, _timed(scheme, cpu, wall, kick), every=every,
            on_step=stop_in_time,
        )  # fmt: skip
    except RunError as error:
        if error.result is None:
            raise
        result, failure = error.result, str(error)
    return FixtureRun(result, failure, len(cpu), cpu, wall)


def their_tolerance(name: str) -> dict:
    """A patch with the reference's own stopping rule: a part of the diagonal of the whole scene."""
    path = data_folder() / "fixtures" / f"{name}.json"
    solver = json.loads(path.read_text()).get("ipc_solver", {})
    tolerance = solver.get("velocity_conv_tol", 1e-2)
    if not solver.get("is_velocity_conv_tol_abs", False):
        model = load_scene(path).scene.build()
        placed = [
            body.surface.moved(model.rotation[k], model.position[k]).vertices
            for k, body in enumerate(model.bodies)
        ]
        corners = np.concatenate([rows for rows in placed if len(rows)])
        tolerance *= float(np.linalg.norm(np.ptp(corners, axis=0)))
    return {"ipc_solver": {"is_velocity_conv_tol_abs": True, "velocity_conv_tol": tolerance}}


def _timed(scheme, cpu, wall, kick):
    """The same scheme; what each step takes is appended to `cpu` and `wall`."""

    class Timed(type(scheme)):
        def start(self, model, law):
            stepper = super().start(model, law)
            plain = stepper.step
            kicks = np.random.default_rng(0).normal(size=(model.n_bodies, 3))
            kicks *= kick / np.linalg.norm(kicks, axis=1, keepdims=True)
            stepper.bodies.v[model.motion == DYNAMIC] += kicks[model.motion == DYNAMIC]

            def step(t_next):
                at_cpu, at_wall = time.process_time(), time.perf_counter()
                report = plain(t_next)
                cpu.append(time.process_time() - at_cpu)
                wall.append(time.perf_counter() - at_wall)
                return report

            stepper.step = step
            return stepper

    timed = Timed.__new__(Timed)
    vars(timed).update(vars(scheme))
    return timed


def _options(patch: dict) -> dict:
    """The patches that baseline.csv uses, as options of the method."""
    found = {}
    for key, value in patch.items():
        if key == "friction_constraints" and set(value) == {"iterations"}:
            found["friction_iterations"] = value["iterations"]
        elif key == "ipc_solver" and value.get("is_velocity_conv_tol_abs"):
            found["velocity_tolerance"] = value["velocity_conv_tol"]
        elif key == "restitution":  # not of the reference, which has none
            found["restitution"] = value
        else:
            raise ValueError(f"patch {key}: {value} has no translation")
    return found


@dataclass(frozen=True)
class Trajectory:
    """The reference's motion: x (steps + 1, n, 3), turns since the start (steps + 1, n, 3, 3)."""

    x: np.ndarray
    turn: np.ndarray


def reference(name: str) -> Trajectory | None:
    path = data_folder() / "reference" / f"{name.replace('/', '__')}.npz"
    if not path.exists():
        return None
    with np.load(path) as arrays:
        turns = so3.exp(np.asarray(arrays["rotation"], float))
        return Trajectory(np.asarray(arrays["position"], float), turns)


def deviation(result: Result, peer: Trajectory) -> np.ndarray:
    """(steps + 1,) [m] largest distance of a point of any body from where the peer has it.

    Of a turn that differs by an angle a the farthest vertex, at radius r, moves 2 r sin(a/2).
    """
    count = min(len(result.time), len(peer.x))
    worst = np.zeros(count)
    for k, name in enumerate(result.names):
        R = result.rotation(name)[:count]
        x = result.position(name)[:count]
        vertices = result.scene.bodies[name].vertices
        radius = float(np.max(np.linalg.norm(vertices, axis=1), initial=0.0))
        apart = np.linalg.norm(x - peer.x[:count, k], axis=1)
        turned = R @ R[0].T @ np.swapaxes(peer.turn[:count, k], 1, 2)
        angle = np.linalg.norm(so3.log(turned), axis=1)
        worst = np.maximum(worst, apart + 2 * radius * np.sin(np.minimum(angle, np.pi) / 2))
    return worst


def speed_tolerance(name, scene):
    """[m/s] at which the reference stops Newton: by default 1 % of the scene's diagonal per s."""
    document = json.loads((data_folder() / "fixtures" / f"{name}.json").read_text())
    solver = document.get("ipc_solver", {})
    given = solver.get("velocity_conv_tol", 1e-2)
    if solver.get("is_velocity_conv_tol_abs", False):
        return given
    corners = np.concatenate(
        [body.vertices @ body.rotation.T + body.position for body in scene.bodies.values()]
    )
    return given * np.linalg.norm(np.ptp(corners, axis=0))
