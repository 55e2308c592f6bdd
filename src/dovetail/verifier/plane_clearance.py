"""Does a body enter a half-space on the path between two frames? The verifier's own answer.

The height of a vertex over the moving plane, h(s) = n(s).(D + s v + R(s) r), with the body and the
plane at constant world twists w and w_h, lies above its tangent at the middle of a piece of time
by no more than M tau^2 / 2 below, where
    M = |w_h| |w_h x n| (|D + s v + r| + (|v| + |w x r|) tau) + 2 |w_h x n| (|v| + |w x r|)
        + |w| |w x r|
bounds h''. Pieces are halved until every one is clear or a vertex is found on or under the plane.
"""

import numpy as np

from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import (
    IDENTITY,
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    matmul,
    matvec,
    norm,
    scale,
)
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm
from dovetail.verifier.path_clearance import ROUNDING, SHORTEST_PIECE
from dovetail.verifier.records import CLEAR, MEET, UNDECIDED

STACK = 64  # one entry for each of 44 halvings


@jit
def height_range(p, v, w, r, n, w_h, half):
    """Height now and its least over `half` a piece to both sides: (now, least)."""
    u, n_rate = cross(w, r), cross(w_h, n)
    speed, tilt = norm(v) + norm(u), norm(n_rate)
    bound = norm(w_h) * tilt * (norm(p) + speed * half) + 2.0 * tilt * speed + norm(w) * norm(u)
    rate = dot(n_rate, p) + dot(n, add(v, u))
    now = dot(n, p)
    return now, now - half * (abs(rate) + 0.5 * bound * half)


@jit
def path_over_plane(vertices, D, v, R, w, normal, w_h, radius, clearance, budget):
    """Whether a vertex meets the plane while s goes from 0 to 1: (code, s, vertex, tests).

    To meet is to come lower than `clearance` [m]. `D` from the plane's origin to the body's and
    `normal` of the plane at s = 0.
    """
    slack = ROUNDING * (norm(D) + norm(v) + radius)
    pieces = np.empty((STACK, 2))
    tests = 0
    undecided, undecided_s, undecided_vertex = False, 0.0, -1
    for i in range(vertices.shape[0]):
        pieces[0, 0], pieces[0, 1] = 0.0, 1.0
        top = 1
        while top > 0:
            top -= 1
            begin, end = pieces[top, 0], pieces[top, 1]
            s, half = 0.5 * (begin + end), 0.5 * (end - begin)
            if tests >= budget:
                return UNDECIDED, s, i, tests
            tests += 1
            r = matvec(matmul(exp(scale(s, w)), R), load3(vertices, i))
            n = matvec(exp(scale(s, w_h)), normal)
            p = add(add_scaled(D, s, v), r)
            now, least = height_range(p, v, w, r, n, w_h, half)
            if least > clearance + slack:
                continue
            if now < clearance - slack:
                return MEET, s, i, tests
            if end - begin <= SHORTEST_PIECE:
                undecided, undecided_s, undecided_vertex = True, s, i
                continue
            pieces[top, 0], pieces[top, 1] = s, end
            pieces[top + 1, 0], pieces[top + 1, 1] = begin, s
            top += 2
    if undecided:
        return UNDECIDED, undecided_s, undecided_vertex, tests
    return CLEAR, 1.0, -1, tests


_points = read_only(np.empty((0, 3)))
warm(path_over_plane, _points, ZERO, ZERO, IDENTITY, ZERO, ZERO, ZERO, 0.0, 0.0, 0)
