"""Down the trees of faces of two bodies, with the boxes of b placed in the axes of a.

A box of b that is turned into the axes of a is up to 1.7 times as wide as what it holds, and costs
a product with a matrix. Each node of b is looked at beside many nodes of a. So a node of b is
placed when a walk first looks at it, and kept for the rest of the walk: the boxes of small
subtrees about the corners of their faces, from the leaves up, those of large nodes by turning.

For bodies that move, a placed box holds its faces at all times up to T. At constant twists a point
r of b is seen from a at p(t) = A^T exp(-t [w_a]) (D + t ds + exp(t [w_b]) B r), with
    |p''| <= |w_a x ds| + |w_b - w_a| |w_b| |r| + |w_a| u,
    u = |ds - w_a x D| + T |w_a x ds| + |w_b - w_a| |r|
(`candidates.relative_motion` has the velocity), so it is no farther than T^2/8 max |p''| from the
chord between p(0) and p(T): `bulge`. At any time p is affine in r, so the points of a face are
between those of its corners, and the box about both ends of all corners, grown by the bulge, holds
them. Its distance from a box of a bounds from below the distance of what is in both, at all times
up to T.

Leaves come in the order of `candidates.moving_descent`: which child is first does not depend on
where bodies are.
"""

from typing import NamedTuple

from dovetail.collision.bvh.slabs import HIGH, LOW
from dovetail.contact.ipc.candidates.approach import stays_apart
from dovetail.contact.ipc.records import FACES
from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    cross,
    load3,
    load33,
    mat_t_vec,
    matmul,
    matvec,
    norm,
    scale,
    sub,
    transpose,
)
from dovetail.runtime.jit import jit_in_place, jit_within

FLAT = 0.5  # of the margin: how thick nodes are together that are tried along their normals
SUBTREE = 62  # nodes below one that are placed from the leaves up
LONGEST = 6  # column of `DescentWorkspace.placed`: the largest side of a node's own box

Vec3 = tuple[float, float, float]


class Placing(NamedTuple):
    """Where body b is in the axes of a, from a's centre: now and at the end of the motion."""

    Q: tuple[Vec3, Vec3, Vec3]
    offset: Vec3  # [m]
    Q_end: tuple[Vec3, Vec3, Vec3]
    offset_end: Vec3  # [m]
    bulge: float  # [m] by which points leave the chords between both
    moves: bool
    root: int  # of the tree of b
    first: int  # face of b
    walk: int  # number of this walk


@jit_in_place
def begin_walk(descent, shapes, R, pair, ds, w_a, w_b, t, most):
    """A walk for all times up to t; for t = 0, and where the bulge exceeds `most` [m], for now."""
    a, b, D = pair.a, pair.b, pair.D
    descent.walks[0] += 1
    A, B = load33(R, a), load33(R, b)
    Q, offset = matmul(transpose(A), B), mat_t_vec(A, D)
    Q_end, offset_end, bulge = Q, offset, 0.0
    if t > 0.0:
        bulge = _bulge(D, ds, w_a, w_b, shapes.core_radius[b], t)
    moves = t > 0.0 and bulge <= most
    if moves:
        A = matmul(exp(scale(t, w_a)), A)
        Q_end = matmul(transpose(A), matmul(exp(scale(t, w_b)), B))
        offset_end = mat_t_vec(A, add_scaled(D, t, ds))
    root, first = shapes.trees.root[b, FACES], shapes.features.first[b, FACES]
    return Placing(Q, offset, Q_end, offset_end, bulge, moves, root, first, descent.walks[0])


@jit_in_place
def _bulge(D, ds, w_a, w_b, radius, t):
    """[m] how far a point within `radius` of b's centre leaves its chord, as seen from a."""
    relative, turned = norm(sub(w_b, w_a)), norm(cross(w_a, ds))
    speed = norm(sub(ds, cross(w_a, D))) + t * turned + relative * radius
    bend = turned + relative * norm(w_b) * radius + norm(w_a) * speed
    return 0.125 * t * t * bend * 1.000001


@jit_within
def _hold(placed, n, p):
    """Let box n hold the point p."""
    for k in range(3):
        placed[n, k] = min(placed[n, k], p[k])
        placed[n, 3 + k] = max(placed[n, 3 + k], p[k])


@jit_within
def _begin_box(placed, n, p, boxes, m):
    """Box n about the point p; the largest side of box m."""
    for k in range(3):
        placed[n, k] = placed[n, 3 + k] = p[k]
    x, y, z = boxes[m, 3] - boxes[m, 0], boxes[m, 4] - boxes[m, 1], boxes[m, 5] - boxes[m, 2]
    placed[n, LONGEST] = max(x, max(y, z))


@jit_within
def _hold_turned(placed, n, Q, offset, boxes, m):
    """Let box n hold box m of b."""
    low, high = load3(boxes, m), (boxes[m, 3], boxes[m, 4], boxes[m, 5])
    centre = add(matvec(Q, scale(0.5, add(low, high))), offset)
    half = scale(0.5, sub(high, low))
    for k in range(3):
        wide = abs(Q[k][0]) * half[0] + abs(Q[k][1]) * half[1] + abs(Q[k][2]) * half[2]
        placed[n, k] = min(placed[n, k], centre[k] - wide)
        placed[n, 3 + k] = max(placed[n, 3 + k], centre[k] + wide)


