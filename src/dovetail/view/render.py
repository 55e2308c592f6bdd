"""Pictures of a scene without a screen or a graphics card: a small software renderer.

Orthographic, flat-shaded, with feature edges drawn as in an engineering sketch.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.model.surface import IndexArray, Surface, sides_of
from dovetail.model.values import Array
from dovetail.results import Result
from dovetail.view.appearance import (
    body_colours,
    horizontal_axes,
    towards_viewer,
    up_direction,
)
from dovetail.view.framing import seen_corners
from dovetail.view.raster import draw_lines, fill_triangles
from dovetail.view.skeleton import skeletons

OVERSAMPLE = 2  # each pixel is the mean of 2 x 2
FEATURE_COSINE = 0.9  # edges sharper than about 26 degrees are drawn
BACKGROUND = np.array([1.0, 1.0, 1.0])
LIGHT = np.array([-0.35, 0.6, 0.72])


@dataclass(frozen=True, eq=False)
class Camera:
    """An orthographic view: rows of `axes` are right, up and towards the viewer."""

    axes: Array  # (3, 3)
    centre: Array  # (3,) world point in the middle of the picture
    half_height: float  # [m] from the middle to the upper border


VIEWS = ("corner", "front", "back", "left", "right", "top", "bottom")


def fitting_camera(
    result: Result, frames: list[int], aspect: float, view: str = "corner"
) -> Camera:
    """Look at all bodies from one of `VIEWS`, near enough to fill the picture."""
    axes = _view_axes(up_direction(result), view)
    corners = seen_corners(result, frames) @ axes.T
    low, high = corners.min(axis=0), corners.max(axis=0)
    half = (high - low) / 2
    size = max(half[1], half[0] / aspect, 1e-12)
    return Camera(axes, ((low + high) / 2) @ axes, 1.08 * float(size))


def _view_axes(up: Array, view: str) -> Array:
    """Right, up and towards the viewer; `corner` is from the front right and above."""
    if view not in VIEWS:
        raise InputError(f"`view` must be one of {', '.join(VIEWS)}, got {view!r}")
    east, north = horizontal_axes(up)
    towards, above = {
        "corner": (towards_viewer(up), up),
        "front": (-north, up),
        "back": (north, up),
        "left": (-east, up),
        "right": (east, up),
        "top": (up, north),
        "bottom": (-up, north),
    }[view]
    right = np.cross(above, towards)
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(towards, right), towards])


class Painter:
    """Draws frames of one result; what does not change is prepared once."""

    def __init__(self, result: Result) -> None:
        self._x = result.stored.column("position")
        self._R = result.stored.column("rotation")
        self._skeletons = skeletons(result)
        self._bodies: list[tuple[int, Surface, IndexArray, Array]] = []
        lines: dict[int, IndexArray] = {}
        surfaces = [result.scene.bodies[name].checked.surface for name in result.names]
        for number, (surface, colour) in enumerate(zip(surfaces, body_colours(result))):
            if len(surface.vertices):
                if id(surface) not in lines:
                    lines[id(surface)] = _feature_edges(surface)
                self._bodies.append((number, surface, lines[id(surface)], np.asarray(colour)))

    def place(self, x: Array, R: Array) -> None:
        """Draw these poses (frames, n, 3), (frames, n, 3, 3) from now on."""
        self._x, self._R = x, R

    def surfaces(self) -> list[tuple[int, Surface]]:
        """Numbers and surfaces of the bodies that have one."""
        return [(number, surface) for number, surface, _, _ in self._bodies]

    def picture(self, frame: int, camera: Camera, width: int, height: int) -> NDArray[np.uint8]:
        """One frame as an (height, width, 3) image."""
        wide, high = width * OVERSAMPLE, height * OVERSAMPLE
        image = np.ones((high, wide, 3)) * BACKGROUND
        depth = np.full((high, wide), -np.inf)
        per_metre = high / (2 * camera.half_height)
        shift = np.array([wide / 2, high / 2, 0.0])
        for number, surface, lines, colour in self._bodies:
            world = surface.vertices @ self._R[frame, number].T + self._x[frame, number]
            seen = (world - camera.centre) @ camera.axes.T
            screen = seen * np.array([per_metre, -per_metre, per_metre]) + shift
            _fill(seen, screen, surface, colour, depth, image)
            _outline(screen, lines, len(surface.edges) > 0, colour, depth, image)
        for one in self._skeletons:
            world = one.lines @ self._R[frame, one.body].T + self._x[frame, one.body]
            seen = (world - camera.centre) @ camera.axes.T
            screen = seen * np.array([per_metre, -per_metre, per_metre]) + shift
            _strokes(screen, one.colours, depth, image)
        blocks = image.reshape(height, OVERSAMPLE, width, OVERSAMPLE, 3)
        return np.asarray(blocks.mean(axis=(1, 3)) * 255 + 0.5, dtype=np.uint8)


def render(
    result: Result, frame: int, camera: Camera, width: int = 480, height: int = 360
) -> NDArray[np.uint8]:
    """One frame as an (height, width, 3) image; a `Painter` is faster for many."""
    return Painter(result).picture(frame, camera, width, height)


def _fill(
    seen: Array, screen: Array, surface: Surface, colour: Array, depth: Array, image: Array
) -> None:
    """The faces, lit from the upper left of the viewer."""
    if not len(surface.faces):
        return
    normals = _normals(seen, surface.faces)
    facing = np.where(normals[:, 2:3] < 0, -normals, normals)
    shade = 0.42 + 0.58 * np.clip(facing @ LIGHT, 0.0, 1.0)
    shaded = np.clip(shade[:, None] * colour, 0.0, 1.0)
    fill_triangles(np.ascontiguousarray(screen[surface.faces]), shaded, depth, image)


def _outline(
    screen: Array, lines: IndexArray, has_edges: bool, colour: Array, depth: Array, image: Array
) -> None:
    """Sharp edges and wires, darker than the body; clouds as dots."""
    dark = np.ascontiguousarray(np.broadcast_to(colour * 0.45, (len(lines), 3)))
    draw_lines(np.ascontiguousarray(screen[lines]), dark, 0.55 * OVERSAMPLE, 1.5, depth, image)
    if not has_edges:
        ends = np.repeat(screen[:, None, :], 2, axis=1)
        tint = np.ascontiguousarray(np.broadcast_to(colour, (len(ends), 3)))
        draw_lines(np.ascontiguousarray(ends), tint, 1.5 * OVERSAMPLE, 0.0, depth, image)


def _strokes(screen: Array, colours: Array, depth: Array, image: Array) -> None:
    """Lines of what represents a body, and a dot where each ends."""
    draw_lines(np.ascontiguousarray(screen), colours, 1.1 * OVERSAMPLE, 1.5, depth, image)
    dots = np.ascontiguousarray(np.repeat(screen[:-3, 1:], 2, axis=1))  # the axes have none
    draw_lines(dots, colours[:-3] * 0.6, 2.5 * OVERSAMPLE, 2.0, depth, image)


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
