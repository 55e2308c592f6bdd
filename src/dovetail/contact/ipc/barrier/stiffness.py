"""The barrier of a pair of bodies: its stiffness K [J] and the gap dhat [m] at which it begins.

The energy of a contact is K m B(D^2). K has a limit as the step goes to zero: it follows from what
the pair has to stop when it meets,
    K = m_ab max(a dhat / 4.33, v^2 / 9),   m_ab the lighter mass,
with the largest acceleration a and the largest speed v of the scene, so that loads are borne at
half of dhat and what flies is stopped at a tenth of it (by then K B is its kinetic energy).

Energy must not come from nowhere, so both numbers stay as they are while a barrier acts. They
change without energy where all gaps of the pair are larger than dhat: then dhat grows with the gap
up to the common one, and K is chosen again. Where a gap shrinks to almost nothing K is raised, and
dhat is made less, so that the energy at the start of the step is not more than it was: for one gap
it is the same, for larger ones B falls faster. What acts already when a run begins is balanced with
the loads (`barrier.balanced_start`).
"""

import math

from dovetail.contact.ipc.barrier.function import Barrier, log_barrier
from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.linalg.vec3 import load3, norm
from dovetail.runtime.jit import jit_in_place, when_called

FORCE_AT_HALF = 4.33  # |dB/dD| dhat at D = dhat/2
ENERGY_AT_TENTH = 9.0  # 2 B at D = dhat/10
MAX_SHIFT = 10.0  # dhat: what flies farther in a step is not stopped by its energy
UNMOVED = 1e-3  # of dhat in a step: the speed where nothing moves and nothing is loaded
TOO_CLOSE = 1e-3  # of dhat: a gap that shrinks below this, or ends there, raises the stiffness
RAISED = 4.0  # times, at least
LARGEST = 2.0**40  # of what the heaviest body would have: the largest stiffness
EDGE = 1e-6  # of dhat: pairs that begin this close to its end have not met yet
BISECTIONS = 60
KNOWN = 1e-2  # of the depth within a pair's own dhat: how well its gap must be known
SHALLOW = 0.03  # of dhat: that depth for a pair that meets in the step
LEAST_TOLERANCE = 1e-4  # of the tolerance otherwise
NOT_FOUND = -1
BENT = 0.05  # of the part of dhat that acts at the start of the step, or of the gap then
SHALLOWEST = 1e-5  # of dhat: that part at least

ACCELERATION, SPEED, STEP, DHAT = range(4)  # columns of `MotionScales.values`


@jit_in_place
def pair_barrier(barrier, barriers, p):
    """The barrier of pair p; `barrier.stiffness` is h^2, that of the pair is in kg m^2.

    Its offset is by how much flat parts of solids of revolution are bent (`solids.gaps`).
    """
    dhat, gap = barriers.dhat[p], abs(barriers.start_gap[p])
    acting = max(min(gap, dhat - gap), SHALLOWEST * dhat) if gap < dhat else dhat
    kappa = barrier.stiffness * barriers.stiffness[p]
    return Barrier(dhat, barrier.dmin, kappa, BENT * acting)


@jit_in_place
def find_pair(pairs, n_pairs, a, b):
    """Place of (a, b) among the first `n_pairs` of the ascending `pairs` (p, 2), or NOT_FOUND."""
    low, high = 0, n_pairs
    while low < high:
        middle = (low + high) // 2
        i, j = pairs[middle, 0], pairs[middle, 1]
        if i < a or (i == a and j < b):
            low = middle + 1
        else:
            high = middle
    if low < n_pairs and pairs[low, 0] == a and pairs[low, 1] == b:
        return low
    return NOT_FOUND


