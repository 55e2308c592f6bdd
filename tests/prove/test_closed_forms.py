"""Small assemblies whose least clearance, place and ranges of meeting have closed forms."""

from dataclasses import dataclass, field
from math import acos, cos, pi

import numpy as np
import pytest
from assembly_shapes import MM, circle, prism, spun, together

import dovetail as dt

Z = (0, 0, 1)
BRACKETS = 2.01e-6  # of the range: one on either side


@dataclass
class Known:
    """What a proof must say."""

    question: dict
    least: float = 0.0  # [m]; 0: the parts meet
    at: dict = field(default_factory=dict)
    meets: dict = field(default_factory=dict)  # joint: (from, to)
    between: tuple = ()


def box(scene, name, size, at, motion="static"):
    scene.add_body(name, dt.Box(size), density=1000, position=at, motion=motion)


def mesh(scene, name, shape, motion="dynamic"):
    scene.add_body(name, dt.Mesh(*shape), density=1000, motion=motion)


def rod(length, at=0.0, width=0.2 * MM):
    """Ends in an edge at x = at + length."""
    return prism([(at + length, 0), (at, width), (at, -width)], -MM, MM)


def rod_past_a_wall(beyond):
    """Its tip goes on a circle of 50 mm about z; the wall is `beyond` that."""
    scene, length = dt.Scene(), 0.05
    mesh(scene, "rod", rod(length))
    x = length + beyond
    wall = prism([(x, -0.01), (x + 0.01, -0.01), (x + 0.01, 0.01), (x, 0.01)], -0.005, 0.005)
    mesh(scene, "wall", wall, "static")
    scene.add_joint("h", dt.Revolute(axis=Z), "ground", "rod")
    sweep = {"sweep": {"h": (-1.1, 1.0)}}
    if beyond > 0.0:
        return scene, Known(sweep, beyond, {"h": 0.0}, between=("rod", "wall"))
    half = acos(x / length)
    return scene, Known(sweep, meets={"h": (-half, half)}, between=("rod", "wall"))


def two_links_towards_a_wall(beyond):
    scene, a, b = dt.Scene(), 0.2, 0.15
    link = prism([(0, -0.005), (a, -0.005), (a, 0.005), (0, 0.005)], -0.02, -0.01)
    mesh(scene, "upper", link)
    mesh(scene, "fore", rod(b, a, 2 * MM))
    d = a + b + beyond
    box(scene, "wall", (0.02, 0.5, 0.02), (d + 0.01, 0, 0.01))
    scene.add_joint("shoulder", dt.Revolute(axis=Z), "ground", "upper")
    scene.add_joint("elbow", dt.Revolute(point=(a, 0, 0), axis=Z), "upper", "fore")
    sweep = {"sweep": {"shoulder": (-0.7, 0.8), "elbow": (-0.9, 1.0)}}
    if beyond > 0.0:
        at = {"shoulder": 0.0, "elbow": 0.0}
        return scene, Known(sweep, beyond, at, between=("fore", "wall"))
    first, other = acos((d - b) / a), acos((d * d - a * a - b * b) / (2 * a * b))
    meets = {"shoulder": (-first, first), "elbow": (-other, other)}
    return scene, Known(sweep, meets=meets, between=("fore", "wall"))


def slide_past_a_nub():
    scene = dt.Scene()
    box(scene, "car", (0.2 * MM, 2 * MM, 2 * MM), (0, 0, 0), "dynamic")
    box(scene, "nub", (0.2 * MM, 2 * MM, 2 * MM), (37.3 * MM, 1.99 * MM, 0))
    scene.add_joint("s", dt.Prismatic(axis=(1, 0, 0)), "ground", "car")
    return scene, Known({"sweep": {"s": (0, 0.1)}}, meets={"s": (37.1 * MM, 37.5 * MM)})


def stop_that_is_touched_at_the_end():
    scene = dt.Scene()
    box(scene, "car", (0.02, 0.02, 0.02), (0, 0, 0), "dynamic")
    box(scene, "stop", (0.02, 0.02, 0.02), (0.03, 0, 0))
    scene.add_joint("s", dt.Prismatic(axis=(1, 0, 0)), "ground", "car")
    return scene, Known({"sweep": {"s": (0, 0.01)}}, meets={"s": (0.01, 0.01)})


def screw_against_a_plate():
    scene, pitch, way = dt.Scene(), 2 * MM, 1.2345 * MM
    box(scene, "nut", (0.01, 0.01, 0.004), (0, 0, 0), "dynamic")
    box(scene, "plate", (0.05, 0.05, 0.002), (0, 0, 0.003 + way))
    scene.add_joint("t", dt.Screw(axis=Z, pitch=pitch), "ground", "nut")
    first = 2 * pi * way / pitch
    return scene, Known({"sweep": {"t": (0, 4 * pi)}}, meets={"t": (first, 4 * pi)})


