"""Joints between two bodies, placed in world coordinates at the initial pose.

One file per joint type says which motions it leaves and which equations it keeps; a new joint is
one such file, here or in another package. Limits, springs, dampers and motors act on a joint's
coordinates in the order of its motions: an angle [rad] or a displacement [m].
"""

from dovetail.model.joints.actuation import Actuation
from dovetail.model.joints.cylindrical import Cylindrical
from dovetail.model.joints.fixed import Fixed
from dovetail.model.joints.free import Free
from dovetail.model.joints.joint import Joint
from dovetail.model.joints.planar import Planar
from dovetail.model.joints.prismatic import Prismatic
from dovetail.model.joints.registry import JOINTS
from dovetail.model.joints.revolute import Revolute
from dovetail.model.joints.screw import Screw
from dovetail.model.joints.spherical import Spherical
from dovetail.model.joints.universal import Universal

__all__ = [
    "JOINTS",
    "Actuation",
    "Cylindrical",
    "Fixed",
    "Free",
    "Joint",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screw",
    "Spherical",
    "Universal",
]
