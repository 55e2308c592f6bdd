"""Few contacts for each patch: of many with one normal, the deepest and the outermost."""

import math

import numpy as np

from dovetail.contact.penalty.contact_rows import empty_contacts
from dovetail.linalg.vec3 import dot, load3, norm_squared, store3, sub
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.warmup import warm

MOST = 6  # contacts of one patch
ALIKE = math.cos(math.radians(5.0))  # normals of one patch


@jit_in_place
def _move(contacts, source, target):
    if source != target:
        contacts.point_body[target] = contacts.point_body[source]
        contacts.field_body[target] = contacts.field_body[source]
        contacts.pair[target] = contacts.pair[source]
        contacts.depth[target] = contacts.depth[source]
        store3(contacts.point, target, load3(contacts.point, source))
        store3(contacts.gradient, target, load3(contacts.gradient, source))


@jit_in_place
def _mark_outermost(contacts, begin, end, patch, closest, label, distance):
    """label -1 for those of `patch` to keep: the deepest, then each furthest from the others.

    Those nearer than `closest` [m] to another are the same point of both bodies.
    """
    best = begin
    deepest = -np.inf
    for i in range(begin, end):
        if label[i] == patch:
            distance[i] = np.inf
            if contacts.depth[i] > deepest:
                best, deepest = i, contacts.depth[i]
    for _ in range(MOST):
        p = load3(contacts.point, best)
        label[best] = -1
        furthest, following = closest * closest, -1
        for i in range(begin, end):
            if label[i] == patch:
                distance[i] = min(distance[i], norm_squared(sub(load3(contacts.point, i), p)))
                if distance[i] > furthest:
                    furthest, following = distance[i], i
        if following < 0:
            break
        best = following


@jit
def reduce_contacts(contacts, begin, end, closest, label, distance):
    """Keep at most MOST contacts of each patch in rows begin to end, all of one pair.

    Normals of one body to the other are compared, whichever of them has the field. `label` and
    `distance` are workspace as long as the rows; contacts nearer than `closest` [m] to another one
    are the same. Returns the new end.
    """
    for i in range(begin, end):
        label[i] = 0
    patches = 0
    for i in range(begin, end):
        if label[i] != 0:
            continue
        patches += 1
        count = 0
        n = load3(contacts.gradient, i)
        for j in range(i, end):
            same = contacts.point_body[j] == contacts.point_body[i]
            along = dot(n, load3(contacts.gradient, j)) * (1.0 if same else -1.0)
            if label[j] == 0 and along > ALIKE:
                label[j] = patches
                count += 1
        if count == 1:
            label[i] = -1
        else:
            _mark_outermost(contacts, begin, end, patches, closest, label, distance)
    kept = begin
    for i in range(begin, end):
        if label[i] == -1:
            _move(contacts, i, kept)
            kept += 1
    return kept


warm(reduce_contacts, empty_contacts(0), 0, 0, 1.0, np.empty(0, np.int32), np.empty(0))
