"""Scenes of mechanisms for the tests: linkages with closed forms, and random systems."""

import numpy as np

from dovetail.model import joints as kinds
from dovetail.model.scene import Scene
from dovetail.model.shapes import Box
from random_trees import random_rotation

Z = (0.0, 0.0, 1.0)


def bar(scene, name, start, end, thickness=0.02, **options):
    """A box between two points of the plane z = 0."""
    start, end = np.array([*start, 0.0]), np.array([*end, 0.0])
    along = end - start
    length = np.linalg.norm(along)
    c, s = along[:2] / length
    R = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
    shape = Box((length, thickness, thickness))
    return scene.add_body(
        name, shape, density=2700, position=(start + end) / 2, rotation=R, **options
    )


def coupler_point(crank, coupler, rocker, ground, angle):
    """Where crank and rocker of a four-bar meet the coupler: pins B and C (open branch)."""
    B = crank * np.array([np.cos(angle), np.sin(angle)])
    D = np.array([ground, 0.0])
    span = D - B
    r = np.linalg.norm(span)
    lift = np.arccos((coupler**2 + r**2 - rocker**2) / (2 * coupler * r))
    direction = np.arctan2(span[1], span[0]) + lift
    return B, B + coupler * np.array([np.cos(direction), np.sin(direction)])


FOUR_BAR = (0.3, 0.8, 0.6, 0.7)  # crank, coupler, rocker, ground [m]: the crank turns fully


def four_bar(angle=1.0, gravity=(0, -9.81, 0), actuation=(), lengths=FOUR_BAR):
    """Crank, coupler and rocker on four parallel revolute joints."""
    B, C = coupler_point(*lengths, angle)
    D = (lengths[3], 0.0)
    scene = Scene(gravity=gravity)
    bar(scene, "crank", (0, 0), B)
    bar(scene, "coupler", B, C)
    bar(scene, "rocker", D, C)
    scene.add_joint("A", kinds.Revolute((0, 0, 0), Z, actuation=actuation), "ground", "crank")
    scene.add_joint("B", kinds.Revolute((*B, 0), Z), "crank", "coupler")
    scene.add_joint("C", kinds.Revolute((*C, 0), Z), "coupler", "rocker")
    scene.add_joint("D", kinds.Revolute((*D, 0), Z), "rocker", "ground")
    return scene


SLIDER_CRANK = (0.2, 0.7)  # crank, rod [m]


def slider_crank(angle=0.4, gravity=(0, -9.81, 0), actuation=()):
    """Crank, rod and a slider along x."""
    a, b = SLIDER_CRANK
    B = a * np.array([np.cos(angle), np.sin(angle)])
    x = B[0] + np.sqrt(b**2 - B[1] ** 2)
    scene = Scene(gravity=gravity)
    bar(scene, "crank", (0, 0), B)
    bar(scene, "rod", B, (x, 0))
    scene.add_body("slider", Box((0.1, 0.05, 0.05)), density=2700, position=(x, 0, 0))
    scene.add_joint("main", kinds.Revolute((0, 0, 0), Z, actuation=actuation), "ground", "crank")
    scene.add_joint("pin", kinds.Revolute((*B, 0), Z), "crank", "rod")
    scene.add_joint("wrist", kinds.Revolute((x, 0, 0), Z), "rod", "slider")
    scene.add_joint("guide", kinds.Prismatic((x, 0, 0), (1, 0, 0)), "ground", "slider")
    return scene


KINDS = ("revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "screw",
         "free", "fixed")  # fmt: skip


def random_joint(rng, kind, **options):
    axes = random_rotation(rng)
    given = {"point": rng.uniform(-1, 1, 3), "axis": axes[0], **options}
    if kind == "universal":
        given["axis2"] = axes[1]
    if kind == "screw":
        given["pitch"] = rng.uniform(0.5, 2.0)
    return kinds.JOINTS.get(kind)(**given)


def random_body(rng, scene, name):
    spread = rng.normal(size=(3, 3))
    J = spread @ spread.T
    scene.add_body(
        name,
        mass=rng.uniform(0.5, 3.0),
        inertia=np.trace(J) * np.eye(3) - J + 0.1 * np.eye(3),
        position=rng.uniform(-1, 1, 3),
        rotation=random_rotation(rng),
        velocity=rng.normal(size=3),
        angular_velocity=rng.normal(size=3),
    )


def random_mechanism(rng, tree_kinds, cut_kinds=()):
    """A random tree with these joints, and joints of the other kinds that close loops."""
    scene = Scene(gravity=(0.3, -1.2, -9.81))
    names = ["ground"]
    for i, kind in enumerate(tree_kinds):
        name = f"body {i}"
        random_body(rng, scene, name)
        pair = [names[rng.integers(0, len(names))], name]
        scene.add_joint(f"{kind} {i}", random_joint(rng, kind), *rng.permutation(pair).tolist())
        names.append(name)
    for i, kind in enumerate(cut_kinds):
        pair = rng.choice(names, 2, replace=False).tolist()
        scene.add_joint(f"closing {kind} {i}", random_joint(rng, kind), *pair)
    return scene
