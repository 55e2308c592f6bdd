"""Two spacecraft dock: a ring on six legs, three latches.

Zhang, You and Liu 2024, section 4.3, figs. 11-14. The numbers of their table 1 are in
`docking.parameters`; their geometry is not published, so the mechanism is generated here: the
active ring's front edge meets a cone of the passive ring, and three latches, each on a prismatic
joint with a spring, hook behind three strikers. `docking_scene(Docking(gap=..., offset=...))`
builds variants.
"""

from typing import Any

import numpy as np

from dovetail.contact import SDF
from dovetail.examples.docking.approach import approach
from dovetail.examples.docking.measures import (
    latched_event,
    latching_time,
    momentum_drift,
    ring_distance,
    shallow_share,
)
from dovetail.examples.docking.parameters import Docking
from dovetail.examples.docking.scene import docking_scene
from dovetail.integrators import RATTLie
from dovetail.model import Scene
from dovetail.results import Result

__all__ = [
    "DESCRIPTION",
    "RUN",
    "Docking",
    "approach",
    "build",
    "check",
    "contact",
    "docking_scene",
    "final_check",
    "latched_event",
]

DESCRIPTION = "Two spacecraft dock: a ring on six legs catches a vehicle with three latches"


def contact(study: Docking) -> SDF:
    """Linear springs without damping (n = 1, chi = 0) and smooth Coulomb friction."""
    return SDF(friction=study.friction, exponent=1.0, damping=0.0)


RUN: dict[str, Any] = {
    "duration": 8.0,
    "step": 1e-4,
    "every": 50,
    "contact": contact(Docking()),
    "integrator": RATTLie(),
}


def build(aside: float = 0.0, above: float = 0.0, light: bool = False) -> Scene:
    """The paper's study, or one that comes in `aside` and `above` [m] of the axis.

    `light`: its last millimetres only, made for many runs (see `docking.approach`).
    """
    return docking_scene(approach(aside, above) if light else Docking(offset=(aside, above)))


def final_check(result: Result) -> None:
    """What the paper shows, for its own study."""
    check(result, Docking())


def check(result: Result, study: Docking) -> None:
    """Latched when the rings meet, then together at the common velocity; momentum kept."""
    meeting = study.gap / study.speed
    assert abs(latching_time(result) - meeting) < 0.15, latching_time(result)
    late = result.time > meeting + 0.2
    assert np.abs(ring_distance(result)[late]).max() < 1.2e-3
    for name in ("active vehicle", "passive vehicle"):
        left = result.velocity(name)[:, 0] - study.common_velocity
        last = result.time > result.time[-1] - 0.3
        assert abs(left[last].mean()) < 0.05 * study.speed, (name, left[last].mean())
        assert np.abs(left[last]).max() < 0.75 * np.abs(left[late]).max(), name
    assert shallow_share(result) > 0.7
    assert momentum_drift(result) < 1e-9