def parallelogram_under_a_bar():
    """All points of the coupler go on circles of 40 mm."""
    scene, gap = dt.Scene(), 25e-6
    turned = (0.5**0.5, 0, 0, 0.5**0.5)
    for name, x in (("crank", 0.0), ("rocker", 0.1)):
        scene.add_body(name, dt.Box((0.04, 0.004, 0.004)), density=1000, position=(x, 0.02, 0),
                       rotation=turned)  # fmt: skip
    coupler = prism([(0, 0.038), (0.1, 0.038), (0.1, 0.042), (0, 0.042)], 0.008, 0.012)
    tip = prism([(0.05, 0.05), (0.049, 0.041), (0.051, 0.041)], 0.008, 0.012)
    mesh(scene, "coupler", together(coupler, tip))
    box(scene, "bar", (0.1, 0.01, 0.02), (0.05, 0.055 + gap, 0.01))
    for name, at, a, b in (
        ("a", (0, 0, 0), "ground", "crank"),
        ("b", (0, 0.04, 0), "crank", "coupler"),
        ("c", (0.1, 0.04, 0), "coupler", "rocker"),
        ("d", (0.1, 0, 0), "ground", "rocker"),
    ):
        scene.add_joint(name, dt.Revolute(point=at, axis=Z), a, b)
    known = Known({"sweep": {"a": (-1.2, 1.0)}}, gap, {"a": 0.0}, between=("coupler", "bar"))
    return scene, known


def block_in_a_shell():
    scene = dt.Scene()
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    vertices, faces = prism(0.02 * square, -0.02, 0.02)
    hollow = together(prism(0.05 * square, -0.05, 0.05), (vertices, faces[:, ::-1]))
    mesh(scene, "shell", hollow, "static")
    mesh(scene, "core", prism(0.01 * square, -0.01, 0.01))
    scene.add_joint("s", dt.Prismatic(axis=(1, 0, 0)), "ground", "core")
    known = Known(
        {"sweep": {"s": (-0.005, 0.0099)}}, 1e-4, {"s": 0.0099}, between=("shell", "core")
    )
    return scene, known


def path_under_a_ledge():
    scene = dt.Scene()
    box(scene, "part", (0.01, 0.01, 0.01), (0, 0, 0), "dynamic")
    box(scene, "ledge", (0.01, 0.01, 0.01), (0.02, 0.02 - 1e-4, 0))
    legs = {"x": dt.Prismatic(axis=(1, 0, 0)), "y": dt.Prismatic(axis=(0, 1, 0))}
    scene.add_joint_chain(legs, "ground", "part")
    path = {"path": {"x": (0, 0, 0.03), "y": (0, 0.01, 0.01)}}
    return scene, Known(path, meets={"path": (4 / 3, 2.0)})


def ball(gap):
    """A pendulum of 100 mm with a ball, over a floor."""
    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(0.01), density=1000, position=(0, 0, -0.1))
    box(scene, "floor", (0.5, 0.5, 0.01), (0, 0, -0.115 - gap))
    scene.add_joint("h", dt.Revolute(axis=(0, 1, 0)), "ground", "ball")
    return scene


CASES = {
    "a rod clear of a wall": lambda: rod_past_a_wall(1e-5),
    "a rod that grazes a wall": lambda: rod_past_a_wall(0.0),
    "a rod through a wall": lambda: rod_past_a_wall(-1e-5),
    "two links clear of a wall": lambda: two_links_towards_a_wall(3e-5),
    "two links through a wall": lambda: two_links_towards_a_wall(-3e-5),
    "a slide past a nub": slide_past_a_nub,
    "a stop": stop_that_is_touched_at_the_end,
    "a screw": screw_against_a_plate,
    "a parallelogram": parallelogram_under_a_bar,
    "a shell": block_in_a_shell,
    "a path": path_under_a_ledge,
}


@pytest.mark.parametrize("name", CASES)
def test_a_proof_says_what_the_closed_form_says(name):
    scene, known = CASES[name]()
    proof = dt.prove(scene, **known.question)
    assert proof.verdict == ("proven" if known.least else "meets")
    assert proof.tests < 200_000
    assert proof.least_clearance == pytest.approx(known.least, rel=1e-6)
    if known.between:
        assert proof.between == known.between
    for joint, value in known.at.items():
        assert proof.at[joint] == pytest.approx(value, abs=1e-5)
    if known.least:
        assert 0.98 * known.least <= proof.proven_clearance <= known.least + 1e-12
    assert {one.joint for one in proof.meets} == set(known.meets)
    assert len(proof.meets) == len(known.meets)
    for one in proof.meets:
        low, high = known.question.get("sweep", {"path": (0, 2)})[one.joint]
        assert (one.low, one.high) == pytest.approx(
            known.meets[one.joint], abs=BRACKETS * (high - low)
        )


