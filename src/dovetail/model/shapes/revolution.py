"""Closed surfaces made of rings of vertices about the z axis."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dovetail.model.surface import Surface
from dovetail.model.values import Array


def revolved(radii: Array, heights: Array, segments: int) -> Surface:
    """Turn the profile (radius, height) about z; it runs upward, from the axis to the axis.

    Ends on the axis (radius 0) become single vertices, so the surface is closed.
    """
    angles = 2 * np.pi * np.arange(segments) / segments
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    rings = [
        np.column_stack([radius * circle, np.full(segments, height)])
        for radius, height in zip(radii[1:-1], heights[1:-1])
    ]
    bottom, top = [[0.0, 0.0, heights[0]]], [[0.0, 0.0, heights[-1]]]
    vertices = np.concatenate([bottom, *rings, top])
    i = np.arange(segments)
    j = (i + 1) % segments
    last = len(vertices) - 1
    faces = [np.column_stack([np.zeros_like(i), 1 + j, 1 + i])]
    for ring in range(len(rings) - 1):
        low, high = 1 + ring * segments, 1 + (ring + 1) * segments
        faces.append(np.column_stack([low + i, low + j, high + j]))
        faces.append(np.column_stack([low + i, high + j, high + i]))
    high = 1 + (len(rings) - 1) * segments
    faces.append(np.column_stack([high + i, high + j, np.full_like(i, last)]))
    return Surface.of(vertices, np.concatenate(faces))


@lru_cache(maxsize=64)  # scenes of many bodies have few different ones
def rounded(radius: float, height: float, segments: int) -> Surface:
    """A sphere cut at its equator and pulled apart by `height` along z (a capsule).

    Ring k from a pole has 4 k vertices at equal steps, as on an octahedron, so that triangles
    have nearly the same size everywhere. `segments` is a multiple of 4.
    """
    steps = segments // 4
    rings = []
    for k in range(steps + 1):
        polar = 0.5 * np.pi * k / steps
        rings.append(_ring(radius * np.sin(polar), radius * np.cos(polar) + height / 2, 4 * k))
    cap = np.concatenate(rings)
    starts = np.cumsum([0] + [len(ring) for ring in rings])
    faces = [_between(starts[k], k, starts[k + 1], k + 1) for k in range(steps)]
    top_faces = np.concatenate(faces)

    # The lower half is the upper one mirrored; without a gap they share the equator.
    equator = np.arange(starts[steps], starts[steps + 1])
    mirrored = cap * [1.0, 1.0, -1.0]
    if height > 0:
        numbers = len(cap) + np.arange(len(cap))
        vertices = np.concatenate([cap, mirrored])
    else:
        inner = starts[steps]
        numbers = np.concatenate([len(cap) + np.arange(inner), equator])
        vertices = np.concatenate([cap, mirrored[:inner]])
    bottom_faces = numbers[top_faces][:, ::-1]
    sides = np.zeros((0, 3), dtype=int)
    if height > 0:
        upper, lower = equator, numbers[equator]
        after = np.roll(np.arange(len(equator)), -1)
        sides = np.concatenate(
            [
                np.column_stack([lower, lower[after], upper[after]]),
                np.column_stack([lower, upper[after], upper]),
            ]
        )
    return Surface.of(vertices, np.concatenate([top_faces, bottom_faces, sides]))


def _ring(radius: float, height: float, count: int) -> Array:
    if count == 0:
        return np.array([[0.0, 0.0, height]])
    angles = 2 * np.pi * np.arange(count) / count
    return np.column_stack(
        [radius * np.cos(angles), radius * np.sin(angles), np.full(count, height)]
    )


def _between(inner: int, k_inner: int, outer: int, k_outer: int) -> NDArray[np.int64]:
    """Triangles between ring k (4 k vertices, one for k = 0) and ring k + 1, seen from above."""
    faces = []
    n_in, n_out = max(4 * k_inner, 1), 4 * k_outer
    for quarter in range(4):
        for i in range(k_outer):
            a = inner + (quarter * k_inner + i) % n_in
            p = outer + (quarter * k_outer + i) % n_out
            q = outer + (quarter * k_outer + i + 1) % n_out
            faces.append((a, p, q))
            if i < k_inner:
                faces.append((a, q, inner + (quarter * k_inner + i + 1) % n_in))
    return np.array(faces)
