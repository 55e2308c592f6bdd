"""What the user describes: bodies, shapes, joints, loads; frozen when built."""

from dovetail.model.body import Body
from dovetail.model.couplings import Coupling
from dovetail.model.frozen import GROUND, Model
from dovetail.model.joints import (
    Actuation,
    Cylindrical,
    Fixed,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from dovetail.model.loads import ConstantForce, FunctionLoad, SpringDamper
from dovetail.model.materials import Material, PairMaterial
from dovetail.model.scene import Scene
from dovetail.model.shapes import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    HalfSpace,
    MassProperties,
    Mesh,
    MeshDiagnosis,
    Placed,
    Shape,
    Sphere,
    Torus,
)
from dovetail.model.surface import Surface
from dovetail.model.trajectories import PoseTable, Trajectory

__all__ = [
    "GROUND",
    "Actuation",
    "Body",
    "Box",
    "Capsule",
    "Compound",
    "Cone",
    "ConstantForce",
    "Coupling",
    "Cylinder",
    "Cylindrical",
    "Fixed",
    "Free",
    "FunctionLoad",
    "HalfSpace",
    "Joint",
    "MassProperties",
    "Material",
    "Mesh",
    "MeshDiagnosis",
    "Model",
    "PairMaterial",
    "Placed",
    "Planar",
    "PoseTable",
    "Prismatic",
    "Revolute",
    "Scene",
    "Screw",
    "Shape",
    "Sphere",
    "Spherical",
    "SpringDamper",
    "Surface",
    "Torus",
    "Trajectory",
    "Universal",
]
