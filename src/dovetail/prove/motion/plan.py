"""What moves in a question: parameters with their ranges, and coordinates that follow them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote
from dovetail.prove.motion.course import course_of
from dovetail.prove.motion.enclosure import Driven, Followers
from dovetail.prove.motion.loops import JointGraph, closure_of, follower_coordinates, following
from dovetail.prove.motion.records import Course
from dovetail.prove.motion.sweeps import Coordinate, swept_coordinates

PATH = "path"  # what the parameter of a path is called in answers


@dataclass(frozen=True, eq=False)
class Plan:
    """Parameters are swept; coordinates move, on a course where there is one."""

    parameters: list[Coordinate]
    moving: list[Coordinate]
    course: Course | None = None
    driven: Driven | None = None

    def at(self, values: Array) -> dict[str, float]:
        """Joint values [rad or m] at parameters."""
        if self.driven is None or self.parameters[0].name != PATH:
            names = [one.name for one in self.parameters]
            return dict(zip(names, map(float, values), strict=True))
        row = self.driven.at(np.asarray(values[:1]))[0]
        return {
            self.moving[k].name: float(value)
            for k, value in zip(self.driven.coordinates, row, strict=True)
        }

    @property
    def reach(self) -> float:
        """[m] how far the translations of all coordinates go together."""
        if self.course is not None:
            most = self.course.reach + self.course.error
        else:
            most = np.array([max(abs(one.low), abs(one.high)) for one in self.moving])
        lengths = [one.quantity == "length" for one in self.moving]
        return float(most[lengths].sum())


def plan_of(model: Model, sweep: Any, path: Any = None) -> Plan:
    """The plan of a sweep or of a path; raises InputError."""
    if path is not None:
        if sweep:
            raise InputError("a question must have either `sweep` or `path`, got both")
        driven, corners, values = _path(model, path)
        joints, couplings = following(model, {one.joint for one in driven})
        parameter = Coordinate(PATH, -1, 0, 0.0, float(corners[-1]), "path")
        return _on_course(model, driven, corners, values, joints, couplings, parameter)
    swept = swept_coordinates(model, sweep)
    joints, couplings = following(model, {one.joint for one in swept})
    if not couplings and not _in_loop(model, joints):
        return Plan(swept, swept)
    if len(swept) > 1:
        extra = follower_coordinates(model, joints, swept)
        others = ", ".join(sorted({quote(one.name) for one in extra}))
        why = f"{others} would follow" if others else "they move each other"
        raise InputError(
            "several joints of closed loops or couplings cannot be swept over all combinations of "
            f"their ranges ({why}); sweep one joint, or give a `path`"
        )
    (one,) = swept
    corners = np.array([one.low, one.high])
    if one.low == one.high:
        corners[1] = np.nextafter(one.high, np.inf)
    return _on_course(model, swept, corners, corners[:, None].copy(), joints, couplings, one)


def _in_loop(model: Model, joints: set[int]) -> bool:
    graph = JointGraph(model, set(range(len(model.joints))) - joints)
    return any(joints & set(graph.loop(k)) for k in graph.cut)


def _on_course(
    model: Model,
    driven: list[Coordinate],
    corners: Array,
    values: Array,
    joints: set[int],
    couplings: list[Any],
    parameter: Coordinate,
) -> Plan:
    followers = follower_coordinates(model, joints, driven)
    used = {one.joint for one in driven}
    if not couplings and not _in_loop(model, joints):
        followers = [one for one in followers if one.joint not in used]  # locked ones
    moving = [*driven, *followers]
    n = len(driven)
    if not followers:
        slopes = np.diff(values, axis=0) / np.diff(corners)[:, None]
        cubics = np.zeros((len(slopes), n, 4))
        cubics[..., 0], cubics[..., 1] = values[:-1], slopes
        course = course_of(corners, cubics, np.zeros(n))
        return Plan([parameter], moving, course, Driven(list(range(n)), corners, values))
    size = _size(model)
    units = np.array([size if one.quantity == "length" else 1.0 for one in moving])
    closure = closure_of(model, moving, couplings, size)
    scaled = Driven(list(range(n)), corners, values / units[:n])
    found = Followers(closure, scaled, [one.name for one in moving], units)
    knots, cubics, error = found.cubics()
    course = course_of(knots, cubics * units[:, None], error * units)
    return Plan([parameter], moving, course, replace(scaled, values=values))


def _size(model: Model) -> float:
    """[m] how far joints and bodies are from the origin."""
    points = [np.asarray(placed.joint.point, float) for placed in model.joints]
    points += list(model.position)
    return float(max(np.linalg.norm(point) for point in points)) or 1.0


def _path(model: Model, path: Any) -> tuple[list[Coordinate], Array, Array]:
    """Driven coordinates, corners 0, 1, 2, ... and values (corners, number)."""
    if not isinstance(path, Mapping) or not path:
        raise InputError(
            "`path` must name joints and their values in order, such as "
            f"{{'push': (0, 0.01, 0.01), 'twist': (0, 0, 1.2)}} [rad or m], got {quote(path)}"
        )
    lengths = {len(row) if isinstance(row, Sequence) else -1 for row in path.values()}
    if len(lengths) != 1 or not min(lengths) >= 2:
        raise InputError(
            "`path` must give each joint the same number of values, at least two, got "
            + ", ".join(f"{quote(name)}: {quote(row)}" for name, row in path.items())
        )
    spans: dict[str, Any] = {}
    columns = []
    for name, row in path.items():
        pairs = [value if isinstance(value, list | tuple) else (value,) for value in row]
        try:
            table = np.array(pairs, dtype=float)
        except (TypeError, ValueError):
            table = np.zeros((0, 0))
        if table.ndim != 2 or not table.size or not np.isfinite(table).all():
            raise InputError(f"`path` of joint {quote(name)} must be numbers [rad or m]")
        ranges = [(float(column.min()), float(column.max())) for column in table.T]
        spans[name] = ranges[0] if len(ranges) == 1 else ranges
        columns += list(table.T)
    driven = swept_coordinates(model, spans)
    values = np.column_stack(columns)
    if not np.ptp(values, axis=0).any():
        raise InputError("`path` must move at least one joint")
    return driven, np.arange(float(len(values))), values
