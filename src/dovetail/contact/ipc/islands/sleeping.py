"""Islands of bodies at rest sleep: nobody solves for what is known to stay as it is.

A step from zero velocities that moves nothing ends where it began; with the same loads, the same
contacts and the same stiffness the next one would do the same. So an island all of whose bodies
moved in a step, and before it, slower than STILL of what their loads would give them in a step is
put back to where it was, its velocities are zero, and if they were zero before the step already, it
sleeps (not while a load of `barrier.stiffness` changes): its bodies are held, and pairs among them
and with
static bodies are not listed. It wakes when a load, the step or a velocity of one of its bodies
changes, or when a body that moves comes within reach of one of them: before the step, or, where
that happens in the step, by taking the step anew with the island awake. An island is what the sweep
finds connected, so nobody who moves was near when its bodies were put back.
"""

from dovetail.contact.ipc.poses import set_still
from dovetail.contact.ipc.records import N_PAIRS, SWEEPS, WHICH
from dovetail.linalg.union_find import root
from dovetail.linalg.vec3 import load3, norm
from dovetail.runtime.jit import jit, jit_in_place

STILL = 1e-8  # of h times the acceleration of a body by its loads
SAME_STEP = 1e-6  # of h: times that are added up differ by rounding
ASLEEP, FELL, WOKE = range(3)  # entries of `rest`: bodies that do, and that did lately
NEWLY = 2  # in `asleep`, of bodies whose contacts have still to be written down


@jit_in_place
def _wake(asleep, isle, island, rest, numbers):
    """Wake all bodies of an island; their pairs are found by a new sweep."""
    for i in range(asleep.shape[0]):
        if asleep[i] != 0 and isle[i] == island:
            asleep[i] = 0
            rest[ASLEEP] -= 1
            rest[WOKE] += 1
    numbers[SWEEPS] = 0


@jit
def wake_changed(lists, motion, h):
    """Wake islands whose loads, velocities or step [s] are not those that they fell asleep with."""
    asleep, isle, rest = motion.asleep, motion.isle, motion.rest
    if rest[ASLEEP] == 0:
        return
    v, omega, force, torque, loads = (
        motion.v, motion.omega, motion.force, motion.torque, motion.rest_loads
    )  # fmt: skip
    for i in range(asleep.shape[0]):
        if asleep[i] == 0:
            continue
        same = abs(h - loads[i, 6]) <= SAME_STEP * h
        for k in range(3):
            same = same and force[i, k] == loads[i, k] and torque[i, k] == loads[i, 3 + k]
            same = same and v[i, k] == 0.0 and omega[i, k] == 0.0
        if not same:
            _wake(asleep, isle, isle[i], rest, lists.numbers)


@jit
def wake_touched(lists, room, motion, reach):
    """Wake islands that a body awake is within `reach` [m] of, at the pose measured last."""
    asleep, isle, rest = motion.asleep, motion.isle, motion.rest
    if rest[ASLEEP] == 0:
        return False
    which, n_pairs = lists.numbers[WHICH], lists.numbers[N_PAIRS]
    pairs, start, squared = lists.pairs, lists.start, room.squared
    woken = False
    for p in range(n_pairs):
        a, b = pairs[which, p, 0], pairs[which, p, 1]
        if (asleep[a] != 0) == (asleep[b] != 0):
            continue
        for c in range(start[which, p], start[which, p + 1]):
            if squared[c] < reach * reach:
                _wake(asleep, isle, isle[a if asleep[a] != 0 else b], rest, lists.numbers)
                woken = True
                break
    return woken


@jit_in_place
def _is_still(i, x, R, x_1, R_1, v, omega, radius, slowest, h):
    """1 where body i moves by less than `slowest` [m/s] before and in the step, 2 if it stood.

    A body without a shape has no radius to tell how fast it turns: any turn counts as motion.
    """
    shift, turn = 0.0, 0.0
    for r in range(3):
        shift += (x_1[i, r] - x[i, r]) ** 2
        for c in range(3):
            turn += (R_1[i, r, c] - R[i, r, c]) ** 2
    spin = norm(load3(omega, i))
    if radius == 0.0 and (turn > 0.0 or spin > 0.0):
        return 0
    if shift**0.5 + (0.5 * turn) ** 0.5 * radius > slowest * h:
        return 0
    speed = norm(load3(v, i)) + radius * spin
    if speed == 0.0:
        return 2
    return 1 if speed <= slowest else 0


@jit
def put_to_rest(bodies, lists, room, motion, h, iterations):
    """Put islands that moved by nothing back, in room.x, room.R and all knots.

    lists.stillness is then 1 for their bodies and 2 where all stood before the step.
    """
    slot, acts, free, mass, radius = (
        bodies.slot, bodies.acts, bodies.free, bodies.mass, bodies.radius
    )  # fmt: skip
    asleep, isle = motion.asleep, motion.isle
    x, R, v, omega = motion.x, motion.R, motion.v, motion.omega
    force, jointed = motion.force, room.joints.rows.jointed
    parent, state = lists.counts, lists.stillness
    n, any_still = slot.shape[0], False
    for i in range(n):
        parent[i], state[i] = i, 2
        if slot[i] < 0 or asleep[i] != 0:
            continue
        f = (free[i, 0] * force[i, 0], free[i, 1] * force[i, 1], free[i, 2] * force[i, 2])
        state[i] = 0
        if acts[i] != 0 and jointed[i] == 0 and room.load[i] == motion.load[i]:
            state[i] = _is_still(
                i, x, R, room.x, room.R, v, omega, radius[i], STILL * h * norm(f) / mass[i], h
            )
        any_still = any_still or state[i] > 0
    if not any_still:
        return
    which, n_pairs, pairs = lists.numbers[WHICH], lists.numbers[N_PAIRS], lists.pairs
    for p in range(n_pairs):
        a, b = pairs[which, p, 0], pairs[which, p, 1]
        if slot[a] < 0 or slot[b] < 0 or asleep[a] != 0 or asleep[b] != 0:
            continue
        i, j = root(parent, a), root(parent, b)
        low, high = min(i, j), max(i, j)
        parent[high] = low
        state[low] = min(state[low], state[high])
    for i in range(n):
        if slot[i] < 0 or asleep[i] != 0:
            continue
        isle[i] = root(parent, i)  # the least number of its bodies
        state[i] = state[isle[i]]
        if state[i] == 0:
            continue
        set_still(i, x, R, room.x, room.R)
        for k in range(iterations + 1):
            set_still(i, x, R, room.knot_x[k], room.knot_turn[k])


@jit
def fall_asleep(bodies, lists, motion, h):
    """Let islands sleep that stood before the step and were put back to where they were."""
    slot, state = bodies.slot, lists.stillness
    asleep, rest, loads = motion.asleep, motion.rest, motion.rest_loads
    force, torque = motion.force, motion.torque
    for i in range(slot.shape[0]):
        if slot[i] < 0 or asleep[i] != 0 or state[i] != 2:
            continue
        asleep[i] = NEWLY
        rest[ASLEEP] += 1
        rest[FELL] += 1
        loads[i, 6] = h
        for k in range(3):
            loads[i, k], loads[i, 3 + k] = force[i, k], torque[i, k]


@jit
def everybody_sleeps(bodies, motion):
    """Whether no body with unknowns is awake, and there is one."""
    m = bodies.owner.shape[0]
    return m > 0 and motion.rest[ASLEEP] == m
