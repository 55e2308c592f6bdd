"""Steps over a tree of joints that record frames: motion, joint wrenches, stored energy."""

from typing import NamedTuple

import numpy as np

from dovetail.integrators.variational.tree import step as tree_step
from dovetail.integrators.variational.tree.forces import show
from dovetail.integrators.variational.tree.held import pressing_effort
from dovetail.integrators.variational.tree.positions import DONE
from dovetail.integrators.variational.tree.records import (
    PRESCRIBED,
    bundled,
    tree_forces,
    tree_holds,
    tree_step_workspace,
)
from dovetail.linalg.vec3 import add, cross, load3, load33, matvec, scale, store3, store33, sub
from dovetail.multibody.loads.wrenches import NO_LOADS
from dovetail.multibody.tree.articulated import articulated_solve
from dovetail.multibody.tree.kinematics import load6
from dovetail.multibody.tree.records import empty_tree, workspace_for
from dovetail.multibody.tree.rnea import inverse_dynamics
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import FloatArray, Int64Array, bundler
from dovetail.runtime.warmup import warm, warm_later


class TreeJoints(NamedTuple):
    """Where the joints of a scene are in the tree."""

    label: Int64Array  # (j,) of the body that the joint holds, 0 where it holds none
    sign: FloatArray  # (j,) 1 where that is its second body, -1 where it is its first
    second: Int64Array  # (j,) its second body, -1 is the ground
    arm: FloatArray  # (j, 3) [m] its point in the axes of the second body, from the centre of mass


class TreeFrames(NamedTuple):
    """Space for f frames of n bodies and j joints."""

    x: FloatArray  # (f, n, 3)
    R: FloatArray  # (f, n, 3, 3)
    v: FloatArray  # (f, n, 3)
    omega: FloatArray  # (f, n, 3) body axes
    force: FloatArray  # (f, j, 3) [N] on the second body of a joint
    torque: FloatArray  # (f, j, 3) [N m] about the joint's point
    stored: FloatArray  # (f,) [J] in springs of joints
    iterations: Int64Array  # (f,) since the frame before
    residual: FloatArray  # (f,)
    q: FloatArray  # (f, n_q) coordinates of the tree
    eta: FloatArray  # (f, n_v) and velocities


@jit_in_place
def joint_wrenches(parts, joints, force, torque):
    """What each joint exerts on its second body: force [N], torque [N m] about its point, (j, 3).

    Accelerations from the factors at the state, then the forces of motion summed to the ground.
    """
    tree, forces, workspace, work = parts.tree, parts.forces, parts.workspace, parts.work
    held, bodies, n = parts.held, work.bodies, work.eta.size
    for k in range(n):
        work.change[k] = held.acceleration[k]
    none = (0.0, 0.0, 0.0)
    inverse_dynamics(tree, workspace, none, work.q, work.eta, work.change, work.wrench, work.rho)
    for k in range(n):
        effort = forces.effort[k] - forces.damping[k] * work.eta[k] - held.multiplier[k]
        if forces.q_index[k] >= 0:
            effort -= forces.stiffness[k] * (work.q[forces.q_index[k]] - forces.rest[k])
        effort -= pressing_effort(parts, k)
        work.rho[k] = effort - work.rho[k]
    articulated_solve(tree, parts.factors, work.nothing, work.rho, work.change)
    if held.some[PRESCRIBED]:
        for k in range(n):
            work.change[k] += held.acceleration[k]
    inverse_dynamics(tree, workspace, none, work.q, work.eta, work.change, work.wrench, work.rho)
    for j in range(joints.label.size):
        i, b = joints.label[j], joints.second[j]
        if i > 0:
            m, f = load6(workspace.F, i)
            point = load3(joints.arm, j)
            if b >= 0:
                point = add(load3(bodies.x, b), matvec(load33(bodies.R, b), point))
            m = add(m, cross(sub(load3(workspace.o, i), point), f))
            store3(force, j, scale(joints.sign[j], f))
            store3(torque, j, scale(joints.sign[j], m))


