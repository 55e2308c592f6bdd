"""Several swarms of bodies that meet: a fourth generator, where steps are taken by clusters.

Swarms of 8 to 14 bodies begin apart, each a cluster of its own (`contact.ipc.clusters`), and are
thrown at each other, or a heavy body strikes one so that its bodies are thrown into the next one
within a step. `cluster_scene(seed)` gives the same one each time.
"""

import numpy as np

import dovetail as dt
from limit_cases import LimitCase
from random_contact_scenes import random_shape

CUBE = 0.04  # [m]


def cluster_scene(seed: int) -> LimitCase:
    """One of the kinds below, by turns."""
    kinds = sorted(CLUSTERS)
    rng = np.random.default_rng([seed, 21])
    kind = kinds[seed % len(kinds)]
    scene, step, steps = CLUSTERS[kind](rng)
    friction = float(rng.choice([0.0, 0.3, 1.0]))
    restitution = rng.choice([None, 0.0, 0.5])
    return LimitCase(kind, scene, step, steps, friction, restitution, "ImplicitEuler")


def _swarm(rng, scene, name, centre, velocity, density):
    """Bodies of about one size around a centre, close to each other; returns the swarm's radius.

    Two cubes in its middle touch from the start: what only flies is no cluster.
    """
    placed: list[tuple[np.ndarray, float]] = [(np.zeros(3), 3 * CUBE)]
    for side in (-1, 1):
        scene.add_body(
            f"{name}.cube {side}", dt.Box((CUBE, CUBE, CUBE)), density=density, velocity=velocity,
            position=np.add(centre, (side * 0.5 * CUBE * (1 + 1e-4), 0, 0)),
        )  # fmt: skip
    count, spread = int(rng.integers(8, 15)), 0.15
    while len(placed) < count:
        radius, at = rng.uniform(0.04, 0.1), spread * rng.normal(size=3)
        if any(np.linalg.norm(at - c) < radius + r + 1e-4 for c, r in placed):
            spread *= 1.02
            continue
        placed.append((at, radius))
        scene.add_body(
            f"{name}.{len(placed)}", random_shape(rng, radius), density=density,
            position=centre + at, velocity=velocity + 0.3 * rng.normal(size=3),
            angular_velocity=3.0 * rng.normal(size=3),
        )  # fmt: skip
    return max(np.linalg.norm(at) + radius for at, radius in placed)


def meeting(rng):
    """Swarms in a row, thrown at each other by up to several of their gaps in a step."""
    scene, h, x, before = dt.Scene(), 0.01, 0.0, 0.0
    gap = 10 ** rng.uniform(-0.6, 0.4)
    for k in range(int(rng.integers(2, 5))):
        toward = np.array([rng.uniform(-1, 1), 0, 0]) * gap / h * rng.choice([0.1, 1.0, 3.0])
        x += before + gap + 0.6
        before = _swarm(rng, scene, f"swarm {k}", np.array([x, 0, 0]), toward, 1000.0)
        x += before
    return scene, h, 12


def struck(rng):
    """A heavy body strikes a swarm of light ones, which fly at the next one within the step."""
    scene, h = dt.Scene(), 0.01
    first = _swarm(rng, scene, "light", np.zeros(3), np.zeros(3), 10 ** rng.uniform(0, 2))
    gap = 10 ** rng.uniform(-0.3, 0.5)
    _swarm(rng, scene, "next", np.array([first + gap + 0.8, 0, 0]), np.zeros(3), 1000.0)
    _swarm(rng, scene, "aside", np.array([0.0, first + gap + 3.0, 0]), np.zeros(3), 1000.0)
    size = rng.uniform(0.05, 0.3)
    scene.add_body(
        "heavy", random_shape(rng, size), density=1e5, position=(-first - size - 0.2, 0, 0),
        velocity=(rng.uniform(0.5, 5.0) * gap / h, 0, 0),
    )  # fmt: skip
    return scene, h, 8


CLUSTERS = {"meeting": meeting, "struck": struck}
