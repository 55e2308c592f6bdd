"""Every row of the table of contact in one run: PASS or FAIL for each measurement.

python benchmarks/contact_limits.py [ROW ...] [--list] [--seconds 1] [--seeds 1]

One line each: what is measured, ours, MuJoCo's where it counts, what is wanted. ROW is the
beginning of a row's name; the row `heaps` runs for `--seconds` with `--seeds` (10 and 10 in the
table; hours), and with 2000 bodies if that is 10 or more. Exit code 1 where one fails. Times are
processor times. Rows of closed forms and their orders: `contact_orders.py`; robots on a floor:
`robots_on_floor.py`; the same scenes under all methods: `dovetail bench agreement`.
"""

import argparse
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("DOVETAIL_QUIET", "1")
import numpy as np
from verdict_rows import failed_rows

import dovetail as dt
from dovetail.linalg.lie import so3
from dovetail.validation.agreement import ours as agreement
from dovetail.validation.agreement.cases import cam as cam_case

Measured = Iterator[tuple[str, float, float, str, bool]]  # what, ours, MuJoCo's, wanted, whether so
NONE, G = float("nan"), 9.81
METHODS = {"IPC": dt.contact.IPC, "SDF": dt.contact.SDF, "LCP": dt.contact.LCP}
GAPS = (0.0, 1e-9, 1e-6, 1e-4, 5e-4, 1e-3, 1e-2)
STEPS = (1e-2, 1e-3)
HERE = Path(__file__).parent
SHARED = Path(os.environ.get("DOVETAIL_SHARED", HERE.parents[1] / "shared"))
SECONDS, SEEDS = 1.0, 1


def run(scene, method, duration, h, **options):
    contact = METHODS[method](**options)
    return dt.simulate(scene, duration, h, contact=contact, progress=False)


def gained(result):
    """Largest rise of the total energy above its least value before, of the largest kinetic."""
    total = result.energy["total"]
    rise = float(np.max(total - np.minimum.accumulate(total)))
    return rise / float(result.energy["kinetic"].max())


def slab(size=6.0, cells=16):
    """A closed slab whose top is divided into triangles, as meshes of rooms are."""
    ticks = np.linspace(-size / 2, size / 2, cells + 1)
    x, y = (a.ravel() for a in np.meshgrid(ticks, ticks, indexing="ij"))
    shake = np.random.default_rng(0).uniform(-1, 1, (2, len(x))) * 0.25 * size / cells
    inner = (abs(x) < size / 2) & (abs(y) < size / 2)
    top = np.column_stack([x + shake[0] * inner, y + shake[1] * inner, 0 * x])
    corners, n = np.vstack([top, np.column_stack([x, y, 0 * x - 0.5])]), cells + 1
    k = np.arange(n * n).reshape(n, n)
    a, b, c, d = (part.ravel() for part in (k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]))
    above = np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    ring = [*k[:, 0], *k[-1, 1:], *k[-2::-1, -1], *k[0, -2:0:-1]]
    sides = [
        face
        for p, q in pairwise([*ring, ring[0]])
        for face in ((p, n * n + p, q), (q, n * n + p, n * n + q))
    ]
    return dt.Mesh(corners, faces=np.vstack([above, n * n + above[:, ::-1], sides]))


FLOORS = {"Box": dt.Box((6, 6, 1)), "HalfSpace": dt.HalfSpace(), "mesh": slab()}


def on_floor(name="Box"):
    scene = dt.Scene(gravity=(0, 0, -G))
    place = (0, 0, -0.5 if name == "Box" else 0)
    scene.add_body("floor", FLOORS[name], motion="static", position=place)
    return scene


@cache
def thrown(method, floor, h=1e-3):
    scene = on_floor(floor)
    scene.add_body("crate", dt.Box((0.3, 0.2, 0.15)), density=500, position=(0, 0, 0.5),
                   velocity=(1.5, 0.3, 0), angular_velocity=(1, 2, 3))  # fmt: skip
    return run(scene, method, 1.5, h, friction=0.4)


def crate() -> Measured:
    """Thrown crate, e = 0, mu = .4: x, y at rest beside LCP on a Box; normals; energy."""
    end = thrown("LCP", "Box").position("crate")[-1, :2]
    for method in METHODS:
        for floor in FLOORS:
            result = thrown(method, floor)
            off = float(np.linalg.norm(result.position("crate")[-1, :2] - end))
            yield f"{method} on {floor}, off [m]", off, NONE, "<= 1e-2", off <= 1e-2
            normals = result.contacts.all()[1].normals
            tilt = float(np.degrees(np.arccos(np.clip(abs(normals[:, 2]), 0, 1)).max()))
            yield f"{method} on {floor}, normals tilt [deg]", tilt, NONE, "<= 1", tilt <= 1
            rise = gained(result)
            yield f"{method} on {floor}, energy gained", rise, NONE, "<= 1e-6", rise <= 1e-6
    for method in METHODS:
        rise = gained(thrown(method, "Box", 1e-2))
        yield f"{method}, h = 10 ms, energy gained", rise, NONE, "<= 1e-4", rise <= 1e-4


