"""Forces and torques of gravity and all loads on every body, and their potential energy."""

from functools import lru_cache

import numpy as np

from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array
from dovetail.multibody.loads import wrenches as loads_wrenches
from dovetail.multibody.loads.compiled import compile_loads
from dovetail.multibody.loads.functions import FunctionLoads
from dovetail.multibody.state import BodyState


class LoadForces:
    """The loads of one model, prepared once.

    `compiled` holds gravity, constant forces and springs as arrays; `functions` the rest, with
    `motors` those of joints that follow the state.
    """

    def __init__(self, model: Model, motors: bool = False) -> None:
        self.compiled = compile_loads(model)
        self.functions = FunctionLoads(model, motors)
        self._counts = model.motion == DYNAMIC
        self._spin = np.zeros((model.n_bodies, 3))

    def wrenches(self, state: BodyState) -> tuple[Array, Array]:
        """Force [N] and torque [N m] about each centre of mass, world axes, (n, 3) each."""
        force, torque = self.compiled_wrenches(state)
        self.functions.add_wrenches(state, force, torque)
        return force, torque

    def undamped_wrenches(self, state: BodyState) -> tuple[Array, Array]:
        """As `wrenches`, without the dampers of springs."""
        force, torque = np.empty_like(state.x), np.empty_like(state.x)
        loads_wrenches.position_wrenches(self.compiled, state.x, state.R, force, torque)
        self.functions.add_wrenches(state, force, torque)
        return force, torque

    def compiled_wrenches(self, state: BodyState) -> tuple[Array, Array]:
        """As `wrenches`, without the functions."""
        force, torque = np.empty_like(state.x), np.empty_like(state.x)
        loads_wrenches.wrenches(
            self.compiled, state.x, state.R, state.v, state.omega, self._spin, force, torque
        )
        return force, torque

    def potential_energy(self, state: BodyState) -> float:
        """V = -sum m g.x - sum f.p + sum k (|d| - rest)^2 / 2 [J].

        Gravity and constant world forces f at their points p count on dynamic bodies, springs
        always. Constant torques, forces that rotate with a body, dampers and functions have no
        potential; the work they do shows as a change of the total energy.
        """
        return float(loads_wrenches.potential_energy(self.compiled, self._counts, state.x, state.R))


@lru_cache(maxsize=8)
def load_forces(model: Model) -> LoadForces:
    """The prepared loads of `model`, kept for the next call."""
    return LoadForces(model)
