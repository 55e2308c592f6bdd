"""Composite rigid bodies: the joint-space mass matrix."""

from dovetail.kernels.jit import jit
from dovetail.kernels.tree_inertia import (
    about_point,
    load_symmetric,
    symmetric_times,
    turned_inertia,
)
from dovetail.kernels.tree_motion import load6, place_body
from dovetail.kernels.vec3 import add, cross, dot, load3, load33, matvec, scale, sub


@jit
def mass_matrix(tree, scratch, q, M):
    """M(q) (n_v, n_v), symmetric; entries between bodies on different branches are zero.

    Walker, Orin 1982; Featherstone 2008, table 6.2. A composite is kept as mass, first moment
    and inertia about the origin of its root body (columns 0, 1-3 and 4-9 of scratch.I).
    """
    R, o, S, I = scratch.R, scratch.o, scratch.S, scratch.I
    n = tree.parent.size
    for i in range(1, n):
        place_body(tree, i, q, R, o, S)
        Ri = load33(R, i)
        c = matvec(Ri, load3(tree.com, i))
        J = turned_inertia(Ri, load_symmetric(tree.inertia, i, 0))
        J = about_point(J, tree.mass[i], c)
        I[i, 0] = tree.mass[i]
        for k in range(3):
            I[i, 1 + k] = tree.mass[i] * c[k]
        for k in range(6):
            I[i, 4 + k] = J[k]
    for row in range(M.shape[0]):
        for col in range(M.shape[1]):
            M[row, col] = 0.0
    for i in range(n - 1, 0, -1):
        mass = I[i, 0]
        first = (I[i, 1], I[i, 2], I[i, 3])
        J = load_symmetric(I, i, 4)
        p = tree.parent[i]
        if p > 0:
            _add_composite(I, p, mass, first, J, sub(load3(o, i), load3(o, p)))
        for k in range(tree.v_start[i], tree.v_start[i + 1]):
            sw, sv = load6(S, k)
            f = add(scale(mass, sv), cross(sw, first))
            m = add(symmetric_times(J, sw), cross(first, sv))
            body = i
            while True:
                for j in range(tree.v_start[body], tree.v_start[body + 1]):
                    jw, jv = load6(S, j)
                    entry = dot(jw, m) + dot(jv, f)
                    M[k, j] = entry
                    M[j, k] = entry
                above = tree.parent[body]
                if above <= 0:
                    break
                m = add(m, cross(sub(load3(o, body), load3(o, above)), f))
                body = above


@jit
def _add_composite(I, p, mass, first, J, r):
    """Add to body p a composite whose origin is at r from p's."""
    I[p, 0] += mass
    for k in range(3):
        I[p, 1 + k] += first[k] + mass * r[k]
    # -hat(x + r)^2 dm summed: J - hat(r) hat(first) - hat(first) hat(r) - mass hat(r)^2
    arm = (2.0 * first[0] + mass * r[0], 2.0 * first[1] + mass * r[1], 2.0 * first[2] + mass * r[2])
    I[p, 4] += J[0] + arm[1] * r[1] + arm[2] * r[2]
    I[p, 7] += J[3] + arm[0] * r[0] + arm[2] * r[2]
    I[p, 9] += J[5] + arm[0] * r[0] + arm[1] * r[1]
    I[p, 5] += J[1] - 0.5 * (arm[0] * r[1] + arm[1] * r[0])
    I[p, 6] += J[2] - 0.5 * (arm[0] * r[2] + arm[2] * r[0])
    I[p, 8] += J[4] - 0.5 * (arm[1] * r[2] + arm[2] * r[1])
