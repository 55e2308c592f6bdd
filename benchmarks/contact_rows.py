"""What contact must reach with its defaults, row by row: what is wanted beside what is measured.

Run: python benchmarks/contact_rows.py [--only PART] [--models FOLDER] [--arm ARM.xml] [--long]
MODELS has robots as github.com/google-deepmind/mujoco_menagerie has them, for the rows of robots;
`--long` runs the heaps for 10 s instead of 1. CPU time (time.process_time); ratios are to MuJoCo in
the same run. `dovetail bench agreement` has the same scenes under all methods.
"""

import argparse
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np

import dovetail as dt
from dovetail.linalg.lie import so3

os.environ["DOVETAIL_QUIET"] = "1"
warnings.simplefilter("ignore")
G = 9.81
METHODS: dict[str, Any] = {"IPC": dt.contact.IPC, "SDF": dt.contact.SDF, "LCP": dt.contact.LCP}
HERE = Path(__file__).parent


class Row(NamedTuple):
    """One line of the table."""

    what: str
    wanted: str
    measured: str


def run(scene: dt.Scene, method: str, duration: float, h: float, **options: Any) -> Any:
    contact = METHODS[method](**options)
    return dt.simulate(scene, duration, h, contact=contact, progress=False)


def gained(result: Any) -> float:
    """[J] largest rise of the total energy above its least value before."""
    total = result.energy["total"]
    return float(np.max(total - np.minimum.accumulate(total)))


def on_floor(shape: Any = None) -> dt.Scene:
    scene = dt.Scene(gravity=(0, 0, -G))
    place = (0, 0, 0) if isinstance(shape, dt.HalfSpace) else (0, 0, -0.5)
    floor = dt.Box((6, 6, 1)) if shape is None else shape
    scene.add_body("floor", floor, motion="static", position=place)
    return scene


def crate() -> Iterator[Row]:
    ends = {}
    for name, method, floor in (
        ("LCP", "LCP", None), ("IPC", "IPC", None), ("SDF on a box", "SDF", None),
        ("SDF on a half-space", "SDF", dt.HalfSpace()),
    ):  # fmt: skip
        scene = on_floor(floor)
        scene.add_body("crate", dt.Box((0.3, 0.2, 0.15)), density=500, position=(0, 0, 0.5),
                       velocity=(1.5, 0.3, 0), angular_velocity=(1, 2, 3))  # fmt: skip
        result = run(scene, method, 1.5, 1e-3, friction=0.4)
        ends[name] = result.position("crate")[-1]
        off = np.linalg.norm((ends[name] - ends["LCP"])[:2])
        x, y = ends[name][:2]
        yield Row(f"crate thrown, {name}", "within 10 mm of LCP, no energy gained",
                  f"({x:.3f}, {y:.3f}), {1e3 * off:.1f} mm, {gained(result):.0e} J")  # fmt: skip


def coarse_steps() -> Iterator[Row]:
    scene = on_floor()
    for k in range(5):
        scene.add_body(f"{k}", dt.Box((0.2,) * 3), density=500, position=(0, 0, 0.1 + 0.2 * k))
    result = run(scene, "SDF", 0.5, 1e-3, friction=0.5)
    top = abs(result.position("4")[-1, 2] - 0.9)
    yield Row("SDF, stack of 5 at 1 ms", "runs, stands", f"top moved by {top:.0e} m")
    scene = on_floor()
    scene.add_body("box", dt.Box((0.2,) * 3), density=500, position=(0, 0, 1.1))
    result = run(scene, "SDF", 0.8, 1e-3)
    deep = result.contacts.all()[1].gaps.min()
    yield Row("SDF, drop of 1 m at 1 ms", "runs, no energy gained",
              f"{-deep:.0e} m deep, {gained(result):.0e} J")  # fmt: skip


def at_rest() -> Iterator[Row]:
    done = subprocess.run([sys.executable, str(HERE / "sdf_at_rest.py")], capture_output=True,
                          text=True, check=True)  # fmt: skip
    wanted = ("<= 50 us", "<= 150 us")
    for limit, line in zip(wanted, [row for row in done.stdout.splitlines() if "at rest" in row]):
        boxes, measured = line.split(" at rest: ")
        yield Row(f"SDF, boxes at rest: {boxes}", limit, measured)


