"""Inertias on tuples: of a rigid body rotated to world axes, and articulated ones.

A symmetric 3x3 matrix is (xx, xy, xz, yy, yz, zz). An articulated inertia maps acceleration to
force at a body's origin by three blocks, moment = J w + H a and force = H^T w + M a: J and M
symmetric (6 entries), H full (9 entries, row by row).
"""

from dovetail.linalg.vec3 import dot, scale
from dovetail.runtime.jit import jit


@jit
def symmetric_times(A, x):
    """A x for a symmetric A."""
    return (
        A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
        A[1] * x[0] + A[3] * x[1] + A[4] * x[2],
        A[2] * x[0] + A[4] * x[1] + A[5] * x[2],
    )


@jit
def full_times(H, x):
    """H x."""
    return (
        H[0] * x[0] + H[1] * x[1] + H[2] * x[2],
        H[3] * x[0] + H[4] * x[1] + H[5] * x[2],
        H[6] * x[0] + H[7] * x[1] + H[8] * x[2],
    )


@jit
def transposed_times(H, x):
    """H^T x."""
    return (
        H[0] * x[0] + H[3] * x[1] + H[6] * x[2],
        H[1] * x[0] + H[4] * x[1] + H[7] * x[2],
        H[2] * x[0] + H[5] * x[1] + H[8] * x[2],
    )


@jit
def rotated_inertia(R, A):
    """R A R^T for a symmetric A."""
    # rows of R A
    a = symmetric_times(A, R[0])
    b = symmetric_times(A, R[1])
    return (
        dot(a, R[0]),
        dot(a, R[1]),
        dot(a, R[2]),
        dot(b, R[1]),
        dot(b, R[2]),
        dot(symmetric_times(A, R[2]), R[2]),
    )


@jit
def about_point(A, mass, c):
    """Inertia about a point from which the centre of mass is at c (Steiner)."""
    mx, my, mz = mass * c[0], mass * c[1], mass * c[2]
    xx, yy, zz = mx * c[0], my * c[1], mz * c[2]
    return (
        A[0] + yy + zz,
        A[1] - mx * c[1],
        A[2] - mx * c[2],
        A[3] + xx + zz,
        A[4] - my * c[2],
        A[5] + xx + yy,
    )


@jit
def load_symmetric(a, i, k):
    """Six entries of row i from column k."""
    return (a[i, k], a[i, k + 1], a[i, k + 2], a[i, k + 3], a[i, k + 4], a[i, k + 5])


@jit
def load_full(a, i, k):
    """Nine entries of row i from column k."""
    return (
        a[i, k],
        a[i, k + 1],
        a[i, k + 2],
        a[i, k + 3],
        a[i, k + 4],
        a[i, k + 5],
        a[i, k + 6],
        a[i, k + 7],
        a[i, k + 8],
    )


@jit
def store_symmetric(a, i, k, A):
    """Six entries of row i from column k become A."""
    a[i, k] = A[0]
    a[i, k + 1] = A[1]
    a[i, k + 2] = A[2]
    a[i, k + 3] = A[3]
    a[i, k + 4] = A[4]
    a[i, k + 5] = A[5]


@jit
def store_full(a, i, k, A):
    """Nine entries of row i from column k become A."""
    a[i, k] = A[0]
    a[i, k + 1] = A[1]
    a[i, k + 2] = A[2]
    a[i, k + 3] = A[3]
    a[i, k + 4] = A[4]
    a[i, k + 5] = A[5]
    a[i, k + 6] = A[6]
    a[i, k + 7] = A[7]
    a[i, k + 8] = A[8]


@jit
def add_symmetric(a, i, k, A):
    """Add A to six entries of row i from column k."""
    a[i, k] += A[0]
    a[i, k + 1] += A[1]
    a[i, k + 2] += A[2]
    a[i, k + 3] += A[3]
    a[i, k + 4] += A[4]
    a[i, k + 5] += A[5]


@jit
def add_full(a, i, k, A):
    """Add A to nine entries of row i from column k."""
    a[i, k] += A[0]
    a[i, k + 1] += A[1]
    a[i, k + 2] += A[2]
    a[i, k + 3] += A[3]
    a[i, k + 4] += A[4]
    a[i, k + 5] += A[5]
    a[i, k + 6] += A[6]
    a[i, k + 7] += A[7]
    a[i, k + 8] += A[8]


@jit
def without_symmetric(A, s, x):
    """A - s x x^T for a symmetric A."""
    a, b, c = s * x[0], s * x[1], s * x[2]
    return (
        A[0] - a * x[0],
        A[1] - a * x[1],
        A[2] - a * x[2],
        A[3] - b * x[1],
        A[4] - b * x[2],
        A[5] - c * x[2],
    )


@jit
def without_full(H, s, x, y):
    """H - s x y^T."""
    a, b, c = s * x[0], s * x[1], s * x[2]
    return (
        H[0] - a * y[0],
        H[1] - a * y[1],
        H[2] - a * y[2],
        H[3] - b * y[0],
        H[4] - b * y[1],
        H[5] - b * y[2],
        H[6] - c * y[0],
        H[7] - c * y[1],
        H[8] - c * y[2],
    )


@jit
def shifted_coupling(H, M, r):
    """H + hat(r) M: the block H seen from a point from which the old one is at r."""
    x, y, z = r
    return (
        H[0] + (y * M[2] - z * M[1]),
        H[1] + (y * M[4] - z * M[3]),
        H[2] + (y * M[5] - z * M[4]),
        H[3] + (z * M[0] - x * M[2]),
        H[4] + (z * M[1] - x * M[4]),
        H[5] + (z * M[2] - x * M[5]),
        H[6] + (x * M[1] - y * M[0]),
        H[7] + (x * M[3] - y * M[1]),
        H[8] + (x * M[4] - y * M[2]),
    )


@jit
def shifted_rotary(J, H, K, r):
    """J - H hat(r) + hat(r) K^T with K = H + hat(r) M: the block J seen from the new point."""
    x, y, z = r
    return (
        J[0] - (H[1] * z - H[2] * y) + (y * K[2] - z * K[1]),
        J[1] - (H[2] * x - H[0] * z) + (y * K[5] - z * K[4]),
        J[2] - (H[0] * y - H[1] * x) + (y * K[8] - z * K[7]),
        J[3] - (H[5] * x - H[3] * z) + (z * K[3] - x * K[5]),
        J[4] - (H[3] * y - H[4] * x) + (z * K[6] - x * K[8]),
        J[5] - (H[6] * y - H[7] * x) + (x * K[7] - y * K[6]),
    )


@jit
def store_rigid(I, i, mass, c, Jc):
    """I[i] about the origin of a rigid body; c [m] is its centre of mass, Jc the inertia there."""
    x, y, z = scale(mass, c)
    store_symmetric(I, i, 0, about_point(Jc, mass, c))
    store_full(I, i, 6, (0.0, -z, y, z, 0.0, -x, -y, x, 0.0))
    store_symmetric(I, i, 15, (mass, 0.0, 0.0, mass, 0.0, mass))


@jit
def add_to_parent(I, p, J, H, M, r):
    """I[p] += an articulated inertia at r [m] from the origin of p."""
    K = shifted_coupling(H, M, r)
    add_symmetric(I, p, 0, shifted_rotary(J, H, K, r))
    add_full(I, p, 6, K)
    add_symmetric(I, p, 15, M)
