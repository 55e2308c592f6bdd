"""A link of a robot description, and how it moves against its parent."""

from dataclasses import dataclass, field

import numpy as np

from dovetail.model.joints import Actuation
from dovetail.model.shapes import Placed
from dovetail.model.values import Array


@dataclass(frozen=True, eq=False)
class Movement:
    """One rotation [rad] or translation [m], or more at once, in world coordinates at the start."""

    name: str
    kind: str  # "rotation", "translation", "ball" (about the point), "plane" (normal to the axis)
    point: Array
    axis: Array
    actuation: tuple[Actuation, ...] = ()


@dataclass(eq=False)
class Link:
    """One link; its frame is at `position`, `rotation` in the world at the start."""

    name: str
    position: Array
    rotation: Array
    parent: int | None = None  # number of a link before this one; None is the ground
    joint: str = ""  # name of the joint to the parent
    movements: tuple[Movement, ...] = ()  # next to the parent first; none: held by the parent
    free: bool = False  # moves freely whatever the parent
    mass: float = 0.0  # [kg]
    centre: Array = field(default_factory=lambda: np.zeros(3))  # of mass, in the link's frame
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))  # about it, link's axes
    pieces: list[Placed] = field(default_factory=list)  # geometry in the link's frame
    group: str | None = None
    material: str | None = None
    velocity: Array = field(default_factory=lambda: np.zeros(3))  # [m/s] of the centre of mass
    angular_velocity: Array = field(default_factory=lambda: np.zeros(3))  # [rad/s] world axes
