"""What represents a body without a surface: its axes, and lines to its joints."""

from dataclasses import dataclass

import numpy as np

from dovetail.model.values import Array
from dovetail.results import Result
from dovetail.view.appearance import body_colours

AXES = 0.06  # of the size of the mechanism
AXIS_COLOURS = np.array([(0.80, 0.20, 0.20), (0.20, 0.60, 0.25), (0.20, 0.35, 0.80)])


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Lines that ride on one body."""

    body: int
    lines: Array  # (n, 2, 3) [m] in the body's frame
    colours: Array  # (n, 3)


def skeletons(result: Result) -> list[Skeleton]:
    """One for each body without a surface: lines to its joints, then its three axes."""
    bodies = [result.scene.bodies[name] for name in result.names]
    bare = [i for i, body in enumerate(bodies) if not len(body.vertices)]
    if not bare:
        return []
    arms = {i: _arms(result, i) for i in bare}
    length = AXES * _size(result, arms)
    axes = np.stack([np.zeros((3, 3)), length * np.eye(3)], axis=1)
    colours = body_colours(result)
    return [
        Skeleton(
            i,
            np.concatenate([arms[i], axes]),
            np.concatenate([np.tile(colours[i], (len(arms[i]), 1)), AXIS_COLOURS]),
        )
        for i in bare
    ]


def _arms(result: Result, number: int) -> Array:
    """(joints, 2, 3) from the centre of mass to each joint of a body."""
    name = result.names[number]
    body = result.scene.bodies[name]
    ends = [
        body.rotation.T @ (np.asarray(joint.point, float) - body.position)
        for joint, body_a, body_b in result.scene.joints.values()
        if name in (body_a, body_b)
    ]
    return np.array([(np.zeros(3), end) for end in ends]).reshape(-1, 2, 3)


def _size(result: Result, arms: dict[int, Array]) -> float:
    """[m] of the space that the bodies move in, their arms counted."""
    x = np.asarray(result.stored.column("position")).reshape(-1, 3)
    reach = max(
        (float(np.linalg.norm(a, axis=2).max()) for a in arms.values() if len(a)), default=0
    )
    size = float(np.linalg.norm(np.ptp(x, axis=0))) + 2 * reach
    return size if size > 0 else 1.0
