"""Velocities after the loads of a step with impulses, and the poses at its end."""

import math

import numpy as np

from dovetail.linalg.so3 import exp
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
    store3,
    store33,
)
from dovetail.multibody.body_arrays import (
    FREE,
    HINGED,
    NO_BODIES,
    per_mass,
    spin_of,
    velocity_change,
)
from dovetail.multibody.free_rotation import LARGEST_ROTATION, TOLERANCE, orthogonalised, rotation
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm

DONE, ROTATES_TOO_FAR, NOT_FINITE = 0, 1, 2


@jit
def apply_loads(bodies, R, L, v, h, force, torque, u):
    """u (n, 6) of dynamic bodies after all loads act for h [s] on velocities v and momenta L.

    L (n, 3) [N m s], force (n, 3) [N] and torque (n, 3) [N m] in world axes.
    """
    for i in range(R.shape[0]):
        if not bodies.dynamic[i]:
            continue
        change, _ = velocity_change(bodies, R, i, load3(force, i), (0.0, 0.0, 0.0))
        spin = spin_of(bodies, R, i, add_scaled(load3(L, i), h, load3(torque, i)))
        for k in range(3):
            u[i, k] = v[i, k] + h * change[k]
            u[i, 3 + k] = spin[k]


@jit
def free_rotations(bodies, R_0, L, h, torque, R):
    """R (n, 3, 3) after h [s] of flight from R_0 with momenta L and torques, as `drift` has it.

    Of dynamic bodies that rotate freely, where it can be found: others keep the R there is.
    """
    for i in range(R.shape[0]):
        if not bodies.dynamic[i] or bodies.turning[i] != FREE:
            continue
        A, J = load33(R_0, i), load33(bodies.inertia, i)
        middle = mat_t_vec(A, add_scaled(load3(L, i), 0.5 * h, load3(torque, i)))
        f, _, error = rotation(J, load33(bodies.inertia_inverse, i), h, middle)
        if error <= TOLERANCE and norm(f) < LARGEST_ROTATION:
            store33(R, i, orthogonalised(matmul(A, exp(f))))


@jit
def turn_spins(bodies, R_0, R, u):
    """Spins in u (n, 6) of bodies at the rotations R_0 become those at R, the same in body axes.

    What only places a body, as a barrier does, does no work, so it must not change its energy. With
    the same momentum instead a needle that is turned by 0.01 rad would spin about its length with
    1e4 times the energy.
    """
    for i in range(R.shape[0]):
        if bodies.dynamic[i] and bodies.turning[i] == FREE:
            spin = (u[i, 3], u[i, 4], u[i, 5])
            spin = matvec(load33(R, i), mat_t_vec(load33(R_0, i), spin))
            for k in range(3):
                u[i, 3 + k] = spin[k]


@jit
def momenta(bodies, R, spin, L):
    """L [N m s] of every body in world axes from its spin [rad/s]."""
    for i in range(R.shape[0]):
        w, A = load3(spin, i), load33(R, i)
        if bodies.turning[i] == FREE:
            store3(L, i, matvec(A, matvec(load33(bodies.inertia, i), mat_t_vec(A, w))))
        elif bodies.turning[i] == HINGED:
            axis = load3(bodies.axis, i)
            store3(L, i, scale(bodies.axis_inertia[i] * dot(axis, w), axis))


