"""Forces and torques of gravity, constant loads and springs on all bodies, and their energy.

Everything is in world axes; torques are about each body's centre of mass. Body -1 is the ground:
its attached points are world points and what acts on it is dropped.
"""

from typing import NamedTuple

import numpy as np

from dovetail.linalg.vec3 import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    matvec,
    norm,
    scale,
    store3,
    sub,
)
from dovetail.runtime.jit import jit, when_called
from dovetail.runtime.records import FloatArray, Int64Array
from dovetail.runtime.warmup import warm

SHORTEST = 1e-150  # [m] below this a spring has no direction, and squares would underflow


class CompiledLoads(NamedTuple):
    """The loads of a model as arrays: n bodies, p forces at points, s springs."""

    force: FloatArray  # (n, 3) [N] constant in world axes at the centre of mass, gravity included
    torque: FloatArray  # (n, 3) [N m] constant in world axes
    body_force: FloatArray  # (n, 3) [N] constant in body axes
    body_torque: FloatArray  # (n, 3) [N m] constant in body axes, about the centre of mass
    point_body: Int64Array  # (p,) which body a world force at a point acts on
    point_arm: FloatArray  # (p, 3) [m] from the centre of mass, body axes
    point_force: FloatArray  # (p, 3) [N] world axes
    spring_bodies: Int64Array  # (s, 2) a and b, -1 for the ground
    spring_arms: FloatArray  # (s, 2, 3) [m] of the attached points, body axes (ground: world)
    spring_values: FloatArray  # (s, 3) stiffness [N/m], damping [N s/m], rest length [m]


@jit
def arm_of(loads, j, end, R):
    """Arm [m] of end 0 (a) or 1 (b) of spring j from its centre of mass, world axes."""
    arm = (
        loads.spring_arms[j, end, 0],
        loads.spring_arms[j, end, 1],
        loads.spring_arms[j, end, 2],
    )
    body = loads.spring_bodies[j, end]
    if body < 0:
        return arm
    return matvec(load33(R, body), arm)


@jit
def end_of(loads, j, end, x, arm):
    """World position [m] of an end of spring j whose world arm is `arm`."""
    body = loads.spring_bodies[j, end]
    if body < 0:
        return arm
    return add(load3(x, body), arm)


@jit
def spring_line(loads, j, x, R):
    """Arms of both ends, unit direction from b to a (zero if they meet), and length [m]."""
    arm_a = arm_of(loads, j, 0, R)
    arm_b = arm_of(loads, j, 1, R)
    d = sub(end_of(loads, j, 0, x, arm_a), end_of(loads, j, 1, x, arm_b))
    length = norm(d)
    if length < SHORTEST:
        return arm_a, arm_b, ZERO, 0.0
    return arm_a, arm_b, scale(1.0 / length, d), length


@jit
def push_apart(force, torque, loads, j, f, arm_a, arm_b):
    """Add the force f [N] on end a of spring j and its reaction on end b."""
    a, b = loads.spring_bodies[j, 0], loads.spring_bodies[j, 1]
    if a >= 0:
        store3(force, a, add(load3(force, a), f))
        store3(torque, a, add(load3(torque, a), cross(arm_a, f)))
    if b >= 0:
        store3(force, b, sub(load3(force, b), f))
        store3(torque, b, sub(load3(torque, b), cross(arm_b, f)))


@when_called(None)
@jit
def add_stiffness(loads, x, R, force, torque):
    """Add the springs' forces -k (|d| - rest)."""
    for j in range(loads.spring_bodies.shape[0]):
        arm_a, arm_b, n, length = spring_line(loads, j, x, R)
        stretch = length - loads.spring_values[j, 2]
        push = scale(-loads.spring_values[j, 0] * stretch, n)
        push_apart(force, torque, loads, j, push, arm_a, arm_b)


