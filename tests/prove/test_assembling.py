"""Can a part be put in along a path? And half-spaces in sweeps."""

from math import hypot, pi

import pytest
from test_prove import square_hole

import dovetail as dt

GAP = 1e-4


def peg_in_block():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    block = square_hole(0.01 + 2 * GAP, 0.03, 0.02)
    scene.add_body("block", block, density=1000, motion="static")
    scene.add_body("peg", dt.Box((0.01, 0.01, 0.03)), density=1000)
    scene.add_body("floor", dt.HalfSpace(), motion="static", position=(0, 0, -0.016))
    return scene


def test_a_peg_is_put_in_from_above_with_its_clearance():
    proof = dt.prove(peg_in_block(), assemble={"peg": "up"})
    assert proof.verdict == "proven"
    assert proof.least_clearance == pytest.approx(GAP, rel=1e-9)
    assert set(proof.at) == {"peg"}


def test_a_path_beside_the_hole_catches_where_the_faces_meet():
    """Beside the hole down to 22 mm, then straight to its place: it meets the rim at 25 mm."""
    places = [(0.002, 0, 0.06), (0.002, 0, 0.022)]
    proof = dt.prove(peg_in_block(), assemble={"peg": places})
    assert proof.verdict == "meets"
    last = hypot(0.002, 0.022)  # distance from its place where the last leg starts
    end = max(one.high for one in proof.meets)
    assert end == pytest.approx(last + 0.003, rel=1e-5)  # its lower face is at the rim: z = 25 mm
    around = dt.prove(
        peg_in_block(), assemble={"peg": [(0, 0, 0.06), (0.02, 0, 0.05), (0, 0, 0.03)]}
    )
    assert around.verdict == "proven"


def test_sideways_it_catches_after_the_clearance():
    proof = dt.prove(peg_in_block(), assemble={"peg": [(0.02, 0, 0)]})
    assert proof.verdict == "meets"
    assert min(one.low for one in proof.meets) == pytest.approx(GAP, rel=1e-3)


def test_what_is_fixed_to_a_part_goes_with_it():
    scene = peg_in_block()
    scene.add_body("cap", dt.Box((0.03, 0.03, 0.005)), density=1000, position=(0, 0, 0.018))
    scene.add_joint("glue", dt.Fixed(), "peg", "cap")
    proof = dt.prove(scene, assemble={"peg": "up"})
    assert proof.verdict == "proven"
    assert proof.pairs == 4  # peg and cap, each against block and floor


@pytest.mark.parametrize(
    ("assemble", "sentence"),
    [
        ({}, "must name one part"),
        ({"pegg": "up"}, "which is not there"),
        ({"peg": "down"}, "must be 'up' or a list of places"),
        ({"peg": [(0, 0)]}, "list of places"),
        ({"peg": [(0, 0, 0)]}, "must have a length"),
    ],
)
def test_a_wrong_assembly_gets_a_sentence(assemble, sentence):
    with pytest.raises(dt.InputError, match=sentence):
        dt.prove(peg_in_block(), assemble=assemble)


def test_a_bar_that_turns_over_a_half_space_keeps_the_distance_of_its_farthest_corner():
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace(normal=(0, 0.6, 0.8)), motion="static")
    centre = (0, 0.06, 0.08)  # 100 mm above the plane
    scene.add_body("bar", dt.Box((0.1, 0.02, 0.02)), density=1000, position=centre)
    scene.add_joint("h", dt.Revolute(point=centre, axis=(0, 0.8, -0.6)), "ground", "bar")
    exact = 0.1 - hypot(0.05, 0.006 + 0.008)
    proof = dt.prove(scene, {"h": (0, 2 * pi)})
    assert proof.verdict == "proven"
    assert proof.least_clearance == pytest.approx(exact, rel=1e-9)
    assert dt.prove(scene, {"h": (0, 2 * pi)}, exact * 1.0001).verdict == "meets"


def test_a_part_below_a_half_space_meets_it():
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("box", dt.Box((0.1, 0.1, 0.1)), density=1000, position=(0, 0, -3))
    scene.add_joint("slide", dt.Prismatic(axis=(1, 0, 0)), "ground", "box")
    assert dt.prove(scene, {"slide": (0, 5)}).verdict == "meets"


def test_bodies_that_no_joint_holds_stay_where_they_are():
    """A free body is in the way although nothing joins it to the rest."""
    scene = dt.Scene()
    scene.add_body("stone", dt.Box((0.1, 0.1, 0.1)), density=1000, position=(0.5, 0, 0))
    scene.add_body("cart", dt.Box((0.1, 0.1, 0.1)), density=1000)
    scene.add_joint("slide", dt.Prismatic(axis=(1, 0, 0)), "ground", "cart")
    met = dt.prove(scene, {"slide": (0, 1)})
    assert met.verdict == "meets"
    assert met.meets[0].low == pytest.approx(0.4, abs=1e-5)
