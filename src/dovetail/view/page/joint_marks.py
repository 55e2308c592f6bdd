"""Where joints are and along what, in the frame of a body that carries them."""

from typing import Any

import numpy as np

from dovetail.results import Result


def joint_marks(result: Result) -> list[dict[str, Any]]:
    """Name, kind, carrying body (-1: the ground), point [m] and unit axes of each joint."""
    marks = []
    scene, names = result.scene, list(result.names)
    for name, (joint, body_a, body_b) in scene.joints.items():
        carrier = body_a if body_a in names else body_b
        rotation, position = np.eye(3), np.zeros(3)
        index = -1
        if carrier in names:
            index = names.index(carrier)
            body = scene.bodies[carrier]
            rotation, position = body.rotation, body.position
        axes = [joint.axis, getattr(joint, "axis2", None)][: joint.axes]
        directions = [np.asarray(axis, dtype=float) for axis in axes if axis is not None]
        marks.append(
            {
                "name": name,
                "kind": joint.kind,
                "body": index,
                "point": (rotation.T @ (np.asarray(joint.point, float) - position)).tolist(),
                "axes": [(rotation.T @ (d / np.linalg.norm(d))).tolist() for d in directions],
            }
        )
    return marks
