"""Records of the impact law."""

from typing import Literal, NamedTuple

import numpy as np

from dovetail.runtime.records import FloatArray

Hypothesis = Literal["poisson", "newton"]
HYPOTHESES = ("poisson", "newton")

SAME_TIME = 1e-7  # of the smaller body: contacts this near to touching meet at the same time
BOUNCE = 2.0  # times what loads add in a step: slower approaches do not bounce


class ImpactContacts(NamedTuple):
    """What the impact law knows of the m contacts of an impulse problem, (m,) each."""

    gap: FloatArray  # [m]
    touching: FloatArray  # [m] gaps up to this count as closed
    restitution: FloatArray  # e, 0 to 1
    slow: FloatArray  # [m/s] approaches up to this do not bounce: e = 0


class Impacts(NamedTuple):
    """What impacts did."""

    impulses: FloatArray  # (rows,) [N s], empty without impacts
    iterations: int
    time: FloatArray  # (n,) [s] of the first impact of each body within the horizon, inf: none


def no_impacts(n: int) -> Impacts:
    """Of n bodies."""
    return Impacts(np.zeros(0), 0, np.full(n, np.inf))
