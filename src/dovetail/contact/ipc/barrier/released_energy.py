"""Barriers after an impact: they give back no energy that the impact law has given already.

A barrier that stopped a body has taken up its kinetic energy. Where the impact law decides how
bodies part, that energy must not come back besides. At a given gap and stiffness a smaller dhat
only removes energy, so dhat of a pair becomes that with which its energy is what it was before the
step; 0 where it did not act then: its gap. It grows again as the pair opens (`barrier.stiffness`).
"""

from typing import Any

import numpy as np

from dovetail.contact.ipc.barrier.function import log_barrier
from dovetail.contact.ipc.barrier.stiffness import BISECTIONS
from dovetail.contact.ipc.report import BODY_A, BODY_B, ENERGY, GAP
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray


def release_energy(
    pairs: dict[str, Any], before: Array, now: Array, bodies: BoolArray, dmin: float
) -> bool:
    """Lower dhat of known `pairs` (`IpcSolver.pairs_snapshot`) of `bodies` (n,) bool.

    `before` and `now` are contacts (see `ipc.report`) before and after. Whether there was any.
    """
    changed = False
    for k, (a, b) in enumerate(pairs["pairs"].tolist()):
        if not (bodies[a] or bodies[b]):
            continue
        ours, dhat = _of_pair(now, a, b), float(pairs["values"][k, 0])
        energy, allowed = ours[:, ENERGY].sum(), _of_pair(before, a, b)[:, ENERGY].sum()
        if energy > allowed:
            pairs["values"][k, 0] = _dhat_with_energy(ours, dhat, float(allowed), dmin)
            changed = True
    return changed


def _of_pair(rows: Array, a: int, b: int) -> Array:
    first, second = rows[:, BODY_A], rows[:, BODY_B]
    return rows[((first == a) & (second == b)) | ((first == b) & (second == a))]


def _dhat_with_energy(rows: Array, dhat: float, allowed: float, dmin: float) -> float:
    """The dhat [m] below `dhat` with which the contacts have the energy that is allowed."""
    gaps = rows[:, GAP]
    least = float(gaps.min()) - dmin
    if not allowed > 0.0:
        return least
    values = np.array([log_barrier(gap * gap, dmin, dhat)[0] for gap in gaps])
    weights = np.divide(rows[:, ENERGY], values, out=np.zeros(len(rows)), where=values > 0.0)
    low, high = least, dhat
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        energies = [log_barrier(gap * gap, dmin, middle)[0] for gap in gaps]
        if float(weights @ np.array(energies)) > allowed:
            high = middle
        else:
            low = middle
    return low
