"""The contacts of a pose, one by one: point, normal, force, gap."""

import math
from typing import NamedTuple

from dovetail.contact.ipc.barrier.contact_points import mollifier_couple
from dovetail.contact.ipc.barrier.contacts import bodies_of, mollified
from dovetail.contact.ipc.barrier.function import Barrier, log_barrier
from dovetail.contact.ipc.barrier.stiffness import pair_barrier
from dovetail.contact.ipc.candidates.distances import candidate_distance, distances_at
from dovetail.contact.ipc.candidates.records import (
    FEATURE_I,
    FEATURE_J,
    KIND,
    SWAP,
    active_candidates,
    active_reference,
)
from dovetail.contact.ipc.feature_pair import features_at, radii, surface_points
from dovetail.contact.ipc.friction.records import FORCE as FRICTION_FORCE
from dovetail.contact.ipc.records import EDGE_EDGE, POINT_FACE, POINT_PLANE, SOLID_FACE, SOLID_PLANE
from dovetail.contact.ipc.solids.pair import friction_points, solid_at, solid_gap, spread
from dovetail.contact.ipc.solids.rim_points import RIM_POINTS, rim_point
from dovetail.contact.ipc.solids.terms import of_gap
from dovetail.linalg.vec3 import ZERO, add, add_scaled, cross, load3, norm, scale, sub
from dovetail.runtime.jit import jit_in_place, when_called

# columns of a row of the report: bodies a and b, then vectors of three, gap [m] and energy
BODY_A, BODY_B, POINT, NORMAL, FORCE, GAP, COUPLE, ENERGY = 0, 1, 2, 5, 8, 11, 12, 15
COLUMNS = 16


class ContactSummary(NamedTuple):
    """What was reported of a pose."""

    fits: bool  # whether the lists were large enough
    n_contacts: int  # rows of the report
    energy: float  # [kg m^2] sum of W m B
    least_distance: float  # [m] of all features, with a barrier or without; inf beyond dmin + dhat


@jit_in_place
def report(bodies, lists, workspace, friction, poses, barrier):
    """Contacts within dmin + dhat of their pair at the poses, one row of workspace.report each.

    Without stiffness, all within dmin + dhat of the barrier, points of the rims of solids of
    revolution over planes and faces among them, and no forces. Body a of a row has
    feature i; the force on it is -W m dB/dD n [kg m], W = h^2 K of its pair, n from b to a, with
    the friction that the last step ended with. The point is the midpoint, or that on the body which
    is round where one of the two is. The couple is that of the mollifier.
    """
    dmin, dhat = barrier.dmin, barrier.dhat
    fits, least = distances_at(bodies, lists, workspace, poses, barrier)
    if not fits:
        return ContactSummary(False, 0, 0.0, math.inf)
    reach = (dmin + dhat) * (dmin + dhat)
    candidates = active_candidates(lists)
    features = features_at(bodies, lists, workspace, poses.R)
    least = min(
        least,
        _least_without_barrier(
            candidates, active_reference(lists).distance, lists.state.approach, workspace.squared,
            dmin + dhat, poses.x, features,
        ),
    )  # fmt: skip
    count, energy = _list_contacts(
        candidates, workspace.squared, poses.x, features, barrier, lists.barriers,
        friction.laws, friction.contacts, workspace.report,
    )  # fmt: skip
    least = math.sqrt(least) if 0.0 < least < reach else math.inf
    return ContactSummary(True, count, energy, least)


@jit_in_place
def _least_without_barrier(candidates, distance, approach, squared, reach, x, features):
    """Least squared distance [m^2] of the candidates that have no barrier."""
    least, start = math.inf, candidates.start
    for p in range(candidates.n_pairs):
        D = bodies_of(candidates.pairs, p, 0, x)[2]
        for c in range(start[p], start[p + 1]):
            if squared[c] == math.inf and distance[c] < reach + approach[p]:
                least = min(least, candidate_distance(candidates.rows, c, D, features))
    return least


