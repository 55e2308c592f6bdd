"""A shape from a mesh file or from arrays."""

from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.mesh_files import read_mesh
from dovetail.model.mesh_files.raw import RawMesh, refuse_too_many
from dovetail.model.shapes.diagnosis import MeshDiagnosis
from dovetail.model.shapes.integrals import (
    point_integrals,
    solid_integrals,
    surface_integrals,
    wire_integrals,
)
from dovetail.model.shapes.mesh_topology import OrderedMesh, ordered
from dovetail.model.shapes.shape import LARGEST_LENGTH, MassProperties, Shape
from dovetail.model.surface import IndexArray, Surface
from dovetail.model.values import Array, Mistakes, as_of_now, finite_array, number, quote, shape_of


class Mesh(Shape):
    """Triangles, free edges and points from a file or from arrays.

    Args:
        source: a path (STL, OBJ, PLY, GLB or OFF), or vertices (n, 3) [m].
        faces: (m, 3) vertex numbers from 0, counter-clockwise seen from outside.
        edges: (k, 2) free edges (wires); those of the faces are added by themselves.
        scale: a number or three, which turn the given coordinates into metres.

    A closed surface is a solid; an open one a thin shell (density per m^2), edges alone are wires
    (per m), vertices alone a cloud (per point). Where a mesh has several of these, its mass is
    that of the highest: faces before edges before points. Faces of a closed surface that point
    inward are turned outward; `diagnosis` tells all that was found.
    """

    def __init__(self, source: Any, faces: Any = None, edges: Any = None, scale: Any = 1) -> None:
        self.source, self.faces = as_of_now(source), as_of_now(faces)
        self.edges, self.scale = as_of_now(edges), as_of_now(scale)

    def __repr__(self) -> str:
        return f"Mesh({quote(self.source)})"

    @property
    def path(self) -> Path | None:
        """The file it comes from, None for arrays."""
        return Path(self.source) if isinstance(self.source, str | PathLike) else None

    def mistakes(self) -> list[str]:
        return list(self._loaded) if isinstance(self._loaded, Mistakes) else []

    @property
    def diagnosis(self) -> MeshDiagnosis:
        return self._usable.diagnosis

    def surface(self) -> Surface:
        return self._usable.surface

    def mass_properties(self) -> MassProperties:
        return self._integrals

    @cached_property
    def _integrals(self) -> MassProperties:
        mesh = self._usable
        vertices = mesh.surface.vertices
        if mesh.diagnosis.dimension == 3:
            return solid_integrals(vertices, mesh.surface.faces)
        if mesh.diagnosis.dimension == 2:
            return surface_integrals(vertices, mesh.surface.faces)
        if mesh.diagnosis.dimension == 1:
            return wire_integrals(vertices, mesh.surface.wires)
        return point_integrals(vertices)

    @property
    def _usable(self) -> OrderedMesh:
        if isinstance(self._loaded, Mistakes):
            raise InputError(self._loaded)
        return self._loaded

    @cached_property
    def _loaded(self) -> OrderedMesh | Mistakes:
        """Read and put in order once, or all that is wrong."""
        found = Mistakes()
        scale = found.take(_scale, self.scale)
        from_file = isinstance(self.source, str | PathLike)
        if from_file:
            for name in ("faces", "edges"):
                if getattr(self, name) is not None:
                    found.append(f"`{name}` of a Mesh from a file must be left out")
            raw = found.take(read_mesh, self.source, "mesh file")
        else:
            raw = found.take(_from_arrays, self.source, self.faces, self.edges)
        if found or raw is None or scale is None:
            return found
        with np.errstate(over="ignore", invalid="ignore"):
            vertices = raw.vertices * scale
        if not np.all(np.abs(vertices) <= LARGEST_LENGTH):
            found.append(
                f"vertices of {self!r} must be finite and within {LARGEST_LENGTH:g} m, got "
                f"{quote(vertices[~np.all(np.abs(vertices) <= LARGEST_LENGTH, axis=1)][0])}"
            )
            return found
        mirrored = bool(np.prod(np.sign(scale)) < 0)
        faces = raw.faces[:, [0, 2, 1]] if mirrored else raw.faces
        mesh = ordered(RawMesh(vertices, faces, raw.edges), may_weld=from_file)
        useless = mesh.diagnosis.degenerate_faces + mesh.diagnosis.duplicate_faces
        if len(faces) and useless >= len(faces):
            found.append(
                f"faces of {self!r} must have an area, none of its {len(faces):,} has; leave the "
                "faces out for a cloud of points or wires"
            )
            return found
        return mesh


def _scale(value: Any) -> Array:
    what = "`scale` of Mesh"
    if np.isscalar(value):
        factors = np.full(3, number(value, what))
    else:
        factors = finite_array(value, what, (3,))
    if np.any(factors == 0):
        raise InputError(f"{what} must not be 0, got {quote(value)}")
    return factors


def _from_arrays(vertices: Any, faces: Any, edges: Any) -> RawMesh:
    found = Mistakes()
    points = found.take(_points, vertices)
    n = None if points is None else len(points)
    triangles = found.take(_indices, faces, 3, n, "`faces` of Mesh", "triangles")
    segments = found.take(_indices, edges, 2, n, "`edges` of Mesh", "edges")
    found.raise_if_any()
    assert points is not None and triangles is not None and segments is not None
    refuse_too_many(len(points), len(triangles), "Mesh")
    return RawMesh(points, triangles, segments[segments[:, 0] != segments[:, 1]])


def _points(value: Any) -> Array:
    what = "`vertices` of Mesh"
    shape = shape_of(value)
    if len(shape) != 2 or shape[0] < 1 or shape[1] != 3:
        raise InputError(
            f"{what} must be rows of 3 numbers in m (or the path of a file), got {quote(value)}"
        )
    return finite_array(value, what, shape, "m")


def _indices(value: Any, width: int, n: int | None, what: str, kind: str) -> IndexArray:
    """Rows of vertex numbers below n; None and an empty list are none."""
    try:
        array = np.zeros((0, width), dtype=np.int32) if value is None else np.asarray(value)
        if array.size == 0:
            array = np.zeros((0, width), dtype=np.int32)
        usable = array.dtype.kind in "iu" and array.ndim == 2 and array.shape[1] == width
    except Exception:  # ragged rows, or an object that cannot be looked into
        usable = False
    if not usable:
        raise InputError(
            f"{what} must be {kind}, rows of {width} vertex numbers from 0, got {quote(value)}"
        )
    outside = np.any((array < 0) | (array >= n), axis=1) if n is not None else np.zeros(0, bool)
    if outside.any():
        row = int(np.argmax(outside))
        raise InputError(
            f"{what} must name vertices 0 to {(n or 0) - 1}, row {row} has {quote(array[row])}"
        )
    return array.astype(np.int32)
