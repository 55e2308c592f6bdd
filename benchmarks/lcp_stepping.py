"""Time of a step with about 1000 contacts, ours beside MuJoCo's, in the same run.

Run: python benchmarks/lcp_stepping.py
CPU time (time.process_time), the least of two runs of ten steps. The same boxes, masses, friction,
gravity and step; MuJoCo with its defaults (Newton, pyramidal cones, 100 iterations, tolerance
1e-8), whose contacts are soft; ours are rigid and solved to 1e-8 of the largest speed.
"""

import time
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

import dovetail as dt

STEP, STEPS, FRICTION = 0.01, 10, 0.6
Box = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]


def sliding_boxes() -> list[Box]:
    """250 flat boxes that slide on the floor in all directions: half size, place, velocity."""
    random = np.random.default_rng(0)
    return [
        ((0.2, 0.2, 0.02), (k % 16, k // 16, 0.02), (*random.normal(size=2).tolist(), 0.0))
        for k in range(250)
    ]


def wall() -> list[Box]:
    """100 bricks, 10 rows, each on two below."""
    return [
        ((0.5, 0.25, 0.25), (c + 0.5 * (r % 2), 0.0, 0.25 + 0.5 * r), (0.0, 0.0, 0.0))
        for r in range(10)
        for c in range(10)
    ]


def ours(boxes: list[Box]) -> tuple[Any, Callable[[], int]]:
    """A stepper and the number of its contacts."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    for k, (half, place, velocity) in enumerate(boxes):
        size = tuple(2 * side for side in half)
        scene.add_body(f"{k}", dt.Box(size), density=1000, position=place, velocity=velocity)
    law = dt.contact.LCP(friction=FRICTION)
    stepper = dt.integrators.StewartTrinkle().start(scene.build(), law)
    return stepper, lambda: len(stepper.observe().contact.contacts.gaps)


def theirs(boxes: list[Box]) -> tuple[Any, Any]:
    bodies = "".join(
        f'<body pos="{" ".join(map(str, place))}"><freejoint/><geom type="box" density="1000" '
        f'size="{" ".join(map(str, half))}" friction="{FRICTION} 0 0" condim="3"/></body>'
        for half, place, _ in boxes
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}"/><size memory="256M"/><worldbody><geom type="plane" '
        f'size="50 50 1" friction="{FRICTION} 0 0" condim="3"/>{bodies}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    for k, (_, _, velocity) in enumerate(boxes):
        data.qvel[6 * k : 6 * k + 3] = velocity
    return model, data


def per_step(advance: Callable[[int], object], first: int) -> tuple[float, float]:
    """CPU time [s] of the first step, and the mean of those after it."""
    start = time.process_time()
    advance(first)
    middle = time.process_time()
    for k in range(first + 1, first + STEPS):
        advance(k)
    return middle - start, (time.process_time() - middle) / (STEPS - 1)


def measure(name: str, boxes: list[Box]) -> None:
    stepper, _ = ours(boxes)
    stepper.step(STEP)  # compile
    best = {"ours": [np.inf, np.inf], "MuJoCo": [np.inf, np.inf]}
    for _ in range(2):
        stepper, count = ours(boxes)
        times = per_step(lambda k, s=stepper: s.step(k * STEP), 1)
        best["ours"] = [min(pair) for pair in zip(best["ours"], times)]
        model, data = theirs(boxes)
        times = per_step(lambda k, m=model, d=data: mujoco.mj_step(m, d), 1)
        best["MuJoCo"] = [min(pair) for pair in zip(best["MuJoCo"], times)]
    contacts = count(), data.ncon
    for which, what in enumerate(("first step", "later steps")):
        mine, other = best["ours"][which], best["MuJoCo"][which]
        print(
            f"{name}, {what}: ours {1e3 * mine:.2f} ms ({contacts[0]} contacts), MuJoCo "
            f"{1e3 * other:.2f} ms ({contacts[1]} contacts), ratio {mine / other:.2f}"
        )


if __name__ == "__main__":
    measure("250 sliding boxes", sliding_boxes())
    measure("wall of 100 boxes", wall())
