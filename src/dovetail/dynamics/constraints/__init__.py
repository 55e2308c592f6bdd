"""Joints as constraint rows between bodies in maximal coordinates."""

from dovetail.dynamics.constraints.actuation_rows import refuse_friction
from dovetail.dynamics.constraints.system import ConstrainedSystem

__all__ = ["ConstrainedSystem", "refuse_friction"]
