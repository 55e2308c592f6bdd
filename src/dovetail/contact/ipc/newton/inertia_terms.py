"""The inertia terms of all bodies with unknowns; see `inertia_potential` for one of them.

A driven body is tied to its target by the same term: the predicted pose is the target and its mass
the penalty.
"""

from dovetail.contact.ipc.newton.inertia_potential import inertia_energy, inertia_terms
from dovetail.linalg.vec3 import load3, load33, mat_scale, norm, sub
from dovetail.runtime.jit import jit_in_place

EPSILON = 2.0**-52  # of numbers


@jit_in_place
def total_inertia_energy(mass, J, weight, slot, poses, predicted, R_0, impulse):
    """Sum of the inertia energies [kg m^2], inertia times `weight` (n,)."""
    energy = 0.0
    for i in range(slot.shape[0]):
        if slot[i] >= 0:
            energy += inertia_energy(
                weight[i] * mass[i], mat_scale(weight[i], load33(J, i)), load3(poses.x, i),
                load33(poses.R, i), load3(predicted.x, i), load33(predicted.R, i), load33(R_0, i),
                load3(impulse, i),
            )  # fmt: skip
    return energy


@jit_in_place
def rounding_work(bodies, workspace):
    """[kg m^2] of contact forces along the rounding of positions, at the iterate.

    Near the minimum they are what leads bodies away from where they would be without contact.
    """
    mass, slot, core_radius = bodies.mass, bodies.slot, bodies.geometry.core_radius
    weight, iterate, predicted = workspace.two_step.weight, workspace.iterate, workspace.predicted
    work = 0.0
    for i in range(slot.shape[0]):
        if slot[i] >= 0:
            x = load3(iterate.x, i)
            led = norm(sub(x, load3(predicted.x, i)))
            work += weight[i] * mass[i] * led * EPSILON * (norm(x) + core_radius[i])
    return work


@jit_in_place
def position_rounding(bodies, poses):
    """[m] the largest rounding of the place of a vertex that can move."""
    slot, core_radius, largest = bodies.slot, bodies.geometry.core_radius, 0.0
    for i in range(slot.shape[0]):
        if slot[i] >= 0:
            largest = max(largest, norm(load3(poses.x, i)) + core_radius[i])
    return EPSILON * largest


@jit_in_place
def set_inertia_terms(
    mass, J, weight, slot, poses, predicted, R_0, impulse, pull, gradient, diagonal, positive
):  # fmt: skip
    """Gradient (m, 6) and diagonal blocks (m, 6, 6); returns the energy.

    Inertia is that of the bodies times `weight` (n,).

    `pull` (n, 6) [kg m, kg m^2] is the gradient of the load terms in their displacements; their
    energy is not added here.

    With `positive` the block of rotations, whose least eigenvalue is tr(S) - largest of S, is
    shifted by as much as its rows lack to be dominated by their diagonal.
    """
    energy = 0.0
    for i in range(slot.shape[0]):
        k = slot[i]
        if k < 0:
            continue
        x, R = load3(poses.x, i), load33(poses.R, i)
        x_hat, R_hat = load3(predicted.x, i), load33(predicted.R, i)
        m, J_i = weight[i] * mass[i], mat_scale(weight[i], load33(J, i))
        force, torque, H = inertia_terms(
            m, J_i, x, R, x_hat, R_hat, load33(R_0, i),
            (impulse[i, 0] - pull[i, 3], impulse[i, 1] - pull[i, 4], impulse[i, 2] - pull[i, 5]),
        )  # fmt: skip
        energy += inertia_energy(m, J_i, x, R, x_hat, R_hat, load33(R_0, i), load3(impulse, i))
        shift = 0.0
        if positive:
            size = abs(H[0][0]) + abs(H[1][1]) + abs(H[2][2])
            for r in range(3):
                others = abs(H[r][(r + 1) % 3]) + abs(H[r][(r + 2) % 3])
                shift = max(shift, others - H[r][r] + 1e-6 * size)
        for r in range(3):
            gradient[k, r] = force[r] + pull[i, r]
            gradient[k, 3 + r] = torque[r]
            for c in range(3):
                diagonal[k, r, c] = m if r == c else 0.0
                diagonal[k, r, 3 + c] = diagonal[k, 3 + r, c] = 0.0
                diagonal[k, 3 + r, 3 + c] = H[r][c] + (shift if r == c else 0.0)
    return energy
