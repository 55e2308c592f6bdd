"""What the sides of triangles stand for: straight lines, circles, or lines within one face.

A side between two faces stands for the edge of the solid there. Two surfaces of revolution about
one axis meet in circles about it, two planes in a line, a plane and a cylinder or cone also in
the lines that these are made of. Other edges (a hole across a bar, an oblique cut) have no such
form here, and the triangles beside them are not refined.
"""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from dovetail.model.values import Array
from dovetail.prove.surfaces.true_faces import BALL, PLANE, RING, TURNED, UNKNOWN, Face, Numbers

NOT_KNOWN, STRAIGHT, ROUND, GREAT, TUBE = range(5)
WITHIN = {PLANE: STRAIGHT, TURNED: ROUND, BALL: GREAT, RING: TUBE, UNKNOWN: NOT_KNOWN}
SAME = 1e-6  # of the size: corners of CAD triangles are single floats
SAME_LINE = 1e-9  # of the size, and of directions: what a CAD kernel says of its faces
MERIDIANS = 4  # circles in which one other face ends a torus


class Sides(NamedTuple):
    """Of the triangles of a body."""

    rule: Numbers  # (m, 3) side k goes from corner k to the next
    about: Numbers  # (m, 3) row of `axes` of a ROUND side
    axes: Array  # (n, 6) point [m] and direction; first those of the faces, in their order


