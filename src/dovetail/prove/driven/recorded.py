"""What the record of a driven run says: values of joints, frames, the least distance."""

from math import inf

import numpy as np

from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.prove.driven.holding import triple
from dovetail.prove.motion.sweeps import Coordinate
from dovetail.prove.verdict import Motion
from dovetail.results import Result
from dovetail.verifier.certificate import Certificate
from dovetail.verifier.overlaps import Overlap
from dovetail.verifier.path_search import PathFinding
from dovetail.verifier.recorded_states import Crossing

FRAMES = 61  # kept for pictures


def times_of(certificate: Certificate, overlap: Overlap) -> tuple[float, float]:
    """[s] from the first to the last time that the two bodies of an overlap were found to meet."""
    where: list[PathFinding | Crossing] = [*certificate.paths, *certificate.states.crossings]
    pair = {overlap.body_a, overlap.body_b}
    found = [one.time for one in where if {one.body_a, one.body_b} == pair]
    return min([overlap.first, *found]), max([overlap.time, *found])


def motion_of(result: Result, values: Array, driver: str) -> Motion:
    """At most FRAMES of the run, the last among them."""
    frames = np.unique(np.linspace(0, len(result.time) - 1, FRAMES).astype(int))
    places = np.stack([result.position(name)[frames] for name in result.names], axis=1)
    turns = np.stack([result.rotation(name)[frames] for name in result.names], axis=1)
    return Motion(driver, values[frames], places, turns, result.min_distance[frames])


def history_of(result: Result, model: Model, one: Coordinate) -> Array:
    values = np.asarray(result.joint(model.joints[one.joint].name).position, float)
    return values.reshape(len(result.time), -1)[:, 0]


def least_recorded(
    result: Result,
) -> tuple[float, tuple[str, str] | None, float, tuple[float, float, float] | None]:
    """Least recorded distance [m], between which bodies, when and where."""
    frames, contacts = result.contacts.all()
    least = result.min_distance
    lowest = float(np.nanmin(least)) if np.isfinite(least).any() else inf
    when = float(result.time[int(np.nanargmin(least))]) if np.isfinite(least).any() else 0.0
    if not len(frames):
        return lowest, None, when, None
    k = int(np.argmin(contacts.gaps))
    names = ["ground", *result.names]
    a, b = (int(n) + 1 for n in contacts.bodies[k])
    gap = min(lowest, float(contacts.gaps[k]))
    return gap, (names[a], names[b]), float(result.time[frames[k]]), triple(contacts.points[k])
