"""What contact sees of a body, for the player: oriented boxes, octrees, distance fields."""

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.broad_phase.obb import tight_box
from dovetail.contact.penalty.collision_body import CollisionBody, collision_body
from dovetail.errors import InputError
from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes import HalfSpace
from dovetail.model.values import Array
from dovetail.view.page.packing import pack
from dovetail.view.page.recording import Recording

KINDS = ("collision", "obb", "octree", "sdf")  # the first needs no more than the surface
FIELD_CELLS = 64  # of the field that is built for the picture, along the longest side
SAMPLES = 48  # of the picture, along each side
MARGIN = 0.15  # of the body's box, around it


def overlay(recording: Recording, kind: str, shape: int, compress: bool = False) -> bytes:
    """One overlay of one shape, packed; boxes come for all shapes at once."""
    if kind not in KINDS[1:] or not 0 <= shape < max(len(recording.surfaces), 1):
        raise InputError(f"there is no overlay {kind!r} of shape {shape}")
    if kind == "obb":
        return pack({}, _boxes(recording), compress)
    body = collision_body(_body_with(recording, shape), FIELD_CELLS)
    if kind == "octree":
        return _octree(body, compress)
    return _field(body, recording, shape, compress)


def _body_with(recording: Recording, shape: int) -> CheckedBody:
    name = recording.result.names[recording.shape_of.index(shape)]
    return recording.result.scene.bodies[name].checked


def _boxes(recording: Recording) -> dict[str, NDArray[np.float32]]:
    """(12,) a shape: centre, then three half axes; none for half-spaces, which have no end."""
    found = {}
    for shape, surface in enumerate(recording.surfaces):
        if isinstance(_body_with(recording, shape).shape, HalfSpace):
            continue
        box = tight_box(surface.vertices)
        found[str(shape)] = _row(box.centre, box.axes * np.asarray(box.half))
    return found


def _row(centre: Array, half_axes: Array) -> NDArray[np.float32]:
    return np.concatenate([centre, half_axes.T.ravel()]).astype("<f4")


def _octree(body: CollisionBody | None, compress: bool) -> bytes:
    """Boxes of the nodes with their level, and the points probed for contact."""
    if body is None or body.octree is None:
        empty = np.zeros(0, "<f4")
        return pack(
            {"deepest": 0},
            {"boxes": empty, "level": empty.astype("<i4"), "points": empty},
            compress,
        )
    tree = body.octree.tree
    rows, levels = [], []
    open_until: list[int] = []  # `after` of the nodes around the present one
    for node in range(len(tree.after)):
        while open_until and open_until[-1] <= node:
            open_until.pop()
        levels.append(len(open_until))
        open_until.append(int(tree.after[node]))
        within = slice(int(tree.start[node]), int(tree.end[node]))
        reach = tree.reach[within][:, None]
        low = (tree.points[within] - reach).min(axis=0)
        high = (tree.points[within] + reach).max(axis=0)
        rows.append(_row((low + high) / 2, np.diag((high - low) / 2)))
    arrays = {
        "boxes": np.concatenate(rows),
        "level": np.array(levels, "<i4"),
        "points": np.asarray(tree.points, "<f4"),
    }
    return pack({"deepest": max(levels)}, arrays, compress)


def _field(body: CollisionBody | None, recording: Recording, shape: int, compress: bool) -> bytes:
    """The field [m] on a grid around the body; no values where it has none (wires, points)."""
    if body is None or body.field is None:
        return pack({}, {}, compress)
    lower, upper = recording.surfaces[shape].bounds
    margin = MARGIN * float(np.max(upper - lower))
    low, high = lower - margin, upper + margin
    axes = [np.linspace(low[d], high[d], SAMPLES) for d in range(3)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    values = body.field.value(points).astype("<f4")
    header = {"lower": low.tolist(), "upper": high.tolist(), "counts": [SAMPLES] * 3}
    return pack(header, {"values": values}, compress)
