"""Newton's second law between recorded frames, checked from what the result says."""

import numpy as np

from dovetail.errors import InputError
from dovetail.model.values import Array
from dovetail.results.result import Result


def impulse_defect(result: Result) -> Array:
    """(frames - 1, 3) [kg m/s]: p_1 - p_0 - h (weight + outer contact forces at t_1).

    Zero to the solver's tolerance for implicit Euler with every step recorded, where nothing but
    gravity and contacts acts and no single direction of a body is held. Contacts between two
    dynamic bodies are inner forces and cancel.
    """
    motion = result.stored.header.motion
    moves = np.array([kind == "dynamic" for kind in motion])
    if any(result.scene.bodies[name].checked.fixed != (False,) * 6 for name in result.names):
        raise InputError("the balance of impulses needs bodies that are free or wholly held")
    weight = float(result.stored.header.mass[moves].sum()) * result.stored.header.gravity
    outer = np.zeros((len(result.time), 3))
    for frame in np.flatnonzero(result.contacts.count).tolist():
        contacts = result.contacts.at(frame)
        on_a, on_b = moves[contacts.bodies[:, 0]], moves[contacts.bodies[:, 1]]
        ground = contacts.bodies < 0
        on_a, on_b = on_a & ~ground[:, 0], on_b & ~ground[:, 1]
        outer[frame] = contacts.forces[on_a & ~on_b].sum(axis=0)
        outer[frame] -= contacts.forces[on_b & ~on_a].sum(axis=0)
    h = np.diff(result.time)[:, None]
    change = np.diff(result.momentum["linear"], axis=0)
    return np.asarray(change - h * (weight + outer[1:]))
