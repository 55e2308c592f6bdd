"""Islands of bodies at rest sleep: what is known to stay as it is, is not solved for.

A step from zero velocities that moves nothing ends where it began; with the same loads, the same
contacts and the same stiffness the next one would do the same. So an island all of whose bodies
moved in a step, and before it, slower than STILL of what their loads would give them in a step is
put back to where it was, its velocities are zero, and if they were zero before the step already, it
sleeps (not while a stiffness is raised): its bodies are fixed, and pairs among
them and with static bodies are not listed. It wakes when a load, the step or a velocity of one of
its bodies changes, or when a moving body comes within reach of one of them: before the step, or,
where that happens in the step, by repeating the step with the island awake. An island is what the
sweep finds connected, so no moving body was near when its bodies were put back.
"""

from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.contact.ipc.poses import copy_pose
from dovetail.contact.ipc.records import Poses
from dovetail.linalg.union_find import root
from dovetail.linalg.vec3 import load3, norm
from dovetail.runtime.jit import jit_in_place

STILL = 1e-8  # of h times the acceleration of a body by its loads
SAME_STEP = 1e-6  # of h: times that are added up differ by rounding
ASLEEP, FELL, WOKE = range(3)  # entries of `sleep_counts`: bodies that do, and that did lately
NEWLY = 2  # in `asleep`, of bodies whose contacts have still to be recorded
FORCE, TORQUE, STEP = 0, 3, 6  # columns of `sleeping_loads`
MOVES, SLOW, STOOD = range(3)  # values of `stillness`: moves, slower than STILL, stood before too


@jit_in_place
def _wake(asleep, islands, island, counts, counters):
    """Wake all bodies of an island; their pairs are found by a new sweep."""
    for i in range(asleep.shape[0]):
        if asleep[i] != 0 and islands[i] == island:
            asleep[i] = 0
            counts[ASLEEP] -= 1
            counts[WOKE] += 1
    counters[0].sweeps = 0


@jit_in_place
def wake_changed(lists, motion, h):
    """Wake islands whose loads, velocities or step [s] are not those that they fell asleep with."""
    asleep, islands, counts = motion.asleep, motion.sleeping_island, motion.sleep_counts
    if counts[ASLEEP] == 0:
        return
    v, omega, force, torque, loads = (
        motion.v, motion.omega, motion.force, motion.torque, motion.sleeping_loads
    )  # fmt: skip
    for i in range(asleep.shape[0]):
        if asleep[i] == 0:
            continue
        same = abs(h - loads[i, STEP]) <= SAME_STEP * h
        for k in range(3):
            same = same and force[i, k] == loads[i, FORCE + k]
            same = same and torque[i, k] == loads[i, TORQUE + k]
            same = same and v[i, k] == 0.0 and omega[i, k] == 0.0
        if not same:
            _wake(asleep, islands, islands[i], counts, lists.counters)


@jit_in_place
def wake_touched(lists, workspace, motion, reach):
    """Wake islands within `reach` [m] of a body that is awake, at the pose measured last."""
    asleep, islands, counts = motion.asleep, motion.sleeping_island, motion.sleep_counts
    if counts[ASLEEP] == 0:
        return False
    candidates, squared = active_candidates(lists), workspace.squared
    pairs, start = candidates.pairs, candidates.start
    woken = False
    for p in range(candidates.n_pairs):
        a, b = pairs[p, 0], pairs[p, 1]
        if (asleep[a] != 0) == (asleep[b] != 0):
            continue
        for c in range(start[p], start[p + 1]):
            if squared[c] < reach * reach:
                _wake(asleep, islands, islands[a if asleep[a] != 0 else b], counts, lists.counters)
                woken = True
                break
    return woken


