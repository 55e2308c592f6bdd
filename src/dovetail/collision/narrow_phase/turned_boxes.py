"""Whether the boxes around two bodies, along the axes of each, are apart."""

from dovetail.collision.broad_phase.obb_overlap import boxes_overlap
from dovetail.collision.narrow_phase.surfaces import ROUNDING
from dovetail.linalg.vec3 import add, load3, load33, mat_t_vec, matmul, matvec, sub, transpose
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def boxes_apart(surfaces, x, R, i, j, gap):
    """Whether an axis separates the boxes of bodies i and j at x (n, 3), R by more than `gap` [m].

    Rounded bodies reach beyond their boxes by their radius.
    """
    A, B = load33(R, i), load33(R, j)
    apart = sub(
        add(load3(x, j), matvec(B, load3(surfaces.middle, j))),
        add(load3(x, i), matvec(A, load3(surfaces.middle, i))),
    )
    wider = gap + surfaces.radius[i] + surfaces.radius[j]
    wider += ROUNDING * (surfaces.size[i] + surfaces.size[j])
    half = add(load3(surfaces.half, i), (wider, wider, wider))
    M = matmul(transpose(A), B)
    return not boxes_overlap(half, load3(surfaces.half, j), M, mat_t_vec(A, apart))
