"""The contacts of a pose, one by one: where, along which normal, how hard."""

import math

from dovetail.kernels.barrier import barrier
from dovetail.kernels.ipc_contacts import between, mollified
from dovetail.kernels.ipc_layout import N_PAIRS, WHICH
from dovetail.kernels.ipc_newton import stand
from dovetail.kernels.ipc_touching import closest_points
from dovetail.kernels.jit import jit, jit_in_place
from dovetail.kernels.vec3 import add, load3, norm, scale, sub


@jit
def report(bodies, lists, room, x, R, dmin, dhat, weight):
    """Contacts within dmin + dhat at the pose, one row of room.seen each.

    Body a of a row has feature i; the force on it is -W m dB/dD n [kg m], n from b to a, and the
    point lies half way. Returns (whether there was room, count, W sum m B, least distance [m]).
    """
    path = room.path
    for i in range(path.shape[0]):
        path[i] = 0.0
    fits, least = stand(bodies, lists, room, x, R, path, dmin + dhat, dhat)
    if not fits:
        return False, 0, 0.0, math.inf
    numbers = lists.numbers
    reach = (dmin + dhat) * (dmin + dhat)
    count, energy = _list_contacts(
        numbers[WHICH], numbers[N_PAIRS], lists.pairs, lists.start, lists.pool, room.squared, x,
        room.lever, bodies.edges, bodies.faces, room.facing, dmin, dhat, weight, room.seen,
    )  # fmt: skip
    return True, count, energy, math.sqrt(least) if 0.0 < least < reach else math.inf


@jit_in_place
def _list_contacts(
    which, n_pairs, pairs, start, pool, squared, x, lever, edges, faces, facing, dmin, dhat,
    weight, seen,
):  # fmt: skip
    """Fill `seen`; returns (count, energy)."""
    count, energy = 0, 0.0
    reach = (dmin + dhat) * (dmin + dhat)
    for p in range(n_pairs):
        for c in range(start[which, p], start[which, p + 1]):
            if not squared[c] < reach:
                continue
            kind, i, j = pool[which, c, 0], pool[which, c, 2], pool[which, c, 3]
            a, b, D = between(pairs, which, p, pool[which, c, 1], x)
            on_a, on_b = closest_points(kind, i, j, D, lever, edges, faces, facing)
            d = sub(on_a, on_b)
            gap = norm(d)
            value, slope, _ = barrier(squared[c], dmin, dhat)
            m = weight * mollified(kind, i, j, lever, edges)
            energy += m * value
            point = add(load3(x, a), scale(0.5, add(on_a, on_b)))
            seen[count, 0], seen[count, 1], seen[count, 11] = a, b, gap
            for k in range(3):
                seen[count, 2 + k] = point[k]
                seen[count, 5 + k] = d[k] / gap
                seen[count, 8 + k] = -2.0 * m * slope * d[k]
            count += 1
    return count, energy
