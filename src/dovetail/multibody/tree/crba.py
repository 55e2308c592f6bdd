"""Composite rigid bodies: the joint-space mass matrix."""

import numpy as np

from dovetail.linalg.vec3 import add, cross, dot, load3, load33, matvec, scale, sub
from dovetail.multibody.tree.inertia import (
    about_point,
    load_symmetric,
    rotated_inertia,
    symmetric_times,
)
from dovetail.multibody.tree.kinematics import load6, positions
from dovetail.multibody.tree.records import empty_tree, workspace_for
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm


@jit_in_place
def mass_matrix(tree, workspace, q, M):
    """M(q) (n_v, n_v), symmetric; entries between bodies on different branches are zero.

    Walker, Orin 1982; Featherstone 2008, table 6.2. A composite is kept as mass, first moment
    and inertia about the origin of its root body (columns 0, 1-3 and 4-9 of workspace.I).
    """
    positions(tree, q, workspace)
    _composites(tree, workspace)
    parent, v_start = tree.parent, tree.v_start
    o, S, I = workspace.o, workspace.S, workspace.I
    for row in range(M.shape[0]):
        for col in range(M.shape[1]):
            M[row, col] = 0.0
    for i in range(parent.size - 1, 0, -1):
        first = (I[i, 1], I[i, 2], I[i, 3])
        J = load_symmetric(I, i, 4)
        for k in range(v_start[i], v_start[i + 1]):
            sw, sv = load6(S, k)
            f = add(scale(I[i, 0], sv), cross(sw, first))
            m = add(symmetric_times(J, sw), cross(first, sv))
            body = i
            while body > 0:
                for j in range(v_start[body], v_start[body + 1]):
                    jw, jv = load6(S, j)
                    entry = dot(jw, m) + dot(jv, f)
                    M[k, j] = entry
                    M[j, k] = entry
                m = add(m, cross(sub(load3(o, body), load3(o, parent[body])), f))
                body = parent[body]
            M[k, k] += tree.armature[k]


@jit_in_place
def _composites(tree, workspace):
    """Mass, first moment and inertia at its origin of each body with all it carries."""
    parent, masses, coms, inertias = tree.parent, tree.mass, tree.com, tree.inertia
    R, o, I = workspace.R, workspace.o, workspace.I
    for i in range(1, parent.size):
        Ri = load33(R, i)
        c = matvec(Ri, load3(coms, i))
        J = rotated_inertia(Ri, load_symmetric(inertias, i, 0))
        J = about_point(J, masses[i], c)
        I[i, 0] = masses[i]
        for k in range(3):
            I[i, 1 + k] = masses[i] * c[k]
        for k in range(6):
            I[i, 4 + k] = J[k]
    for i in range(parent.size - 1, 0, -1):
        p = parent[i]
        if p == 0:
            continue
        mass = I[i, 0]
        r = sub(load3(o, i), load3(o, p))
        I[p, 0] += mass
        for k in range(3):
            I[p, 1 + k] += I[i, 1 + k] + mass * r[k]
        # -hat(x + r)^2 dm summed: J - hat(r) hat(first) - hat(first) hat(r) - mass hat(r)^2
        x = 2.0 * I[i, 1] + mass * r[0]
        y = 2.0 * I[i, 2] + mass * r[1]
        z = 2.0 * I[i, 3] + mass * r[2]
        I[p, 4] += I[i, 4] + y * r[1] + z * r[2]
        I[p, 5] += I[i, 5] - 0.5 * (x * r[1] + y * r[0])
        I[p, 6] += I[i, 6] - 0.5 * (x * r[2] + z * r[0])
        I[p, 7] += I[i, 7] + x * r[0] + z * r[2]
        I[p, 8] += I[i, 8] - 0.5 * (y * r[2] + z * r[1])
        I[p, 9] += I[i, 9] + x * r[0] + y * r[1]


warm(mass_matrix, empty_tree(), workspace_for(0, 0), np.empty(0), np.empty((0, 0)))
