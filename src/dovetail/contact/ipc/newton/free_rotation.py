"""Where a body rotates to in a step without torques, its angular momentum kept.

R_0 + h R' (Ferguson et al., Rigid IPC (2021), eq. 8) leads along the chord of the last step, and
the nearest rotation to it has less spin, by h^2 omega^2 of itself: a ball would not roll on. Here
R^ = exp(phi) R_0 with the rotation phi of the step whose angular momentum is that of before,
    exp(phi) I_0 phi / h = L_0,   I_0 = R_0 I R_0^T,
in body axes psi = R_0^T phi: exp(psi) I psi = h I omega, solved by iterating
psi = I^-1 exp(-psi) h I omega. With equal moments of inertia psi = h omega at once.
"""

from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import mat_t_vec, matmul, matvec, norm, scale, solve, sub
from dovetail.runtime.jit import jit_in_place

MAX_ITERATIONS = 50
ACCURACY = 1e-15  # of the rotation


@jit_in_place
def free_rotation(J, R, omega, h):
    """R^ after h [s]; J [kg m^2] the second moment, omega [rad/s] in body axes.

    Where the iteration does not converge, for rotations of radians in a step, the last of it.
    """
    trace = J[0][0] + J[1][1] + J[2][2]
    inertia = (
        (trace - J[0][0], -J[0][1], -J[0][2]),
        (-J[1][0], trace - J[1][1], -J[1][2]),
        (-J[2][0], -J[2][1], trace - J[2][2]),
    )
    momentum = scale(h, matvec(inertia, omega))
    psi = scale(h, omega)
    for _ in range(MAX_ITERATIONS):
        following = solve(inertia, mat_t_vec(exp(psi), momentum))
        change = norm(sub(following, psi))
        psi = following
        if not change > ACCURACY * norm(psi):
            break
    return matmul(R, exp(psi))
