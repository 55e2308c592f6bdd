"""The only time loop: events, step control, recording, checkpoints."""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dovetail.simulate.events import Event
from dovetail.simulate.live.simulation import Simulation
from dovetail.simulate.run import simulate
from dovetail.simulate.step_control import LargeAndSmallSteps, StepControl, StepFromError

if TYPE_CHECKING:
    from dovetail.simulate.live.rollout import Rollouts, rollout

__all__ = [
    "Event",
    "LargeAndSmallSteps",
    "Rollouts",
    "Simulation",
    "StepControl",
    "StepFromError",
    "rollout",
    "simulate",
]


def __getattr__(name: str) -> Any:
    """Rollouts come with kinematics of trees, which not every run needs."""
    if name in ("Rollouts", "rollout"):
        from dovetail.simulate.live import rollout as module

        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _CallableModule(ModuleType):
    """`dovetail.simulate` names both this layer and its function: calling either one runs."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return simulate(*arguments, **options)


sys.modules[__name__].__class__ = _CallableModule
