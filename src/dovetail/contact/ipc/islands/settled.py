"""Islands that have converged are left alone while others still iterate.

Bodies that contacts connect at an iterate are an island; what Newton's direction does to one island
does not depend on the others. So an island is settled after the search step in whose direction none
of its vertices moves faster than the tolerance: its poses are fixed, its pairs are passed over, and
it costs next to nothing. When an active body comes within reach of a settled one, the whole island
becomes active again.

A contact whose gap is far less than the tolerance is another measure: its force follows the gap, so
the direction must not change a gap by more than GAP_CHANGE of itself, nor the shear of a contact
that sticks by more than that part of the longest one. (What is left of the force after that search
step is the square of it.) Nor may it leave a force unbalanced that moves a body by more than the
tolerance, as where a contact begins: forces and momenta would not belong together. Such a change
counts as a displacement.
"""

from dovetail.contact.ipc.barrier.contacts import bodies_of
from dovetail.contact.ipc.barrier.function import log_barrier
from dovetail.contact.ipc.barrier.stiffness import pair_barrier
from dovetail.contact.ipc.candidates.records import (
    FEATURE_I,
    FEATURE_J,
    KIND,
    SWAP,
    active_candidates,
)
from dovetail.contact.ipc.feature_pair import features_at, surface_points
from dovetail.contact.ipc.friction.potential import (
    pair_motion,
    tangential,
    tangential_displacement,
    vector_at,
)
from dovetail.contact.ipc.friction.records import LIMIT, NORMAL, PRESLIDING
from dovetail.contact.ipc.islands.state import ACTIVE, SETTLED, SETTLING
from dovetail.contact.ipc.poses import vertex_displacement
from dovetail.linalg.union_find import root
from dovetail.linalg.vec3 import add, cross, dot, norm, sub
from dovetail.runtime.jit import jit_in_place, jit_within, when_called

GAP_CHANGE = 0.1  # of a gap by the last direction
FAR = 100.0  # times the tolerance: islands that move by more are not asked for their gaps
TINY = 1e-3  # of a gap: what is left of it at least where forces are predicted
NO_ISLAND = -1  # the island of bodies that rest in any case: static or asleep


@jit_in_place
def begin_islands(bodies, lists, workspace):
    """All bodies are active that can move and are awake."""
    slot, asleep = bodies.slot, lists.asleep
    state, island = workspace.islands.state, workspace.islands.island
    for i in range(slot.shape[0]):
        rests = slot[i] < 0 or asleep[i] != 0
        state[i] = SETTLED if rests else ACTIVE
        island[i] = NO_ISLAND if rests else i


@jit_in_place
def activate_all(workspace):
    """Look at all pairs that are listed."""
    state = workspace.islands.state
    for i in range(state.shape[0]):
        state[i] = ACTIVE


@jit_in_place
def find_islands(bodies, lists, workspace, friction, start, barrier, n_linked, tolerance):
    """Find the islands at the iterate; those slower than `tolerance` [m] a step are settling.

    Returns (the largest displacement [m] of a vertex along the twists, whether some islands settle
    and some do not).
    """
    owner, geometry = bodies.owner, bodies.geometry
    box_centre, box_half = geometry.box_centre, geometry.box_half
    islands, linked = workspace.islands, workspace.system.linked
    state, island, displacement = islands.state, islands.island, islands.displacement
    R, twist, parent = workspace.iterate.R, workspace.twist, islands.parent
    n = state.shape[0]
    for i in range(n):
        parent[i], displacement[i] = i, 0.0
    for p in range(n_linked):
        a, b = owner[linked[p, 0]], owner[linked[p, 1]]
        if state[a] != SETTLED and state[b] != SETTLED:
            i, j = root(parent, a), root(parent, b)
            parent[max(i, j)] = min(i, j)
    largest = 0.0
    for i in range(n):
        if state[i] == SETTLED:
            continue
        first = root(parent, i)
        island[i] = first
        moved = vertex_displacement(R, box_centre, box_half, twist, i)
        displacement[first] = max(displacement[first], moved)
        largest = max(largest, moved)
    largest = max(largest, _gap_changes(bodies, lists, workspace, barrier, tolerance, displacement))
    largest = max(largest, _shear_changes(workspace, friction, start.x, tolerance, displacement))
    some, others = False, False
    for i in range(n):
        if state[i] == SETTLED:
            continue
        if displacement[island[i]] <= tolerance:
            state[i] = SETTLING
            some = True
        else:
            state[i] = ACTIVE
            others = True
    return largest, some and others


@jit_within
def _displacement(twist, i, r):
    """[m] of the point r of body i along its twist, to first order."""
    w = (twist[i, 3], twist[i, 4], twist[i, 5])
    return add((twist[i, 0], twist[i, 1], twist[i, 2]), cross(w, r))


@jit_in_place
def _residual(barrier, distance, change, mass):
    """[m] the displacement by what a Newton step leaves of the force of a contact: F - F_linear.

    The gap changes from `distance` by `change` [m]; `mass` [kg] is that of the lighter body.
    """
    before, least = distance, barrier.dmin + TINY * (distance - barrier.dmin)
    after = max(distance + change, least)
    _, first, second = log_barrier(before * before, barrier.dmin, barrier.dhat)
    force = 2.0 * first * before
    slope = 2.0 * first + 4.0 * second * before * before
    left = 2.0 * log_barrier(after * after, barrier.dmin, barrier.dhat)[1] * after
    return barrier.stiffness * abs(left - force - slope * change) / mass


