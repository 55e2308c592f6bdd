"""Candidates of all pairs, complete within a reach, kept while bodies move less than a slack.

A list made for a reach holds all candidates within reach - moved, where `moved` bounds how much
closer two points of the bodies can have come since: |D - D_made| + chords times radii (see
`ipc_sweep`). The exact distance decides what enters a list, so lists are short.
"""

from dovetail.kernels.bvh_pairs import box_at_pose
from dovetail.kernels.distance_closest import (
    edge_edge_squared,
    point_edge_squared,
    point_triangle_squared,
)
from dovetail.kernels.ipc_layout import (
    CORNERS,
    EDGE_EDGE,
    EDGES,
    FACES,
    N_PAIRS,
    N_USED,
    POINT_EDGE,
    POINT_FACE,
    POINT_PLANE,
    POINT_POINT,
    POINTS,
    REFRESHES,
    STAMP,
    WANTS_POOL,
    WHICH,
    WIRES,
)
from dovetail.kernels.ipc_sweep import ROUNDING, boxes_hold, chord, sweep
from dovetail.kernels.jit import jit, jit_in_place
from dovetail.kernels.vec3 import (
    add,
    dot,
    load3,
    load33,
    mat_t_vec,
    matmul,
    matvec,
    norm,
    norm_squared,
    store3,
    store33,
    sub,
    transpose,
)

SLACK = 2.0  # of dhat
SLACK_OF_PATH = 0.25
LONGEST = 2048  # candidates of a pair: beyond, its list is made for a part of the path only


@jit_in_place
def moved(D, R, radius, a, b, made_x, made_turn, which, p):
    """[m] how much closer points of bodies a and b can be than when list p was made."""
    shift = norm(
        (D[0] - made_x[which, p, 0], D[1] - made_x[which, p, 1], D[2] - made_x[which, p, 2])
    )
    turn_a = chord(R, a, made_turn, which, p, 0) * radius[a]
    turn_b = chord(R, b, made_turn, which, p, 1) * radius[b]
    return shift + turn_a + turn_b + ROUNDING * (norm(D) + radius[a] + radius[b])


@jit
def ready(bodies, lists, x, R, path, reach, dhat):
    """Make lists complete within reach + the paths [m] of both bodies: (fits, covered).

    Not for the whole of the paths where that would make a list too long; `covered` is the part of
    them, at most 1, for which all lists are complete.
    """
    numbers = lists.numbers
    hold = numbers[STAMP] > 0 and boxes_hold(
        x, R, bodies.radius, lists.swept_x, lists.swept_turn, lists.swept_margin, path, reach
    )
    if not hold and not sweep(bodies, lists, x, R, path, reach):
        return False, 0.0
    if hold and _covered(
        numbers[WHICH], numbers[N_PAIRS], lists.pairs, x, R, bodies.radius, path, reach,
        lists.made_reach, lists.made_x, lists.made_turn,
    ) >= 1.0:  # fmt: skip
        return True, 1.0
    if not _refresh(bodies, lists, x, R, path, reach, SLACK * dhat):
        return False, 0.0
    covered = _covered(
        numbers[WHICH], numbers[N_PAIRS], lists.pairs, x, R, bodies.radius, path, reach,
        lists.made_reach, lists.made_x, lists.made_turn,
    )  # fmt: skip
    return True, covered


@jit_in_place
def _covered(which, n_pairs, pairs, x, R, radius, path, reach, made_reach, made_x, made_turn):
    """The part of the paths, at most 1, along which no list misses a candidate within reach."""
    part = 1.0
    for p in range(n_pairs):
        a, b = pairs[which, p, 0], pairs[which, p, 1]
        D = sub(load3(x, b), load3(x, a))
        left = made_reach[which, p] - moved(D, R, radius, a, b, made_x, made_turn, which, p)
        if left < reach + path[a] + path[b]:
            if left < reach:
                return 0.0
            part = min(part, (left - reach) / (path[a] + path[b]))
    return part


