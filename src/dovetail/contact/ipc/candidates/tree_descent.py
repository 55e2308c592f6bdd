"""Down the trees of two bodies: pairs of leaves within a margin, a few at a time.

The descent can be interrupted and goes on with another margin, which shrinks with the earliest
contact that the CCD has found. The order of
the leaves depends on the trees only.
"""

from dovetail.collision.bvh.slabs import ROUNDING
from dovetail.contact.ipc.records import (
    EDGE_EDGE,
    EDGES,
    FACES,
    POINT_EDGE,
    POINT_FACE,
    POINT_POINT,
    POINTS,
    RING_FACE,
    RINGS,
    SOLID_EDGE,
    SOLID_FACE,
    SOLID_POINT,
    SOLID_SOLID,
    SOLIDS,
    VERTICES,
    WIRES,
)
from dovetail.runtime.jit import jit_in_place

COMBINATIONS = 6
WITH_SOLIDS = 15  # and those of solids of revolution and rings


@jit_in_place
def combination(number):
    """(kind, swap, tree of a, tree of b): every way two closed simplices touch is one of six.

    Seven more are those of a solid of revolution, two those of a ring.
    """
    if number == 0:
        return POINT_FACE, 0, VERTICES, FACES
    if number == 1:
        return POINT_FACE, 1, FACES, VERTICES
    if number == 2:
        return EDGE_EDGE, 0, EDGES, EDGES
    if number == 3:
        return POINT_EDGE, 0, VERTICES, WIRES
    if number == 4:
        return POINT_EDGE, 1, WIRES, VERTICES
    if number == 5:
        return POINT_POINT, 0, POINTS, POINTS
    if number == 6:
        return SOLID_FACE, 0, SOLIDS, FACES
    if number == 7:
        return SOLID_FACE, 1, FACES, SOLIDS
    if number == 8:
        return SOLID_EDGE, 0, SOLIDS, EDGES
    if number == 9:
        return SOLID_EDGE, 1, EDGES, SOLIDS
    if number == 10:
        return SOLID_POINT, 0, SOLIDS, VERTICES
    if number == 11:
        return SOLID_POINT, 1, VERTICES, SOLIDS
    if number == 12:
        return SOLID_SOLID, 0, SOLIDS, SOLIDS
    if number == 13:
        return RING_FACE, 0, RINGS, FACES
    return RING_FACE, 1, FACES, RINGS


@jit_in_place
def combinations(features):
    """How many there are."""
    return WITH_SOLIDS if features.solids.shape[0] > 0 else COMBINATIONS


@jit_in_place
def feature_at(features, body, tree, leaf):
    """The index of the feature at a leaf of a body's tree."""
    if tree == SOLIDS or tree == RINGS:
        return body
    at = features.first[body, tree] + leaf
    if tree == WIRES:
        return features.wires[at]
    if tree == POINTS:
        return features.points[at]
    return at


@jit_in_place
def next_leaves(trees, root_a, root_b, Q, t, margin, descent, depth):
    """Go on with a descent: leaves (i of a, j of b) whose boxes are within `margin` [m].

    b is at Q, t in the frame of a; the margin has to include ten times the rounding of the sizes.
    Distances are those of a's box to the box, along a's axes, around b's.
    Returns (depth of the stack, 0 at the end, and how many pairs there are in descent.leaves).
    """
    boxes, right, stack, found = trees.boxes, trees.right, descent.stack, descent.leaves
    q00, q01, q02 = abs(Q[0][0]), abs(Q[0][1]), abs(Q[0][2])
    q10, q11, q12 = abs(Q[1][0]), abs(Q[1][1]), abs(Q[1][2])
    q20, q21, q22 = abs(Q[2][0]), abs(Q[2][1]), abs(Q[2][2])
    margin += trees.slabs[root_a, ROUNDING] + trees.slabs[root_b, ROUNDING]
    limit = 4.0 * margin * margin
    count, most = 0, found.shape[0]
    while depth > 0 and count < most:
        depth -= 1
        a, b = stack[depth, 0], stack[depth, 1]
        n, m = root_a + a, root_b + b
        cx, cy, cz = boxes[m, 0] + boxes[m, 3], boxes[m, 1] + boxes[m, 4], boxes[m, 2] + boxes[m, 5]
        hx, hy, hz = boxes[m, 3] - boxes[m, 0], boxes[m, 4] - boxes[m, 1], boxes[m, 5] - boxes[m, 2]
        ax, ay, az = boxes[n, 3] - boxes[n, 0], boxes[n, 4] - boxes[n, 1], boxes[n, 5] - boxes[n, 2]
        # twice the gaps along the axes of a
        x = Q[0][0] * cx + Q[0][1] * cy + Q[0][2] * cz + 2.0 * t[0] - boxes[n, 0] - boxes[n, 3]
        y = Q[1][0] * cx + Q[1][1] * cy + Q[1][2] * cz + 2.0 * t[1] - boxes[n, 1] - boxes[n, 4]
        z = Q[2][0] * cx + Q[2][1] * cy + Q[2][2] * cz + 2.0 * t[2] - boxes[n, 2] - boxes[n, 5]
        x = max(0.0, abs(x) - ax - q00 * hx - q01 * hy - q02 * hz)
        y = max(0.0, abs(y) - ay - q10 * hx - q11 * hy - q12 * hz)
        z = max(0.0, abs(z) - az - q20 * hx - q21 * hy - q22 * hz)
        if x * x + y * y + z * z > limit:
            continue
        leaf_a, leaf_b = right[n] < 0, right[m] < 0
        if leaf_a and leaf_b:
            found[count, 0] = -1 - right[n]
            found[count, 1] = -1 - right[m]
            count += 1
        elif leaf_b or (not leaf_a and max(ax, max(ay, az)) > max(hx, max(hy, hz))):
            stack[depth, 0], stack[depth, 1] = right[n], b
            stack[depth + 1, 0], stack[depth + 1, 1] = a + 1, b
            depth += 2
        else:
            stack[depth, 0], stack[depth, 1] = a, right[m]
            stack[depth + 1, 0], stack[depth + 1, 1] = a, b + 1
            depth += 2
    return depth, count
