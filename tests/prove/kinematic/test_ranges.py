"""Ranges in which parts meet: free outside, bracketed to 1e-6, also of round parts."""

from math import acos, sqrt
from pathlib import Path

import pytest

import dovetail as dt

WANTED = 1e-6  # of the range
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def box(scene, name, size, at, motion="static"):
    scene.add_body(name, dt.Box(size), density=1000, position=at, motion=motion)


def ball_on_a_pendulum(depth):
    """100 mm long; its lowest point is `depth` below the floor."""
    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(0.01), density=1000, position=(0, 0, -0.1))
    box(scene, "floor", (0.5, 0.5, 0.01), (0, 0, -0.115 + depth))
    scene.add_joint("h", dt.Revolute(axis=Y), "ground", "ball")
    half = acos(1.0 - depth / 0.1)
    return scene, {"h": (-1.0, 0.8)}, (-half, half)


def disc_off_its_centre(depth):
    scene, r, off = dt.Scene(), 0.02, 0.005
    scene.add_body("disc", dt.Cylinder(r, 0.01), density=1000, position=(off, 0, 0))
    box(scene, "plate", (0.01, 0.1, 0.02), (r + off - depth + 0.005, 0, 0))
    scene.add_joint("h", dt.Revolute(axis=Z), "ground", "disc")
    half = acos(1.0 - depth / off)
    return scene, {"h": (-2.0, 2.5)}, (-half, half)


def slide(shape, other, at, rotation=None):
    """A shape slides along x from 0 towards another one, which stays."""
    scene = dt.Scene()
    scene.add_body("car", shape, density=1000, rotation=rotation)
    scene.add_body("post", other, density=1000, position=at, motion="static")
    scene.add_joint("s", dt.Prismatic(axis=X), "ground", "car")
    return scene


def two_posts():
    """Round bars pass each other: their axes are then 12 mm apart."""
    scene = slide(dt.Cylinder(0.008, 0.03), dt.Cylinder(0.006, 0.02), (0.05, 0.012, 0.001))
    half = sqrt(0.014**2 - 0.012**2)
    return scene, {"s": (0.0, 0.1)}, (0.05 - half, 0.05 + half)


def balls():
    scene = slide(dt.Sphere(0.008), dt.Sphere(0.006), (0.05, 0.0139, 0.0))
    half = sqrt(0.014**2 - 0.0139**2)
    return scene, {"s": (0.0, 0.1)}, (0.05 - half, 0.05 + half)


def ball_past_a_bar():
    scene = slide(dt.Sphere(0.008), dt.Cylinder(0.006, 0.2), (0.05, 0.01, 0.0))
    half = sqrt(0.014**2 - 0.01**2)
    return scene, {"s": (0.0, 0.1)}, (0.05 - half, 0.05 + half)


def capsule_past_a_bar():
    """The capsule lies across, along y; the bar stands along z."""
    turned = (sqrt(0.5), sqrt(0.5), 0, 0)
    scene = slide(dt.Capsule(0.004, 0.02), dt.Cylinder(0.006, 0.2), (0.05, 0.016, 0.0), turned)
    half = sqrt(0.01**2 - 0.006**2)
    return scene, {"s": (0.0, 0.1)}, (0.05 - half, 0.05 + half)


def ring_against_a_wall():
    scene = slide(dt.Torus(0.02, 0.003), dt.Box((0.01, 0.1, 0.1)), (0.06, 0.0, 0.0))
    return scene, {"s": (0.0, 0.1)}, (0.055 - 0.023, 0.065 + 0.023)


def cone_against_an_edge():
    """An edge along y, 5 mm above the base of a cone of 10 mm radius and height."""
    scene = slide(dt.Cone(0.01, 0.01), dt.Box((0.01, 0.1, 0.01)), (0.045, 0.0, 0.01))
    return scene, {"s": (0.0, 0.1)}, (0.04 - 0.005, 0.05 + 0.005)


def onto_a_slope(radius, high):
    """Where a round bar across x, at a height, begins to touch a cone of 10 mm at x = 50 mm."""
    a, h = 0.01, 0.02
    return 0.05 - a + (a * high - radius * sqrt(a * a + h * h)) / h


def cone_on_a_cylinder():
    """The bar lies along y: both are round, and touch in the plane y = 0."""
    turned, high = (sqrt(0.5), sqrt(0.5), 0, 0), 0.012
    scene = slide(dt.Cylinder(0.006, 0.2), dt.Cone(0.01, 0.02), (0.05, 0, -high), turned)
    return scene, {"s": (0.0, 0.05)}, (onto_a_slope(0.006, high), 0.05)


def torus_on_a_cone():
    scene = slide(dt.Torus(0.02, 0.003), dt.Cone(0.01, 0.02), (0.05, 0, -0.008))
    begins = onto_a_slope(0.003, 0.008) - 0.02
    return scene, {"s": (0.0, 0.03)}, (begins, 0.03)


CASES = {
    "cone on cylinder": cone_on_a_cylinder,
    "torus on cone": torus_on_a_cone,
    "ball": lambda: ball_on_a_pendulum(1e-3),
    "ball that grazes": lambda: ball_on_a_pendulum(1e-8),
    "disc": lambda: disc_off_its_centre(5e-5),
    "disc that grazes": lambda: disc_off_its_centre(2e-6),
    "two posts": two_posts,
    "balls": balls,
    "ball and bar": ball_past_a_bar,
    "capsule and bar": capsule_past_a_bar,
    "ring": ring_against_a_wall,
    "cone": cone_against_an_edge,
}


@pytest.mark.parametrize("name", CASES)
def test_ranges_of_round_parts_hold_the_true_ones(name):
    scene, sweep, true = CASES[name]()
    proof = dt.prove(scene, sweep)
    (meeting,) = proof.meets
    ((low, high),) = sweep.values()
    wide = WANTED * (high - low)
    assert proof.verdict == "meets" and not proof.doubts
    assert meeting.low <= true[0] + 1e-12 and true[0] <= meeting.surely[0] + 1e-12
    assert meeting.surely[1] - 1e-12 <= true[1] and true[1] <= meeting.high + 1e-12
    assert meeting.bracket <= wide and not meeting.is_open
    data = proof.as_data()
    (ends,) = data["brackets"]
    assert ends["from"] == [meeting.low, meeting.surely[0]]
    assert ends["to"] == [meeting.surely[1], meeting.high]
    assert set(data["meets"][0]) == {"joint", "from", "to", "between"}


@pytest.mark.slow
def test_a_step_pin_meets_its_hole_where_the_play_is_used_up():
    pytest.importorskip("cascadio")
    file = Path(__file__).parents[2] / "io" / "cad" / "pin_in_block.step"
    proof = dt.prove(file, joints=["aside: prismatic block along x, 0..10 mm"])
    (meeting,) = proof.meets
    assert meeting.low <= 20e-6 <= meeting.surely[0]
    assert meeting.bracket <= WANTED * 0.01 and not meeting.is_open
    assert meeting.surely[1] == meeting.high == pytest.approx(0.01)
