"""Driven by a motor or by weight, under IPC: the end is reached, or what holds is named."""

import json
from importlib.resources import files
from math import atan2, cos, hypot, sin

import jsonschema
import numpy as np
import pytest

import dovetail as dt
from dovetail.io.cad.parts import CadMesh

G = 9.81


def slider(wall=None):
    """A block on a prismatic joint, and a wall in its way, `wall` [m] from its front."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("block", dt.Box((0.04, 0.02, 0.01)), density=1000)
    scene.add_joint("push", dt.Prismatic(axis=(1, 0, 0)), "ground", "block")
    if wall is not None:
        scene.add_body("wall", dt.Box((0.01, 0.05, 0.04)), density=1000, motion="static",
                       position=(0.02 + wall + 0.005, 0, 0))  # fmt: skip
    return scene


def sliding_past(gap, deviation):
    """A block read from CAD that slides along a wall, `gap` [m] beside it."""
    box = dt.Box((0.04, 0.02, 0.01)).surface()
    scene = dt.Scene()
    scene.add_body("block", CadMesh(box.vertices, box.faces, deviation), density=1000)
    scene.add_joint("push", dt.Prismatic(axis=(1, 0, 0)), "ground", "block")
    scene.add_body("wall", dt.Box((0.2, 0.01, 0.04)), density=1000, motion="static",
                   position=(0, 0.01 + gap + 0.005, 0))  # fmt: skip
    return scene


@pytest.mark.parametrize(
    ("clearance", "verdict"), [(2e-5, "proven"), (1e-4, "undecided"), (3e-4, "meets")]
)
def test_deviation_of_triangles_is_taken_off_what_a_driven_part_keeps(clearance, verdict):
    """Triangles keep 0.15 mm, the true surfaces 0.05 to 0.25 mm."""
    scene = sliding_past(1.5e-4, 1e-4)
    proof = dt.prove(scene, drive={"push": (0, 0.01)}, force=1.0, clearance=clearance)
    assert (proof.verdict, proof.tessellation) == (verdict, 1e-4)
    assert proof.least_clearance == pytest.approx(5e-5, abs=2e-6)
    assert proof.proven_clearance <= proof.least_clearance


def test_a_driven_part_that_may_touch_is_proven_for_its_triangles_and_says_so():
    proof = dt.prove(sliding_past(1.5e-4, 1e-4), drive={"push": (0, 0.01)}, force=1.0)
    assert proof.verdict == "proven"
    assert "0.0001 m off the true surfaces" in " ".join(proof.notes)


def schema():
    return json.loads((files("dovetail.prove") / "proof.schema.json").read_text())


def test_a_free_way_is_proven_and_a_wall_jams_it_with_the_force_of_the_motor():
    free = dt.prove(slider(), drive={"push": (0, 0.03)}, force=1.0)
    assert free.verdict == "proven" and free.exit_code == 0
    jammed = dt.prove(slider(wall=0.02), drive={"push": (0, 0.03)}, force=1.0)
    assert jammed.verdict == "jams" and jammed.exit_code == 1
    (held,) = jammed.holds
    assert set(held.between) == {"block", "wall"}
    assert held.strength == pytest.approx(1.0, rel=1e-3)  # balance: the motor against the wall
    assert jammed.at["push"] == pytest.approx(0.02, abs=2e-4)
    assert jammed.needed["push"] == pytest.approx(1.0, rel=0.1)
    assert 0 < jammed.least_clearance < 2e-4
    assert jammed.tests > 200  # boxes around the paths are tests too, one between two positions
    for proof in (free, jammed):
        jsonschema.validate(json.loads(json.dumps(proof.as_data(), allow_nan=False)), schema())


@pytest.mark.parametrize("short", [0.002, 0.009])
def test_a_wall_in_the_last_hundredth_of_the_range_jams(short):
    proof = dt.prove(slider(wall=0.3 * (1 - short)), drive={"push": (0, 0.3)}, force=1.0)
    assert proof.verdict == "jams"
    assert set(proof.holds[0].between) == {"block", "wall"}


def test_a_stop_at_the_very_end_is_reached_up_to_the_gap_that_contact_keeps():
    proof = dt.prove(slider(wall=0.03), drive={"push": (0, 0.03)}, force=1.0)
    assert proof.verdict == "proven" and not proof.notes
    proof = dt.prove(slider(wall=0.01), drive={"push": (0, 0.01)}, force=1.0)
    assert proof.verdict == "proven"
    (note,) = proof.notes
    assert "of 0.01 m; what lies beyond was not examined" in note


def test_the_range_in_which_a_driven_part_is_too_close_goes_to_the_end(capsys):
    """2 mm are wanted; the wall is 10 mm away, the motor goes 9 mm."""
    scene = slider(wall=0.01)
    scene.gravity = (0, 0, 0)
    proof = dt.prove(scene, drive={"push": (0, 0.009)}, force=1.0, clearance=0.002)
    (meeting,) = proof.meets
    assert meeting.low == pytest.approx(0.008, abs=2e-5)
    assert meeting.high == pytest.approx(0.009, abs=5e-5)
    assert proof.pairs == 1
    assert "nothing will move" not in capsys.readouterr().err


def test_the_least_clearance_of_a_way_on_which_nothing_comes_near():
    """The wall is 20 mm before the front; the motor goes 8 mm: 12 mm are left, beyond dhat."""
    scene = slider(wall=0.02)
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static", position=(0, 0, -0.1))
    proof = dt.prove(scene, drive={"push": (0, 0.008)}, force=1.0, clearance=0.001)
    assert proof.verdict == "proven" and proof.proven_clearance == 0.001
    assert proof.least_clearance == pytest.approx(0.012, abs=2e-4)
    assert set(proof.between) == {"block", "wall"}
    assert proof.at["push"] == pytest.approx(0.008, abs=2e-4)
    assert proof.point[0] == pytest.approx(0.034, abs=2e-4)
    beside = dt.prove(scene, drive={"push": (0, -0.03)}, force=1.0, ignore=[("block", "wall")])
    assert beside.least_clearance == pytest.approx(0.095, abs=1e-6)
    assert set(beside.between) == {"block", "floor"}


def test_forces_that_hold_an_arm_balance_its_motor_and_weight():
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("base", dt.Box((0.1, 0.1, 0.01)), density=1000, motion="static")
    scene.add_body("arm", dt.Box((0.1, 0.01, 0.01)), density=1000, position=(0.06, 0, 0.03))
    scene.add_joint("hinge", dt.Revolute(point=(0, 0, 0.03), axis=(0, 1, 0)), "ground", "arm")
    proof = dt.prove(
        scene, drive={"hinge": (0, 0.7)}, force=0.1, contact=dt.contact.IPC(friction=0)
    )
    assert proof.verdict == "jams"
    angle = proof.at["hinge"]
    assert angle == pytest.approx(
        atan2(0.025, 0.05) - np.arcsin(0.005 / hypot(0.05, 0.025)), abs=2e-3
    )
    weight = 0.01 * G * (0.06 * cos(angle))  # torque of 10 g at 60 mm
    (held,) = proof.holds
    moment = np.cross(np.array(held.point) - (0, 0, 0.03), held.force)[1]
    assert abs(moment) == pytest.approx(0.1 + weight, rel=5e-3)
    assert abs(np.array(held.force) @ (cos(angle), 0, -sin(angle))) < 1e-3 * held.strength


def test_weight_drives_until_a_stop():
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("lid", dt.Box((0.1, 0.05, 0.01)), density=1000, position=(0.06, 0, 0))
    scene.add_body("far", dt.Box((0.1, 0.1, 0.01)), density=1000, motion="static",
                   position=(0, 0, -0.5))  # fmt: skip
    scene.add_joint("hinge", dt.Revolute(axis=(0, 1, 0)), "ground", "lid")
    assert dt.prove(scene, drive={"hinge": (0, 1.5)}, by="weight").verdict == "proven"
    scene.add_body("stop", dt.Box((0.02, 0.02, 0.1)), density=1000, motion="static",
                   position=(0.08, 0, -0.1))  # fmt: skip
    stopped = dt.prove(scene, drive={"hinge": (0, 1.5)}, by="weight")
    assert stopped.verdict == "jams"
    assert {name for held in stopped.holds for name in held.between} == {"lid", "stop"}
    assert stopped.needed == {}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"drive": {"pushh": (0, 1)}}, "`drive` names joint 'pushh'"),
        ({"drive": {"push": (0, 0)}}, "must go somewhere"),
        ({"drive": {"push": (0, 1)}, "by": "magic"}, "`by` must be one of"),
        ({"drive": {"push": (0, 1)}, "force": -1}, "`force` of joint 'push' must be > 0"),
        ({"drive": {"push": (0, 1)}, "duration": 0}, "`duration` must be > 0"),
        ({"drive": {"push": (0, 1)}, "sweep": {"push": (0, 1)}}, "one of `sweep`"),
    ],
)
def test_a_wrong_drive_gets_a_sentence(options, sentence):
    with pytest.raises(dt.InputError, match=sentence):
        dt.prove(slider(), **options)


def test_pairs_that_may_touch_do_not_change_the_scene_of_the_caller():
    scene = slider(wall=0.02)
    proof = dt.prove(scene, drive={"push": (0, 0.03)}, force=1.0, ignore=[("block", "wall")])
    assert proof.verdict == "proven"
    assert scene.excluded_contacts == ()


@pytest.mark.parametrize("by", ["motor", "weight"])
def test_a_drive_takes_the_place_of_a_motor_that_prescribes_the_motion(by):
    """One scene is run with its motor and driven in a proof; the scene of the caller stays."""
    motor = dt.Actuation(motor=("velocity", 3.0), damping=1e-6)
    driven = lid(motor)
    drive = {"hinge": (0, 0.2)}
    proof, plain = (dt.prove(scene, drive=drive, by=by) for scene in (driven, lid()))
    assert proof.verdict == plain.verdict == "proven"
    assert any("left out" in note for note in proof.notes)
    assert not any("left out" in note for note in plain.notes)
    assert proof.needed.keys() == plain.needed.keys()
    for name, most in plain.needed.items():
        assert proof.needed[name] == pytest.approx(most, rel=1e-2)
    assert driven.joints["hinge"][0].actuation[0].motor == ("velocity", 3.0)


def lid(actuation=()):
    """A lid that weighs 0.0942 N, its centre 35 mm from its hinge: 3.3e-3 N m to hold it level."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("box", dt.Box((0.04, 0.04, 0.02)), density=1000, motion="static",
                   position=(0.03, 0, -0.03))  # fmt: skip
    scene.add_body("lid", dt.Box((0.06, 0.04, 0.004)), density=1000, position=(0.035, 0, 0))
    hinge = dt.Revolute(axis=(0, 1, 0), actuation=actuation)
    scene.add_joint("hinge", hinge, "ground", "lid")
    return scene


