"""Joints between two bodies, placed in world coordinates at the initial pose.

One file per joint type says which motions it leaves and which equations it keeps; a new joint is
one such file, here or in another package. Limits, springs, dampers and motors act on a joint's
coordinates in the order of its motions: an angle [rad] or a displacement [m].
"""

from dovetail.model.joints.actuation import Actuation
from dovetail.model.joints.cylindrical import Cylindrical
from dovetail.model.joints.equations import (
    gap,
    helix,
    right_angle,
    same_axis,
    same_directions,
    same_point,
)
from dovetail.model.joints.fixed import Fixed
from dovetail.model.joints.free import Free
from dovetail.model.joints.joint import DIRECTION, LENGTH, NUMBER, Joint
from dovetail.model.joints.motions import (
    BallRotation,
    FreeMotion,
    Helix,
    Rotation,
    Translation,
    X,
    Y,
    Z,
)
from dovetail.model.joints.planar import Planar
from dovetail.model.joints.prismatic import Prismatic
from dovetail.model.joints.registry import JOINTS
from dovetail.model.joints.revolute import Revolute
from dovetail.model.joints.screw import Screw
from dovetail.model.joints.spherical import Spherical
from dovetail.model.joints.universal import Universal

__all__ = [
    "DIRECTION",
    "JOINTS",
    "LENGTH",
    "NUMBER",
    "Actuation",
    "BallRotation",
    "Cylindrical",
    "Fixed",
    "Free",
    "FreeMotion",
    "Helix",
    "Joint",
    "Planar",
    "Prismatic",
    "Revolute",
    "Rotation",
    "Screw",
    "Spherical",
    "Translation",
    "Universal",
    "X",
    "Y",
    "Z",
    "gap",
    "helix",
    "right_angle",
    "same_axis",
    "same_directions",
    "same_point",
]
