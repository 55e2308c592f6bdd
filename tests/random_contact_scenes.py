"""Scenes made to break contact: needles, slivers, parallel edges, tiny gaps, huge steps and spins.

A seed names a scene; `random_contact_scene(seed)` gives the same one each time.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import dovetail as dt

TETRAHEDRON = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / np.sqrt(3)
FOUR_FACES = np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])


@dataclass(frozen=True)
class ContactCase:
    """A scene and how to run it."""

    kind: str
    scene: dt.Scene
    step: float  # [s]
    steps: int

    @property
    def duration(self) -> float:
        return self.step * self.steps


def random_contact_scene(seed: int) -> ContactCase:
    """One of the kinds below, by turns."""
    kinds = sorted(KINDS)
    rng = np.random.default_rng([seed, 2021])
    kind = kinds[seed % len(kinds)]
    scene, step, steps = KINDS[kind](rng)
    return ContactCase(kind, scene, step, steps)


def hull(points):
    """The convex hull of points as a closed mesh with faces outward."""
    made = ConvexHull(points)
    faces = made.simplices.copy()
    a, b, c = (points[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - points.mean(axis=0)) < 0
    faces[inward] = faces[inward][:, ::-1]
    used, numbers = np.unique(faces, return_inverse=True)
    return dt.Mesh(points[used], faces=numbers.reshape(faces.shape))


def tetrahedron(size):
    return dt.Mesh(size * TETRAHEDRON, faces=FOUR_FACES)


def random_shape(rng, size):
    """Any shape that fits in a ball of radius `size` around its origin, and that radius."""
    kind = rng.integers(0, 8)
    if kind == 0:
        box = rng.uniform(0.2, 1.0, 3)
        return dt.Box(2 * size * box / np.linalg.norm(box))
    if kind == 1:
        return tetrahedron(size)
    if kind == 2:  # a needle, or a plate
        box = np.array([1.0, 10 ** rng.uniform(-3, -1), 10 ** rng.uniform(-3, 0)])
        return dt.Box(2 * size * box / np.linalg.norm(box))
    if kind == 3:
        return hull(size * _on_sphere(rng, int(rng.integers(5, 15))))
    if kind == 4:  # a sliver of a tetrahedron
        return tetrahedron(size * np.array([1.0, 10 ** rng.uniform(-3, -1), rng.uniform(0.01, 1)]))
    if kind == 5:  # a shell of one or two triangles
        corners = size * _on_sphere(rng, 4)
        faces = [[0, 1, 2], [1, 3, 2]][: int(rng.integers(1, 3))]
        return dt.Mesh(corners[: 2 + len(faces)], faces=np.array(faces), shell=True)
    if kind == 6:  # two spikes on a common base
        tips = np.array([[0, 0, 1], [0, 0, -1], [1, 0, 0], [-0.5, 0.8, 0], [-0.5, -0.8, 0]])
        tips[2:] *= rng.uniform(0.02, 0.5)
        return hull(size * tips.astype(float))
    return dt.Sphere(size)


def _on_sphere(rng, n):
    points = rng.normal(size=(n, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def _turned(rng):
    return Rotation.random(rng=rng).as_matrix()


def scattered(rng, n, size, spread, speed, spin, scene, start=0):
    """Bodies in balls that do not meet, thrown at their common centre."""
    placed: list[tuple[np.ndarray, float]] = []
    names = []
    while len(placed) < n:
        radius = size(rng)
        centre = rng.normal(size=3) * spread
        if any(np.linalg.norm(centre - c) < radius + r + 1e-3 * radius for c, r in placed):
            spread *= 1.05
            continue
        placed.append((centre, radius))
        names.append(f"body {start + len(names)}")
        away = centre / max(np.linalg.norm(centre), 1e-12)
        scene.add_body(
            names[-1], random_shape(rng, radius), density=10 ** rng.uniform(1, 4), position=centre,
            rotation=_turned(rng), velocity=-speed * away * rng.uniform(0.3, 1.5),
            angular_velocity=spin * rng.normal(size=3) / np.sqrt(3),
        )  # fmt: skip
    return placed


def fast_spins(rng):
    """Bodies that turn up to a whole turn in a step while they meet."""
    scene = dt.Scene()
    h = 0.01
    scattered(rng, 4, lambda r: 0.5, 1.0, 20.0, rng.uniform(1, 6) / h, scene)
    return scene, h, 8


def huge_steps(rng):
    """Bodies that would fly through each other several times over in one step."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    h = 10 ** rng.uniform(-2, 0.5)
    scattered(rng, int(rng.integers(2, 6)), lambda r: r.uniform(0.2, 1), 2.0, 30 / h, 1 / h, scene)
    return scene, h, 6


