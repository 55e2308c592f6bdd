"""Between the bodies of a scene and the labels of a tree: motion out, wrenches in."""

from typing import NamedTuple

import numpy as np

from dovetail.linalg.vec3 import (
    add,
    cross,
    load3,
    load33,
    mat_t_vec,
    matmul,
    matvec,
    store3,
    store33,
)
from dovetail.multibody.tree.kinematics import load6, store6
from dovetail.multibody.tree.records import empty_tree, workspace_for
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm


class BodyRows(NamedTuple):
    """Motion of all n bodies of a scene, as a BodyState has it."""

    x: np.ndarray  # (n, 3) centres of mass [m]
    R: np.ndarray  # (n, 3, 3)
    v: np.ndarray  # (n, 3) [m/s]
    omega: np.ndarray  # (n, 3) in body axes [rad/s]


@jit_in_place
def body_motion(tree, workspace, frames, label, bodies):
    """Motion of each body with a label > 0; positions and velocities must be known.

    frames (n + 1, 3, 3): the scene's body axes in the tree's frame, by label.
    """
    R, o, V, com = workspace.R, workspace.o, workspace.V, tree.com
    for body in range(label.size):
        i = label[body]
        if i > 0:
            Ri = load33(R, i)
            w, u = load6(V, i)
            arm = matvec(Ri, load3(com, i))
            axes = matmul(Ri, load33(frames, i))
            store3(bodies.x, body, add(load3(o, i), arm))
            store33(bodies.R, body, axes)
            store3(bodies.v, body, add(u, cross(w, arm)))
            store3(bodies.omega, body, mat_t_vec(axes, w))


@jit_in_place
def wrenches_by_label(label, force, torque, extra_force, extra_torque, wrench):
    """Rows (torque, force) of the tree from rows of the scene, two of each added up."""
    for body in range(label.size):
        i = label[body]
        if i > 0:
            store6(
                wrench,
                i,
                add(load3(torque, body), load3(extra_torque, body)),
                add(load3(force, body), load3(extra_force, body)),
            )


_WHOLE, _ROWS, _TURNS = np.empty(0, dtype=np.int64), np.empty((0, 3)), np.empty((0, 3, 3))
NO_BODIES = BodyRows(_ROWS, _TURNS, _ROWS, _ROWS)
warm(body_motion, empty_tree(), workspace_for(0, 0), _TURNS, _WHOLE, NO_BODIES)
warm(wrenches_by_label, _WHOLE, _ROWS, _ROWS, _ROWS, _ROWS, np.empty((0, 6)))
