"""The bodies of a model as the potential sees them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.geometry.contact_features import ContactFeatures
from dovetail.kernels.read_only import read_only
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.shapes import HalfSpace
from dovetail.model.values import Array, shown


@dataclass(frozen=True, eq=False)
class IpcBodies:
    """Mass, second moment, freedoms and surfaces of n bodies."""

    names: tuple[str, ...]
    mass: Array  # (n,) [kg]
    J: Array  # (n, 3, 3) [kg m^2] tr(I)/2 1 - I
    free: NDArray[np.bool_]  # (n, 6) which components of the twist can move
    features: list[ContactFeatures]
    may_touch: set[tuple[int, int]]

    @property
    def count(self) -> int:
        return len(self.names)

    def levers(self, k: int, R: Array) -> Array:
        """(n_vertices, 3) [m] from the centre of body k, world axes."""
        return np.ascontiguousarray(self.features[k].surface.vertices @ R[k].T)

    def arrays(self, k: int, R: Array) -> tuple[Any, ...]:
        """Body k as the kernels of `contact_pairs` take it."""
        surface = self.features[k].surface
        return (
            read_only(self.levers(k, R)),
            read_only(surface.edges, np.int32),
            read_only(surface.faces, np.int32),
            read_only(surface.wires, np.int32),
            read_only(surface.points, np.int32),
        )


def ipc_bodies(model: Model) -> IpcBodies:
    """Take over the bodies of a model; half-spaces and kinematic bodies are refused as yet."""
    for body in model.bodies:
        if isinstance(body.shape, HalfSpace) or body.motion == "kinematic":
            raise InputError(
                f"body {shown(body.name)} must be static or dynamic and not a HalfSpace for this "
                "step; use a box as the floor"
            )
    moves = model.motion == DYNAMIC
    inertia = model.inertia
    trace = np.trace(inertia, axis1=1, axis2=2)
    J = trace[:, None, None] / 2 * np.eye(3) - inertia
    linked = {frozenset((joint.body_a, joint.body_b)) for joint in model.joints}
    groups = [body.group for body in model.bodies]
    may_touch = {
        (i, j)
        for j in range(model.n_bodies)
        for i in range(j)
        if (moves[i] or moves[j])
        and not (groups[i] is not None and groups[i] == groups[j])
        and frozenset((i, j)) not in linked
    }
    return IpcBodies(
        model.names,
        model.mass,
        np.where(moves[:, None, None], J, 0.0),
        moves[:, None] & ~model.fixed,
        [ContactFeatures(body.surface) for body in model.bodies],
        may_touch,
    )
