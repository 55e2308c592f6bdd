"""Is the straight way between two poses free, and which knots must a recorded way pass?

The way of the solver, from knot to knot, is free of contacts; the constant twist from the first
to the last of them, which a result file stands for, need not be.
"""

from dovetail.kernels.ipc_contacts import find_near, safe_time
from dovetail.kernels.ipc_layout import N_PAIRS, WHICH
from dovetail.kernels.ipc_lists import ready
from dovetail.kernels.ipc_newton import ADVANCES, stand
from dovetail.kernels.ipc_poses import find_paths, twists_between
from dovetail.kernels.jit import jit


@jit
def straight_is_free(bodies, lists, room, x_0, R_0, x_1, R_1, dmin, dhat):
    """(fits, free): whether the straight twists from one pose to the other meet no contact."""
    slot, twist, path = bodies.slot, room.twist, room.path
    twists_between(slot, x_0, R_0, x_1, R_1, twist)
    find_paths(slot, bodies.radius, twist, path)
    fits, covered = ready(bodies, lists, x_0, R_0, path, dmin, dhat)
    if not fits:
        return False, False
    if covered < 1.0:
        return True, False
    stand(bodies, lists, room, x_0, R_0, path, dmin, dhat)
    numbers = lists.numbers
    n_near = find_near(
        numbers[WHICH], numbers[N_PAIRS], lists.pairs, lists.start, room.squared, path, dmin,
        room.near, room.near_pair,
    )  # fmt: skip
    t, _ = safe_time(
        numbers[WHICH], n_near, room.near, room.near_pair, lists.pairs, lists.pool, x_0, twist,
        room.lever, bodies.edges, bodies.faces, room.facing, dmin, 1.0, 0.0, ADVANCES,
    )  # fmt: skip
    return True, t >= 1.0


@jit
def waypoints(bodies, lists, room, iterations, dmin, dhat):
    """Knots that the recorded way of the last step has to pass, numbers into room.kept.

    From each one the farthest that the straight twists reach without contact, found by halving;
    the next knot always is. Returns their number, or -1 where there was no room.
    """
    knot_x, knot_turn, kept = room.knot_x, room.knot_turn, room.kept
    count, at = 0, 0
    while at < iterations and count >= 0:
        to, fits = iterations, True
        while to > at + 1:
            fits, free = straight_is_free(
                bodies,
                lists,
                room,
                knot_x[at],
                knot_turn[at],
                knot_x[to],
                knot_turn[to],
                dmin,
                dhat,
            )
            if free or not fits:
                break
            to = at + (to - at) // 2
        if not fits:
            count = -1
            break
        at = to
        if at < iterations:
            kept[count] = at
            count += 1
    return count
