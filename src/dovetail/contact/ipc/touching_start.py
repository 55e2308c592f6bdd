"""Bodies that touch at the start without crossing are opened by next to nothing.

A barrier acts between bodies that have a gap. Scenes are often drawn with none: a box on a floor,
both at z = 0; or with one of rounding, in which forces are not known to the digits that friction
needs. Where bodies meet at the start, or have less than TOUCHING of the smaller one's size between
them, one of each pair is moved by OPENED of it along a normal of a triangle or plane that meets the
other, if they are free of each other then. What cannot be opened so does cross, or lies in a fit
that is as narrow, and stays where it is.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.tree import PairBuffer
from dovetail.collision.intersection.surfaces import intersecting_pairs
from dovetail.contact.ipc.start_gaps import StartBody, round_gap
from dovetail.contact.ipc.start_rings import circle_gap
from dovetail.model.values import Array

OPENED = 1e-6  # of the diagonal of the smaller body
TOUCHING = 1e-7  # of it: bodies that are nearer touch
CROSSED = 5e-10  # of it: by so much what touches may cross a plane or what is round
MAX_ROUNDS = 4  # per body: a stack moves layer by layer
MAX_NORMALS = 24
MAX_LAYERS = 64  # of a stack


def open_touching(
    placed: dict[int, StartBody],
    meeting: list[tuple[int, int]],
    planes: list[tuple[int, Array, Array]],
    movable: Iterable[int],
    dmin: float,
) -> dict[int, Array]:
    """Displacements [m] by body that open what touches; `placed` is moved as well.

    `meeting` are pairs of bodies that may touch and whose boxes overlap, `planes` triples (body,
    point, normal): half-spaces that it may touch.
    """
    moved: dict[int, Array] = {}
    can_move, buffer, stuck = set(movable), PairBuffer(), set()
    standing = {
        i
        for i, point, normal in planes
        if np.min(placed[i].heights(point, normal)) - dmin < 2.0 * TOUCHING * _diagonal(placed[i])
    }
    depth = _depths(placed, meeting, standing & can_move, can_move)

    def push(i: int, by: Array) -> None:
        """Move a body; back, and for good, where others would have it move back."""
        before = moved.pop(i, np.zeros(3))
        if before @ by < 0.0:
            can_move.discard(i)
            by = -before
        else:
            moved[i] = before + by
        placed[i] = replace(placed[i], x=placed[i].x + by)

    for _ in range(MAX_ROUNDS * (len(placed) + 1)):
        changed = False
        for i, point, normal in planes:
            lowest = float(np.min(placed[i].heights(point, normal))) - dmin
            size = _diagonal(placed[i])
            if i in can_move and -CROSSED * size < lowest < TOUCHING * size:
                push(i, OPENED * _diagonal(placed[i]) * normal)
                changed = True
        for i, j in meeting:
            crossed = sum(float(np.linalg.norm(moved[k])) for k in (i, j) if k in moved)
            if _open_ring(placed, i, j, dmin, can_move, depth, push):
                changed = True
                continue
            if placed[i].is_round or placed[j].is_round:
                changed |= _open_round(placed, i, j, dmin, crossed, can_move, depth, push)
                continue
            if (i, j) in stuck or not len(_meeting_pairs(placed[i], placed[j], buffer)):
                continue
            choice = [k for k in (i, j) if k in can_move]
            if not choice:
                continue
            one = max(choice, key=lambda k: (depth[k], k))
            other = j if one == i else i
            by = _opening(placed[one], placed[other], dmin, len(placed), crossed, buffer)
            if by is None:
                stuck.add((i, j))
            else:
                push(one, by)
                changed = True
        if not changed:
            break
    return moved


def _open_round(
    placed: dict[int, StartBody],
    i: int,
    j: int,
    dmin: float,
    crossed: float,
    can_move: set[int],
    depth: dict[int, int],
    push: Callable[[int, Array], None],
) -> bool:
    """Open two bodies of which one is round, where they touch; whether one was moved.

    They may cross by `crossed` [m], by which they were moved before.
    """
    smaller = min(_diagonal(placed[i]), _diagonal(placed[j]))
    size, near = OPENED * smaller, TOUCHING * smaller
    gap, normal = round_gap(placed[i], placed[j], dmin + size + crossed, crossed)
    choice = [k for k in (i, j) if k in can_move]
    if not choice or not -CROSSED * smaller - crossed < gap - dmin < near:
        return False
    one = max(choice, key=lambda k: (depth[k], k))
    away = size - (gap - dmin)
    push(one, (away if one == i else -away) * normal)
    return True


def _open_ring(
    placed: dict[int, StartBody],
    i: int,
    j: int,
    dmin: float,
    can_move: set[int],
    depth: dict[int, int],
    push: Callable[[int, Array], None],
) -> bool:
    """Open a ring whose circle has no gap from a face on which it rolls; whether one was moved.

    Where its polyhedron touches it is moved by as much as the ring lies outside of that.
    """
    ring, other = (i, j) if placed[i].is_ring else (j, i)
    if not placed[ring].is_ring or placed[other].is_ring or placed[other].is_round:
        return False
    smaller = min(_diagonal(placed[i]), _diagonal(placed[j]))
    gap, normal = circle_gap(placed[ring], placed[other])
    choice = [k for k in (i, j) if k in can_move]
    if not choice or not gap - dmin < TOUCHING * smaller:
        return False
    one = max(choice, key=lambda k: (depth[k], k))
    away = OPENED * smaller - (gap - dmin)
    push(one, (away if one == ring else -away) * normal)
    return True


def _depths(
    placed: dict[int, StartBody],
    meeting: list[tuple[int, int]],
    on_planes: set[int],
    can_move: set[int],
) -> dict[int, int]:
    """How many bodies lie between each one and what cannot move."""
    depth = {i: 0 if i not in can_move else (1 if i in on_planes else len(placed)) for i in placed}
    for _ in placed:
        for i, j in meeting:
            depth[i] = min(depth[i], depth[j] + 1)
            depth[j] = min(depth[j], depth[i] + 1)
    return depth


def _opening(
    one: StartBody, other: StartBody, dmin: float, layers: int, crossed: float, buffer: PairBuffer
) -> Array | None:
    """[m] by which `one` is moved to be free of `other`; None where nothing so small is enough.

    In a stack what is below may have moved by so many `layers` already, and a large body below a
    small one by more than that: by `crossed` [m] in all.
    """
    size = OPENED * min(_diagonal(one), _diagonal(other))
    pairs = _meeting_pairs(one, other, buffer)[:MAX_NORMALS]
    normals = _normals(one, pairs[:, 0]) + _normals(other, pairs[:, 1])
    lengths = [count * size for count in range(1, min(layers, MAX_LAYERS) + 2)]
    if crossed > 0.0:
        lengths.append(crossed + size)
    for length in lengths:
        for normal in normals:
            for sign in (1.0, -1.0):
                by: Array = sign * (length + dmin) * normal
                less = by - 0.5 * sign * size * normal
                if len(_moved_pairs(one, by, other, buffer)):
                    continue
                if not len(_meeting_pairs(replace(one, x=one.x + less), other, buffer)):
                    return by
    return None


def _moved_pairs(
    one: StartBody, by: Array, other: StartBody, buffer: PairBuffer
) -> NDArray[np.int32]:
    """Triangles that meet where `one` is moved."""
    return intersecting_pairs(replace(one, x=one.x + by), other, buffer)


def _meeting_pairs(one: StartBody, other: StartBody, buffer: PairBuffer) -> NDArray[np.int32]:
    """Triangles that meet, or would if the bodies were closer by TOUCHING."""
    size = TOUCHING * min(_diagonal(one), _diagonal(other))
    pairs = intersecting_pairs(one, other, buffer)
    for by in (*np.eye(3), *-np.eye(3)):
        if len(pairs):
            break
        pairs = _moved_pairs(one, size * by, other, buffer)
    return pairs


def _diagonal(one: StartBody) -> float:
    return float(np.linalg.norm(one.box_world[3:] - one.box_world[:3]))


def _normals(one: StartBody, simplices: NDArray[np.int32]) -> list[Array]:
    """Unit normals of triangles, each direction once."""
    found: list[Array] = []
    for k in np.unique(simplices).astype(int).tolist():
        p, q, r = one.vertices_world[one.tree.simplices[k]]
        normal = np.cross(q - p, r - p)
        length = float(np.linalg.norm(normal))
        if length == 0.0 or any(abs(abs(normal @ n) / length - 1.0) < 1e-9 for n in found):
            continue
        found.append(normal / length)
    return found
