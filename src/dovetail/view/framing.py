"""What a picture must show.

A printed picture (`seen_corners`) leaves large floors out. The player's first view and its
"see all" (`view_points`) show every part, static ones too, but neither half-spaces, which have no
end, nor the later path of bodies that fly away.
"""

import numpy as np

from dovetail.model.shapes import HalfSpace
from dovetail.model.values import Array
from dovetail.results import Result
from dovetail.view.skeleton import skeletons

LARGE = 1.6  # times the space of what moves: a static body beyond that may be cut off
FAR = 1.5  # times the first picture's diagonal from its middle: flown away
NEAR = 0.75  # of that diagonal: where a body that flies away is last shown
DIRECTIONS = 400  # in which the farthest points are kept
PRODUCTS = 2_000_000  # of points and directions at a time: 16 MB
VIEW_FRAMES = 48  # of the run, at equal distances
CORNERS = np.array([[i & 1, (i >> 1) & 1, (i >> 2) & 1] for i in range(8)])


def seen_corners(result: Result, frames: list[int]) -> Array:
    """(n, 3) [m] world points that `frames` must show."""
    boxes = _boxes(result, frames)  # (frames, bodies, 8, 3)
    static = np.array([result.scene.bodies[n].motion == "static" for n in result.names])
    if static.all():
        return boxes.reshape(-1, 3)
    kept = _without_flown(boxes[:, ~static])
    diagonal = _diagonal(kept)
    for number in np.flatnonzero(static):
        if _diagonal(boxes[0, number]) <= LARGE * diagonal:
            kept = np.concatenate([kept, boxes[:, number].reshape(-1, 3)])
    return kept


def view_points(result: Result) -> tuple[Array, Array]:
    """(n, 3) [m] points around all parts over the run, and around those that move.

    They are the farthest in many directions of the corners of all bodies' boxes, so that a
    camera that sees them sees everything.
    """
    frames = np.unique(np.linspace(0, len(result.time) - 1, VIEW_FRAMES).round().astype(int))
    boxes = _boxes(result, frames.tolist())
    bodies = [result.scene.bodies[name] for name in result.names]
    static = np.array([body.motion == "static" for body in bodies])
    endless = np.array([isinstance(body.checked.shape, HalfSpace) for body in bodies])
    if endless.all():
        endless[:] = False
    start = boxes[0, ~endless].reshape(-1, 3)  # nothing is missing in the first picture
    moving = np.zeros((0, 3)) if static.all() else _without_flown(boxes[:, ~static])
    everything = farthest(np.concatenate([start, moving]))
    return everything, farthest(moving) if len(moving) else everything


def farthest(points: Array) -> Array:
    """Those of (n, 3) points that are farthest in some direction."""
    i = np.arange(DIRECTIONS) + 0.5  # Fibonacci's lattice on the sphere
    z, angle = 1 - 2 * i / DIRECTIONS, np.pi * (1 + 5**0.5) * i
    r = np.sqrt(1 - z * z)
    directions = np.column_stack([r * np.cos(angle), r * np.sin(angle), z])
    few = min(max(PRODUCTS // len(points), 1), 20)
    parts = (directions[k : k + few] for k in range(0, DIRECTIONS, few))
    found = [np.argmax(points @ part.T, axis=0) for part in parts]
    return np.asarray(points[np.unique(np.concatenate(found))])


def _without_flown(boxes: Array) -> Array:
    """Corners of moving bodies; a minority that leaves the scene is let go where it sets out."""
    start = boxes[0].reshape(-1, 3)
    middle = (start.min(axis=0) + start.max(axis=0)) / 2
    distance = np.linalg.norm(boxes.mean(axis=2) - middle, axis=2) / _diagonal(start)
    leaving = (distance > FAR).any(axis=0)
    if leaving.sum() > boxes.shape[1] / 2:
        return boxes.reshape(-1, 3)
    return np.asarray(boxes[~leaving | (distance < NEAR)]).reshape(-1, 3)


def _diagonal(points: Array) -> float:
    return float(np.linalg.norm(np.ptp(points.reshape(-1, 3), axis=0)))


def _boxes(result: Result, frames: list[int]) -> Array:
    """Corners of every body's box; without a surface, of what represents it."""
    lines = {one.body: one.lines.reshape(-1, 3) for one in skeletons(result)}
    x, R = (np.asarray(result.stored.column(path))[frames] for path in ("position", "rotation"))
    boxes = np.zeros((len(frames), len(result.names), 8, 3))
    for number, name in enumerate(result.names):
        points = lines.get(number, result.scene.bodies[name].vertices)
        local = np.where(CORNERS, points.max(axis=0), points.min(axis=0))
        boxes[:, number] = local @ np.swapaxes(R[:, number], 1, 2) + x[:, number, None]
    return boxes
