"""Profiles about a screw axis: bounds that hold for every turn, and what they decide."""

from math import cos, pi

import numpy as np
import pytest
from assembly_shapes import circle, prism, tube

import dovetail as dt
from dovetail.collision.bvh.forest import forest_of
from dovetail.collision.bvh.tree import bvh_of
from dovetail.model.shapes import Mesh
from dovetail.prove.motion.chains import PairMotion
from dovetail.prove.motion.records import Cell, Chain
from dovetail.prove.pairs.revolving import revolving
from dovetail.verifier.separating_direction import shortest_between


def triangle_pair(rng, pitch, spread):
    """Two triangles, and a screw through a random line."""
    first = rng.normal(size=(3, 3)) * spread + np.array([1.0, 0, 0])
    other = rng.normal(size=(3, 3)) * spread + np.array([1.3, 0, 0.2])
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    point = rng.normal(size=3) * 0.2
    screw = np.concatenate([axis, np.cross(point, axis) + pitch / (2 * pi) * axis])
    trees = [bvh_of(Mesh(rows, [(0, 1, 2)]).surface()) for rows in (first, other)]
    chain = Chain(screw[None], np.zeros(3), np.eye(3), np.zeros(3), np.eye(3))
    return trees, PairMotion(0, 1, (0,), chain), first, other, axis, point


@pytest.mark.parametrize("pitch", [0.0, 0.3, -2.0])
@pytest.mark.parametrize("spread", [0.05, 0.5])
def test_what_profiles_separate_stays_apart_at_every_turn(pitch, spread):
    """Against the distances at dense positions: none is below what the profiles say is kept."""
    rng = np.random.default_rng(int(1000 * spread) + int(10 * abs(pitch)))
    turns = np.linspace(-7.0, 7.0, 351)
    separated = 0
    for _ in range(25):
        trees, motion, first, other, axis, point = triangle_pair(rng, pitch, spread)
        forest = forest_of(trees)
        pair = revolving(forest, (0, 1), motion)
        assert pair is not None
        rises = pitch * turns / (2 * pi)
        least = np.inf
        for turn, rise in zip(turns, rises):
            k = np.cross(np.eye(3), axis)
            R = np.eye(3) + np.sin(turn) * k + (1 - cos(turn)) * k @ k
            moved = (other - point) @ R.T + point + rise * axis
            A, B = (tuple(map(tuple, rows.tolist())) for rows in (first, moved))
            least = min(least, float(np.linalg.norm(shortest_between(A, B))))
        cell = Cell(np.array([-7.0]), np.array([7.0]))
        for share in (0.2, 0.5, 0.8, 0.95, 1.05):
            left, _ = pair.pairs_left(cell, share * least, 1000)
            if left is not None and len(left) == 0:
                separated += 1
                assert share < 1.0
    assert separated > 10 or spread > 0.1


def coaxial(play, joint, sides=(48, 36)):
    """A pin with a polygon of sides on a circle of 5 mm in a hole whose polygon is outside one."""
    scene = dt.Scene()
    n, m = sides
    hole = tube((5e-3 + play) / cos(pi / n), 9e-3, n, 0.0, 10e-3)
    scene.add_body("ring", dt.Mesh(*hole), density=1000, motion="static")
    scene.add_body("pin", dt.Mesh(*prism(circle(5e-3, m, 0.013), -5e-3, 15e-3)), density=1000)
    scene.add_joint("turn", joint, "ground", "pin")
    return scene


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_one_clearance_over_a_whole_turn_is_decided_on_either_side(share):
    """It took more than 100 s: triangles at one distance at every position."""
    play = 20e-6
    scene = coaxial(play, dt.Revolute(axis=(0, 0, 1)))
    proof = dt.prove(scene, {"turn": (0.0, 2 * pi)}, share * play)
    assert proof.verdict == ("proven" if share < 1.0 else "meets")
    assert proof.tests < 30_000_000
    if share < 1.0:
        assert proof.least_clearance == pytest.approx(play, rel=0.01)


def test_a_pin_that_turns_and_slides_keeps_its_clearance():
    scene = coaxial(20e-6, dt.Cylindrical(axis=(0, 0, 1)))
    proof = dt.prove(scene, {"turn": [(0.0, 2 * pi), (-4e-3, 4e-3)]}, 19e-6)
    assert proof.verdict == "proven"


@pytest.mark.slow
@pytest.mark.parametrize(("size", "pitch", "place"), [("m8", 1.25e-3, 0.9), ("m16", 2e-3, 1.0)])
def test_a_nut_is_proven_on_its_bolt_over_two_turns(shared_data, size, pitch, place):
    """25 000 triangles in mesh; undecided after 40 million tests before."""
    folder = shared_data / "factory"
    scene = dt.Scene()
    scene.add_body("bolt", dt.Mesh(folder / f"factory_bolt_{size}_loose.obj"), motion="static")
    scene.add_body(
        "nut", dt.Mesh(folder / f"factory_nut_{size}_loose_subdiv_3x.obj"), mass=0.01,
        inertia=(1e-6, 1e-6, 1e-6), position=(0, 0, place * pitch),
    )  # fmt: skip
    scene.add_joint("thread", dt.Screw(axis=(0, 0, 1), pitch=pitch), "ground", "nut")
    proof = dt.prove(scene, {"thread": (0.0, 4 * pi)})
    assert proof.verdict == "proven"
    assert 60e-6 < proof.least_clearance < 110e-6
    assert 0.0 < proof.proven_clearance <= proof.least_clearance


def test_a_question_that_is_too_long_says_what_is_left_open(monkeypatch):
    from dovetail.prove import question
    from dovetail.prove.kinematic import question as kinematic

    scene = dt.Scene()
    scene.add_body("post", dt.Box((0.1, 0.1, 0.1)), density=1000, motion="static")
    scene.add_body("arm", dt.Box((0.3, 0.02, 0.02)), density=1000, position=(0.28, 0, 0))
    scene.add_joint("swing", dt.Revolute(point=(0.5, 0, 0), axis=(0.3, 1, 2)), "ground", "arm")
    sweep = {"swing": (-0.05, 1.5)}
    least = dt.prove(scene, sweep).least_clearance
    monkeypatch.setattr(question, "TESTS", 400)
    monkeypatch.setattr(kinematic, "FIRST_TESTS", 50)
    proof = dt.prove(scene, sweep, (1 - 1e-9) * least)
    assert proof.verdict == "undecided"
    (doubt,) = proof.doubts
    assert doubt.low["swing"] < 0.1 and doubt.high["swing"] < 1.5  # the rest of the way is decided
    assert "not decided within" in doubt.reason
    assert proof.least_clearance >= least
