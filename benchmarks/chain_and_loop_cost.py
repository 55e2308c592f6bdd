"""Cost of a step against the number of links of a chain and of loops of a mechanism.

python benchmarks/chain_and_loop_cost.py [most links, default 1000] [scheme, default RATTLie]

Processor time, the smallest of several steps. A chain is eliminated from its end; a ladder of ball
joints (every rung closes a loop, six rows each) and a scissor lift of hinges (every stage closes a
loop of which three rows are implied) are factored by fronts. The exponent is that of the cost in
the number of bodies, from the row before. RATTLie has its cost at order 4, five substeps a step, in
the last column: at equal error of a smooth motion its steps are several times as long.
"""

import sys
import time

import numpy as np

from dovetail import integrators
from dovetail.model import Revolute, Scene, Spherical

STEP = 1e-4
SCHEME = sys.argv[2] if len(sys.argv) > 2 else "RATTLie"


def rod(scene, name, a, b):
    """A slender rod of 1 kg from a to b."""
    a, b = np.array(a, float), np.array(b, float)
    length, z = np.linalg.norm(b - a), (b - a) / np.linalg.norm(b - a)
    x = np.cross(z, [0, 1, 0.3])
    x /= np.linalg.norm(x)
    R = np.column_stack([x, np.cross(z, x), z])
    J = (length**2 / 12, length**2 / 12, 0.01 * length**2)
    scene.add_body(name, mass=1, inertia=J, position=(a + b) / 2, rotation=R)


def chain(n):
    """n links of 0.1 m by ball joints, level at the start."""
    scene = Scene(gravity=(0, 0, -9.81))
    for k in range(n):
        rod(scene, f"link{k}", (0.1 * k, 0, 0), (0.1 * (k + 1), 0, 0))
        below = "ground" if k == 0 else f"link{k - 1}"
        scene.add_joint(f"ball{k}", Spherical((0.1 * k, 0, 0)), below, f"link{k}")
    return scene


def ladder(n):
    """A rope ladder of n rungs, each on a ball joint to either side rope: n loops."""
    scene = Scene(gravity=(0, 0, -9.81))
    for k in range(n):
        for side in (0, 1):
            rod(scene, f"rope{side}.{k}", (0.3 * k, side, 0), (0.3 * (k + 1), side, 0))
            below = "ground" if k == 0 else f"rope{side}.{k - 1}"
            joint = Spherical((0.3 * k, side, 0))
            scene.add_joint(f"link_joint{side}.{k}", joint, below, f"rope{side}.{k}")
        rod(scene, f"rung{k}", (0.3 * (k + 1), 0, 0), (0.3 * (k + 1), 1, 0))
        for side in (0, 1):
            joint = Spherical((0.3 * (k + 1), side, 0))
            scene.add_joint(f"end{side}.{k}", joint, f"rope{side}.{k}", f"rung{k}")
    return scene


def scissor_lift(n):
    """n stages of crossed bars on hinges along y, one foot on a hinge, the other free."""
    scene = Scene(gravity=(0, 0, -9.81))
    y = (0, 1, 0)
    for k in range(n):
        low, high = 0.4 * k, 0.4 * (k + 1)
        rod(scene, f"rising{k}", (0, 0, low), (1, 0, high))
        rod(scene, f"falling{k}", (1, 0, low), (0, 0, high))
        scene.add_joint(f"middle{k}", Revolute((0.5, 0, low + 0.2), y), f"rising{k}", f"falling{k}")
        if k:
            left, right = Revolute((0, 0, low), y), Revolute((1, 0, low), y)
            scene.add_joint(f"left{k}", left, f"falling{k - 1}", f"rising{k}")
            scene.add_joint(f"right{k}", right, f"rising{k - 1}", f"falling{k}")
    scene.add_joint("foot", Revolute((0, 0, 0), y), "ground", "rising0")
    return scene


def step_cost(scene, repeats=15, **options):
    """Seconds of a step, and the largest violations of the joints after the last one."""
    stepper = integrators.named(SCHEME, options).start(scene.build(), None)
    best = np.inf
    for k in range(1, repeats + 1):
        began = time.process_time()
        stepper.step(k * STEP)
        best = min(best, time.process_time() - began)
    seen = stepper.observe()
    return best, seen.constraint_position, seen.constraint_velocity


def _exponent(before, now):
    """d log(seconds) / d log(bodies) between two (bodies, seconds)."""
    return np.log(now[1] / before[1]) / np.log(now[0] / before[0])


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(
        "| mechanism | bodies | us per step | us per body | exponent | position [m] | "
        "velocity [m/s] | order 4, us |\n|---|---|---|---|---|---|---|---|"
    )
    for build in (chain, ladder, scissor_lift):
        before = None
        for n in (most // 100, most // 10, most // 3, most):
            size = n if build is chain else max(2, n // 3)
            scene = build(size)
            seconds, position, velocity = step_cost(scene)
            composed = step_cost(scene, 4, order=4)[0] if SCHEME == "RATTLie" else np.nan
            bodies = len(scene.bodies)
            what = f"{build.__name__.replace('_', ' ')} of {size}"
            power = "" if before is None else f"{_exponent(before, (bodies, seconds)):.2f}"
            before = (bodies, seconds)
            print(
                f"| {what} | {bodies} | {seconds * 1e6:.0f} | {seconds / bodies * 1e6:.2f} | "
                f"{power} | {position:.1e} | {velocity:.1e} | {composed * 1e6:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
