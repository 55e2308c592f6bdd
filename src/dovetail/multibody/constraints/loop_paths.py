"""Which rows of loops the joints of the spanning tree imply: the paths that close them."""

from dovetail.model.values import Array
from dovetail.multibody.constraints.implied_rows import JointGroups
from dovetail.multibody.constraints.row import Row
from dovetail.runtime.records import Int64Array

Pair = tuple[int, int]
Hung = dict[int, tuple[Pair, int]]  # the link of a body to the one above it


def not_implied(
    groups: list[list[int]], ordered: list[Row], above: Int64Array, hung: Hung, moves: Array,
    motions: JointGroups,
) -> list[list[int]]:  # fmt: skip
    """The groups of loop rows, numbers in `ordered`, without those that the tree implies.

    `above` (n,) is the body above each in the tree, `moves` (n,) whether forces move it.
    """
    kept = []
    for group in groups:
        joints = _path(ordered[group[0]], above, hung, moves, motions)
        rows = [ordered[r] for r in group]
        implied = set() if joints is None else {id(row) for row in motions.implied(rows, joints)}
        kept.append([r for r in group if id(ordered[r]) not in implied])
    return [group for group in kept if group]


def _path(
    row: Row, above: Int64Array, hung: Hung, moves: Array, motions: JointGroups
) -> list[int] | None:
    """Joints of the tree between the two bodies of a row; None where other things move them."""
    if len(row.bodies) != 2:
        return None
    sides = [_to_the_root(end, above) if end >= 0 and moves[end] else [] for end in row.bodies]
    meet = False
    while all(sides) and sides[0][-1] == sides[1][-1]:
        meet = True
        for side in sides:
            side.pop()
    if any(body not in hung for side in sides for body in side):
        return None
    if not meet:
        ends = zip(sides, row.bodies, strict=True)
        fixed = {
            motions.frame_of(end, hung[side[-1]][1], side[-1]) if side else motions.frame_of(end)
            for side, end in ends
        }
        if len(fixed) > 1:
            return None
    return [hung[body][1] for side in sides for body in side]


def _to_the_root(body: int, above: Int64Array) -> list[int]:
    """A body and all above it."""
    side = [body]
    while above[side[-1]] >= 0:
        side.append(int(above[side[-1]]))
    return side
