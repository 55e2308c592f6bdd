"""Which bodies may collide.

One of them is dynamic, they have no common group, no joint connects them, nobody excluded them.
Links without mass count as part of the joint.
"""

import numpy as np

from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.massless import connected_through_links
from dovetail.runtime.records import Int64Array


def connected_pairs(model: Model) -> Int64Array:
    """(k,) i n + j of the bodies i < j that a joint connects or that are excluded, ascending.

    n is the number of bodies.
    """
    pairs = [sorted((placed.body_a, placed.body_b)) for placed in model.joints]
    pairs += [list(pair) for pair in model.excluded]
    pairs += [[i, j] for i, j in connected_through_links(model.bodies, model.joints)]
    return np.unique(np.array([i * model.n_bodies + j for i, j in pairs if i >= 0], np.int64))


class BodyPairs:
    """Pairs of the bodies of a model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._connected = set(connected_pairs(model).tolist())

    def may_collide(self, i: int, j: int) -> bool:
        model = self._model
        if model.motion[i] != DYNAMIC and model.motion[j] != DYNAMIC:
            return False
        group = model.bodies[i].group
        if group is not None and group == model.bodies[j].group:
            return False
        return min(i, j) * model.n_bodies + max(i, j) not in self._connected
