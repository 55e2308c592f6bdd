"""Which joints hold the spanning tree and which close a loop: integers only, near linear.

Bodies are 0 (ground) .. n_bodies; a joint is a row (body, body) of `pairs`, counted from 0 here.
"""

import numpy as np

from dovetail.linalg.union_find import root
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

NEW_ISLAND, GROW, MERGE, CUT = 0, 1, 2, 3


@jit
def assemble(pairs, sequence, n_bodies):
    """Assembly pattern of each joint when joints are added in `sequence`.

    Union-find in place of the connectivity matrix of Qi et al. 2009, eqs. 2-3.
    pairs (n_joints, 2) int64, sequence (n_joints,) int64 -> patterns (n_joints,) int8:
    NEW_ISLAND (paper a), GROW (b), MERGE (c), CUT (d); leaders (n_bodies + 1,) int64 of the
    connected sets that result (a body no joint touches leads itself).
    """
    leader = np.arange(n_bodies + 1)
    size = np.ones(n_bodies + 1, np.int64)
    placed = np.zeros(n_bodies + 1, np.bool_)
    patterns = np.empty(pairs.shape[0], np.int8)
    for step in range(sequence.size):
        joint = sequence[step]
        one = pairs[joint, 0]
        other = pairs[joint, 1]
        a = root(leader, one)
        b = root(leader, other)
        if a == b:
            patterns[joint] = CUT
            continue
        if placed[one] and placed[other]:
            patterns[joint] = MERGE
        elif placed[one] or placed[other]:
            patterns[joint] = GROW
        else:
            patterns[joint] = NEW_ISLAND
        placed[one] = True
        placed[other] = True
        if size[a] < size[b]:
            a, b = b, a
        leader[b] = a
        size[a] += size[b]
    for body in range(n_bodies + 1):
        leader[body] = root(leader, body)
    return patterns, leader


@jit
def breadth_first_sequence(pairs, n_bodies):
    """Joints in the order a breadth-first walk from the ground first crosses them.

    Bodies in order of discovery, the joints of a body in ascending number. Assembling in this
    order gives the tree in which every body is as near the ground as the graph allows.
    Joints the walk never meets (islands) come last, ascending.
    """
    n_joints = pairs.shape[0]
    start = np.zeros(n_bodies + 2, np.int64)
    for joint in range(n_joints):
        start[pairs[joint, 0] + 1] += 1
        start[pairs[joint, 1] + 1] += 1
    for body in range(n_bodies + 1):
        start[body + 1] += start[body]
    fill = start.copy()
    touching = np.empty(2 * n_joints, np.int64)
    for joint in range(n_joints):
        for end in range(2):
            body = pairs[joint, end]
            touching[fill[body]] = joint
            fill[body] += 1

    sequence = np.empty(n_joints, np.int64)
    taken = np.zeros(n_joints, np.bool_)
    reached = np.zeros(n_bodies + 1, np.bool_)
    queue = np.empty(n_bodies + 1, np.int64)
    queue[0] = 0
    reached[0] = True
    head, tail, count = 0, 1, 0
    while head < tail:
        body = queue[head]
        head += 1
        for k in range(start[body], start[body + 1]):
            joint = touching[k]
            if taken[joint]:
                continue
            taken[joint] = True
            sequence[count] = joint
            count += 1
            other = pairs[joint, 0] + pairs[joint, 1] - body
            if not reached[other]:
                reached[other] = True
                queue[tail] = other
                tail += 1
    for joint in range(n_joints):
        if not taken[joint]:
            sequence[count] = joint
            count += 1
    return sequence


_PAIRS, _SEQUENCE = np.empty((0, 2), dtype=np.int64), np.empty(0, dtype=np.int64)
warm(assemble, _PAIRS, _SEQUENCE, 0)
warm(breadth_first_sequence, _PAIRS, 0)
