"""Barrier energy and derivatives over all contacts: candidates within dmin + dhat.

`squared` (c,) [m^2] are the squared distances of the candidates (`candidates.distances`), infinite
for those that have no barrier of their own (`candidates.coplanar`).
"""

from dovetail.contact.ipc.barrier.function import MOLLIFIER_SCALE, log_barrier, mollifier
from dovetail.contact.ipc.barrier.stiffness import pair_barrier
from dovetail.contact.ipc.candidates.records import FEATURE_I, FEATURE_J, KIND, SWAP
from dovetail.contact.ipc.feature_pair import add_barrier_derivatives, edge_of
from dovetail.contact.ipc.records import EDGE_EDGE, POINT_FACE, POINT_PLANE, RING_FACE
from dovetail.contact.ipc.solids.pair import solid_energy
from dovetail.contact.ipc.solids.ring_faces import ring_share, vertex_share
from dovetail.linalg.vec3 import cross, load3, norm_squared, sub
from dovetail.runtime.jit import apart, jit_in_place, jit_within


@jit_within
def mollified(kind, i, j, D, features):
    """The part m of the barrier that a candidate has.

    Below 1 for nearly parallel edges, and for rings over faces (`solids.ring_faces`). D leads from
    the centre of the body of feature i to that of j.
    """
    if kind == POINT_FACE:
        return vertex_share(i, j, D, features)
    if kind == RING_FACE:
        return ring_share(i, j, D, features)
    if kind != EDGE_EDGE:
        return 1.0
    a0, a1 = edge_of(features, i)
    b0, b1 = edge_of(features, j)
    e, f = sub(a1, a0), sub(b1, b0)
    limit = MOLLIFIER_SCALE * norm_squared(e) * norm_squared(f)
    return mollifier(norm_squared(cross(e, f)), limit)[0]


@jit_within
def bodies_of(pairs, p, swap, x):
    """(body of feature i, body of feature j, D) of pair p; D leads from the first to the second."""
    a, b = pairs[p, swap], pairs[p, 1 - swap]
    return a, b, sub(load3(x, b), load3(x, a))


@jit_in_place
def barrier_energy(candidates, squared, x, features, barrier, barriers):
    """Sum of h^2 K m B(D^2) over all candidates [kg m^2]; infinite where one is within dmin."""
    energy = 0.0
    start, rows = candidates.start, candidates.rows
    dmin = barrier.dmin
    for p in range(candidates.n_pairs):
        of_pair = pair_barrier(barrier, barriers, p)
        kappa, dhat = of_pair.stiffness, of_pair.dhat
        reach = (dmin + dhat) * (dmin + dhat)
        for c in range(start[p], start[p + 1]):
            if squared[c] < reach:
                _, _, D = bodies_of(candidates.pairs, p, rows[c, SWAP], x)
                if rows[c, KIND] > POINT_PLANE:
                    energy += solid_energy(
                        rows[c, KIND], rows[c, FEATURE_I], rows[c, FEATURE_J], D, features, of_pair
                    )
                    continue
                m = mollified(rows[c, KIND], rows[c, FEATURE_I], rows[c, FEATURE_J], D, features)
                energy += kappa * m * log_barrier(squared[c], dmin, dhat)[0]
    return energy


@apart
@jit_in_place
def add_barrier_terms(candidates, squared, x, features, inner, barrier, barriers, theta, terms):
    """Derivatives of h^2 sum K m B into rows 2 p + swap of `terms`; returns (energy, contacts)."""
    energy, contacts = 0.0, 0
    pairs, start, rows = candidates.pairs, candidates.start, candidates.rows
    derivatives, active = terms.rows, terms.active
    for p in range(candidates.n_pairs):
        of_pair = pair_barrier(barrier, barriers, p)
        reach = (of_pair.dmin + of_pair.dhat) * (of_pair.dmin + of_pair.dhat)
        active[p] = 0
        for c in range(start[p], start[p + 1]):
            if not squared[c] < reach:
                continue
            if active[p] == 0:
                active[p] = 1
                for k in range(derivatives.shape[1]):
                    derivatives[2 * p, k] = derivatives[2 * p + 1, k] = 0.0
            contacts += 1
            swap = rows[c, SWAP]
            _, _, D = bodies_of(pairs, p, swap, x)
            energy += add_barrier_derivatives(
                rows[c, KIND], rows[c, FEATURE_I], rows[c, FEATURE_J], D, features, inner,
                of_pair, theta, derivatives, 2 * p + swap,
            )  # fmt: skip
    return energy, contacts
