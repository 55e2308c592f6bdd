"""`dt.prove`: verdicts over continuous ranges against closed forms and dense samples."""

from math import asin, atan2, hypot, pi, sin

import numpy as np
import pytest

import dovetail as dt

THICK, HIGH = 0.01, 0.03


def swing_bar():
    """A bar on a hinge over a plate: it meets the edge of the plate at a known angle."""
    scene = dt.Scene()
    scene.add_body("plate", dt.Box((0.1, 0.1, THICK)), density=1000, motion="static")
    scene.add_body("bar", dt.Box((0.1, 0.01, THICK)), density=1000, position=(0.06, 0, HIGH))
    scene.add_joint("hinge", dt.Revolute(point=(0, 0, HIGH), axis=(0, 1, 0)), "ground", "bar")
    return scene


def angle_of_distance(distance):
    """At which the lower face of the bar is `distance` [m] from the edge of the plate."""
    depth = HIGH - THICK / 2
    reach = hypot(0.05, depth)
    return atan2(depth, 0.05) - asin((THICK / 2 + distance) / reach)


@pytest.mark.parametrize("clearance", [0.0, 1e-4, 1e-3])
@pytest.mark.parametrize("short", [1e-9, 1e-6, 1e-3])
def test_a_sweep_that_ends_short_of_the_meeting_is_proven_and_beyond_it_meets(clearance, short):
    limit = angle_of_distance(clearance)
    proof = dt.prove(swing_bar(), {"hinge": (0, limit - short)}, clearance)
    assert proof.verdict == "proven"
    assert proof.between == ("plate", "bar")
    assert proof.at["hinge"] == pytest.approx(limit - short, abs=2e-3 * limit)
    assert clearance <= proof.proven_clearance <= proof.least_clearance
    beyond = dt.prove(swing_bar(), {"hinge": (0, limit + short)}, clearance)
    assert beyond.verdict == "meets"
    (meeting,) = beyond.meets
    assert meeting.low == pytest.approx(limit, abs=2e-6 * limit)
    assert meeting.high == limit + short


def test_the_least_clearance_is_the_true_one():
    for end in (0.1, 0.2, 0.3, 0.37):
        proof = dt.prove(swing_bar(), {"hinge": (-0.5, end)})
        depth, reach = HIGH - THICK / 2, hypot(0.05, HIGH - THICK / 2)
        true = reach * sin(atan2(depth, 0.05) - end) - THICK / 2
        assert proof.least_clearance == pytest.approx(true, rel=1e-8)
        assert proof.proven_clearance <= true * (1 + 1e-12) <= proof.least_clearance * (1 + 1e-9)


def test_a_clash_between_samples_is_found():
    """A pin passes a post for 2e-5 rad in a full revolution."""
    scene = dt.Scene()
    scene.add_body("post", dt.Box((0.01, 0.01, 0.01)), density=1000, motion="static",
                   position=(0.1, 0, 0))  # fmt: skip
    reach = 0.095 + 1e-12 - 0.005
    scene.add_body("arm", dt.Box((2 * reach + 0.01, 1e-6, 0.002)), density=1000)
    scene.add_joint("spin", dt.Revolute(axis=(0, 0, 1)), "ground", "arm")
    proof = dt.prove(scene, {"spin": (0.3, 0.3 + 2 * pi)})
    assert proof.verdict == "meets"
    assert len(proof.meets) == 2  # both ends of the arm pass the post
    widths = [meeting.high - meeting.low for meeting in proof.meets]
    assert max(widths) < 0.2