def coarse() -> Measured:
    """SDF at h = 1 ms, which used to be refused: slope, stack of 5, drop of 1 m, cam."""
    angle = np.arctan(0.5)
    scene = dt.Scene(gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    scene.add_body("floor", dt.Box((20, 4, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body("block", dt.Box((0.4, 0.4, 0.2)), density=1000, position=(0, 0, 0.1))
    exact = 0.5 * G * (np.sin(angle) - 0.3 * np.cos(angle))
    off = abs(run(scene, "SDF", 1.0, 1e-3, friction=0.3).position("block")[-1, 0] / exact - 1)
    yield "slope, error of the way", off, NONE, "<= 2e-3", off <= 2e-3
    scene = on_floor()
    for k in range(5):
        scene.add_body(f"{k}", dt.Box((0.2,) * 3), density=500, position=(0, 0, 0.1 + 0.2 * k))
    result = run(scene, "SDF", 1.0, 1e-3, friction=0.5)
    moved = float(np.linalg.norm(result.position("4")[-1] - (0, 0, 0.9)))
    yield "stack of 5, top moved [m]", moved, NONE, "<= 1e-5", moved <= 1e-5
    scene = on_floor()
    scene.add_body("box", dt.Box((0.2,) * 3), density=500, position=(0, 0, 1.1))
    rise = gained(run(scene, "SDF", 0.8, 1e-3))
    yield "drop of 1 m, energy gained", rise, NONE, "<= 1e-6", rise <= 1e-6
    found = cam_case.values(agreement.run(cam_case.CASE, "SDF"))
    name = "largest force [N]"
    off = abs(found[name] / cam_case.CASE.expected[name] - 1)
    yield "cam, error of the largest force", off, NONE, "<= 2e-2", off <= 2e-2


def rest() -> Measured:
    """SDF, processor time of a step of boxes at rest [us]."""
    done = subprocess.run([sys.executable, str(HERE / "sdf_at_rest.py")], capture_output=True,
                          text=True, check=True)  # fmt: skip
    wanted = {"1": 50.0, "2": 150.0}
    for count, used in re.findall(r"(\d+) at rest: (\d+) us", done.stdout):
        most, took = wanted[count], float(used)
        yield f"boxes: {count}", took, NONE, f"<= {most:.0f}", took <= most


def bouncing() -> Measured:
    """A ball dropped by 1 m: e by its first rebound; default and e = 0, .3, .8, 1."""
    for method in METHODS:
        for e in (None, 0.0, 0.3, 0.8, 1.0):
            for h in STEPS:
                scene = on_floor()
                scene.add_body("ball", dt.Sphere(0.05), density=1000, position=(0, 0, 1.05))
                options = {} if e is None else {"restitution": e}
                result = run(scene, method, 1.2, h, **options)
                height = result.position("ball")[:, 2]
                lowest = height[-1] if not e else 0.05  # IPC rests a little above the floor
                later = height[result.time > np.sqrt(2 / G) + 0.05].max() - lowest
                found = float(np.sqrt(max(later, 0.0)))
                most = 1e-2 * (e or 1.0)
                name = "default" if e is None else f"e = {e:g}"
                yield (
                    f"{method}, {name}, h = {h:g}", found, NONE, f"{e or 0:g} +- {most:g}",
                    abs(found - (e or 0)) <= most,
                )  # fmt: skip


def chains() -> Measured:
    """e = 1, three boxes and a cradle of 5: worst of the gaps 0 to 1e-2 m."""
    for method in METHODS:
        for name, shape, n in (("boxes", dt.Box((0.1,) * 3), 3), ("cradle", dt.Sphere(0.05), 5)):
            for h in STEPS:
                found = {gap: passed_on(method, shape, n, gap, h) for gap in GAPS}
                for k, what in enumerate(("speeds off", "energy off", "spin")):
                    worst = max(found, key=lambda gap: found[gap][k])
                    value = found[worst][k]
                    said = f"{method}, {name}, h = {h:g}, {what} (gap {worst:g})"
                    yield said, value, NONE, "<= 1e-9", value <= 1e-9


def passed_on(method, shape, n, gap, h):
    """How far speeds [m/s], energy [of it] and spins [rad/s] are off at the end."""
    scene = dt.Scene()
    for k in range(n):
        scene.add_body(f"{k}", shape, mass=1, velocity=(float(k == 0), 0, 0),
                       position=((0.1 + gap) * k, 0, 0))  # fmt: skip
    result = run(scene, method, max(n * gap, 5e-3) + 6 * h, h, restitution=1.0)
    last = np.array([result.velocity(f"{k}")[-1, 0] for k in range(n)])
    spins = [np.abs(result.angular_velocity(f"{k}")).max() for k in range(n)]
    off = np.abs(last - np.eye(n)[-1]).max()
    return float(off), abs(float(last @ last) - 1), float(max(spins))


def disk_energy(h):
    """Share of its energy that Euler's disk keeps under LCP in 1 s, and its largest rise."""
    radius, thick, tilt = 0.1, 0.004, np.radians(30)
    R = so3.exp([tilt, 0, 0])
    lowest = R @ np.array([0, -radius, -thick / 2])
    spin = np.sqrt(4 * G / (radius * np.sin(tilt))) * np.sin(tilt) * R[:, 1]
    scene = on_floor("HalfSpace")
    scene.add_body("disk", dt.Cylinder(radius, thick), density=7800, rotation=R,
                   position=(0, 0, -lowest[2]), velocity=-np.cross(spin, lowest),
                   angular_velocity=spin)  # fmt: skip
    result = run(scene, "LCP", 1.0, h, friction=0.8)
    total = result.energy["total"]
    return float(total[-1] / total[0]), gained(result)


def disk() -> Measured:
    """LCP, Euler's disk at 30 degrees for 1 s: order of its energy, which the page says is 1."""
    shares, rises = zip(*(disk_energy(h) for h in (1e-3, 5e-4, 2.5e-4)))
    order = float(np.log2((shares[1] - shares[0]) / (shares[2] - shares[1])))
    yield "order of the energy", order, NONE, ">= .8, said", order >= 0.8
    yield "energy gained", max(rises), NONE, "<= 1e-6", max(rises) <= 1e-6


def arm() -> Measured:
    """LCP, 6-axis arm with gripper and box at 1 kHz: processor time of a step [us]."""
    path = SHARED / "data" / "models" / "arm6" / "arm.xml"
    done = subprocess.run([sys.executable, str(HERE / "live_arm.py"), str(path), "lcp"],
                          capture_output=True, text=True, check=False)  # fmt: skip
    for line in done.stdout.splitlines():
        print("   ", line)
        ratio = re.search(r"([\d.]+) times|ratio ([\d.]+)", line)
        if ratio and "lcp" in line.lower():
            value = float(ratio[1] or ratio[2])
            yield "ratio to MuJoCo", value, 1.0, "<= 10", value <= 10


def peg() -> Measured:
    """A square peg of 10 mm falls into its hole from 1 mm above it: depth after .1 s [mm]."""
    fallen = 1e3 * (0.5 * G * 0.01 - 1e-3)
    for method in METHODS:
        for clearance in (1e-4, 1e-5, 1e-6):
            hole, outer = 0.005 + clearance, 0.02
            scene, wide = dt.Scene(gravity=(0, 0, -G)), (outer - hole) / 2
            for k, (x, y) in enumerate([(1, 0), (-1, 0), (0, 1), (0, -1)]):
                size = (2 * wide, 2 * outer, 0.03) if x else (2 * hole, 2 * wide, 0.03)
                place = ((hole + wide) * x, (hole + wide) * y, -0.015)
                scene.add_body(f"wall {k}", dt.Box(size), motion="static", position=place)
            scene.add_body("peg", dt.Box((0.01, 0.01, 0.03)), density=7800,
                           position=(0, 0, 0.015 + 1e-3))  # fmt: skip
            deep = -1e3 * (run(scene, method, 0.1, 1e-3).position("peg")[-1, 2] - 0.015)
            said = f"{method}, {1e6 * clearance:.0f} um of room"
            yield said, float(deep), NONE, f"{fallen:.2f} +- 1 %", abs(deep / fallen - 1) < 0.01


def curve() -> Measured:
    """Friction (mu_s, mu_d, v_s, v_d): error of the force at four slips on the same cubic."""
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
        yield method, worst, NONE, "<= 5e-3", worst <= 5e-3


def heaps() -> Measured:
    """LCP, heaps in a pit, mu = .5, steps of 5 ms: time beside MuJoCo, worst step, exponent."""
    counts = ["100", "500", "2000"] if SECONDS >= 10 else ["100", "500"]
    for shape in ("box", "ball"):
        done = subprocess.run(
            [sys.executable, str(HERE / "heaps.py"), "--shape", shape, "--counts", *counts,
             "--seeds", str(SEEDS), "--duration", str(SECONDS)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        yield f"{shape}, exit code", done.returncode, NONE, "0", done.returncode == 0
        for line in done.stdout.splitlines():
            print("   ", line)
            name = line.split(":")[0]
            for what, pattern, most in (
                ("time / MuJoCo", r"ratio ([\d.]+)", 10.0),
                ("worst / median", r"worst [\d.]+, ([\d.]+) times", 10.0),
                ("exponent", r"to the power ([\d.]+)", 1.2),
            ):
                found = re.search(pattern, line)
                if found:
                    value = float(found[1])
                    name = shape if what == "exponent" else name
                    yield f"{name}, {what}", value, NONE, f"<= {most:g}", value <= most


ROWS = {
    f.__name__: f
    for f in (crate, coarse, rest, bouncing, chains, disk, arm, peg, curve, heaps)
}  # fmt: skip


def main() -> None:
    global SECONDS, SEEDS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    asked = parser.parse_args()
    SECONDS, SEEDS = asked.seconds, asked.seeds
    warnings.simplefilter("ignore")
    sys.exit(failed_rows(ROWS, asked.rows, asked.list) > 0)


if __name__ == "__main__":
    main()
