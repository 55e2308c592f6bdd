"""Assemblies with a known verdict: eight families, half of them with a clash between samples.

Every assembly has a place where a small rib of one part passes a small post of another at a signed
gap that is known exactly, by construction: along the axis of a rotation, across a translation, or
on the radius of a rotation from a vertex to a face. gap > 0: free, its least clearance is at most
the gap. gap < 0: the two cross by that much, within a motion so short that SAMPLES evenly spaced
positions of the driven joint miss it.
"""

import numpy as np
from assembly_shapes import SAMPLES, signed_gap
from linked_assemblies import bayonet, cam, four_bar, gears, thread
from simple_assemblies import hinge, latch, slide

__all__ = ["FAMILIES", "SAMPLES", "assemblies"]

FAMILIES = (hinge, latch, gears, thread, slide, bayonet, cam, four_bar)


def assemblies(count, seed=0):
    """`count` of them, the families in turn; every second one has a clash."""
    for k in range(count):
        rng = np.random.default_rng((seed, k))
        family = FAMILIES[k % len(FAMILIES)]
        gap = signed_gap(rng, (k + k // len(FAMILIES)) % 2 == 1)
        made = family(rng, gap)
        made.name = f"{made.name} {k}"
        yield made
