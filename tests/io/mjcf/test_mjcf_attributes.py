"""Of the check that goes over all attributes of MJCF: some rows, and that it can fail.

All rows: `python benchmarks/mjcf_attributes.py`.
"""

import sys
from pathlib import Path

import pytest

pytest.importorskip("mujoco", reason="MJCF is read through the extra `mujoco`")
sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
import mjcf_attributes

ROWS = [
    ("body/joint", "damping", "read"),
    ("body/joint", "springref", "read"),
    ("body/geom", "surfacevel", "listed"),
    ("body/geom", "friction", "read"),
    ("body/geom", "solref", "listed"),
    ("option", "gravity", "read"),
    ("option", "cone", "documented"),
    ("option/flag", "gravity", "read"),
    ("tendon/spatial", "stiffness", "listed with its element"),
    ("actuator/position", "kp", "read"),
    ("body/joint", "name", "not tried"),
]


@pytest.mark.parametrize(("path", "attribute", "wanted"), ROWS)
def test_what_is_done_with_an_attribute(tmp_path, path, attribute, wanted):
    steps = ("mujoco", *path.split("/"))
    assert mjcf_attributes.verdict(steps, attribute, tmp_path)[0] == wanted


def test_an_attribute_that_changes_only_the_motion_of_mujoco_is_silent(tmp_path, monkeypatch):
    monkeypatch.setattr(mjcf_attributes, "seen", lambda text, folder: ("a scene", frozenset()))
    steps = ("mujoco", "body", "joint")
    assert mjcf_attributes.verdict(steps, "damping", tmp_path)[0] == "SILENT"
