"""All candidates of all pairs: squared distances, barrier energy, derivatives.

Every pair is seen from the centre of its first body; D leads from the centre of the body that
has feature i to the centre of the one that has feature j. Levers are in world axes. Candidates that
have no barrier of their own (`candidates.coplanar`) are as if infinitely far away.
"""

import math

from dovetail.contact.ipc.barrier.function import MOLLIFIER_SCALE, barrier, mollifier
from dovetail.contact.ipc.barrier.stiffness import pair_load
from dovetail.contact.ipc.barrier.terms import (
    edge_edge_terms,
    point_edge_terms,
    point_patch_terms,
    point_plane_terms,
    point_point_terms,
)
from dovetail.contact.ipc.candidates.candidate import place_candidate, squared_distance
from dovetail.contact.ipc.candidates.coplanar import has_barrier, leave_nearest
from dovetail.contact.ipc.candidates.relative_motion import ROUNDING
from dovetail.contact.ipc.records import (
    EDGE_EDGE,
    POINT_EDGE,
    POINT_FACE,
    POINT_PLANE,
    SETTLED,
)
from dovetail.linalg.vec3 import ZERO, add, cross, load3, neg, norm, norm_squared, sub
from dovetail.runtime.jit import jit_in_place, jit_within

IN_VAIN = 8  # candidates of a pair that may be measured at every pose and are not near


@jit_within
def mollified(kind, i, j, lever, edges):
    """The weight m of a candidate: below 1 for nearly parallel edges only."""
    if kind != EDGE_EDGE:
        return 1.0
    e = sub(load3(lever, edges[i, 1]), load3(lever, edges[i, 0]))
    f = sub(load3(lever, edges[j, 1]), load3(lever, edges[j, 0]))
    limit = MOLLIFIER_SCALE * norm_squared(e) * norm_squared(f)
    return mollifier(norm_squared(cross(e, f)), limit)[0]


@jit_within
def between(pairs, which, p, swap, x):
    """(body of feature i, body of feature j, D) of pair p."""
    a, b = pairs[which, p, swap], pairs[which, p, 1 - swap]
    return a, b, sub(load3(x, b), load3(x, a))


@jit_in_place
def measure(
    which, n_pairs, pairs, start, pool, apart, moved, nearest, in_vain, slack, made_reach, made_x,
    made_turn, radius, reach, x, R, stamp, placed, vertex_body, vertices, lever, edges, faces,
    facing, corner, side, patch, divided, still, squared,
):  # fmt: skip
    """Squared distances [m^2] of what has a barrier and can be within reach; returns the least.

    Pairs of bodies that are both `still` are passed over, as if far apart. Of others, farther away
    when listed than their bodies have come closer since, a lower bound.
    Where many were measured in vain, the list is told anew what the distances are and from where.
    `nearest` [m] of a pair counts what has no barrier, too.
    """
    least = math.inf
    for p in range(n_pairs):
        a, b, D = between(pairs, which, p, 0, x)
        if still[a] == SETTLED and still[b] == SETTLED:
            for c in range(start[which, p], start[which, p + 1]):
                squared[c] = math.inf
            nearest[p] = -1.0
            continue
        beyond, much = reach + moved[p], reach + 0.5 * moved[p]
        vain, close, known = 0, math.inf, made_reach[which, p]
        for c in range(start[which, p], start[which, p + 1]):
            if apart[which, c] >= beyond:
                known = min(known, apart[which, c])
                squared[c] = (apart[which, c] - moved[p]) ** 2
                continue
            if not has_barrier(
                pool[which, c, 0], pool[which, c, 2], pool[which, c, 3], corner, side
            ):
                known = min(known, apart[which, c])
                squared[c] = math.inf
                continue
            squared[c] = measured(
                which, c, pool, D, stamp, placed, vertex_body, vertices, R, lever, edges, faces,
                facing,
            )  # fmt: skip
            close = min(close, squared[c])
            vain += 1 if squared[c] > much * much else 0
        least = min(least, close)
        old = vain > IN_VAIN or in_vain[p] != 0
        if old and made_reach[which, p] - moved[p] - reach > 0.3 * slack[which, p]:
            known = math.inf
            for c in range(start[which, p], start[which, p + 1]):
                squared[c] = measured(
                    which, c, pool, D, stamp, placed, vertex_body, vertices, R, lever, edges,
                    faces, facing,
                )  # fmt: skip
                apart[which, c] = math.sqrt(squared[c]) if squared[c] > 0.0 else -1.0
                known = min(known, apart[which, c])
                if not has_barrier(
                    pool[which, c, 0], pool[which, c, 2], pool[which, c, 3], corner, side
                ):
                    squared[c] = math.inf
            made_reach[which, p] -= moved[p]
            known = min(known, made_reach[which, p])
            in_vain[p] = 0
            moved[p] = ROUNDING * (norm(D) + radius[a] + radius[b])
            for r in range(3):
                made_x[which, p, r] = D[r]
                for s in range(3):
                    made_turn[which, p, 0, r, s] = R[a, r, s]
                    made_turn[which, p, 1, r, s] = R[b, r, s]
        nearest[p] = min(known - moved[p], math.sqrt(close) if close > 0.0 else -1.0)
        if divided[a] != 0 or divided[b] != 0:
            leave_nearest(
                which, start[which, p], start[which, p + 1], pool, side, patch, reach, squared
            )
    return least


