"""Quaternions whose numbers are probably in the order x, y, z, w."""

import numpy as np

from dovetail.model.values import Array, quote, shape_of
from dovetail.scene_check.finding import Finding, merged
from dovetail.scene_check.placed_body import PlacedBody

SMALL = 1e-6


def find_swapped_quaternions(bodies: list[PlacedBody]) -> list[Finding]:
    """Half turns that are no turn, or a turn about y or z, in the other order.

    (0, 0, 0, 1) is the identity as x, y, z, w; (0, y, z, w) with w and another not 0 is a half turn
    about an oblique axis as w, x, y, z, which is rare, and a turn about y or z in the other order.
    """
    found = []
    for body in bodies:
        if body.given.rotation is None or shape_of(body.given.rotation) != (4,):
            continue
        q = np.asarray(body.given.rotation, dtype=float)
        oblique = np.count_nonzero(np.abs(q[1:]) > SMALL) > 1
        identity = bool(abs(q[3]) > 1 - SMALL)
        if abs(q[0]) > SMALL or abs(q[3]) <= SMALL or not (oblique or identity):
            continue
        found.append(
            Finding(
                "warning",
                "rotation",
                (body.name,),
                f"`rotation` {quote(tuple(q.tolist()))} of body {quote(body.name)} is a half turn "
                f"about {quote(_rounded(q[1:]))}: quaternions are (w, x, y, z) here; if x, y, z, w "
                f"was meant, give {quote(_rounded(np.roll(q, 1)))}",
            )
        )
    return [merged(found[0], [one.subject[0] for one in found])] if found else []


def _rounded(values: Array) -> tuple[float, ...]:
    return tuple(float(f"{value:.6g}") for value in values.tolist())
