"""Building a field on a grid from a triangle mesh."""

import hashlib
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from math import ceil
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.collision.sdf.distance_mesh import ExactDistance, exact_distance
from dovetail.collision.sdf.evaluate import NO_SHAPES, FieldArrays
from dovetail.collision.sdf.field import Field
from dovetail.collision.sdf.field_cache import field_folder, load_field, save_field
from dovetail.collision.sdf.mesh_distance import fill_slab
from dovetail.collision.sdf.signs import contradictions, sign_by_winding
from dovetail.errors import InputError
from dovetail.model.shapes import Mesh, Shape
from dovetail.model.surface import Surface
from dovetail.model.values import Array, Mistakes, positive, quote
from dovetail.runtime.options import named_options
from dovetail.runtime.parallel import over_ranges
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import Float32Array

PADDING = 3  # cells between the surface and the end of the grid
MIN_CELLS, MAX_CELLS = 8, 2048  # cells along the longest side
MAX_NODES = 1 << 30
ERROR_POINTS = 20_000
VERSION = b"1"  # of what is stored

Progress = Callable[[int, int], None]  # slabs done, of how many


class OpenMeshWarning(UserWarning):
    """A field was built from a mesh that does not enclose a volume."""


@named_options
def build(
    mesh: Any,
    resolution: int = 128,
    spacing: float | None = None,
    *,
    cache: bool | str | PathLike[str] = True,
    progress: bool | Progress | None = None,
    threads: int | None = None,
) -> Field:
    """The signed distance field of a mesh on a grid of equal spacing.

    Every node has the exact distance (Zhang, You and Liu 2024, eqs. 1-2), stored in float32.

    Args:
        mesh: a dt.Mesh or other shape, a path of a mesh file, or (vertices [m], faces).
        resolution: cells along the longest side, padding included.
        spacing: [m] between nodes, instead of `resolution`.
        cache: keep the field in the user's cache folder, or in a given one; False: do not.
        progress: None shows a bar on a terminal, True always, False never; or a function.
        threads: default: one per core. The field is the same for any number.
    """
    surface = _surface(mesh)
    corners = surface.vertices[surface.faces]
    lower, upper = corners.min((0, 1)), corners.max((0, 1))
    h = _spacing(float(np.max(upper - lower)), resolution, spacing)
    cells = np.array([max(1, ceil(side / h - 1e-9)) + 2 * PADDING for side in upper - lower])
    if np.prod(cells + 1.0) > MAX_NODES:
        raise InputError(
            f"`spacing` of {h:g} m gives {np.prod(cells + 1.0):.3g} nodes for a part of "
            f"{quote(upper - lower)} m; use a larger one"
        )
    origin = (lower + upper - h * cells) / 2
    folder = _folder(cache)
    key = _key(surface, h)
    stored = None if folder is None else load_field(folder, key)
    if stored is not None:
        _warn_if_open(stored, mesh)
        return stored
    exact = exact_distance(surface)
    values = np.empty(tuple(cells + 1), np.float32)
    at = (float(origin[0]), float(origin[1]), float(origin[2]))
    _fill(exact, at, h, values, progress, threads)
    by_windings = not exact.closed or _correct_signs(exact, at, h, values, threads)
    arrays = FieldArrays(read_only(values, np.float32), at, h, NO_SHAPES, not exact.closed)
    field = Field(arrays, 0.0, exact.closed, by_windings)
    error = float(np.max(np.abs(field.value(surface_points(surface, ERROR_POINTS)))))
    field = replace(field, error=error)
    if folder is not None:
        save_field(folder, key, field)
    _warn_if_open(field, mesh)
    return field


def surface_points(surface: Surface, count: int, seed: int = 0) -> Array:
    """(count, 3) [m] points on the faces, uniform by area."""
    random = np.random.default_rng(seed)
    corners = surface.vertices[surface.faces]
    area = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    face = random.choice(len(area), count, p=area / area.sum())
    u, v = random.random((2, count))
    u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
    a, b, c = (corners[face, k] for k in range(3))
    points: Array = a + u[:, None] * (b - a) + v[:, None] * (c - a)
    return points


