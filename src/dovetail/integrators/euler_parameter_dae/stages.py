r"""Runge-Kutta stages on Euler parameters: y = (x, Lambda, v, dLambda/dt) of every body, (n, 14).

Lambda is the quaternion (w, x, y, z), omega in body axes 2 L dLambda/dt (seed 000, eqs. 13-25), and
    d^2 Lambda/dt^2 = L^T alpha / 2 - |dLambda/dt|^2 Lambda
with the accelerations of the index-1 equations.
"""

from dovetail.integrators.euler_parameter_dae.pose_projection import project_poses
from dovetail.integrators.shared.accelerations import (
    all_wrenches,
    project_velocities,
    solve_accelerations,
)
from dovetail.integrators.variational.stages import DONE, NOT_FINITE, SINGULAR
from dovetail.linalg.kkt.sparse import SLACK
from dovetail.linalg.so3 import from_quaternion, to_quaternion
from dovetail.linalg.vec3 import load3, load33, store3, store33
from dovetail.multibody.constraints.bodies import copy_motion
from dovetail.multibody.constraints.rows import evaluate
from dovetail.runtime.jit import jit

STAGE_SLACK = 1e-6  # of the mobility of a loop row
# columns of y: where each part begins
POSITION, QUATERNION, VELOCITY, QUATERNION_RATE, WIDTH = 0, 3, 7, 10, 14


@jit
def spin_of(p, q):
    """Omega = 2 L(p) q [rad/s], body axes, of Euler parameters p that change at the rate q."""
    return (
        2.0 * (-p[1] * q[0] + p[0] * q[1] + p[3] * q[2] - p[2] * q[3]),
        2.0 * (-p[2] * q[0] - p[3] * q[1] + p[0] * q[2] + p[1] * q[3]),
        2.0 * (-p[3] * q[0] + p[2] * q[1] - p[1] * q[2] + p[0] * q[3]),
    )


@jit
def rate_of(p, w):
    """L(p)^T w / 2."""
    return (
        0.5 * (-p[1] * w[0] - p[2] * w[1] - p[3] * w[2]),
        0.5 * (p[0] * w[0] - p[3] * w[1] + p[2] * w[2]),
        0.5 * (p[3] * w[0] + p[0] * w[1] - p[1] * w[2]),
        0.5 * (-p[2] * w[0] + p[1] * w[1] + p[0] * w[2]),
    )


@jit
def four(y, i, k):
    """Entries k to k + 3 of row i."""
    return (y[i, k], y[i, k + 1], y[i, k + 2], y[i, k + 3])


@jit
def three(y, i, k):
    """Entries k to k + 2 of row i."""
    return (y[i, k], y[i, k + 1], y[i, k + 2])


@jit
def _store(y, i, k, values):
    for j in range(len(values)):
        y[i, k + j] = values[j]


@jit
def combine(order, h, weights, row, y, K, out):
    """Out = y + h sum_j weights[row, j] K_j for the bodies that forces move."""
    for i in order:
        for k in range(WIDTH):
            s = 0.0
            for j in range(K.shape[0]):
                w = weights[row, j]
                if w != 0.0:
                    s += w * K[j, i, k]
            out[i, k] = y[i, k] + h * s


@jit
def _write(order, y, motion):
    """Poses and twists of coordinates y."""
    x, R, v, omega = motion.x, motion.R, motion.v, motion.omega
    for i in order:
        p, q = four(y, i, QUATERNION), four(y, i, QUATERNION_RATE)
        store3(x, i, three(y, i, POSITION))
        store3(v, i, three(y, i, VELOCITY))
        store33(R, i, from_quaternion(p))
        store3(omega, i, spin_of(p, q))


@jit
def _read(order, motion, y):
    """Coordinates y of poses and twists; of the two quaternions, the one nearer to that in y."""
    x, R, v, omega = motion.x, motion.R, motion.v, motion.omega
    for i in order:
        p, near = to_quaternion(load33(R, i)), four(y, i, QUATERNION)
        if p[0] * near[0] + p[1] * near[1] + p[2] * near[2] + p[3] * near[3] < 0.0:
            p = (-p[0], -p[1], -p[2], -p[3])
        _store(y, i, POSITION, load3(x, i))
        _store(y, i, QUATERNION, p)
        _store(y, i, VELOCITY, load3(v, i))
        _store(y, i, QUATERNION_RATE, rate_of(p, load3(omega, i)))


@jit
def begin(parts, y):
    """Coordinates y of the state `now`."""
    _read(parts.tree.order, parts.now, y)


