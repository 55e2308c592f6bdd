"""Is the direct path between two poses free of collisions, and which iterates must be recorded?

The path of the solver, from iterate to iterate, is free of collisions; the constant twist from the
first to the last of them, which a result file records, need not be.
"""

from dovetail.contact.ipc.candidates.lists import update_body_pairs
from dovetail.contact.ipc.line_search.step_size import collision_free_step_size
from dovetail.contact.ipc.poses import set_path_lengths, twists_between
from dovetail.contact.ipc.records import Poses
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def direct_path_is_free(bodies, lists, workspace, start, end, dmin):
    """(fits, free): whether the constant twists from one pose to the other meet no contact."""
    slot, twist, path_length = bodies.slot, workspace.twist, workspace.path_length
    twists_between(slot, start, end, twist)
    set_path_lengths(slot, bodies.geometry.core_radius, twist, path_length)
    if not update_body_pairs(bodies, lists, start, path_length, dmin):
        return False, False
    t, _ = collision_free_step_size(bodies, lists, workspace, start, twist, dmin, 0.0, 0.0)
    return True, t >= 1.0


@jit_in_place
def choose_waypoints(bodies, lists, workspace, iterations, dmin):
    """Iterates that the recorded path of the last step has to pass, into iterates.chosen.

    From each one the farthest that the direct path reaches without collision, found by halving;
    the next iterate always is. Returns their number, or -1 where the pairs of bodies did not fit.
    """
    iterates = workspace.iterates
    x, R, chosen = iterates.x, iterates.R, iterates.chosen
    count, at = 0, 0
    while at < iterations and count >= 0:
        to, fits = iterations, True
        while to > at + 1:
            fits, free = direct_path_is_free(
                bodies, lists, workspace, Poses(x[at], R[at]), Poses(x[to], R[to]), dmin
            )
            if free or not fits:
                break
            to = at + (to - at) // 2
        if not fits:
            count = -1
            break
        at = to
        if at < iterations:
            chosen[count] = at
            count += 1
    return count