def restitution() -> Iterator[Row]:
    for method in METHODS:
        found = []
        for e in (0.0, 0.3, 0.8, 1.0):
            scene = on_floor()
            scene.add_body("ball", dt.Sphere(0.05), density=1000, position=(0, 0, 1.05))
            options = {} if e == 0.0 else {"restitution": e}
            result = run(scene, method, 1.2, 1e-3, **options)
            height, fall = result.position("ball")[:, 2], np.sqrt(2 / G)
            lowest = height[-1] if e == 0.0 else 0.05  # under IPC it lies a little above the floor
            later = height[result.time > fall + 0.05].max() - lowest
            found.append(np.sqrt(max(later, 0.0)))
        said = ", ".join(f"{e:.4f}" for e in found)
        yield Row(
            f"{method}, ball dropped 1 m, e by default, .3, .8, 1", "0, .3, .8, 1 to 1 %", said
        )


def chains() -> Iterator[Row]:
    for method in METHODS:
        for name, shape, n in (("three boxes", dt.Box((0.1,) * 3), 3),
                               ("cradle of 5", dt.Sphere(0.05), 5)):  # fmt: skip
            worst = spin = 0.0
            for gap in (0.0, 1e-9, 1e-6, 1e-4, 5e-4, 1e-2):
                scene = dt.Scene()
                for k in range(n):
                    scene.add_body(f"{k}", shape, mass=1, velocity=(float(k == 0), 0, 0),
                                   position=((0.1 + gap) * k, 0, 0))  # fmt: skip
                result = run(scene, method, 0.06, 1e-3, restitution=1.0)
                last = np.array([result.velocity(f"{k}")[-1, 0] for k in range(n)])
                worst = max(worst, float(np.abs(last - np.eye(n)[-1]).max()))
                spins = [np.abs(result.angular_velocity(f"{k}")).max() for k in range(n)]
                spin = max(spin, float(max(spins)))
            yield Row(f"{method}, e = 1, {name}, gaps 0 to 1e-2 m", "0 ... 0, 1; spin < 1e-9",
                      f"off by {worst:.0e}, spin {spin:.0e}")  # fmt: skip


def disk_energy(h: float) -> tuple[float, float]:
    """Share of its energy that Euler's disk keeps under LCP in 1 s, and its largest rise."""
    radius, thick, tilt = 0.1, 0.004, np.radians(30)
    R = so3.exp([tilt, 0, 0])
    lowest = R @ np.array([0, -radius, -thick / 2])
    spin = np.sqrt(4 * G / (radius * np.sin(tilt))) * np.sin(tilt) * R[:, 1]
    scene = on_floor(dt.HalfSpace())
    scene.add_body("disk", dt.Cylinder(radius, thick), density=7800, rotation=R,
                   position=(0, 0, -lowest[2]), velocity=-np.cross(spin, lowest),
                   angular_velocity=R.T @ spin)  # fmt: skip
    result = run(scene, "LCP", 1.0, h, friction=0.8)
    total = result.energy["total"]
    return float(total[-1] / total[0]), gained(result) / float(total[0])


def disk() -> Iterator[Row]:
    shares, rises = zip(*(disk_energy(h) for h in (1e-3, 5e-4, 2.5e-4)))
    order = np.log2((shares[1] - shares[0]) / (shares[2] - shares[1]))
    yield Row(
        "LCP, Euler's disk, energy left at 1, .5, .25 ms",
        "second order, or said; no rise",
        f"{', '.join(f'{s:.3f}' for s in shares)}: order {order:.1f}, rise {max(rises):.0e}",
    )


def peg() -> Iterator[Row]:
    """A square peg of 10 mm that falls into its hole from 1 mm above it."""
    fallen = 1e-3 - 0.5 * G * 0.01
    for method in METHODS:
        said = []
        for clearance in (1e-4, 1e-5, 1e-6):
            hole, outer = 0.005 + clearance, 0.02
            scene = dt.Scene(gravity=(0, 0, -G))
            wide = (outer - hole) / 2
            for k, (x, y) in enumerate([(1, 0), (-1, 0), (0, 1), (0, -1)]):
                size = (2 * wide, 2 * outer, 0.03) if x else (2 * hole, 2 * wide, 0.03)
                place = ((hole + wide) * x, (hole + wide) * y, -0.015)
                scene.add_body(f"wall {k}", dt.Box(size), motion="static", position=place)
            scene.add_body("peg", dt.Box((0.01, 0.01, 0.03)), density=7800,
                           position=(0, 0, 0.015 + 1e-3))  # fmt: skip
            z = run(scene, method, 0.1, 1e-3).position("peg")[-1, 2] - 0.015
            said.append(f"{1e3 * z:.2f}")
        yield Row(f"{method}, peg with 100, 10, 1 um clearance, depth", f"{1e3 * fallen:.2f} mm",
                  ", ".join(said) + " mm")  # fmt: skip


