r"""The rotation of a torque-free body in one step, from the discrete variational principle.

With W = log(R_k^T R_{k+1}) / h and the discrete Lagrangian h W.J W / 2, the momentum in body axes
at the start of the step is
    Pi = T^-T(-f) J f / h,   f = h W            (Huang et al. 2022, eqs. 15-18, RATTLie)
which is solved here as
    g(f) = J f - h J_r(f) Pi = 0,   J_r(f) p = p - c_2 f x p + c_3 f x (f x p),
because this form has no pole at |f| = 2 pi. The momentum in space is the same before and after.
"""

import math

from dovetail.linalg import stumpff
from dovetail.linalg.so3 import hat
from dovetail.linalg.vec3 import (
    IDENTITY,
    ZERO,
    add_scaled,
    cross,
    dot,
    mat_add,
    mat_scale,
    mat_sub,
    matmul,
    matvec,
    norm,
    outer,
    scale,
    solve,
    sub,
    transpose,
)
from dovetail.runtime.jit import jit

LARGEST_ROTATION = math.pi  # [rad] beyond it log(R_k^T R_{k+1}) names another rotation
TOLERANCE = 1e-13  # of |g| relative to |h Pi|
MAX_ITERATIONS = 20


@jit
def residual(J, q, f):
    """G(f) = J f - J_r(f) q with q = h Pi [N m s^2]."""
    x = norm(f)
    fq = cross(f, q)
    rotated = add_scaled(add_scaled(q, -stumpff.c2(x), fq), stumpff.c3(x), cross(f, fq))
    return sub(matvec(J, f), rotated)


@jit
def residual_jacobian(J, q, f):
    """dg/df = J - d(J_r(f) q)/df, with (dc_k/dx)/x = k c_{k+2} - c_{k+1}."""
    x = norm(f)
    c2, c3, c4, c5 = stumpff.c2(x), stumpff.c3(x), stumpff.c4(x), stumpff.c5(x)
    fq = cross(f, q)
    along = add_scaled(scale(c3 - 2.0 * c4, fq), 3.0 * c5 - c4, cross(f, fq))
    bent = mat_sub(mat_add(hat(fq), outer(q, f)), mat_scale(dot(f, q), IDENTITY))
    rotated = mat_add(mat_sub(mat_scale(c2, hat(q)), mat_scale(c3, bent)), outer(along, f))
    return mat_sub(J, rotated)


@jit
def newton(J, q, f):
    """Solve from the guess f; returns (f, iterations, relative residual).

    After a correction of relative size 1e-9 the quadratic convergence has reached round-off.
    """
    size = norm(q)
    iterations = 0
    while iterations < MAX_ITERATIONS:
        correction = solve(residual_jacobian(J, q, f), residual(J, q, f))
        f = sub(f, correction)
        iterations += 1
        if not norm(f) < 2.0 * LARGEST_ROTATION:  # NaN included
            break
        if norm(correction) <= 1e-9 * norm(f):
            break
    return f, iterations, norm(residual(J, q, f)) / size


@jit
def rotation(J, J_inverse, h, momentum):
    """Rotation vector f [rad] of a step h [s] with body momentum [N m s] at its start.

    Returns (f, iterations, relative residual); solved if the residual is at most TOLERANCE.
    The guess f = h W + h^2 dW/dt / 2 is good to third order; if Newton fails from it the solution
    is followed from small steps up to h.
    """
    q = scale(h, momentum)
    if norm(q) == 0.0:
        return ZERO, 0, 0.0
    first = matvec(J_inverse, q)
    guess = add_scaled(first, 0.5, matvec(J_inverse, cross(q, first)))
    f, iterations, error = newton(J, q, guess)
    if error <= TOLERANCE and norm(f) < LARGEST_ROTATION:
        return f, iterations, error
    pieces = 32
    f = scale(1.0 / pieces, first)
    for piece in range(1, pieces + 1):
        part = piece / pieces
        f, more, error = newton(J, scale(part, q), f)
        iterations += more
        if not error <= TOLERANCE:
            return f, iterations, error
        f = scale((piece + 1.0) / piece if piece < pieces else 1.0, f)
    return f, iterations, error


@jit
def orthogonalised(R):
    """R (3 I - R^T R) / 2: one Newton step to the nearest rotation.

    A defect of order e becomes one of order e^2, so that after every step only the round-off of
    the last product is left, however many steps there were.
    """
    defect = mat_sub(mat_scale(3.0, IDENTITY), matmul(transpose(R), R))
    return mat_scale(0.5, matmul(R, defect))
