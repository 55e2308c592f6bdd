"""The friction curve of (mu_s, mu_d, v_s, v_d), compiled: one for all contact methods."""

import numpy as np

from dovetail.model.friction_curve import smooth_coulomb as formula
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

smooth_coulomb = jit(formula)


@jit
def coefficients(speed, mu_s, mu_d, v_s, v_d, out):
    """out (m,) = mu at the slip speeds (m,) [m/s] of contacts with the numbers (m,)."""
    for k in range(speed.shape[0]):
        out[k] = smooth_coulomb(speed[k], mu_s[k], mu_d[k], v_s[k], v_d[k])


_f = np.zeros(0)
warm(coefficients, _f, _f, _f, _f, _f, _f)
