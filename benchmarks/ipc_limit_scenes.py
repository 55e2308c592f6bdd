"""Scenes of `ipc_limits.py` and `ipc_orders.py`, with their closed forms."""

import os
from pathlib import Path

import numpy as np

import dovetail as dt
from dovetail.io.loading import load_scene
from dovetail.validation.dae_problems.scenes import four_bars, governor

__all__ = ["four_bars", "governor"]
G = 9.81
C, S = np.cos(np.pi / 2), np.sin(np.pi / 2)  # not 0, by rounding: what is unstable shows
ACROSS = ((1.0, 0.0, 0.0), (0.0, C, -S), (0.0, S, C))  # the axis z along -y
SHAPES = {  # a roller of radius 0.1, and its moment of inertia over m r^2
    "sphere": (dt.Sphere(0.1), 0.4),
    "capsule": (dt.Capsule(0.1, 0.3), None),
    "cylinder": (dt.Cylinder(0.1, 0.3), 0.5),
    "torus": (dt.Torus(0.08, 0.02), (0.08**2 + 0.75 * 0.02**2) / 0.1**2),
}
SHARED = Path(os.environ.get("DOVETAIL_SHARED", Path(__file__).parents[2] / "shared"))


def box_on_floor(size, mass, gap):
    """A box at rest above a floor."""
    scene, long = dt.Scene(gravity=(0, 0, -G)), max(size)
    floor = dt.Box((10 * long, 10 * long, long))
    scene.add_body("floor", floor, motion="static", position=(0, 0, -0.5 * long))
    scene.add_body("box", dt.Box(size), mass=mass, position=(0, 0, 0.5 * size[2] + gap))
    return scene


def landing(gap, duration, mu=0.49, tangent=0.5):
    """A block let go above a slope, and how far it goes along it: fall, plastic impact, slip."""
    angle = np.arctan(tangent)
    along, down = G * np.sin(angle), G * np.cos(angle)
    scene = dt.Scene(gravity=(along, 0, -down))
    scene.add_body("ramp", dt.Box((8, 2, 0.2)), motion="static", position=(0, 0, -0.1))
    scene.add_body("block", dt.Box((0.4, 0.4, 0.2)), density=1000, position=(-1, 0, 0.1 + gap))
    fall = np.sqrt(2 * gap / down)
    rest, speed = duration - fall, max(along - mu * down, 0.0) * fall
    exact = 0.5 * along * fall**2 + speed * rest + 0.5 * (along - mu * down) * rest**2
    return scene, exact


def plate_with_hole(width, depth=0.03, outer=0.04):
    """A plate with a square hole, its upper side at z = 0 [m]."""
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    points = [
        (s * r, t * r, z) for z in (0.0, -depth) for r in (outer / 2, width / 2) for s, t in corners
    ]
    faces = []
    for k in range(4):
        n = (k + 1) % 4
        for p, q, r, s in (
            (k, n, 4 + n, 4 + k), (8 + n, 8 + k, 12 + k, 12 + n), (8 + k, 8 + n, n, k),
            (4 + k, 4 + n, 12 + n, 12 + k),
        ):  # fmt: skip
            faces += [(p, q, r), (p, r, s)]
    return dt.Mesh(points, faces)


def peg_over_hole(clearance, above=1e-3):
    """A steel peg, 10 x 10 x 30 mm, above its hole."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("plate", plate_with_hole(0.01 + 2 * clearance), motion="static", density=7800)
    scene.add_body("peg", dt.Box((0.01, 0.01, 0.03)), density=7800, position=(0, 0, 0.015 + above))
    return scene


def ring(radii, heights, n):
    """Vertices and faces of a body of revolution's polyhedron: its profile is closed, n corners."""
    angle = 2 * np.pi * np.arange(n) / n
    unit = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    m = len(radii)
    points = [(r * c, r * s, z) for c, s in unit for r, z in zip(radii, heights)]
    faces = []
    for k in range(n):
        here, there = k * m, (k + 1) % n * m
        for i in range(m):
            j = (i + 1) % m
            faces += [(here + i, there + i, there + j), (here + i, there + j, here + j)]
    return np.array(points), np.array(faces)


