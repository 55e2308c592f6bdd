"""The rows of `constraints.rows` in world twists of the bodies with unknowns."""

from dovetail.linalg.vec3 import load33, matvec
from dovetail.multibody.constraints.rows import evaluate
from dovetail.runtime.jit import jit_in_place, jit_within

UNKNOWN, AT_ITERATE, AT_START = range(3)  # `known` of `JointArrays`


@jit_in_place
def any_rows(joints):
    """Whether there are any."""
    return joints.iterate.phi.shape[0] > 0


@jit_in_place
def evaluate_rows(rows, bodies, x, R, near, values):
    """Values and Jacobians at a pose into `values`; angles are the nearest to `near` (r,)."""
    evaluate(rows.equations, x, R, near, values.phi, values.angle, values.G)
    _turn_to_world(rows.equations.body, bodies, R, values.G)


@jit_in_place
def take_rows(joints, bodies, R, phi, angle, G):
    """The rows at the pose that the next step starts from are these, `G` in body twists."""
    values = joints.iterate
    own_phi, own_angle, own_G = values.phi, values.angle, values.G
    for r in range(own_phi.shape[0]):
        own_phi[r], own_angle[r] = phi[r], angle[r]
        for side in range(own_G.shape[1]):
            for k in range(6):
                own_G[r, side, k] = G[r, side, k]
    _turn_to_world(joints.rows.equations.body, bodies, R, own_G)
    joints.known[0] = AT_START


@jit_in_place
def _turn_to_world(body, bodies, R, G):
    """Rotations of Jacobians in world axes; none of what cannot move."""
    slot, free = bodies.slot, bodies.free
    for r in range(G.shape[0]):
        for side in range(G.shape[1]):
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
