"""What is written is what is read: every scene, every number, to the bit."""

import json

import numpy as np
import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from same_scene import assert_same_scene
from scene_strategies import scenes

from dovetail.errors import InputError
from dovetail.io import Choice, RunSettings, from_document, load_scene, save_scene, to_document
from dovetail.model.joints import Actuation, Free, Revolute
from dovetail.model.joints.registry import BUILT_IN
from dovetail.model.scene import Scene
from dovetail.model.shapes import Box, Mesh, Sphere

quick = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@quick
@given(scene=scenes(), name=st.sampled_from(["scene.yaml", "scene.json"]))
def test_a_saved_scene_loads_as_the_same_scene(tmp_path_factory, scene, name):
    path = tmp_path_factory.mktemp("scene") / name
    save_scene(scene, path)
    assert_same_scene(scene, load_scene(path).scene)


@quick
@given(scene=scenes())
def test_a_document_with_its_meshes_kept_elsewhere_gives_the_same_scene(scene):
    kept = {}

    def store(vertices, faces, edges):
        kept[f"mesh/{len(kept)}"] = (vertices, faces, edges)
        return f"mesh/{len(kept) - 1}"

    document = json.loads(json.dumps(to_document(scene, store), allow_nan=False))
    assert_same_scene(scene, from_document(document, kept.__getitem__))


@quick
@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e40, max_value=1e40))
def test_every_double_keeps_its_bits_through_a_file(tmp_path_factory, value):
    scene = Scene(gravity=(value, 0, 0))
    path = tmp_path_factory.mktemp("scene") / "scene.yaml"
    save_scene(scene, path)
    assert load_scene(path).scene.build().gravity.tobytes() == scene.build().gravity.tobytes()


@pytest.mark.parametrize("kind", [kind for kind in BUILT_IN.values() if kind.freedoms])
@pytest.mark.parametrize("motor", [3.5, ("position", 0.25), ("velocity", -2.0)])
def test_everything_that_acts_on_a_joint_is_kept(tmp_path, kind, motor):
    rows = tuple(
        Actuation(
            lower=-1.0 - i,
            upper=2.0 + i,
            stiffness=3.0 + i,
            damping=4.0 + i,
            rest=0.1 + i,
            friction=5.0 + i,
            motor=None if kind is Free else motor,  # which has no axis to act along
            effort_limit=6.0 + i,
            velocity_limit=7.0 + i,
        )
        for i in range(kind.freedoms)
    )
    scene = Scene()
    scene.add_body("a", Box((1, 1, 1)))
    scene.add_joint("j", kind(actuation=rows), "ground", "a")
    save_scene(scene, tmp_path / "scene.yaml")
    assert load_scene(tmp_path / "scene.yaml").scene.joints["j"][0].actuation == rows


def test_run_settings_are_kept(tmp_path):
    run = RunSettings(
        duration=2.0,
        step=1e-3,
        every=5,
        integrator=Choice("DH", {"order": 2}),
        contact=Choice("ipc", {"friction": [0.3, 0.2, 1e-3, 1e-2], "dhat": 1e-4}),
    )
    save_scene(Scene(), tmp_path / "scene.yaml", run)
    assert load_scene(tmp_path / "scene.yaml").run == run


def test_a_mesh_file_beside_the_scene_is_referred_to_and_others_are_carried_along(tmp_path):
    inside, outside = tmp_path / "here" / "parts", tmp_path / "there"
    for folder in (inside, outside):
        folder.mkdir(parents=True)
        trimesh.creation.icosphere(subdivisions=2, radius=10).export(folder / "ball.stl")
    scene = Scene()
    scene.add_body("near", Mesh(inside / "ball.stl", scale=0.001))
    scene.add_body("far", Mesh(outside / "ball.stl", scale=0.001))
    path = tmp_path / "here" / "scene.yaml"
    save_scene(scene, path)
    text = path.read_text()
    assert "mesh: parts/ball.stl, scale: 0.001" in text
    assert "mesh: scene_meshes/1.obj" in text
    assert_same_scene(scene, load_scene(path).scene)


def test_triangles_that_do_not_share_vertices_stay_a_sheet(tmp_path):
    ball = Sphere(1.0, segments=16).surface()
    soup = Mesh(ball.vertices[ball.faces.ravel()], np.arange(3 * len(ball.faces)).reshape(-1, 3))
    scene = Scene()
    scene.add_body("soup", soup.weighed(shell=True))
    save_scene(scene, tmp_path / "scene.yaml")
    assert_same_scene(scene, load_scene(tmp_path / "scene.yaml").scene)


def test_one_mesh_used_by_many_bodies_is_stored_once():
    mesh, kept = Mesh(*_tetrahedron()), []
    scene = Scene()
    for name in ("a", "b", "c"):
        scene.add_body(name, mesh)
    document = to_document(scene, lambda *arrays: kept.append(arrays) or "m")
    assert len(kept) == 1
    fetched = []
    again = from_document(document, lambda name: fetched.append(name) or kept[0])
    assert fetched == ["m"]
    assert_same_scene(scene, again)


def _tetrahedron():
    return [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [
        [0, 2, 1],
        [0, 1, 3],
        [0, 3, 2],
        [1, 2, 3],
    ]


def test_functions_cannot_be_written_and_each_is_named(tmp_path):
    scene = Scene()
    scene.add_body(
        "ram", Box((1, 1, 1)), motion="kinematic", trajectory=lambda t: ((0, 0, t), np.eye(3))
    )
    motor = Actuation(motor=("velocity", lambda t: t))
    scene.add_body("arm", Box((1, 1, 1)))
    scene.add_joint("hinge", Revolute(actuation=(motor,)), "ground", "arm")
    scene.add_load("wind", lambda t, state: {})
    with pytest.raises(InputError) as caught:
        save_scene(scene, tmp_path / "scene.yaml")
    assert caught.value.mistakes == [
        "`trajectory` of body 'ram' is a Python function, which a file cannot keep; "
        "give a dt.PoseTable instead",
        "`motor` of coordinate 1 of joint 'hinge' is a Python function, which a file cannot keep; "
        "give a constant instead",
        "load 'wind' is a Python function, which a file cannot keep; use add_force or add_spring "
        "instead",
    ]
    assert not (tmp_path / "scene.yaml").exists()


def test_a_scene_with_mistakes_is_not_written(tmp_path):
    scene = Scene()
    scene.add_body("a", Box((1, 1, -1)))
    with pytest.raises(InputError, match="`size`"):
        save_scene(scene, tmp_path / "scene.yaml")


def test_a_folder_that_does_not_exist_is_a_plain_message(tmp_path):
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        save_scene(Scene(), tmp_path / "missing" / "scene.yaml")


def test_a_document_without_its_meshes_says_so():
    document = {"version": 1, "bodies": [{"name": "a", "shape": {"mesh": "m"}}]}
    with pytest.raises(InputError, match=r"scene: bodies\[0\] 'a': `shape.mesh` names 'm', but"):
        from_document(document)
