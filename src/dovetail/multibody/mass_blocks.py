"""Mass matrices of single bodies in world axes, and the directions in which a body can move."""

from dovetail.linalg.vec3 import dot, load3, load33, mat_t_vec, matvec
from dovetail.multibody.body_arrays import FREE, HINGED
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def mass_blocks(bodies, R, mass):
    """mass (n, 6, 6): M of each body in world axes, ones where a direction is fixed."""
    for i in range(R.shape[0]):
        for r in range(6):
            for c in range(6):
                mass[i, r, c] = 0.0
            mass[i, r, r] = 1.0
        if not bodies.dynamic[i]:
            continue
        for r in range(3):
            if bodies.inverse_mass[i, r] > 0.0:
                mass[i, r, r] = 1.0 / bodies.inverse_mass[i, r]
        axis = load3(bodies.axis, i)
        for c in range(3):
            e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
            if bodies.turning[i] == FREE:
                A = load33(R, i)
                column = matvec(A, matvec(load33(bodies.inertia, i), mat_t_vec(A, e)))
                for r in range(3):
                    mass[i, 3 + r, 3 + c] = column[r]
            elif bodies.turning[i] == HINGED:
                for r in range(3):
                    mass[i, 3 + r, 3 + c] += (bodies.axis_inertia[i] - 1.0) * axis[r] * axis[c]


@jit_in_place
def free_direction(bodies, i, rows, r, column):
    """Six numbers of row r of `rows`, from `column` on, less the directions body i is fixed in.

    They belong to its velocity and to its angular velocity, both in world axes.
    """
    if not bodies.dynamic[i]:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    k = column
    a = rows[r, k] if bodies.inverse_mass[i, 0] > 0.0 else 0.0
    b = rows[r, k + 1] if bodies.inverse_mass[i, 1] > 0.0 else 0.0
    c = rows[r, k + 2] if bodies.inverse_mass[i, 2] > 0.0 else 0.0
    angular = (rows[r, k + 3], rows[r, k + 4], rows[r, k + 5])
    if bodies.turning[i] == FREE:
        return (a, b, c, angular[0], angular[1], angular[2])
    if bodies.turning[i] == HINGED:
        axis = load3(bodies.axis, i)
        along = dot(axis, angular)
        return (a, b, c, along * axis[0], along * axis[1], along * axis[2])
    return (a, b, c, 0.0, 0.0, 0.0)
