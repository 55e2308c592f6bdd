"""Mechanisms: a scene's joints as a tree with closed loops, assembled and driven."""

from dovetail.dynamics.mechanism import driving
from dovetail.dynamics.mechanism.assembly import Assembled, assemble, assembled
from dovetail.dynamics.mechanism.mechanism import Equation, Mechanism

__all__ = ["Assembled", "Equation", "Mechanism", "assemble", "assembled", "driving"]
