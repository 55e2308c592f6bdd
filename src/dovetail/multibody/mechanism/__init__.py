"""A scene's joints as a tree with closed loops, assembled and driven."""

from dovetail.multibody.mechanism import driving
from dovetail.multibody.mechanism.assembly import Assembled, assemble, assembled
from dovetail.multibody.mechanism.exact_links import exact_mechanism
from dovetail.multibody.mechanism.mechanism import Equation, Mechanism

__all__ = [
    "Assembled",
    "Equation",
    "Mechanism",
    "assemble",
    "assembled",
    "driving",
    "exact_mechanism",
]
