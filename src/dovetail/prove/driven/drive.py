"""What is driven: joints, from where to where, by which force and in which time."""

from collections.abc import Mapping
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.frozen import Model
from dovetail.model.scene import Scene, with_joints
from dovetail.model.values import Mistakes, number, quote
from dovetail.prove.motion.sweeps import Coordinate, screws_of, swept_coordinates

BY = ("motor", "weight")
STRONG = 20.0  # times the weight of all that moves: how strong a motor is by default
EARTH = 9.81  # [m/s^2] by which motors and times are measured where the scene has no gravity
TIMES = 10.0  # the motion takes that many times what a fall over its length takes


class Drive:
    """The driven joints of a model."""

    def __init__(self, model: Model, drive: Any, by: str | None, force: Any, duration: Any) -> None:
        by = "motor" if by is None else by
        if by not in BY:
            raise InputError(f"`by` must be one of {', '.join(BY)}, got {quote(by)}")
        if by == "weight" and not np.any(model.gravity):
            raise InputError("the scene must have `gravity` to be driven by its weight")
        self._model = model
        self.by_motor = by == "motor"
        self.joints = _driven(model, drive)
        self.names = [model.joints[one.joint].name for one in self.joints]
        self.force = [self._strength(one, force) for one in self.joints]  # [N or N m]
        self.ends = _ends(drive, self.joints)
        self.duration = self._default_time() if duration is None else _positive(duration)  # [s]

    def arm_length(self, one: Coordinate) -> float:
        """[m] from the axis of a joint to the farthest point that may be moved; 1 for a length."""
        if one.quantity == "length":
            return 1.0
        screw = screws_of(self._model.joints[one.joint])[one.number]
        far = 0.0
        for x, R, body in zip(
            self._model.position, self._model.rotation, self._model.bodies, strict=True
        ):
            if body.motion == "dynamic" and len(body.surface.vertices):
                points = body.surface.vertices @ R.T + x
                speeds = np.linalg.norm(np.cross(screw[:3], points) + screw[3:], axis=1)
                far = max(far, float(speeds.max()))
        return far or 1.0

    def weight(self) -> float:
        """[N] of all that moves."""
        g = float(np.linalg.norm(self._model.gravity)) or EARTH
        moving = [body.motion == "dynamic" for body in self._model.bodies]
        return g * float(self._model.mass[moving].sum())

    def _strength(self, one: Coordinate, force: Any) -> float:
        """[N or N m]."""
        given = force
        if isinstance(force, Mapping):
            given = force.get(one.name, force.get(one.name.rpartition(" (")[0]))
        if given is None:
            return STRONG * self.weight() * self.arm_length(one)
        return _positive(given, f"`force` of joint {quote(one.name)}", "N or N m")

    def _default_time(self) -> float:
        g = float(np.linalg.norm(self._model.gravity)) or EARTH
        length = max(
            abs(end - start) * self.arm_length(one)
            for one, (start, end) in zip(self.joints, self.ends, strict=True)
        )
        return TIMES * sqrt(length / g)


def _positive(value: Any, what: str = "`duration`", unit: str = "s") -> float:
    found = number(value, what, unit)
    if not found > 0.0:
        raise InputError(f"{what} must be > 0 {unit}, got {found:g}")
    return found


def _driven(model: Model, drive: Any) -> list[Coordinate]:
    try:
        driven = swept_coordinates(model, drive, directed=True)
    except InputError as error:
        raise InputError([line.replace("`sweep`", "`drive`") for line in error.mistakes]) from None
    found = Mistakes()
    for one in driven:
        if one.low == one.high:
            found.append(
                f"`drive` of joint {quote(one.name)} must go somewhere, got a single value"
            )
        if len(model.joints[one.joint].joint.coordinates) != 1:
            found.append(
                f"joint {quote(one.name)} must have one coordinate to be driven; drive revolute or "
                "prismatic joints"
            )
    found.raise_if_any()
    return driven


def _ends(drive: Any, driven: list[Coordinate]) -> list[tuple[float, float]]:
    """From, to, in the order they were given."""
    return [(float(drive[one.name][0]), float(drive[one.name][1])) for one in driven]


def without_motors(scene: Scene, names: list[str]) -> Scene:
    """The scene without motors that prescribe a motion of these joints; itself if it has none."""
    freed = {}
    for name in names:
        joint = scene.joints[name][0]
        entries = tuple(
            replace(entry, motor=None) if isinstance(entry.motor, tuple | list) else entry
            for entry in joint.actuation
        )
        if entries != joint.actuation:
            freed[name] = replace(joint, actuation=entries)
    return with_joints(scene, freed) if freed else scene
