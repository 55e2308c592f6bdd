"""Heaps of 8 to 30 bodies: a third generator, where minimisations go on from linearised contacts.

Random shapes, sizes over a factor of ten and densities over three orders fall into a pit with four
walls or are pressed together from all sides. `heap_scene(seed)` gives the same one each time.
"""

import numpy as np

import dovetail as dt
from limit_cases import LimitCase
from random_contact_scenes import scattered

WALL = 0.5  # [m] thickness of the walls and the floor of a pit


def heap_scene(seed: int) -> LimitCase:
    """One of the kinds below, by turns."""
    kinds = sorted(HEAPS)
    rng = np.random.default_rng([seed, 8])
    kind = kinds[seed % len(kinds)]
    scene, step, steps = HEAPS[kind](rng)
    friction = float(rng.choice([0.0, 0.3, 1.0]))
    restitution = rng.choice([0.0, 0.5])
    return LimitCase(kind, scene, step, steps, friction, restitution, "ImplicitEuler")


def _size(rng):
    return 10 ** rng.uniform(-1.6, -0.6)


def pit(rng):
    """Bodies that fall into a narrow pit."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    placed = scattered(rng, int(rng.integers(8, 31)), _size, 0.3, 1.0, 3.0, scene)
    half = max(np.abs(c[:2]).max() + r for c, r in placed) + 10 ** rng.uniform(-5, -1)
    floor = min(c[2] - r for c, r in placed) - 10 ** rng.uniform(-5, -1)
    wide = 2 * (half + WALL)
    scene.add_body(
        "floor", dt.Box((wide, wide, WALL)), motion="static", position=(0, 0, floor - WALL / 2)
    )
    for name, x, y in (("east", 1, 0), ("west", -1, 0), ("north", 0, 1), ("south", 0, -1)):
        size = (WALL, wide, 20.0) if x else (wide, WALL, 20.0)
        away = half + WALL / 2
        scene.add_body(
            name, dt.Box(size), motion="static", position=(x * away, y * away, floor + 10.0)
        )
    return scene, float(rng.choice([0.002, 0.005, 0.02])), 25


def implosion(rng):
    """Bodies without gravity that are thrown at one point and stay crowded there."""
    scene = dt.Scene()
    scattered(rng, int(rng.integers(8, 31)), _size, 0.3, 5.0, 20.0, scene)
    return scene, 0.01, 15


HEAPS = {"implosion": implosion, "pit": pit}