def sides_of_triangles(
    vertices: Array, triangles: Numbers, labels: Numbers, faces: list[Face]
) -> Sides:
    """`labels` (m,): the face of each triangle, -1 for itself."""
    size = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    axes = [np.concatenate([face.point, face.axis]) for face in faces]
    rule = np.array([WITHIN[face.kind] for face in faces] + [STRAIGHT])[labels]
    rules, abouts = np.repeat(rule[:, None], 3, axis=1), np.repeat(labels[:, None], 3, axis=1)
    ends = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    _, number, count = np.unique(
        ends @ [len(vertices), 1], return_inverse=True, return_counts=True
    )  # fmt: skip
    order = np.argsort(number, kind="stable")
    first = order[np.searchsorted(number[order], np.arange(len(count)))]
    alone = (count[number] != 2).reshape(-1, 3)
    rules[alone & (labels >= 0)[:, None]] = NOT_KNOWN
    twice = np.flatnonzero(count == 2)
    one = first[twice]
    other = order[np.searchsorted(number[order], twice) + 1]
    k, l = labels[one // 3], labels[other // 3]
    between = k != l
    one, other, k, l = one[between], other[between], k[between], l[between]
    flat_rules, flat_abouts = rules.reshape(-1), abouts.reshape(-1)
    for a, b in sorted(set(zip(k.tolist(), l.tolist(), strict=True))):
        rows = (k == a) & (l == b)
        own = ends[one[rows]]
        pair = (faces[a], faces[b]) if min(a, b) >= 0 else (Face(UNKNOWN), Face(UNKNOWN))
        if _same_surface(pair[0], pair[1], size):
            continue
        found, about = _edges(pair, vertices[own[:, 0]], vertices[own[:, 1]], size, axes)
        for sides in (one[rows], other[rows]):
            flat_rules[sides], flat_abouts[sides] = found, about
    return Sides(rules, abouts, np.array(axes).reshape(-1, 6))


def _edges(
    pair: tuple[Face, Face], P: Array, Q: Array, size: float, axes: list[Array]
) -> tuple[Numbers, Numbers]:
    """Rules of the sides P Q (n, 3) between two faces; adds their axes."""
    rule, about = np.full(len(P), NOT_KNOWN), np.full(len(P), -1)
    if any(face.kind == UNKNOWN for face in pair):
        return rule, about
    straight = np.ones(len(P), bool)
    for face in pair:
        if face.kind == TURNED:
            straight &= _same_angle(face, P, Q, size)
        elif face.kind != PLANE:
            straight[:] = False
    rule[straight] = STRAIGHT
    for axis in chain(_common_axes(pair), _meridian_axes(pair, P, rule)):
        if not all(_revolves(face, axis, size) for face in pair):
            continue
        r_p, z_p = _around(axis, P)
        r_q, z_q = _around(axis, Q)
        same = (abs(r_p - r_q) <= SAME * size) & (abs(z_p - z_q) <= SAME * size)
        same &= rule == NOT_KNOWN
        if same.any():
            rule[same], about[same] = ROUND, len(axes)
            axes.append(axis)
    return rule, about


def _common_axes(pair: tuple[Face, Face]) -> list[Array]:
    a, b = pair
    found = [np.concatenate([x.point, x.axis]) for x in pair if x.kind in (TURNED, RING)]
    for ball, plane in ((a, b), (b, a)):
        if ball.kind == BALL and plane.kind == PLANE:
            found.append(np.concatenate([ball.point, plane.axis]))
    return found


def _meridian_axes(pair: tuple[Face, Face], P: Array, rule: Numbers) -> Iterator[Array]:
    """Through the middle of the tube of a torus, along it, where a side is not yet known."""
    for face in pair:
        for _ in range(MERIDIANS if face.kind == RING else 0):
            left = np.flatnonzero(rule == NOT_KNOWN)
            if not len(left):
                return
            arm = P[left[0]] - face.point
            across = arm - (arm @ face.axis) * face.axis
            out = across / np.linalg.norm(across)
            yield np.concatenate([face.point + face.major * out, np.cross(face.axis, out)])


def _around(axis: Array, x: Array) -> tuple[Array, Array]:
    """Distance from an axis and place along it [m]."""
    arm = x - axis[:3]
    z = arm @ axis[3:]
    return np.linalg.norm(arm - z[:, None] * axis[3:], axis=1), z


def _same_angle(face: Face, P: Array, Q: Array, size: float) -> Numbers:
    """Whether sides lie along the lines of a cylinder or cone."""
    p, q = P - face.point, Q - face.point
    p, q = p - (p @ face.axis)[:, None] * face.axis, q - (q @ face.axis)[:, None] * face.axis
    longer = np.maximum(np.linalg.norm(p, axis=1), np.linalg.norm(q, axis=1))
    across = np.linalg.norm(np.cross(p, q), axis=1)
    return np.asarray((across <= SAME * size * longer) & (np.einsum("ij,ij->i", p, q) >= 0.0))


def _revolves(face: Face, axis: Array, size: float) -> bool:
    """Whether a face is one of revolution about an axis; of a torus also about its tube."""
    point, along = axis[:3], axis[3:]
    if face.kind == PLANE:
        return bool(np.linalg.norm(np.cross(face.axis, along)) <= SAME_LINE)
    off = face.point - point
    beside = np.linalg.norm(off - (off @ along) * along)
    if face.kind == BALL:
        return bool(beside <= SAME_LINE * size)
    same = np.linalg.norm(np.cross(face.axis, along)) <= SAME_LINE and beside <= SAME_LINE * size
    if face.kind == RING and not same:
        middle = np.linalg.norm(off - (off @ face.axis) * face.axis)
        level, turned = abs(off @ face.axis), abs(along @ face.axis)
        return bool(
            abs(middle - face.major) <= SAME_LINE * size and level <= SAME_LINE * size
            and turned <= SAME_LINE and abs(off @ along) <= SAME_LINE * size
        )  # fmt: skip
    return bool(same)


def _same_surface(a: Face, b: Face, size: float) -> bool:
    """Whether two faces are parts of one surface."""
    if a.kind != b.kind or a.kind == UNKNOWN:
        return False
    if a.kind == BALL:
        return bool(
            np.linalg.norm(a.point - b.point) + abs(a.radius - b.radius) <= SAME_LINE * size
        )
    if np.linalg.norm(np.cross(a.axis, b.axis)) > SAME_LINE:
        return False
    off = b.point - a.point
    if a.kind == PLANE:
        return bool(abs(off @ a.axis) <= SAME_LINE * size)
    along = float(off @ a.axis)
    if np.linalg.norm(off - along * a.axis) > SAME_LINE * size:
        return False
    if a.kind == RING:
        radii = abs(a.radius - b.radius) + abs(a.major - b.major)
        return bool(abs(along) + radii <= SAME_LINE * size)
    slope = b.slope * float(np.sign(a.axis @ b.axis))
    radius = abs(a.radius + a.slope * along - b.radius)
    return bool(abs(a.slope - slope) <= SAME_LINE and radius <= SAME_LINE * size)
