"""Heaps of boxes and balls in a pit under LCP, beside MuJoCo, in the same run.

Run: python benchmarks/heaps.py [--shape box|ball] [--counts 100 500 2000] [--seeds 10]
     [--duration 10] [--step 0.005] [--no-mujoco]
CPU time (time.process_time) per step. The same bodies, masses, friction, gravity and step; MuJoCo
with its defaults, whose contacts are soft. Bodies are dropped in layers at random turns into a pit
with four walls. Prints for each seed the mean and the largest time of a step, the median of steps
in which a body is awake (a heap that sleeps costs next to nothing, so the median of all says
little), the ratio to MuJoCo's mean, and the residual of contact laws [m/s]; at the end the exponent
of the mean time over the number of bodies.
"""

import argparse
import time
import warnings
from typing import Any, NamedTuple

import numpy as np

import dovetail as dt
from dovetail.linalg.lie import so3

FRICTION, SIDE = 0.5, 0.1


class Heap(NamedTuple):
    """Bodies of one heap."""

    shape: str
    half: float  # [m] half the inner width of the pit
    place: np.ndarray[Any, Any]  # (n, 3) [m]
    turn: np.ndarray[Any, Any]  # (n, 3) rotation vectors
    size: np.ndarray[Any, Any]  # (n, 3) [m] half sides, or the radius three times


def heap(shape: str, count: int, seed: int) -> Heap:
    rng = np.random.default_rng(seed)
    side = max(2, round((count / 2) ** (1 / 3)))
    k = np.arange(count)
    spacing = 1.9 * SIDE
    place = np.column_stack([k % side, k // side % side, k // side**2]).astype(float)
    place -= np.array([0.5 * (side - 1), 0.5 * (side - 1), -0.6])
    place = spacing * place + 0.05 * SIDE * rng.uniform(-1, 1, (count, 3))
    size = 0.5 * SIDE * rng.uniform(0.7, 1.0, (count, 3))
    if shape == "ball":
        size = np.repeat(size[:, :1], 3, axis=1)
    return Heap(shape, 0.5 * spacing * side + SIDE, place, rng.normal(size=(count, 3)), size)


def walls(half: float) -> list[tuple[tuple[float, float, float], tuple[float, float, float]]]:
    """Half sides and places of the floor and four walls of the pit."""
    high, thick = 20 * half, half
    return [
        ((3 * half, 3 * half, thick), (0, 0, -thick)),
        ((thick, 3 * half, high), (half + thick, 0, high)),
        ((thick, 3 * half, high), (-half - thick, 0, high)),
        ((3 * half, thick, high), (0, half + thick, high)),
        ((3 * half, thick, high), (0, -half - thick, high)),
    ]


def ours(made: Heap, **options: Any) -> Any:
    scene = dt.Scene(gravity=(0, 0, -9.81))
    for k, (size, place) in enumerate(walls(made.half)):
        box = dt.Box(tuple(2 * side for side in size))
        scene.add_body(f"wall{k}", box, motion="static", position=place)
    for k, (place, turn, size) in enumerate(zip(made.place, made.turn, made.size)):
        shape = dt.Box(2 * size) if made.shape == "box" else dt.Sphere(size[0])
        scene.add_body(f"{k}", shape, density=1000, position=place, rotation=so3.exp(turn))
    law = dt.contact.LCP(friction=FRICTION, **options)
    return dt.integrators.StewartTrinkle().start(scene.build(), law)


def theirs(made: Heap, step: float) -> tuple[Any, Any]:
    import mujoco

    def words(values: Any) -> str:
        return " ".join(str(float(value)) for value in values)

    kind = "box" if made.shape == "box" else "sphere"
    bodies = "".join(
        f'<body pos="{words(place)}" axisangle="{words(turn)} {np.linalg.norm(turn)}"><freejoint/>'
        f'<geom type="{kind}" density="1000" size="{words(size[: 3 if kind == "box" else 1])}" '
        f'friction="{FRICTION} 0 0" condim="3"/></body>'
        for place, turn, size in zip(made.place, made.turn, made.size)
    )
    pit = "".join(
        f'<geom type="box" size="{words(size)}" pos="{words(place)}" friction="{FRICTION} 0 0" '
        'condim="3"/>'
        for size, place in walls(made.half)
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian"/><option timestep="{step}"/><size memory="2G"/>'
        f"<worldbody>{pit}{bodies}</worldbody></mujoco>"
    )
    return model, mujoco.MjData(model)


def timed(advance: Any, steps: int) -> np.ndarray[Any, Any]:
    """(steps,) CPU time [s] of each."""
    times = np.zeros(steps)
    for k in range(steps):
        start = time.process_time()
        advance(k)
        times[k] = time.process_time() - start
    return times


def run(shape: str, count: int, seed: int, steps: int, step: float, peer: bool) -> float:
    """Print one line; the mean time of a step [s]."""
    made = heap(shape, count, seed)
    stepper, residual, speeds, awake = ours(made), [], [], np.zeros(steps, np.bool_)

    def advance(k: int) -> None:
        residual.append(stepper.step((k + 1) * step).residual)
        speeds.append(np.abs(stepper.bodies.v).max())
        awake[k] = speeds[-1] > 0

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        times = timed(advance, steps)
    low = stepper.bodies.x[5:, 2].min() / SIDE
    median = np.median(times[awake])
    text = (
        f"{count} {shape}s, seed {seed}: {1e3 * times.mean():.2f} ms a step; awake for "
        f"{step * awake.sum():.2f} s: median {1e3 * median:.2f}, worst {1e3 * times.max():.1f}, "
        f"{times.max() / median:.1f} times it; residual median "
        f"{np.median(residual):.1e} p95 {np.quantile(residual, 0.95):.1e} max {max(residual):.1e} "
        f"of the speed, last speed {speeds[-1]:.2g} m/s, lowest {low:.2f}, warnings {len(caught)}"
    )
    if peer:
        import mujoco

        model, data = theirs(made, step)
        other = timed(lambda _: mujoco.mj_step(model, data), steps)
        text += (
            f"; MuJoCo {1e3 * other.mean():.2f} ms ({data.ncon} contacts, worst "
            f"{1e3 * other.max():.1f}), ratio {times.mean() / other.mean():.1f}"
        )
    print(text, flush=True)
    return float(times.mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=("box", "ball"), default="box")
    parser.add_argument("--counts", type=int, nargs="+", default=[100, 500, 2000])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--duration", type=float, default=10.0)
    parser.add_argument("--step", type=float, default=0.005)
    parser.add_argument("--no-mujoco", action="store_true")
    asked = parser.parse_args()
    warm = ours(heap(asked.shape, 20, 0))  # compiles and loads all that a heap needs
    timed(lambda k: warm.step((k + 1) * asked.step), 120)
    steps, means = round(asked.duration / asked.step), []
    for count in asked.counts:
        seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
        peer = not asked.no_mujoco
        times = [run(asked.shape, count, seed, steps, asked.step, peer) for seed in seeds]
        means.append(np.mean(times))
    if len(means) > 1:
        exponent = np.polyfit(np.log(asked.counts), np.log(means), 1)[0]
        print(f"time of a step grows as the number of bodies to the power {exponent:.2f}")


if __name__ == "__main__":
    main()
