"""Of the check that goes over all elements and attributes of URDF: some rows, and that it can fail.

All rows: `python benchmarks/urdf_attributes.py`.
"""

import sys
from pathlib import Path

import pytest

pytest.importorskip("mujoco", reason="the benchmark shares code with that of MJCF")
pytest.importorskip("pinocchio", reason="what is read is compared with Pinocchio")
sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
import urdf_attributes as rows

ROWS = [
    (rows.Change("mass", f"{rows.UPPER}/inertial/mass", {"value": "3"}), "read"),
    (rows.Change("mirrored", f"{rows.WHEEL}/collision/geometry/mesh", {"scale": "1 -1 1"}), "read"),
    (rows.Change("axis", f"{rows.H}/axis", {"xyz": "0 7 0"}, same=True), "same"),
    (rows.Change("soft limits", rows.H, add="<safety_controller k_position='2'/>"), "listed"),
    (rows.Change("jerk", f"{rows.H}/limit", {"jerk": "3"}), "listed"),
    (rows.Change("limits", rows.F, {"type": "planar"}, beside="limit"), "listed"),
    (rows.Change("reversed", f"{rows.H}/limit", {"lower": "3"}), "refused"),
    (rows.Change("gazebo", add="<gazebo reference='h'/>"), "listed"),
    (rows.Change("text", rows.UPPER, add="3 kg"), "listed"),
]


@pytest.mark.parametrize(("change", "wanted"), ROWS, ids=[change.what for change, _ in ROWS])
def test_what_is_done_with_a_change(tmp_path, change, wanted):
    assert rows.verdict(change, tmp_path) == (wanted, "")


def test_a_change_without_effect_and_note_is_silent(tmp_path, monkeypatch):
    monkeypatch.setattr(rows, "seen", lambda text, folder: ("a scene", frozenset(), None))
    change = rows.Change("mass", f"{rows.UPPER}/inertial/mass", {"value": "3"})
    assert rows.verdict(change, tmp_path)[0] == "SILENT"


def test_a_scene_other_than_that_of_the_peer_is_named(tmp_path):
    change = rows.Change("mass", f"{rows.UPPER}/inertial/mass", {"value": "3"})
    heavier = rows.Change("mass", f"{rows.UPPER}/inertial/mass", {"value": "4"})
    wider = rows.Change("ball", f"{rows.SLIDER}/collision/geometry/sphere", {"radius": ".1"})
    differs = {}
    for other in (heavier, wider):
        found = rows.seen(rows.document(other), tmp_path)
        differs[other.what] = rows.as_the_peer(rows.document(change), found[2], tmp_path)
    assert "mass matrix" in differs["mass"] and "gravity" in differs["mass"]
    assert "box around slider" in differs["ball"]
