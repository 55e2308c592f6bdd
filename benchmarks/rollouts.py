"""Many runs of one model: `dt.rollout` beside `mujoco.rollout`, from one process.

python benchmarks/rollouts.py [runs, default 64]

The double pendulum of Huang et al. (2022), 1000 steps of 1 ms from each start, every state kept.
Wall-clock microseconds a step, the least of three; threads: one, and one per core.
"""

import os
import sys
import time

import mujoco
import numpy as np
from mujoco import rollout
from pendulum_peers import MUJOCO

import dovetail as dt
from dovetail.examples import double_pendulum
from dovetail.integrators import RATTLie

STEPS, H = 1000, 1e-3


def least(run):
    """[us] a step."""
    run()
    spent = []
    for _ in range(3):
        began = time.perf_counter()
        run()
        spent.append(time.perf_counter() - began)
    return min(spent) / (STEPS * RUNS) * 1e6


def ours(scheme, threads):
    scene = double_pendulum.build()
    n_v = len(dt.Simulation(scene, H).v)
    rates = np.random.default_rng(1).normal(size=(RUNS, n_v))
    starts = [{"v": rate} for rate in rates]
    return least(lambda: dt.rollout(scene, starts, STEPS, H, integrator=scheme, threads=threads))


def peer(integrator, threads):
    text = MUJOCO.format(step=H, integrator=integrator)
    model = mujoco.MjModel.from_xml_string(text)
    data = [mujoco.MjData(model) for _ in range(threads)]
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    states = np.zeros((RUNS, size))
    mujoco.mj_getState(model, data[0], states[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    states[:] = states[0]
    states[:, 1 + model.nq : 1 + model.nq + model.nv] = np.random.default_rng(1).normal(
        size=(RUNS, model.nv)
    )
    return least(lambda: rollout.rollout(model, data, states, nstep=STEPS))


RUNS = 64

if __name__ == "__main__":
    if len(sys.argv) > 1:
        RUNS = int(sys.argv[1])
    cores = os.cpu_count() or 1
    print(f"| {RUNS} runs of {STEPS} steps | 1 thread [us a step] | {cores} threads |")
    print("|---|---|---|")
    for name, cost in {
        "dovetail, RATTLie(order=4), the default": lambda n: ours(None, n),
        "dovetail, RATTLie()": lambda n: ours(RATTLie(), n),
        "MuJoCo RK4": lambda n: peer("RK4", n),
        "MuJoCo Euler": lambda n: peer("Euler", n),
    }.items():
        print(f"| {name} | {cost(1):.2f} | {cost(cores):.2f} |", flush=True)
