"""Do two boxes, or two triangles, stay apart while one of them moves through a cell?

Along a direction that stays with a, b moves; along one that turns with b, a moves the other way. A
corner that passes a large face is followed closely only along the normal that stays with the face,
so both are tried: `spread` is the motion of b seen from a, `back` that of a seen from b.
"""

from dovetail.linalg.vec3 import ZERO, add, dot, mat_t_vec, matvec, norm, scale, sub, transpose
from dovetail.prove.motion.screw_motion import displacement_bound, least_along, most_along_box
from dovetail.runtime.jit import jit
from dovetail.verifier.separating_direction import (
    N_AXES,
    across_edge,
    axis_of,
    unit,
)


@jit
def box(boxes, n):
    """Middle and half sides [m] of box n."""
    c = (
        0.5 * (boxes[n, 0] + boxes[n, 3]),
        0.5 * (boxes[n, 1] + boxes[n, 4]),
        0.5 * (boxes[n, 2] + boxes[n, 5]),
    )
    return c, (boxes[n, 3] - c[0], boxes[n, 4] - c[1], boxes[n, 5] - c[2])


@jit
def _beyond_box(p, h):
    """The vector from the box of half sides h about the origin to the point p."""
    x = p[0] - min(h[0], max(-h[0], p[0]))
    y = p[1] - min(h[1], max(-h[1], p[1]))
    z = p[2] - min(h[2], max(-h[2], p[2]))
    return (x, y, z)


@jit
def _reach(axes, h, n):
    """How far [m] a box with these axes and half sides reaches along n."""
    return abs(dot(n, axes[0])) * h[0] + abs(dot(n, axes[1])) * h[1] + abs(dot(n, axes[2])) * h[2]


@jit
def boxes_stay_apart(boxes, a, b, pose_a, pose_b, spread, least):
    """Whether two boxes keep `least` [m]; (they do, half diagonals of a and b, displacement)."""
    R_a, x_a = pose_a
    R_b, x_b = pose_b
    c, h_a = box(boxes, a)
    centre_a = add(matvec(R_a, c), x_a)
    c, h_b = box(boxes, b)
    centre_b = add(matvec(R_b, c), x_b)
    size_a, size_b = norm(h_a), norm(h_b)
    moved = displacement_bound(spread.screws, spread.half, centre_b, size_b)
    apart = sub(centre_b, centre_a)
    from_a = _beyond_box(mat_t_vec(R_a, apart), h_a)
    from_b = _beyond_box(mat_t_vec(R_b, apart), h_b)
    if max(norm(from_a) - size_b, norm(from_b) - size_a) > least + moved:
        return True, size_a, size_b, moved
    axes_a, axes_b = transpose(R_a), transpose(R_b)
    for k in range(8):
        if k == 0:
            n = unit(matvec(R_a, from_a))
        elif k == 1:
            n = unit(matvec(R_b, from_b))
        elif k < 5:
            n = axes_a[k - 2]
        else:
            n = axes_b[k - 5]
        gap = abs(dot(n, apart)) - _reach(axes_a, h_a, n) - _reach(axes_b, h_b, n)
        if gap > least:
            off = most_along_box(spread, n, centre_b, axes_b, h_b, size_b)
            if gap - off > least:
                return True, size_a, size_b, moved
    return False, size_a, size_b, moved


@jit
def _kept_along(n, A, B, spread, least):
    """Whether A and B keep `least` [m] along n over the cell.

    A corner of B gets nearer, or stays where it is: what is too near in the middle need not be
    followed.
    """
    needed = max(dot(n, A[0]), max(dot(n, A[1]), dot(n, A[2]))) + least
    if not min(dot(n, B[0]), min(dot(n, B[1]), dot(n, B[2]))) > needed:
        return False
    for k in range(3):
        if not dot(n, B[k]) + least_along(spread, n, B[k]) > needed:
            return False
    return True


@jit
def triangles_stay_apart(A, B, shortest, spread, back, least):
    """Whether triangles A and B keep `least` [m] along one of the directions that are tried.

    `shortest` is the shortest vector from A to B in the middle of the cell.
    """
    towards_b = sub(B[0], A[0])
    for k in range(7 + N_AXES):
        if k == 0:
            n = unit(shortest)
        elif k < 7:
            corners = A if k < 4 else B
            n = unit(across_edge(shortest, sub(corners[k % 3], corners[(k + 1) % 3])))
        else:
            n = axis_of(A, B, k - 7)
            if dot(n, towards_b) < 0.0:
                n = scale(-1.0, n)
        if n == ZERO:
            continue
        if _kept_along(n, A, B, spread, least) or _kept_along(scale(-1.0, n), B, A, back, least):
            return True
    return False
