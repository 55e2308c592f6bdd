"""The same scene with finer triangles for its round shapes."""

from dataclasses import fields

from dovetail.model.frozen import Model
from dovetail.model.scene import Scene
from dovetail.prove.tessellation import deviation_of, refined


def tessellated(model: Model) -> bool:
    """Whether triangles stand for something else in any of the bodies."""
    return any(deviation_of(body.shape) > 0.0 for body in model.bodies)


def refined_scene(scene: Scene, factor: int) -> Scene:
    """A copy with `factor` times the segments of round shapes; joints as they are."""
    finer = Scene(scene.gravity)
    for body in scene.bodies.values():
        given = {field.name: getattr(body.given, field.name) for field in fields(body.given)}
        given["shape"] = refined(given["shape"], factor)
        finer.add_body(**given)
    for name, (joint, body_a, body_b) in scene.joints.items():
        finer.add_joint(name, joint, body_a, body_b)
    return finer
