"""Joint-coordinate dynamics over a labelled tree: kinematics, RNEA, CRBA, ABA.

Every function takes a `Tree` from `build_tree` and arrays q (n_q,), v (n_v,) whose meaning per
joint is described in `dovetail.multibody.tree.kinematics`.
"""

from dovetail.multibody.tree.build import build_tree
from dovetail.multibody.tree.configuration import integrate, neutral, random_configuration
from dovetail.multibody.tree.energy import kinetic_energy, potential_energy
from dovetail.multibody.tree.equations import (
    STANDARD_GRAVITY,
    forward_dynamics,
    inverse_dynamics,
    mass_matrix,
)
from dovetail.multibody.tree.motion import Motion, motion
from dovetail.multibody.tree.parts import TreeBody, TreeJoint
from dovetail.multibody.tree.structure import Tree

__all__ = [
    "STANDARD_GRAVITY",
    "Motion",
    "Tree",
    "TreeBody",
    "TreeJoint",
    "build_tree",
    "forward_dynamics",
    "integrate",
    "inverse_dynamics",
    "kinetic_energy",
    "mass_matrix",
    "motion",
    "neutral",
    "potential_energy",
    "random_configuration",
]
