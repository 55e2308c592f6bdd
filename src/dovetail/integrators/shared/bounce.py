"""Restitution of intersection-free contact: impacts at velocity level after the step's poses.

The barrier stops what closes within a step, so poses are free of intersections; how fast bodies
part is decided here and leaves the poses alone. Of every cluster of touching bodies in which some
contact closes or opens faster than loads explain, the velocities become those that bodies would
have without contact at the end of the step, reflected: contacts that close are stopped and e of
their impulse is repeated, generation by generation, with friction and joints (`contact.impulse.
restitution`). So the displacement by the barrier is no velocity. Slower contacts do not bounce and
their clusters keep the velocities of the step.
"""

import numpy as np

from dovetail.contact.ipc.friction.coefficients import FrictionLaws
from dovetail.integrators.shared.impact_energy import (
    StepBegin,
    go_back_to_impacts,
    reflect_within_energy,
)
from dovetail.integrators.shared.impact_problem import ImpactProblem
from dovetail.integrators.shared.impulse_poses import apply_loads, momenta
from dovetail.integrators.shared.potential_solver import PotentialSolver
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState

HELD = 1.5  # times what loads add in a step: what contact changes at rest, with a margin


class Bounce:
    """The impacts of one run."""

    def __init__(self, model: Model, restitution: float | None, friction: FrictionLaws) -> None:
        self._impacts = ImpactProblem(model, restitution, friction)
        self._v, self._L = np.zeros((2, model.n_bodies, 3))
        none = np.zeros((model.n_bodies, 6))
        self._begun = StepBegin(0.0, none[:, :3], np.zeros((model.n_bodies, 3, 3)), none)

    def begin(self, state: BodyState) -> None:
        """Keep the motion before the step."""
        self._v, self._L = state.v.copy(), np.zeros_like(state.v)
        u = np.concatenate((state.v, state.spin), axis=1)
        self._begun = StepBegin(0.0, state.x.copy(), state.R.copy(), u)
        momenta(self._impacts.arrays, state.R, state.spin, self._L)

    def end(
        self,
        state: BodyState,
        solver: PotentialSolver,
        h: float,
        slowest: float,
        motor_rates: Array | None,
    ) -> None:
        """Velocities after the impacts of the step that led to `state`.

        Approaches slower than `slowest` [m/s] besides what loads add do not bounce.
        """
        impacts, (force, torque) = self._impacts, solver.loads
        u = np.concatenate((state.v, state.spin), axis=1)
        apply_loads(impacts.arrays, state.R, self._L, self._v, h, force, torque, u)
        if not self._struck(state, u, solver.radius, force, h, slowest):
            return
        rows = solver.contact_rows()
        if not len(rows):
            return
        impacts.take(rows, state, u, h, motor_rates)
        slow = impacts.slow(force, h, slowest)
        fast = np.abs(impacts.rates(u)) > slow
        cluster, e = impacts.clusters(), impacts.restitution
        hit = impacts.struck(cluster, fast & ~np.isnan(e))
        if not len(hit):
            return
        begun, struck = self._begun._replace(h=h), fast & (impacts.rates(u) < 0.0)
        go_back_to_impacts(impacts, begun, state, u, struck, cluster)
        # What was fast only by the loads of the rest of the step rests where the barrier holds it.
        struck &= np.abs(impacts.rates(u)) > slow
        hit = impacts.struck(cluster, struck & ~np.isnan(e))
        if not len(hit):
            return
        changed = np.isin(cluster, hit) & impacts.moves
        reflect_within_energy(
            impacts, begun, state, u, slow, impacts.contacts_in(cluster, hit), changed, force,
            torque,
        )  # fmt: skip
        spin = u[changed, 3:]
        state.v[changed] = u[changed, :3]
        state.omega[changed] = np.einsum("nji,nj->ni", state.R[changed], spin)
        solver.set_spin(changed, spin)

    def _struck(
        self, state: BodyState, u: Array, radius: Array, force: Array, h: float, slowest: float
    ) -> bool:
        """Whether contact changed the velocity of any body by more than it takes to hold it.

        u (n, 6) are the velocities without contact. What is at rest gets h force / m back.
        """
        impacts = self._impacts
        change = np.linalg.norm(state.v - u[:, :3], axis=1)
        change += radius * np.linalg.norm(state.spin - u[:, 3:], axis=1)
        held = h * np.linalg.norm(force * impacts.arrays.inverse_mass, axis=1)
        return bool((change > HELD * held + slowest)[impacts.moves].any())
