"""Time per step and memory per body from 100 to 10 000 bodies: python benchmarks/ipc_scale.py

    python benchmarks/ipc_scale.py [--sizes 100 1000 10000] [--kinds wall net pour] [--steps 40]
                                   [--seconds 60] [--picture FILE.png]
`wall`: boxes four high on a floor (friction 0.3); `net`: rings that link rings, every fifth of
them held in both directions, from level; `pour`: convex parts that fall into a pit (friction 0.5,
steps of 5 ms). A scene ends after `--steps` steps or `--seconds` of CPU time. Prints CPU time and
Newton iterations of a step, mean over the second half of the steps taken, with all of setting up
and the memory that the process took for the scene; and the exponent p of bodies in
time = c bodies^p, fitted to all.
"""

import argparse
import os
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

os.environ.setdefault("DOVETAIL_QUIET", "1")
from ipc_piles import STEP, ours, pour
from ipc_scaling import wall

import dovetail as dt
from dovetail.integrators import default_for
from dovetail.linalg.lie import so3

RING, WIRE = 0.04, 0.006  # [m] radius of the circle of a ring and of its wire
PITCH = 2.8 * RING  # [m] from one level ring to the next; 3.4 where they are taut
NEARLY_TAUT = 3.3 * RING
PAGE = os.sysconf("SC_PAGE_SIZE")  # [bytes]


class Size(NamedTuple):
    """One scene of a series."""

    bodies: int
    steps: int
    contacts: int  # at the end
    iterations: float  # of a step
    ms: float  # CPU time of a step
    set_up: float  # [s] CPU time until the first step has been made
    memory: float  # [bytes]


def net(n: int, pitch: float = PITCH, held: bool = False) -> dt.Scene:
    """n by n level rings; one upright ring links each with the next, along x and along y.

    `held`: by every fifth ring in both directions.
    """
    scene = dt.Scene(gravity=(0, 0, -9.81))
    shape = dt.Torus(RING, WIRE, segments=16)
    upright = (so3.exp([np.pi / 2, 0, 0]), so3.exp([0, np.pi / 2, 0]))
    for i in range(n):
        for j in range(n):
            peg = i % 5 == 0 and j % 5 == 0
            scene.add_body(
                f"ring {i} {j}", shape, density=7800, position=(pitch * i, pitch * j, 0),
                motion="static" if held and peg else "dynamic",
            )  # fmt: skip
            for axis, more in enumerate(((i + 0.5, j), (i, j + 0.5))):
                if max(more) <= n - 1:
                    scene.add_body(
                        f"link {i} {j} {axis}", shape, density=7800,
                        position=(pitch * more[0], pitch * more[1], 0), rotation=upright[axis],
                    )  # fmt: skip
    return scene


def started(kind: str, count: int) -> tuple[Any, float]:
    """(a stepper of about so many bodies, its step [s])."""
    if kind == "pour":
        return ours([pour("part", count, 0)], 0.5), STEP
    if kind == "wall":
        scene, law, h = wall(count, 0.3)
    else:
        side = max(2, round((count / 3) ** 0.5))
        scene, law, h = net(side, NEARLY_TAUT, held=True), dt.contact.IPC(friction=0.2), 5e-3
    model = scene.build()
    return default_for(law, model).start(model, law), h


def resident() -> int:
    """[bytes] of memory of this process."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE
    except OSError:
        return 0


def measured(kind: str, count: int, steps: int, seconds: float) -> Size:
    before, began = resident(), time.process_time()
    stepper, h = started(kind, count)
    stepper.step(h)
    set_up = time.process_time() - began
    spent: list[float] = []
    newton: list[int] = []
    while len(spent) < steps - 1 and sum(spent) < seconds:
        began = time.process_time()
        report = stepper.step(h * (len(spent) + 2))
        spent.append(time.process_time() - began)
        newton.append(report.iterations)
    late = slice(len(spent) // 2, None)
    return Size(
        len(stepper.bodies.x), len(spent) + 1, len(stepper.observe().contact.contacts.gaps),
        float(np.mean(newton[late])), 1e3 * float(np.mean(spent[late])), set_up,
        resident() - before,
    )  # fmt: skip


def exponent(sizes: list[Size]) -> float:
    logs = np.log([(size.bodies, size.ms) for size in sizes])
    return float(np.polyfit(*logs.T, 1)[0])


def draw(found: dict[str, list[Size]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 4), layout="constrained")
    axes = figure.subplots()
    for kind, sizes in found.items():
        label = f"{kind}: {exponent(sizes):.2f}"
        axes.loglog([s.bodies for s in sizes], [s.ms for s in sizes], "o-", label=label)
    axes.set_xlabel("bodies")
    axes.set_ylabel("CPU time per step [ms]")
    axes.legend(title="exponent")
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 1000, 10_000])
    parser.add_argument("--kinds", nargs="+", default=["wall", "net", "pour"])
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    found: dict[str, list[Size]] = {}
    print(
        "| scene | bodies | steps | contacts | Newton / step | ms / step | us / body | set-up [s] "
        "| kB / body |\n|---|---|---|---|---|---|---|---|---|"
    )
    for kind in options.kinds:
        measured(kind, 12, 12, 10.0)  # compiles
        found[kind] = []
        for count in options.sizes:
            size = measured(kind, count, options.steps, options.seconds)
            found[kind].append(size)
            print(
                f"| {kind} | {size.bodies} | {size.steps} | {size.contacts} "
                f"| {size.iterations:.1f} | {size.ms:.2f} | {1e3 * size.ms / size.bodies:.0f} "
                f"| {size.set_up:.2f} | {size.memory / size.bodies / 1e3:.1f} |", flush=True,
            )  # fmt: skip
    if len(options.sizes) > 1:
        powers = (f"{kind} {exponent(sizes):.2f}" for kind, sizes in found.items())
        print("\nExponents of the number of bodies:", ", ".join(powers))
    if options.picture:
        draw(found, options.picture)


if __name__ == "__main__":
    main()
