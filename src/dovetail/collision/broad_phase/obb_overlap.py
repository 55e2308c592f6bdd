"""Do two oriented boxes overlap: the separating axis test on 15 axes."""

from dovetail.linalg.vec3 import IDENTITY, ZERO
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

PARALLEL = 1e-12  # added to |R|: two parallel edges have no cross product


@jit
def boxes_overlap(half_a, half_b, R, t):
    """Boxes of half sizes a and b, the second at R, t in the axes of the first; touching counts.

    Axes: 3 of a, 3 of b, 9 cross products (Gottschalk, Lin and Manocha, SIGGRAPH 1996, eq. 1).
    """
    for i in range(3):
        reach = half_a[i] + _reach(R, i, half_b)
        if abs(t[i]) > reach:
            return False
    for j in range(3):
        along = R[0][j] * t[0] + R[1][j] * t[1] + R[2][j] * t[2]
        reach = half_b[j]
        for i in range(3):
            reach += (abs(R[i][j]) + PARALLEL) * half_a[i]
        if abs(along) > reach:
            return False
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            reach = (
                half_a[i1] * (abs(R[i2][j]) + PARALLEL)
                + half_a[i2] * (abs(R[i1][j]) + PARALLEL)
                + half_b[j1] * (abs(R[i][j2]) + PARALLEL)
                + half_b[j2] * (abs(R[i][j1]) + PARALLEL)
            )
            if abs(t[i2] * R[i1][j] - t[i1] * R[i2][j]) > reach:
                return False
    return True


@jit
def _reach(R, i, half):
    """The reach of a box along axis i."""
    return (
        (abs(R[i][0]) + PARALLEL) * half[0]
        + (abs(R[i][1]) + PARALLEL) * half[1]
        + (abs(R[i][2]) + PARALLEL) * half[2]
    )


warm(boxes_overlap, ZERO, ZERO, IDENTITY, ZERO)