def joined(*parts):
    """One mesh of several closed ones."""
    points, faces, first = [], [], 0
    for p, f in parts:
        points.append(p)
        faces.append(np.asarray(f) + first)
        first += len(p)
    return dt.Mesh(np.concatenate(points), np.concatenate(faces))


PITCH, STUD, HEIGHT, TALL = 8e-3, 2.4e-3, 1.7e-3, 9.6e-3  # [m] of a brick with 2 x 2 studs


def brick_on_studs(clearance, above=2e-4, off=0.0, push=5.0, corners=24):
    """A hollow brick with its tube above the four studs of a plate, pressed down by `push` [N].

    `clearance` [m] is left between each stud and the walls, and between it and the tube.
    """
    half = 0.5 * PITCH
    turned = np.pi / corners  # flat sides of the studs face the walls
    studs = []
    for x in (-half, half):
        for y in (-half, half):
            flat = STUD / np.cos(turned)
            p, f = ring((0.2 * STUD, flat, flat, 0.2 * STUD), (1e-5, 1e-5, HEIGHT, HEIGHT), corners)
            c, s = np.cos(turned), np.sin(turned)
            studs.append((p @ np.array(((c, s, 0), (-s, c, 0), (0, 0, 1))) + (x, y, 0.0), f))
    plate = dt.Box((4 * PITCH, 4 * PITCH, PITCH)).surface()
    base = joined((plate.vertices - (0, 0, half), plate.faces), *studs)
    inner, outer = half + STUD + clearance, 7.9e-3
    square = np.pi / 4
    shell, faces = ring(
        np.sqrt(2) * np.array((outer, outer, 1e-4, 1e-4, inner, inner)),
        (0.0, TALL, TALL, TALL - 1.5e-3, TALL - 1.5e-3, 0.0), 4,
    )  # fmt: skip
    c, s = np.cos(square), np.sin(square)
    shell = shell @ np.array(((c, s, 0), (-s, c, 0), (0, 0, 1)))
    tube_radius = np.sqrt(2) * half - STUD / np.cos(turned) - clearance
    tube = ring(
        (tube_radius, tube_radius, tube_radius - 8e-4, tube_radius - 8e-4),
        (0.0, TALL - 1.6e-3, TALL - 1.6e-3, 0.0), corners,
    )  # fmt: skip
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("plate", base, motion="static", density=1000)
    scene.add_body(
        "brick", joined((shell, faces), tube), mass=1.2e-3, inertia=(6e-8, 6e-8, 6e-8),
        center_of_mass=(0, 0, 0.5 * TALL), position=(off, 0.3 * off, HEIGHT + above),
    )  # fmt: skip
    scene.add_force("push", "brick", (0, 0, -push))
    return scene


def floor(kind, gravity=(0.0, 0.0, -G)):
    scene = dt.Scene(gravity=gravity)
    if kind == "half-space":
        scene.add_body("floor", dt.HalfSpace(), motion="static")
    elif kind == "box":
        scene.add_body("floor", dt.Box((30, 6, 1)), motion="static", position=(0, 0, -0.5))
    else:
        x, y = np.linspace(-4, 4, 24), np.linspace(-1.2, 1.3, 6)
        points = [(a, b, 0.0) for a in x for b in y]
        first = [i * 6 + j for i in range(23) for j in range(5)]
        faces = [f for k in first for f in ((k, k + 6, k + 7), (k, k + 7, k + 1))]
        scene.add_body("floor", dt.Mesh(points, faces), motion="static")
    return scene


