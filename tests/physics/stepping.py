"""Stepping a scene without the time loop."""

import numpy as np

from dovetail.integrators import LieVerlet


def start(scene, scheme=None):
    """The frozen model of `scene` and a stepper at its initial state."""
    model = scene.build()
    return model, (scheme or LieVerlet()).start(model, None)


def advance(stepper, step, count):
    """`count` equal steps from the current time; negative steps go back."""
    t0 = stepper.bodies.t
    for k in range(1, count + 1):
        stepper.step(t0 + k * step)
    return stepper.bodies


def at_time(scene, duration, count, scheme=None):
    """The state after `count` steps to `duration`."""
    return advance(start(scene, scheme)[1], duration / count, count)


def observed_orders(error_of, counts):
    """log2 of the ratios of errors when the number of steps doubles."""
    errors = np.array([error_of(n) for n in counts])
    return np.log2(errors[:-1] / errors[1:])