@jit_within
def _grow(placed, n, bulge):
    for k in range(3):
        placed[n, k] -= bulge
        placed[n, 3 + k] += bulge


@jit_in_place
def _place_leaf(trees, features, descent, placing, n):
    """The box about the face at leaf n."""
    boxes, placed, m = trees.boxes, descent.placed, placing.root + n
    face = placing.first - 1 - trees.right[m]
    corner = load3(features.vertices, features.faces[face, 0])
    _begin_box(placed, n, add(matvec(placing.Q, corner), placing.offset), boxes, m)
    for k in range(3):
        corner = load3(features.vertices, features.faces[face, k])
        if k > 0:
            _hold(placed, n, add(matvec(placing.Q, corner), placing.offset))
        if placing.moves:
            _hold(placed, n, add(matvec(placing.Q_end, corner), placing.offset_end))
    if placing.moves:
        _grow(placed, n, placing.bulge)


@jit_in_place
def _place(trees, features, descent, placing, n):
    """The boxes of node n and, where it is small, of all below."""
    boxes, right, placed, placed_in = trees.boxes, trees.right, descent.placed, descent.placed_in
    root, last = placing.root, n
    while right[root + last] >= 0:
        last = right[root + last]  # the last node below n
    if last - n > SUBTREE:
        m = root + n
        middle = scale(0.5, add(load3(boxes, m), (boxes[m, 3], boxes[m, 4], boxes[m, 5])))
        _begin_box(placed, n, add(matvec(placing.Q, middle), placing.offset), boxes, m)
        _hold_turned(placed, n, placing.Q, placing.offset, boxes, m)
        if placing.moves:
            _hold_turned(placed, n, placing.Q_end, placing.offset_end, boxes, m)
            _grow(placed, n, placing.bulge)
        placed_in[n] = placing.walk
        return
    for below in range(last, n - 1, -1):
        other = right[root + below]
        if other < 0:
            _place_leaf(trees, features, descent, placing, below)
        else:
            _begin_box(placed, below, load3(placed, other), boxes, root + below)
            _hold(placed, below, (placed[other, 3], placed[other, 4], placed[other, 5]))
            _hold(placed, below, load3(placed, below + 1))
            first = below + 1
            _hold(placed, below, (placed[first, 3], placed[first, 4], placed[first, 5]))
        placed_in[below] = placing.walk


@jit_in_place
def _slabs_stay_apart(trees, n, m, placing, seen):
    """Whether nodes n of a and m of b stay apart along the normal of one of them."""
    boxes = trees.boxes
    c_a = scale(0.5, add(load3(boxes, n), (boxes[n, 3], boxes[n, 4], boxes[n, 5])))
    c_b = scale(0.5, add(load3(boxes, m), (boxes[m, 3], boxes[m, 4], boxes[m, 5])))
    c_b = matvec(placing.Q, c_b)
    apart = sub(add(c_b, placing.offset), c_a)
    return stays_apart(trees.slabs, n, m, seen, apart, c_a, c_b)


@jit_in_place
def next_near_faces(trees, features, root_a, placing, seen, margin, descent, depth):
    """Go on with a walk: leaves (i of a, j of b) whose boxes are within `margin` [m].

    The margin has to include ten times the rounding of the sizes. Returns (depth of the stack, 0 at
    the end, and how many pairs there are in descent.leaves).
    """
    boxes, right, stack, found = trees.boxes, trees.right, descent.stack, descent.leaves
    placed, placed_in, walk, root_b = descent.placed, descent.placed_in, placing.walk, placing.root
    slabs, limit = trees.slabs, margin * margin
    count, most = 0, found.shape[0]
    while depth > 0 and count < most:
        depth -= 1
        a, b = stack[depth, 0], stack[depth, 1]
        n = root_a + a
        if placed_in[b] != walk:
            _place(trees, features, descent, placing, b)
        x = max(0.0, max(placed[b, 0] - boxes[n, 3], boxes[n, 0] - placed[b, 3]))
        y = max(0.0, max(placed[b, 1] - boxes[n, 4], boxes[n, 1] - placed[b, 4]))
        z = max(0.0, max(placed[b, 2] - boxes[n, 5], boxes[n, 2] - placed[b, 5]))
        if x * x + y * y + z * z > limit:
            continue
        below_a, below_b = right[n], right[root_b + b]
        if below_a < 0 and below_b < 0:
            found[count, 0] = -1 - below_a
            found[count, 1] = -1 - below_b
            count += 1
            continue
        m = root_b + b
        thick = slabs[n, HIGH] - slabs[n, LOW] + slabs[m, HIGH] - slabs[m, LOW]
        if thick < FLAT * margin and _slabs_stay_apart(trees, n, m, placing, seen):
            continue
        split_a = below_b < 0
        if not split_a and below_a >= 0:
            longest = max(boxes[n, 3] - boxes[n, 0], boxes[n, 4] - boxes[n, 1])
            longest = max(longest, boxes[n, 5] - boxes[n, 2])
            split_a = longest > placed[b, LONGEST]
        if split_a:
            stack[depth, 0], stack[depth, 1] = below_a, b
            stack[depth + 1, 0], stack[depth + 1, 1] = a + 1, b
        else:
            stack[depth, 0], stack[depth, 1] = a, below_b
            stack[depth + 1, 0], stack[depth + 1, 1] = a, b + 1
        depth += 2
    return depth, count
