"""A tree of bodies ready for the kernels, and where each joint finds its coordinates."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.multibody.topology import Topology
from dovetail.multibody.tree.records import TreeArrays, TreeWorkspace, workspace_for

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Tree:
    """Bodies and tree joints in label order; cut joints are left to loop closures.

    A tree joint's coordinates measure its second body against its first as given, whichever of
    the two is the parent; a ball and a free motion measure the child against the parent.
    """

    topology: Topology
    arrays: TreeArrays
    body_frames: Array
    """(n_bodies + 1, 3, 3) user's body axes in the tree's body frame, by label."""

    @property
    def n_bodies(self) -> int:
        return self.arrays.parent.size - 1

    @property
    def n_q(self) -> int:
        return int(self.arrays.q_start[-1])

    @property
    def n_v(self) -> int:
        return int(self.arrays.v_start[-1])

    def workspace(self) -> TreeWorkspace:
        """Working arrays; one set per thread, reused between calls."""
        return workspace_for(self.n_bodies, self.n_v)

    def q_of(self, joint: int) -> slice:
        """Where joint number `joint` has its coordinates in q."""
        return self._range(self.arrays.q_start, joint)

    def v_of(self, joint: int) -> slice:
        """Where joint number `joint` has its velocities in v."""
        return self._range(self.arrays.v_start, joint)

    def _range(self, start: NDArray[np.int64], joint: int) -> slice:
        label = self.topology.joint_labels[joint - 1]
        if label > self.n_bodies:
            raise InputError(
                f"joint {joint} must be a joint of the tree to have coordinates, but it is cut"
            )
        return slice(int(start[label]), int(start[label + 1]))

    def checked_q(self, q: object) -> Array:
        """q as a float array of the right length."""
        return _vector(q, self.n_q, "q")

    def checked_v(self, v: object, name: str = "v") -> Array:
        """v, accelerations or efforts as a float array of the right length."""
        return _vector(v, self.n_v, name)


def _vector(values: object, size: int, name: str) -> Array:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.shape != (size,):
        raise InputError(f"`{name}` must have shape ({size},), got {array.shape}")
    return array
