"""Kinetic and potential energy of a state."""

import numpy as np

from dovetail.model.frozen import DYNAMIC, Model
from dovetail.multibody.loads.forces import load_forces
from dovetail.multibody.state import BodyState


def kinetic_energy(model: Model, state: BodyState) -> float:
    """T = sum m v.v / 2 + omega.J omega / 2 [J] of the dynamic bodies only."""
    moves = model.motion == DYNAMIC
    mass, inertia = model.mass[moves], model.inertia[moves]
    v, omega = state.v[moves], state.omega[moves]
    translation = np.einsum("n,ni,ni->", mass, v, v)
    rotation = np.einsum("ni,nij,nj->", omega, inertia, omega)
    return 0.5 * float(translation + rotation)


def potential_energy(model: Model, state: BodyState) -> float:
    """V [J] of gravity, constant world forces and springs; see `LoadForces.potential_energy`."""
    return load_forces(model).potential_energy(state)
