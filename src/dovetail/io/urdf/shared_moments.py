r"""Moments of inertia that no body has, shared with the links that carry it.

A body's second moments J = 1/2 tr(I) 1 - I are positive semidefinite: none of its moments I is
larger than the sum of the other two. Some files have links whose J is not, such as a finger that
is given the inertia of a rotor besides its own. Part of the second moments of a link may be counted
with the link that carries it, without any change of the motion:

- along the axis n of a rotation. I gains d (1 - n n^T), and d |omega|^2 - d (n . omega)^2 is the
  same for both links, since their angular velocities differ along n only, and n is fixed in both;
- in any direction of a translation, where their angular velocities are the same.

What the ground carries needs none back. Torques of joints across their axes are those of the links
with shared moments.
"""

import numpy as np

from dovetail.io.link_trees.link import Link
from dovetail.model.values import Array

MARGIN = 1e-9  # of the largest second moment, by which the smallest is above 0


def share_moments(tree: list[Link], roots: list[int | None], wrong: list[int]) -> list[int]:
    """Let links `wrong` have the moments of bodies; those that cannot, whose moments stay.

    `roots` are the moving links that each link is held by, None for the ground. A link that lends
    what it does not have borrows from the one that carries it in turn.
    """
    left = []
    for own in sorted(wrong, reverse=True):
        lent: dict[int, Array] = {}
        if _borrow(tree, roots, own, lent):
            for i, inertia in lent.items():
                tree[i].inertia = inertia
        else:
            left.append(own)
    return sorted(left)


def _borrow(
    tree: list[Link], roots: list[int | None], own: int, lent: dict[int, Array]
) -> bool:  # fmt: skip
    """Make link `own` a body by what its carriers lend; their new moments are in `lent`."""
    at: int | None = own
    owed = np.zeros((3, 3))  # second moments that `at` has lent, in world axes
    while at is not None:
        link = tree[at]
        to_world = link.rotation
        J = to_world @ second_moments(link.inertia) @ to_world.T - owed
        size = max(float(np.abs(J).max()), float(np.abs(owed).max()))
        more = np.zeros((3, 3))
        if np.linalg.eigvalsh(J)[0] <= 0.0:
            found = _along(link, J, size)
            if found is None:
                return False
            more = found
        mine = to_world.T @ (J + more) @ to_world
        lent[at] = np.trace(mine) * np.eye(3) - mine
        if not more.any():
            return True
        owed = more
        at = None if link.parent is None else roots[link.parent]
    return True


def _along(link: Link, J: Array, size: float) -> Array | None:
    """The least second moments (3, 3) that make J positive, of those that can be shared."""
    if len(link.movements) != 1:
        return None
    movement = link.movements[0]
    if movement.kind == "translation":
        values, axes = np.linalg.eigh(J)
        lacking = np.maximum(MARGIN * size - values, 0.0)
        return np.asarray(axes @ np.diag(lacking) @ axes.T)
    if movement.kind != "rotation":
        return None
    values, axes = np.linalg.eigh(J)
    if not values[1] > 0.0:  # one direction gives one positive moment
        return None
    n = movement.axis / np.linalg.norm(movement.axis)
    slope = float(n @ axes @ ((axes.T @ n) / np.where(values == 0.0, MARGIN * size, values)))
    if not slope < 0.0:
        return None
    # det(J + d n n^T) = det(J) (1 + d n^T J^-1 n)
    return np.asarray((1.0 + MARGIN) / -slope * np.outer(n, n))


def second_moments(inertia: Array) -> Array:
    """J (3, 3) of moments of inertia."""
    return np.asarray(0.5 * np.trace(inertia) * np.eye(3) - inertia)
