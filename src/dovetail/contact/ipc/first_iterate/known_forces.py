"""Forces of contacts, found again by their features when contacts are collected again."""

from dovetail.contact.ipc.barrier.stiffness import find_pair
from dovetail.linalg.vec3 import store3
from dovetail.runtime.jit import jit_in_place

NOT_KNOWN = -1


@jit_in_place
def from_axes(contacts, r):
    """The force of a contact in world axes, from that along its axes."""
    force, axes = contacts.force, contacts.axes
    return (
        force[r, 0] * axes[r, 0] + force[r, 1] * axes[r, 3] + force[r, 2] * axes[r, 6],
        force[r, 0] * axes[r, 1] + force[r, 1] * axes[r, 4] + force[r, 2] * axes[r, 7],
        force[r, 0] * axes[r, 2] + force[r, 1] * axes[r, 5] + force[r, 2] * axes[r, 8],
    )


@jit_in_place
def keep_forces(contacts):
    """Remember the forces of the contacts."""
    known = contacts.known
    for r in range(contacts.count[0]):
        for k in range(2):
            known.bodies[r, k] = contacts.bodies[r, k]
        for k in range(4):
            known.features[r, k] = contacts.features[r, k]
        store3(known.force, r, from_axes(contacts, r))
    known.count[0] = contacts.count[0]


@jit_in_place
def _find(known, bodies, features, r):
    """The number of contact r among those known, or NOT_KNOWN."""
    a, b, n = bodies[r, 0], bodies[r, 1], known.count[0]
    k = find_pair(known.bodies, n, a, b)
    if k < 0:
        return NOT_KNOWN
    while k > 0 and known.bodies[k - 1, 0] == a and known.bodies[k - 1, 1] == b:
        k -= 1
    while k < n and known.bodies[k, 0] == a and known.bodies[k, 1] == b:
        same = True
        for c in range(4):
            same = same and known.features[k, c] == features[r, c]
        if same:
            return k
        k += 1
    return NOT_KNOWN


@jit_in_place
def recall_forces(contacts):
    """Forces by features; zero where not known.

    Afterwards the axes of contacts are those of the world, until they are linearised.
    """
    known, axes, force = contacts.known, contacts.axes, contacts.force
    for r in range(contacts.count[0]):
        k = _find(known, contacts.bodies, contacts.features, r)
        for c in range(9):
            axes[r, c] = 1.0 if c % 4 == 0 else 0.0
        for c in range(3):
            force[r, c] = known.force[k, c] if k != NOT_KNOWN else 0.0