@jit_in_place
def _gap_changes(bodies, lists, workspace, barrier, tolerance, displacement):
    """Raise the displacements [m] of islands whose gaps change too much; returns the largest.

    Too much is GAP_CHANGE of the gap, or what leaves a force that moves the lighter body by more
    than the tolerance: also that of a contact which begins with this direction.
    """
    dmin, masses = barrier.dmin, lists.scales.mass
    least = workspace.measured.values[0].least
    largest, close = 0.0, dmin + barrier.dhat + 2.0 * tolerance
    if not least < close * close:
        return largest
    candidates, squared, twist = active_candidates(lists), workspace.squared, workspace.twist
    pairs, start, rows = candidates.pairs, candidates.start, candidates.rows
    x, islands, dhat = workspace.iterate.x, workspace.islands, lists.barriers.dhat
    state, island = islands.state, islands.island
    features = features_at(bodies, lists, workspace, workspace.iterate.R)
    for p in range(candidates.n_pairs):
        first = pairs[p, 0] if state[pairs[p, 0]] != SETTLED else pairs[p, 1]
        if state[first] == SETTLED:
            continue
        if displacement[island[first]] > FAR * tolerance:
            continue
        limit, of_pair = dmin + dhat[p] + 2.0 * tolerance, pair_barrier(barrier, lists.barriers, p)
        mass = min(masses[pairs[p, 0]], masses[pairs[p, 1]])
        for c in range(start[p], start[p + 1]):
            if not squared[c] < limit * limit:
                continue
            a, b, D = bodies_of(pairs, p, rows[c, SWAP], x)
            on_a, on_b, apart = surface_points(
                rows[c, KIND], rows[c, FEATURE_I], rows[c, FEATURE_J], D, features
            )
            r_b = sub(on_b, D)
            moved = sub(_displacement(twist, a, on_a), _displacement(twist, b, r_b))
            distance = norm(apart)
            change = dot(apart, moved) / distance
            size = _residual(of_pair, distance, change, mass)
            if distance < dmin + dhat[p]:
                size = max(size, abs(change) / (distance - dmin) * tolerance / GAP_CHANGE)
            displacement[island[first]] = max(displacement[island[first]], size)
            largest = max(largest, size)
    return largest


@jit_in_place
def _shear_changes(workspace, friction, x_0, tolerance, displacement):
    """Raise the displacements [m] of islands with contacts that stick, likewise."""
    largest, contacts, eps = 0.0, friction.contacts, friction.settings.eps[0]
    if eps > 2.0 * tolerance / GAP_CHANGE:  # then no change is too large
        return largest
    rows, bodies, twist = contacts.rows, contacts.bodies, workspace.twist
    x, R, islands = workspace.iterate.x, workspace.iterate.R, workspace.islands
    state, island = islands.state, islands.island
    for i in range(contacts.n_contacts[0]):
        a, b = bodies[i, 0], bodies[i, 1]
        first = a if state[a] != SETTLED else b
        if state[first] == SETTLED or rows[i, LIMIT] == 0.0:
            continue
        du, r_a, r_b = tangential_displacement(rows, i, pair_motion(x, R, x_0, a, b))
        u, n = add(du, vector_at(rows, i, PRESLIDING)), vector_at(rows, i, NORMAL)
        moved = tangential(n, sub(_displacement(twist, a, r_a), _displacement(twist, b, r_b)))
        if min(norm(u), norm(add(u, moved))) <= eps:
            size = norm(moved) / eps * tolerance / GAP_CHANGE
            displacement[island[first]] = max(displacement[island[first]], size)
            largest = max(largest, size)
    return largest


@jit_in_place
def shorten_active(state, twist, t):
    """The twists of all bodies that do not settle, times t."""
    for i in range(state.shape[0]):
        if state[i] == ACTIVE:
            for k in range(6):
                twist[i, k] *= t


@jit_in_place
def end_search_step(workspace, settles):
    """After a search step: the settling islands are settled, or become active again."""
    state = workspace.islands.state
    for i in range(state.shape[0]):
        if state[i] == SETTLING:
            state[i] = SETTLED if settles else ACTIVE


@jit_in_place
def any_settled(workspace):
    """Whether an island is settled."""
    state, island = workspace.islands.state, workspace.islands.island
    for i in range(state.shape[0]):
        if state[i] == SETTLED and island[i] != NO_ISLAND:
            return True
    return False


@when_called(False)
@jit_in_place
def activate_touched(lists, workspace, reach):
    """Islands within `reach` [m] of an active body become active; whether there was one.

    Needs the distances of the pose.
    """
    activated = False
    candidates, squared = active_candidates(lists), workspace.squared
    pairs, start = candidates.pairs, candidates.start
    state, island = workspace.islands.state, workspace.islands.island
    for p in range(candidates.n_pairs):
        a, b = pairs[p, 0], pairs[p, 1]
        if state[a] == state[b]:
            continue
        other = island[a if state[a] == SETTLED else b]
        if other == NO_ISLAND:
            continue
        for c in range(start[p], start[p + 1]):
            if squared[c] < reach * reach:
                _activate(state, island, other)
                activated = True
                break
    return activated


@jit_in_place
def _activate(state, island, number):
    for i in range(state.shape[0]):
        if island[i] == number:
            state[i] = ACTIVE
