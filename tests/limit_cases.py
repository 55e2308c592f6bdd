"""Scenes at the limits of numbers: a second generator, with other laws than the first.

Needles, sizes from micrometres to kilometres in one scene, masses over twelve orders stacked on
each other, walls of bricks with nanometres between them, bullets. Friction, restitution and both
schemes take part. `limit_scene(seed)` gives the same one each time.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import dovetail as dt
from random_contact_scenes import ContactCase


@dataclass(frozen=True)
class LimitCase(ContactCase):
    """A scene, how to run it, and with which contact and integrator."""

    friction: float
    restitution: float | None
    integrator: str

    @property
    def options(self) -> dict[str, Any]:
        return {"friction": self.friction, "restitution": self.restitution}


def limit_scene(seed: int) -> LimitCase:
    """One of the kinds below, by turns."""
    kinds = sorted(LIMITS)
    rng = np.random.default_rng([seed, 20])
    kind = kinds[seed % len(kinds)]
    scene, step, steps = LIMITS[kind](rng)
    friction = float(rng.choice([0.0, 0.3, 1.0]))
    restitution = rng.choice([None, 0.0, 0.5, 1.0])
    scheme = "BarrierVerlet" if rng.random() < 0.25 else "ImplicitEuler"
    return LimitCase(kind, scene, step, steps, friction, restitution, scheme)


def _floor(size):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((size, size, 0.1 * size)), motion="static",
                   position=(0, 0, -0.05 * size))  # fmt: skip
    return scene


def _turned(rng):
    return Rotation.random(random_state=int(rng.integers(1 << 31))).as_matrix()


def _needles(rng):
    """Boxes a thousand to a hundred thousand times as long as wide, dropped beside each other."""
    scene = _floor(4.0)
    for k in range(int(rng.integers(1, 4))):
        thin = 10.0 ** rng.uniform(-5, -3, size=2)
        scene.add_body(f"needle {k}", dt.Box((1.0, *thin)), density=7800, rotation=_turned(rng),
                       position=(0.1 * k, 0, 0.6 + 1.2 * k), velocity=rng.normal(size=3),
                       angular_velocity=3 * rng.normal(size=3))  # fmt: skip
    return scene, float(10.0 ** rng.uniform(-3, -2)), 40


def _sizes(rng):
    """Cubes from a micrometre to a kilometre, each on the one before."""
    sizes = np.sort(10.0 ** rng.uniform(-6, 3, size=3))[::-1]
    scene, top = _floor(10 * sizes[0]), 0.0
    for k, size in enumerate(sizes):
        gap = size * 10.0 ** rng.uniform(-6, -1)
        scene.add_body(f"cube {k}", dt.Box((size, size, size)), density=1000,
                       position=(0.1 * size, 0, top + gap + 0.5 * size))  # fmt: skip
        top += gap + size
    return scene, float(10.0 ** rng.uniform(-4, -2)), 20


def _masses(rng):
    """Cubes of one size and masses from a milligram to a thousand tonnes on each other."""
    scene = _floor(10.0)
    for k in range(int(rng.integers(2, 5))):
        scene.add_body(f"cube {k}", dt.Box((1.0 - 0.01 * k, 1, 1)), mass=10.0 ** rng.uniform(-6, 6),
                       position=(0, 0, 0.5 + 10.0 ** rng.uniform(-6, -2) + 1.011 * k))  # fmt: skip
    return scene, float(10.0 ** rng.uniform(-3, -2)), 30


def _bricks(rng):
    """A wall of bricks with gaps from a nanometre on, and a bullet that hits it."""
    scene, gap = _floor(10.0), 10.0 ** rng.uniform(-9, -5)
    rows, columns = 3, 3
    for i in range(rows):
        for j in range(columns):
            scene.add_body(
                f"brick {i}.{j}", dt.Box((0.2, 0.1, 0.1)), density=2000,
                position=((0.2 + gap) * (j + 0.5 * (i % 2)), 0, 0.05 + gap + i * (0.1 + gap)),
            )  # fmt: skip
    if rng.random() < 0.5:
        speed = 10.0 ** rng.uniform(1, 3)
        scene.add_body("bullet", dt.Box((0.01, 0.01, 0.02)), density=11000, rotation=_turned(rng),
                       position=(0.25, -0.3, 0.12), velocity=(0, speed, 0))  # fmt: skip
    return scene, float(10.0 ** rng.uniform(-4, -2)), 20


LIMITS = {"needles": _needles, "sizes": _sizes, "masses": _masses, "bricks": _bricks}
