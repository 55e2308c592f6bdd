"""A 6-axis arm with gripper under a PD controller at 1 kHz: ours beside MuJoCo, in one process.

`python benchmarks/live_arm.py ARM.xml [none none-RATTLie ipc lcp sdf]` prints CPU microseconds per
control step (least of several runs) and their ratio to that of MuJoCo. The arm is MJCF with motors
on the joints j1 to j6, gl and gr. Limits of MJCF give, which RATTLie, the default, and
JointCoordinates follow.
"""

import sys
import time
from collections.abc import Callable

import mujoco
import numpy as np

import dovetail as dt

JOINTS = ("j1", "j2", "j3", "j4", "j5", "j6", "gl", "gr")
GOAL = np.array([0, 0.3, 0.4, 0, 0.5, 0, 0.01, 0.01])
STIFFNESS = np.array([60, 80, 40, 5, 5, 1, 100, 100.0])
DAMPING = np.array([6, 6, 4, 0.1, 0.1, 0.02, 2, 2.0])
RUNS, STEPS = 5, 300


def least(run: Callable[[int], None]) -> float:
    """[s] of CPU time per step."""
    best = np.inf
    for _ in range(RUNS):
        began = time.process_time()
        run(STEPS)
        best = min(best, (time.process_time() - began) / STEPS)
    return best


def peer(path: str) -> Callable[[int], None]:
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)

    def run(steps: int) -> None:
        for _ in range(steps):
            data.ctrl[:] = STIFFNESS * (GOAL - data.qpos[:8]) - DAMPING * data.qvel[:8]
            mujoco.mj_step(model, data)

    return run


def ours(path: str, contact: str, integrator: str | None = None) -> Callable[[int], None]:
    methods = {
        "none": None, "ipc": dt.contact.IPC(friction=0.8), "lcp": dt.contact.LCP(friction=0.8),
        "sdf": dt.contact.SDF(friction=0.8),
    }  # fmt: skip
    options = {"contact": methods[contact], "integrator": integrator, "check": False}
    sim = dt.Simulation(dt.Scene.load(path), step=1e-3, **options)
    where = [sim.v_index(name) for name in JOINTS]
    places = [sim.q_index(name) for name in JOINTS]

    def run(steps: int) -> None:
        efforts = np.zeros(len(sim.v))
        for _ in range(steps):
            efforts[where] = STIFFNESS * (GOAL - sim.q[places]) - DAMPING * sim.v[where]
            sim.efforts = efforts
            sim.step()

    return run


def main() -> None:
    path, methods = sys.argv[1], sys.argv[2:] or ["none", "none-RATTLie", "ipc", "lcp"]
    reference = peer(path)
    reference(200)
    base = least(reference)
    print(f"mujoco {1e6 * base:.1f} us")
    for method in methods:
        contact, _, integrator = method.partition("-")
        run = ours(path, contact, integrator or None)
        run(50)
        found = least(run)
        print(f"{method} {1e6 * found:.1f} us, {found / base:.1f} times")


if __name__ == "__main__":
    main()
