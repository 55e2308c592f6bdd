"""Fields of simple shapes in closed form, and unions of them."""

from typing import Any

import numpy as np

from dovetail.collision.sdf.evaluate import NO_GRID, FieldArrays
from dovetail.collision.sdf.field import Field
from dovetail.collision.sdf.primitives import (
    BOX,
    BUNCH,
    CAPSULE,
    CONE,
    CYLINDER,
    KIND,
    PLANE,
    POSITION,
    ROTATION,
    SHAPE_COLUMNS,
    SIZES,
    SPHERE,
    TORUS,
)
from dovetail.errors import InputError
from dovetail.linalg.vec3 import ZERO
from dovetail.model.shapes import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    HalfSpace,
    Shape,
    Sphere,
    Torus,
)
from dovetail.model.values import Array, Mistakes, positive, unit_vector3, vector3
from dovetail.runtime.options import named_options
from dovetail.runtime.read_only import read_only

FEW = 3  # shapes that are evaluated one by one


@named_options
def sphere(radius: float) -> Field:
    """A ball [m] about the origin."""
    return _field([_row(SPHERE, positive(radius, "`radius`", "m"))])


@named_options
def box(size: Any) -> Field:
    """A block of edge lengths `size` [m] about the origin."""
    edges = vector3(size, "`size`", "m")
    return _field([_row(BOX, *(positive(float(edge), "`size`", "m") / 2 for edge in edges))])


@named_options
def cylinder(radius: float, height: float) -> Field:
    """A cylinder [m] along z about the origin."""
    sizes = positive(radius, "`radius`", "m"), positive(height, "`height`", "m") / 2
    return _field([_row(CYLINDER, *sizes)])


@named_options
def capsule(radius: float, height: float) -> Field:
    """A cylinder of length `height` [m] along z with half a ball on each end."""
    sizes = positive(radius, "`radius`", "m"), positive(height, "`height`", "m") / 2
    return _field([_row(CAPSULE, *sizes)])


@named_options
def cone(radius: float, height: float) -> Field:
    """A cone [m] with its base about the origin and its tip at z = `height`."""
    sizes = positive(radius, "`radius`", "m"), positive(height, "`height`", "m")
    return _field([_row(CONE, *sizes)])


@named_options
def torus(major: float, minor: float) -> Field:
    """A ring [m] about z: a tube of radius `minor` along a circle of radius `major`."""
    sizes = positive(major, "`major`", "m"), positive(minor, "`minor`", "m")
    return _field([_row(TORUS, *sizes)])


@named_options
def plane(normal: Any = (0.0, 0.0, 1.0), point: Any = (0.0, 0.0, 0.0)) -> Field:
    """The half-space below the plane through `point` [m] with outward `normal`."""
    row = _row(PLANE)
    row[ROTATION] = _frame_with_z(unit_vector3(normal, "`normal`")).ravel()
    row[POSITION] = vector3(point, "`point`", "m")
    return _field([row])


@named_options
def union(*fields: Field) -> Field:
    """The least of analytic fields: exact outside, inside no deeper than it is."""
    if not fields or any(field.spacing is not None for field in fields):
        raise InputError("`union` takes one or more analytic fields (of sphere, box, ...)")
    rows = [row for field in fields for row in field.arrays.shapes if row[KIND] != BUNCH]
    return _field(_bunched(rows))


def moved(field: Field, rotation: Array, translation: Array) -> Field:
    """An analytic field rotated by R (3, 3), then moved by x [m]."""
    rows = np.array(field.arrays.shapes)
    for row in rows:
        row[ROTATION] = (rotation @ row[ROTATION].reshape(3, 3)).ravel()
        row[POSITION] = rotation @ row[POSITION] + translation
    return _field(list(rows))


@named_options
def of_shape(shape: Shape) -> Field | None:
    """The closed form of a shape in its own frame; None for one that has none."""
    found = Mistakes(shape.mistakes())
    found.raise_if_any()
    if isinstance(shape, Sphere):
        return sphere(shape.radius)
    if isinstance(shape, Box):
        return box(shape.size)
    if isinstance(shape, Cylinder):
        return cylinder(shape.radius, shape.height)
    if isinstance(shape, Capsule):
        return capsule(shape.radius, shape.height)
    if isinstance(shape, Cone):
        return cone(shape.radius, shape.height)
    if isinstance(shape, Torus):
        return torus(shape.major, shape.minor)
    if isinstance(shape, HalfSpace):
        return plane(shape.unit_normal)
    if isinstance(shape, Compound):
        parts = [(of_shape(part.shape), part.pose) for part in shape.placed]
        known = [moved(field, *pose) for field, pose in parts if field is not None]
        return union(*known) if len(known) == len(parts) else None
    return None


def _row(kind: int, *sizes: float) -> Array:
    row = np.zeros(SHAPE_COLUMNS)
    row[KIND] = kind
    row[SIZES][: len(sizes)] = sizes
    row[ROTATION] = np.eye(3).ravel()
    return row


def _bunched(rows: list[Array]) -> list[Array]:
    """Rows in an order of place, those of each half behind the ball around them."""
    unbounded = [row for row in rows if row[KIND] == PLANE]
    shapes = [row for row in rows if row[KIND] != PLANE]
    return unbounded + (_halved(shapes) if len(shapes) > FEW else shapes)


def _halved(rows: list[Array]) -> list[Array]:
    centres = np.array([row[POSITION] for row in rows])
    lower, upper = centres.min(axis=0), centres.max(axis=0)
    ball = _row(BUNCH)
    ball[POSITION] = (lower + upper) / 2
    reach = [np.linalg.norm(row[POSITION] - ball[POSITION]) + row[SIZES].sum() for row in rows]
    members = rows
    if len(rows) > FEW:
        order = np.argsort(centres[:, int(np.argmax(upper - lower))], kind="stable")
        half = len(rows) // 2
        first, second = order[:half], order[half:]
        members = _halved([rows[k] for k in first]) + _halved([rows[k] for k in second])
    ball[SIZES][:2] = max(reach), len(members)
    return [ball, *members]


def _frame_with_z(normal: Array) -> Array:
    """A rotation with `normal` as its third column."""
    across = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    across /= np.linalg.norm(across)
    return np.column_stack([across, np.cross(normal, across), normal])


def _field(rows: list[Array]) -> Field:
    shapes = read_only(np.array(rows).reshape(-1, SHAPE_COLUMNS))
    return Field(FieldArrays(NO_GRID, ZERO, 1.0, shapes, False), error=0.0)
