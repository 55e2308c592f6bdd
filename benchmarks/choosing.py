"""One scene under every contact method, one mechanism under every integrator.

`python benchmarks/choosing.py` prints the tables of docs/how-to/choose.md, `--write` keeps them in
docs/made/choosing.md. Times are processor times of later runs in one process; those of integrators
are of steps alone, with nothing recorded between start and end.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np

import dovetail as dt
from dovetail.integrators import SCHEMES
from dovetail.linalg.lie import so3
from dovetail.verifier.certificate import certify

G = 9.81
MADE = Path(__file__).parents[1] / "docs" / "made" / "choosing.md"
METHODS = {  # friction -> method, and the step [s] that suits it
    "IPC": (lambda mu: dt.contact.IPC(friction=mu), 5e-3),
    "SDF": (lambda mu: dt.contact.SDF(friction=mu, restitution=0.1), 2e-4),
    "LCP": (lambda mu: dt.contact.LCP(friction=mu), 2e-3),
}
ANGLE, FRICTION, SLIDES = 0.5, 0.3, 0.4  # [rad], -, [s]
RADIUS, BALLS, FALLS = 0.1, 8, 1.0  # [m], number, [s]


def slope() -> dt.Scene:
    """A block of 1 kg on a slope down to +x."""
    R = so3.exp([0, ANGLE, 0])
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body(
        "slope", dt.Box((8, 2, 0.4)), motion="static", rotation=R, position=-0.2 * R[:, 2]
    )
    scene.add_body(
        "block", dt.Box((0.4, 0.4, 0.2)), mass=1, rotation=R,
        position=(0.1 + 6e-4) * R[:, 2] - 2 * R[:, 0],
    )  # fmt: skip
    return scene


def heap() -> dt.Scene:
    """Balls above each other, a little aside, fall on a floor."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1), extent=3), motion="static")
    for i in range(BALLS):
        position = (0.3 * RADIUS * (-1) ** i, 0.2 * RADIUS * (i % 3), RADIUS * (1.2 + 2.3 * i))
        scene.add_body(f"ball {i}", dt.Sphere(RADIUS, segments=12), density=1000, position=position)
    return scene


def run(scene: dt.Scene, duration: float, name: str) -> tuple[dt.Result, float]:
    """The second of two runs, and its processor time [s]."""
    method, step = METHODS[name]
    every = max(1, round(5e-3 / step))
    for _ in range(2):
        began = time.process_time()
        result = dt.simulate(scene, duration, step, contact=method(FRICTION), every=every)
        used = time.process_time() - began
    return result, used


def depth(result: dt.Result) -> float:
    """[m] how far a corner of a ball is below the floor at worst."""
    lowest = 0.0
    for name in result.names[1:]:
        corners = result.scene.bodies[name].vertices
        heights = np.einsum("tj,vj->tv", result.rotation(name)[:, 2], corners)
        lowest = min(lowest, float((heights + result.position(name)[:, 2:]).min()))
    return abs(lowest)


def contact_lines() -> list[str]:
    lines = [
        "| method | step [s] | distance down the slope, error | heap: deepest below the floor | "
        "heap: verified | energy gained in a frame | processor time: slope | heap |",
        "|---|---|---|---|---|---|---|---|",
    ]
    expected = 0.5 * G * (np.sin(ANGLE) - FRICTION * np.cos(ANGLE)) * SLIDES**2
    for name, (_, step) in METHODS.items():
        slid, used_slope = run(slope(), SLIDES, name)
        displacement = float(np.linalg.norm(np.diff(slid.position("block")[[0, -1]], axis=0)))
        fell, used_heap = run(heap(), FALLS, name)
        energy = fell.energy["total"]
        gained = max(float(np.max(np.diff(energy))), 0.0) / float(np.ptp(energy))
        lines.append(
            f"| {name} | {step:g} | {100 * (displacement / expected - 1):+.1f} % | "
            f"{1e3 * depth(fell):.3f} mm | {certify(fell).verdict} | {100 * gained:.1g} % | "
            f"{used_slope / SLIDES:.2f} s | {used_heap / FALLS:.2f} s |"
        )
        print(lines[-1], flush=True)
    return [*lines, "", "Processor times are for one simulated second."]


def integrator_lines() -> list[str]:
    lines = [
        "| integrator | order | energy error [J] | joints apart [m] | time per step |",
        "|---|---|---|---|---|",
    ]
    scene = dt.examples.get("double-pendulum").build()
    for name, scheme in SCHEMES.items():
        if not scheme.takes_joints:
            continue
        used = np.inf
        for every in (1, 5000, 5000):  # the time is that of steps, not of recording them
            began = time.process_time()
            try:
                made = dt.simulate(scene, 5.0, 1e-3, integrator=scheme(), contact=None, every=every)
            except dt.DovetailError as error:
                print(f"{name}: {error}")
                break
            if every == 1:
                result = made
            else:
                used = min(used, time.process_time() - began)
        else:
            energy = result.energy["total"]
            apart = float(np.max(result.constraint_violation["position"]))
            lines.append(
                f"| {name} | {scheme.order} | {np.abs(energy - energy[0]).max():.1e} | "
                f"{apart:.1e} | {1e6 * used / 5000:.0f} us |"
            )
            print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"keep the tables in {MADE.name}")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    made = ["### One scene, three contact methods", "", *contact_lines(), ""]
    made += ["### One mechanism, every integrator that takes joints", "", *integrator_lines()]
    if options.write:
        MADE.parent.mkdir(exist_ok=True)
        MADE.write_text("\n".join([*made, ""]), encoding="utf-8")
        print(f"wrote {MADE}")


if __name__ == "__main__":
    main()
