"""The contacts of a pose, one by one: where, along which normal, how hard."""

import math

from dovetail.contact.ipc.barrier.contact_points import closest_points, couple_of_parallels
from dovetail.contact.ipc.barrier.contacts import between, measured, mollified
from dovetail.contact.ipc.barrier.function import barrier
from dovetail.contact.ipc.barrier.stiffness import pair_load
from dovetail.contact.ipc.candidates.distances import stand
from dovetail.contact.ipc.friction.records import FORCE
from dovetail.contact.ipc.records import EDGE_EDGE, N_PAIRS, POSE, WHICH
from dovetail.linalg.vec3 import ZERO, add, load3, norm, scale, sub
from dovetail.runtime.jit import jit, jit_in_place


@jit
def report(bodies, lists, room, friction, x, R, dmin, dhat, weight, load):
    """Contacts within dmin + dhat at the pose, one row of room.seen each.

    Body a of a row has feature i; the force on it is -W m dB/dD n [kg m], W = w load, n from b to
    a, with the friction that the last step ended with, and the point lies half way. The couple is
    that of the mollifier. Returns (whether there was room, count, W sum m B, least distance [m]),
    the distance over all there is, with a barrier or without (`candidates.coplanar`).
    """
    path = room.path
    for i in range(path.shape[0]):
        path[i] = 0.0
    fits, least = stand(bodies, lists, room, x, R, path, dmin + dhat, dhat)
    if not fits:
        return False, 0, 0.0, math.inf
    numbers = lists.numbers
    reach = (dmin + dhat) * (dmin + dhat)
    least = min(
        least,
        _least_without_barrier(
            numbers[WHICH], numbers[N_PAIRS], lists.pairs, lists.start, lists.pool, lists.apart,
            lists.moved, room.squared, dmin + dhat, x, R, numbers[POSE], room.placed,
            bodies.vertex_body, bodies.vertices, room.lever, bodies.edges, bodies.faces,
            room.facing,
        ),
    )  # fmt: skip
    count, energy = _list_contacts(
        numbers[WHICH], numbers[N_PAIRS], lists.pairs, lists.start, lists.pool, room.squared, x,
        room.lever, bodies.edges, bodies.faces, room.facing, dmin, dhat, weight, load,
        friction.laws, friction.contacts, room.seen,
    )  # fmt: skip
    return True, count, energy, math.sqrt(least) if 0.0 < least < reach else math.inf


@jit_in_place
def _least_without_barrier(
    which, n_pairs, pairs, start, pool, apart, moved, squared, reach, x, R, stamp, placed,
    vertex_body, vertices, lever, edges, faces, facing,
):  # fmt: skip
    """Least squared distance [m^2] of the candidates that `measure` has left out."""
    least = math.inf
    for p in range(n_pairs):
        D = between(pairs, which, p, 0, x)[2]
        for c in range(start[which, p], start[which, p + 1]):
            if squared[c] == math.inf and apart[which, c] < reach + moved[p]:
                d = measured(
                    which, c, pool, D, stamp, placed, vertex_body, vertices, R, lever, edges,
                    faces, facing,
                )  # fmt: skip
                least = min(least, d)
    return least


@jit_in_place
def _list_contacts(
    which, n_pairs, pairs, start, pool, squared, x, lever, edges, faces, facing, dmin, dhat,
    weight, load, friction_laws, contacts, seen,
):  # fmt: skip
    """Fill `seen`; returns (count, energy)."""
    count, energy, row = 0, 0.0, 0
    laws, law_of, kinds = friction_laws.laws, friction_laws.law_of, friction_laws.kind
    n_lagged, lagged_bodies = contacts.n_contacts[0], contacts.bodies
    reach = (dmin + dhat) * (dmin + dhat)
    for p in range(n_pairs):
        first, second = pairs[which, p, 0], pairs[which, p, 1]
        rubs = laws[law_of[kinds[first], kinds[second]], 0] > 0.0
        for c in range(start[which, p], start[which, p + 1]):
            if not squared[c] < reach:
                continue
            kind, i, j = pool[which, c, 0], pool[which, c, 2], pool[which, c, 3]
            swap = pool[which, c, 1]
            a, b, D = between(pairs, which, p, swap, x)
            on_a, on_b = closest_points(kind, i, j, D, lever, edges, faces, facing)
            d = sub(on_a, on_b)
            gap = norm(d)
            value, slope, _ = barrier(squared[c], dmin, dhat)
            stiff = weight * pair_load(load, a, b)
            m = stiff * mollified(kind, i, j, lever, edges)
            energy += m * value
            seen[count, 15] = m * value
            couple = ZERO
            if kind == EDGE_EDGE:
                couple = couple_of_parallels(i, j, lever, edges, stiff * value)
            point = add(load3(x, a), scale(0.5, add(on_a, on_b)))
            seen[count, 0], seen[count, 1], seen[count, 11] = a, b, gap
            for k in range(3):
                seen[count, 2 + k] = point[k]
                seen[count, 5 + k] = d[k] / gap
                seen[count, 8 + k] = -2.0 * m * slope * d[k]
                seen[count, 12 + k] = couple[k]
            if rubs and -m * slope > 0.0:  # lagged in the same order, see `lag_contacts`
                lagged = row < n_lagged and lagged_bodies[row, 0] == first
                if lagged and lagged_bodies[row, 1] == second:
                    for k in range(3):
                        seen[count, 8 + k] += (1.0 - 2.0 * swap) * contacts.rows[row, FORCE + k]
                row += 1
            count += 1
    return count, energy