@jit
def position_wrenches(loads, x, R, force, torque):
    """Write into `force`, `torque` all that depends on the configuration only (no dampers)."""
    for i in range(x.shape[0]):
        A = load33(R, i)
        store3(force, i, add(load3(loads.force, i), matvec(A, load3(loads.body_force, i))))
        store3(torque, i, add(load3(loads.torque, i), matvec(A, load3(loads.body_torque, i))))
    for k in range(loads.point_body.shape[0]):
        i = loads.point_body[k]
        f = load3(loads.point_force, k)
        arm = matvec(load33(R, i), load3(loads.point_arm, k))
        store3(force, i, add(load3(force, i), f))
        store3(torque, i, add(load3(torque, i), cross(arm, f)))
    if loads.spring_bodies.shape[0] > 0:
        add_stiffness(loads, x, R, force, torque)


@jit
def lengthening(loads, j, arm_a, arm_b, n, v, spin):
    """Rate of the length of spring j [m/s]: n . (velocity of end a - velocity of end b)."""
    a, b = loads.spring_bodies[j, 0], loads.spring_bodies[j, 1]
    rate = 0.0
    if a >= 0:
        rate += dot(n, add(load3(v, a), cross(load3(spin, a), arm_a)))
    if b >= 0:
        rate -= dot(n, add(load3(v, b), cross(load3(spin, b), arm_b)))
    return rate


@when_called(None)
@jit
def add_damping(loads, x, R, v, spin, force, torque):
    """Add the dampers' forces -c d|d|/dt at velocities v [m/s], spin [rad/s] (world axes)."""
    for j in range(loads.spring_bodies.shape[0]):
        c = loads.spring_values[j, 1]
        if c > 0.0:
            arm_a, arm_b, n, _ = spring_line(loads, j, x, R)
            rate = lengthening(loads, j, arm_a, arm_b, n, v, spin)
            push_apart(force, torque, loads, j, scale(-c * rate, n), arm_a, arm_b)


@jit
def wrenches(loads, x, R, v, omega, spin, force, torque):
    """All forces at a state with `omega` in body axes; `spin` becomes the same in world axes."""
    for i in range(x.shape[0]):
        store3(spin, i, matvec(load33(R, i), load3(omega, i)))
    position_wrenches(loads, x, R, force, torque)
    if loads.spring_bodies.shape[0] > 0:
        add_damping(loads, x, R, v, spin, force, torque)


@when_called(0.0)
@jit
def add_spring_energy(energy, loads, x, R):
    """`energy` [J] and that of all springs."""
    for j in range(loads.spring_bodies.shape[0]):
        _, _, _, length = spring_line(loads, j, x, R)
        stretch = length - loads.spring_values[j, 2]
        energy += 0.5 * loads.spring_values[j, 0] * stretch * stretch
    return energy


@jit
def potential_energy(loads, counts, x, R):
    """Sum of -f.x of world forces on bodies that count, and k (|d| - rest)^2 / 2 of springs [J]."""
    energy = 0.0
    for i in range(x.shape[0]):
        if counts[i]:
            energy -= dot(load3(loads.force, i), load3(x, i))
    for k in range(loads.point_body.shape[0]):
        i = loads.point_body[k]
        if counts[i]:
            arm = matvec(load33(R, i), load3(loads.point_arm, k))
            energy -= dot(load3(loads.point_force, k), add_scaled(load3(x, i), 1.0, arm))
    if loads.spring_bodies.shape[0] > 0:
        energy = add_spring_energy(energy, loads, x, R)
    return energy


_rows, _rotations = np.zeros((0, 3)), np.zeros((0, 3, 3))
NO_LOADS = CompiledLoads(
    _rows, _rows, _rows, _rows, np.zeros(0, np.int64), _rows, _rows,
    np.zeros((0, 2), np.int64), np.zeros((0, 2, 3)), _rows,
)  # fmt: skip
warm(wrenches, NO_LOADS, _rows, _rotations, _rows, _rows, _rows, _rows, _rows)
warm(position_wrenches, NO_LOADS, _rows, _rotations, _rows, _rows)
warm(potential_energy, NO_LOADS, np.zeros(0, np.bool_), _rows, _rotations)