@jit_in_place
def _stillness(i, start, end, v, omega, radius, slowest, h):
    """SLOW where body i moves by less than `slowest` [m/s] before and in the step, or STOOD.

    A body without a shape has no radius to measure its rotation by: any rotation counts as motion.
    """
    x, R, x_1, R_1 = start.x, start.R, end.x, end.R
    shift, rotation = 0.0, 0.0
    for r in range(3):
        shift += (x_1[i, r] - x[i, r]) ** 2
        for c in range(3):
            rotation += (R_1[i, r, c] - R[i, r, c]) ** 2
    spin = norm(load3(omega, i))
    if radius == 0.0 and (rotation > 0.0 or spin > 0.0):
        return MOVES
    if shift**0.5 + (0.5 * rotation) ** 0.5 * radius > slowest * h:
        return MOVES
    speed = norm(load3(v, i)) + radius * spin
    if speed == 0.0:
        return STOOD
    return SLOW if speed <= slowest else MOVES


@jit_in_place
def put_to_rest(bodies, lists, workspace, motion, h, iterations):
    """Put islands that did not move back, in the iterate and all recorded iterates.

    islands.stillness is then SLOW for their bodies, and STOOD where all stood before the step.
    """
    slot, asleep, islands = bodies.slot, motion.asleep, motion.sleeping_island
    parent, stillness = workspace.islands.parent, workspace.islands.stillness
    start, iterate, iterates = Poses(motion.x, motion.R), workspace.iterate, workspace.iterates
    n = slot.shape[0]
    if not _any_still(bodies, workspace, motion, start, h):
        return
    candidates = active_candidates(lists)
    pairs = candidates.pairs
    for p in range(candidates.n_pairs):
        a, b = pairs[p, 0], pairs[p, 1]
        if slot[a] < 0 or slot[b] < 0 or asleep[a] != 0 or asleep[b] != 0:
            continue
        i, j = root(parent, a), root(parent, b)
        low, high = min(i, j), max(i, j)
        parent[high] = low
        stillness[low] = min(stillness[low], stillness[high])
    for i in range(n):
        if slot[i] < 0 or asleep[i] != 0:
            continue
        islands[i] = root(parent, i)  # the least number of its bodies
        stillness[i] = stillness[islands[i]]
        if stillness[i] == MOVES:
            continue
        copy_pose(i, start, iterate)
        for k in range(iterations + 1):
            copy_pose(i, start, Poses(iterates.x[k], iterates.R[k]))


@jit_in_place
def _any_still(bodies, workspace, motion, start, h):
    """Set the stillness of each body and begin the union-find; whether a body is still."""
    slot, dynamic, free, mass = bodies.slot, bodies.dynamic, bodies.free, bodies.mass
    radius, raised = bodies.geometry.radius, workspace.raised
    v, omega, force, asleep = motion.v, motion.omega, motion.force, motion.asleep
    jointed = workspace.joints.rows.jointed
    parent, stillness = workspace.islands.parent, workspace.islands.stillness
    iterate, any_still = workspace.iterate, False
    for i in range(slot.shape[0]):
        parent[i], stillness[i] = i, STOOD
        if slot[i] < 0 or asleep[i] != 0:
            continue
        f = (free[i, 0] * force[i, 0], free[i, 1] * force[i, 1], free[i, 2] * force[i, 2])
        stillness[i] = MOVES
        if dynamic[i] != 0 and jointed[i] == 0 and raised[i] == 0:
            slowest = STILL * h * norm(f) / mass[i]
            stillness[i] = _stillness(i, start, iterate, v, omega, radius[i], slowest, h)
        any_still = any_still or stillness[i] != MOVES
    return any_still


@jit_in_place
def fall_asleep(bodies, workspace, motion, h):
    """Let islands sleep that stood before the step and were put back to where they were."""
    slot, stillness = bodies.slot, workspace.islands.stillness
    asleep, counts, loads = motion.asleep, motion.sleep_counts, motion.sleeping_loads
    force, torque = motion.force, motion.torque
    for i in range(slot.shape[0]):
        if slot[i] < 0 or asleep[i] != 0 or stillness[i] != STOOD:
            continue
        asleep[i] = NEWLY
        counts[ASLEEP] += 1
        counts[FELL] += 1
        loads[i, STEP] = h
        for k in range(3):
            loads[i, FORCE + k], loads[i, TORQUE + k] = force[i, k], torque[i, k]


@jit_in_place
def all_asleep(bodies, motion):
    """Whether no body with unknowns is awake, and there is one."""
    m = bodies.owner.shape[0]
    return m > 0 and motion.sleep_counts[ASLEEP] == m
