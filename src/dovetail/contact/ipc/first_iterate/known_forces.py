"""Normal forces of the linearised contacts from move to move, by pairs of features."""

from dovetail.contact.ipc.first_iterate.records import NORMAL
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def keep_forces(contacts):
    """Know the forces of all contacts."""
    known, n = contacts.known, contacts.count[0]
    for r in range(n):
        known.force[r] = contacts.force[r, NORMAL]
        for k in range(2):
            known.bodies[r, k] = contacts.bodies[r, k]
        for k in range(3):
            known.features[r, k] = contacts.features[r, k]
    known.count[0] = n


@jit_in_place
def take_forces(contacts):
    """The known force of each contact, 0 where there is none; both in order of their bodies."""
    known, force, bodies, features = (
        contacts.known, contacts.force, contacts.bodies, contacts.features,
    )  # fmt: skip
    first, n = 0, known.count[0]
    for r in range(contacts.count[0]):
        a, b = bodies[r, 0], bodies[r, 1]
        force[r, NORMAL] = 0.0
        while first < n and (
            known.bodies[first, 0] < a
            or (known.bodies[first, 0] == a and known.bodies[first, 1] < b)
        ):
            first += 1
        k = first
        while k < n and known.bodies[k, 0] == a and known.bodies[k, 1] == b:
            if (
                known.features[k, 0] == features[r, 0]
                and known.features[k, 1] == features[r, 1]
                and known.features[k, 2] == features[r, 2]
            ):
                force[r, NORMAL] = known.force[k]
                break
            k += 1