@jit_in_place
def _list_contacts(
    candidates, squared, x, features, barrier, barriers, laws, lagged, out
):  # fmt: skip
    """Fill the rows of `out`; returns (count, energy)."""
    count, energy, row = 0, 0.0, 0
    pairs, start, rows = candidates.pairs, candidates.start, candidates.rows
    dmin = barrier.dmin
    for p in range(candidates.n_pairs):
        first, second = pairs[p, 0], pairs[p, 1]
        dhat, kappa, bent = barrier.dhat, 0.0, 1e-3 * barrier.dhat
        if barrier.stiffness > 0.0:
            of_pair = pair_barrier(barrier, barriers, p)
            dhat, kappa, bent = of_pair.dhat, of_pair.stiffness, of_pair.offset
        reach = (dmin + dhat) * (dmin + dhat)
        has_friction = laws.laws[laws.law_of[laws.kind[first], laws.kind[second]], 0] > 0.0
        for c in range(start[p], start[p + 1]):
            if not squared[c] < reach:
                continue
            kind, swap = rows[c, KIND], rows[c, SWAP]
            i, j = rows[c, FEATURE_I], rows[c, FEATURE_J]
            a, b, D = bodies_of(pairs, p, swap, x)
            if kind > POINT_PLANE:
                if kappa == 0.0 and (kind == SOLID_PLANE or kind == SOLID_FACE):
                    count = _write_rim_points(
                        out, count, kind, i, j, a, b, x, D, features, dmin + dhat,
                        out.shape[0] - start[candidates.n_pairs] + c,
                    )  # fmt: skip
                of_solid, gap = Barrier(dhat, dmin, kappa, bent), math.sqrt(squared[c])
                value = _write_solid(out, count, kind, i, j, a, b, x, D, features, of_solid, gap)
                if value < 0.0:
                    continue
                energy += value
                if has_friction and value > 0.0:
                    row = _add_solid_friction(
                        out, count, kind, swap, i, j, first, second, features, bent, lagged, row
                    )
                count += 1
                continue
            part = mollified(kind, i, j, D, features)
            if part == 0.0 and kind == POINT_FACE:  # that of the circle touches in its place
                continue
            on_a, on_b, d = surface_points(kind, i, j, D, features)
            gap = norm(d)
            value, derivative, _ = log_barrier(squared[c], dmin, dhat)
            m = kappa * part
            energy += m * value
            couple = ZERO
            if kind == EDGE_EDGE:
                couple = mollifier_couple(i, j, features, kappa * value)
            on_both = scale(0.5, add(on_a, on_b))
            of_i, of_j = radii(kind, i, j, features)
            if of_i > 0.0 and of_j == 0.0:  # what rolls does so on its own radius
                on_both = on_a
            elif of_j > 0.0 and of_i == 0.0:
                on_both = on_b
            point = add(load3(x, a), on_both)
            out[count, BODY_A], out[count, BODY_B] = a, b
            out[count, GAP], out[count, ENERGY] = gap, m * value
            for k in range(3):
                out[count, POINT + k] = point[k]
                out[count, NORMAL + k] = d[k] / gap
                out[count, FORCE + k] = -2.0 * m * derivative * d[k]
                out[count, COUPLE + k] = couple[k]
            if has_friction and -m * derivative > 0.0:
                of = lagged.bodies  # in the same order, see `lag_contacts`
                if row < lagged.n_contacts[0] and of[row, 0] == first and of[row, 1] == second:
                    for k in range(3):
                        force = lagged.rows[row, FRICTION_FORCE + k]
                        out[count, FORCE + k] += (1.0 - 2.0 * swap) * force
                row += 1
            count += 1
    return count, energy


@when_called(0)
@jit_in_place
def _write_rim_points(out, count, kind, i, j, a, b, x, D, features, reach, most):
    """The points of its rims that are within reach, without forces; returns how many rows now.

    At most `most`, which leaves a row to each of the other candidates.
    """
    solid = solid_at(features, i)
    for m in range(RIM_POINTS):
        at = rim_point(kind, solid, j, D, features, m)
        if not at.is_over or not at.height < reach or count >= most:
            continue
        point = add(load3(x, a), at.point)
        for k in range(COLUMNS):
            out[count, k] = 0.0
        out[count, BODY_A], out[count, BODY_B], out[count, GAP] = a, b, at.height
        for k in range(3):
            out[count, POINT + k] = point[k]
            out[count, NORMAL + k] = at.normal[k]
        count += 1
    return count


@when_called(0.0)
@jit_in_place
def _write_solid(out, count, kind, i, j, a, b, x, D, features, barrier, distance):
    """A contact of a solid of revolution; returns its energy, -1 where another feature has it."""
    gap = solid_gap(kind, i, j, D, features, barrier.offset)
    if gap.distance == math.inf:
        return -1.0
    value, first, _ = of_gap(gap.distance, barrier)
    value, first = gap.share * value, gap.share * first
    size = norm(gap.s)
    point, force = add(load3(x, a), gap.p), scale(-first, gap.s)
    couple = sub(scale(-first, gap.w_a), cross(gap.p, force))
    out[count, BODY_A], out[count, BODY_B] = a, b
    out[count, GAP], out[count, ENERGY] = distance, value
    for k in range(3):
        out[count, POINT + k] = point[k]
        out[count, NORMAL + k] = gap.s[k] / size
        out[count, FORCE + k] = force[k]
        out[count, COUPLE + k] = couple[k]
    return value


@when_called(0)
@jit_in_place
def _add_solid_friction(out, count, kind, swap, i, j, first, second, features, bent, lagged, row):
    """The friction of the points that share it; returns the next row."""
    shared, of = friction_points(kind), lagged.bodies
    n = (out[count, NORMAL], out[count, NORMAL + 1], out[count, NORMAL + 2])
    couple, sign = ZERO, 1.0 - 2.0 * swap
    if row + shared <= lagged.n_contacts[0] and of[row, 0] == first and of[row, 1] == second:
        for m in range(shared):
            force = (
                lagged.rows[row + m, FRICTION_FORCE], lagged.rows[row + m, FRICTION_FORCE + 1],
                lagged.rows[row + m, FRICTION_FORCE + 2],
            )  # fmt: skip
            by = spread(kind, i, j, n, features, bent, m)
            couple = add_scaled(couple, sign, cross(by, force))
            for k in range(3):
                out[count, FORCE + k] += sign * force[k]
    for k in range(3):
        out[count, COUPLE + k] += couple[k]
    return row + shared
