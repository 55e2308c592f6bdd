"""Pictures of a scene without a screen or a graphics card: a small software renderer.

Orthographic, flat-shaded, with feature edges drawn as in an engineering sketch.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.kernels.raster import draw_lines, fill_triangles
from dovetail.model.surface import IndexArray, Surface, sides_of
from dovetail.model.values import Array
from dovetail.results import Result
from dovetail.view.appearance import body_colours, towards_viewer, up_direction

OVERSAMPLE = 2  # each pixel is the mean of 2 x 2
FEATURE_COSINE = 0.9  # edges sharper than about 26 degrees are drawn
BACKGROUND = np.array([1.0, 1.0, 1.0])


@dataclass(frozen=True, eq=False)
class Camera:
    """An orthographic view: rows of `axes` are right, up and towards the viewer."""

    axes: Array  # (3, 3)
    centre: Array  # (3,) world point in the middle of the picture
    half_height: float  # [m] from the middle to the upper border


def fitting_camera(result: Result, frames: list[int], aspect: float) -> Camera:
    """Look down on all bodies from the front right, near enough to fill the picture."""
    up = up_direction(result)
    towards = towards_viewer(up)
    right = np.cross(up, towards)
    right /= np.linalg.norm(right)
    axes = np.array([right, np.cross(towards, right), towards])
    corners = np.concatenate([_extent(result, frame) for frame in frames]) @ axes.T
    low, high = corners.min(axis=0), corners.max(axis=0)
    half = (high - low) / 2
    size = max(half[1], half[0] / aspect, 1e-12)
    return Camera(axes, ((low + high) / 2) @ axes, 1.08 * float(size))


def render(
    result: Result, frame: int, camera: Camera, width: int = 480, height: int = 360
) -> NDArray[np.uint8]:
    """One frame as an (height, width, 3) image."""
    wide, high = width * OVERSAMPLE, height * OVERSAMPLE
    image = np.ones((high, wide, 3)) * BACKGROUND
    depth = np.full((high, wide), -np.inf)
    per_metre = high / (2 * camera.half_height)
    shift = np.array([wide / 2, high / 2, 0.0])
    light = np.array([-0.35, 0.6, 0.72])
    for name, colour in zip(result.names, body_colours(result)):
        body = result.scene.bodies[name]
        if not len(body.vertices):
            continue
        world = body.vertices @ result.rotation(name)[frame].T + result.position(name)[frame]
        seen = (world - camera.centre) @ camera.axes.T
        screen = seen * np.array([per_metre, -per_metre, per_metre]) + shift
        if len(body.faces):
            normals = _normals(seen, body.faces)
            facing = np.where(normals[:, 2:3] < 0, -normals, normals)
            shade = 0.42 + 0.58 * np.clip(facing @ light, 0.0, 1.0)
            shaded = np.clip(shade[:, None] * np.asarray(colour), 0.0, 1.0)
            fill_triangles(np.ascontiguousarray(screen[body.faces]), shaded, depth, image)
        lines = _feature_edges(body.checked.surface)
        dark = np.ascontiguousarray(np.broadcast_to(np.asarray(colour) * 0.45, (len(lines), 3)))
        draw_lines(np.ascontiguousarray(screen[lines]), dark, 0.55 * OVERSAMPLE, 1.5, depth, image)
        if not len(body.edges):
            ends = np.repeat(screen[:, None, :], 2, axis=1)
            tint = np.ascontiguousarray(np.broadcast_to(np.asarray(colour), (len(ends), 3)))
            draw_lines(np.ascontiguousarray(ends), tint, 1.5 * OVERSAMPLE, 0.0, depth, image)
    blocks = image.reshape(height, OVERSAMPLE, width, OVERSAMPLE, 3)
    return np.asarray(blocks.mean(axis=(1, 3)) * 255 + 0.5, dtype=np.uint8)


def _extent(result: Result, frame: int) -> Array:
    """Corners of every body's box at one frame; a body without a surface counts as a point."""
    points = []
    for name in result.names:
        vertices = result.scene.bodies[name].vertices
        low, high = (vertices.min(axis=0), vertices.max(axis=0)) if len(vertices) else (0.0, 0.0)
        pick = np.array([[i & 1, (i >> 1) & 1, (i >> 2) & 1] for i in range(8)])
        corners = np.where(pick, high, low)
        points.append(corners @ result.rotation(name)[frame].T + result.position(name)[frame])
    return np.concatenate(points)


def _normals(vertices: Array, faces: IndexArray) -> Array:
    """(n, 3) unit normals of the faces; zero for a face without area."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    return np.asarray(normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None])


def _feature_edges(surface: Surface) -> IndexArray:
    """Edges of wires, borders of open surfaces, and edges where two faces meet sharply."""
    if not len(surface.faces):
        return surface.edges
    normals = _normals(surface.vertices, surface.faces)
    sides = sides_of(surface.faces)
    owner = np.repeat(np.arange(len(surface.faces)), 3)
    keys = sides @ [len(surface.vertices), 1]
    order = np.argsort(keys, kind="stable")
    keys, owner, sides = keys[order], owner[order], sides[order]
    first = np.flatnonzero(np.concatenate([[True], np.diff(keys) > 0]))
    size = np.diff(np.concatenate([first, [len(keys)]]))
    paired = size == 2
    sharp = np.ones(len(first), dtype=bool)
    left, right = owner[first[paired]], owner[first[paired] + 1]
    sharp[paired] = np.sum(normals[left] * normals[right], axis=1) < FEATURE_COSINE
    return np.concatenate([sides[first[sharp]], surface.wires]).astype(np.int32)
