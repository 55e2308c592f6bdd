"""What a picture must show: all that moves, but neither endless floors nor what has flown away."""

import numpy as np

from dovetail.model.values import Array
from dovetail.results import Result
from dovetail.view.skeleton import skeletons

LARGE = 1.6  # times the space of what moves: a static body beyond that may be cut off
FAR = 1.5  # times the first picture's diagonal from its middle: flown away
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


def _without_flown(boxes: Array) -> Array:
    """Corners of moving bodies; a minority that leaves the scene is let go."""
    start = boxes[0].reshape(-1, 3)
    middle = (start.min(axis=0) + start.max(axis=0)) / 2
    away = np.linalg.norm(boxes.mean(axis=2) - middle, axis=2) > FAR * _diagonal(start)
    leaving = away.any(axis=0)
    if leaving.sum() > boxes.shape[1] / 2:
        return boxes.reshape(-1, 3)
    return np.asarray(boxes[~away]).reshape(-1, 3)


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
