"""Joint-coordinate dynamics over a labelled tree of bodies.

Every function takes a `Tree` from `build_tree` and arrays q (n_q,), v (n_v,) whose meaning per
joint stands in `dovetail.kernels.tree_motion`.
"""

from dovetail.dynamics.tree.build import TreeBody, TreeJoint, build_tree
from dovetail.dynamics.tree.configuration import integrate, neutral, random_configuration
from dovetail.dynamics.tree.energy import kinetic_energy, potential_energy
from dovetail.dynamics.tree.equations import (
    STANDARD_GRAVITY,
    forward_dynamics,
    inverse_dynamics,
    mass_matrix,
)
from dovetail.dynamics.tree.motion import Motion, motion
from dovetail.dynamics.tree.structure import Tree

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
