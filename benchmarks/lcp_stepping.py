"""Time of a step with about 1000 contacts, ours beside MuJoCo's, in the same run.

Run: python benchmarks/lcp_stepping.py
CPU time (time.process_time), the least of three runs of ten steps. The same boxes, masses,
friction, gravity and step; MuJoCo with its defaults (Newton, pyramidal cones, 100 iterations,
tolerance 1e-8), whose contacts are soft; ours are rigid and solved to 1e-8 of the largest speed.
Boxes placed at gaps of zero have no force at first in MuJoCo, and sliding ones hop, so that it has
fewer contacts to solve; after a second at rest both have about a thousand.
"""

import time
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

import dovetail as dt
from dovetail.linalg.lie import so3

STEP, STEPS, SETTLING, FRICTION = 0.01, 10, 100, 0.6
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


def timed(advance: Callable[[int], object]) -> tuple[float, float, float]:
    """CPU time [s] of the first step, and the means of those after it and of all."""
    start = time.process_time()
    advance(1)
    middle = time.process_time()
    for k in range(2, STEPS + 1):
        advance(k)
    end = time.process_time()
    return middle - start, (end - middle) / (STEPS - 1), (end - start) / STEPS


def settled(boxes: list[Box]) -> tuple[Any, Any, Any, Any, float]:
    """Ours and MuJoCo's after SETTLING steps without the boxes' velocities, and the time."""
    still = [(half, place, (0.0, 0.0, 0.0)) for half, place, _ in boxes]
    stepper, count = ours(still)
    model, data = theirs(still)
    for k in range(1, SETTLING + 1):
        stepper.step(k * STEP)
        mujoco.mj_step(model, data)
    return stepper, count, model, data, SETTLING * STEP


def fresh(boxes: list[Box]) -> tuple[Any, Any, Any, Any, float]:
    return *ours(boxes), *theirs(boxes), 0.0


def measure(name: str, start: Callable[[list[Box]], Any], boxes: list[Box]) -> None:
    ours(boxes)[0].step(STEP)  # compile
    best = {who: [np.inf] * 3 for who in ("ours", "MuJoCo")}
    contacts = [0, 0]
    for _ in range(3):
        stepper, count, model, data, t = start(boxes)
        times = timed(lambda k, s=stepper, t=t: s.step(t + k * STEP))
        best["ours"] = [min(pair) for pair in zip(best["ours"], times)]
        counts = []

        def advance(_: int, m: Any = model, d: Any = data, seen: list[int] = counts) -> None:
            mujoco.mj_step(m, d)
            seen.append(d.ncon)

        times = timed(advance)
        best["MuJoCo"] = [min(pair) for pair in zip(best["MuJoCo"], times)]
        contacts = [count(), round(np.mean(counts[1:]))]
    for which, what in enumerate(("first step", "steps 2 to 10", "all ten")):
        mine, other = best["ours"][which], best["MuJoCo"][which]
        print(
            f"{name}, {what}: ours {1e3 * mine:.2f} ms ({contacts[0]} contacts), MuJoCo "
            f"{1e3 * other:.2f} ms ({contacts[1]} contacts), ratio {mine / other:.2f}",
            flush=True,
        )


def dropped_heap() -> None:
    """40 boxes of random sizes and turns dropped on each other, 400 steps of 5 ms."""
    random = np.random.default_rng(0)
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    for k in range(40):
        size = 0.5 + 0.5 * random.random(3)
        place = (random.uniform(-1, 1), random.uniform(-1, 1), 1 + 0.9 * k)
        turn = so3.exp(random.normal(size=3))
        scene.add_body(f"{k}", dt.Box(size), density=500, position=place, rotation=turn)
    stepper = dt.integrators.StewartTrinkle().start(scene.build(), dt.contact.LCP(friction=0.5))
    start = time.process_time()
    reports = [stepper.step(0.005 * k) for k in range(1, 401)]
    taken = (time.process_time() - start) / len(reports)
    counts = [report.iterations for report in reports]
    print(
        f"40 boxes dropped on a heap: {1e3 * taken:.1f} ms per step, {np.mean(counts):.0f} sweeps "
        f"and factorisations (most {max(counts)}), residual at most "
        f"{max(report.residual for report in reports):.1e} of the largest speed"
    )


if __name__ == "__main__":
    dropped_heap()
    measure("250 boxes at rest for 1 s", settled, sliding_boxes())
    measure("250 boxes sliding, placed at gaps of zero", fresh, sliding_boxes())
    measure("wall of 100 boxes at rest for 1 s", settled, wall())
    measure("wall of 100 boxes placed at gaps of zero", fresh, wall())
