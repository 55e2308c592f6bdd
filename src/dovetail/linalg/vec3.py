"""Three-vectors and 3x3 matrices as tuples, for use inside compiled kernels.

A vector is `(x, y, z)`; a matrix is a tuple of its three rows, so that `R[i][j]` reads as on paper.
Tuples live in registers: `R @ x` on small arrays compiles 4 times longer and runs 9 times slower.
Rows against one flat 9-tuple, for `matvec(matmul(R, R), x)` in a loop: 12 ns against 12 ns per
turn, and the same compile time within its noise, so the readable form was taken.
"""

import math

from dovetail.runtime.jit import jit

ZERO = (0.0, 0.0, 0.0)
IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@jit
def add(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@jit
def sub(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@jit
def scale(s, a):
    """s a, for a number s."""
    return (s * a[0], s * a[1], s * a[2])


@jit
def add_scaled(a, s, b):
    """a + s b, for a number s."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@jit
def neg(a):
    """-a."""
    return (-a[0], -a[1], -a[2])


@jit
def dot(a, b):
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit
def cross(a, b):
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@jit
def norm_squared(a):
    """|a|^2."""
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]


@jit
def norm(a):
    """|a|; squares may underflow below 1e-154 and overflow above 1e154."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@jit
def matvec(A, x):
    """A x."""
    return (dot(A[0], x), dot(A[1], x), dot(A[2], x))


@jit
def mat_t_vec(A, x):
    """A^T x."""
    return (
        A[0][0] * x[0] + A[1][0] * x[1] + A[2][0] * x[2],
        A[0][1] * x[0] + A[1][1] * x[1] + A[2][1] * x[2],
        A[0][2] * x[0] + A[1][2] * x[1] + A[2][2] * x[2],
    )


@jit
def transpose(A):
    """A^T."""
    return (
        (A[0][0], A[1][0], A[2][0]),
        (A[0][1], A[1][1], A[2][1]),
        (A[0][2], A[1][2], A[2][2]),
    )


@jit
def matmul(A, B):
    """A B."""
    return (mat_t_vec(B, A[0]), mat_t_vec(B, A[1]), mat_t_vec(B, A[2]))


@jit
def mat_add(A, B):
    """A + B."""
    return (add(A[0], B[0]), add(A[1], B[1]), add(A[2], B[2]))


@jit
def mat_sub(A, B):
    """A - B."""
    return (sub(A[0], B[0]), sub(A[1], B[1]), sub(A[2], B[2]))


@jit
def mat_scale(s, A):
    """s A, for a number s."""
    return (scale(s, A[0]), scale(s, A[1]), scale(s, A[2]))


@jit
def outer(a, b):
    """a b^T."""
    return (scale(a[0], b), scale(a[1], b), scale(a[2], b))


@jit
def determinant(A):
    """det A = r0 . (r1 x r2) of the rows."""
    return dot(A[0], cross(A[1], A[2]))


@jit
def _without(row, pivot_row, column):
    """`row` with its entry in `column` eliminated by `pivot_row`; both have 4 entries."""
    f = row[column] / pivot_row[column]
    return (
        row[0] - f * pivot_row[0],
        row[1] - f * pivot_row[1],
        row[2] - f * pivot_row[2],
        row[3] - f * pivot_row[3],
    )


@jit
def solve(A, b):
    """x with A x = b, by Gaussian elimination with partial pivoting.

    A singular A gives infinities or NaN, as division does; the caller checks the result.
    """
    p = (A[0][0], A[0][1], A[0][2], b[0])
    q = (A[1][0], A[1][1], A[1][2], b[1])
    r = (A[2][0], A[2][1], A[2][2], b[2])
    if abs(q[0]) > abs(p[0]):
        p, q = q, p
    if abs(r[0]) > abs(p[0]):
        p, r = r, p
    q = _without(q, p, 0)
    r = _without(r, p, 0)
    if abs(r[1]) > abs(q[1]):
        q, r = r, q
    r = _without(r, q, 1)
    z = r[3] / r[2]
    y = (q[3] - q[2] * z) / q[1]
    x = (p[3] - p[1] * y - p[2] * z) / p[0]
    return (x, y, z)


@jit
def load3(a, i):
    """Row i of an (n, 3) array as a vector."""
    return (a[i, 0], a[i, 1], a[i, 2])


@jit
def store3(a, i, v):
    """Row i of an (n, 3) array becomes the vector v."""
    a[i, 0] = v[0]
    a[i, 1] = v[1]
    a[i, 2] = v[2]


@jit
def load33(a, i):
    """Entry i of an (n, 3, 3) array as a matrix."""
    return (
        (a[i, 0, 0], a[i, 0, 1], a[i, 0, 2]),
        (a[i, 1, 0], a[i, 1, 1], a[i, 1, 2]),
        (a[i, 2, 0], a[i, 2, 1], a[i, 2, 2]),
    )


@jit
def store33(a, i, A):
    """Entry i of an (n, 3, 3) array becomes the matrix A."""
    for r in range(3):
        row = A[r]
        for c in range(3):
            a[i, r, c] = row[c]
