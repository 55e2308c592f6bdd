"""Intersection-free contact in the limit: python benchmarks/ipc_limits.py [ROW ...] [--scheme NAME]

One line for each measurement: what is measured, what came, what is wanted, PASS or FAIL. All with
defaults. ROW is the beginning of a row's name; --list names them. Exit code 1 where one fails.
Scenes with a closed form, from which `benchmarks/ipc_orders.py` draws errors against the step too.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from itertools import pairwise

os.environ.setdefault("DOVETAIL_QUIET", "1")
import numpy as np
from ipc_limit_scenes import (
    TALL,
    G,
    arch,
    ball_on_turntable,
    bouncing,
    box_on_floor,
    brick_on_studs,
    four_bars,
    governor,
    landing,
    level_roller,
    peg_over_hole,
    rolling_down,
    spring_damper,
    toppling,
    under_load,
)  # fmt: skip

import dovetail as dt
from dovetail.integrators import SCHEMES, JointCoordinates

STEPS = (1e-2, 1e-3, 1e-4, 1e-5)
Measured = Iterator[tuple[str, float, str, bool]]  # what, value, wanted, whether it is so


def stepped(scene, scheme, h, duration, **options):
    """The stepper after `duration` [s]."""
    stepper = SCHEMES[scheme]().start(scene.build(), dt.contact.IPC(**options))
    for k in range(round(duration / h)):
        stepper.step((k + 1) * h)
    return stepper


def starts(scheme) -> Measured:
    """Boxes at rest within the barrier are not thrown [m/s]."""
    for size, mass in (((0.4, 0.4, 0.2), 32.0), ((0.2, 0.2, 0.2), 8.0)):
        dhat = 1e-3 * float(np.linalg.norm(size))
        for h in STEPS:
            worst = 0.0
            for gap in (0.0, 1e-9, 1e-7, 1e-5, 1e-4, dhat):
                scene = box_on_floor(size, mass, gap).build()
                stepper = SCHEMES[scheme]().start(scene, dt.contact.IPC())
                for k in range(20):
                    stepper.step((k + 1) * h)
                    worst = max(worst, float(np.abs(stepper.bodies.v).max()))
            yield f"{mass:g} kg, gaps 0 to dhat, h = {h:g}", worst, "< 1e-3 m/s", worst < 1e-3


def slope(scheme) -> Measured:
    """Slip over the exact one after 5 s, tan = 0.5, mu = 0.49."""
    for gap in (0.0, 1e-9, 1e-6, 2e-4):
        off = abs(_slip(scheme, gap, 5e-3) - 1)
        yield f"gap {gap:g}, h = 5 ms, error", off, "<= 0.1 %", off <= 1.01e-3
    for gap in (1e-3, 1e-2):
        errors = [abs(_slip(scheme, gap, h) - 1) for h in (1e-2, 5e-3, 2e-3, 1e-3)]
        falls = all(b < a for a, b in pairwise(errors)) or max(errors) < 5e-4
        so = falls and errors[-1] <= 5e-4
        yield (
            f"after a fall of {gap:g} m, h = 1 ms, error",
            errors[-1],
            "<= 0.05 %, less with h",
            so,
        )


def _slip(scheme, gap, h):
    scene, exact = landing(gap, 5.0)
    x = stepped(scene, scheme, h, 5.0, friction=0.49).bodies.x[1, 0]
    return (x - scene.build().position[1, 0]) / exact


def pegs(scheme) -> Measured:
    """A peg of 10 mm falls through its hole as if nothing were there [m off]."""
    for clearance in (1e-4, 3e-5, 1e-5, 3e-6, 1e-6):
        for h in (1e-2, 1e-3):
            z = stepped(peg_over_hole(clearance), scheme, h, 0.1).bodies.x[1, 2]
            off = abs(z - (0.016 - G * 0.1**2 / 2))
            yield f"clearance {clearance:g} m, h = {h:g}", off, "< 1e-9 m", off < 1e-9


def bricks(scheme) -> Measured:
    """A brick pressed on studs by 5 N seats [m above the seat]."""
    for clearance in (1e-4, 2e-5):
        for h in (1e-2, 1e-3):
            stepper = stepped(brick_on_studs(clearance), scheme, h, 0.1, friction=0.2)
            off = float(stepper.bodies.x[1, 2]) - 0.5 * TALL
            yield f"clearance {clearance:g} m, h = {h:g}", off, "< 30 um: dhat", 0 < off < 3e-5


def rolling(scheme) -> Measured:
    """Level rolling at 1 m/s for 5 s; an incline for 2 s; the 2/7 law on a turntable."""
    for floor in ("half-space", "box", "mesh"):
        for name in ("sphere", "capsule", "cylinder", "torus"):
            v = stepped(level_roller(name, floor), scheme, 1e-2, 5.0, friction=0.5).bodies.v[1, 0]
            yield f"{name} on {floor}", v - 1, "1 +- 1e-3", abs(v - 1) < 1e-3
    for name in ("sphere", "capsule", "cylinder", "torus"):
        scene, exact = rolling_down(name)
        off = stepped(scene, scheme, 2e-3, 2.0, friction=0.5).bodies.v[1, 0] / exact - 1
        yield f"{name} down an incline", off, "+- 1e-3", abs(off) < 1e-3
    scene, exact = ball_on_turntable(4.0)
    x = stepped(scene, scheme, 1e-3, 4.0, friction=0.5).bodies.x[1, :2]
    off = float(np.linalg.norm(x - exact))
    yield "ball on a turntable, 3 rad/s, 4 s", off, "< 1 cm", off < 1e-2


def bounces(scheme) -> Measured:
    """Energy after bounces from 1 m over e^2n of that before."""
    for shape in ("sphere", "box"):
        for e, most in ((1.0, 20), (0.8, 8)):
            for h in (1e-2, 1e-3):
                energies, largest = _energies(scheme, shape, e, h, most)
                off = energies / e ** (2 * np.arange(1, most + 1)) - 1
                worst = float(off[np.argmax(np.abs(off))])
                so = abs(worst) <= 1e-2 and largest <= 1 + 1e-6
                label = f"{shape}, e = {e}, {most} bounces, h = {h:g}"
                yield label, worst, "+- 1 %, never more than 1 + 1e-6", so


def _energies(scheme, shape, e, h, most):
    """(energy after each bounce, largest ever) over that at the start."""
    stepper = SCHEMES[scheme]().start(bouncing(shape).build(), dt.contact.IPC(restitution=e))
    energies, before, step, largest = [], 0.0, 0, 0.0
    while len(energies) < most:
        step += 1
        stepper.step(step * h)
        v, z = float(stepper.bodies.v[1, 2]), float(stepper.bodies.x[1, 2])
        energy = (0.5 * v * v + G * (z - 0.1)) / G
        largest = max(largest, energy)
        if before < 0 < v:
            energies.append(energy)
        before = v
    return np.array(energies), largest


def topples(scheme) -> Measured:
    """A block under a = part g w/H falls or does not [m height after 3 s]."""
    for part, falls in ((0.99, False), (1.01, True)):
        for h in (1e-2, 1e-3):
            z = stepped(toppling(part), scheme, h, 3.0, friction=0.9).bodies.x[1, 2]
            yield f"at {part}, h = {h:g}", z, "< 0.2 m" if falls else "0.25 m", (z < 0.2) == falls


def arches(scheme) -> Measured:
    """Stones of the authors' arch with 101 after 6 s, sideways [m]."""
    scene, h, options = arch()
    if scene is None:
        return
    stepper = SCHEMES[scheme]().start(scene.build(), dt.contact.IPC(**options))
    start = stepper.bodies.x.copy()
    for until in (6.0, 20.0):
        for k in range(round(stepper.bodies.t / h), round(until / h)):
            stepper.step((k + 1) * h)
        off = np.abs(stepper.bodies.x - start)
        across = float(off[:, 2].max())  # the arch stands in the plane of x and y
        yield f"arch-101 after {until:g} s", across, "<= 1 mm", across <= 1e-3


