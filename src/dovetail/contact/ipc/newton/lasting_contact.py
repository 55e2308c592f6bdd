"""Bodies that slide and roll: differences over two steps of positions and momenta (BDF2).

Of a body that no joint holds, pressed by what does not move by itself, `newton.two_step` is made in
rotations about the pose R_0 at the start of the step and in momenta, which round bodies must keep:
    log(R^ R_0^T) = c log(R_0 R_-^T) + h' I^^-1 L~,   L~ = L_0 + c (L_0 - L_-),
    w_1 = I_1^-1 L~ + log(R_1 R^^T)/h',
I^ and I_1 the inertia at R^ and R_1. The last term is h' times the torque: L_1 = L~ + h' torque. A
ball that rolls evenly does so on, and without torques L stays.
"""

from dovetail.contact.ipc.newton.flight import inertia_of
from dovetail.linalg.so3 import exp, log, vee
from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    dot,
    load3,
    load33,
    mat_t_vec,
    matmul,
    matvec,
    norm,
    scale,
    solve,
    sub,
    transpose,
)
from dovetail.runtime.jit import jit_in_place

MAX_ITERATIONS = 20
ACCURACY = 1e-15  # of the rotation


@jit_in_place
def _spin_before(two, i):
    """[rad/s] at the start of the last step."""
    return vee(matmul(load33(two.rate, i), transpose(load33(two.R, i))))


@jit_in_place
def _momentum_ahead(I, two, motion, i):
    """L~ [kg m^2/s]."""
    c, R, R_before = two.gain[i], load33(motion.R, i), load33(two.R, i)
    L = matvec(R, matvec(I, load3(motion.omega, i)))
    L_before = matvec(R_before, matvec(I, mat_t_vec(R_before, _spin_before(two, i))))
    return add_scaled(L, c, sub(L, L_before))


@jit_in_place
def rotation_ahead(bodies, two, motion, i):
    """R^ of body i."""
    I, R, s = inertia_of(bodies, i), load33(motion.R, i), two.time[i]
    L = _momentum_ahead(I, two, motion, i)
    turned = scale(two.gain[i], log(matmul(R, transpose(load33(two.R, i)))))
    phi = add_scaled(turned, s, matvec(R, load3(motion.omega, i)))
    for _ in range(MAX_ITERATIONS):
        R_hat = matmul(exp(phi), R)
        following = add_scaled(turned, s, matvec(R_hat, solve(I, mat_t_vec(R_hat, L))))
        change = norm(sub(following, phi))
        phi = following
        if not change > ACCURACY * norm(phi):
            break
    return matmul(exp(phi), R)


@jit_in_place
def spin_at(bodies, two, motion, R_hat, R_1, h, i):
    """w_1 [rad/s] of body i at R_1; of implicit Euler log(R_1 R_0^T)/h."""
    if two.by[i] == 0:
        return scale(1.0 / h, log(matmul(R_1, transpose(load33(motion.R, i)))))
    I = inertia_of(bodies, i)
    w = matvec(R_1, solve(I, mat_t_vec(R_1, _momentum_ahead(I, two, motion, i))))
    return add(w, scale(1.0 / two.time[i], log(matmul(R_1, transpose(R_hat)))))


@jit_in_place
def set_impulse(bodies, two, motion, iterate, v_0, h, i):
    """What contact did to body i in the step from v_0, whose motion at its end is known.

    Only used where the step was not one of flight, whose velocities are set before.
    """
    I, mass, impulse = inertia_of(bodies, i), bodies.mass[i], two.impulse
    x_1, x_0, R_0, R_1 = iterate.x, motion.x, load33(motion.R, i), load33(iterate.R, i)
    L_0 = matvec(R_0, matvec(I, mat_t_vec(R_0, _spin_before(two, i))))
    w_1 = scale(1.0 / h, log(matmul(R_1, transpose(R_0))))
    if two.by[i] != 0:
        w_1 = matvec(R_1, load3(motion.omega, i))
    L_1 = matvec(R_1, matvec(I, mat_t_vec(R_1, w_1)))
    for k in range(3):
        v_1 = (x_1[i, k] - x_0[i, k]) / h if two.by[i] == 0 else motion.v[i, k]
        impulse[i, k] = mass * (v_1 - v_0[k]) - h * motion.force[i, k]
        impulse[i, 3 + k] = L_1[k] - L_0[k] - h * motion.torque[i, k]


@jit_in_place
def changes_of_spin(bodies, two, motion, rate_now, R_1, h, i):
    """[kg m^2/s^4] w' I w' of the last step and of this one, and of their difference."""
    I, R, last = inertia_of(bodies, i), load33(motion.R, i), two.h[0]
    now = mat_t_vec(R, vee(matmul(rate_now, transpose(R_1))))
    omega, after = load3(motion.omega, i), 1.0 / h
    now = scale(after, sub(now, omega))
    before = now
    if last > 0.0:
        before = scale(1.0 / last, sub(omega, mat_t_vec(R, _spin_before(two, i))))
    apart = sub(now, before)
    return dot(before, matvec(I, before)), dot(now, matvec(I, now)), dot(apart, matvec(I, apart))
