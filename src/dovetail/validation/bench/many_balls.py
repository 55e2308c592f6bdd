"""A step of many balls falling into a box."""

from collections.abc import Iterator
from time import process_time

import numpy as np

from dovetail.contact import SDF
from dovetail.integrators import LieVerlet
from dovetail.model import HalfSpace, Scene, Sphere
from dovetail.model.surface import Surface
from dovetail.validation.bench import Row

TITLE = "a step of balls in a box with friction and damping, h = 0.1 ms"
RADIUS, STEP = 0.02, 1e-4  # [m], [s]


def box_of_balls(count: int) -> Scene:
    """A lattice of balls, 1 % apart, that moves down between four walls onto a floor."""
    scene, random = Scene(gravity=(0, 0, -9.81)), np.random.default_rng(0)
    side = int(np.ceil(count ** (1 / 3)))
    pitch = 2.02 * RADIUS
    scene.add_body("floor", HalfSpace((0, 0, 1)), motion="static")
    for k, (normal, at) in enumerate(
        [((1, 0, 0), 0), ((-1, 0, 0), side), ((0, 1, 0), 0), ((0, -1, 0), side)]
    ):
        place = at * pitch * np.abs(normal)
        scene.add_body(f"wall {k}", HalfSpace(normal), motion="static", position=place)
    for b in range(count):
        place = np.array([b % side, b // side % side, b // side**2]) + 0.5
        shift = 0.01 * RADIUS * np.append(random.uniform(-1, 1, 2), 0)
        scene.add_body(
            f"ball {b}", Sphere(RADIUS), density=1000, position=pitch * place + shift,
            velocity=(0, 0, -0.1),
        )  # fmt: skip
    return scene


def measure(surface: Surface, quick: bool) -> Iterator[Row]:
    """Time per step of 125 balls, and of 1000."""
    for count, steps in ((125, 50),) if quick else ((125, 200), (1000, 200)):
        law = SDF(friction=0.3, restitution=0.3)
        stepper = LieVerlet().start(box_of_balls(count).build(), law)
        stepper.step(STEP)
        began = process_time()
        for k in range(2, steps + 2):
            stepper.step(k * STEP)
        seconds = (process_time() - began) / steps
        yield Row(f"{count} balls", 1e3 * seconds, "", np.nan, "ms")