def loads(scheme) -> Measured:
    """Stiff loads: a spring-damper with k = 100, c = 4e4, m = 3; a governor [m]."""
    scene, exact = spring_damper(0.1)
    off = stepped(scene, scheme, 1e-3, 0.1).bodies.x[0, 2]
    off = (off + 1) / exact - 1
    yield "spring-damper, h = 1 ms, relative", off, "+- 1e-3", abs(off) < 1e-3
    model = governor().build()
    reference = JointCoordinates().start(model, None)
    for k in range(1000):
        reference.step((k + 1) * 5e-4)
    coarse, off = (
        abs(stepped(governor(), scheme, h, 0.5).bodies.x[1, 2] - reference.bodies.x[1, 2])
        for h in (2e-3, 1e-3)
    )
    yield "governor, h = 1 ms, off joint coordinates", off, "< 1e-5 m", off < 1e-5
    order = float(np.log2(coarse / off))
    least = SCHEMES[scheme].order - 0.1
    yield "governor, order between 2 and 1 ms", order, f"> {least:g}", order > least


def flat_joints(scheme) -> Measured:
    """N-four-bar through its flat position for 10 s: energy over that at the start."""
    for n in (2, 40):
        scene = four_bars(n)
        stepper = stepped(scene, scheme, 1e-2, 10.0)
        model = scene.build()
        v = stepper.bodies.v
        energy = float(
            (0.5 * model.mass * (v**2).sum(1) + G * model.mass * stepper.bodies.x[:, 2]).sum()
        )
        yield f"N = {n}, ends with energy [J]", energy, "finite", bool(np.isfinite(energy))


def heavy_on_light(scheme) -> Measured:
    """1 g under 1000 kg: force over weight, mean of the last half and farthest from it."""
    for h in (1e-2, 1e-3):
        scene, weight = under_load()
        stepper = SCHEMES[scheme]().start(scene.build(), dt.contact.IPC())
        ratios = []
        for k in range(100):
            stepper.step((k + 1) * h)
            contacts = stepper.observe().contact.contacts
            below = (contacts.bodies == 0).any(axis=1)
            ratios.append(abs(contacts.forces[below][:, 2].sum()) / weight - 1)
        worst = float(max(ratios[50:], key=abs))
        yield f"h = {h:g}, F/W - 1", worst, "+- 1 %", abs(worst) < 1e-2


ROWS = {
    f.__name__: f
    for f in (
        starts, slope, pegs, bricks, rolling, bounces, topples, arches, loads, flat_joints,
        heavy_on_light,
    )
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="*")
    parser.add_argument(
        "--scheme", default="ImplicitEuler", choices=("ImplicitEuler", "BarrierVerlet")
    )
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    failed = 0
    for name, row in ROWS.items():
        if options.list:
            print(name, row.__doc__)
        elif not options.rows or any(name.startswith(r) for r in options.rows):
            began = time.process_time()
            print(f"{name}: {row.__doc__}", flush=True)
            try:
                for what, value, wanted, so in row(options.scheme):
                    failed += not so
                    print(
                        f"  {what:45} {value:<12.4g} {wanted:22} {'PASS' if so else 'FAIL'}",
                        flush=True,
                    )
            except dt.errors.RunError as error:
                failed += 1
                print(f"  {error} FAIL")
            print(f"  ({time.process_time() - began:.0f} s)", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
