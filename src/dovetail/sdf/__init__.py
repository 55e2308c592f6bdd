"""How far inside: signed distance fields, point octrees and detection, usable alone."""

from dovetail.sdf.analytic import box, capsule, cylinder, of_shape, plane, sphere, union
from dovetail.sdf.build import OpenMeshWarning, build
from dovetail.sdf.field import Field

__all__ = [
    "Field", "OpenMeshWarning", "box", "build", "capsule", "cylinder", "of_shape", "plane",
    "sphere", "union",
]  # fmt: skip