@jit_in_place
def set_motion_scales(bodies, scales, motion, h, dhat):
    """What the stiffness of a pair that meets follows from, at the start of a step of h [s].

    Returns the largest acceleration [m/s^2] and the largest speed [m/s] of bodies that move.
    """
    slot, dynamic, mass = bodies.slot, bodies.dynamic, bodies.mass
    radius, free = bodies.geometry.radius, bodies.free
    v, omega, force = motion.v, motion.omega, motion.force
    weight, values = scales.mass, scales.values
    acceleration, speed = 0.0, 0.0
    for i in range(slot.shape[0]):
        weight[i] = mass[i] if dynamic[i] != 0 else math.inf
        if slot[i] < 0:
            continue
        speed = max(speed, norm(load3(v, i)) + radius[i] * norm(load3(omega, i)))
        if dynamic[i] == 0:
            continue
        f = (free[i, 0] * force[i, 0], free[i, 1] * force[i, 1], free[i, 2] * force[i, 2])
        acceleration = max(acceleration, norm(f) / mass[i])
    values[ACCELERATION], values[SPEED], values[STEP], values[DHAT] = acceleration, speed, h, dhat
    return acceleration, speed


@jit_in_place
def _speed_energy(speed, h, dhat):
    """[m^2/s^2] of a pair that meets with `speed` [m/s], see `MAX_SHIFT`."""
    energy = speed * speed / ENERGY_AT_TENTH
    if h * speed > ENERGY_AT_TENTH * MAX_SHIFT * dhat:
        energy = MAX_SHIFT * dhat * speed / h
    return energy


@jit_in_place
def specific_stiffness(scales, dhat):
    """K / m_ab [m^2/s^2] of bodies that meet with a barrier that begins at dhat [m]."""
    values = scales.values
    h, speed = values[STEP], values[SPEED]
    energy = max(values[ACCELERATION] * dhat / FORCE_AT_HALF, _speed_energy(speed, h, values[DHAT]))
    if energy == 0.0 and h > 0.0:
        energy = _speed_energy(UNMOVED * values[DHAT] / h, h, values[DHAT])
    return energy


@jit_in_place
def meeting_stiffness(scales, a, b, dhat):
    """K [J] of bodies a and b that meet."""
    return specific_stiffness(scales, dhat) * min(scales.mass[a], scales.mass[b])


@jit_in_place
def set_pair(lists, p, a, b):
    """Stiffness and dhat of a pair that is new in the lists."""
    barriers, memory, scales = lists.barriers, lists.memory, lists.scales
    known = find_pair(memory.pairs, memory.n_pairs[0], a, b)
    barriers.start_gap[p] = math.inf
    if known != NOT_FOUND:
        barriers.dhat[p], barriers.stiffness[p] = memory.values[known, 0], memory.values[known, 1]
    else:
        barriers.dhat[p] = scales.values[DHAT]
        barriers.stiffness[p] = meeting_stiffness(scales, a, b, barriers.dhat[p])


@jit_in_place
def begin_pairs(lists, squared, barrier):
    """Stiffness and dhat of all pairs at the start of a step; needs the distances of the pose.

    Returns how many act that are not known from before: `start_gap` of these is negative.
    """
    barriers, memory, scales = lists.barriers, lists.memory, lists.scales
    dhat, stiffness, start_gap = barriers.dhat, barriers.stiffness, barriers.start_gap
    candidates = active_candidates(lists)
    pairs, start = candidates.pairs, candidates.start
    reach = (barrier.dmin + barrier.dhat) * (barrier.dmin + barrier.dhat)
    new = 0
    for p in range(candidates.n_pairs):
        least = math.inf
        for c in range(start[p], start[p + 1]):
            least = min(least, squared[c])
        gap = math.sqrt(least) - barrier.dmin if least < reach else math.inf
        a, b = pairs[p, 0], pairs[p, 1]
        known = find_pair(memory.pairs, memory.n_pairs[0], a, b)
        start_gap[p], dhat[p] = gap, barrier.dhat
        if known != NOT_FOUND:
            dhat[p], stiffness[p] = memory.values[known, 0], memory.values[known, 1]
            if gap < dhat[p]:
                continue
            dhat[p] = min(gap, barrier.dhat)
        elif gap < (1.0 - EDGE) * barrier.dhat:
            start_gap[p] = -gap
            new += 1
        stiffness[p] = meeting_stiffness(scales, a, b, dhat[p])
    return new


