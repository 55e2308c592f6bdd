"""How much closer two bodies can come to each other: bounds that common motion does not raise.

The distance of two features is the same from wherever it is seen. Seen from the world, a point of
a and one of b come closer by no more than both move; seen from a, whose points then rest, by no
more than those of b move, |t - t'| + |Q - Q'| r_b with t = R_a^T D, Q = R_a^T R_b; seen from b
likewise. All three hold, the least is taken. Along constant twists, D(t) = D + t ds, a point r of b
moves, seen from a, with (ds - w_a x D) - t w_a x ds + (w_b - w_a) x r per unit of t, so by at most
    |ds - w_a x D| + |w_a x ds| + |w_b - w_a| r_b.
The spectral norm of the difference of two rotations is their Frobenius distance over sqrt(2).
A half-space is not bounded: it may not rotate, and only the view from the world is used. A ball,
whose core is its centre, moves by D seen from the ring it rolls in, however fast that turns.
"""

import math

from dovetail.linalg.vec3 import cross, mat_t_vec, matmul, norm, sub, transpose
from dovetail.runtime.jit import jit_in_place

ROUNDING = 1e-13  # of sizes and distances, generous


@jit_in_place
def chord(A, B):
    """|A - B| of two rotations: the longest displacement of a point at distance 1."""
    total = 0.0
    for r in range(3):
        for c in range(3):
            d = A[r][c] - B[r][c]
            total += d * d
    return math.sqrt(0.5 * total)


@jit_in_place
def are_bounded(is_half_space, a, b):
    """Whether neither of two bodies is a half-space."""
    return is_half_space[a] == 0 and is_half_space[b] == 0


@jit_in_place
def _listed_rotation(R, p, k):
    return (
        (R[p, k, 0, 0], R[p, k, 0, 1], R[p, k, 0, 2]),
        (R[p, k, 1, 0], R[p, k, 1, 1], R[p, k, 1, 2]),
        (R[p, k, 2, 0], R[p, k, 2, 1], R[p, k, 2, 2]),
    )


@jit_in_place
def approach_since(reference, p, D, A, B, r_a, r_b, bounded, enough):
    """[m] how much closer points of two bodies can be than when list p was made.

    D leads from a to b, A and B are their rotations, `bounded` says that neither is a half-space;
    a bound of `enough` is not improved on.
    """
    error = ROUNDING * (norm(D) + r_a + r_b)
    listed, rotations = reference.displacement, reference.rotations
    was = (listed[p, 0], listed[p, 1], listed[p, 2])
    A_was, B_was = _listed_rotation(rotations, p, 0), _listed_rotation(rotations, p, 1)
    moved = norm(sub(D, was)) + chord(A, A_was) * r_a + chord(B, B_was) * r_b
    if moved > enough and bounded:
        rotated = chord(matmul(transpose(A), B), matmul(transpose(A_was), B_was))
        seen_from_a = norm(sub(mat_t_vec(A, D), mat_t_vec(A_was, was))) + rotated * r_b
        seen_from_b = norm(sub(mat_t_vec(B, D), mat_t_vec(B_was, was))) + rotated * r_a
        moved = min(moved, min(seen_from_a, seen_from_b))
    return moved + error


@jit_in_place
def relative_path(D, twist, a, b, r_a, r_b, bounded):
    """[m] how much closer points of bodies a and b can come along their whole twists.

    `bounded` says that neither is a half-space.
    """
    ds = (twist[b, 0] - twist[a, 0], twist[b, 1] - twist[a, 1], twist[b, 2] - twist[a, 2])
    w_a = (twist[a, 3], twist[a, 4], twist[a, 5])
    w_b = (twist[b, 3], twist[b, 4], twist[b, 5])
    path = norm(ds) + norm(w_a) * r_a + norm(w_b) * r_b
    if bounded:
        rotation = norm(sub(w_b, w_a))
        seen_from_a = norm(sub(ds, cross(w_a, D))) + norm(cross(w_a, ds)) + rotation * r_b
        seen_from_b = norm(sub(ds, cross(w_b, D))) + norm(cross(w_b, ds)) + rotation * r_a
        path = min(path, min(seen_from_a, seen_from_b))
    return path
