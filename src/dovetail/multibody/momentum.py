"""Linear and angular momentum of a state."""

import numpy as np

from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState


def linear_momentum(model: Model, state: BodyState) -> Array:
    """P = sum m v [N s], (3,), of the dynamic bodies only."""
    moves = model.motion == DYNAMIC
    return np.asarray(model.mass[moves] @ state.v[moves])


def angular_momentum(model: Model, state: BodyState) -> Array:
    """L = sum x x m v + R J omega [N m s], (3,), about the world origin; dynamic bodies only."""
    moves = model.motion == DYNAMIC
    spin = np.einsum("njk,nk->nj", model.inertia[moves], state.omega[moves])
    own = np.einsum("nij,nj->i", state.R[moves], spin)
    # x x p summed over the bodies: T_ij = sum x_i p_j holds all six products.
    tensor = state.x[moves].T @ (model.mass[moves, None] * state.v[moves])
    twice = tensor - tensor.T
    return np.asarray(own + np.array([twice[1, 2], twice[2, 0], twice[0, 1]]))
