"""A shape from a mesh file or from arrays."""

from copy import copy
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.mesh_files import read_mesh
from dovetail.model.mesh_files.raw import RawMesh, refuse_too_many
from dovetail.model.shapes.diagnosis import MeshDiagnosis
from dovetail.model.shapes.filling import filled_by_winding, filled_holes, filled_hull
from dovetail.model.shapes.integrals import (
    point_integrals,
    solid_integrals,
    surface_integrals,
    wire_integrals,
)
from dovetail.model.shapes.mesh_topology import OrderedMesh, ordered
from dovetail.model.shapes.shape import LARGEST_LENGTH, MassProperties, Shape
from dovetail.model.surface import IndexArray, Surface
from dovetail.model.values import (
    Array,
    Mistakes,
    as_of_now,
    finite_array,
    number,
    positive,
    quote,
    shape_of,
)
from dovetail.runtime.options import named_options
from dovetail.runtime.registry import did_you_mean

FILLED = {"holes": filled_holes, "winding": filled_by_winding}
FILLS = ("holes", "winding", "hull")


class Mesh(Shape):
    """Triangles, free edges and points from a file or from arrays.

    Args:
        source: a path (STL, OBJ, PLY, GLB or OFF), or vertices (n, 3) [m].
        faces: (m, 3) vertex numbers from 0, counter-clockwise seen from outside.
        edges: (k, 2) free edges (wires); those of the faces are added by themselves.
        scale: a number or three, which turn the given coordinates into metres.
        shell: the mass is on the surface: True (density per m^2), or the thickness [m] of a sheet
            (density per m^3).
        fill: what an open surface encloses, for its mass: 'holes' (each capped by a fan from its
            middle), 'winding' (where the winding number is above 1/2) or 'hull' (the convex hull,
            of closed surfaces too).

    A closed surface is a solid. An open one, where mass or inertia are to follow from a density,
    needs `shell` or `fill`; neither changes the surface that others touch. Edges alone are wires
    (density per m), vertices alone a cloud (per point). Where a mesh has several of these, its mass
    is that of the highest: faces before edges before points. Faces of a closed surface that point
    inward are turned outward; vertices of a file that are at one place but for the last digits are
    joined where that closes the surface; `diagnosis` tells all that was found.
    """

    @named_options
    def __init__(
        self,
        source: Any,
        faces: Any = None,
        edges: Any = None,
        scale: Any = 1,
        *,
        shell: Any = None,
        fill: Any = None,
    ) -> None:
        self.source, self.faces = as_of_now(source), as_of_now(faces)
        self.edges, self.scale = as_of_now(edges), as_of_now(scale)
        self.shell, self.fill = shell, fill

    def weighed(self, *, shell: Any = None, fill: Any = None) -> "Mesh":
        """The same mesh with its mass counted another way."""
        other = copy(self)
        other.__dict__.pop("_integrals", None)
        other.shell, other.fill = shell, fill
        return other

    @property
    def needs_choice(self) -> bool:
        """Whether it is an open surface of which nobody has said where its mass is."""
        return self.diagnosis.dimension == 2 and self.shell is None and self.fill is None

    def __repr__(self) -> str:
        return f"Mesh({quote(self.source)})"

    @property
    def path(self) -> Path | None:
        """The file it comes from, None for arrays."""
        return Path(self.source) if isinstance(self.source, str | PathLike) else None

    def mistakes(self) -> list[str]:
        found = Mistakes()
        found.take(_weighing, self.shell, self.fill)
        return [*found, *self._loaded] if isinstance(self._loaded, Mistakes) else list(found)

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
        vertices, faces = mesh.surface.vertices, mesh.surface.faces
        if len(faces) and self.fill == "hull":
            return filled_hull(vertices[np.unique(faces)])
        if len(faces) and self.shell is not None:
            sheet = surface_integrals(vertices, faces)
            if self.shell is True:
                return sheet
            return replace(sheet.weighted(float(self.shell)), dimension=3)
        if mesh.diagnosis.dimension == 3:
            return solid_integrals(vertices, faces)
        if mesh.diagnosis.dimension == 2 and self.fill is not None:
            return FILLED[self.fill](vertices, faces)
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


def _weighing(shell: Any, fill: Any) -> None:
    """Check `shell` and `fill`."""
    found = Mistakes()
    if shell is not None and fill is not None:
        found.append("give `shell` or `fill` of Mesh, not both")
    if shell is not None and shell is not True:
        if shell is False:
            found.append("`shell` of Mesh must be True or a thickness in m; leave it out for none")
        else:
            found.take(positive, shell, "`shell` of Mesh, the thickness of the sheet,", "m")
    if fill is not None and not (isinstance(fill, str) and fill in FILLS):
        hint = did_you_mean(fill, FILLS) if isinstance(fill, str) else ""
        found.append(f"`fill` of Mesh must be one of {', '.join(FILLS)}, got {quote(fill)}{hint}")
    found.raise_if_any()


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
