"""The check before a run finds what is wrong, and nothing in a scene that is right."""

import numpy as np
import pytest
import trimesh

from dovetail.model.joints import Prismatic, Revolute
from dovetail.model.scene import Scene
from dovetail.model.shapes import Box, Compound, HalfSpace, Mesh, Placed, Sphere
from dovetail.model.trajectories import PoseTable
from dovetail.scene_check import Finding, check_scene


def new_scene(g: float = -9.81) -> Scene:
    return Scene(gravity=(0, 0, g))


def found(scene: Scene, topic: str) -> list[Finding]:
    return [finding for finding in check_scene(scene) if finding.topic == topic]


def the(scene: Scene, topic: str) -> Finding:
    findings = found(scene, topic)
    assert len(findings) == 1, findings
    return findings[0]


def cube_mesh(**changes) -> Mesh:
    box = trimesh.creation.box((1, 1, 1))
    return Mesh(np.array(box.vertices), changes.get("faces", np.array(box.faces)))


def stacked(gap: float, **upper) -> Scene:
    scene = new_scene()
    scene.add_body("lower", Box((1, 1, 1)), motion=upper.pop("lower_motion", "static"))
    scene.add_body("upper", Box((1, 1, 1)), position=(0.1, 0.2, 1 + gap), **upper)
    return scene


def test_a_sound_scene_has_no_findings():
    scene = new_scene()
    scene.add_body("floor", HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("ball", Sphere(0.5), position=(3, 0, 0.6))
    scene.add_body("cube", cube_mesh(), position=(0, 0, 0.6), material="steel")
    scene.add_body("lid", cube_mesh(), position=(0, 0, 1.7), material="steel")
    scene.add_joint("hinge", Revolute(point=(0, 0.5, 1.15), axis=(1, 0, 0)), "cube", "lid")
    scene.add_material_pair("steel", "steel", friction=0.2)
    assert check_scene(scene) == []


def test_overlapping_bodies_are_an_error_with_names_triangles_and_the_way_out():
    finding = the(stacked(-0.01), "overlap")
    assert finding.severity == "error"
    assert finding.subject == ("lower", "upper")
    assert "moving 'upper' by (0, 0, 0.0100" in finding.message
    assert "'lower' and 'upper'" in finding.message
    assert finding.triangles and all(len(pair) == 2 for pair in finding.triangles)
    assert finding.locations[0][2] == pytest.approx(0.5, abs=0.6)


def test_touching_bodies_are_distinguished_from_overlapping_ones():
    assert the(stacked(0.0), "touching").severity == "warning"
    assert not found(stacked(0.0), "overlap")
    assert not check_scene(stacked(1e-12))


def test_two_bodies_at_the_very_same_place_overlap():
    scene = new_scene()
    for name in ("one", "two"):
        scene.add_body(name, Box((1, 1, 1)))
    assert the(scene, "overlap").severity == "error"


def test_a_body_inside_another_is_found_though_no_surface_crosses():
    scene = new_scene()
    scene.add_body("rock", Box((4, 4, 4)))
    scene.add_body("gem", Sphere(0.3), position=(1, 1, 1))
    finding = the(scene, "inside")
    assert finding.subject == ("gem", "rock")
    assert finding.severity == "warning"


def test_a_body_in_the_cavity_of_a_hollow_one_is_not_inside_its_solid():
    outer, inner = trimesh.creation.box((4, 4, 4)), trimesh.creation.box((3, 3, 3))
    vertices = np.concatenate([outer.vertices, inner.vertices])
    faces = np.concatenate([outer.faces, inner.faces[:, ::-1] + 8])
    scene = new_scene()
    scene.add_body("case", Mesh(vertices, faces))
    scene.add_body("ball", Sphere(0.3), position=(0.5, 0.2, 0))
    assert check_scene(scene) == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"motion": "static"}, "static"),
        ({"lower_motion": "dynamic", "group": "hand"}, "group"),
        ({"joint": Prismatic(axis=(0, 0, 1))}, "joint"),
    ],
)
def test_overlap_is_only_a_note_where_it_does_no_harm(change, reason):
    joint = change.get("joint")
    options = {key: value for key, value in change.items() if key != "joint"}
    scene = stacked(-0.01, **options)
    if "group" in options:
        scene = new_scene()
        for height in (0, 0.99):
            scene.add_body(f"at {height}", Box((1, 1, 1)), position=(0, 0, height), group="hand")
    if joint:
        scene.add_joint("slide", joint, "lower", "upper")
    finding = the(scene, "overlap")
    assert finding.severity == "note"
    assert reason in finding.message


def test_a_kinematic_body_is_checked_where_its_motion_begins():
    scene = new_scene()
    scene.add_body("block", Box((1, 1, 1)), position=(5, 0, 0))
    table = PoseTable([0.0, 1.0], [(5.5, 0, 0), (9, 0, 0)])
    scene.add_body("pusher", Box((1, 1, 1)), motion="kinematic", trajectory=table)
    assert the(scene, "overlap").severity == "error"
    assert not found(scene, "kinematic start")


