"""The records of the intersection-free step for a few bodies, as tests drive its kernels."""

import numpy as np

from dovetail.contact.ipc.barrier.stiffness import DHAT
from dovetail.contact.ipc.candidates.distances import update_distances
from dovetail.contact.ipc.candidates.records import bundle_lists
from dovetail.contact.ipc.model_bodies import ipc_bodies
from dovetail.contact.ipc.records import Poses, bundle_bodies
from dovetail.contact.ipc.workspace import bundle_workspace, make_lists, make_workspace


class IpcArrays:
    """Bodies, candidate lists and workspace of a model; `parts` are their bundles."""

    def __init__(self, model, candidates=1 << 14, pairs=64, loads=None, springs=None):
        self.model, self.bodies = model, ipc_bodies(model)
        self.lists = make_lists(self.bodies, pairs, candidates)
        self.workspace = make_workspace(
            self.bodies, pairs, candidates, 4, 64, loads=loads, springs=springs
        )
        self.parts = (
            bundle_bodies(self.bodies), bundle_lists(*self.lists), bundle_workspace(*self.workspace)
        )  # fmt: skip

    def set_barriers(self, dhat, stiffness):
        """Barriers of all pairs of bodies: dhat [m], `stiffness` [J], the first body's times more.

        Before anything is measured.
        """
        n, memory = len(self.bodies.mass), self.lists.memory
        pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
        memory.n_pairs[0], memory.pairs[: len(pairs)] = len(pairs), pairs
        memory.values[: len(pairs)] = [(dhat, stiffness * (1 + a)) for a, _ in pairs]
        self.lists.scales.values[DHAT] = dhat

    @property
    def counters(self):
        return self.lists.counters[0]

    def measure(self, x, R, reach, dhat, path_length=0.0):
        """Lists and distances at a pose; returns the least squared distance [m^2]."""
        self.workspace.path_length[...] = path_length
        fits, least = update_distances(*self.parts, Poses(x, R), reach, dhat)
        assert fits
        return least

    @property
    def pairs(self):
        """(k, 2) bodies of the pairs in use."""
        return self.lists.pairs[self.counters.active_buffer, : self.counters.n_pairs]

    @property
    def candidates(self):
        """(c, 4) rows in use."""
        active, count = self.counters.active_buffer, self.counters.n_pairs
        return self.lists.rows[active, : self.lists.start[active, count]]

    @property
    def squared(self):
        """(c,) [m^2] squared distances measured last."""
        return self.workspace.squared[: len(self.candidates)]

    @property
    def listed_displacement(self):
        """(p, 3) [m] between the bodies of each pair when its list was made."""
        return self.lists.displacement[self.counters.active_buffer]


def identities(n):
    return np.tile(np.eye(3), (n, 1, 1))
