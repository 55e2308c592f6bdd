"""Whether contact stopped a body within a step."""

import numpy as np

from dovetail.multibody.body_arrays import NO_BODIES
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

HELD = 1.5  # times what loads add in a step: what contact changes at rest, with a margin


@jit
def contact_stops(dynamic, inverse_mass, radius, v_0, omega_0, v, omega, force, h, slowest):
    """Whether contact may have changed a velocity by more than it takes to hold a body.

    What is at rest gets h force / m; what is turned by torques or by itself may be counted too.
    """
    for i in range(dynamic.shape[0]):
        if not dynamic[i]:
            continue
        change, turned, held = 0.0, 0.0, 0.0
        for k in range(3):
            added = h * inverse_mass[i, k] * force[i, k]
            change += (v[i, k] - v_0[i, k] - added) ** 2
            turned += (omega[i, k] - omega_0[i, k]) ** 2
            held += added * added
        if change**0.5 + radius[i] * turned**0.5 > HELD * held**0.5 + slowest:
            return True
    return False


_n, _v = np.zeros(0), np.zeros((0, 3))
warm(
    contact_stops, NO_BODIES.dynamic, NO_BODIES.inverse_mass, _n, _v, _v, _v, _v, _v, 0.0, 0.0
)  # fmt: skip
