"""The inertia term of the incremental potential of one body, on the group.

    E = m/2 |x - x^|^2 + 1/2 tr((R - R^) J (R - R^)^T) - h^2 torque . vee(R R_0^T),
with J = tr(I)/2 1 - I for the inertia I [kg m^2] in the body frame, x^ = x_0 + h v + h^2 f/m and
R^ = R_0 + h [w_0] R_0 (implicit Euler). Ferguson et al., Rigid IPC (2021), eqs. 7-9, with two
changes: a constant has been added so that E is a sum of squares and keeps its digits near its
minimum, and the torque enters by its own linear term, so that J need not have an inverse (a flat
body's has none). The gradient of the last term at R_0 is -h^2 torque, as it must be.

Derivatives in the twist (s, w), x <- x + s, R <- exp([w]) R, with S = R J R^^T:
    dE = (m (x - x^), 2 vee(S)),   d2E = (m 1, tr(S) 1 - sym(S)),
where the torque adds 1/2 R R_0^T [h^2 torque]^T to S.
"""

from dovetail.linalg.so3 import hat, vee
from dovetail.linalg.vec3 import (
    IDENTITY,
    ZERO,
    dot,
    mat_add,
    mat_scale,
    mat_sub,
    matmul,
    norm_squared,
    scale,
    sub,
    transpose,
)
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm


@jit_in_place
def second_moment(inertia):
    """J = tr(I)/2 1 - I [kg m^2], the integral of r r^T dm."""
    half = 0.5 * (inertia[0][0] + inertia[1][1] + inertia[2][2])
    return mat_sub(mat_scale(half, IDENTITY), inertia)


@jit_in_place
def torque_part(P, impulse):
    """1/2 P [impulse]^T: tr(exp([w]) .) of it is the work vee(exp([w]) P) . impulse."""
    return mat_scale(-0.5, matmul(P, hat(impulse)))


@jit_in_place
def inertia_energy(mass, J, x, R, x_hat, R_hat, R_0, impulse):
    """E [kg m^2]; `impulse` is h^2 torque [kg m^2] about the centre, world axes."""
    off = mat_sub(R, R_hat)
    spread = 0.0
    weighted = matmul(off, J)
    for i in range(3):
        spread += dot(weighted[i], off[i])
    work = dot(vee(matmul(R, transpose(R_0))), impulse)
    return 0.5 * mass * norm_squared(sub(x, x_hat)) + 0.5 * spread - work


@jit_in_place
def inertia_terms(mass, J, x, R, x_hat, R_hat, R_0, impulse):
    """(dE/ds, dE/dw, d2E/dw2); d2E/ds2 = mass 1 and the mixed part is zero."""
    P = matmul(R, transpose(R_0))
    S = mat_add(matmul(matmul(R, J), transpose(R_hat)), torque_part(P, impulse))
    trace = S[0][0] + S[1][1] + S[2][2]
    symmetric = mat_scale(0.5, mat_add(S, transpose(S)))
    H = mat_sub(mat_scale(trace, IDENTITY), symmetric)
    return scale(mass, sub(x, x_hat)), scale(2.0, vee(S)), H


_example = (1.0, IDENTITY, ZERO, IDENTITY, ZERO, IDENTITY, IDENTITY, ZERO)
warm(inertia_energy, *_example)
warm(inertia_terms, *_example)
warm(second_moment, IDENTITY)