def test_a_kinematic_body_placed_away_from_its_motion_is_reported():
    table = PoseTable([0.0, 1.0], [(5.5, 0, 0), (9, 0, 0)])
    scene = new_scene()
    place = {"motion": "kinematic", "trajectory": table}
    scene.add_body("agrees", Box((1, 1, 1)), position=(5.5, 0, 0), **place)
    assert not found(scene, "kinematic start")
    scene.add_body("jumps", Box((1, 1, 1)), position=(1, 0, 0), **place)
    jump = the(scene, "kinematic start")
    assert "4.5 m" in jump.message and jump.subject == ("jumps",)


@pytest.mark.parametrize(("height", "topic"), [(0.4, "overlap"), (0.5, "touching")])
def test_bodies_in_or_on_a_half_space_are_found(height, topic):
    scene = new_scene()
    scene.add_body("floor", HalfSpace((0, 0, 1)), motion="static", position=(100, 0, 0))
    scene.add_body("cube", Box((1, 1, 1)), position=(-50, 0, height))
    finding = the(scene, topic)
    assert finding.subject == ("cube", "floor")
    assert finding.severity == ("error" if topic == "overlap" else "warning")
    if topic == "overlap":
        assert "0.1 m below" in finding.message and "4 vertices" in finding.message


def test_an_open_mesh_is_reported_with_its_edges_and_place():
    scene = new_scene()
    box = trimesh.creation.box((1, 1, 1))
    scene.add_body("crate", cube_mesh(faces=np.array(box.faces)[1:]), mass=1, position=(0, 0, 7))
    finding = the(scene, "open")
    assert finding.severity == "warning"
    assert "3 boundary edges" in finding.message
    assert finding.locations and all(6 < z < 8 for _, _, z in finding.locations)
    scene.add_body("dense", cube_mesh(faces=np.array(box.faces)[1:]), density=1)
    assert "choose one: `fill='holes'`" in the(scene, "input").message
    for choice in ({"shell": True}, {"fill": "holes"}):
        scene = new_scene()
        mesh = cube_mesh(faces=np.array(box.faces)[1:]).weighed(**choice)
        scene.add_body("chosen", mesh, density=1)
        assert not found(scene, "open")


def test_inward_and_disagreeing_faces_are_reported():
    box = trimesh.creation.box((1, 1, 1))
    scene = new_scene()
    scene.add_body("inward", cube_mesh(faces=np.array(box.faces)[:, ::-1]))
    assert the(scene, "flipped winding").subject == ("inward",)
    mixed = np.array(box.faces)
    mixed[3] = mixed[3, ::-1]
    scene = new_scene()
    scene.add_body("mixed", cube_mesh(faces=mixed))
    assert "1 face " in the(scene, "inconsistent winding").message


def test_degenerate_and_repeated_faces_are_reported():
    faces = np.array(trimesh.creation.box((1, 1, 1)).faces)
    scene = new_scene()
    scene.add_body("messy", cube_mesh(faces=np.concatenate([faces, faces[:2], [[0, 0, 1]]])))
    assert "2 faces" in the(scene, "duplicate").message
    assert "1 face " in the(scene, "degenerate").message


def crossed_mesh() -> Mesh:
    box = trimesh.creation.box((1, 1, 1))
    vertices = np.concatenate([box.vertices, box.vertices + 0.5])
    return Mesh(vertices, np.concatenate([box.faces, box.faces + 8]))


def test_meshes_that_are_alike_only_after_repair_are_distinguished():
    scene = new_scene()
    faces = np.array(trimesh.creation.box((1, 1, 1)).faces)
    scene.add_body("inward", cube_mesh(faces=faces[:, ::-1]), position=(0, 0, 2))
    repaired = scene.bodies["inward"].faces
    scene.add_body("twice", cube_mesh(faces=np.r_[repaired, repaired[:1]]), position=(3, 0, 2))
    assert "'twice'" not in the(scene, "flipped winding").message
    assert "'twice'" in the(scene, "duplicate").message


@pytest.mark.parametrize(("inner", "reported"), [("outward", 1), ("inward", 0), ("beside", 0)])
def test_a_piece_inside_the_solid_counts_twice_and_is_reported(inner, reported):
    box = trimesh.creation.box((1, 1, 1))
    corners, faces = np.array(box.vertices), np.array(box.faces)
    second = faces[:, ::-1] if inner == "inward" else faces
    away = (3, 0, 0) if inner == "beside" else (0.1, 0, 0)
    mesh = Mesh(np.r_[2 * corners, 0.5 * corners + away], np.r_[faces, second + 8])
    scene = new_scene()
    scene.add_body("part", mesh, density=1, position=(0, 0, 5))
    assert len(found(scene, "nested")) == reported
    volume = 8 - 0.125 if inner == "inward" else 8 + 0.125
    assert scene.bodies["part"].mass == pytest.approx(volume)


