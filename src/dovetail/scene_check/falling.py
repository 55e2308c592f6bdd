"""Bodies that gravity pulls past everything that could hold them."""

from collections.abc import Collection

import numpy as np

from dovetail.model.shapes import HalfSpace
from dovetail.model.values import Array, quote
from dovetail.scene_check.finding import Finding
from dovetail.scene_check.placed_body import PlacedBody


def find_nothing_below(
    bodies: list[PlacedBody], gravity: Array, n_loads: int, joined: Collection[str]
) -> list[Finding]:
    """In a run with contact: bodies at rest, none of which has a held one below it.

    Boxes are compared in a frame whose last axis is gravity's. Bodies that joints connect or that
    start with a velocity may be meant to go elsewhere.
    """
    solid = [body for body in bodies if body.has_surface or body.unbounded]
    moving = [body for body in solid if body.moves]
    held = [body for body in solid if not body.moves]
    started = any(
        body.body.velocity.any() or body.body.angular_velocity.any() or body.name in joined
        for body in bodies
    )
    if len(solid) < 2 or not moving or not gravity.any() or started or n_loads:
        return []
    if not held:
        return [
            Finding(
                "warning",
                "gravity",
                (moving[0].name,),
                "all bodies fall side by side for ever: none is held; give the floor "
                "motion='static', or leave gravity out",
            )
        ]
    if any(body.body.motion == "kinematic" for body in held):
        return []
    if any(_is_below(other, body, gravity) for body in moving for other in held):
        return []
    return [
        Finding(
            "warning",
            "gravity",
            (moving[0].name, held[0].name),
            f"gravity {quote(gravity.tolist())} m/s^2 pulls every body past the static ones: none "
            f"of them, such as {quote(held[0].name)}, lies where {quote(moving[0].name)} falls; "
            "check the direction of gravity and the positions",
        )
    ]


def _is_below(other: PlacedBody, body: PlacedBody, gravity: Array) -> bool:
    """Whether the shadow of `body` along gravity meets the box of `other`."""
    if other.unbounded:
        shape = other.body.shape
        assert isinstance(shape, HalfSpace)
        return float((other.body.rotation @ shape.unit_normal) @ gravity) < 0
    frame = _frame(gravity / np.linalg.norm(gravity))
    lower, upper = _bounds(other.bounds, frame)
    lower_own, upper_own = _bounds(body.bounds, frame)
    beside = np.any(lower[:2] > upper_own[:2]) or np.any(upper[:2] < lower_own[:2])
    return not beside and bool(upper[2] > lower_own[2])


def _frame(down: Array) -> Array:
    """(3, 3) Rows: two directions across, and down."""
    across = np.eye(3)[int(np.argmin(np.abs(down)))]
    first = np.cross(down, across)
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(down, first), down])


def _bounds(box: Array, frame: Array) -> tuple[Array, Array]:
    """Of a box (6,) in world axes: the least and largest coordinates of its corners in a frame."""
    middle, half = (box[:3] + box[3:]) / 2, (box[3:] - box[:3]) / 2
    centre, reach = frame @ middle, np.abs(frame) @ half
    return centre - reach, centre + reach
