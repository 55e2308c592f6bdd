"""The scene that a result file carries: all but its Python functions, which are named."""

import json

import numpy as np

import dovetail as dt
from dovetail.simulate import embedded_scene
from dovetail.simulate.embedded_scene import embedded_scene as embedded


def whole(functions=True):
    """A scene with one of everything; with or without functions."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    cube = dt.Box((1, 1, 1)).surface()
    scene.add_body("a", dt.Mesh(cube.vertices, cube.faces), density=500)
    scene.add_body("b", dt.Box((1, 1, 1)), density=500, position=(3, 0, 0))
    scene.add_body("c", dt.Box((1, 1, 1)), density=500, position=(6, 0, 0))
    moves = {"trajectory": lambda t: ((9 + t, 0, 0), np.eye(3))} if functions else {}
    scene.add_body("cam", dt.Box((1, 1, 1)), motion="kinematic", position=(9, 0, 0), **moves)
    motor = {"motor": (lambda t: 1.0)} if functions else {}
    acting = dt.Actuation(stiffness=2.0, **motor)
    scene.add_joint("driven", dt.Revolute((3, 0, 1), (0, 1, 0), actuation=[acting]), "ground", "b")
    steady = dt.Actuation(motor=3.0)
    scene.add_joint("steady", dt.Revolute((6, 0, 1), (0, 1, 0), actuation=[steady]), "ground", "c")
    terms = {"driven": 1.0, "steady": -1.0}
    scene.add_coupling("gear", dt.Coupling(terms))
    scene.add_coupling("belt", dt.Coupling(terms, actuation=dt.Actuation(damping=1.0, **motor)))
    scene.add_force("push", "a", force=(1, 2, 3))
    scene.add_spring("rope", "ground", "a", (0, 0, 2), (0, 0, 0), stiffness=5.0)
    if functions:
        scene.add_load("wind", lambda t, state: {})
    scene.add_material_pair("a", "b", friction=0.4)
    scene.exclude_contact("a", "c")
    return scene


def test_a_scene_with_functions_is_kept_without_them_and_they_are_named():
    text, meshes, left_out = embedded(whole())
    assert left_out == [
        "trajectory of body 'cam'", "motor of joint 'driven'", "motor of coupling 'belt'",
        "load 'wind'",
    ]  # fmt: skip
    plain, same_meshes, nothing = embedded(whole(functions=False))
    assert nothing == [] and meshes.keys() == same_meshes.keys()
    assert json.loads(text) == json.loads(plain)


def test_every_kind_of_function_alone_is_found():
    """Each is looked for by itself: one alone is enough to leave it out."""
    kinds = {}
    for name in ("trajectory", "motor", "coupling", "load"):
        scene = dt.Scene()
        options = {}
        if name == "trajectory":
            options = {"motion": "kinematic", "trajectory": lambda t: ((t, 0, 0), np.eye(3))}
        scene.add_body("a", dt.Box((1, 1, 1)), **({"density": 500} | options))
        acting = dt.Actuation(motor=lambda t: 1.0)
        if name in ("motor", "coupling"):
            scene.add_body("b", dt.Box((1, 1, 1)), density=500, position=(3, 0, 0))
            entries = [acting] if name == "motor" else []
            for one in "ab":
                joint = dt.Prismatic((0, 0, 0), (0, 0, 1), actuation=entries)
                scene.add_joint(f"j{one}", joint, "ground", one)
        if name == "coupling":
            scene.add_coupling("gear", dt.Coupling({"ja": 1.0, "jb": 1.0}))
            scene.add_coupling("belt", dt.Coupling({"ja": 1.0, "jb": 2.0}, actuation=acting))
        if name == "load":
            scene.add_load("wind", lambda t, state: {})
        kinds[name] = embedded(scene)[2]
    assert kinds == {
        "trajectory": ["trajectory of body 'a'"],
        "motor": ["motor of joint 'ja'", "motor of joint 'jb'"],
        "coupling": ["motor of coupling 'belt'"],
        "load": ["load 'wind'"],
    }


def test_a_mesh_is_stored_once_under_a_key_that_its_document_names():
    scene = dt.Scene()
    cube = dt.Box((1, 1, 1)).surface()
    for k, size in enumerate((1.0, 1.0, 2.0)):
        shape = dt.Mesh(size * cube.vertices, cube.faces)
        scene.add_body(f"b{k}", shape, density=500, position=(3 * k, 0, 0))
    text, meshes, _ = embedded(scene)
    assert len(meshes) == 2 and all(len(key) == 16 and text.count(key) for key in meshes)
    sizes = sorted(float(arrays["vertices"].max()) for arrays in meshes.values())
    assert sizes == [0.5, 1.0]
    for arrays in meshes.values():
        assert [arrays[name].dtype.str for name in ("vertices", "faces", "edges")] == [
            "<f8", "<i4", "<i4",
        ]  # fmt: skip
        assert arrays["vertices"].shape == (8, 3) and arrays["faces"].shape == (12, 3)


def test_a_scene_without_functions_is_not_checked_again(monkeypatch):
    asked = []
    monkeypatch.setattr(
        embedded_scene, "to_document",
        lambda scene, store, checked=False: asked.append(checked) or {},
    )  # fmt: skip
    embedded(whole(functions=False))
    embedded(whole())
    assert asked == [True, False]
