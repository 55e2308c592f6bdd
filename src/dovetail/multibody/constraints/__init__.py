"""Joints as constraint rows between bodies in maximal coordinates."""

from dovetail.multibody.constraints.actuation_rows import refuse
from dovetail.multibody.constraints.system import ConstrainedSystem

__all__ = ["ConstrainedSystem", "refuse"]
