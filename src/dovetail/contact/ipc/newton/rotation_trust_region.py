"""How far a body may turn in one Newton iteration.

A gram in front of a tonne that goes by a hundred times its size is to roll away by whole turns,
says Newton's direction, for it turns more easily than it moves; but along that arc it would strike
at once, so that both get on by a hairbreadth. So each body has a limit to its turn, and one that
exceeds it is made harder to turn (Levenberg's damping of its three rotations alone) and is pushed
along instead, which keeps gaps as they are. The limit falls where turning in contact cut a search
step short, and rises again where steps are long. Nothing is damped while nothing touches: a
needle that spins about its axis has only to turn then, and what suits its length would hold it.
"""

import math

from dovetail.contact.ipc.records import WHICH
from dovetail.linalg.block_cholesky.factor import factorise, solve
from dovetail.runtime.jit import jit

LARGEST_TURN = 2.0  # [rad] of a body in one iteration, so that two knots tell the way between
LEAST_TURN = 1e-3  # [rad]
MOST_DAMPINGS = 6
SHORT, LONG = 0.03, 0.25  # of a search step: below and above which limits fall and rise


@jit
def free_turns(room):
    """No limits but LARGEST_TURN."""
    most = room.most_turn
    for i in range(most.shape[0]):
        most[i] = LARGEST_TURN


@jit
def _turn(twist, i):
    return math.sqrt(twist[i, 3] ** 2 + twist[i, 4] ** 2 + twist[i, 5] ** 2)


@jit
def damp_turns(bodies, room, n_linked, shift, least_pivot, slope):
    """Solve again with turns damped that exceed their limits; returns the slope g.d."""
    owner, J, most = bodies.owner, bodies.J, room.most_turn
    diagonal, gradient, right, twist = room.diagonal, room.gradient, room.right, room.twist
    factor, m = room.factor, owner.shape[0]
    harder = 1.0
    for _ in range(MOST_DAMPINGS):
        beyond = False
        for k in range(m):
            i = owner[k]
            turn = _turn(twist, i)
            if turn > 1.001 * most[i]:
                beyond = True
                size = harder * (J[i, 0, 0] + J[i, 1, 1] + J[i, 2, 2]) * turn / most[i]
                for r in range(3, 6):
                    diagonal[k, r, r] += size
        if not beyond:
            break
        if factorise(factor, diagonal, room.off, n_linked, shift, least_pivot) >= 0:
            break
        for k in range(m):
            for r in range(6):
                right[k, r] = -gradient[k, r]
        solve(factor, right)
        slope = 0.0
        for k in range(m):
            for r in range(6):
                slope += gradient[k, r] * right[k, r]
                twist[owner[k], r] = right[k, r]
        harder *= 4.0
    return slope


@jit
def turning_body(lists, room, by, reach):
    """The body of pair `by` that turns more, or -1 where the two are not within `reach` [m].

    Needs the distances of the pose.
    """
    which = lists.numbers[WHICH]
    pairs, start, squared, twist = lists.pairs, lists.start, room.squared, room.twist
    if by < 0:
        return -1
    a, b = pairs[which, by, 0], pairs[which, by, 1]
    for c in range(start[which, by], start[which, by + 1]):
        if squared[c] < reach * reach:
            return a if _turn(twist, a) > _turn(twist, b) else b
    return -1


@jit
def limit_turns(room, turning, t):
    """After a search step of length t, that `turning` cut short: lower its limit, or raise all."""
    most = room.most_turn
    if t >= LONG:
        for i in range(most.shape[0]):
            most[i] = min(2.0 * most[i], LARGEST_TURN)
    elif t < SHORT and turning >= 0:
        most[turning] = max(0.25 * min(most[turning], _turn(room.twist, turning)), LEAST_TURN)