@jit_in_place
def tolerance_for_pairs(lists, tolerance, dhat, h):
    """[m/s] `tolerance`, less where pairs near each other have a dhat of their own.

    Their forces change from nothing to all within the part of that dhat which is beyond the gap, so
    poses must be known better than that for forces to balance.
    """
    barriers, least = lists.barriers, dhat
    for p in range(active_candidates(lists).n_pairs):
        gap = abs(barriers.start_gap[p])
        if gap < dhat and barriers.dhat[p] < dhat:
            depth = barriers.dhat[p] - gap
            least = min(least, depth if depth > 0.0 else SHALLOW * barriers.dhat[p])
    if least == dhat:
        return tolerance
    return max(min(tolerance, KNOWN * least / h), LEAST_TOLERANCE * tolerance)


@jit_in_place
def neutral_dhat(gap, dhat, dmin, factor):
    """The dhat [m] with which a barrier `factor` times as stiff has the same energy at the gap."""
    squared = (dmin + gap) * (dmin + gap)
    wanted = log_barrier(squared, dmin, dhat)[0] / factor
    low, high = gap, dhat
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if log_barrier(squared, dmin, middle)[0] > wanted:
            high = middle
        else:
            low = middle
    return low


@jit_in_place
def _find_pressing(lists, squared, dmin):
    """Set scales.pressing: the mass of the heaviest body among those that touch, one by one."""
    barriers, scales = lists.barriers, lists.scales
    mass, pressing, dhat = scales.mass, scales.pressing, barriers.dhat
    candidates = active_candidates(lists)
    pairs, start = candidates.pairs, candidates.start
    for i in range(mass.shape[0]):
        pressing[i] = mass[i]
    changed = True
    while changed:
        changed = False
        for p in range(candidates.n_pairs):
            a, b = pairs[p, 0], pairs[p, 1]
            if pressing[a] == pressing[b] or mass[a] == math.inf or mass[b] == math.inf:
                continue
            reach = dmin + dhat[p]
            for c in range(start[p], start[p + 1]):
                if squared[c] < reach * reach:
                    pressing[a] = pressing[b] = max(pressing[a], pressing[b])
                    changed = True
                    break


@when_called(False)
@jit_in_place
def raise_stiffness(bodies, lists, workspace, barrier):
    """Raise the stiffness of pairs that are too close; whether there was any to raise.

    What presses may be heavier than both, and far: a heavy body on a stack of light ones.
    """
    barriers, scales, raised = lists.barriers, lists.scales, workspace.raised
    dhat, stiffness, start_gap = barriers.dhat, barriers.stiffness, barriers.start_gap
    candidates, squared = active_candidates(lists), workspace.squared
    pairs, start = candidates.pairs, candidates.start
    heaviest = 0.0
    for i in range(raised.shape[0]):
        if bodies.dynamic[i] != 0:
            heaviest = max(heaviest, bodies.mass[i])
    any_raised = False
    pressing = scales.pressing
    _find_pressing(lists, squared, barrier.dmin)
    for p in range(candidates.n_pairs):
        limit = barrier.dmin + TOO_CLOSE * dhat[p]
        close = False
        for c in range(start[p], start[p + 1]):
            if squared[c] < limit * limit:
                close = True
                break
        if not close:
            continue
        a, b = pairs[p, 0], pairs[p, 1]
        specific = specific_stiffness(scales, scales.values[DHAT])
        if stiffness[p] >= LARGEST * heaviest * specific:
            continue
        other = min(pressing[a], pressing[b])  # the same, or inf of one that is not dynamic
        new = RAISED * stiffness[p]
        if other < math.inf:
            new = max(new, math.sqrt(stiffness[p] * specific * other))
        if start_gap[p] < dhat[p]:
            dhat[p] = neutral_dhat(start_gap[p], dhat[p], barrier.dmin, new / stiffness[p])
        stiffness[p] = new
        raised[a] = raised[b] = 1
        any_raised = True
    return any_raised
