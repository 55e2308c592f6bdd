"""Where all bodies stand: lists, levers and distances of one pose.

A step begins at the pose where the one before it ended, its minimisation where the step begins, and
so on: whoever asks for a pose that is there already gets it for nothing.
"""

import math

from dovetail.contact.ipc.barrier.contacts import measure
from dovetail.contact.ipc.candidates.candidate import begin_pose
from dovetail.contact.ipc.candidates.lists import pairs_ready, ready
from dovetail.contact.ipc.poses import copy_poses
from dovetail.contact.ipc.records import N_PAIRS, POSE, STOOD, WHICH
from dovetail.runtime.jit import jit, jit_in_place

REACH, LEAST = range(2)  # entries of `stood`


@jit
def stand(bodies, lists, room, x, R, path, reach, dhat):
    """Lists complete within reach, levers and squared distances at the pose x, R.

    `path` [m] of each body is for the pairs only (`candidates.lists.ready`). Returns (whether
    there was room, least squared distance [m^2] of what can be within reach).
    """
    numbers, stood, still = lists.numbers, room.stood, room.still
    if (
        numbers[STOOD] == numbers[POSE]
        and stood[REACH] == reach
        and _same(x, R, bodies.slot, still, room.stood_x, room.stood_turn, room.stood_still)
    ):
        if not pairs_ready(bodies, lists, x, R, path, reach):
            return False, math.inf
        if numbers[STOOD] == numbers[POSE]:  # no new sweep
            return True, stood[LEAST]
    begin_pose(bodies, lists, room, R)
    if not ready(bodies, lists, room, x, R, path, reach, dhat):
        return False, math.inf
    least = measure(
        numbers[WHICH], numbers[N_PAIRS], lists.pairs, lists.start, lists.pool, lists.apart,
        lists.moved, lists.nearest, lists.in_vain, lists.slack, lists.made_reach, lists.made_x,
        lists.made_turn, bodies.radius, reach, x, R, numbers[POSE], room.placed,
        bodies.vertex_body, bodies.vertices, room.lever, bodies.edges, bodies.faces, room.facing,
        bodies.corner, bodies.side, bodies.patch, bodies.divided, still, room.squared,
    )  # fmt: skip
    copy_poses(x, R, room.stood_x, room.stood_turn)
    for i in range(still.shape[0]):
        room.stood_still[i] = still[i]
    numbers[STOOD] = numbers[POSE]
    stood[REACH], stood[LEAST] = reach, least
    return True, least


@jit_in_place
def _same(x, R, slot, still, stood_x, stood_turn, stood_still):
    """Whether it is the pose, and those are passed over, that distances were measured for.

    Whether static bodies are `still` is the same: of two bodies one can move.
    """
    for i in range(still.shape[0]):
        if slot[i] >= 0 and still[i] != stood_still[i]:
            return False
        for r in range(3):
            if x[i, r] != stood_x[i, r]:
                return False
            for c in range(3):
                if R[i, r, c] != stood_turn[i, r, c]:
                    return False
    return True
