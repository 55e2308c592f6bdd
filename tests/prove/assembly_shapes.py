"""An assembly with a known verdict, and the shapes its parts are made of."""

from dataclasses import dataclass, field
from math import cos, pi, sin

import numpy as np

import dovetail as dt

SAMPLES = 37  # a position every 10 degrees of a turn
MM = 1e-3
TIP = 0.2 * MM  # width of ribs and posts


@dataclass
class Assembly:
    """A scene, a question and its answer."""

    name: str
    gap: float  # [m] < 0: a clash of that depth
    scene: dt.Scene
    question: dict
    at: float  # [parameter] where the rib passes the post
    span: tuple  # (from, to) of the parameter
    turning: dict = field(default_factory=dict)  # body -> triangles, where all turn about z
    sliding: dict = field(default_factory=dict)  # body -> corners of hulls, where all move straight
    along: tuple = ()  # direction of that motion
    parts: dict = field(default_factory=dict)  # body -> triangles at the start
    exact: dict = field(default_factory=dict)  # numbers of the motion, as the scene has them

    @property
    def meets(self):
        return self.gap < 0.0


def prism(points, low, high):
    """A closed mesh over a polygon that is star-shaped about its mean, counterclockwise."""
    points = np.asarray(points, float)
    n, c = len(points), np.asarray(points, float).mean(axis=0)
    rows = [[*p, z] for z in (low, high) for p in points] + [[*c, low], [*c, high]]
    faces = []
    for i in range(n):
        j = (i + 1) % n
        faces += [(j, i, 2 * n), (n + i, n + j, 2 * n + 1), (i, j, n + j), (i, n + j, n + i)]
    return np.array(rows), np.array(faces)


def tube(inner, outer, n, low, high, phase=0.0):
    """A ring with polygons of n sides inside and outside."""
    angles = phase + 2 * pi * np.arange(n) / n
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    rows = [[*(r * p), z] for r in (inner, outer) for z in (low, high) for p in circle]
    faces = []
    for i in range(n):
        j = (i + 1) % n
        quads = (
            (j, i, n + i, n + j),
            (2 * n + i, 2 * n + j, 3 * n + j, 3 * n + i),
            (n + i, 3 * n + i, 3 * n + j, n + j),
            (j, 2 * n + j, 2 * n + i, i),
        )
        for a, b, c, d in quads:
            faces += [(a, b, c), (a, c, d)]
    return np.array(rows), np.array(faces)


def together(*meshes):
    vertices, faces, before = [], [], 0
    for v, f in meshes:
        vertices.append(v)
        faces.append(f + before)
        before += len(v)
    return np.concatenate(vertices), np.concatenate(faces)


def circle(radius, n, phase=0.0):
    angles = phase + 2 * pi * np.arange(n) / n
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def spun(points, angle):
    c, s = cos(angle), sin(angle)
    return np.asarray(points) @ np.array([[c, s], [-s, c]])


def add(scene, name, mesh, motion="dynamic"):
    scene.add_body(name, dt.Mesh(*mesh), density=1000, motion=motion)
    vertices, faces = mesh
    return vertices[faces]


def between_samples(rng, low, high):
    """The middle between two samples of a range, not one of the outermost."""
    k = int(rng.integers(3, SAMPLES - 5))
    return low + (k + 0.5) * (high - low) / (SAMPLES - 1)


def signed_gap(rng, meets):
    """[m] 10 um to 1 mm, spread evenly by logarithm."""
    size = 10.0 ** rng.uniform(-5, -3)
    return -size if meets else size


def outward_tip(radius, foot):
    """A triangle with one vertex exactly at (radius, 0), its foot at `foot` [m]."""
    return [(radius, 0.0), (foot, TIP / 2), (foot, -TIP / 2)]


def inward_post(radius, reach=2 * MM):
    """A block whose inner face is at x = radius."""
    return [
        (radius, -TIP / 2),
        (radius + reach, -TIP / 2),
        (radius + reach, TIP / 2),
        (radius, TIP / 2),
    ]
