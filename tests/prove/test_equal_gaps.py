"""Gaps drawn as wide as the clearance that is required, parts that touch, solids inside solids."""

from math import pi

import numpy as np
import pytest

import dovetail as dt

TURNED = np.array(dt.lie.so3.exp(np.array([0.3, 0.2, 0.5])))


def drawer(gap, R=TURNED):
    """A block between two walls, `gap` [m] from each of them, that is pulled along them."""
    scene = dt.Scene()
    for name, side in (("left", -1), ("right", 1)):
        at = R @ np.array([side * (0.11 + gap), 0, 0])
        scene.add_body(name, dt.Box((0.02, 0.3, 0.1)), density=1000, motion="static", position=at,
                       rotation=R)  # fmt: skip
    scene.add_body("drawer", dt.Box((0.2, 0.3, 0.1)), density=1000, rotation=R)
    scene.add_joint("pull", dt.Prismatic(point=(0, 0, 0), axis=R @ (0, 1, 0)), "ground", "drawer")
    return scene


@pytest.mark.parametrize("R", [np.eye(3), TURNED], ids=["along the axes", "turned"])
@pytest.mark.parametrize("gap", [2e-5, 5e-4])
def test_a_gap_as_wide_as_the_clearance_keeps_it(gap, R):
    proof = dt.prove(drawer(gap, R), {"pull": (-0.29, 0)}, clearance=gap)
    assert proof.verdict == "proven"
    assert proof.proven_clearance >= gap and proof.tests < 100_000


def test_a_gap_that_is_short_of_the_clearance_meets():
    proof = dt.prove(drawer(5e-4 * (1 - 1e-7)), {"pull": (-0.01, 0)}, clearance=5e-4)
    assert proof.verdict == "meets" and proof.least_clearance < 5e-4


def test_parts_that_touch_all_along_meet():
    """A gap below what rounding can tell from none."""
    proof = dt.prove(drawer(1e-17), {"pull": (-0.01, 0)})
    assert proof.verdict == "meets" and proof.least_clearance == 0.0


def test_parts_meet_while_one_is_inside_the_other():
    """From 0, where it is in the middle of the solid, to 42 mm, where it has left it."""
    scene = dt.Scene()
    scene.add_body("big", dt.Box((0.08, 0.08, 0.08)), density=1000, motion="static")
    scene.add_body("small", dt.Box((0.004, 0.004, 0.004)), density=1000)
    scene.add_joint("lift", dt.Prismatic(point=(0, 0, 0), axis=(0, 0, 1)), "ground", "small")
    (meeting,) = dt.prove(scene, {"lift": (0, 0.1)}).meets
    assert meeting.low == 0.0
    assert meeting.high == pytest.approx(0.042, abs=2e-7)


def test_a_parallelogram_is_refused_where_it_lies_flat():
    scene = dt.Scene()
    turned = (0.5**0.5, 0, 0, 0.5**0.5)
    for name, x, z, how in (("crank", 0.0, 0, turned), ("rocker", 0.1, 0, turned)):
        scene.add_body(name, dt.Box((0.04, 0.004, 0.004)), density=1000, position=(x, 0.02, z),
                       rotation=how)  # fmt: skip
    scene.add_body(
        "coupler", dt.Box((0.1, 0.004, 0.004)), density=1000, position=(0.05, 0.04, 0.01)
    )
    for name, at, a, b in (
        ("a", (0, 0, 0), "ground", "crank"),
        ("b", (0, 0.04, 0), "crank", "coupler"),
        ("c", (0.1, 0.04, 0), "coupler", "rocker"),
        ("d", (0.1, 0, 0), "ground", "rocker"),
    ):
        scene.add_joint(name, dt.Revolute(point=at, axis=(0, 0, 1)), a, b)
    assert dt.prove(scene, {"a": (-1.4, 1.4)}).verdict == "proven"
    with pytest.raises(dt.InputError, match=r"near a = -?1\.57\d* \[rad or m\]") as refused:
        dt.prove(scene, {"a": (-0.55 * pi, 0.55 * pi)})
    assert "b, c, d" in str(refused.value)
