"""Linear and angular momentum of a state."""

import numpy as np

from dovetail.dynamics.state import BodyState
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array


def linear_momentum(model: Model, state: BodyState) -> Array:
    """P = sum m v [N s], (3,), of the dynamic bodies only."""
    moves = model.motion == DYNAMIC
    return np.asarray(model.mass[moves] @ state.v[moves])


def angular_momentum(model: Model, state: BodyState) -> Array:
    """L = sum x x m v + R J omega [N m s], (3,), about the world origin; dynamic bodies only."""
    moves = model.motion == DYNAMIC
    own = np.einsum(
        "nij,njk,nk->i", state.R[moves], model.inertia[moves], state.omega[moves], optimize=True
    )
    orbital = np.cross(state.x[moves], model.mass[moves, None] * state.v[moves]).sum(axis=0)
    return np.asarray(own + orbital)
