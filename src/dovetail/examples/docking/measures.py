"""What the paper shows of the docking: figs. 12, 13 and 14 from a result."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.examples.docking.parts import LATCH, TIP
from dovetail.examples.docking.scene import LATCHES
from dovetail.results import Result
from dovetail.simulate import Event

Array = NDArray[np.float64]
SHALLOW = 0.005  # of a latch's diagonal: what divides the two kinds of fig. 14
LATCH_DIAGONAL = float(np.linalg.norm(LATCH))  # [m]
OPEN = 1e-3  # [m] by which a latch must have been pushed out to count as open


def ring_distance(result: Result) -> Array:
    """(frames,) [m] along the axis between the rings, 0 where they just touch (fig. 12)."""
    return np.asarray(_origin(result, "passive vehicle") - _origin(result, "active ring"))


def _origin(result: Result, name: str) -> Array:
    """(frames,) x [m] of the origin of a body's shape, which the scene places at x = 0 mated."""
    centre = np.asarray(result.scene.bodies[name].checked.centre, dtype=float)
    return np.asarray(result.position(name)[:, 0] - result.rotation(name)[:, 0] @ centre)


def latch_travel(result: Result) -> Array:
    """(frames, 3) [m] by which each latch has slid outward."""
    ring = result.position("active ring")
    out = [np.linalg.norm((result.position(name) - ring)[:, 1:], axis=1) for name in LATCHES]
    travel = np.stack(out, axis=1)
    return np.asarray(travel - travel[0])


def latching_time(result: Result) -> float:
    """[s] when the last latch fell back behind its striker; nan if one never opened."""
    opened = latch_travel(result) > OPEN
    if not opened.any(axis=0).all():
        return float("nan")
    last = max(int(np.flatnonzero(column)[-1]) for column in opened.T)
    return float(result.time[min(last + 1, len(result.time) - 1)])


def latched_event(terminal: bool = True) -> Event:
    """The moment when the last open latch falls back behind its striker.

    A study of many approaches need not go on from there: the run ends, unless not `terminal`.
    """

    def furthest(t: float, state: Any) -> float:
        ring = state.position("active ring")[1:]
        radii = [float(np.linalg.norm(state.position(name)[1:] - ring)) for name in LATCHES]
        return max(radii) - (TIP + 0.5 * LATCH[1]) - OPEN

    return Event("latched", furthest, direction=-1, terminal=terminal)


def contact_kinds(result: Result) -> tuple[Array, Array]:
    """(frames,) numbers of contact points shallower than `SHALLOW`, and of the others (fig. 14)."""
    limit = SHALLOW * LATCH_DIAGONAL
    frame, contacts = result.contacts.all()
    deep = np.bincount(frame[-contacts.gaps >= limit], minlength=len(result.time)).astype(float)
    return np.asarray(result.contacts.count - deep), deep


def shallow_share(result: Result) -> float:
    """Share of all contact points of all frames that are shallower than `SHALLOW`."""
    shallow, deep = contact_kinds(result)
    return float(shallow.sum() / max(shallow.sum() + deep.sum(), 1.0))


def momentum_drift(result: Result) -> float:
    """Largest change of the linear momentum, relative to it."""
    momentum = result.momentum["linear"]
    return float(np.abs(momentum - momentum[0]).max() / np.linalg.norm(momentum[0]))
