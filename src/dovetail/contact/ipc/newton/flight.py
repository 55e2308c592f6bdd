"""Bodies in flight: what nothing touches moves as under Stoermer-Verlet, of second order.

Implicit Euler leads a body that falls by h^2 a instead of h^2 a/2 below its tangent, so that it
loses m a^2 h/2 of its energy in a second, and a spin that changes its axis decays. A body that no
barrier presses at the start of a step has
    x^ = x_0 + h v_0 + h^2/2 f/m,       R^ = free rotation with L_0 + h/2 torque
(Huang et al. 2022, eqs. 15-18), and at the end of it
    v = v_0 + h f/m + (x - x^)/h,       spin = R R^^T I^^-1 (L_0 + h torque) + log(R R^^T)/h,
I^ the inertia at R^, whatever contact has done in the step: its impulse is m (x - x^)/h, as in
implicit Euler. So the change of linear momentum is h times the forces, and without contact the
flight is exact for a constant force and keeps L. The spin of the flight is turned with the body:
with I^-1 L_0 of the pose that contact has led to, a needle would spin about its length.
"""

from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.contact.ipc.islands.sleeping import MOVES
from dovetail.linalg.so3 import exp, hat, log
from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    load3,
    load33,
    mat_t_vec,
    matmul,
    matvec,
    norm,
    scale,
    solve,
    store3,
    store33,
    transpose,
)
from dovetail.multibody.free_rotation import LARGEST_ROTATION, TOLERANCE, newton
from dovetail.runtime.jit import jit_in_place

TOUCHED = 2  # in `flies`, of bodies that a barrier presses at the end of the step


@jit_in_place
def inertia_of(bodies, i):
    """[kg m^2] in body axes, from the second moment."""
    J = load33(bodies.J, i)
    trace = J[0][0] + J[1][1] + J[2][2]
    return (
        (trace - J[0][0], -J[0][1], -J[0][2]),
        (-J[1][0], trace - J[1][1], -J[1][2]),
        (-J[2][0], -J[2][1], trace - J[2][2]),
    )


@jit_in_place
def find_flying(bodies, lists, workspace):
    """Set workspace.flies: 1 for free bodies that no barrier presses at the start of the step.

    Bodies with joints, springs or loads that change with their motion, and those held in some
    directions, are not among them. Needs the barriers of the step.
    """
    flies, slot, dynamic, free = workspace.flies, bodies.slot, bodies.dynamic, bodies.free
    jointed, springs = workspace.joints.rows.jointed, workspace.springs
    for i in range(slot.shape[0]):
        flies[i] = 0
        if slot[i] < 0 or dynamic[i] == 0 or jointed[i] != 0 or workspace.loads.acts[0] != 0:
            continue
        held = 0
        for k in range(6):
            held += 1 if free[i, k] == 0 else 0
        if held == 0:
            flies[i] = 1
    for j in range(springs.bodies.shape[0]):
        for side in range(2):
            if springs.bodies[j, side] >= 0:
                flies[springs.bodies[j, side]] = 0
    candidates, barriers = active_candidates(lists), lists.barriers
    pairs = candidates.pairs
    for p in range(candidates.n_pairs):
        if barriers.start_gap[p] < barriers.dhat[p]:
            flies[pairs[p, 0]] = flies[pairs[p, 1]] = 0


@jit_in_place
def predict_flight(bodies, workspace, motion, h):
    """x^ and R^ of the bodies that fly; one that turns too far in the step does not fly."""
    flies, predicted, impulse = workspace.flies, workspace.predicted, workspace.impulse
    mass = bodies.mass
    for i in range(flies.shape[0]):
        if flies[i] == 0:
            continue
        R, I = load33(motion.R, i), inertia_of(bodies, i)
        omega, torque = load3(motion.omega, i), load3(motion.torque, i)
        momentum = add_scaled(matvec(I, omega), 0.5 * h, mat_t_vec(R, torque))
        q = scale(h, momentum)
        f = scale(h, omega)
        if norm(q) > 0.0:
            f, _, error = newton(I, q, solve(I, q))
            if not (error <= TOLERANCE and norm(f) < LARGEST_ROTATION):
                flies[i] = 0
                continue
            store33(predicted.R, i, matmul(R, exp(f)))
        else:
            store33(predicted.R, i, R)
        for k in range(3):
            predicted.x[i, k] = (
                motion.x[i, k] + h * motion.v[i, k] + 0.5 * h * h * motion.force[i, k] / mass[i]
            )
            impulse[i, k] = 0.0


@jit_in_place
def find_touched(lists, workspace, dmin):
    """Mark bodies that fly and are pressed by a barrier at the pose measured last."""
    flies, squared, barriers = workspace.flies, workspace.squared, lists.barriers
    candidates = active_candidates(lists)
    pairs, start = candidates.pairs, candidates.start
    for p in range(candidates.n_pairs):
        a, b = pairs[p, 0], pairs[p, 1]
        if flies[a] != 1 and flies[b] != 1:
            continue
        reach = dmin + barriers.dhat[p]
        for c in range(start[p], start[p + 1]):
            if squared[c] < reach * reach:
                flies[a] = TOUCHED if flies[a] != 0 else 0
                flies[b] = TOUCHED if flies[b] != 0 else 0
                break


@jit_in_place
def set_flight_velocities(bodies, workspace, motion, h):
    """Velocities of bodies that fly, after a step from motion.x, motion.R to the iterate.

    What was put to rest does not fly any more.
    """
    flies, iterate, predicted = workspace.flies, workspace.iterate, workspace.predicted
    stillness, mass = workspace.islands.stillness, bodies.mass
    for i in range(flies.shape[0]):
        if stillness[i] != MOVES:
            flies[i] = 0
        if flies[i] == 0:
            continue
        R_0, R, I = load33(motion.R, i), load33(iterate.R, i), inertia_of(bodies, i)
        L = matvec(R_0, matvec(I, load3(motion.omega, i)))
        L = add_scaled(L, h, load3(motion.torque, i))
        R_hat = load33(predicted.R, i)
        omega = solve(I, mat_t_vec(R_hat if flies[i] == TOUCHED else R, L))
        for k in range(3):
            motion.v[i, k] += h * motion.force[i, k] / mass[i]
        if flies[i] == TOUCHED:
            for k in range(3):
                motion.v[i, k] += (iterate.x[i, k] - predicted.x[i, k]) / h
            off = log(matmul(R, transpose(R_hat)))
            omega = add(omega, mat_t_vec(R, scale(1.0 / h, off)))
        store3(motion.omega, i, omega)
        store33(motion.rate, i, matmul(hat(matvec(R, omega)), R))
