"""The rows of `constraints.rows` in world twists of the bodies with unknowns."""

from dovetail.linalg.vec3 import load33, matvec
from dovetail.multibody.constraints.rows import evaluate
from dovetail.runtime.jit import jit_in_place, jit_within


@jit_in_place
def any_rows(joints):
    """Whether there are any."""
    return joints.iterate.phi.shape[0] > 0


@jit_in_place
def evaluate_rows(rows, bodies, x, R, near, values):
    """Values and Jacobians at a pose into `values`; angles are the nearest to `near` (r,)."""
    phi, G, slot, free = values.phi, values.G, bodies.slot, bodies.free
    equations = rows.equations
    body = equations.body
    evaluate(equations, x, R, near, phi, values.angle, G)
    for r in range(phi.shape[0]):
        for side in range(body.shape[1]):
            i = body[r, side]
            if i < 0 or slot[i] < 0:
                for k in range(6):
                    G[r, side, k] = 0.0
                continue
            w = matvec(load33(R, i), (G[r, side, 3], G[r, side, 4], G[r, side, 5]))
            for k in range(3):
                G[r, side, 3 + k] = w[k]
            for k in range(6):
                if free[i, k] == 0:
                    G[r, side, k] = 0.0


@jit_within
def subtract_row(body, slot, G, r, amount, right):
    """right -= G^T amount of row r; `right` (m, 6)."""
    for side in range(body.shape[1]):
        i = body[r, side]
        if i >= 0 and slot[i] >= 0:
            for k in range(6):
                right[slot[i], k] -= amount * G[r, side, k]
