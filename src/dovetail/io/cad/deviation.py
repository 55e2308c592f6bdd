"""How far the triangles of a CAD kernel are from the faces that they stand for, measured.

Corners lie on the true face. Between them a triangle is farthest at the middle of a side or near
its centroid; a third is added for what lies between these points.
"""

import numpy as np

from dovetail.io.cad.gltf import Node
from dovetail.model.values import Array

MARGIN = 4.0 / 3.0


def measured_deviation(node: Node) -> float:
    """[file units] the largest of all cylinders, spheres, cones and tori; 0 without any."""
    if node.face_of_triangle is None:
        return 0.0
    largest = 0.0
    for k, face in enumerate(node.faces):
        rows = node.triangles[node.face_of_triangle == k]
        if not len(rows) or face.get("type") in (None, "plane"):
            continue
        a, b, c = (node.vertices[rows[:, i]] for i in range(3))
        points = np.concatenate([(a + b) / 2, (b + c) / 2, (c + a) / 2, (a + b + c) / 3])
        off = _distance(face, points)
        if off is not None:
            largest = max(largest, float(np.max(off)))
    return MARGIN * largest


def _distance(face: dict[str, object], points: Array) -> Array | None:
    """Of points from the surface of a face."""
    kind = face["type"]
    centre = np.array(face.get("origin", face.get("center", (0.0, 0.0, 0.0))), dtype=float)
    arm = points - centre
    if kind == "sphere":
        return np.asarray(np.abs(np.linalg.norm(arm, axis=1) - float(face["radius"])))  # type: ignore[arg-type]
    axis = np.array(face.get("axis", (0.0, 0.0, 1.0)), dtype=float)
    axis = axis / np.linalg.norm(axis)
    along = arm @ axis
    radial = np.linalg.norm(arm - along[:, None] * axis, axis=1)
    if kind == "cylinder":
        return np.asarray(np.abs(radial - float(face["radius"])))  # type: ignore[arg-type]
    if kind == "torus" and {"major_radius", "minor_radius"} <= face.keys():
        tube = np.hypot(radial - float(face["major_radius"]), along)  # type: ignore[arg-type]
        return np.asarray(np.abs(tube - float(face["minor_radius"])))  # type: ignore[arg-type]
    return None
