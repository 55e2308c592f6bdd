"""How far inside: signed distance fields, point octrees and detection, usable alone."""

from dovetail.sdf.analytic import box, capsule, cylinder, of_shape, plane, sphere, union
from dovetail.sdf.building import OpenMeshWarning, build
from dovetail.sdf.detection import METHODS, Detection, detect
from dovetail.sdf.distance_mesh import ExactDistance, exact_distance
from dovetail.sdf.field import Field
from dovetail.sdf.field_octree import OctreeField
from dovetail.sdf.octree import Octree

__all__ = [
    "METHODS", "Detection", "ExactDistance", "Field", "Octree", "OctreeField", "OpenMeshWarning",
    "box", "build", "capsule", "cylinder", "detect", "exact_distance", "of_shape", "plane",
    "sphere", "union",
]  # fmt: skip
