"""What it takes to set up scenes of many bodies before the first step.

    python benchmarks/set_up.py [100 1000 10000] [--contact ipc]
Boxes and balls with a shape of their own each, apart from each other over a half-space. CPU times
of filling the scene, of checking it (`scene.build()`) and of all of `dt.Simulation`.
"""

import argparse
import os
import time

import numpy as np

os.environ.setdefault("DOVETAIL_QUIET", "1")
import dovetail as dt

SIZE, SPACING = 0.1, 0.15  # [m]


def filled(n: int, of_balls: bool) -> dt.Scene:
    """n bodies in a cubic grid."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    side = int(np.ceil(n ** (1 / 3)))
    for k in range(n):
        shape = dt.Sphere(SIZE / 2) if of_balls else dt.Box((SIZE,) * 3)
        at = np.array([k % side, k // side % side, k // side**2])
        scene.add_body(str(k), shape, density=1000, position=SPACING * at + [0, 0, SIZE])
    return scene


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", nargs="*", type=int, default=[100, 1000, 10_000])
    parser.add_argument("--contact", default="ipc")
    options = parser.parse_args()
    dt.Simulation(filled(2, True), contact=options.contact, step=5e-3)  # imports and kernels
    for of_balls in (False, True):
        for n in options.counts:
            began = time.process_time()
            scene = filled(n, of_balls)
            there = time.process_time()
            scene.build()
            checked = time.process_time()
            dt.Simulation(scene, contact=options.contact, step=5e-3)
            took = time.process_time() - checked
            print(
                f"{n} {'balls' if of_balls else 'boxes'}: scene {there - began:.3f} s, checks "
                f"{checked - there:.3f} s, Simulation {took:.3f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
