"""Pours into a box under IPC: Newton iterations and CPU time of a step, MuJoCo beside them.

    python benchmarks/ipc_piles.py [--shape part|cube] [--counts 16 100 500] [--steps 60]
                                   [--friction 0.5] [--boxes 1] [--cores 2 4] [--no-mujoco]
Bodies at random turns in layers fall into a pit with four walls: `part` are convex hulls of random
points, `cube` boxes of about equal sides. Steps of 5 ms. Prints by phase (falling, landing, heap: a
third of the steps each) the median and largest number of Newton iterations and the CPU time of a
step, MuJoCo's time of the same phase (its defaults, soft contacts) and their ratio. With
`--boxes k` k pits of the given count stand far apart in one scene; then the same pits run one after
another, and the ratio of both times is printed. With `--cores` one thread runs the step and takes
the time of every piece of work that threads share; printed is how much faster so many cores would
be, each taking the next piece when it has done one, and the share of the rest.
"""

import argparse
import heapq
import time
from typing import Any, NamedTuple

import numpy as np

import dovetail as dt
from dovetail.contact.ipc.clusters import solver as clusters
from dovetail.integrators import default_for
from dovetail.linalg.exact.convex_hull import convex_hull
from dovetail.linalg.lie import so3

STEP, SIDE, DENSITY = 0.005, 0.1, 1000.0
POINTS = 14  # of a convex part
APART = 50.0  # times the half width of a pit: from one to the next
PHASES = ("falling", "landing", "heap")


class Pour(NamedTuple):
    """Bodies above one pit."""

    half: float  # [m] half the inner width of the pit
    place: Any  # (n, 3) [m]
    turn: Any  # (n, 3) rotation vectors
    points: list[Any]  # (k, 3) [m] corners of each body
    faces: list[Any]  # (f, 3) their triangles
    offset: Any  # (3,) [m] of the pit


class Phase(NamedTuple):
    """What a run needed in each of its steps."""

    iterations: Any
    seconds: Any


