"""Rotation trust region: by how much a body may rotate in one Newton iteration.

A gram in front of a tonne that moves by a hundred times its size should roll away by whole
revolutions, says Newton's direction, for it rotates more easily than it moves; but along that arc
it would collide at once, so that neither advances. So each body has a limit to its rotation, and
one that exceeds it gets a larger rotational inertia (Levenberg's damping of its three rotations
alone) and is pushed along instead, which keeps gaps as they are. The limit falls where a rotation
in contact limited a search step, and rises again where steps are long. Nothing is damped while
nothing touches: a needle that spins about its axis has only to rotate then, and what suits its
length would stop it.
"""

import math

from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.linalg.block_cholesky.factor import factorise, solve
from dovetail.runtime.jit import jit_in_place

LARGEST_ANGLE = 2.0  # [rad] of a body in one iteration, so that two iterates define the path
LEAST_ANGLE = 1e-3  # [rad]
MAX_DAMPINGS = 6
SHORT, LONG = 0.03, 0.25  # of a search step: below and above which limits fall and rise


@jit_in_place
def reset_rotation_limits(workspace):
    """No limits but LARGEST_ANGLE."""
    limit = workspace.rotation_limit
    for i in range(limit.shape[0]):
        limit[i] = LARGEST_ANGLE


@jit_in_place
def _angle(twist, i):
    return math.sqrt(twist[i, 3] ** 2 + twist[i, 4] ** 2 + twist[i, 5] ** 2)


@jit_in_place
def damp_rotations(bodies, workspace, n_linked, shift, least_pivot, descent):
    """Solve again with rotations damped that exceed their limits; returns the descent g.d."""
    owner, J, limit, twist = bodies.owner, bodies.J, workspace.rotation_limit, workspace.twist
    system, factor = workspace.system, workspace.factor
    diagonal, gradient, right = system.diagonal, system.gradient, system.right
    m, damping = owner.shape[0], 1.0
    for _ in range(MAX_DAMPINGS):
        beyond = False
        for k in range(m):
            i = owner[k]
            angle = _angle(twist, i)
            if angle > 1.001 * limit[i]:
                beyond = True
                size = damping * (J[i, 0, 0] + J[i, 1, 1] + J[i, 2, 2]) * angle / limit[i]
                for r in range(3, 6):
                    diagonal[k, r, r] += size
        if not beyond:
            break
        if factorise(factor, diagonal, system.off, n_linked, shift, least_pivot) >= 0:
            break
        for k in range(m):
            for r in range(6):
                right[k, r] = -gradient[k, r]
        solve(factor, right)
        descent = 0.0
        for k in range(m):
            for r in range(6):
                descent += gradient[k, r] * right[k, r]
                twist[owner[k], r] = right[k, r]
        damping *= 4.0
    return descent


@jit_in_place
def rotating_body(lists, workspace, limiting_pair, reach):
    """The body of a pair that rotates more, or -1 where the two are not within `reach` [m].

    Needs the distances of the pose.
    """
    if limiting_pair < 0:
        return -1
    candidates, squared, twist = active_candidates(lists), workspace.squared, workspace.twist
    pairs, start = candidates.pairs, candidates.start
    a, b = pairs[limiting_pair, 0], pairs[limiting_pair, 1]
    for c in range(start[limiting_pair], start[limiting_pair + 1]):
        if squared[c] < reach * reach:
            return a if _angle(twist, a) > _angle(twist, b) else b
    return -1


@jit_in_place
def update_rotation_limits(workspace, body, t):
    """After a search step of length t, that `body` limited: lower its limit, or raise all."""
    limit = workspace.rotation_limit
    if t >= LONG:
        for i in range(limit.shape[0]):
            limit[i] = min(2.0 * limit[i], LARGEST_ANGLE)
    elif t < SHORT and body >= 0:
        limit[body] = max(0.25 * min(limit[body], _angle(workspace.twist, body)), LEAST_ANGLE)
