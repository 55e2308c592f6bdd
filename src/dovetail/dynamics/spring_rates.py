"""How fast springs swing: what limits the step of a scheme that takes their force as it was."""

import numpy as np

from dovetail.kernels.body_arrays import BodyArrays
from dovetail.kernels.load_wrenches import CompiledLoads
from dovetail.model.frozen import Model
from dovetail.model.loads import SpringDamper


def stiffest_spring(model: Model, bodies: BodyArrays, loads: CompiledLoads) -> tuple[str, float]:
    """Name and rate [rad/s] of the spring that by itself swings fastest; ("", 0) without any.

    w^2 = k (1/m_a + 1/m_b), with the mass along the axis that moves least easily: turning the
    bodies, and further springs on them, only make it faster.
    """
    names = [placed.name for placed in model.loads if isinstance(placed.load, SpringDamper)]
    if not names:
        return "", 0.0
    ease = np.append(bodies.inverse_mass.min(axis=1), 0.0)  # the last one is the ground's
    squares = loads.spring_values[:, 0] * ease[loads.spring_bodies].sum(axis=1)
    stiffest = int(np.argmax(squares))
    return names[stiffest], float(np.sqrt(squares[stiffest]))
