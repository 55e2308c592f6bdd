"""The only time loop: events, step control, recording, checkpoints."""

import sys
from types import ModuleType
from typing import Any

from dovetail.simulate.events import Event
from dovetail.simulate.live.simulation import Simulation
from dovetail.simulate.run import simulate
from dovetail.simulate.step_control import LargeAndSmallSteps, StepControl, StepFromError

__all__ = [
    "Event",
    "LargeAndSmallSteps",
    "Simulation",
    "StepControl",
    "StepFromError",
    "simulate",
]


class _CallableModule(ModuleType):
    """`dovetail.simulate` names both this layer and its function: calling either one runs."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return simulate(*arguments, **options)


sys.modules[__name__].__class__ = _CallableModule
