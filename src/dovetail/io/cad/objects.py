"""Parts from objects of a CAD library: CadQuery, build123d, or what tessellates as they do."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.io.cad.deviation import measured_deviation
from dovetail.io.cad.parts import CadMesh, Part, unique_names, welded
from dovetail.io.cad.step import MEASURED, MOST_TRIANGLES
from dovetail.io.cad.units import LENGTH_UNITS
from dovetail.model.values import Array, quote


def objects_of(given: Any) -> Mapping[str, Any] | None:
    """{name: object} of an assembly of a CAD library; None where it is none.

    A mapping is taken as it is. A CadQuery assembly has `objects` and yields shape, name, place;
    a build123d compound has labelled `children`, which may have children of their own.
    """
    if isinstance(given, Mapping):
        return given
    if isinstance(getattr(given, "objects", None), Mapping) and hasattr(given, "__iter__"):
        rows = [(name.rpartition("/")[2], shape.moved(place)) for shape, name, place, *_ in given]
    else:
        rows = [(getattr(leaf, "label", "") or "part", _placed(leaf)) for leaf in _leaves(given)]
    names = unique_names([name for name, _ in rows])
    return dict(zip(names, (shape for _, shape in rows), strict=True)) or None


def _leaves(node: Any) -> list[Any]:
    """What hangs below a node of build123d and has nothing below itself."""
    found = []
    for child in getattr(node, "children", None) or ():
        found += _leaves(child) or [child]
    return found


def _placed(leaf: Any) -> Any:
    """A leaf of build123d is in the frame of its parent; here in that of the whole assembly."""
    place = getattr(leaf, "global_location", None)
    return leaf if place is None else leaf.located(place)


def parts_of_objects(objects: Any, unit: str = "mm", tolerance: float = 1e-5) -> list[Part]:
    """Parts from {name: object} of a CAD library: anything with `tessellate(tolerance)`.

    Shapes, lists of shapes, workplanes of CadQuery and builders of build123d; `tolerance` in m.
    """
    if not isinstance(objects, Mapping) or not objects:
        raise InputError("parts must be given as {name: object}, with at least one object")
    size = LENGTH_UNITS[unit]
    names = unique_names([str(name) for name in objects])
    return [
        _part_of(name, _solids(name, given), size, tolerance)
        for name, given in zip(names, objects.values(), strict=True)
    ]


def _solids(name: str, given: Any) -> list[Any]:
    """All shapes of one part: a workplane or a list may have several."""
    if callable(getattr(given, "vals", None)):  # a workplane; `val` is the first of them alone
        given = given.vals()
    elif callable(getattr(given, "val", None)):
        given = [given.val()]
    elif not hasattr(given, "tessellate") and getattr(given, "part", None) is not None:
        given = [given.part]  # a builder
    solids = list(given) if isinstance(given, Sequence) else [given]
    if not solids or any(not callable(getattr(one, "tessellate", None)) for one in solids):
        raise InputError(
            f"part {quote(name)} must have tessellate(tolerance), as shapes of build123d and "
            "CadQuery have, or be a list of such shapes"
        )
    return solids


def _part_of(name: str, solids: list[Any], size: float, tolerance: float) -> Part:
    vertices, triangles = _tessellated(name, solids, size, tolerance)
    curved = not all(map(_is_flat, solids))
    deviation = tolerance if curved else 0.0
    if curved:  # corners of finer triangles lie on the true surface
        fine, _ = _tessellated(name, solids, size, tolerance / MEASURED**2)
        deviation = max(deviation, measured_deviation((vertices, triangles), fine))

    def finer(factor: int) -> CadMesh:
        many = max(1, min(factor, int((MOST_TRIANGLES / len(triangles)) ** 0.5)))
        made = _part_of(name, solids, size, tolerance / many**2).shape
        assert isinstance(made, CadMesh)
        return made

    mesh = CadMesh(vertices, triangles, deviation, finer if curved else None, int(curved))
    return Part(name, mesh, np.zeros(3), np.eye(3))


def _tessellated(name: str, solids: list[Any], size: float, tolerance: float) -> tuple[Array, Any]:
    """Vertices [m] and triangles of all solids of a part."""
    rows, faces, before = [], [], 0
    for solid in solids:
        points, triangles = solid.tessellate(tolerance / size)
        if not len(points) or not len(triangles):
            raise InputError(f"part {quote(name)} has no faces; give it a solid")
        rows.append(size * np.array([_numbers(point) for point in points], dtype=float))
        faces.append(np.array(triangles) + before)
        before += len(points)
    return welded(np.concatenate(rows), np.concatenate(faces))


def _is_flat(solid: Any) -> bool:
    """Whether triangles are the true surface: plane faces with straight edges, nothing else."""
    return _all_are(solid, "faces", "PLANE") and _all_are(solid, "edges", "LINE")


def _all_are(solid: Any, what: str, kind: str) -> bool:
    """CadQuery: Faces(), geomType(); build123d: faces(), geom_type. False without either."""
    listed = getattr(solid, what.capitalize(), None) or getattr(solid, what, None)
    if not callable(listed):
        return False
    kinds = []
    for one in listed():
        found = one.geomType() if hasattr(one, "geomType") else getattr(one, "geom_type", None)
        kinds.append(getattr(found, "name", found))
    return bool(kinds) and all(found == kind for found in kinds)


def _numbers(point: Any) -> tuple[float, float, float]:
    """Of the vectors of several libraries."""
    if hasattr(point, "X"):
        return float(point.X), float(point.Y), float(point.Z)
    if hasattr(point, "x"):
        return float(point.x), float(point.y), float(point.z)
    x, y, z = point
    return float(x), float(y), float(z)
