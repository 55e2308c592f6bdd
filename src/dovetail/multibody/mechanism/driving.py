"""Prescribed motions: where driven coordinates must be and how fast, step by step."""

import numpy as np

from dovetail.linalg.lie import se3, so3
from dovetail.model.values import Array
from dovetail.multibody.mechanism.actuation import Motor
from dovetail.multibody.mechanism.mechanism import Mechanism

GAUSS_NODES = (0.5 - np.sqrt(0.15), 0.5, 0.5 + np.sqrt(0.15))
GAUSS_WEIGHTS = (5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0)
PART_OF_STEP = 0.1  # over which a wanted position is differentiated


def mean_velocities(mechanism: Mechanism, q: Array, t: float, t_next: float) -> Array:
    """Constant velocities that lead the driven coordinates from q to where they must be."""
    h = t_next - t
    found = [
        part / h
        for body, q_range, _ in mechanism.kinematic
        for part in _twist_between(mechanism, body, q[q_range], t_next)
    ]
    for motor in mechanism.acting.driven:
        if motor.mode == "position":
            found.append((motor.at(t_next) - float(q[motor.q_index])) / h)
        else:
            nodes = zip(GAUSS_NODES, GAUSS_WEIGHTS, strict=True)
            found.append(sum(weight * motor.speed(t + node * h) for node, weight in nodes))
    return np.array(found, dtype=np.float64)


def velocities(mechanism: Mechanism, t: float, h: float) -> Array:
    """Velocities of the driven coordinates at time t [s]."""
    found: list[float] = []
    for body, _, _ in mechanism.kinematic:
        trajectory = mechanism.model.trajectories[body]
        assert trajectory is not None
        _, R = trajectory.pose(t)
        speed, spin = trajectory.twist(t)
        axes = _tree_axes(mechanism, body, R)
        found += [*(axes.T @ speed), *(axes.T @ spin)]
    found += [
        _slope(motor, t, PART_OF_STEP * h) if motor.mode == "position" else motor.speed(t)
        for motor in mechanism.acting.driven
    ]
    return np.array(found, dtype=np.float64)


def _slope(motor: Motor, t: float, d: float) -> float:
    """Rate of a wanted position, by differences of fourth order that never look before t = 0."""
    if not callable(motor.wanted):
        return 0.0
    if t < 2.0 * d:
        f = [motor.at(t + k * d) for k in range(5)]
        return (-25.0 * f[0] + 48.0 * f[1] - 36.0 * f[2] + 16.0 * f[3] - 3.0 * f[4]) / (12.0 * d)
    f = [motor.at(t + k * d) for k in (-2, -1, 1, 2)]
    return (f[0] - 8.0 * f[1] + 8.0 * f[2] - f[3]) / (12.0 * d)


def _tree_axes(mechanism: Mechanism, body: int, R: Array) -> Array:
    """Axes of the tree's frame of a body whose own axes are R."""
    return np.asarray(R @ mechanism.tree.body_frames[mechanism.labels[body]].T)


def _twist_between(mechanism: Mechanism, body: int, q: Array, t_next: float) -> Array:
    """Linear and angular motion, in the frame at q, that leads to the trajectory at t_next."""
    trajectory = mechanism.model.trajectories[body]
    assert trajectory is not None
    x, R = trajectory.pose(t_next)
    axes = so3.from_quaternion(q[3:])
    origin = mechanism.tree.arrays.joint_point[mechanism.labels[body]] + q[:3]
    T = np.eye(4)
    T[:3, :3] = axes.T @ _tree_axes(mechanism, body, R)
    T[:3, 3] = axes.T @ (x - origin)
    twist = se3.log(T)
    return np.concatenate((twist[3:], twist[:3]))
