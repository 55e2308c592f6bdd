"""Errors of bodies that move on each other: python benchmarks/ipc_group_orders.py [SCENE ...]

A block on a cart, one that also spins, two blocks on each other, a ball that rolls on a plate that
slides and on one that turns, a plank that rolls on three rollers, a row of links that is pulled.
Errors are those of a position against the closed form or, where there is none, against a quarter of
the smallest step [m]; the share of steps of bodies that are of second order; and by how much the
energy ever grew between two steps, over what there was.
"""

import argparse
import os
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

os.environ.setdefault("DOVETAIL_QUIET", "1")
import numpy as np
from ipc_limit_scenes import ACROSS, G

import dovetail as dt
from dovetail.integrators import ImplicitEuler

STEPS = (1e-2, 5e-3, 2.5e-3, 1.25e-3)
THIN = 1e-5  # [m] dhat: a block sinks by a part of it, which costs it mu times as much of its way


class Case(NamedTuple):
    scene: dt.Scene
    duration: float  # [s]
    friction: float
    body: str  # whose position is looked at
    exact: tuple[float, float] | None  # x and y, None: not known
    dhat: float | None = None  # [m]


def frictionless_floor(gravity=(0.0, 0.0, -G), friction=0.0) -> dt.Scene:
    scene = dt.Scene(gravity=gravity)
    scene.add_body("floor", dt.HalfSpace(), motion="static", material="ice")
    scene.add_material_pair("ice", "steel", friction=friction)
    return scene


def cart(spin=0.0) -> Case:
    """A block slides on a cart that is free to move."""
    scene, mu, v, t = frictionless_floor(), 0.3, 3.0, 0.4
    scene.add_body("cart", dt.Box((6, 2, 0.2)), mass=300, position=(0, 0, 0.1), material="steel")
    scene.add_body("block", dt.Box((0.4, 0.4, 0.2)), mass=200, position=(-1, 0, 0.3),
                   velocity=(v, 0, 0), angular_velocity=(0, 0, spin), material="steel")  # fmt: skip
    exact = -1 + v * t - 0.5 * mu * G * t * t
    return Case(scene, t, mu, "block", None if spin else (exact, 0.0), THIN)


def spun() -> Case:
    """The same, where the block also spins: its friction turns."""
    return cart(6.0)


def blocks() -> Case:
    """A block slides on one that slides on the floor."""
    scene, low, mu, t = frictionless_floor(friction=0.1), 0.1, 0.3, 0.4
    scene.add_body("lower", dt.Box((2, 1, 0.2)), mass=300, position=(0, 0, 0.1),
                   velocity=(1.5, 0, 0), material="steel")  # fmt: skip
    scene.add_body("upper", dt.Box((0.4, 0.4, 0.2)), mass=200, position=(-0.5, 0, 0.3),
                   velocity=(4, 0, 0), material="steel")  # fmt: skip
    a = G * (mu * 200 - low * 500) / 300
    return Case(scene, t, mu, "lower", (1.5 * t + 0.5 * a * t * t, 0.0), THIN)


def plate() -> Case:
    """A ball rolls on a plate that slides down a slope with friction, M a_p = ... - f."""
    angle, low, t, M, m = 0.3, 0.1, 1.0, 20.0, 30.0
    along, down = G * np.sin(angle), G * np.cos(angle)
    scene = frictionless_floor((along, 0, -down), low)
    scene.add_body("plate", dt.Box((4, 2, 0.2)), mass=M, position=(0, 0, 0.1), material="steel")
    scene.add_body("ball", dt.Sphere(0.1), mass=m, position=(0, 0, 0.3), material="steel")
    f = low * (M + m) * down / (1 + 3.5 * M / m)  # plate on ball, backwards; the rim follows
    return Case(scene, t, 0.5, "ball", (0.5 * (along - f / m) * t * t, 0.0))


def turning() -> Case:
    """A ball rolls on a disc that turns freely."""
    scene = frictionless_floor()
    scene.add_body("disc", dt.Cylinder(2.0, 0.2), mass=20, position=(0, 0, 0.1),
                   angular_velocity=(0, 0, 3), material="steel")  # fmt: skip
    scene.add_body("ball", dt.Sphere(0.1), mass=5, position=(0.5, 0, 0.3), velocity=(0, 1.5, 0),
                   angular_velocity=(0, 0, 0), material="steel")  # fmt: skip
    return Case(scene, 0.6, 0.5, "ball", None)


