"""Equations of motion of a tree: M(q) a + h(q, v) = tau + J^T wrench."""

from typing import Any

import numpy as np

from dovetail.errors import InputError, RunError
from dovetail.multibody.tree import aba, crba, rnea
from dovetail.multibody.tree.records import TreeWorkspace
from dovetail.multibody.tree.structure import Array, Tree

STANDARD_GRAVITY = (0.0, 0.0, -9.81)
"""[m/s^2], z upward."""


def forward_dynamics(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    gravity: Any = STANDARD_GRAVITY,
    wrench: Any = None,
    workspace: TreeWorkspace | None = None,
) -> Array:
    """Accelerations a (n_v,) from efforts tau (n_v,), by articulated bodies in linear time.

    wrench (n_bodies, 6): torque [N m] and force [N] on each body number at its centre of mass.
    """
    a = np.empty(tree.n_v)
    aba.forward_dynamics(
        tree.arrays,
        workspace or tree.workspace(),
        _gravity(gravity),
        tree.checked_q(q),
        tree.checked_v(v),
        tree.checked_v(tau, "tau"),
        wrench_by_label(tree, wrench),
        a,
    )
    if not np.isfinite(a).all():
        start = tree.arrays.v_start
        label = int(np.searchsorted(start, np.flatnonzero(~np.isfinite(a))[0], side="right")) - 1
        raise RunError(
            f"the acceleration of joint {tree.topology.joint_numbers[label - 1]} is not finite: "
            "nothing it moves has inertia in one of its directions, or q, v, tau are not finite"
        )
    return a


def inverse_dynamics(
    tree: Tree,
    q: Any,
    v: Any,
    a: Any,
    gravity: Any = STANDARD_GRAVITY,
    wrench: Any = None,
    workspace: TreeWorkspace | None = None,
) -> Array:
    """Efforts tau (n_v,) that give accelerations a (n_v,), by recursive Newton-Euler."""
    tau = np.empty(tree.n_v)
    rnea.inverse_dynamics(
        tree.arrays,
        workspace or tree.workspace(),
        _gravity(gravity),
        tree.checked_q(q),
        tree.checked_v(v),
        tree.checked_v(a, "a"),
        wrench_by_label(tree, wrench),
        tau,
    )
    return tau


def mass_matrix(tree: Tree, q: Any, workspace: TreeWorkspace | None = None) -> Array:
    """M(q) (n_v, n_v), by composite rigid bodies."""
    M = np.empty((tree.n_v, tree.n_v))
    crba.mass_matrix(tree.arrays, workspace or tree.workspace(), tree.checked_q(q), M)
    return M


def wrench_by_label(tree: Tree, wrench: Any) -> Array:
    """Wrenches of body numbers in rows of labels, with a row for the ground."""
    rows = np.zeros((tree.n_bodies + 1, 6))
    if wrench is not None:
        given = np.asarray(wrench, dtype=np.float64)
        if given.shape != (tree.n_bodies, 6):
            raise InputError(f"`wrench` must have shape ({tree.n_bodies}, 6), got {given.shape}")
        rows[list(tree.topology.body_labels)] = given
    return rows


def _gravity(gravity: Any) -> tuple[float, float, float]:
    x, y, z = gravity
    return (float(x), float(y), float(z))