@jit
def place(h, weights, stage, y, K, y_stage, parts):
    """Poses and twists of a stage into `after`, its coordinates into `y_stage`."""
    order = parts.tree.order
    combine(order, h, weights, stage, y, K, y_stage)
    _write(order, y_stage, parts.after)


@jit
def rates(stage, y_stage, K, parts, carried, decay):
    """K of a placed stage, further forces in work.extra; a body without solution, or -1.

    Stages lie beside the closed loops, by d of O(h^2), where rows that closed ones imply, as those
    of Bricard's, Bennett's and spherical loops, are almost dependent. What these ask for
    there, d / d, is none of the motion: STAGE_SLACK leaves d^2 / STAGE_SLACK of it.
    """
    after, now, work = parts.after, parts.now, parts.work
    all_wrenches(parts.constants, parts.tree, parts.loads, parts.rows, now.angle, after, work.extra)
    slack = parts.kkt.slack
    slack[0] = STAGE_SLACK
    body = solve_accelerations(
        parts.constants, parts.tree, parts.rows, after, carried, decay, 0.0, work, parts.kkt
    )
    slack[0] = SLACK
    u = work.u
    for i in parts.tree.order:
        p, q = four(y_stage, i, QUATERNION), four(y_stage, i, QUATERNION_RATE)
        rate_squared = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
        second = rate_of(p, three(u, i, 3))
        for k in range(3):
            K[stage, i, POSITION + k] = y_stage[i, VELOCITY + k]
            K[stage, i, VELOCITY + k] = u[i, k]
        for k in range(4):
            K[stage, i, QUATERNION + k] = q[k]
            K[stage, i, QUATERNION_RATE + k] = second[k] - rate_squared * p[k]
    return body


@jit
def all_stages(h, weights, sums, y, K, y_stage, end, parts, carried, decay):
    """Every stage of a step in one call, where nothing but the bodies changes with time.

    The end of the step goes into `end`; returns a body without solution, or -1.
    """
    order = parts.tree.order
    for stage in range(K.shape[0]):
        place(h, weights, stage, y, K, y_stage, parts)
        body = rates(stage, y_stage, K, parts, carried, decay)
        if body >= 0:
            return body
    combine(order, h, sums, 0, y, K, end)
    return -1


@jit
def largest_error(h, error, length, slow, parts, y, K):
    """|h sum_j error[0, j] K_j| relative to the scene: lengths to `length`, speeds to the largest.

    Speeds below `slow` lengths (or rad) per second count as that. The largest over all bodies and
    entries; 1e300 where it is no number.
    """
    order = parts.tree.order
    speed, worst_pose, worst_speed = slow, 0.0, 0.0
    for i in order:
        for k in range(WIDTH):
            s = 0.0
            for j in range(K.shape[0]):
                s += error[0, j] * K[j, i, k]
            size = abs(h * s) / (
                length if k < QUATERNION or VELOCITY <= k < QUATERNION_RATE else 1.0
            )
            if not size < 1e300:
                return 1e300
            if k < VELOCITY:
                worst_pose = max(worst_pose, size)
            else:
                worst_speed = max(worst_speed, size)
                own = abs(y[i, k])
                speed = max(speed, own / length if k < QUATERNION_RATE else own)
    return max(worst_pose, worst_speed / speed)


@jit
def finish(parts, projects, y):
    """`now` becomes the state of coordinates y, projected onto the constraints if `projects`.

    Returns (code, body, iterations, size); y becomes the coordinates of the projected state. The
    rows of `after` are those of some stage before.
    """
    constants, tree, rows = parts.constants, parts.tree, parts.rows
    work, kkt = parts.work, parts.kkt
    now, after, lam = parts.now, parts.after, parts.work.lam
    order, multiplier, x = tree.order, after.multiplier, after.x
    code, body, iterations, size = DONE, -1, 0, 0.0
    _write(order, y, after)
    for i in order:
        if not abs(x[i, 0]) + abs(x[i, 1]) + abs(x[i, 2]) < 1e300:
            return NOT_FINITE, i, iterations, size
    for r in range(lam.shape[0]):
        multiplier[r] = lam[r]
    if projects:
        code, body, iterations, size = project_poses(constants, tree, rows, now, after, work, kkt)
        if code != DONE:
            return code, body, iterations, size
        evaluate(rows, after.x, after.R, now.angle, after.phi, after.angle, after.G)
        if project_velocities(constants, tree, after, work, kkt) >= 0:
            return SINGULAR, order[0], iterations, size
        _read(order, after, y)
    all_wrenches(constants, tree, parts.loads, rows, now.angle, after, work.extra)
    copy_motion(now, after)
    return code, body, iterations, size
