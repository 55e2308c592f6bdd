"""The graph of bodies and joints: cut joints, regular labels, loops.

Source: Qi, Huang, Shao 2009, "Dynamic assembly of the topology of closed-loop multibody systems
and its automatic regular labelling". Where its print contradicts itself, see
`dovetail.multibody.topology.connectivity`.
"""

from dovetail.multibody.topology.analyse import analyse
from dovetail.multibody.topology.connectivity import (
    analyse_by_connectivity_matrix,
    connectivity_history,
)
from dovetail.multibody.topology.drawing import draw_text
from dovetail.multibody.topology.structure import Loop, Topology

__all__ = [
    "Loop",
    "Topology",
    "analyse",
    "analyse_by_connectivity_matrix",
    "connectivity_history",
    "draw_text",
]
