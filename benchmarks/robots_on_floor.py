"""Robots of others on a floor under every contact method, beside MuJoCo.

python benchmarks/robots_on_floor.py MENAGERIE [--robots A,B,...] [--methods sdf,lcp,ipc]

MENAGERIE is a checkout of github.com/google-deepmind/mujoco_menagerie. Each robot starts at its
keyframe `home`, or at qpos0, in the scene that it is shipped with, and runs in MuJoCo's own step. A
row says for each method: whether it ran to the end; the largest rise of its total energy, less the
work of its motors, relative to the energy in motion (kinetic, and what gravity and motors did); the
CPU time of set-up and of the steps, and how many times MuJoCo's steps that is (kernels compiled
before; of both simulators the least of three runs). The last lines are a table for a page
(docs/lab-notes/models.md): rise of the energy in motion, and times MuJoCo's CPU.
"""

import argparse
import signal
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import dovetail as dt
from dovetail.errors import DovetailError
from dovetail.io import load_scene

ROBOTS = (
    "agility_cassie", "anybotics_anymal_c", "booster_t1", "google_barkour_vb", "google_robot",
    "skydio_x2", "trs_so_arm100", "unitree_g1", "unitree_go1", "robotiq_2f85",
)  # fmt: skip
RISE = 0.02  # of the energy in motion, up to which a rise is the scheme's error


class TooLongError(Exception):
    """A run takes longer than it may."""


def scene_of(folder: Path) -> tuple[Any, Path, str | None]:
    import mujoco

    path = folder / "scene.xml"
    model = mujoco.MjModel.from_xml_path(str(path))
    names = [
        mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_KEY, i) or str(i) for i in range(model.nkey)
    ]
    return model, path, next((name for name in names if "home" in name), None)


def mujoco_seconds(model: Any, key: str | None, duration: float) -> float:
    import mujoco

    best = np.inf
    for _ in range(3):
        data = mujoco.MjData(model)
        if key is not None:
            code = mujoco.mjtObj.mjOBJ_KEY
            number = mujoco.mj_name2id(model, code, key)
            mujoco.mj_resetDataKeyframe(model, data, max(number, 0))
        began = time.process_time()
        mujoco.mj_step(model, data, round(duration / model.opt.timestep))
        best = min(best, time.process_time() - began)
    return best


def rise_of(energy: Any, work: Any) -> float:
    """The largest rise of total - work above its least value before, by the energy in motion."""
    kinetic, potential = np.asarray(energy["kinetic"]), np.asarray(energy["potential"])
    left = np.asarray(energy["total"]) - work
    in_motion = float(kinetic.max() + np.ptp(potential) + np.ptp(work)) or 1.0
    return float(np.max(left - np.minimum.accumulate(left))) / in_motion


def work_of_motors(simulation: Any, steps: int) -> Any:
    """(steps + 1,) [J] until each step; motors act with the velocities at its end."""
    done = [0.0]
    for _ in range(steps):
        simulation.step()
        power = float(np.nansum(simulation.efforts * simulation.v))
        done.append(done[-1] + simulation.step_size * power)
    return np.array(done)


def run(path: Path, folder: Path, key: str | None, method: str, h: float, duration: float) -> Any:
    """(rise of energy, CPU seconds of set-up, of the steps)."""
    scene, steps = load_scene(path, allow_paths=[folder], keyframe=key).scene, round(duration / h)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = dt.simulate(scene, steps * h, h, method, progress=False)
        work = work_of_motors(dt.Simulation(scene, step=h, contact=method, check=False), steps)
        rise = rise_of(result.energy, work)
        least = np.inf, np.inf
        for _ in range(3):
            began = time.process_time()
            simulation = dt.Simulation(scene, step=h, contact=method, check=False)
            begun = time.process_time()
            simulation.step(steps)
            least = min(least[0], begun - began), min(least[1], time.process_time() - begun)
    return rise, *least


def stop(*_: object) -> None:
    raise TooLongError("more time than allowed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--robots", default=",".join(ROBOTS))
    parser.add_argument("--methods", default="sdf,lcp,ipc")
    parser.add_argument("--duration", type=float, default=0.5)
    parser.add_argument("--limit", type=float, default=300.0, help="[s] of CPU for one run")
    options = parser.parse_args()
    folder = options.folder.resolve()
    signal.signal(signal.SIGPROF, stop)
    rows: dict[str, list[tuple[bool, bool, float]]] = {}
    methods, lines = options.methods.split(","), []
    for name in options.robots.split(","):
        try:
            model, path, key = scene_of(folder / name)
        except ValueError as error:
            print(f"{name}: MuJoCo does not load it: {' '.join(str(error).split())[:150]}")
            continue
        h = float(model.opt.timestep)
        peer = mujoco_seconds(model, key, options.duration)
        print(f"{name} from {key or 'qpos0'}, steps of {h:g} s, MuJoCo {peer:.4f} s", flush=True)
        cells = [name, key or "qpos0", f"{1e3 * h:g} ms"]
        for method in methods:
            signal.setitimer(signal.ITIMER_PROF, options.limit)
            try:
                rise, set_up, seconds = run(path, folder, key, method, h, options.duration)
                said = f"energy rises by {rise:.1e}, set-up {set_up:.2f} s, steps {seconds:.3f} s"
                said += f", {seconds / peer:.0f} times"
                cells.append(f"{rise:.0e}, {seconds / peer:.0f}")
                rows.setdefault(method, []).append((True, rise <= RISE, seconds / peer))
            except (DovetailError, TooLongError, ArithmeticError, ValueError) as error:
                said = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
                rows.setdefault(method, []).append((False, False, np.inf))
                cells.append("did not end")
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            print(f"  {method}: {said}", flush=True)
        lines.append("| " + " | ".join(cells) + " |")
    for method, found in rows.items():
        times = [ratio for ran, _, ratio in found if ran]
        print(
            f"{method}: {len(times)} of {len(found)} ran, {sum(quiet for _, quiet, _ in found)} "
            f"without energy gained, CPU {np.median(times) if times else np.nan:.0f} times "
            f"MuJoCo's (median), {max(times, default=np.nan):.0f} (most)"
        )
    heads = ["robot", "from", "step", *(method.upper() for method in methods)]
    print("", "| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *lines, sep="\n")


if __name__ == "__main__":
    main()
