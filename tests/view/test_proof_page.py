"""The page of a proof: what it says, and that it draws."""

import json
import re

import pytest

import dovetail as dt
from dovetail.prove.output.coloured_motion import coloured_motion
from dovetail.view.proof_page import proof_page


def arm_over_plate():
    scene = dt.Scene()
    scene.add_body("base <b>", dt.Box((0.1, 0.1, 0.01)), density=1000, motion="static")
    scene.add_body("arm", dt.Box((0.1, 0.01, 0.01)), density=1000, position=(0.06, 0, 0.03))
    scene.add_joint("hinge", dt.Revolute(point=(0, 0, 0.03), axis=(0, 1, 0)), "ground", "arm")
    return scene


def test_frames_clearances_and_colours_are_those_of_the_motion():
    question = {"sweep": {"hinge": (0.0, 0.3)}}
    proof = dt.prove(arm_over_plate(), **question)
    seen = coloured_motion(proof, arm_over_plate(), question)
    assert seen.motion.values[seen.worst] == 0.3
    least = seen.motion.clearance.min()
    assert abs(least - proof.least_clearance) < 1e-9
    assert min(one.min() for one in seen.clearance) == least  # of triangles too
    assert seen.motion.rotation[0, 1][0, 0] == 1.0


def test_the_page_has_verdict_place_plot_and_frames():
    question = {"sweep": {"hinge": (0.0, 0.5)}}
    proof = dt.prove(arm_over_plate(), **question)
    page = proof_page(
        proof, arm_over_plate(), question, {"hinge": ("deg", 0.017453292519943295)}, "a & b"
    )
    assert "<h1>a &amp; b</h1>" in page and "{{" not in page
    assert '<span class="verdict meets"' in page
    assert "base &lt;b&gt;" in page and "<b>" not in page.replace("base &lt;b&gt;", "")
    data = json.loads(re.search(r"const DATA = (.*);</script>", page)[1])
    assert data["label"] == "hinge [deg]"
    assert len(data["frames"]) == len(data["values"]) >= 61
    assert len(data["bodies"][0]["corners"]) == 12 * 9
    assert "<polyline" in page and '<g class="bands"><rect' in page


def test_the_page_of_an_assembly_and_of_a_path():
    scene = arm_over_plate()
    for question in ({"assemble": {"arm": [(0.0, 0.0, 0.1)]}}, {"path": {"hinge": (0, -1, 0.1)}}):
        proof = dt.prove(scene, **question)
        assert proof.verdict == "proven"
        assert "proven" in proof_page(proof, scene, question, {}, "x")


def test_of_several_frames_that_meet_the_page_shows_that_of_the_proof():
    scene = dt.Scene()
    for name, x in (("left", -0.1), ("right", 0.1)):
        scene.add_body(name, dt.Box((0.02, 0.02, 0.02)), density=1000, position=(x, 0, 0))
        scene.add_joint(f"{name} rail", dt.Prismatic(axis=(1, 0, 0)), "ground", name)
    sweep = {"left rail": (0, 0.15), "right rail": (-0.15, 0)}
    proof = dt.prove(scene, sweep=sweep)
    seen = coloured_motion(proof, scene, {"sweep": sweep})
    assert proof.verdict == "meets"
    for name, x in (("left", -0.1), ("right", 0.1)):
        k = seen.model.names.index(name)
        there = x + proof.at[f"{name} rail"]
        assert seen.motion.position[seen.worst, k, 0] == pytest.approx(there, abs=1e-12)