@jit
def _refresh(bodies, lists, x, R, path, reach, slack):
    """Copy the lists that are still complete and make the others anew."""
    numbers, pairs, start, pool = lists.numbers, lists.pairs, lists.start, lists.pool
    made_reach, made_x, made_turn = lists.made_reach, lists.made_x, lists.made_turn
    radius = bodies.radius
    old, new = numbers[WHICH], 1 - numbers[WHICH]
    n_pairs, room = numbers[N_PAIRS], pool.shape[1]
    top = 0
    for p in range(n_pairs):
        a, b = pairs[old, p, 0], pairs[old, p, 1]
        pairs[new, p, 0], pairs[new, p, 1] = a, b
        start[new, p] = top
        D = sub(load3(x, b), load3(x, a))
        needed = reach + path[a] + path[b]
        kept = made_reach[old, p] >= 0.0 and made_reach[old, p] >= needed + moved(
            D, R, radius, a, b, made_x, made_turn, old, p
        )
        if kept:
            made_reach[new, p] = made_reach[old, p]
            store3(made_x[new], p, load3(made_x[old], p))
            for k in range(2):
                store33(made_turn[new, p], k, load33(made_turn[old, p], k))
            length = start[old, p + 1] - start[old, p]
            for c in range(min(length, room - top)):
                for k in range(4):
                    pool[new, top + c, k] = pool[old, start[old, p] + c, k]
            top += length
        else:
            store3(made_x[new], p, D)
            store33(made_turn[new, p], 0, load33(R, a))
            store33(made_turn[new, p], 1, load33(R, b))
            # Where a list that is kept would do, so must one made here and now: the bare need is
            # tried before a part of it. So `covered` does not depend on when lists were made.
            least, tight = reach + slack, needed
            wanted = needed + slack + SLACK_OF_PATH * (path[a] + path[b])
            begin = top
            most = LONGEST if wanted > least else room
            top = _list_pair(bodies, lists.stack, a, b, D, R, wanted, pool, new, top, most)
            while top - begin > LONGEST and wanted > least:
                wanted = max(tight, least)
                tight *= 0.5
                most = LONGEST if wanted > least else room
                top = _list_pair(bodies, lists.stack, a, b, D, R, wanted, pool, new, begin, most)
            made_reach[new, p] = wanted
        if top > room:
            numbers[WANTS_POOL] = 2 * top
            return False
    start[new, n_pairs] = top
    numbers[WHICH] = new
    numbers[STAMP] += 1
    numbers[REFRESHES] += 1
    numbers[N_USED] = _mark_used(
        pool, new, top, bodies.edges, bodies.faces, lists.used, lists.mark, numbers[STAMP]
    )
    return True


@jit
def _list_pair(bodies, stack, a, b, D, R, reach, pool, which, top, most):
    """All candidates of bodies a and b within reach; returns where they end in the pool.

    Gives up as soon as there are more than `most`.
    """
    begin = top
    R_a, R_b = load33(R, a), load33(R, b)
    if bodies.plane[a] != 0 or bodies.plane[b] != 0:
        first, vertices, normal = bodies.first, bodies.vertices, bodies.normal
        swap = 0 if bodies.plane[b] != 0 else 1
        body, plane = (a, b) if swap == 0 else (b, a)
        A = R_a if swap == 0 else R_b
        n = matvec(R_b if swap == 0 else R_a, load3(normal, plane))
        origin = D if swap == 0 else (-D[0], -D[1], -D[2])
        if dot(n, origin) > 0.0 or -dot(n, origin) <= reach + bodies.radius[body] * 1.000001:
            for v in range(first[body, CORNERS], first[body + 1, CORNERS]):
                if dot(n, sub(matvec(A, load3(vertices, v)), origin)) <= reach * 1.0000001:
                    if top < pool.shape[1]:
                        _write(pool, which, top, POINT_PLANE, swap, v, plane)
                    top += 1
        return top
    Q = matmul(transpose(R_a), R_b)
    t = mat_t_vec(R_a, D)
    roots, boxes, right = bodies.tree_root, bodies.tree_boxes, bodies.tree_right
    first, vertices, edges, faces = bodies.first, bodies.vertices, bodies.edges, bodies.faces
    wires, points = bodies.wires, bodies.points
    margin = reach * 1.0000001 + ROUNDING * (bodies.radius[a] + bodies.radius[b] + norm(D))
    for turn in range(6):
        kind, swap, of_a, of_b = _combination(turn)
        if roots[a, of_a] < 0 or roots[b, of_b] < 0 or top - begin > most:
            continue
        top = _descend(
            boxes, right, roots[a, of_a], roots[b, of_b], Q, t, margin, stack,
            kind, swap, of_a, of_b, first[a, of_a], first[b, of_b], wires, points,
            R_a, R_b, D, vertices, edges, faces, reach * reach * 1.000001, pool, which, top,
            begin + most,
        )  # fmt: skip
    return top


@jit
def _combination(turn):
    """(kind, swap, tree of a, tree of b): every way two closed simplices touch is one of six."""
    if turn == 0:
        return POINT_FACE, 0, CORNERS, FACES
    if turn == 1:
        return POINT_FACE, 1, FACES, CORNERS
    if turn == 2:
        return EDGE_EDGE, 0, EDGES, EDGES
    if turn == 3:
        return POINT_EDGE, 0, CORNERS, WIRES
    if turn == 4:
        return POINT_EDGE, 1, WIRES, CORNERS
    return POINT_POINT, 0, POINTS, POINTS


@jit_in_place
def _write(pool, which, at, kind, swap, i, j):
    pool[which, at, 0] = kind
    pool[which, at, 1] = swap
    pool[which, at, 2] = i
    pool[which, at, 3] = j


@jit_in_place
def _named(tree, leaf, first, wires, points):
    """The number of the feature at a leaf among those of all bodies."""
    if tree == WIRES:
        return wires[first + leaf]
    if tree == POINTS:
        return points[first + leaf]
    return first + leaf


