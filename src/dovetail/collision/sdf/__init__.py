"""Signed distance fields, point octrees and detection, usable alone."""

from dovetail.collision.sdf.analytic import (
    box,
    capsule,
    cone,
    cylinder,
    of_shape,
    plane,
    sphere,
    torus,
    union,
)
from dovetail.collision.sdf.building import OpenMeshWarning, build
from dovetail.collision.sdf.detection import METHODS, Detection, detect
from dovetail.collision.sdf.distance_mesh import ExactDistance, exact_distance
from dovetail.collision.sdf.field import Field
from dovetail.collision.sdf.field_octree import OctreeField
from dovetail.collision.sdf.octree import Octree

__all__ = [
    "METHODS", "Detection", "ExactDistance", "Field", "Octree", "OctreeField", "OpenMeshWarning",
    "box", "build", "capsule", "cone", "cylinder", "detect", "exact_distance", "of_shape", "plane",
    "sphere", "torus", "union",
]  # fmt: skip
