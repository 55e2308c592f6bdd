"""Time per step against the number of bodies: python benchmarks/ipc_scaling.py [--write]

Scenes of one kind, each some times larger than the one before: chains of rings that hang between
their ends, walls of boxes on a floor, with friction and without, and, where they are installed, the
chain nets of the authors of Rigid IPC. CPU time per step, mean over the second half of the steps.
An exponent of 1 is linear; `--write` puts table and plot into the documentation.
"""

import argparse
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

os.environ.setdefault("DOVETAIL_QUIET", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import dovetail as dt
from dovetail import contact
from dovetail.integrators import ImplicitEuler
from dovetail.io import load_scene
from dovetail.linalg.lie import so3
from rigid_ipc_fixtures import data_folder

DOCS = Path(__file__).parents[1] / "docs"
NETS = "chain/chain-net/chain-net-"


@dataclass
class Point:
    """One scene of a series."""

    bodies: int
    contacts: float  # mean
    ms: float  # CPU per step
    newton: float  # iterations per step


def chain(rings):
    """Rings in a level line, half a millimetre from taut; the first and the last are held."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    ring = dt.Torus(0.04, 0.007, segments=16)
    for k in range(rings):
        quarter = so3.exp([k % 2 * np.pi / 2, 0, 0])
        scene.add_body(
            f"ring {k}", ring, density=7800, position=(0.0655 * k, 0, 0), rotation=quarter,
            motion="static" if k in (0, rings - 1) else "dynamic",
        )  # fmt: skip
    return scene, contact.IPC(), 5e-3


def wall(boxes, friction):
    """Boxes four high, as many columns as it takes."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    box = dt.Box((0.4, 0.4, 0.4))
    for k in range(boxes):
        at = (0.401 * (k // 4), 0, 0.201 + 0.401 * (k % 4))
        scene.add_body(f"box {k}", box, density=300, position=at)
    return scene, contact.IPC(friction=friction), 0.01


def net(name):
    loaded = load_scene(data_folder() / "fixtures" / f"{NETS}{name}.json")
    requested = loaded.run.contact
    return loaded.scene, contact.named(requested.name, requested.options), loaded.run.step


def measured(scene, law, h, steps):
    stepper = ImplicitEuler().start(scene.build(), law)
    spent, found, newton = [], [], []
    for k in range(steps):
        began = time.process_time()
        report = stepper.step(h * (k + 1))
        spent.append(time.process_time() - began)
        newton.append(report.iterations)
        found.append(len(stepper.observe().contact.contacts.gaps))
    late = slice(steps // 2, None)
    return Point(len(scene.bodies), np.mean(found[late]), 1e3 * np.mean(spent[late]),
                 np.mean(newton[late]))  # fmt: skip


def series(steps):
    sizes = (8, 32, 128, 512)
    yield "chains of rings", [measured(*chain(n), steps) for n in sizes]
    yield "walls of boxes", [measured(*wall(n, 0.0), steps) for n in sizes]
    yield "walls with friction 0.3", [measured(*wall(n, 0.3), steps) for n in sizes]
    if data_folder().exists():
        yield "chain nets", [measured(*net(n), steps) for n in ("4x4", "8x8", "16x16")]


def exponent(points):
    """Of bodies in ms = c bodies^p, fitted to all but the smallest scene."""
    large = points[1:]
    logs = np.log([(point.bodies, point.ms) for point in large])
    return float(np.polyfit(*logs.T, 1)[0])


def markdown(found):
    lines = ["| scene | bodies | contacts | Newton / step | ms / step | us / body | us / contact |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    for name, points in found.items():
        for p in points:
            each = f"{1e3 * p.ms / p.contacts:.0f}" if p.contacts else ""
            lines.append(
                f"| {name} | {p.bodies} | {p.contacts:.0f} | {p.newton:.1f} | {p.ms:.2f} | "
                f"{1e3 * p.ms / p.bodies:.0f} | {each} |"
            )
    powers = ", ".join(f"{name} {exponent(points):.2f}" for name, points in found.items())
    return "\n".join([*lines, "", f"Exponents of the number of bodies: {powers}.", ""])


def draw(found, path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    by_bodies, by_contacts = figure.subplots(1, 2, sharey=True)
    for name, points in found.items():
        ms = [p.ms for p in points]
        by_bodies.loglog([p.bodies for p in points], ms, "o-", label=name)
        by_contacts.loglog([max(p.contacts, 1) for p in points], ms, "o-", label=name)
    for axes, what, top in ((by_bodies, "bodies", 700), (by_contacts, "contacts", 7000)):
        axes.loglog([top / 100, top], [0.5, 50], "0.6", ls="--", label="linear")
        axes.set_xlabel(what)
    by_bodies.set_ylabel("CPU time per step [ms]")
    by_bodies.legend(fontsize=8)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    measured(*chain(3), 4)  # compiles
    measured(*wall(4, 0.3), 4)
    found = {}
    for name, points in series(options.steps):
        found[name] = points
        print(f"{name}: exponent {exponent(points):.2f}", flush=True)
    print(markdown(found))
    if options.write:
        (DOCS / "made" / "ipc-scaling.md").write_text(markdown(found), encoding="utf-8")
        draw(found, DOCS / "images" / "ipc-scaling.png")


if __name__ == "__main__":
    main()
