"""The response of the velocities of jointed bodies to impulses: columns of the inverse KKT matrix.

An impulse on one body moves all that joints connect it to. The factors of the last stage that was
solved (`kkt.tree.factor`) contain that; each column is one more solve with them.
"""

from dovetail.linalg.kkt.tree import solve
from dovetail.linalg.vec3 import IDENTITY, load33, mat_t_vec, matvec
from dovetail.runtime.jit import jit


@jit
def wrench_responses(parts, G0, G1, R, bodies, responses):
    """(6m, 6m): change of (v, spin) of the m `bodies` per impulse (linear, angular), world axes.

    G0, G1 are the rows that were factored and R (n, 3, 3) the rotations there. Uses work.u, c,
    lam and kkt.b.
    """
    tree, work, kkt = parts.tree, parts.work, parts.kkt
    order, b, c, u, lam = tree.order, kkt.b, work.c, work.u, work.lam
    for r in range(c.shape[0]):
        c[r] = 0.0
    for column in range(responses.shape[1]):
        j, k = bodies[column // 6], column % 6
        for i in order:
            for row in range(6):
                b[i, row] = 0.0
        if k < 3:
            b[j, k] = 1.0
        else:
            angular = mat_t_vec(load33(R, j), IDENTITY[k - 3])
            for row in range(3):
                b[j, 3 + row] = angular[row]
        solve(tree, G0, G1, kkt, c, u, lam)
        for place in range(bodies.shape[0]):
            i = bodies[place]
            spin = matvec(load33(R, i), (u[i, 3], u[i, 4], u[i, 5]))
            for row in range(3):
                responses[6 * place + row, column] = u[i, row]
                responses[6 * place + 3 + row, column] = spin[row]
