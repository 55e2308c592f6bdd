"""Robots of others on a floor under every contact method, beside MuJoCo.

python benchmarks/robots_on_floor.py MENAGERIE [--only PART] [--methods sdf,lcp,ipc]

MENAGERIE is a checkout of github.com/google-deepmind/mujoco_menagerie. Each robot starts at its
keyframe `home`, or at qpos0, in the scene that it is shipped with, and runs in MuJoCo's own step. A
row says for each method: whether it ran to the end, the largest rise of its total energy relative
to the energy in motion, the CPU time and how many times MuJoCo's that is (processor time of the
stepping, kernels compiled before; MuJoCo's is the least of three runs).
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


def rise_of(energy: Any) -> float:
    """The largest rise of the total above its least value before, by the energy in motion."""
    total = np.asarray(energy["total"])
    kinetic, potential = np.asarray(energy["kinetic"]), np.asarray(energy["potential"])
    in_motion = float(kinetic.max() + np.ptp(potential)) or 1.0
    return float(np.max(total - np.minimum.accumulate(total))) / in_motion


def run(path: Path, folder: Path, key: str | None, method: str, h: float, duration: float) -> Any:
    """(outcome, rise of energy, CPU seconds)."""
    scene = load_scene(path, allow_paths=[folder], keyframe=key).scene
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dt.simulate(scene, duration=h, step=h, contact=method, progress=False)
        began = time.process_time()
        result = dt.simulate(scene, duration=duration, step=h, contact=method, progress=False)
    return "ran", rise_of(result.energy), time.process_time() - began


def stop(*_: object) -> None:
    raise TooLongError("more time than allowed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--methods", default="sdf,lcp,ipc")
    parser.add_argument("--duration", type=float, default=0.5)
    parser.add_argument("--limit", type=float, default=300.0, help="[s] for one run")
    options = parser.parse_args()
    folder = options.folder.resolve()
    signal.signal(signal.SIGALRM, stop)
    rows: dict[str, list[tuple[bool, bool, float]]] = {}
    for name in [one for one in ROBOTS if options.only in one]:
        model, path, key = scene_of(folder / name)
        h = float(model.opt.timestep)
        peer = mujoco_seconds(model, key, options.duration)
        print(f"{name} from {key or 'qpos0'}, steps of {h:g} s, MuJoCo {peer:.3f} s", flush=True)
        for method in options.methods.split(","):
            signal.setitimer(signal.ITIMER_REAL, options.limit)
            try:
                _, rise, seconds = run(path, folder, key, method, h, options.duration)
                said = f"energy rises by {rise:.1e}, {seconds:.2f} s, {seconds / peer:.0f} times"
                rows.setdefault(method, []).append((True, rise <= RISE, seconds / peer))
            except (DovetailError, TooLongError, ArithmeticError, ValueError) as error:
                said = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
                rows.setdefault(method, []).append((False, False, np.inf))
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            print(f"  {method}: {said}", flush=True)
    for method, found in rows.items():
        times = [ratio for ran, _, ratio in found if ran]
        print(
            f"{method}: {len(times)} of {len(found)} ran, {sum(quiet for _, quiet, _ in found)} "
            f"without energy gained, CPU {np.median(times) if times else np.nan:.0f} times "
            f"MuJoCo's (median), {max(times, default=np.nan):.0f} (most)"
        )


if __name__ == "__main__":
    main()