def test_a_scene_without_bodies_is_an_error_as_it_cannot_be_run():
    assert the(new_scene(), "empty").severity == "error"


def test_a_mesh_that_crosses_itself_is_reported_once_for_all_its_bodies():
    scene = new_scene()
    mesh = crossed_mesh()
    for i in range(3):
        scene.add_body(f"part{i}", mesh, position=(3 * i, 0, 0))
    finding = the(scene, "self-intersection")
    assert finding.severity == "warning"
    assert finding.subject == ("part0", "part1", "part2")
    assert len(finding.triangles) > 3


def test_meshes_inside_compounds_are_checked_too():
    scene = new_scene()
    scene.add_body("pair", Compound([Placed(crossed_mesh()), Placed(Box((1, 1, 1)), (5, 0, 0))]))
    assert the(scene, "self-intersection").subject == ("pair",)


def test_what_keeps_a_scene_from_being_built_is_an_error_and_the_rest_is_still_checked():
    scene = stacked(-0.1)
    scene.add_body("ghost", Box((1, 1, 1)), mass=-2, position=(9, 0, 0))
    scene.add_body("dust", Box((1, 1, 1)), density=0, position=(12, 0, 0))
    scene.add_joint("nowhere", Revolute(point=(0, 0, 0)), "upper", "nobody")
    errors = found(scene, "input")
    assert {error.severity for error in errors} == {"error"}
    assert {("ghost",), ("dust",), ("nowhere",)} <= {error.subject for error in errors}
    assert any("must be > 0 kg, got -2" in error.message for error in errors)
    assert the(scene, "overlap").subject == ("lower", "upper")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"shape": Box((2000, 1, 1))}, "scale=1e-3"),
        ({"shape": Box((1e-5, 1e-5, 1e-5))}, "check `scale`"),
        ({"shape": Box((1, 1, 1)), "density": 7.8e6}, "more than any metal"),
        ({"shape": Box((1, 1, 1)), "mass": 0.01}, "less than air"),
        ({"shape": Box((1, 1, 1)), "velocity": (5000, 0, 0)}, "mm/s"),
        ({"shape": Box((1, 1, 1)), "angular_velocity": (0, 2e5, 0)}, "revolutions per minute"),
        ({"shape": Box((1, 1, 1)), "angular_velocity": (0, 90, 0)}, "degrees per second"),
    ],
)
def test_numbers_that_look_like_other_units_are_reported(body, words):
    scene = new_scene()
    scene.add_body("part", **body)
    assert any(words in finding.message for finding in found(scene, "units"))


def test_gravity_in_millimetres_is_reported():
    scene = new_scene(-9810)
    scene.add_body("part", Box((1, 1, 1)))
    assert "mm/s^2" in the(scene, "units").message


def test_a_body_far_from_all_others_is_reported():
    scene = new_scene()
    for i in range(3):
        scene.add_body(f"near{i}", Box((1, 1, 1)), position=(2 * i, 0, 0))
    scene.add_body("lost", Box((1, 1, 1)), position=(0, 5000, 0))
    assert the(scene, "far away").subject == ("lost",)


def test_a_joint_far_from_what_it_joins_is_reported():
    scene = stacked(0.1)
    scene.add_joint("good", Revolute(point=(0, 0, 0.5)), "lower", "upper")
    scene.add_joint("slide", Prismatic(point=(0, 300, 0)), "ground", "upper")
    assert not found(scene, "far joint")
    scene.add_joint("bad", Revolute(point=(0, 300, 0)), "ground", "upper")
    assert the(scene, "far joint").subject == ("bad",)


def test_a_material_pair_nobody_makes_is_reported():
    scene = stacked(0.1, material="wood")
    scene.add_material_pair("wood", "stele", friction=0.3)
    scene.add_material_pair("wood", "wood", friction=0.3)
    scene.add_material_pair("wood", "lower", friction=0.3)
    unused = found(scene, "unused material")
    assert [(u.subject, u.severity) for u in unused] == [
        (("wood", "stele"), "warning"),
        (("wood", "wood"), "note"),
    ]


def test_bodies_without_shape_and_scenes_without_motion_are_reported():
    scene = Scene()
    scene.add_body("mass point", mass=1, inertia=(1, 1, 1))
    assert the(scene, "no shape").severity == "note"
    assert "no gravity" in the(scene, "at rest").message
    still = new_scene()
    still.add_body("rock", Box((1, 1, 1)), motion="static")
    assert "static" in the(still, "at rest").message


def test_errors_come_before_warnings_and_notes():
    scene = stacked(-0.1)
    scene.add_body("odd", mass=1, inertia=(1, 1, 1))
    scene.add_body("heavy", Box((1, 1, 1)), density=1e6, position=(5, 0, 0))
    assert [f.severity for f in check_scene(scene)] == ["error", "warning", "note"]
