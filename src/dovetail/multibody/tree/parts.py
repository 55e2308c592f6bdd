"""Bodies and joints as placed in the world, from which a tree is built."""

from dataclasses import dataclass
from typing import Any

from dovetail.model.joints import JOINTS, Joint


@dataclass(frozen=True)
class TreeBody:
    """A rigid body at the initial pose. SI units."""

    mass: float
    com: Any = (0.0, 0.0, 0.0)
    """Centre of mass in the world [m]."""
    rotation: Any = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    """Body axes to world axes, 3x3."""
    inertia: Any = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    """About the centre of mass in body axes, 3x3 [kg m^2]."""


@dataclass(frozen=True)
class TreeJoint:
    """A joint between two bodies (0 is the ground), placed in the world at the initial pose."""

    kind: str | type[Joint]
    """A joint type, or the name it is registered by."""
    bodies: tuple[int, int]
    point: Any = (0.0, 0.0, 0.0)
    axis: Any = (0.0, 0.0, 1.0)
    axis2: Any = (1.0, 0.0, 0.0)
    pitch: float = 0.0
    """Advance of a helix [m per revolution]."""
    armature: tuple[float, ...] = ()
    """Of each of its velocities [kg or kg m^2]; those left out have none."""

    @property
    def joint_type(self) -> type[Joint]:
        found: type[Joint] = JOINTS.get(self.kind) if isinstance(self.kind, str) else self.kind
        return found
