"""What bodies at rest cost: python benchmarks/ipc_rest.py

CPU time and Newton iterations per step of stacks of cubes on a floor: while they fly, while they
land, and when they have come to rest (median of the steps of each phase).
"""

import os
import time

import numpy as np

os.environ.setdefault("DOVETAIL_QUIET", "1")
import dovetail as dt
from dovetail.integrators import ImplicitEuler

STEP = 0.01


def stacks(columns, high):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((60, 60, 1)), motion="static", position=(0, 0, -0.5))
    cube = dt.Box((1, 1, 1))
    for i in range(columns):
        for k in range(high):
            scene.add_body(
                f"cube {i} {k}", cube, density=1000,
                position=(2.0 * (i % 8), 2.0 * (i // 8), 0.7 + 1.05 * k),
            )  # fmt: skip
    return scene


def measured(scene, friction):
    stepper = ImplicitEuler().start(scene.build(), dt.contact.IPC(friction=friction))
    seconds, iterations, near = [], [], []
    for k in range(400):
        began = time.process_time()
        report = stepper.step(STEP * (k + 1))
        seconds.append(time.process_time() - began)
        iterations.append(report.iterations)
        near.append(report.near)
    return np.array(seconds), np.array(iterations), np.array(near)


def main():
    measured(stacks(1, 2), 0.3)  # compiles
    print(f"{'bodies':>8}{'friction':>10}{'flying us':>12}{'landing us':>12}{'at rest us':>12}"
          f"{'Newton landing':>16}{'at rest':>9}")  # fmt: skip
    for columns, high in ((1, 5), (8, 4), (32, 4)):
        for friction in (0.0, 0.3):
            seconds, iterations, near = measured(stacks(columns, high), friction)
            first = int(np.argmax(near))
            flying, landing, rest = slice(2, first), slice(first, first + 30), slice(-100, None)
            cost = [1e6 * np.median(seconds[phase]) for phase in (flying, landing, rest)]
            print(f"{columns * high:8}{friction:10.1f}" + "".join(f"{c:12.0f}" for c in cost)
                  + f"{iterations[landing].mean():16.1f}{iterations[rest].mean():9.2f}",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
