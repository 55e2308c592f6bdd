"""A 6-axis arm with gripper under a PD controller at 1 kHz: ours beside MuJoCo, in one process.

`python benchmarks/live_arm.py ARM.xml [none none-RATTLie ipc lcp sdf] [--held]` prints CPU
microseconds per control step (least of several runs, in turns) and the ratio to that of MuJoCo.
The arm is MJCF with motors on the joints j1 to j6, gl and gr. Limits of MJCF give, which RATTLie,
the default, and JointCoordinates follow. First the arm moves while the box lies on the floor; with
`--held` the gripper then holds the box off the floor, and how far it slips in the hand is printed.
"""

import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import mujoco
import numpy as np

import dovetail as dt

JOINTS = ("j1", "j2", "j3", "j4", "j5", "j6", "gl", "gr")
STIFFNESS = np.array([60, 80, 40, 5, 5, 1, 100, 100.0])
DAMPING = np.array([6, 6, 4, 0.1, 0.1, 0.02, 2, 2.0])
RUNS, STEPS, FIRST = 60, 40, 200


class Task(NamedTuple):
    """What the controller does, and where the box is at first."""

    name: str
    goal: np.ndarray  # (8,) of the joints
    efforts: np.ndarray  # (8,) [N m or N] besides
    start: np.ndarray  # (8,) of the joints
    box: tuple[float, float, float] | None  # [m] None: where the file has it


MOVES = Task(
    "box on the floor", np.array([0, 0.3, 0.4, 0, 0.5, 0, 0.01, 0.01]), np.zeros(8), np.zeros(8),
    None,
)  # fmt: skip
CLOSED = np.array([0, 0, 0, 0, 0, 0, 0.0189, 0.0189])  # fingers 0.1 mm from the box
HOLDS = Task("box held", CLOSED, np.array([0, 0, 0, 0, 0, 0, 5.0, 5.0]), CLOSED, (0.4, 0, 0.43))


class Arm(NamedTuple):
    """One of the simulators."""

    run: Callable[[int], None]  # so many control steps
    box_in_hand: Callable[[], np.ndarray]  # (3,) [m] position of the box in the axes of l6
    contacts: Callable[[], int]


def peer(path: str, task: Task) -> Arm:
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    data.qpos[:8] = task.start
    if task.box is not None:
        data.qpos[8:11] = task.box

    def run(steps: int) -> None:
        for _ in range(steps):
            feedback = STIFFNESS * (task.goal - data.qpos[:8]) - DAMPING * data.qvel[:8]
            data.ctrl[:] = feedback + task.efforts
            mujoco.mj_step(model, data)

    hand = data.body("l6")
    return Arm(
        run, lambda: hand.xmat.reshape(3, 3).T @ (data.body("box").xpos - hand.xpos),
        lambda: int(data.ncon),
    )  # fmt: skip


def ours(path: str, contact: str, integrator: str | None, task: Task) -> Arm:
    methods = {
        "none": None, "ipc": dt.contact.IPC(friction=0.8), "lcp": dt.contact.LCP(friction=0.8),
        "sdf": dt.contact.SDF(friction=0.8),
    }  # fmt: skip
    options = {"contact": methods[contact], "integrator": integrator, "check": False}
    sim = dt.Simulation(dt.Scene.load(path), step=1e-3, **options)
    arm = slice(len(JOINTS))  # of q and v: joints in the order of the scene, then free bodies
    assert sim.joint_names == JOINTS and sim.v_index(JOINTS[-1]) == len(JOINTS) - 1
    q = sim.q
    q[arm] = task.start
    if task.box is not None:
        q[-7:-4] = task.box
        sim.set_state(q=q)

    def run(steps: int) -> None:
        efforts = np.zeros(len(sim.v))
        for _ in range(steps):
            feedback = STIFFNESS * (task.goal - sim.q[arm]) - DAMPING * sim.v[arm]
            efforts[arm] = feedback + task.efforts
            sim.efforts = efforts
            sim.step()

    hand, box = sim.body("l6"), sim.body("box")
    return Arm(
        run, lambda: hand.rotation.T @ (box.position - hand.position),
        lambda: len(sim.contacts.forces),
    )  # fmt: skip


def compare(path: str, method: str, task: Task) -> None:
    """Runs of both in turns; prints the least of each."""
    contact, _, integrator = method.partition("-")
    arms = peer(path, task), ours(path, contact, integrator or None, task)
    for arm in arms:
        arm.run(FIRST)
    begun = [arm.box_in_hand() for arm in arms]
    spent = np.zeros((RUNS, 2))  # [s] a step
    for both in spent:
        for k, arm in enumerate(arms):
            began = time.process_time()
            arm.run(STEPS)
            both[k] = (time.process_time() - began) / STEPS
    best, median = spent.min(axis=0), float(np.median(spent[:, 1] / spent[:, 0]))
    line = (
        f"{task.name}, {method}: {1e6 * best[1]:.1f} us, MuJoCo {1e6 * best[0]:.1f} us, "
        f"{best[1] / best[0]:.1f} times (median of turns {median:.1f}); "
        f"{arms[1].contacts()} contacts, MuJoCo {arms[0].contacts()}"
    )
    if task.box is not None:
        slips = [np.linalg.norm(arm.box_in_hand() - at) for arm, at in zip(arms, begun)]
        line += f"; slip in {RUNS * STEPS} steps {1e3 * slips[1]:.3g} mm, {1e3 * slips[0]:.3g} mm"
    print(line, flush=True)


def main() -> None:
    given = [name for name in sys.argv[1:] if name != "--held"]
    methods = given[1:] or ["none", "none-RATTLie", "ipc", "lcp"]
    for method in methods:
        compare(given[0], method, MOVES)
    if "--held" in sys.argv:
        for method in methods:
            if not method.startswith("none"):
                compare(given[0], method, HOLDS)


if __name__ == "__main__":
    main()