def test_a_ball_keeps_its_true_distance():
    """It is examined as its centre and its radius, without triangles."""
    proof = dt.prove(ball(2e-4), {"h": (-1.0, 0.8)})
    assert proof.verdict == "proven" and proof.tessellation == 0.0
    assert proof.least_clearance == pytest.approx(2e-4, abs=1e-11)
    assert 0.98 * 2e-4 <= proof.proven_clearance <= 2e-4
    assert proof.point == pytest.approx((0.0, 0.0, -0.1101), abs=1e-6)


def bayonet():
    """A plug with a lug between two walls of its socket: it is pushed in and turned."""
    scene, r, play = dt.Scene(), 10 * MM, 0.4 * MM
    wall = [(r + play, -2 * MM), (14 * MM, -2 * MM), (14 * MM, 2 * MM), (r + play, 2 * MM)]
    walls = [prism(spun(wall, side * 0.5), -20 * MM, 0) for side in (1, -1)]
    lug = [(9 * MM, -1.5 * MM), (13 * MM, -1.5 * MM), (13 * MM, 1.5 * MM), (9 * MM, 1.5 * MM)]
    mesh(scene, "socket", together(*walls), "static")
    mesh(scene, "plug", together(prism(circle(r, 48), 0, 25 * MM), prism(lug, MM, 4 * MM)))
    joints = {"push": dt.Prismatic(axis=(0, 0, -1)), "twist": dt.Revolute(axis=Z)}
    scene.add_joint_chain(joints, "ground", "plug")
    return scene


@pytest.mark.parametrize("clearance", [0.0, 0.1 * MM, 0.39 * MM])
def test_a_bayonet_swept_by_two_joints_is_proven(clearance):
    sweep = {"push": (0, 15 * MM), "twist": (-0.05, 0.05)}
    proof = dt.prove(bayonet(), sweep, clearance)
    assert proof.verdict == "proven" and proof.tests < 1_000_000
    assert proof.least_clearance == pytest.approx(0.4 * MM, rel=1e-6)


def test_a_bayonet_turned_too_far_meets_below_the_rim():
    """With a clearance it had no answer in 70 s: surfaces of equal distance were followed first."""
    proof = dt.prove(bayonet(), {"push": (0, 15 * MM), "twist": (-0.3, 0.3)}, 0.1 * MM)
    assert proof.verdict == "meets" and proof.tests < 5_000_000
    push = next(one for one in proof.meets if one.joint == "push")
    assert push.low == pytest.approx(0.9 * MM, abs=BRACKETS * 15 * MM)  # the lug is 1 mm above it


def coupled_blocks(start):
    """One goes towards the other, which comes twice as fast: 30 mm between them at `start` 0."""
    scene = dt.Scene()
    box(scene, "a", (0.02, 0.02, 0.02), (0, 0, 0), "dynamic")
    box(scene, "b", (0.02, 0.016, 0.016), (0.05, start, 0), "dynamic")
    for name, body in (("p", "a"), ("q", "b")):
        scene.add_joint(name, dt.Prismatic(axis=(1, 0, 0)), "ground", body)
    scene.add_coupling("gear", dt.Coupling({"p": 2.0, "q": 1.0}))
    return scene


@pytest.mark.parametrize("off", [0.0, 1e-3], ids=["aligned", "beside"])
def test_blocks_that_a_coupling_brings_together_meet_where_they_touch(off):
    """The middle of the range is where they just touch; it was undecided."""
    proof = dt.prove(coupled_blocks(off), {"p": (0, 0.02)})
    (meeting,) = proof.meets
    assert proof.verdict == "meets"
    assert (meeting.low, meeting.high) == pytest.approx((0.01, 0.02), abs=BRACKETS * 0.02)


def test_a_disc_off_its_centre_comes_to_a_plate_as_near_as_drawn():
    scene, r, off, gap = dt.Scene(), 0.02, 0.005, 50e-6
    scene.add_body("disc", dt.Cylinder(r, 0.01), density=1000, position=(off, 0, 0))
    box(scene, "plate", (0.01, 0.1, 0.02), (r + off + gap + 0.005, 0, 0))
    scene.add_joint("h", dt.Revolute(axis=Z), "ground", "disc")
    proof = dt.prove(scene, {"h": (-2.0, 2.5)})
    assert proof.verdict == "proven"
    assert gap - 1.01 * proof.tessellation <= proof.least_clearance <= gap
    assert proof.tessellation <= r * (1 - cos(pi / 32))
