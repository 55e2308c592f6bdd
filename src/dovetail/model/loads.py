"""Forces that do not come from contact: constant, spring-damper, or a user's function.

Points are given in world coordinates at the initial pose and stay attached to their body.
"""

from dataclasses import dataclass
from typing import Any

from dovetail.model.values import CopiedFields, Mistakes, not_negative, quote, vector3

FRAMES = ("world", "body")


@dataclass(frozen=True)
class ConstantForce(CopiedFields):
    """`force` [N] at `point` (None: the centre of mass) and `torque` [N m] on one body.

    Both keep their direction in the world, or turn with the body when `frame` is "body".
    """

    body: str
    force: Any = (0.0, 0.0, 0.0)
    torque: Any = (0.0, 0.0, 0.0)
    point: Any = None
    frame: str = "world"

    def bodies(self) -> tuple[str, ...]:
        return (self.body,)

    def mistakes(self, who: str) -> list[str]:
        found = Mistakes()
        found.take(vector3, self.force, f"`force` of {who}", "N")
        found.take(vector3, self.torque, f"`torque` of {who}", "N m")
        if self.point is not None:
            found.take(vector3, self.point, f"`point` of {who}", "m")
        if not isinstance(self.frame, str) or self.frame not in FRAMES:
            found.append(f"`frame` of {who} must be world or body, got {quote(self.frame)}")
        return found


@dataclass(frozen=True)
class SpringDamper(CopiedFields):
    """f = -k (|d| - rest) - c d|d|/dt along the line d between two attached points.

    `stiffness` k [N/m], `damping` c [N s/m]; `rest_length` [m], None is the distance of the
    points at the start.
    """

    body_a: str
    body_b: str
    point_a: Any
    point_b: Any
    stiffness: Any = 0.0
    damping: Any = 0.0
    rest_length: Any = None

    def bodies(self) -> tuple[str, ...]:
        return (self.body_a, self.body_b)

    def mistakes(self, who: str) -> list[str]:
        found = Mistakes()
        found.take(vector3, self.point_a, f"`point_a` of {who}", "m")
        found.take(vector3, self.point_b, f"`point_b` of {who}", "m")
        found.take(not_negative, self.stiffness, f"`stiffness` of {who}", "N/m")
        found.take(not_negative, self.damping, f"`damping` of {who}", "N s/m")
        if self.rest_length is not None:
            found.take(not_negative, self.rest_length, f"`rest_length` of {who}", "m")
        texts = isinstance(self.body_a, str) and isinstance(self.body_b, str)
        if texts and self.body_a == self.body_b:
            found.append(f"{who} must join two different bodies, got {quote(self.body_a)} twice")
        return found


@dataclass(frozen=True)
class FunctionLoad:
    """`function(t, state)` returns {body name: (force [N], torque [N m])}, world axes, at the
    centre of mass. `state.position(name)`, `.rotation`, `.velocity`, `.angular_velocity` give
    where things are. A function cannot be written to a file.
    """

    function: Any

    def bodies(self) -> tuple[str, ...]:
        return ()

    def mistakes(self, who: str) -> list[str]:
        if callable(self.function):
            return []
        return [f"`function` of {who} must be callable, got {quote(self.function)}"]


Load = ConstantForce | SpringDamper | FunctionLoad