def corners(shape: str, rng: np.random.Generator) -> Any:
    """Corners of one body, whose centre of mass is near the origin."""
    if shape == "cube":
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return 0.5 * SIDE * rng.uniform(0.7, 1.0, 3) * signs
    points = rng.normal(size=(POINTS, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    return 0.6 * SIDE * rng.uniform(0.7, 1.0, 3) * points


def pour(shape: str, count: int, seed: int, number: int = 0) -> Pour:
    """`count` bodies above pit `number`."""
    rng = np.random.default_rng(seed)
    side = max(2, round((count / 2) ** (1 / 3)))
    spacing, k = 1.9 * SIDE, np.arange(count)
    place = np.column_stack([k % side, k // side % side, k // side**2]).astype(float)
    place -= np.array([0.5 * (side - 1), 0.5 * (side - 1), -0.6])
    place = spacing * place + 0.05 * SIDE * rng.uniform(-1, 1, (count, 3))
    half = 0.5 * spacing * side + 0.5 * SIDE
    points = [corners(shape, rng) for _ in range(count)]
    offset = np.array([APART * half * number, 0.0, 0.0])
    return Pour(
        half, place, rng.normal(size=(count, 3)), points, [convex_hull(p) for p in points], offset
    )


def walls(half: float) -> list[tuple[Any, Any]]:
    """Half sides and places of the floor and four walls of a pit."""
    high, thick = 20 * half, half
    return [
        ((3 * half, 3 * half, thick), (0, 0, -thick)),
        ((thick, 3 * half, high), (half + thick, 0, high)),
        ((thick, 3 * half, high), (-half - thick, 0, high)),
        ((3 * half, thick, high), (0, half + thick, high)),
        ((3 * half, thick, high), (0, -half - thick, high)),
    ]


def ours(pours: list[Pour], friction: float) -> Any:
    """A stepper of all pits."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    for n, made in enumerate(pours):
        for k, (size, place) in enumerate(walls(made.half)):
            box = dt.Box(tuple(2 * side for side in size))
            at = np.asarray(place) + made.offset
            scene.add_body(f"wall {n}.{k}", box, motion="static", position=at)
        for k, (place, turn) in enumerate(zip(made.place, made.turn)):
            scene.add_body(
                f"body {n}.{k}", dt.Mesh(made.points[k], made.faces[k]), density=DENSITY,
                position=place + made.offset, rotation=so3.exp(turn),
            )  # fmt: skip
    model, law = scene.build(), dt.contact.IPC(friction=friction)
    return default_for(law, model).start(model, law)


def theirs(pours: list[Pour], friction: float) -> tuple[Any, Any]:
    """The same pits for MuJoCo."""
    import mujoco

    def words(values: Any) -> str:
        return " ".join(str(float(value)) for value in np.ravel(values))

    surface = f'friction="{friction} 0 0" condim="3"'
    assets, bodies, pits = "", "", ""
    for n, made in enumerate(pours):
        for k, (place, turn) in enumerate(zip(made.place, made.turn)):
            assets += f'<mesh name="m{n}_{k}" vertex="{words(made.points[k])}"/>'
            angle = np.linalg.norm(turn)
            bodies += (
                f'<body pos="{words(place + made.offset)}" axisangle="{words(turn)} {angle}">'
                f'<freejoint/><geom type="mesh" mesh="m{n}_{k}" density="{DENSITY}" {surface}/>'
                "</body>"
            )
        for size, place in walls(made.half):
            at = words(np.asarray(place) + made.offset)
            pits += f'<geom type="box" size="{words(size)}" pos="{at}" {surface}/>'
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian"/><option timestep="{STEP}"/><size memory="2G"/>'
        f"<asset>{assets}</asset><worldbody>{pits}{bodies}</worldbody></mujoco>"
    )
    return model, mujoco.MjData(model)


def run(stepper: Any, steps: int, limit: float) -> Phase:
    """Iterations and CPU time [s] of each step; ends after `limit` seconds."""
    iterations, seconds = [], []
    for k in range(steps):
        began = time.process_time()
        iterations.append(stepper.step((k + 1) * STEP).iterations)
        seconds.append(time.process_time() - began)
        if sum(seconds) > limit:
            break
    return Phase(np.array(iterations), np.array(seconds))


class Pieces:
    """In place of `in_threads`: one thread, which notes the CPU time [s] of each piece."""

    def __init__(self) -> None:
        self.calls: list[list[float]] = []

    def __call__(self, work: Any, items: Any) -> list[Any]:
        results, times = [], []
        for item in items:
            began = time.process_time()
            results.append(work(item))
            times.append(time.process_time() - began)
        self.calls.append(times)
        return results

    def seconds(self, cores: int) -> float:
        """[s] that so many cores need for all calls."""
        total = 0.0
        for times in self.calls:
            busy = [0.0] * cores
            for each in times:
                heapq.heappush(busy, heapq.heappop(busy) + each)
            total += max(busy)
        return total


def report_cores(name: str, made: list[Pour], friction: float, asked: Any) -> None:
    """How much faster the cores asked for would be."""
    pieces, stepper, known = Pieces(), ours(made, friction), clusters.in_threads
    stepper.step(STEP)
    clusters.in_threads = pieces  # type: ignore[assignment]
    began = time.process_time()
    for k in range(1, asked.steps):
        stepper.step((k + 1) * STEP)
    total = time.process_time() - began
    clusters.in_threads = known
    rest = total - pieces.seconds(1)
    faster = ", ".join(
        f"{total / (rest + pieces.seconds(cores)):.2f} times with {cores} cores"
        for cores in asked.cores
    )
    print(f"{name}: {faster}; {100 * rest / total:.1f} % of the time is not in clusters")


def report(name: str, mine: Phase, steps: int, other: Any) -> None:
    """One line by phase."""
    if len(mine.seconds) < steps:
        print(f"{name}: stopped after {len(mine.seconds)} of {steps} steps")
    for k, phase in enumerate(PHASES):
        part = slice(k * steps // 3, (k + 1) * steps // 3)
        counts, times = mine.iterations[part], mine.seconds[part]
        if not len(counts):
            continue
        text = (
            f"{name}, {phase}: iterations median {np.median(counts):.0f} mean {counts.mean():.1f} "
            f"max {counts.max()}; {1e3 * times.mean():.2f} ms a step (median "
            f"{1e3 * np.median(times):.2f}, worst {1e3 * times.max():.1f})"
        )
        if other is not None:
            theirs_mean = other[part][: len(times)].mean()
            text += f"; MuJoCo {1e3 * theirs_mean:.2f} ms, ratio {times.mean() / theirs_mean:.1f}"
        print(text, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=("part", "cube"), default="part")
    parser.add_argument("--counts", type=int, nargs="+", default=[16, 100, 500])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--friction", type=float, nargs="+", default=[0.5])
    parser.add_argument("--boxes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=300.0, help="CPU time [s] of a run")
    parser.add_argument("--cores", type=int, nargs="+", default=[])
    parser.add_argument("--no-mujoco", action="store_true")
    asked = parser.parse_args()
    ours([pour(asked.shape, 8, 0)], 0.5).step(STEP)  # compile
    for count in asked.counts:
        pours = [pour(asked.shape, count, asked.seed + n, n) for n in range(asked.boxes)]
        for friction in asked.friction:
            name = f"{asked.boxes} x {count} {asked.shape}s, mu {friction:g}"
            other = None
            if not asked.no_mujoco:
                import mujoco

                model, data = theirs(pours, friction)
                other = np.zeros(asked.steps)
                for k in range(asked.steps):
                    began = time.process_time()
                    mujoco.mj_step(model, data)
                    other[k] = time.process_time() - began
            mine = run(ours(pours, friction), asked.steps, asked.limit)
            report(name, mine, asked.steps, other)
            if asked.cores:
                report_cores(name, pours, friction, asked)
            if asked.boxes > 1:
                alone = [run(ours([one], friction), asked.steps, asked.limit) for one in pours]
                total = sum(each.seconds.sum() for each in alone)
                most = max(each.iterations.mean() for each in alone)
                print(
                    f"{name}: together {mine.seconds.sum():.2f} s and {mine.iterations.mean():.1f} "
                    f"iterations a step, one after another {total:.2f} s and at most {most:.1f}: "
                    f"ratio {mine.seconds.sum() / total:.2f}"
                )


if __name__ == "__main__":
    main()
