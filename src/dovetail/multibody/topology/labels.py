"""Regular labels of a spanning tree: a leaf queue, linear in the number of bodies."""

import numpy as np

from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm


@jit
def strip_leaves(pairs, in_tree, n_bodies):
    """Round in which each body becomes a leaf and is stripped, and the joint that holds it.

    A body's only remaining joint is the exclusive-or of its remaining joints, so no adjacency
    list is needed. The ground (body 0) is never stripped. `in_tree` (n_joints,) bool must mark a
    spanning tree of bodies 0..n_bodies.
    Returns rounds (n_bodies + 1,) from 0, with rounds[0] = -1; holder (n_bodies + 1,) joints.
    """
    degree = np.zeros(n_bodies + 1, np.int64)
    holder = np.zeros(n_bodies + 1, np.int64)
    for joint in range(pairs.shape[0]):
        if in_tree[joint]:
            for end in range(2):
                body = pairs[joint, end]
                degree[body] += 1
                holder[body] ^= joint
    rounds = np.zeros(n_bodies + 1, np.int64)
    rounds[0] = -1
    queue = np.empty(n_bodies + 1, np.int64)
    head, tail = 0, 0
    for body in range(1, n_bodies + 1):
        if degree[body] == 1:
            queue[tail] = body
            tail += 1
    while head < tail:
        leaf = queue[head]
        head += 1
        joint = holder[leaf]
        parent = pairs[joint, 0] + pairs[joint, 1] - leaf
        if parent == 0:
            continue
        degree[parent] -= 1
        holder[parent] ^= joint
        if degree[parent] == 1:  # the queue is in order of rounds, so this leaf is the last child
            rounds[parent] = rounds[leaf] + 1
            queue[tail] = parent
            tail += 1
    return rounds, holder


@jit
def regular_labels(pairs, in_tree, n_bodies):
    """Regular labels of bodies and joints (Qi et al. 2009, section 2).

    Leaves stripped in one round take the highest free labels, ascending with their number; the
    joint that holds a leaf takes its label; cut joints take n_bodies + 1 ... in order of number.
    Returns body_labels (n_bodies + 1,) with body_labels[0] = 0, joint_labels (n_joints,) and
    parents (n_bodies + 1,): the label of the parent of the body *labelled* i, parents[0] = -1.
    """
    rounds, holder = strip_leaves(pairs, in_tree, n_bodies)
    n_rounds = 0
    for body in range(1, n_bodies + 1):
        n_rounds = max(n_rounds, rounds[body] + 1)
    size = np.zeros(n_rounds + 1, np.int64)
    for body in range(1, n_bodies + 1):
        size[rounds[body]] += 1
    following = np.empty(n_rounds + 1, np.int64)  # next free label of each round
    highest = n_bodies
    for r in range(n_rounds):
        highest -= size[r]
        following[r] = highest + 1

    body_labels = np.zeros(n_bodies + 1, np.int64)
    joint_labels = np.zeros(pairs.shape[0], np.int64)
    for body in range(1, n_bodies + 1):
        label = following[rounds[body]]
        following[rounds[body]] += 1
        body_labels[body] = label
        joint_labels[holder[body]] = label
    parents = np.empty(n_bodies + 1, np.int64)
    parents[0] = -1
    for body in range(1, n_bodies + 1):
        joint = holder[body]
        parents[body_labels[body]] = body_labels[pairs[joint, 0] + pairs[joint, 1] - body]
    label = n_bodies
    for joint in range(pairs.shape[0]):
        if not in_tree[joint]:
            label += 1
            joint_labels[joint] = label
    return body_labels, joint_labels, parents


warm(regular_labels, np.empty((0, 2), dtype=np.int64), np.empty(0, dtype=np.bool_), 0)