def _fill(
    exact: ExactDistance,
    origin: tuple[float, float, float],
    h: float,
    values: Float32Array,
    progress: Any,
    threads: int | None,
) -> None:
    """All nodes, slab by slab in threads."""
    lock, done = threading.Lock(), 0
    with _bar(progress, len(values)) as show:

        def work(begin: int, end: int) -> None:
            nonlocal done
            fill_slab(exact.arrays, origin, h, begin, end, values)
            with lock:
                done += end - begin
                if show is not None:
                    show(done, len(values))

        over_ranges(work, len(values), 2, threads)


def _correct_signs(
    exact: ExactDistance,
    origin: tuple[float, float, float],
    h: float,
    values: Float32Array,
    threads: int | None,
) -> bool:
    """Signs by winding numbers where those by pseudonormals contradict each other.

    That happens for meshes that are closed but cut themselves; returns whether it did.
    """
    found = over_ranges(lambda b, e: contradictions(values, h, b, e), len(values), 8, threads)
    if not sum(found):
        return False
    mesh = exact.by_windings().arrays
    over_ranges(
        lambda b, e: sign_by_winding(mesh, origin, h, b, e, values), len(values), 2, threads
    )
    return True


def _bar(progress: Any, total: int) -> AbstractContextManager[Progress | None]:
    if callable(progress):
        return nullcontext(progress)
    on_terminal = sys.stderr is not None and sys.stderr.isatty()
    if progress or (progress is None and on_terminal):
        from dovetail.collision.sdf.progress_bar import SlabBar

        return SlabBar(total, always=bool(progress))
    return nullcontext(None)


def _surface(mesh: Any) -> Surface:
    if isinstance(mesh, Surface):
        surface = mesh
    else:
        if isinstance(mesh, tuple) and len(mesh) == 2:
            mesh = Mesh(mesh[0], mesh[1])
        elif isinstance(mesh, str | PathLike):
            mesh = Mesh(mesh)
        if not isinstance(mesh, Shape):
            raise InputError(
                f"`mesh` must be a dt.Mesh, a mesh file or (vertices, faces), got {quote(mesh)}"
            )
        Mistakes(mesh.mistakes()).raise_if_any()
        surface = mesh.surface()
    if not len(surface.faces):
        raise InputError("a signed distance needs a mesh with faces; this one has none")
    return surface


def _spacing(size: float, resolution: Any, spacing: Any) -> float:
    if spacing is not None:
        return positive(spacing, "`spacing`", "m")
    fits = isinstance(resolution, int | np.integer) and not isinstance(resolution, bool)
    if not (fits and MIN_CELLS <= resolution <= MAX_CELLS):
        raise InputError(
            f"`resolution` must be {MIN_CELLS} to {MAX_CELLS} cells along the longest side, "
            f"got {quote(resolution)}"
        )
    return size / (int(resolution) - 2 * PADDING)


def _folder(cache: Any) -> Path | None:
    if cache is False:
        return None
    return field_folder() if cache is True else Path(cache)


def _key(surface: Surface, h: float) -> str:
    digest = hashlib.sha256(VERSION)
    for part in (surface.vertices, surface.faces, np.array([h, PADDING])):
        digest.update(str(part.shape).encode() + np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:40]


def _warn_if_open(field: Field, mesh: Any) -> None:
    if not field.closed:
        warnings.warn(
            f"{mesh if isinstance(mesh, Shape) else 'the mesh'} is not closed (or has faces "
            "without area): inside and outside are decided by winding numbers, and the field jumps "
            "across its holes; close the mesh where contact there matters",
            OpenMeshWarning,
            stacklevel=3,
        )
