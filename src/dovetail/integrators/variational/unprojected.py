"""What joints exert at the end of a step whose velocities are not projected (scheme DL).

The multipliers of a point in time act in the step before and the step after, so at the end of a
step they are known exactly only after the next. Until then they are extended by the line through
the last two points: off by O(h^2), hence the velocity by O(h^3), less than the scheme itself. What
is extended is the wrench G^T lambda on each body, not lambda: where rows are implied by others
(loops), lambda is any of many, and differences of arbitrary ones would change the velocities.
"""

from dovetail.linalg.vec3 import load3, load33, mat_t_vec
from dovetail.multibody.constraints.bodies import JOINT, LIMIT, MOTOR, push
from dovetail.runtime.jit import jit


@jit
def keep_multipliers(h, h_before, constants, tree, now, after, work):
    """Multipliers of the start of the step; the wrench of joints there and, extended, at its end.

    Impulses at the start are (h + h_before)/2 times that. Torques are extended in world axes, since
    a body may spin fast. A limit's multiplier jumps and is not extended.
    """
    role, lam, multiplier = constants.role, work.lam, after.multiplier
    body, moves, order = tree.body, tree.moves, tree.order
    before, held, end = now.held, after.held, work.held
    force, torque = held[:, :3], held[:, 3:]
    held[...] = 0.0
    for r in range(lam.shape[0]):
        multiplier[r] = 2.0 * lam[r] / (h * (h + h_before))
        if role[r] == JOINT or role[r] == MOTOR:
            push(body, moves, now.R, now.G, r, multiplier[r], force, torque)
    ahead = h / h_before if h_before != 0.0 else 0.0
    for i in order:
        for k in range(6):
            end[i, k] = held[i, k] + ahead * (held[i, k] - before[i, k])
        turned = mat_t_vec(load33(after.R, i), load3(end[:, 3:], i))
        for k in range(3):
            end[i, 3 + k] = turned[k]


@jit
def add_held(constants, tree, after, held, share, b):
    """Add `share` [s] times what joints, motors and limits exert at the end to momenta b (n, 6)."""
    body, moves, role = tree.body, tree.moves, constants.role
    G, multiplier = after.G, after.multiplier
    for i in tree.order:
        for k in range(6):
            b[i, k] += share * held[i, k]
    for r in range(role.shape[0]):
        if role[r] == LIMIT and multiplier[r] != 0.0:
            for side in range(body.shape[1]):
                i = body[r, side]
                if i >= 0 and moves[i]:
                    for k in range(6):
                        b[i, k] += share * G[r, side, k] * multiplier[r]
