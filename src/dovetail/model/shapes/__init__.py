"""Shapes: geometry in its own frame, with exact mass properties."""

from dovetail.model.shapes.box import Box
from dovetail.model.shapes.capsule import Capsule
from dovetail.model.shapes.compound import Compound, Placed
from dovetail.model.shapes.cone import Cone
from dovetail.model.shapes.cylinder import Cylinder
from dovetail.model.shapes.diagnosis import MeshDiagnosis
from dovetail.model.shapes.half_space import HalfSpace
from dovetail.model.shapes.mesh import Mesh
from dovetail.model.shapes.shape import MassProperties, Shape
from dovetail.model.shapes.sphere import Sphere
from dovetail.model.shapes.torus import Torus

__all__ = [
    "Box",
    "Capsule",
    "Compound",
    "Cone",
    "Cylinder",
    "HalfSpace",
    "MassProperties",
    "Mesh",
    "MeshDiagnosis",
    "Placed",
    "Shape",
    "Sphere",
    "Torus",
]