@jit_in_place
def stored_energy(parts):
    """[J] in springs along coordinates and in rotors."""
    forces, q, eta, armature = parts.forces, parts.work.q, parts.work.eta, parts.tree.armature
    energy = 0.0
    for k in range(forces.stiffness.size):
        energy += 0.5 * armature[k] * eta[k] * eta[k]
        if forces.q_index[k] >= 0:
            stretch = q[forces.q_index[k]] - forces.rest[k]
            energy += 0.5 * forces.stiffness[k] * stretch * stretch
    return energy


@jit_in_place
def _record(frame, parts, joints, frames):
    show(parts)
    bodies = parts.work.bodies
    for i in range(bodies.x.shape[0]):
        store3(frames.x[frame], i, load3(bodies.x, i))
        store33(frames.R[frame], i, load33(bodies.R, i))
        store3(frames.v[frame], i, load3(bodies.v, i))
        store3(frames.omega[frame], i, load3(bodies.omega, i))
    joint_wrenches(parts, joints, frames.force[frame], frames.torque[frame])
    frames.stored[frame] = stored_energy(parts)
    q, eta = parts.work.q, parts.work.eta
    for k in range(q.size):
        frames.q[frame, k] = q[k]
    for k in range(eta.size):
        frames.eta[frame, k] = eta[k]


@jit_in_place
def _steps_ahead(times, which, gammas, given, damped, parts, joints, frames):
    iterations, residual = np.int64(0), 0.0
    for j in range(times.size - 1):
        code, where, taken, relative = tree_step.step(
            times[j + 1] - times[j], gammas, given, 0, damped, parts
        )
        iterations += taken
        residual = max(residual, relative)
        if code != DONE:
            return code, where, iterations, residual, j
        if which[j] >= 0:
            _record(which[j], parts, joints, frames)
            frames.iterations[which[j]] = iterations
            frames.residual[which[j]] = residual
            iterations, residual = np.int64(0), 0.0
    show(parts)
    return DONE, -1, iterations, residual, times.size - 1


@jit
def steps_ahead(times, which, gammas, damped, parts, joints, frames):
    """Steps to all times; after step j the state becomes frame which[j], where that is >= 0.

    Returns (code, where, iterations, residual, steps done), the two sums of the steps after the
    last frame.
    """
    given = np.zeros((0, 0, 0))
    return _steps_ahead(times, which, gammas, given, damped, parts, joints, frames)


@jit
def wrenches(parts, joints, force, torque):
    """As `joint_wrenches`, to be called from Python."""
    joint_wrenches(parts, joints, force, torque)


bundle_joints = bundler(TreeJoints)
bundle_frames = bundler(TreeFrames)


def tree_frames(f: int, n: int, j: int, n_q: int, n_v: int) -> TreeFrames:
    """Space for frames."""
    return TreeFrames(
        np.zeros((f, n, 3)), np.zeros((f, n, 3, 3)), np.zeros((f, n, 3)), np.zeros((f, n, 3)),
        np.zeros((f, j, 3)), np.zeros((f, j, 3)), np.zeros(f), np.zeros(f, np.int64), np.zeros(f),
        np.zeros((f, n_q)), np.zeros((f, n_v)),
    )  # fmt: skip


def _register() -> None:
    work = tree_step_workspace(np.zeros(0, np.int64), np.zeros((1, 3, 3)), 0, 0, 1)
    spaces = [workspace_for(0, 0), workspace_for(0, 0)]
    parts = bundled(empty_tree(), NO_LOADS, tree_forces(0), tree_holds(0), spaces, work)
    none = np.zeros(0, np.int64)
    joints = bundle_joints(none, np.zeros(0), none, np.zeros((0, 3)))
    frames = bundle_frames(*tree_frames(0, 0, 0, 0, 0))
    warm(steps_ahead, np.zeros(1), none, np.ones(1), False, parts, joints, frames)
    warm(wrenches, parts, joints, np.zeros((0, 3)), np.zeros((0, 3)))


warm_later(_register)
