"""Proofs say what they are not about."""

import numpy as np

import dovetail as dt
from dovetail.cli.prove_report import report


def question(around, **body):
    """A small box slides inside or below another body."""
    scene = dt.Scene()
    scene.add_body("around", around, **body)
    scene.add_body("box", dt.Box((0.1, 0.1, 0.1)), density=1000)
    scene.add_joint("slide", dt.Prismatic(axis=(1, 0, 0)), "ground", "box")
    return dt.prove(scene, {"slide": (-0.1, 0.1)})


def test_a_box_without_a_lid_is_noted_as_open():
    surface = dt.Box((1, 1, 1)).surface()
    vertices, faces = np.array(surface.vertices), np.array(surface.faces)
    lid = np.all(np.isclose(vertices[faces][:, :, 2], 0.5), axis=1)
    given = {"mass": 1, "inertia": (1, 1, 1), "motion": "static"}
    proof = question(dt.Mesh(vertices, faces[~lid]), **given)
    assert proof.verdict == "proven" and "'around' has an open surface (4 edges" in proof.notes[0]
    assert question(dt.Mesh(vertices, faces), **given).notes == ()


def test_the_motion_of_a_kinematic_body_is_noted_as_not_examined(capsys):
    given = {"position": (0, 0, 0.2), "motion": "kinematic", "velocity": (0, 0, -1)}
    proof = question(dt.Box((0.1, 0.1, 0.1)), **given)
    (note,) = proof.notes
    report(proof, proof.source[0])
    assert f"note: {note}" in capsys.readouterr().out
    assert "'around' is kinematic" in note