@jit_within
def measured(
    which, c, pool, D, stamp, placed, vertex_body, vertices, R, lever, edges, faces, facing
):  # fmt: skip
    """Squared distance [m^2] of candidate c."""
    kind, swap, i, j = pool[which, c, 0], pool[which, c, 1], pool[which, c, 2], pool[which, c, 3]
    place_candidate(kind, i, j, stamp, placed, vertex_body, vertices, R, edges, faces, lever)
    way = D if swap == 0 else neg(D)
    return squared_distance(kind, i, j, way, lever, edges, faces, facing)


@jit_in_place
def barrier_energy(
    which, n_pairs, pairs, start, pool, squared, lever, edges, dmin, dhat, weight, load
):  # fmt: skip
    """w sum of load m B(D^2) over all candidates; infinite where one is within dmin."""
    energy = 0.0
    reach = (dmin + dhat) * (dmin + dhat)
    for p in range(n_pairs):
        stiff = weight * pair_load(load, pairs[which, p, 0], pairs[which, p, 1])
        for c in range(start[which, p], start[which, p + 1]):
            if squared[c] < reach:
                m = mollified(pool[which, c, 0], pool[which, c, 2], pool[which, c, 3], lever, edges)
                energy += stiff * m * barrier(squared[c], dmin, dhat)[0]
    return energy


@jit_in_place
def add_barrier_terms(
    which, n_pairs, pairs, start, pool, squared, x, lever, edges, faces, inner, facing,
    dmin, dhat, weight, load, theta, rows, active,
):  # fmt: skip
    """Derivatives of w sum load m B into rows 2 p + swap; returns (energy, number of contacts)."""
    energy, contacts = 0.0, 0
    reach = (dmin + dhat) * (dmin + dhat)
    for p in range(n_pairs):
        active[p] = 0
        for c in range(start[which, p], start[which, p + 1]):
            if not squared[c] < reach:
                continue
            if active[p] == 0:
                active[p] = 1
                for k in range(rows.shape[1]):
                    rows[2 * p, k] = rows[2 * p + 1, k] = 0.0
            contacts += 1
            swap = pool[which, c, 1]
            a, b, D = between(pairs, which, p, swap, x)
            energy += _terms(
                pool[which, c, 0], pool[which, c, 2], pool[which, c, 3], D, lever, edges, faces,
                inner, facing, dmin, dhat, weight * pair_load(load, a, b), theta, rows,
                2 * p + swap,
            )  # fmt: skip
    return energy, contacts


@jit_within
def _terms(
    kind, i, j, D, lever, edges, faces, inner, facing, dmin, dhat, weight, theta, rows, row
):  # fmt: skip
    if kind == POINT_FACE:
        return point_patch_terms(
            load3(lever, i),
            add(load3(lever, faces[j, 0]), D),
            add(load3(lever, faces[j, 1]), D),
            add(load3(lever, faces[j, 2]), D),
            inner[j], ZERO, D, dmin, dhat, weight, theta, rows, row,
        )  # fmt: skip
    if kind == EDGE_EDGE:
        return edge_edge_terms(
            load3(lever, edges[i, 0]),
            load3(lever, edges[i, 1]),
            add(load3(lever, edges[j, 0]), D),
            add(load3(lever, edges[j, 1]), D),
            ZERO, D, dmin, dhat, weight, theta, rows, row,
        )  # fmt: skip
    if kind == POINT_EDGE:
        return point_edge_terms(
            load3(lever, i), add(load3(lever, edges[j, 0]), D), add(load3(lever, edges[j, 1]), D),
            ZERO, D, dmin, dhat, weight, theta, rows, row,
        )  # fmt: skip
    if kind == POINT_PLANE:
        return point_plane_terms(
            load3(lever, i), load3(facing, j), ZERO, D, dmin, dhat, weight, theta, rows, row
        )
    return point_point_terms(
        load3(lever, i), add(load3(lever, j), D), ZERO, D, dmin, dhat, weight, theta, rows, row
    )
