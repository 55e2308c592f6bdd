"""Which contacts hold a motion that jams, and with what force."""

import numpy as np

from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.prove.verdict import Holding
from dovetail.simulate.live.simulation import Simulation


def holding(sim: Simulation, model: Model) -> list[Holding]:
    """The pairs of bodies that press on each other, the strongest first."""
    found = []
    contacts = sim.contacts
    pairs = {(int(a), int(b)) for a, b in contacts.bodies}
    names = ["ground", *model.names]
    for a, b in sorted(pairs):
        own = (contacts.bodies[:, 0] == a) & (contacts.bodies[:, 1] == b)
        forces = contacts.forces[own]
        strength = np.linalg.norm(forces, axis=1)
        if not strength.sum() > 0.0:
            continue
        point = (strength[:, None] * contacts.points[own]).sum(axis=0) / strength.sum()
        net = forces.sum(axis=0)
        found.append(Holding((names[a + 1], names[b + 1]), triple(net), triple(point)))
    return sorted(found, key=lambda one: -one.strength)


def triple(x: Array) -> tuple[float, float, float]:
    a, b, c = (float(value) for value in x)
    return a, b, c
