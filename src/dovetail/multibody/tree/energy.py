"""Energies of a tree, summed over bodies."""

from typing import Any

import numpy as np

from dovetail.multibody.tree.equations import STANDARD_GRAVITY
from dovetail.multibody.tree.motion import motion
from dovetail.multibody.tree.structure import Tree


def kinetic_energy(tree: Tree, q: Any, v: Any) -> float:
    """Sum over bodies of m v^2 / 2 + w . J w / 2, and of rotors [J]."""
    moving = motion(tree, q, v)
    order = list(tree.topology.body_labels)
    frames = tree.body_frames[order]
    # angular velocity in the tree's body frame, where the inertia is stored
    omega = np.einsum(
        "nij,nkj,nk->ni", frames, moving.rotation, moving.angular_velocity, optimize=True
    )
    xx, xy, xz, yy, yz, zz = tree.arrays.inertia[order].T
    x, y, z = omega.T
    turning = (
        xx * x * x + yy * y * y + zz * z * z + 2.0 * (xy * x * y + xz * x * z + yz * y * z)
    ).sum()
    sliding = (tree.arrays.mass[order] * (moving.velocity**2).sum(axis=1)).sum()
    rotors = float(tree.arrays.armature @ tree.checked_v(v) ** 2)
    return float(0.5 * (sliding + turning + rotors))


def potential_energy(tree: Tree, q: Any, gravity: Any = STANDARD_GRAVITY) -> float:
    """Minus the sum over bodies of m g . x [J]; zero with all centres of mass at the origin."""
    order = list(tree.topology.body_labels)
    heights = motion(tree, q).com @ np.asarray(gravity, dtype=np.float64)
    return float(-(tree.arrays.mass[order] * heights).sum())
