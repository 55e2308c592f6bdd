"""A busy scene for a long time under each contact method: is memory flat, energy sane, path free?

    python benchmarks/soak.py --minutes 60 --folder soak    # of wall time, for each method
Balls and boxes tumble in a closed box that is shaken. Stopped or killed, the same command goes on
where it was; minutes already done count. Without --folder nothing is kept. Printed for each method:
simulated time, slope of memory (of the process, after the first tenth), energy of the second half
against the first, the deepest overlap, whether every part stayed in the box, and the verifier's
verdict on what methods without intersection promise. Exit code 1 when one is not content.
"""

import argparse
import csv
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

import dovetail as dt
from dovetail.verifier.certificate import certify

SIDE, WALL = 1.0, 0.2  # [m]
SWAY, LONGEST = 0.05, 3600.0  # [m] at 1 Hz; [s] of simulated time
LOOK = 2.0  # [s] of wall time between two looks at memory
METHODS = {
    "ipc": (lambda: dt.contact.IPC(friction=0.2), 0.01),
    "sdf": (
        lambda: dt.contact.SDF(
            friction=0.2, restitution=0.5, stiffness=3e5, exponent=1.0, shared=True
        ),
        5e-4,
    ),
    "lcp": (lambda: dt.contact.LCP(friction=0.2, restitution=0.3), 5e-3),
}
STEEPEST = 30.0  # [MB/h] of memory that still counts as flat, in a run of an hour
DEEPEST = 0.01  # [m] of overlap, a tenth of the smallest part
MAX_ENERGY = 2.0  # largest kinetic energy of the second half over that of the first


def busy_scene() -> dt.Scene:
    """Twelve parts in a box of six walls that sways sideways, 5 cm at 1 Hz."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    times = np.linspace(0, LONGEST, int(LONGEST) * 20 + 1)
    sway = SWAY * np.sin(2 * np.pi * times)
    for axis in range(3):
        for side in (-1, 1):
            size = np.full(3, SIDE + 2 * WALL)
            size[axis] = WALL
            place = np.zeros(3)
            place[axis] = side * (SIDE + WALL) / 2
            positions = np.tile(place, (len(times), 1))
            positions[:, 0] += sway
            scene.add_body(
                f"wall {'xyz'[axis]}{side:+d}", dt.Box(tuple(size)), motion="kinematic",
                group="walls",
                trajectory=dt.PoseTable(times, positions),
            )  # fmt: skip
    rng = np.random.default_rng(1)
    for k, place in enumerate(np.argwhere(np.ones((2, 2, 3)))):
        shape = dt.Sphere(0.08) if k % 2 else dt.Box((0.15, 0.12, 0.1))
        scene.add_body(
            f"part {k}", shape, density=1000, position=(place - (0.5, 0.5, 1)) * 0.3,
            velocity=rng.normal(size=3),
        )  # fmt: skip
    return scene


def run(name: str, minutes: float, folder: Path) -> dt.Result:
    """Go on until so many minutes of wall time are spent in all; looks are kept in a table."""
    make, step = METHODS[name]
    process, looks = psutil.Process(), folder / f"{name}.csv"
    spent = max((row[0] for row in looks_in(looks)), default=0.0)
    last = [0.0]  # wall time of the last look; 0: the first step is not done yet
    with looks.open("a", newline="") as file:
        writer = csv.writer(file)

        def watch(t: float, state: object) -> None:
            nonlocal spent
            now = time.monotonic()
            if not last[0]:
                last[0] = now  # what came before was compiling
            if now - last[0] < LOOK:
                return
            spent += now - last[0]
            last[0] = now
            writer.writerow([f"{spent:.1f}", t, process.memory_info().rss, os.getpid()])
            file.flush()
            if spent >= 60 * minutes:
                os.kill(os.getpid(), signal.SIGINT)  # as Ctrl-C: leaves a checkpoint

        return dt.simulate(
            busy_scene(), LONGEST, step, contact=make(), every=max(1, round(0.05 / step)),
            out=folder / f"{name}.h5", resume=True, on_step=watch, progress=False,
        )  # fmt: skip


def looks_in(path: Path) -> list[tuple[float, float, float, float]]:
    """Rows of wall time [s], simulated time [s], memory [bytes], process."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [tuple(map(float, row)) for row in csv.reader(file) if len(row) == 4]


def memory_slope(rows: list[tuple[float, float, float, float]]) -> tuple[float, float, float]:
    """First and last memory [MB] of the longest process after its first tenth, and MB an hour."""
    pids = [row[3] for row in rows]
    longest = max(set(pids), key=pids.count)
    wall, memory = np.array([(r[0], r[2] / 1e6) for r in rows if r[3] == longest]).T
    late = wall > wall[0] + 0.1 * (wall[-1] - wall[0])
    slope = np.polyfit(wall[late] / 3600, memory[late], 1)[0] if late.sum() > 2 else np.nan
    return memory[late][0] if late.any() else np.nan, memory[-1], float(slope)


def farthest(result: dt.Result) -> float:
    """[m] by which the centre of a part has left the box; negative if none has."""
    sway = result.position("wall z-1")
    parts = [name for name in result.names if name.startswith("part")]
    return max(float(np.abs(result.position(p) - sway * (1, 0, 0)).max()) for p in parts) - SIDE / 2


def is_sound(name: str, result: dt.Result, rows: list[tuple[float, float, float, float]]) -> bool:
    first, last, slope = memory_slope(rows)
    kinetic = result.energy["kinetic"]
    middle = len(kinetic) // 2
    share = float(kinetic[middle:].max() / kinetic[:middle].max())
    gaps = result.contacts.all()[1].gaps
    deepest = max(0.0, -float(gaps.min(initial=0.0)))
    outside = farthest(result)
    promised = name == "ipc"
    verdict = certify(result).verdict if promised else "no promise to verify"
    print(
        f"{name}: {result.time[-1]:.1f} s simulated in {rows[-1][0] / 60:.1f} min, "
        f"{len(result.time)} frames; memory {first:.0f} to {last:.0f} MB ({slope:+.1f} MB/h); "
        f"kinetic energy at most {kinetic.max():.3g} J, in the second half {share:.2f} of the "
        f"first; deepest overlap {1e3 * deepest:.2f} mm; parts stay "
        f"{-1e3 * outside:.0f} mm inside the box; verifier: {verdict}",
        flush=True,
    )
    sane = share < MAX_ENERGY and np.isfinite(result.energy["total"]).all()
    flat = slope < STEEPEST or rows[-1][0] < 1800  # a few minutes say little about an hour
    free = verdict == "free" if promised else deepest < DEEPEST
    return bool(sane and flat and free and outside < 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--method", choices=METHODS, action="append")
    parser.add_argument("--folder", type=Path, help="keep results here and go on from them")
    options = parser.parse_args()
    content = True
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in options.method or METHODS:
            result = run(name, options.minutes, folder)
            content = is_sound(name, result, looks_in(folder / f"{name}.csv")) and content
    sys.exit(0 if content else 1)


if __name__ == "__main__":
    main()