def test_two_joints_sweep_all_combinations():
    """A slider under a swinging bar: it is free only while both are small."""
    scene = dt.Scene()
    scene.add_body("base", dt.Box((0.5, 0.5, 0.01)), density=1000, motion="static",
                   position=(0, 0, -0.1))  # fmt: skip
    scene.add_body("block", dt.Box((0.02, 0.02, 0.02)), density=1000, position=(-0.1, 0, 0))
    scene.add_body("bar", dt.Box((0.02, 0.02, 0.13)), density=1000, position=(0.1, 0, 0.065))
    scene.add_joint("slide", dt.Prismatic(axis=(1, 0, 0)), "ground", "block")
    scene.add_joint("swing", dt.Revolute(point=(0.1, 0, 0.13), axis=(0, 1, 0)), "ground", "bar")
    apart = dt.prove(scene, {"slide": (0, 0.1), "swing": (-0.5, 0.2)}, 0.001)
    assert apart.verdict == "proven"
    meets = dt.prove(scene, {"slide": (0, 0.16), "swing": (-0.5, 0.5)}, 0.001)
    assert meets.verdict == "meets"
    assert {meeting.joint for meeting in meets.meets} == {"slide", "swing"}
    single = dt.prove(scene, {"slide": (0, 0.16)}, 0.001)
    assert single.verdict == "proven"  # the block stops short of the bar that hangs down


def test_random_hinges_agree_with_dense_samples():
    rng = np.random.default_rng(5)
    kinds = {"proven": 0, "meets": 0}
    for _ in range(15):
        scene = dt.Scene()
        scene.add_body("a", dt.Box(rng.uniform(0.2, 1.0, 3)), density=1, motion="static")
        place = rng.normal(size=3)
        place *= rng.uniform(0.6, 1.6) / np.linalg.norm(place)
        scene.add_body("b", dt.Box(rng.uniform(0.2, 1.0, 3)), density=1, position=place)
        axis = rng.normal(size=3)
        scene.add_joint("j", dt.Revolute(point=rng.normal(size=3), axis=axis), "ground", "b")
        proof = dt.prove(scene, {"j": (0.0, 1.0)})
        kinds[proof.verdict] += 1
        found = [dt.prove(scene, {"j": (t, t)}) for t in np.linspace(0, 1, 11)]
        least = min(one.least_clearance for one in found)
        if proof.verdict == "proven":
            assert proof.least_clearance <= least * (1 + 1e-9)
            assert proof.proven_clearance <= least
        else:
            inside = [m for m in proof.meets if m.high - m.low > 0.05]
            for t, one in zip(np.linspace(0, 1, 11), found):
                if any(m.low < t < m.high for m in inside):
                    assert one.verdict == "meets"
                if all(t < m.low or t > m.high for m in proof.meets):
                    assert one.verdict == "proven"
    assert min(kinds.values()) >= 3


def test_a_part_inside_another_meets_it():
    scene = dt.Scene()
    scene.add_body("shell", dt.Box((1, 1, 1)), density=1, motion="static")
    scene.add_body("core", dt.Box((0.1, 0.1, 0.1)), density=1)
    scene.add_joint("slide", dt.Prismatic(axis=(1, 0, 0)), "ground", "core")
    proof = dt.prove(scene, {"slide": (-0.2, 0.2)})
    assert proof.verdict == "meets"
    assert proof.meets[0].low == -0.2 and proof.meets[0].high == 0.2


def square_hole(side, outer, height):
    """A block with a square hole, as a mesh."""
    corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) / 2
    vertices = np.concatenate(
        [np.column_stack([size * corners, np.full(4, z)])
         for size in (side, outer) for z in (-height / 2, height / 2)]
    )  # fmt: skip
    faces = []
    for i in range(4):
        j = (i + 1) % 4
        low_in, high_in, low_out, high_out = 0, 4, 8, 12
        for a, b, c, d in (
            (low_in + j, low_in + i, high_in + i, high_in + j),
            (low_out + i, low_out + j, high_out + j, high_out + i),
            (high_in + i, high_out + i, high_out + j, high_in + j),
            (low_in + j, low_out + j, low_out + i, low_in + i),
        ):
            faces += [(a, b, c), (a, c, d)]
    return dt.Mesh(vertices, faces)


@pytest.mark.parametrize("gap", [1e-4, 1e-6, 1e-8])
def test_a_peg_slides_through_its_hole_with_its_clearance(gap):
    scene = dt.Scene()
    scene.add_body("block", square_hole(0.01 + 2 * gap, 0.03, 0.02), density=1, motion="static")
    scene.add_body("peg", dt.Box((0.01, 0.01, 0.03)), density=1, position=(0, 0, 0.04))
    scene.add_joint("push", dt.Prismatic(axis=(0, 0, -1)), "ground", "peg")
    proof = dt.prove(scene, {"push": (0, 0.04)})
    assert proof.verdict == "proven"
    assert proof.least_clearance == pytest.approx(gap, rel=1e-6)
    turned = dt.prove(scene, {"push": (0, 0.04)}, 1.1 * gap)
    assert turned.verdict == "meets"
    assert turned.meets[0].low == pytest.approx(0.015, abs=2 * gap + 1e-6)


