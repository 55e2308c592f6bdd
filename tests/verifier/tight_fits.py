"""Results in which bodies stay very close to each other, from closed forms or short runs."""

import math
from functools import partial

import numpy as np

import dovetail as dt
from dovetail.examples.bolt import THREAD, TURNS

R = 0.1  # [m]
OBLIQUE = dt.lie.so3.exp(np.array([0.5, -0.8, 0.3]))  # boxes along the axes do not part the bodies


def free(parts, duration=1.0, step=0.025, every=1):
    """Bodies (name, shape, position, rotation, spin, velocity) that nothing acts on."""
    scene = dt.Scene()
    for name, shape, position, rotation, spin, velocity in parts:
        scene.add_body(
            name, shape, density=1000, position=OBLIQUE @ position,
            rotation=OBLIQUE @ dt.lie.so3.exp(rotation),
            angular_velocity=OBLIQUE @ spin, velocity=OBLIQUE @ velocity,
        )  # fmt: skip
    return dt.simulate(scene, duration, step, progress=False, check=False, every=every)


def spinning(shape, gap, across=0.0, rate=2.0, step=0.025, every=1):
    """Two shapes of radius R about z, the second turned by `across` [rad] about x."""
    axis = np.array([0.0, -math.sin(across), math.cos(across)])
    no, reach = np.zeros(3), (2 + gap) * R
    return free([
        ("a", shape, no, no, (0, 0, rate), no),
        ("b", shape, (reach, 0, 0), np.array([across, 0, 0]), -rate * axis, no),
    ], step=step, every=every)  # fmt: skip


def rolling(gap, step=0.025):
    """A cylinder that rolls past a box beneath it."""
    up = np.array([0.0, 0.0, 1.0])
    turn = np.array([math.pi / 2, 0, 0])
    floor = ("floor", dt.Box((2, 1, 0.2)), -0.1 * up, np.zeros(3), np.zeros(3), np.zeros(3))
    wheel = ("wheel", dt.Cylinder(R, 0.3), ((1 + gap) * R) * up, turn, (0, 3, 0), (0.3, 0, 0))
    return free([floor, wheel], step=step)


def tumbling(gap):
    """A cylinder that spins about its axis while this turns, over a box that turns with it."""
    axis, spin = np.array([1.0, 0, 0]), np.array([0.5, 0, 0])
    plate = ("plate", dt.Box((0.4, 0.4, 0.1)), -0.05 * axis[[1, 2, 0]], 0 * axis, spin, 0 * axis)
    up = (0.15 + gap * R) * axis[[1, 2, 0]]
    post = ("post", dt.Cylinder(R, 0.3), up, 0 * axis, np.array([0.5, 0, 3.0]),
            np.cross(spin, up))  # fmt: skip
    return free([plate, post], duration=0.05, step=0.0025)


def nut_on_bolt(turns):
    """The bolt of the example, screwed through its nut without contact, with play on all sides."""
    parts = dt.examples.get("bolt").build().bodies
    scene = dt.Scene()
    scene.add_body(
        "bolt", parts["bolt"].shape, density=7800, rotation=np.diag([1.0, -1.0, -1.0]),
        angular_velocity=(0, 0, -2 * math.pi * turns), velocity=(0, 0, -turns * THREAD.pitch),
    )  # fmt: skip
    nut, place = parts["nut"].shape, (0, 0, -(TURNS - 0.5) * THREAD.pitch)
    scene.add_body("nut", nut, motion="static", position=place)
    return dt.simulate(scene, 0.2, 0.008, progress=False, check=False)


def at_rest(contact, shape, floor):
    """A body that has come to rest."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    if floor == "half-space":
        scene.add_body("floor", dt.HalfSpace(), motion="static")
    else:
        scene.add_body(
            "floor", dt.Box((2, 2, 0.2)), motion="static", density=1, position=(0, 0, -0.1)
        )
    scene.add_body("body", shape, density=1000, position=(0, 0, 0.1005))
    return dt.simulate(scene, 1.0, 0.01, contact=contact, progress=False, check=False)


CYLINDER = dt.Cylinder(R, 0.3)
FITS = {
    **{f"spinning cylinders, gap {gap:.0e} R": partial(spinning, CYLINDER, gap)
       for gap in (1e-3, 1e-4, 1e-5)},
    "crossed spinning cylinders, 1e-5 R": partial(spinning, CYLINDER, 1e-5, math.pi / 2),
    "spinning cylinders at 10 degrees": partial(spinning, CYLINDER, 1e-5, math.pi / 18),
    "spinning capsules, 1e-5 R": partial(spinning, dt.Capsule(R, 0.3), 1e-5),
    "spinning tori, 1e-5 R": partial(spinning, dt.Torus(0.8 * R, 0.2 * R), 1e-5),
    "many turns between two frames": partial(spinning, CYLINDER, 1e-5, 0.0, 500.0, 2e-4, 125),
    "tumbling cylinder over a plate": partial(tumbling, 1e-2),
    "nut on its bolt": partial(nut_on_bolt, 1.5),
    "rolling cylinder, 1e-5 R": partial(rolling, 1e-5),
    **{f"{method.__name__}, {name} on a {floor}":
       partial(at_rest, method(friction=0.3), shape, floor)
       for method in (dt.contact.LCP, dt.contact.SDF)
       for name, shape in (("box", dt.Box((0.2, 0.2, 0.2))), ("ball", dt.Sphere(R)),
                           ("cylinder", dt.Cylinder(R, 0.2)))
       for floor in ("half-space", "box")},
}  # fmt: skip
