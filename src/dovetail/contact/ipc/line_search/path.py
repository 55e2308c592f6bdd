"""Is the straight way between two poses free, and which knots must a recorded way pass?

The way of the solver, from knot to knot, is free of contacts; the constant twist from the first
to the last of them, which a result file stands for, need not be.
"""

from dovetail.contact.ipc.candidates.lists import pairs_ready
from dovetail.contact.ipc.line_search.step_size import safe_time
from dovetail.contact.ipc.poses import find_paths, twists_between
from dovetail.runtime.jit import jit


@jit
def straight_is_free(bodies, lists, room, x_0, R_0, x_1, R_1, dmin):
    """(fits, free): whether the straight twists from one pose to the other meet no contact."""
    slot, twist, path = bodies.slot, room.twist, room.path
    twists_between(slot, x_0, R_0, x_1, R_1, twist)
    find_paths(slot, bodies.radius, twist, path)
    if not pairs_ready(bodies, lists, x_0, R_0, path, dmin):
        return False, False
    t, _ = safe_time(bodies, lists, room, x_0, R_0, twist, dmin, 0.0, 0.0)
    return True, t >= 1.0


@jit
def waypoints(bodies, lists, room, iterations, dmin):
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
                bodies, lists, room, knot_x[at], knot_turn[at], knot_x[to], knot_turn[to], dmin
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