@jit
def drift(h, bodies, u, alone, constant_force, shift, x, R, v, omega, L):
    """Move every dynamic body by u (n, 6) for h [s] and by `shift` (n, 6) [m, rad] besides.

    R rotates as a free body with momentum L = I spin would (Huang et al. 2022, eqs. 15-18), which
    stays the same. A body that is alone falls under constant forces: x + h v - h^2 f / (2 m).
    Returns (code, body); v, omega, L are those at the end.
    """
    for i in range(x.shape[0]):
        if not bodies.dynamic[i]:
            continue
        displacement = scale(h, (u[i, 0], u[i, 1], u[i, 2]))
        if alone[i]:
            for k in range(3):
                v[i, k] = bodies.inverse_mass[i, k] * constant_force[i, k]
            displacement = add_scaled(displacement, -0.5 * h * h, load3(v, i))
        displacement = add(displacement, (shift[i, 0], shift[i, 1], shift[i, 2]))
        store3(x, i, add(load3(x, i), displacement))
        store3(v, i, (u[i, 0], u[i, 1], u[i, 2]))
        spin = (u[i, 3], u[i, 4], u[i, 5])
        A = load33(R, i)
        angle_shift = (shift[i, 3], shift[i, 4], shift[i, 5])
        if bodies.turning[i] == FREE:
            J = load33(bodies.inertia, i)
            in_body = matvec(J, mat_t_vec(A, spin))
            store3(L, i, matvec(A, in_body))
            f, _, error = rotation(J, load33(bodies.inertia_inverse, i), h, in_body)
            if not (error <= TOLERANCE and norm(f) < LARGEST_ROTATION):
                return ROTATES_TOO_FAR, i
            A = matmul(A, exp(f))
            A = orthogonalised(matmul(exp(angle_shift), A))
        elif bodies.turning[i] == HINGED:
            axis = load3(bodies.axis, i)
            store3(L, i, scale(bodies.axis_inertia[i] * dot(axis, spin), axis))
            angle = h * dot(axis, spin) + dot(axis, angle_shift)
            A = orthogonalised(matmul(exp(scale(angle, axis)), A))
        store33(R, i, A)
        store3(omega, i, mat_t_vec(A, spin_of(bodies, R, i, load3(L, i))))
        total = norm(load3(x, i)) + norm(load3(v, i)) + norm(load3(omega, i))
        if not math.isfinite(total):
            return NOT_FINITE, i
    return DONE, -1


@jit
def shift_poses(bodies, shift, x, R, omega, L):
    """Move every dynamic body by `shift` (n, 6) [m, rad], its momentum unchanged."""
    for i in range(x.shape[0]):
        if not bodies.dynamic[i]:
            continue
        store3(x, i, add(load3(x, i), (shift[i, 0], shift[i, 1], shift[i, 2])))
        A = load33(R, i)
        A = orthogonalised(matmul(exp((shift[i, 3], shift[i, 4], shift[i, 5])), A))
        store33(R, i, A)
        store3(omega, i, mat_t_vec(A, spin_of(bodies, R, i, load3(L, i))))


@jit
def point_speeds(u, radius, out):
    """out (n,) [m/s] bound on the speed of any point of each body, `radius` (n,) [m] from it."""
    for i in range(u.shape[0]):
        spin = norm((u[i, 3], u[i, 4], u[i, 5]))
        out[i] = norm((u[i, 0], u[i, 1], u[i, 2])) + radius[i] * spin


@jit
def load_speeds(h, bodies, force, out):
    """out (n,) [m/s] what the forces (n, 3) add to the speed of each body in h [s]."""
    for i in range(force.shape[0]):
        out[i] = h * norm(per_mass(bodies, i, load3(force, i)))


@jit
def kinetic(bodies, mass, R, u):
    """Energy of translation and rotation [J]; fixed directions have none."""
    total = 0.0
    for i in range(R.shape[0]):
        if bodies.dynamic[i]:
            w = (u[i, 3], u[i, 4], u[i, 5])
            in_body = mat_t_vec(load33(R, i), w)
            if bodies.turning[i] == FREE:
                total += 0.5 * dot(in_body, matvec(load33(bodies.inertia, i), in_body))
            elif bodies.turning[i] == HINGED:
                total += 0.5 * bodies.axis_inertia[i] * dot(load3(bodies.axis, i), w) ** 2
            total += 0.5 * mass[i] * (u[i, 0] ** 2 + u[i, 1] ** 2 + u[i, 2] ** 2)
    return total


_r, _t, _u = np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, 6))
warm(apply_loads, NO_BODIES, _t, _r, _r, 0.0, _r, _r, _u)
warm(momenta, NO_BODIES, _t, _r, _r)
warm(free_rotations, NO_BODIES, _t, _r, 0.0, _r, _t)
warm(turn_spins, NO_BODIES, _t, _t, _u)
warm(drift, 0.0, NO_BODIES, _u, np.zeros(0, np.bool_), _r, _u, _r, _t, _r, _r, _r)
warm(shift_poses, NO_BODIES, _u, _r, _t, _r, _r)
warm(point_speeds, _u, np.zeros(0), np.zeros(0))
warm(load_speeds, 0.0, NO_BODIES, _r, np.zeros(0))
warm(kinetic, NO_BODIES, read_only(np.zeros(0)), _t, _u)
