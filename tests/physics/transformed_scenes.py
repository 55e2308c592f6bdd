"""A scene in other axes, at another place, in another order, mirrored, or in other units."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

import dovetail as dt
from dovetail.linalg.lie import so3

SIZE = 0.2  # [m] of the boxes


@dataclass(frozen=True)
class Change:
    """x' = length (Q x + shift), t' = time t, m' = mass m; Q may be a reflection."""

    Q: np.ndarray = field(default_factory=lambda: np.eye(3))
    shift: np.ndarray = field(default_factory=lambda: np.zeros(3))  # [m]
    order: tuple[int, ...] | None = None  # in which bodies are added
    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0


TURN = so3.exp(np.array([0.7, -0.4, 1.1]))
CHANGES = {
    "rotated": Change(Q=TURN),
    "far away": Change(shift=1e3 * SIZE * np.array([1.0, -0.7, 0.4])),
    "in another order": Change(order=(3, 0, 4, 2, 1)),
    "mirrored": Change(Q=np.diag([1.0, -1.0, 1.0])),
    "lengths x 1e-3": Change(length=1e-3),
    "lengths x 1e3": Change(length=1e3),
    "masses x 1e-3": Change(mass=1e-3),
    "masses x 1e3": Change(mass=1e3),
    "times x 1e-3": Change(time=1e-3),
    "times x 1e3": Change(time=1e3),
    "mm, g, ms": Change(length=1e3, mass=1e3, time=1e3),
}
HOLDS = np.diag([-1.0, 1.0, 1.0])  # maps every shape of these scenes on itself


Shape = Callable[[float], Any]  # at a scale


def box(*size: float) -> Shape:
    return lambda L: dt.Box(tuple(L * s for s in size))


def wedge(L: float) -> Any:
    """A mesh with sharp edges, the same on both sides of x = 0."""
    corners = [(-1, -1, -0.8), (1, -1, -0.8), (-0.7, 1, -0.6), (0.7, 1, -0.6), (0, -0.5, 1.1)]
    hull = ConvexHull(corners)
    outward = [
        face if np.cross(*(np.array(corners)[face[1:]] - corners[face[0]])) @ plane[:3] > 0
        else face[::-1]
        for face, plane in zip(hull.simplices.tolist(), hull.equations)
    ]  # fmt: skip
    return dt.Mesh(0.1 * L * np.array(corners), outward)


@dataclass(frozen=True)
class Part:
    """One body of a scene."""

    name: str
    shape: Shape
    position: tuple[float, float, float]
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    motion: str = "dynamic"


FLOOR = Part("floor", box(4, 4, 0.4), (0, 0, -0.2), motion="static")
BOXES = (  # that fall, tilted, on a floor and on each other
    FLOOR,
    Part("a", box(0.2, 0.2, 0.2), (0.0, 0.0, 0.16), (0.3, 0.2, 0.1), (0.3, 0, 0), (0, 1, 0)),
    Part("b", box(0.24, 0.16, 0.2), (0.05, 0.02, 0.47), (0.1, -0.3, 0.5)),
    Part("c", box(0.16, 0.2, 0.24), (0.45, 0.1, 0.2), (-0.2, 0.4, 0.2), (-0.6, 0, 0), (0, 0, 2)),
    Part("d", box(0.2, 0.2, 0.2), (-0.4, -0.2, 0.102), (0, 0, 0.4), (0.5, 0.2, 0)),
)
ROUND = (  # smooth shapes and a mesh, rolling and sliding
    FLOOR,
    Part("ball", lambda L: dt.Sphere(0.1 * L), (0, 0, 0.101), velocity=(0.8, 0.1, 0)),
    Part("roller", lambda L: dt.Cylinder(0.1 * L, 0.2 * L), (-0.5, 0, 0.12), (1.7, 0.1, 0.2)),
    Part("pill", lambda L: dt.Capsule(0.05 * L, 0.2 * L), (0.5, 0.1, 0.16), (1.2, 0, 0.5)),
    Part("wedge", wedge, (0.0, 0.6, 0.13), (0.2, 0.1, 0.3), (0.2, -0.5, 0)),
)


def changed(parts: tuple[Part, ...], change: Change) -> dt.Scene:
    """The scene of those parts."""
    Q, L, M, T = change.Q, change.length, change.mass, change.time
    fix = HOLDS if np.linalg.det(Q) < 0 else np.eye(3)
    sign = np.linalg.det(Q)  # a spin is a pseudo-vector
    scene = dt.Scene(gravity=L / T**2 * Q @ (0, 0, -9.81))
    for k in change.order or range(len(parts)):
        part = parts[k]
        scene.add_body(
            part.name, part.shape(L), density=1000 * M / L**3,
            position=L * (Q @ part.position + change.shift),
            rotation=Q @ so3.exp(np.array(part.turn)) @ fix, velocity=L / T * Q @ part.velocity,
            angular_velocity=sign / T * Q @ part.spin, motion=part.motion,
        )  # fmt: skip
    return scene


LINKS = (  # on a spherical joint, a revolute one and a spring
    Part("upper", box(0.05, 0.05, 0.3), (0, 0, -0.15), velocity=(0, 0, 0), spin=(0, 0, 0)),
    Part("lower", box(0.04, 0.06, 0.2), (0.1, 0, -0.3), (0, np.pi / 2, 0)),
    Part("bob", box(0.1, 0.08, 0.06), (0.4, 0.1, -0.3), (0.2, 0.1, 0.3), (0, 0.3, 0.5), (1, 0, 2)),
)


def mechanism(change: Change) -> dt.Scene:
    """Two links that hang on a spherical joint, and a body that a damped spring holds to them."""
    Q, L, M, T = change.Q, change.length, change.mass, change.time
    scene = changed(LINKS, change)

    def place(*point: float) -> Any:
        return L * (Q @ point + change.shift)

    joints = [
        ("top", dt.Spherical(point=place(0, 0, 0)), "ground", "upper"),
        ("knee", dt.Revolute(point=place(0, 0, -0.3), axis=Q @ (0, 0.8, 0.6)), "upper", "lower"),
    ]
    for joint in joints if change.order is None else joints[::-1]:
        scene.add_joint(*joint)
    scene.add_spring(
        "band", "lower", "bob", point_a=place(0.2, 0, -0.3), point_b=place(0.4, 0.1, -0.3),
        stiffness=300 * M / T**2, damping=2 * M / T, rest_length=0.15 * L,
    )  # fmt: skip
    return scene


def positions(parts: tuple[Part, ...], change: Change, duration: float, step: float, **how):
    """(frames, n, 3) [m] of the moving parts, in the axes and units of the unchanged scene."""
    scene = mechanism(change) if parts is LINKS else changed(parts, change)
    T = change.time
    made = dt.simulate(scene, T * duration, T * step, progress=False, check=False, **how)
    moving = [part.name for part in parts if part.motion == "dynamic"]
    x = np.stack([made.position(name) for name in moving], axis=1)
    return (x / change.length - change.shift) @ change.Q
