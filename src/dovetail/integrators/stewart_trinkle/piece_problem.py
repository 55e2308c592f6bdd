"""The state of a run of `StewartTrinkle`, and the rows of a piece of a step: joints, contacts."""

from typing import Any

import numpy as np

from dovetail.contact.impact.records import Hypothesis
from dovetail.contact.impulse.friction import friction_coefficients
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.law import LcpLaw
from dovetail.contact.impulse.position_correction import OverlapCorrection
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ContactSet, no_contact_set
from dovetail.contact.impulse.solver import ContactSolver, ImpulseSolver
from dovetail.contact.impulse.warm_start import WarmStart
from dovetail.contact.law import RowImpulseLaw
from dovetail.integrators.shared.impulse_poses import momenta
from dovetail.integrators.shared.observed_joints import ObservedJoints
from dovetail.integrators.stewart_trinkle.contact_kernels import friction_at_slip
from dovetail.integrators.stewart_trinkle.jointed_steps import JointedSteps
from dovetail.integrators.stewart_trinkle.kinematic_bodies import KinematicMotion, kinematic_motion
from dovetail.integrators.stewart_trinkle.piece_kernels import (
    begin,
    bundle_piece,
    finish_loads,
    set_reach,
    set_rows,
)
from dovetail.integrators.stewart_trinkle.prepare_kernels import (
    LISTED,
    LOADS_CHANGED,
    prepare_piece,
)
from dovetail.integrators.stewart_trinkle.quiet_kernels import bundle_quiet
from dovetail.integrators.stewart_trinkle.sleeping import Sleeping
from dovetail.integrators.stewart_trinkle.touched_steps import TouchedSteps
from dovetail.model.frozen import DYNAMIC, KINEMATIC, Model
from dovetail.model.values import Array
from dovetail.multibody.freedoms import body_arrays
from dovetail.multibody.inputs import BodyInputs
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray

TOLERANCE = 1e-8  # of the largest speed: wanted residual of the laws of contacts and joints