def test_a_round_pin_is_proven_on_its_true_surface():
    """A square hole around a true cylinder: the clearance does not depend on the triangles."""
    for clearance, verdict in ((15e-6, "proven"), (25e-6, "meets")):
        scene = dt.Scene()
        scene.add_body("block", square_hole(0.01004, 0.03, 0.02), density=1, motion="static")
        scene.add_body("pin", dt.Cylinder(0.005, 0.03, segments=16), density=1)
        scene.add_joint("turn", dt.Revolute(axis=(0, 0, 1)), "ground", "pin")
        proof = dt.prove(scene, {"turn": (0, 1.0)}, clearance)
        assert proof.verdict == verdict
        assert proof.tessellation < 5e-6  # 16 sides would be off by 96 um
        assert 15e-6 < proof.least_clearance < 20.1e-6


def test_a_helix_advances_as_it_turns():
    scene = dt.Scene()
    scene.add_body("stop", dt.Box((0.1, 0.1, 0.01)), density=1, motion="static")
    scene.add_body("nut", dt.Box((0.02, 0.02, 0.01)), density=1, position=(0, 0, 0.03))
    scene.add_joint("thread", dt.Screw(axis=(0, 0, -1), pitch=0.002), "ground", "nut")
    turns = 2 * pi * (0.03 - 0.01) / 0.002  # the gap over the pitch
    assert dt.prove(scene, {"thread": (0, turns * 0.999999)}).verdict == "proven"
    meets = dt.prove(scene, {"thread": (0, turns * 1.01)})
    assert meets.verdict == "meets"
    assert meets.meets[0].low == pytest.approx(turns, rel=1e-5)


def test_pairs_may_be_excused_by_name():
    scene = swing_bar()
    proof = dt.prove(scene, {"hinge": (0, 1.0)}, ignore=[("bar", "plate")])
    assert proof.verdict == "proven" and proof.pairs == 0
    assert proof.excused == (("plate", "bar", "may touch, as requested"),)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sweep": {"hing": (0, 1)}}, "did you mean 'hinge'"),
        ({"sweep": {}}, "at least one joint"),
        ({"sweep": {"hinge": (0, 1, 2)}}, "pair (from, to)"),
        ({"sweep": {"hinge": (0, "x")}}, "hinge"),
        ({"sweep": {"hinge": (0, 1)}, "clearance": -1}, "`clearance` must be"),
        ({"sweep": {"hinge": (0, 1)}, "ignore": [("bar", "plait")]}, "did you mean 'plate'"),
    ],
)
def test_a_wrong_question_gets_a_sentence(options, sentence):
    with pytest.raises(dt.InputError, match=sentence.replace("(", r"\(").replace(")", r"\)")):
        dt.prove(swing_bar(), **options)


def test_the_point_of_two_parts_that_both_move_is_between_them():
    """Two cars on one line: at the near ends of both ranges they are 10 mm apart."""
    scene = dt.Scene()
    for name, x in (("left", -0.1), ("right", 0.1)):
        scene.add_body(name, dt.Box((0.02, 0.02, 0.02)), density=1000, position=(x, 0, 0))
        scene.add_joint(f"{name} rail", dt.Prismatic(axis=(1, 0, 0)), "ground", name)
    proof = dt.prove(scene, sweep={"left rail": (0, 0.12), "right rail": (-0.05, 0)})
    assert proof.verdict == "proven"
    assert proof.least_clearance == pytest.approx(0.01, rel=1e-3)
    assert proof.at == {"left rail": 0.12, "right rail": -0.05}
    assert proof.point[0] == pytest.approx(0.035, abs=1e-6)  # from 0.03 to 0.04
    assert max(map(abs, proof.point[1:])) <= 0.01