@jit_in_place
def _extent(boxes, n):
    return max(boxes[n, 3] - boxes[n, 0], max(boxes[n, 4] - boxes[n, 1], boxes[n, 5] - boxes[n, 2]))


@jit_in_place
def _descend(
    boxes, right, root_a, root_b, Q, t, margin, stack, kind, swap, tree_a, tree_b,
    first_a, first_b, wires, points, R_a, R_b, D, vertices, edges, faces, limit, pool, which, top,
    most,
):  # fmt: skip
    """Walk down both trees as `bvh_pairs` does and write the candidates within the limit [m^2]."""
    stack[0, 0] = stack[0, 1] = 0
    depth = 1
    while depth > 0 and top <= most:
        depth -= 1
        a, b = stack[depth, 0], stack[depth, 1]
        node_a, node_b = root_a + a, root_b + b
        centre, half = box_at_pose(boxes, node_b, Q, t, margin)
        if (
            boxes[node_a, 0] > centre[0] + half[0]
            or boxes[node_a, 3] < centre[0] - half[0]
            or boxes[node_a, 1] > centre[1] + half[1]
            or boxes[node_a, 4] < centre[1] - half[1]
            or boxes[node_a, 2] > centre[2] + half[2]
            or boxes[node_a, 5] < centre[2] - half[2]
        ):
            continue
        leaf_a, leaf_b = right[node_a] < 0, right[node_b] < 0
        if leaf_a and leaf_b:
            i = _named(tree_a, -1 - right[node_a], first_a, wires, points)
            j = _named(tree_b, -1 - right[node_b], first_b, wires, points)
            if _apart(kind, swap, i, j, R_a, R_b, D, vertices, edges, faces) <= limit:
                if top < pool.shape[1]:
                    if swap == 0:
                        _write(pool, which, top, kind, 0, i, j)
                    else:
                        _write(pool, which, top, kind, 1, j, i)
                top += 1
        elif leaf_b or (not leaf_a and _extent(boxes, node_a) > _extent(boxes, node_b)):
            stack[depth, 0], stack[depth, 1] = right[node_a], b
            stack[depth + 1, 0], stack[depth + 1, 1] = a + 1, b
            depth += 2
        else:
            stack[depth, 0], stack[depth, 1] = a, right[node_b]
            stack[depth + 1, 0], stack[depth + 1, 1] = a, b + 1
            depth += 2
    return top


@jit_in_place
def _apart(kind, swap, i, j, R_a, R_b, D, vertices, edges, faces):
    """Squared distance [m^2] of feature i of a and feature j of b."""
    if kind == EDGE_EDGE:
        return edge_edge_squared(
            matvec(R_a, load3(vertices, edges[i, 0])),
            matvec(R_a, load3(vertices, edges[i, 1])),
            add(matvec(R_b, load3(vertices, edges[j, 0])), D),
            add(matvec(R_b, load3(vertices, edges[j, 1])), D),
        )
    if kind == POINT_POINT:
        p, q = matvec(R_a, load3(vertices, i)), add(matvec(R_b, load3(vertices, j)), D)
        return norm_squared(sub(p, q))
    A, B, back = R_a, R_b, D
    if swap == 1:
        i, j, A, B, back = j, i, R_b, R_a, (-D[0], -D[1], -D[2])
    p = matvec(A, load3(vertices, i))
    if kind == POINT_FACE:
        return point_triangle_squared(
            p,
            add(matvec(B, load3(vertices, faces[j, 0])), back),
            add(matvec(B, load3(vertices, faces[j, 1])), back),
            add(matvec(B, load3(vertices, faces[j, 2])), back),
        )
    return point_edge_squared(
        p,
        add(matvec(B, load3(vertices, edges[j, 0])), back),
        add(matvec(B, load3(vertices, edges[j, 1])), back),
    )


@jit_in_place
def _use(v, used, mark, stamp, count):
    if mark[v] != stamp:
        mark[v] = stamp
        used[count] = v
        return count + 1
    return count


@jit_in_place
def _mark_used(pool, which, top, edges, faces, used, mark, stamp):
    """List every vertex of a candidate once."""
    count = 0
    for c in range(top):
        kind, i, j = pool[which, c, 0], pool[which, c, 2], pool[which, c, 3]
        if kind == EDGE_EDGE:
            count = _use(edges[i, 0], used, mark, stamp, count)
            count = _use(edges[i, 1], used, mark, stamp, count)
        else:
            count = _use(i, used, mark, stamp, count)
        if kind == POINT_FACE:
            for k in range(3):
                count = _use(faces[j, k], used, mark, stamp, count)
        elif kind == POINT_POINT:
            count = _use(j, used, mark, stamp, count)
        elif kind != POINT_PLANE:
            count = _use(edges[j, 0], used, mark, stamp, count)
            count = _use(edges[j, 1], used, mark, stamp, count)
    return count