def rollers() -> Case:
    """A plank rolls down on three cylinders."""
    angle, t, M, m = 0.2, 0.6, 10.0, 4.0
    along, down = G * np.sin(angle), G * np.cos(angle)
    scene = dt.Scene(gravity=(along, 0, -down))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    for k in range(3):
        scene.add_body(f"roller{k}", dt.Cylinder(0.1, 0.6), mass=m, rotation=ACROSS,
                       position=(0.4 * k - 0.4, 0, 0.1))  # fmt: skip
    scene.add_body("plank", dt.Box((3, 0.5, 0.1)), mass=M, position=(0, 0, 0.25))
    # speeds v of rollers and 2 v of the plank: (3 m 3/2 + 4 M) v' = (3 m + 2 M) g sin
    a = (3 * m + 2 * M) * along / (4.5 * m + 4 * M)
    return Case(scene, t, 0.5, "plank", (a * t * t, 0.0))


def links() -> Case:
    """Four links hang taut in each other and swing aside, the last one is heavy."""
    scene, straight = dt.Scene(gravity=(0.95 * G, 0, -0.3 * G)), np.eye(3)
    ring, pitch = dt.Torus(0.06, 0.01), 0.098
    scene.add_body("hook", ring, motion="static")
    for k in range(4):
        scene.add_body(f"link{k}", ring, mass=0.3 if k < 3 else 3.0,
                       position=(pitch * (k + 1), 0, 0),
                       rotation=straight if k % 2 else ACROSS)  # fmt: skip
    return Case(scene, 0.3, 0.2, "link3", None)


SCENES: dict[str, Callable[[], Case]] = {
    f.__name__: f for f in (cart, spun, blocks, plate, turning, rollers, links)
}


class Ran(NamedTuple):
    place: np.ndarray
    share: float  # of the steps of bodies that were of second order
    grown: float  # of the energy, the most ever over what was lost before


@cache
def ran(name, h) -> Ran:
    case = SCENES[name]()
    model = case.scene.build()
    stepper = ImplicitEuler().start(model, dt.contact.IPC(friction=case.friction, dhat=case.dhat))
    body, steps = model.names.index(case.body), round(case.duration / h)
    moves = np.isfinite(model.mass) & (model.motion == model.motion[body])
    led, energies = 0, []
    for k in range(steps):
        stepper.step((k + 1) * h)
        two = stepper._solver.solver.two_step
        led += int(two.led.sum())
        energies.append(_energy(model, stepper.bodies, moves))
    rise = float(np.max(np.diff(energies), initial=0.0)) / max(abs(energies[0]), 1e-12)
    return Ran(stepper.bodies.x[body].copy(), led / steps / moves.sum(), rise)


def _energy(model, bodies, moves) -> float:
    m, g = model.mass[moves], np.asarray(model.gravity)
    w = bodies.omega[moves]
    spin = 0.5 * np.einsum("ni,nij,nj", w, model.inertia[moves], w)
    return float((0.5 * m * (bodies.v[moves] ** 2).sum(1) - m * (bodies.x[moves] @ g)).sum() + spin)


def error(name, h) -> float:
    case = SCENES[name]()
    exact = case.exact
    if exact is None:
        exact = tuple(ran(name, 0.25 * STEPS[-1]).place[:2])
    return float(np.linalg.norm(ran(name, h).place[:2] - exact))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("scenes", nargs="*", default=list(SCENES))
    options = parser.parse_args()
    print(f"{'scene':10}" + "".join(f"{f'h = {h:g}':>12}" for h in STEPS)
          + f"{'order':>8}{'by two':>8}{'energy':>10}")  # fmt: skip
    for name in options.scenes:
        row = [error(name, h) for h in STEPS]
        order = np.log2(row[-2] / row[-1]) if row[-1] > 0 else np.nan
        last = [ran(name, h) for h in STEPS]
        print(f"{name:10}" + "".join(f"{e:12.3g}" for e in row) + f"{order:8.2f}"
              f"{last[-1].share:8.2f}{max(r.grown for r in last):10.1e}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
