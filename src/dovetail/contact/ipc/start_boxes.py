"""Which bodies are near each other, or near a plane, at the start of a run.

Exact boxes are those of all vertices where they are; of many bodies that costs a second. Boxes of
the bodies' own boxes are larger and cost next to nothing: what they keep apart is not looked at.
"""

import numpy as np

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.collision.intersection.surfaces import exact_coordinates
from dovetail.contact.ipc.start_gaps import StartBody
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array

ROUNDING = 1e-12  # of the coordinates, by which boxes are larger


def loose_boxes(placed: list[StartBody]) -> Array:
    """(n, 6) lower and upper corners [m] of boxes that hold the bodies where they are.

    Raises InputError for bodies beyond the domain of the exact tests.
    """
    if not placed:
        return np.zeros((0, 6))
    x = np.array([one.x for one in placed])
    R = np.array([one.R for one in placed])
    bounds = np.array([one.own_bounds for one in placed])
    middle = x + np.einsum("nij,nj->ni", R, bounds.mean(axis=1))
    half = np.einsum("nij,nj->ni", np.abs(R), 0.5 * (bounds[:, 1] - bounds[:, 0]))
    half += ROUNDING * (np.abs(x) + np.abs(bounds).max(axis=(1, 2))[:, None])
    return exact_coordinates(np.hstack([middle - half, middle + half]))


def near_pairs(placed: list[StartBody], grown: float) -> list[tuple[int, int]]:
    """Pairs k < m, ascending, of bodies whose boxes overlap, each grown by that of its diagonal."""
    loose = loose_boxes(placed)
    involved = np.unique(overlapping_boxes(_grown(loose, grown)))
    boxes = np.array([placed[k].box_world for k in involved.tolist()]).reshape(-1, 6)
    pairs: IndexArray = involved[overlapping_boxes(_grown(boxes, grown))]
    return sorted((k, m) for k, m in pairs.tolist())


def _grown(boxes: Array, part: float) -> Array:
    by = part * np.linalg.norm(boxes[:, 3:] - boxes[:, :3], axis=1, keepdims=True)
    return np.asarray(boxes + np.hstack([-by] * 3 + [by] * 3))


def near_plane(boxes: Array, point: Array, normal: Array, distance: float) -> list[int]:
    """Which of the boxes (n, 6) are not farther than that [m] above a plane."""
    middle, half = (boxes[:, :3] + boxes[:, 3:]) / 2, (boxes[:, 3:] - boxes[:, :3]) / 2
    lowest = (middle - point) @ normal - half @ np.abs(normal)
    error = ROUNDING * (np.abs(boxes).max(axis=1, initial=0.0) + float(np.abs(point).max()))
    near: list[int] = np.flatnonzero(~(lowest - error > distance)).tolist()
    return near
