"""Balls against analytic fields: found in one compiled call for all pairs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.sdf.evaluate import NO_SHAPES
from dovetail.contact.penalty.ball_contacts import Balls, ball_contacts
from dovetail.contact.penalty.body import TouchingBody
from dovetail.contact.penalty.contact_set import ContactSet
from dovetail.contact.penalty.pairs import Numbers
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class BallPairs:
    """Which bodies are balls, which have analytic fields, and both as arrays."""

    balls: Balls
    is_ball: Mask  # (n,)
    has_field: Mask  # (n,) of the analytic kind

    def take(
        self, near: NDArray[np.int32], numbers: Numbers, x: Array, R: Array, into: ContactSet
    ) -> Mask:
        """Add the contacts of pairs with a ball; returns which pairs remain, (m,)."""
        i, j = near[:, 0], near[:, 1]
        forward = self.is_ball[i] & self.has_field[j]
        here = forward | (self.is_ball[j] & self.has_field[i])
        if here.any():
            slave, master = np.where(forward, i, j)[here], np.where(forward, j, i)[here]
            into.make_room(len(slave))
            into.count += ball_contacts(
                self.balls, slave, master, numbers[here].astype(np.int32), x, R,
                into.rows, into.count,
            )  # fmt: skip
        return ~here


def balls_among(bodies: list[TouchingBody | None], detection: str) -> BallPairs:
    """Balls of all bodies; none where the method of detection has a field of its own."""
    n = len(bodies)
    radius, centre, first = np.zeros(n), np.zeros((n, 3)), np.zeros(n + 1, np.int32)
    is_ball, has_field = np.zeros((2, n), np.bool_)
    shapes = [NO_SHAPES]
    for i, body in enumerate(bodies):
        if body is not None and detection in ("sdf", "sdf_octree"):
            if body.field is not None and len(body.field.arrays.shapes):
                has_field[i] = True
                shapes.append(body.field.arrays.shapes)
            if body.round and body.probes is not None and len(body.probes.points) == 1:
                is_ball[i] = True
                radius[i], centre[i] = body.probes.reach[0], body.probes.points[0]
        first[i + 1] = first[i] + (len(shapes[-1]) if has_field[i] else 0)
    rows = Balls(
        read_only(radius), read_only(centre), read_only(np.concatenate(shapes)),
        read_only(first, np.int32),
    )  # fmt: skip
    return BallPairs(rows, is_ball, has_field)
