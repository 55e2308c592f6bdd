"""A scene as the text and arrays that a result file carries."""

import hashlib
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np

from dovetail.io import to_document
from dovetail.model.couplings import Coupling
from dovetail.model.joints import Joint
from dovetail.model.loads import ConstantForce, FunctionLoad
from dovetail.model.scene import Scene
from dovetail.model.values import quote
from dovetail.results.header import MeshArrays
from dovetail.simulate.fingerprint import canonical


def embedded_scene(scene: Scene) -> tuple[str, dict[str, MeshArrays], list[str]]:
    """The scene's document as JSON text, its meshes by key, and what no file can keep."""
    meshes: dict[str, MeshArrays] = {}

    def store(vertices: Any, faces: Any, edges: Any) -> str:
        arrays = {
            "vertices": np.ascontiguousarray(vertices, "<f8"),
            "faces": np.ascontiguousarray(faces, "<i4"),
            "edges": np.ascontiguousarray(edges, "<i4"),
        }
        key = hashlib.sha256(b"".join(array.tobytes() for array in arrays.values())).hexdigest()
        meshes[key[:16]] = arrays
        return key[:16]

    if not _has_functions(scene):  # a run has checked it already
        return canonical(to_document(scene, store, checked=True)), meshes, []
    plain, left_out = _without_functions(scene)
    return canonical(to_document(plain, store)), meshes, left_out


def _has_functions(scene: Scene) -> bool:
    return (
        any(body.given.moves_by_function for body in scene.bodies.values())
        or any(
            _without_motor_functions(joint) is not joint for joint, _, _ in scene.joints.values()
        )
        or any(_acts_by_function(coupling) for coupling in scene.couplings.values())
        or any(isinstance(load, FunctionLoad) for load in scene.loads.values())
    )


def _acts_by_function(coupling: Coupling) -> bool:
    return coupling.actuation is not None and bool(coupling.actuation.motor_is_function)


def _without_functions(scene: Scene) -> tuple[Scene, list[str]]:
    """The same scene without the Python functions it holds, and the names of those."""
    plain, left_out = Scene(scene.gravity), []
    for body in scene.bodies.values():
        given = {field.name: getattr(body.given, field.name) for field in fields(body.given)}
        if body.given.moves_by_function:
            left_out.append(f"trajectory of body {quote(body.name)}")
            given["trajectory"] = None
        plain.add_body(**given)
    for name, (joint, body_a, body_b) in scene.joints.items():
        bare = _without_motor_functions(joint)
        if bare is not joint:
            left_out.append(f"motor of joint {quote(name)}")
        plain.add_joint(name, bare, body_a, body_b)
    for name, coupling in scene.couplings.items():
        if _acts_by_function(coupling):
            left_out.append(f"motor of coupling {quote(name)}")
            idle = replace(coupling.actuation, motor=None)
            plain.add_coupling(name, replace(coupling, actuation=idle))
        else:
            plain.add_coupling(name, coupling)
    for name, load in scene.loads.items():
        if isinstance(load, FunctionLoad):
            left_out.append(f"load {quote(name)}")
        elif isinstance(load, ConstantForce):
            plain.add_force(name, **asdict(load))
        else:
            plain.add_spring(name, **asdict(load))
    for pair in scene.materials:
        plain.add_material_pair(**asdict(pair))
    for pair_of_bodies in scene.excluded_contacts:
        plain.exclude_contact(*pair_of_bodies)
    return plain, left_out


def _without_motor_functions(joint: Joint) -> Joint:
    if not any(entry.motor_is_function for entry in joint.actuation):
        return joint
    bare = tuple(
        replace(entry, motor=None) if entry.motor_is_function else entry
        for entry in joint.actuation
    )
    return replace(joint, actuation=bare)
