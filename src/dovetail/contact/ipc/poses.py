"""Moving all bodies along their twists, and what follows from a pose."""

from dovetail.linalg.so3 import exp, log
from dovetail.linalg.vec3 import (
    cross,
    load3,
    load33,
    mat_t_vec,
    matmul,
    matvec,
    norm,
    scale,
    store3,
    store33,
    transpose,
)
from dovetail.multibody.free_rotation import orthogonalised
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def move(slot, poses, twist, t, moved):
    """x + t s, exp(t [w]) R; a body without a rotation keeps its R to the bit."""
    x, R, x_new, R_new = poses.x, poses.R, moved.x, moved.R
    for i in range(slot.shape[0]):
        if slot[i] < 0:
            continue
        for k in range(3):
            x_new[i, k] = x[i, k] + t * twist[i, k]
        w = (t * twist[i, 3], t * twist[i, 4], t * twist[i, 5])
        A = load33(R, i)
        if w[0] != 0.0 or w[1] != 0.0 or w[2] != 0.0:
            A = orthogonalised(matmul(exp(w), A))
        store33(R_new, i, A)


@jit_in_place
def copy_poses(source, target):
    """All bodies."""
    for i in range(source.x.shape[0]):
        copy_pose(i, source, target)


@jit_in_place
def copy_pose(i, source, target):
    """Body i alone."""
    store3(target.x, i, load3(source.x, i))
    store33(target.R, i, load33(source.R, i))


@jit_in_place
def vertex_displacement(R, box_centre, box_half, twist, i):
    """[m] a bound on the largest component of the displacement s + w x r of a vertex of body i.

    The extreme over the box around its vertices: |s + w x c| + |([w] R) h| by component.
    """
    largest = 0.0
    A = load33(R, i)
    w = (twist[i, 3], twist[i, 4], twist[i, 5])
    c = cross(w, matvec(A, load3(box_centre, i)))
    axes = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    for k in range(3):
        across = mat_t_vec(A, cross(axes[k], w))  # axis . (w x R h) = h . R^T (axis x w)
        spread = (
            abs(across[0]) * box_half[i, 0]
            + abs(across[1]) * box_half[i, 1]
            + abs(across[2]) * box_half[i, 2]
        )
        largest = max(largest, abs(twist[i, k] + c[k]) + spread)
    return largest


@jit_in_place
def limit_rotation(slot, twist, largest_angle):
    """Scale all twists so that no body rotates by more than `largest_angle` [rad].

    Returns the factor.
    """
    largest = 0.0
    for i in range(slot.shape[0]):
        if slot[i] >= 0:
            largest = max(largest, norm((twist[i, 3], twist[i, 4], twist[i, 5])))
    if not largest > largest_angle:
        return 1.0
    factor = largest_angle / largest
    for i in range(slot.shape[0]):
        for k in range(6):
            twist[i, k] *= factor
    return factor


@jit_in_place
def set_path_lengths(slot, radius, twist, path_length):
    """[m] bound on the path of a point of each body along its twist: |s| + |w| r."""
    for i in range(slot.shape[0]):
        path_length[i] = 0.0
        if slot[i] >= 0:
            s = norm((twist[i, 0], twist[i, 1], twist[i, 2]))
            path_length[i] = s + norm((twist[i, 3], twist[i, 4], twist[i, 5])) * radius[i]


@jit_in_place
def twists_between(slot, start, end, twist):
    """The constant twists from one pose to another; zero for bodies at rest to the bit."""
    x_0, R_0, x_1, R_1 = start.x, start.R, end.x, end.R
    for i in range(slot.shape[0]):
        for k in range(6):
            twist[i, k] = 0.0
        if slot[i] < 0:
            continue
        same = True
        for r in range(3):
            twist[i, r] = x_1[i, r] - x_0[i, r]
            for c in range(3):
                same = same and R_1[i, r, c] == R_0[i, r, c]
        if not same:
            w = log(matmul(load33(R_1, i), transpose(load33(R_0, i))))
            for k in range(3):
                twist[i, 3 + k] = w[k]


@jit_in_place
def set_velocities(slot, flies, h, R_0, R, twist, v, omega, rate):
    """v, body angular velocity and rate (R - R_0)/h; `twist` leads from R_0 to R.

    Bodies that fly have them already.
    """
    for i in range(slot.shape[0]):
        if flies[i] != 0:
            continue
        for r in range(3):
            v[i, r] = twist[i, r] / h
            for c in range(3):
                rate[i, r, c] = (R[i, r, c] - R_0[i, r, c]) / h
        spin = scale(1.0 / h, (twist[i, 3], twist[i, 4], twist[i, 5]))
        store3(omega, i, mat_t_vec(load33(R, i), spin))