LEVEL = 0.0096 * G * 0.035  # [N m]


@pytest.mark.parametrize("share", [0.03, 0.8, 1.02])
def test_a_motor_lifts_what_its_force_can_lift_and_no_more(share):
    """With 2 % more than the moment of the weight it gets there; with less the lid sinks."""
    proof = dt.prove(lid(), drive={"hinge": (0.0, -1.0)}, force=share * LEVEL)
    assert proof.verdict == ("proven" if share > 1 else "jams")
    # within a step of a free fall, spring and damper grow by part of the motor's force
    assert proof.needed["hinge"] <= (1.6 if share < 0.5 else 1.1) * share * LEVEL
    if share < 1:  # what is left of the weight presses on the far edge of the box
        angle = proof.at["hinge"]
        weight = LEVEL * np.cos(angle) - share * LEVEL
        assert proof.holds[0].strength == pytest.approx(weight / np.hypot(0.05, 0.02), rel=0.03)


def detent():
    """A ball of 6 mm on a spring of 500 N/m sits 3.317 mm above the edges of a gap of 10 mm."""
    scene = dt.Scene()
    side, base = dt.Box((0.04, 0.01, 0.004)), dt.Box((0.09, 0.01, 0.004))
    parts = [dt.Placed(side, position=(x, 0, 0)) for x in (-0.025, 0.025)]
    bar = dt.Compound([*parts, dt.Placed(base, position=(0, 0, -0.004))])
    scene.add_body("bar", bar, density=7850)
    scene.add_body("ball", dt.Sphere(0.006), density=7850, position=(0, 0, 0.0054))
    scene.add_joint("push", dt.Prismatic(axis=(1, 0, 0)), "ground", "bar")
    spring = dt.Actuation(stiffness=500, rest=-0.01, damping=1)
    scene.add_joint("lift", dt.Prismatic(axis=(0, 0, 1), actuation=spring), "ground", "ball")
    return scene


def test_a_detent_gives_way_to_what_exceeds_its_spring_and_keeps_the_true_gap_of_the_ball():
    """The contact balances motor and spring; the ball's triangles, 80 um off, do not count."""
    passed = dt.prove(detent(), drive={"push": (0, 0.015)}, force=20.0)
    held = dt.prove(detent(), drive={"push": (0, 0.015)}, force=5.0)
    assert (passed.verdict, held.verdict) == ("proven", "jams")
    height = np.sqrt(0.006**2 - 0.005**2)
    spring = 500 * (0.01 + height - 0.0034)
    assert held.holds[0].strength == pytest.approx(np.hypot(5.0, spring), rel=2e-3)
    assert passed.needed["push"] > spring * 0.005 / height  # at rest; it has to be lifted, too
    assert passed.tessellation == held.tessellation == 0.0
    for proof in (passed, held):
        assert 1e-9 < proof.least_clearance < 3e-5  # a gap of the contact, dhat at most