def friction_curve() -> Iterator[Row]:
    numbers = (0.5, 0.2, 0.1, 0.5)
    for method in METHODS:
        worst = 0.0
        for speed in (0.15, 0.25, 0.35, 0.45):
            scene = dt.Scene(gravity=(0, 0, -G))
            scene.add_body("belt", dt.Box((4, 1, 0.2)), motion="kinematic", velocity=(speed, 0, 0),
                           position=(0, 0, -0.1))  # fmt: skip
            scene.add_body("block", dt.Box((0.4, 0.4, 0.1)), mass=1, position=(0, 0, 0.05))
            result = run(scene, method, 4e-3, 2e-4, friction=numbers)
            slip = speed - result.velocity("block")[-2, 0]
            s = (slip - numbers[2]) / (numbers[3] - numbers[2])
            mu = numbers[0] + (numbers[1] - numbers[0]) * s * s * (3 - 2 * s)
            force = np.abs(result.contacts.at(-1).forces.sum(axis=0))
            worst = max(worst, float(abs(force[0] / force[2] / mu - 1)))
        yield Row(f"{method}, friction on a curve", "the same cubic", f"off by {100 * worst:.2f} %")


def script(name: str, *arguments: str) -> list[str]:
    done = subprocess.run([sys.executable, str(HERE / name), *arguments], capture_output=True,
                          text=True, check=False)  # fmt: skip
    lines = (done.stdout or done.stderr).strip().splitlines()
    return [line for line in lines if not line.startswith("dovetail:")]


def heaps(long: bool) -> Iterator[Row]:
    duration, seeds = ("10", "3") if long else ("1", "1")
    for shape in ("box", "ball"):
        for line in script("heaps.py", "--shape", shape, "--counts", "100", "500", "--seeds", seeds,
                           "--duration", duration):  # fmt: skip
            wanted = "no error, <= 10 times MuJoCo, worst <= 10 medians, exponent <= 1.2"
            yield Row(f"LCP, heap, {duration} s", wanted, line)


def arm(path: str) -> Iterator[Row]:
    for line in script("live_arm.py", path, "lcp"):
        yield Row("6-axis arm at 1 kHz", "lcp <= 10 times", line)


def robots(folder: str) -> Iterator[Row]:
    for line in script("robots_on_floor.py", folder, "--methods", "sdf,lcp"):
        yield Row("robots on a floor", "runs, no energy gained, <= 10 times MuJoCo", line.strip())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="part of the name of a group of rows")
    parser.add_argument("--models", help="folder of robots")
    parser.add_argument("--arm", help="MJCF of the 6-axis arm of live_arm.py")
    parser.add_argument("--long", action="store_true")
    asked = parser.parse_args()
    groups: dict[str, Callable[[], Iterator[Row]]] = {
        "crate": crate, "coarse": coarse_steps, "rest": at_rest, "restitution": restitution,
        "chains": chains, "disk": disk, "peg": peg, "friction": friction_curve,
        "heaps": lambda: heaps(asked.long),
    }  # fmt: skip
    if asked.arm:
        groups["arm"] = lambda: arm(asked.arm)
    if asked.models:
        groups["robots"] = lambda: robots(asked.models)
    print("| what | wanted | measured | CPU s |\n|---|---|---|---|")
    for name, rows in groups.items():
        if asked.only not in name:
            continue
        began = process_time()
        try:
            for row in rows():
                print(f"| {row.what} | {row.wanted} | {row.measured} |  |", flush=True)
        except dt.errors.DovetailError as error:
            print(f"| {name} | runs | {type(error).__name__}: {str(error).splitlines()[0]} |  |")
        print(f"| ({name}) |  |  | {process_time() - began:.1f} |", flush=True)


if __name__ == "__main__":
    main()
