"""The same scene with other shapes: finer triangles, solids in place of half-spaces."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from dovetail.model.frozen import Model
from dovetail.model.scene import Scene
from dovetail.model.shapes import HalfSpace, Mesh
from dovetail.model.values import Array
from dovetail.prove.surfaces.examined import examined
from dovetail.prove.surfaces.tessellation import refined


def tessellated(model: Model) -> bool:
    """Whether triangles stand for something else in any of the bodies."""
    return any(examined(body).margin.outside > 0.0 for body in model.bodies)


def refined_scene(scene: Scene, factor: int) -> Scene:
    """A copy with `factor` times the segments of round shapes."""
    return with_shapes(scene, lambda name, shape: refined(shape, factor))


def with_shapes(
    scene: Scene,
    shape_of: Callable[[str, Any], Any],
    joint_kept: Callable[[str], bool] = lambda name: True,
    moving: frozenset[str] = frozenset(),
) -> Scene:
    """A copy with other shapes and fewer joints; bodies of `moving` are dynamic in it."""
    made = Scene(scene.gravity)
    for name, body in scene.bodies.items():
        given = {field.name: getattr(body.given, field.name) for field in fields(body.given)}
        given["shape"] = shape_of(name, given["shape"])
        if name in moving:
            given["motion"] = "dynamic"
            if given["density"] is None and given["mass"] is None:
                given["density"] = 1000.0  # a motion without forces does not depend on it
        made.add_body(**given)
    for name, (joint, body_a, body_b) in scene.joints.items():
        if joint_kept(name):
            made.add_joint(name, joint, body_a, body_b)
    for name, coupling in scene.couplings.items():
        terms = coupling.terms if isinstance(coupling.terms, dict) else {}
        if all(joint_kept(key[0] if isinstance(key, tuple) else key) for key in terms):
            made.add_coupling(name, coupling)
    for a, b in scene.excluded_contacts:
        made.exclude_contact(a, b)
    return made


def with_solid_half_spaces(scene: Scene, model: Model, reach: float) -> Scene:
    """A copy with a block in place of each half-space, larger than anything can get to.

    Points then have the same distance from it as from the half-space. `reach` [m]: how far joints
    can carry bodies by translation; rotations keep them within a few times the extent.
    """
    if not any(isinstance(body.shape, HalfSpace) for body in model.bodies):
        return scene
    points = [np.asarray(placed.joint.point, float) for placed in model.joints]
    for x, R, body in zip(model.position, model.rotation, model.bodies, strict=True):
        points.append(x)
        if not isinstance(body.shape, HalfSpace) and len(body.surface.vertices):
            points += list(body.surface.vertices @ R.T + x)
    extent = float(np.ptp(np.array(points), axis=0).sum()) or 1.0
    size = 4.0 * (len(model.joints) + 1) * extent + 4.0 * reach

    def solid(name: str, shape: Any) -> Any:
        return _block(shape.unit_normal, size) if isinstance(shape, HalfSpace) else shape

    return with_shapes(scene, solid)


def _block(normal: Array, size: float) -> Mesh:
    """Below the plane through the origin."""
    across = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    across /= np.linalg.norm(across)
    along = np.cross(normal, across)
    square = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    top = [size * (a * across + b * along) for a, b in square]
    vertices = np.array([*top, *(corner - size * normal for corner in top)])
    faces = [(0, 1, 2), (0, 2, 3), (6, 5, 4), (7, 6, 4)]
    for i in range(4):
        j = (i + 1) % 4
        faces += [(i, i + 4, j + 4), (i, j + 4, j)]
    return Mesh(vertices, faces)
