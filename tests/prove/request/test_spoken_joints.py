"""Joints written on a command line, and joints that coaxial faces suggest."""

from math import pi

import numpy as np
import pytest

import dovetail as dt
from dovetail.io.cad.parts import CadMesh, Part, RoundFace
from dovetail.prove.request.coaxial import axes_of, suggestions
from dovetail.prove.request.spoken_joints import spoken_joint

CUBE = dt.Box((0.02, 0.02, 0.02)).surface()


def part(name, *faces):
    return Part(name, CadMesh(CUBE.vertices, CUBE.faces), np.zeros(3), np.eye(3), faces)


PIN = RoundFace((0.0, 0.001, 0.0), (0.0, 1.0, 0.0), 0.002)
HOLE = RoundFace((0.0, 0.009, 0.0), (0.0, -1.0, 0.0), 0.0021)
OTHER = RoundFace((0.005, 0.0, 0.0), (0.0, 0.0, 1.0), 0.001)
PARTS = [part("leaf_a", HOLE), part("leaf b", HOLE, OTHER), part("pin", PIN), part("plate")]


def test_a_part_gives_its_axis():
    made = spoken_joint("hinge: revolute leaf b about pin, -10..180 deg", PARTS)
    assert (made.name, made.part, made.parent) == ("hinge", "leaf b", "ground")
    assert made.joint.kind == "revolute" and tuple(made.joint.axis) == (0.0, 1.0, 0.0)
    assert made.sweep == pytest.approx((-pi / 18, pi))
    assert made.unit == ("deg", pi / 180)


def test_an_axis_can_be_written():
    made = spoken_joint("slide: prismatic plate along x, 0..12 mm", PARTS)
    assert made.joint.kind == "prismatic" and tuple(made.joint.axis) == (1.0, 0.0, 0.0)
    assert made.sweep == pytest.approx((0, 0.012))
    made = spoken_joint(
        "elbow: revolute leaf_a about (0, 0, 2) through (1, 2, -3.5) mm on leaf b, 0..1 rad", PARTS
    )
    assert made.parent == "leaf b" and tuple(made.joint.axis) == (0.0, 0.0, 1.0)
    assert made.joint.point == pytest.approx((1e-3, 2e-3, -3.5e-3))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hinge revolute leaf_a about pin, 0..90 deg", "must be written"),
        ("hinge: revolute leaf_a about pin", "must be written"),
        ("hinge: revolute leaf_c about pin, 0..90 deg", "did you mean 'leaf_a'"),
        ("hinge: revolute leaf_a about pin, 0..90 mm", "units rad, deg"),
        ("hinge: revolute leaf_a about plate, 0..90 deg", "no cylindrical face"),
        ("hinge: revolute leaf_a about leaf b, 0..90 deg", "about 2 axes"),
        ("hinge: revolute leaf_a about (0, 0, 0), 0..90 deg", "must not be zero"),
        ("hinge: revolute leaf_a about z through (1, 2, 3) parsec, 0..90 deg", "must have a unit"),
    ],
)
def test_a_wrong_joint_gets_a_sentence(text, sentence):
    with pytest.raises(dt.InputError, match=sentence):
        spoken_joint(text, PARTS)


def test_faces_about_one_line_are_one_axis_and_pins_in_holes_are_suggested():
    assert len(axes_of(part("both", PIN, HOLE))) == 1
    found = suggestions(PARTS)
    assert any("revolute leaf_a about pin" in line for line in found)
    assert any("revolute leaf b about pin" in line for line in found)
    assert all("0.1 mm" in line for line in found if "about pin" in line)
    assert not any("plate" in line or "  " in line for line in found)
