"""How long bodies have been at rest, in compiled code."""

import math

import numpy as np

from dovetail.linalg.vec3 import norm
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm

REST = 1e-3  # of what loads add to the speed in a step
RESTING = 4.0  # times sqrt(radius / acceleration)
MIN_STEPS = 20
SAME_LOAD = 1e-9  # of a load: less is no change


@jit_in_place
def count_rest(u, loads, inverse_mass, radius, may, asleep, h, still, steps, ready):
    """After a step of h [s]: the time (n,) [s] and the steps (n,) at rest; whether any is ready.

    u (n, 6) are velocities, loads (n, 6) forces [N] and torques; `may` (n,) sleep at all.
    """
    some = False
    for i in range(still.shape[0]):
        speed = norm((u[i, 0], u[i, 1], u[i, 2])) + radius[i] * norm((u[i, 3], u[i, 4], u[i, 5]))
        gained = h * norm((
            loads[i, 0] * inverse_mass[i, 0],
            loads[i, 1] * inverse_mass[i, 1],
            loads[i, 2] * inverse_mass[i, 2],
        ))  # fmt: skip
        if may[i] and not asleep[i] and speed <= REST * gained:
            still[i] += h
            steps[i] += 1
            acceleration = max(gained / h, 1e-300)
            ready[i] = steps[i] >= MIN_STEPS and still[i] >= RESTING * math.sqrt(
                radius[i] / acceleration
            )
        else:
            still[i], steps[i], ready[i] = 0.0, 0, False
        some = some or ready[i]
    return some


@jit_in_place
def loads_changed(loads, before, asleep, changed):
    """Mark (n,) sleeping bodies whose loads (n, 6) are not those of `before`; whether any is."""
    some = False
    for i in range(asleep.shape[0]):
        changed[i] = False
        if asleep[i]:
            change, largest = 0.0, 0.0
            for k in range(6):
                change = max(change, abs(loads[i, k] - before[i, k]))
                largest = max(largest, abs(before[i, k]))
            changed[i] = change > SAME_LOAD * largest
            some = some or changed[i]
    return some


_f, _u, _flags = np.zeros(0), np.zeros((0, 6)), np.zeros(0, np.bool_)
warm(
    count_rest, _u, _u, np.zeros((0, 3)), _f, _flags, _flags, 0.0, _f, np.zeros(0, np.int64), _flags
)
warm(loads_changed, _u, _u, _flags, _flags)
