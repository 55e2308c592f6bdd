"""Where the bodies are and how they move, in the user's body numbers and axes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.multibody.tree import kinematics
from dovetail.multibody.tree.records import TreeWorkspace
from dovetail.multibody.tree.structure import Array, Tree


@dataclass(frozen=True)
class Motion:
    """Poses and velocities of all bodies; row i - 1 is body number i. World axes, SI units."""

    com: Array
    """(n_bodies, 3) centres of mass [m]."""
    rotation: Array
    """(n_bodies, 3, 3) body axes to world axes."""
    velocity: Array
    """(n_bodies, 3) velocities of the centres of mass [m/s]."""
    angular_velocity: Array
    """(n_bodies, 3) [rad/s]."""


def motion(tree: Tree, q: Any, v: Any = None, workspace: TreeWorkspace | None = None) -> Motion:
    """Forward kinematics: poses, and velocities when v is given (else at rest)."""
    work = workspace or tree.workspace()
    speeds = np.zeros(tree.n_v) if v is None else tree.checked_v(v)
    kinematics.positions(tree.arrays, tree.checked_q(q), work)
    kinematics.velocities(tree.arrays, speeds, work)
    arms = np.einsum("nij,nj->ni", work.R, tree.arrays.com)
    omega = work.V[:, :3]
    order = list(tree.topology.body_labels)
    return Motion(
        com=(work.o + arms)[order],
        rotation=(work.R @ tree.body_frames)[order],
        velocity=(work.V[:, 3:] + np.cross(omega, arms))[order],
        angular_velocity=omega[order],
    )