class PieceProblem:
    """The bodies now, what acts on them, and the impulse problem of the piece that begins.

    The law finds the contacts of a step with their materials and provides the solver for the
    impulses; nothing else is asked of it.
    """

    def __init__(self, model: Model, law: RowImpulseLaw | None) -> None:
        self._model, self._law = model, law
        self._arrays = body_arrays(model)
        self._joints = JointRows(model, with_friction=True)
        self._joints.solve_friction()
        system = self._joints.system
        self._loads, self._motors = system.loads, system.motors
        self._inputs = BodyInputs(self._loads.compiled)
        self.bodies: BodyState = system.initial
        n = model.n_bodies
        self._problem = ImpulseProblem(self._arrays, self._joints)
        self._solver: ImpulseSolver = (
            ContactSolver(self._problem) if law is None else law.solver(self._problem)
        )
        self._contacts, self._warm_start = no_contact_set(), WarmStart()
        self._hypothesis: Hypothesis = getattr(law, "hypothesis", "poisson")
        self._overlaps = OverlapCorrection()
        self._all_loads = np.zeros((n, 6))  # forces and torques, those of sleeping bodies too
        self._sleeps = bool(getattr(law, "sleeps", False))
        self._solver_tolerance: float | None = getattr(self._solver, "tolerance", None)
        self._warned = False
        self._kinematic = np.flatnonzero(model.motion == KINEMATIC)
        self._moves = model.motion == DYNAMIC
        self._radius = np.zeros(n) if law is None else law.bounding_radius
        self._radius = np.where(np.isfinite(self._radius), self._radius, 0.0)
        self._L, self._u = np.zeros((n, 3)), np.zeros((n, 6))
        self._force, self._torque = np.zeros((n, 3)), np.zeros((n, 3))
        self._joint_force = np.zeros(self._joints.count)
        self._loaded, self._displacement = np.zeros((n, 6)), np.zeros(n)
        self._least, self._motion = np.zeros(n), np.zeros((n, 6))
        self._nobody, self._awake = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        self._in_joint = np.zeros(n, np.bool_)
        jointed = self._joints.bodies[self._joints.which].ravel()
        self._in_joint[jointed[jointed >= 0]] = True
        self._single = self._moves & ~self._in_joint
        self._sleeping = Sleeping(self._single, self._radius)
        self._problem.softness, self._problem.bound = self._joints.softness, self._joints.bound
        state = self.bodies
        self._piece: Any = bundle_piece(
            self._arrays, self._loads.compiled, state.x, state.R, state.v, state.omega, self._L,
            self._u, self._loaded, self._motion, self._force, self._torque, self._all_loads,
            self._radius, self._displacement, self._least, self._sleeping.asleep, self._awake,
        )  # fmt: skip
        momenta(self._arrays, self.bodies.R, self.bodies.spin, self._L)
        self._stop_fixed_directions()
        self._motors.set_time(0.0, 0.0)
        self._joints.at(self.bodies.x, self.bodies.R)
        self._jointed: JointedSteps | None = None
        if self._joints.count and isinstance(self._solver, ContactSolver):
            self._jointed = JointedSteps(
                self._problem, self._joints, self._joint_force, state.R, TOLERANCE,
                self._solver_tolerance,
            )  # fmt: skip
        self._ended = False  # whether the last piece is that of its step, and all of it is done
        self._plain = not self._loads.functions and not len(self._kinematic)
        self._observed: ObservedJoints | None = None
        if model.joints:
            self._observed = ObservedJoints(model, system, self.bodies)
            self._observed.start(self._joints.angle)
        self._quiet: Any = self._quiet_arrays()
        self._touched: TouchedSteps | None = None
        if self._jointed is not None and isinstance(law, LcpLaw):
            facets = self._solver.facets if isinstance(self._solver, ContactSolver) else 0
            self._touched = TouchedSteps(self._jointed, self._problem, self._joints, facets)
        if law is not None:
            self._record_initial_contacts(law)

    def _quiet_arrays(self) -> Any:
        """What `quiet_kernels.quiet_step` needs, None where steps are made of more than that."""
        joints, sleeping, jointed = self._joints, self._sleeping, self._jointed
        if not self._plain or jointed is None or not jointed.single or self._observed is None:
            return None
        if not isinstance(self._law, LcpLaw) or len(joints.system.rows.term_row):
            return None
        return bundle_quiet(
            self._single, np.zeros_like(self._single), np.zeros(len(joints.phi)),
            self._single if self._sleeps else self._nobody, sleeping.still, sleeping.steps,
            sleeping.ready,
        )  # fmt: skip

    def _stop_fixed_directions(self) -> None:
        """No velocity along fixed directions."""
        state, arrays = self.bodies, self._arrays
        for i in np.flatnonzero(self._moves):
            state.v[i, arrays.inverse_mass[i] == 0.0] = 0.0
            if self._model.fixed[i, 3:].any():
                spin = state.R[i] @ state.omega[i]
                spin[self._model.fixed[i, 3:]] = 0.0
                state.omega[i] = state.R[i].T @ spin

    def _record_initial_contacts(self, law: RowImpulseLaw) -> None:
        x, R = self.bodies.x, self.bodies.R
        self._contacts = law.find_contacts(x, R, np.zeros(self._model.n_bodies))
        self._overlaps.begin(self._contacts)
        self._set_velocities()
        self._problem.set_contacts(x, R, self._u, self._contacts.points)
        self._warm_start.update(self._contacts, self._problem, x, R, 1.0)

    def _set_velocities(self) -> None:
        """u of the current state."""
        self._u[:, :3] = self.bodies.v
        self._u[:, 3:] = self.bodies.spin

    def _set_time(self, t_end: float) -> KinematicMotion:
        """Motors, loads, joints and velocities of a piece from now to t_end."""
        state = self.bodies
        kinematic = kinematic_motion(self._model, self._kinematic, state, t_end)
        self._motors.set_time(state.t, t_end)
        sleeping, h, law = self._sleeping, t_end - state.t, self._law
        if self._plain and isinstance(law, LcpLaw):
            self._prepare(law, h)
        else:
            self._set_wrenches()
            kinematic.set_velocities(self._u)
            if sleeping.wake_by_loads(self._all_loads, self._warm_start):
                self._restore_loads()
            self._set_rows(h)
        while sleeping.wake_by_contacts(
            self._contacts, self._problem, self._loaded, h, self._warm_start
        ):
            self._restore_loads()
            self._set_rows(h)
        return kinematic

    def _prepare(self, law: LcpLaw, h: float) -> None:
        """The same in one call where the bodies and their loads are plain."""
        problem, sleeping = self._problem, self._sleeping
        count = prepare_piece(
            self._piece, self._joints.arrays, problem.arrays, law.detection, sleeping.loads,
            sleeping.changed, h,
        )  # fmt: skip
        if count >= 0:
            self._contacts = law.contacts_found(count)
            problem.begin_rows(self.bodies.R, count)
            return
        if count == LISTED:
            self._contacts = law.with_listed_pairs(self.bodies.x, self.bodies.R)
            rows = problem.begin_rows(self.bodies.R, self._contacts.count)
            set_rows(self._piece, rows, self._contacts.points)
            return
        if count == LOADS_CHANGED and sleeping.wake_by_loads(self._all_loads, self._warm_start):
            self._restore_loads()
        self._set_rows(h)

    def _restore_loads(self) -> None:
        """The loads of bodies that are awake."""
        awake = ~self._sleeping.asleep
        self._force[awake], self._torque[awake] = (
            self._all_loads[awake, :3],
            self._all_loads[awake, 3:],
        )

    def _set_rows(self, h: float) -> None:
        """The rows of joints and of the contacts within reach of h [s]."""
        state, problem = self.bodies, self._problem
        if self._law is not None:
            awake = self._awake if set_reach(self._piece, h) else None
            self._contacts = self._find(state.x, state.R, self._displacement, awake)
        rows = problem.begin_rows(state.R, self._contacts.count)
        set_rows(self._piece, rows, self._contacts.points)

    def _find(self, x: Array, R: Array, displacement: Array, awake: BoolArray | None) -> ContactSet:
        """The contacts of bodies that are awake, or move by themselves."""
        law = self._law
        assert law is not None
        if isinstance(law, LcpLaw):
            return law.find_contacts(x, R, displacement, awake, self._motion)
        return law.find_contacts(x, R, displacement)

    def _set_wrenches(self) -> None:
        """Velocities, rows of joints, and loads at the current state but dampers, which are rows.

        The loads of sleeping bodies do not act.
        """
        joints = self._joints.arrays
        begin(self._piece, joints)
        if self._loads.functions:
            self._loads.functions.add_wrenches(self.bodies, self._force, self._torque)
        finish_loads(self._piece, joints)

    def _friction(self, u: Array) -> Array:
        """(contacts,) mu at the slip in u (n, 6)."""
        contacts, problem = self._contacts, self._problem
        if contacts.curves:
            return friction_coefficients(contacts, problem, u)
        mu = np.empty(contacts.count)
        friction_at_slip(problem.arrays, contacts.materials, u, mu)
        return mu