def level_roller(name, kind, speed=1.0):
    """A roller that rolls along x."""
    scene = floor(kind)
    scene.add_body(
        "roller", SHAPES[name][0], density=1000, position=(-2.5, 0, 0.1), rotation=ACROSS,
        velocity=(speed, 0, 0), angular_velocity=(0, speed / 0.1, 0),
    )  # fmt: skip
    return scene


def rolling_down(name, duration=2.0, angle=0.3):
    """A roller let go on an incline, and its speed after `duration`: g sin / (1 + I / m r^2) t."""
    scene = floor("half-space", (G * np.sin(angle), 0, -G * np.cos(angle)))
    shape, share = SHAPES[name]
    scene.add_body("roller", shape, density=1000, position=(-5, 0, 0.1), rotation=ACROSS)
    if share is None:
        model = scene.build()
        share = float(model.inertia[1, 2, 2] / (model.mass[1] * 0.1**2))
    return scene, duration * G * np.sin(angle) / (1 + share)


def ball_on_turntable(duration, rate=3.0, v0=0.3, r=0.05):
    """A rolling ball on a table that turns, and where it is: it circles at 2/7 of the rate."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("table", dt.Box((3, 3, 0.2)), motion="kinematic", position=(0, 0, -0.1),
                   angular_velocity=(0, 0, rate))  # fmt: skip
    start = np.array([0.3, 0.0, r])
    spin = np.cross((0.0, 0.0, 1.0), (0.0, v0 - rate * start[0], 0.0)) / r
    scene.add_body("ball", dt.Sphere(r), density=1000, position=start, velocity=(0, v0, 0),
                   angular_velocity=spin)  # fmt: skip
    own, turned = 2 / 7 * rate, 2 / 7 * rate * duration
    centre = start[:2] - (v0 / own, 0)
    return scene, centre + v0 / own * np.array([np.cos(turned), np.sin(turned)])


def bouncing(name):
    """A ball or box whose lowest point is 1 m above the floor."""
    scene = floor("half-space")
    shape = dt.Sphere(0.1) if name == "sphere" else dt.Box((0.2, 0.2, 0.2))
    scene.add_body("body", shape, mass=1.0, position=(0, 0, 1.1))
    return scene


def toppling(part, width=0.2, height=0.5):
    """A block on a floor under a horizontal acceleration of `part` g w/H."""
    scene = dt.Scene(gravity=(part * G * width / height, 0, -G))
    scene.add_body("floor", dt.Box((6, 6, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body("block", dt.Box((width, 0.3, height)), density=500, position=(0, 0, height / 2))
    return scene


def arch():
    """The authors' arch of 101 stones as it is shipped, with step and friction; None without it."""
    path = SHARED / "data" / "rigid-ipc" / "fixtures" / "friction" / "arch" / "arch-101-stones.json"
    if not path.exists():
        return None, 0.0, 0.0
    loaded = load_scene(path)
    return loaded.scene, loaded.run.step, loaded.run.contact.options


def spring_damper(duration, k=100.0, c=4e4, mass=3.0):
    """A body let go on a spring-damper, and how far it falls: m z'' + c z' + k z = -m g."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("body", dt.Box((0.1, 0.1, 0.1)), mass=mass, position=(0, 0, -1))
    scene.add_spring("pull", "ground", "body", (0, 0, 0), (0, 0, -1), k, c)
    d, rest = c / (2 * mass), -G * mass / k
    root = np.sqrt(d * d - k / mass)
    low, high = -d - root, -k / mass / (d + root)
    a = rest * low / (high - low)
    return scene, rest + a * np.exp(high * duration) - (rest + a) * np.exp(low * duration)


def under_load(light=1e-3, heavy=1e3, side=0.1):
    """A light cube under a heavy one on a floor, and their weight [N]."""
    scene = box_on_floor((side,) * 3, light, 0.0)
    scene.add_body("heavy", dt.Box((side,) * 3), mass=heavy, position=(0, 0, 1.5 * side))
    return scene, G * (light + heavy)
