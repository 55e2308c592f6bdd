"""What every joint type says about itself; all else is derived from it.

A joint type is a frozen dataclass derived from `Joint`, in a file of its own, that declares
    motions    the elementary motions it leaves, in order (`motions`)
    equations  the equations it keeps, 6 less its freedoms (`equations`)
    axes       how many axes place it: 0, 1 (`axis`), or 2 (`axis2` too)
and a field with metadata DIRECTION, LENGTH or NUMBER for whatever else a scene may give. From these
come its coordinates in a tree, its rows in maximal coordinates, how it closes a loop, its keys in
a scene file and its marks in a view.
"""

import math
import re
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from dovetail.model.joints.actuation import Actuation
from dovetail.model.joints.equations import Equation
from dovetail.model.joints.motions import Coordinate, FreeMotion, Motion, coordinates_of
from dovetail.model.values import (
    CopiedFields,
    Mistakes,
    number,
    quote,
    unit_vector3,
    vector3,
)

DIRECTION = {"quantity": "direction", "unit": ""}
LENGTH = {"quantity": "length", "unit": "m"}
NUMBER = {"quantity": "number", "unit": ""}
"""Metadata of a field that a scene may give: three numbers, a number [m], a plain number."""


@dataclass(frozen=True)
class Joint(CopiedFields):
    """Common to all joints: where, along what, and what acts on its coordinates."""

    point: Any = (0.0, 0.0, 0.0)
    axis: Any = (0.0, 0.0, 1.0)
    actuation: Any = field(default=(), kw_only=True)
    """A `dt.Actuation`, or a list with one for each freedom."""
    point_b: Any = field(default=None, kw_only=True)
    """Where `point` is on the second body, if that is placed only roughly; default: `point`."""
    axis_b: Any = field(default=None, kw_only=True)
    """Where `axis` points on the second body, if that is placed only roughly; default: `axis`."""

    motions: ClassVar[tuple[Motion, ...]] = ()
    equations: ClassVar[tuple[Equation, ...]] = ()
    axes: ClassVar[int] = 1

    kind: ClassVar[str] = "joint"
    """Its name in messages: the class's, in small letters with hyphens."""
    freedoms: ClassVar[int] = 0
    """Relative motions it leaves."""
    coordinates: ClassVar[tuple[Coordinate, ...]] = ()
    """One for each freedom, in their natural order."""

    def __post_init__(self) -> None:
        if isinstance(self.actuation, Actuation):  # one is a list of one
            object.__setattr__(self, "actuation", (self.actuation,))
        super().__post_init__()

    def __init_subclass__(cls) -> None:
        if "kind" not in cls.__dict__:
            cls.kind = re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()
        if all(isinstance(motion, Motion) for motion in cls.motions):
            cls.coordinates = coordinates_of(tuple(cls.motions))
            cls.freedoms = len(cls.coordinates)

    @classmethod
    def parameters(cls) -> dict[str, str]:
        """What a scene may give beside point and axis: name -> "direction", "length", "number"."""
        given = {one.name: one.metadata for one in fields(cls)}
        return {name: about["quantity"] for name, about in given.items() if "quantity" in about}

    @property
    def is_rough(self) -> bool:
        """Whether its bodies are placed only roughly, so that it must be closed before a run."""
        return self.point_b is not None or self.axis_b is not None

    @property
    def lead(self) -> float:
        """[m/rad] Advance of its helix, 0 without one."""
        return float(getattr(self, "pitch", 0.0)) / (2.0 * math.pi)

    def mistakes(self, who: str) -> list[str]:
        found = Mistakes()
        found.take(vector3, self.point, f"`point` of {who}", "m")
        first = None
        if self.axes:
            first = found.take(unit_vector3, self.axis, f"`axis` of {who}")
        if self.point_b is not None:
            found.take(vector3, self.point_b, f"`point_b` of {who}", "m")
        if self.axis_b is not None:
            found.take(unit_vector3, self.axis_b, f"`axis_b` of {who}")
        if isinstance(self.actuation, tuple | list):
            self._check_actuation(found, who)
        else:
            found.append(
                f"`actuation` of {who} must be a dt.Actuation or a list of them, "
                f"got {quote(self.actuation)}"
            )
        taken = {one.name: _taken(found, self, one, who) for one in fields(self)}
        second = taken.get("axis2")
        if self.axes == 2 and first is not None and second is not None:
            if abs(float(first @ second)) > 1e-6:
                found.append(f"`axis` and `axis2` of {who} must be at right angles")
        return found

    @property
    def _moves_freely(self) -> bool:
        return any(isinstance(motion, FreeMotion) for motion in self.motions)

    def _check_actuation(self, found: Mistakes, who: str) -> None:
        if self.actuation and not self.freedoms:
            found.append(
                f"{who} leaves 0 motions, so nothing can drive or limit it: leave `actuation` out, "
                "or use a joint that moves, such as dt.Revolute"
            )
        elif len(self.actuation) > self.freedoms:
            found.append(
                f"{who} leaves {self.freedoms} motions, got actuation for {len(self.actuation)}"
            )
        for number_, entry in enumerate(self.actuation):
            if isinstance(entry, Actuation):
                if entry.motor is not None and self._moves_freely:
                    found.append(
                        f"coordinate {number_ + 1} of {who} has a motor, but a {self.kind} joint "
                        "holds no axis that it could turn or push along; use scene.add_force, a "
                        "spring, or a joint with an axis"
                    )
                wrong = entry.mistakes(f"coordinate {number_ + 1} of {who}")
                if not wrong and entry.armature and self._moves_freely:
                    wrong.append(
                        f"`armature` of coordinate {number_ + 1} of {who} must be 0: a {self.kind} "
                        "joint has no motor whose rotor could turn; add to the body's mass"
                    )
                found.extend(wrong)
            else:
                found.append(f"actuation of {who} must be dt.Actuation, got {quote(entry)}")


def _taken(found: Mistakes, joint: Joint, one: Any, who: str) -> Any:
    """The value of a parameter, checked; None for fields that are none, or wrong."""
    quantity, value = one.metadata.get("quantity"), getattr(joint, one.name)
    if quantity is None:
        return None
    if quantity == "direction":
        return found.take(unit_vector3, value, f"`{one.name}` of {who}")
    return found.take(number, value, f"`{one.name}` of {who}", one.metadata["unit"])