def mixed_scales(rng):
    """From millimetres to tens of metres, thrown together."""
    scene = dt.Scene()
    scattered(rng, 6, lambda r: 10 ** r.uniform(-3, 1), 3.0, 5.0, 3.0, scene)
    return scene, 0.05, 10


def pile(rng):
    """Bodies that fall on a floor and each other."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    placed = scattered(rng, 6, lambda r: r.uniform(0.1, 0.3), 0.5, 0.5, 2.0, scene)
    floor = min(c[2] - r for c, r in placed) - 10 ** rng.uniform(-6, -1)
    if rng.random() < 0.5:
        scene.add_body("floor", dt.HalfSpace(), motion="static", position=(0, 0, floor))
    else:
        scene.add_body("floor", dt.Box((20, 20, 1)), motion="static", position=(0, 0, floor - 0.5))
    return scene, 0.02, 15


def parallel_edges(rng):
    """Boxes with all edges parallel or at right angles, a hair's breadth apart, moving together."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    gap = 10 ** rng.uniform(-8, -2)
    turn = _turned(rng) if rng.random() < 0.3 else np.eye(3)
    columns, high = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    for i in range(columns):
        for k in range(high):
            shift = rng.choice([0.0, 0.5, 0.25]) if k else 0.0
            at = np.array([i * (1 + gap) + shift * (columns == 1), 0, k * (1 + gap)])
            scene.add_body(
                f"box {i} {k}", dt.Box((1, 1, 1)), density=100, position=turn @ at, rotation=turn,
                velocity=turn @ np.array([rng.choice([-1.0, 0.0, 1.0]), 0, 0]) * rng.uniform(0, 3),
            )  # fmt: skip
    at = turn @ np.array([0, 0, -1 - gap])
    scene.add_body("floor", dt.Box((30, 30, 1)), motion="static", position=at, rotation=turn)
    return scene, 10 ** rng.uniform(-3, -1), 10


def edge_on_edge(rng):
    """Two wedges, edge against edge, exactly parallel, crossed, or all but parallel."""
    scene = dt.Scene(gravity=(0, 0, -9.81) if rng.random() < 0.5 else (0, 0, 0))
    gap = 10 ** rng.uniform(-7, -1)
    wedge = np.array([[-1, 0, 0], [1, 0, 0], [-1, 0.5, -1], [1, 0.5, -1], [-1, -0.5, -1],
                      [1, -0.5, -1.0]])  # fmt: skip
    angle = rng.choice([0.0, 1e-9, 1e-6, 1e-3, np.pi / 2, rng.uniform(0, np.pi)])
    scene.add_body("lower", hull(wedge), motion="static")
    over = Rotation.from_euler("xz", [np.pi, angle]).as_matrix()
    origin = np.array([rng.uniform(-0.5, 0.5), 0, gap])
    scene.add_body(
        "upper", hull(wedge), density=1000, position=origin, rotation=over,
        velocity=(rng.normal(), 0, -(10 ** rng.uniform(-1, 2))),
        angular_velocity=rng.normal(size=3) * rng.choice([0.0, 1.0, 30.0]),
    )  # fmt: skip
    return scene, 10 ** rng.uniform(-3, -1), 8


def bullet_and_wall(rng):
    """A body shot at a sheet of no thickness, or at a thin box, at any speed."""
    scene = dt.Scene()
    speed = 10 ** rng.uniform(0, 5)
    far = rng.uniform(0.5, 3.0)
    scene.add_body(
        "bullet", random_shape(rng, 0.2), density=1000, position=(-far, *rng.normal(size=2) * 0.3),
        rotation=_turned(rng), velocity=(speed, 0, 0), angular_velocity=rng.normal(size=3) * 10,
    )  # fmt: skip
    if rng.random() < 0.5:
        sheet = np.array([[0, -3, -3], [0, 3, -3], [0, 3, 3], [0, -3, 3.0]])
        shape = dt.Mesh(sheet, faces=np.array([[0, 1, 2], [0, 2, 3]]), shell=True)
    else:
        shape = dt.Box((10 ** rng.uniform(-5, -2), 6, 6))
    free = rng.random() < 0.5
    scene.add_body("wall", shape, density=1000, motion="dynamic" if free else "static")
    return scene, 0.01, 6


KINDS = {
    made.__name__: made
    for made in (
        fast_spins, huge_steps, mixed_scales, pile, parallel_edges, edge_on_edge, bullet_and_wall,
    )
}  # fmt: skip
