"""Joints between two bodies, placed in world coordinates at the initial pose.

Limits, springs, dampers and motors act on the joint's coordinates in their natural order:
a turn [rad] about the axis, or a slide [m] along it (a cylindrical joint has both, turn first).
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from dovetail.errors import InputError
from dovetail.model.values import (
    CopiedFields,
    Mistakes,
    not_negative,
    number,
    quote,
    unit_vector3,
    vector3,
)

MOTOR_MODES = ("position", "velocity")


@dataclass(frozen=True)
class Actuation:
    """What acts along one joint coordinate. SI units: N or N m per m or rad."""

    lower: float | None = None
    upper: float | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    friction: float = 0.0
    motor: Any = None  # a constant effort, a function of time, or ("position" | "velocity", f)
    effort_limit: float | None = None
    velocity_limit: float | None = None

    @property
    def motor_is_function(self) -> bool:
        """Whether Python code decides what the motor does, which no file can keep."""
        motor = self.motor
        return any(map(callable, motor)) if isinstance(motor, tuple | list) else callable(motor)

    def mistakes(self, who: str) -> list[str]:
        found = Mistakes()
        lower = upper = None
        if self.lower is not None:
            lower = found.take(number, self.lower, f"`lower` limit of {who}", "m or rad")
        if self.upper is not None:
            upper = found.take(number, self.upper, f"`upper` limit of {who}", "m or rad")
        if lower is not None and upper is not None and lower > upper:
            found.append(
                f"`lower` limit of {who} must be <= its `upper`, got {lower:g} > {upper:g}"
            )
        for name in ("stiffness", "damping", "friction"):
            found.take(not_negative, getattr(self, name), f"`{name}` of {who}")
        found.take(number, self.rest, f"`rest` of {who}", "m or rad")
        for name in ("effort_limit", "velocity_limit"):
            if getattr(self, name) is not None:
                found.take(not_negative, getattr(self, name), f"`{name}` of {who}")
        if self.motor is not None:
            found.take(_check_motor, self.motor, f"`motor` of {who}")
        return found


def _check_motor(motor: Any, what: str) -> None:
    """A constant effort, a function of time, or ("position" | "velocity", either of these)."""
    wanted = motor
    if isinstance(motor, tuple | list) and len(motor) == 2 and isinstance(motor[0], str):
        if motor[0] not in MOTOR_MODES:
            raise InputError(
                f"{what} must follow one of {', '.join(MOTOR_MODES)}, got {quote(motor[0])}"
            )
        wanted = motor[1]
    if not callable(wanted):
        number(wanted, what)


@dataclass(frozen=True)
class Joint(CopiedFields):
    """Common to all joints: where, along what, and what acts on its coordinates."""

    point: Any = (0.0, 0.0, 0.0)
    axis: Any = (0.0, 0.0, 1.0)
    actuation: Any = field(default=(), kw_only=True)
    point_b: Any = field(default=None, kw_only=True)
    """Where `point` sits on the second body, if that is placed only roughly; default: `point`."""
    axis_b: Any = field(default=None, kw_only=True)
    """Where `axis` points on the second body, if that is placed only roughly; default: `axis`."""
    axes: ClassVar[int] = 1  # how many axes the joint needs (0: none matters)
    freedoms: ClassVar[int] = 1  # relative motions it leaves

    @property
    def is_rough(self) -> bool:
        """Whether its bodies are placed only roughly, so that it must be closed before a run."""
        return self.point_b is not None or self.axis_b is not None

    @property
    def kind(self) -> str:
        return type(self).__name__.lower()

    def mistakes(self, who: str) -> list[str]:
        found = Mistakes()
        found.take(vector3, self.point, f"`point` of {who}", "m")
        if self.axes:
            found.take(unit_vector3, self.axis, f"`axis` of {who}")
        if self.point_b is not None:
            found.take(vector3, self.point_b, f"`point_b` of {who}", "m")
        if self.axis_b is not None:
            found.take(unit_vector3, self.axis_b, f"`axis_b` of {who}")
        if not isinstance(self.actuation, tuple | list):
            found.append(
                f"`actuation` of {who} must be a list of dt.Actuation, got {quote(self.actuation)}"
            )
            return found
        if len(self.actuation) > self.freedoms:
            found.append(
                f"{who} leaves {self.freedoms} motions, got actuation for {len(self.actuation)}"
            )
        for number_, entry in enumerate(self.actuation):
            if isinstance(entry, Actuation):
                found.extend(entry.mistakes(f"coordinate {number_ + 1} of {who}"))
            else:
                found.append(f"actuation of {who} must be dt.Actuation, got {quote(entry)}")
        return found


@dataclass(frozen=True)
class Fixed(Joint):
    """No relative motion."""

    axes: ClassVar[int] = 0
    freedoms: ClassVar[int] = 0


@dataclass(frozen=True)
class Revolute(Joint):
    """A turn about `axis` through `point`."""


@dataclass(frozen=True)
class Prismatic(Joint):
    """A slide along `axis`."""


@dataclass(frozen=True)
class Cylindrical(Joint):
    """A turn about and a slide along `axis`."""

    freedoms: ClassVar[int] = 2


@dataclass(frozen=True)
class Universal(Joint):
    """A turn about `axis` (fixed in the first body), then about `axis2` (fixed in the second)."""

    axis2: Any = (1.0, 0.0, 0.0)
    axes: ClassVar[int] = 2
    freedoms: ClassVar[int] = 2

    def mistakes(self, who: str) -> list[str]:
        found = Mistakes(super().mistakes(who))
        first = found.take(unit_vector3, self.axis, f"`axis` of {who}")
        second = found.take(unit_vector3, self.axis2, f"`axis2` of {who}")
        if first is not None and second is not None and abs(float(first @ second)) > 1e-6:
            found.append(f"`axis` and `axis2` of {who} must be at right angles")
        return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Spherical(Joint):
    """Any turn about `point`."""

    axes: ClassVar[int] = 0
    freedoms: ClassVar[int] = 3


@dataclass(frozen=True)
class Planar(Joint):
    """Two slides in the plane with normal `axis`, and a turn about it."""

    freedoms: ClassVar[int] = 3


@dataclass(frozen=True)
class Screw(Joint):
    """A turn about `axis` that advances `pitch` [m per turn] along it."""

    pitch: Any = 0.0

    def mistakes(self, who: str) -> list[str]:
        found = Mistakes(super().mistakes(who))
        found.take(number, self.pitch, f"`pitch` of {who}", "m per turn")
        return found


@dataclass(frozen=True)
class Free(Joint):
    """No constraint: six relative motions."""

    axes: ClassVar[int] = 0
    freedoms: ClassVar[int] = 6


JOINT_KINDS: dict[str, type[Joint]] = {
    kind.__name__.lower(): kind
    for kind in (
        Fixed, Revolute, Prismatic, Cylindrical, Universal, Spherical, Planar, Screw, Free,
    )
}  # fmt: skip
