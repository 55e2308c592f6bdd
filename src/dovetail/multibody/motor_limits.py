"""Which motors are at their limit of effort, in compiled code: asked before every step."""

import numpy as np

from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm


@jit
def cut_at_limits(values, rates, place, effort, pull, stiffness, damping, limit, cut):
    """Whether |effort + pull - k q - c v| >= limit for any of k motors.

    `cut` (k,) becomes that effort, within its limit, of those, nan of others. `place` (k,) is where
    q and v are in `values` and `rates`.
    """
    some = False
    for r in range(effort.shape[0]):
        acting = effort[r] + pull[r] - damping[r] * rates[place[r]]
        if stiffness[r] > 0.0:
            acting -= stiffness[r] * values[place[r]]
        acting, cut[r] = min(max(acting, -limit[r]), limit[r]), np.nan
        if abs(acting) >= limit[r]:
            cut[r], some = acting, True
    return some


_some = np.zeros(0)
warm(cut_at_limits, _some, _some, np.zeros(0, np.int64), *(_some,) * 6)
