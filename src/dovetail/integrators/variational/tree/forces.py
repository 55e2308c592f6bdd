"""Forces along the coordinates of a tree, factors of its mass matrix, motion of its bodies."""

from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    matmul,
    matvec,
    store3,
    store33,
)
from dovetail.multibody.loads.wrenches import position_wrenches
from dovetail.multibody.tree.articulated import articulated_factor
from dovetail.multibody.tree.bodies import body_motion
from dovetail.multibody.tree.inertia import load_symmetric, rotated_inertia, store_symmetric
from dovetail.multibody.tree.kinematics import load6, store6, velocities
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def factor_here(parts, extra):
    """Factors of M + diag(extra) at the positions in `workspace`.

    Returns a coordinate without inertia, or -1.
    `factors` is a workspace of its own, so that they can be used where positions have changed.
    """
    tree, workspace, factors = parts.tree, parts.workspace, parts.factors
    R, o, S, R1, o1, S1 = workspace.R, workspace.o, workspace.S, factors.R, factors.o, factors.S
    for i in range(o.shape[0]):
        store33(R1, i, load33(R, i))
        store3(o1, i, load3(o, i))
    for k in range(S.shape[0]):
        for c in range(6):
            S1[k, c] = S[k, c]
    return articulated_factor(tree, factors, extra)


@jit_in_place
def place_centres(parts):
    """Centres of mass and inertias in world axes at the positions in `workspace`."""
    tree, workspace, work = parts.tree, parts.workspace, parts.work
    R, coms, inertias = workspace.R, tree.com, tree.inertia
    for i in range(1, coms.shape[0]):
        Ri = load33(R, i)
        store3(work.arm, i, matvec(Ri, load3(coms, i)))
        store_symmetric(work.inertia, i, 0, rotated_inertia(Ri, load_symmetric(inertias, i, 0)))


@jit_in_place
def load_size(parts):
    """Sum of |force|^2 / mass, what loads could do, were they not to cancel."""
    tree, work = parts.tree, parts.work
    size = 0.0
    for body in range(work.label.size):
        i = work.label[body]
        if i > 0:
            f = load3(work.force, body)
            size += dot(f, f) / tree.mass[i]
    return size


@jit_in_place
def update_forces(parts):
    """work.wrench and work.tau at the positions in `workspace`: all but dampers."""
    forces, workspace, work = parts.forces, parts.workspace, parts.work
    q = work.q
    R, o, bodies = workspace.R, workspace.o, work.bodies
    if not work.constant[0]:
        for body in range(work.label.size):
            i = work.label[body]
            if i > 0:
                store3(bodies.x, body, add(load3(o, i), load3(work.arm, i)))
                store33(bodies.R, body, matmul(load33(R, i), load33(work.frames, i)))
        position_wrenches(parts.loads, bodies.x, bodies.R, work.force, work.torque)
        work.load[0] = load_size(parts)
        for body in range(work.label.size):
            if work.label[body] > 0:
                torque, force = load3(work.torque, body), load3(work.force, body)
                store6(work.wrench, work.label[body], torque, force)
    for k in range(work.tau.size):
        work.tau[k] = forces.effort[k]
        if forces.q_index[k] >= 0:
            work.tau[k] -= forces.stiffness[k] * (q[forces.q_index[k]] - forces.rest[k])


@jit_in_place
def about_origins(parts, share, source, out):
    """out = source + share * loads, wrenches about centres of mass, referred to bodies' origins."""
    work = parts.work
    for i in range(1, out.shape[0]):
        m, f = load6(source, i)
        torque, force = load6(work.wrench, i)
        m, f = add_scaled(m, share, torque), add_scaled(f, share, force)
        store6(out, i, add(m, cross(load3(work.arm, i), f)), f)


@jit_in_place
def has_constant_wrenches(loads):
    """Whether forces and torques are the same in every configuration."""
    if loads.point_body.size > 0 or loads.spring_bodies.shape[0] > 0:
        return False
    for i in range(loads.body_force.shape[0]):
        for k in range(3):
            if loads.body_force[i, k] != 0.0 or loads.body_torque[i, k] != 0.0:
                return False
    return True


@jit_in_place
def show(parts):
    """Motion of the bodies at the state."""
    tree, workspace, work = parts.tree, parts.workspace, parts.work
    velocities(tree, work.eta, workspace)
    body_motion(tree, workspace, work.frames, work.label, work.bodies)
