"""A case under one of the package's contact methods."""

import warnings
from time import process_time
from typing import Any

import numpy as np

from dovetail.contact import IPC, LCP, SDF
from dovetail.results import Result
from dovetail.simulate import simulate
from dovetail.validation.agreement.case import Array, Case, Outcome

METHODS: dict[str, Any] = {"IPC": IPC, "SDF": SDF, "LCP": LCP}


def run(case: Case, method: str) -> Outcome:
    """The second of two runs, so that no compilation is counted."""
    law = METHODS[method](friction=case.friction, restitution=case.restitution)
    scene = case.build()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        simulate(scene, 2 * case.step, case.step, contact=law, progress=False)
        began = process_time()
        result = simulate(scene, case.duration, case.step, contact=law, progress=False)
    used = process_time() - began
    moving = [name for name, body in scene.bodies.items() if body.motion != "static"]
    return Outcome(
        result.time,
        {name: result.position(name) for name in moving},
        {name: result.velocity(name) for name in moving},
        {name: result.angular_velocity(name) for name in moving},
        result.energy["total"],
        {pair: net_force(result, *pair) for pair in case.pairs},
        used / (len(result.time) - 1),
    )


def net_force(result: Result, first: str, second: str) -> Array:
    """(n, 3) [N] the net contact force of body `first` on body `second` in every frame."""
    i, j = result.names.index(first), result.names.index(second)
    frames, contacts = result.contacts.all()
    total = np.zeros((len(result.time), 3))
    for one, other, sign in ((j, i, 1.0), (i, j, -1.0)):
        mine = (contacts.bodies[:, 0] == one) & (contacts.bodies[:, 1] == other)
        np.add.at(total, frames[mine], sign * contacts.forces[mine])
    return total
