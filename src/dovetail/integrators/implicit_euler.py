"""Implicit Euler on the group: the step for bodies kept apart by a potential."""

from functools import partial
from typing import ClassVar

import numpy as np

from dovetail.contact.ipc.law import IpcPotential
from dovetail.contact.ipc.model_bodies import ipc_bodies
from dovetail.contact.law import ContactMethod, ContactReport, LawKind
from dovetail.errors import RunError
from dovetail.integrators.interface import JointValues, Observation, Snapshot, StepReport
from dovetail.integrators.lie_verlet.scheme import without_fixed_velocities
from dovetail.integrators.pairing import prepared_law
from dovetail.integrators.shared.bounce import Bounce
from dovetail.integrators.shared.driven_bodies import DrivenBodies
from dovetail.integrators.shared.hopeless_steps import refuse_hopeless
from dovetail.integrators.shared.ipc_steps import IpcSteps
from dovetail.integrators.shared.load_derivatives import LoadDerivatives
from dovetail.integrators.shared.mechanism_steps import MechanismSteps
from dovetail.integrators.shared.observed_joints import contact_wrenches
from dovetail.integrators.shared.potential_joints import PotentialJoints
from dovetail.integrators.shared.potential_solver import SolvedStep
from dovetail.integrators.shared.potential_stepper import PotentialStepper
from dovetail.integrators.shared.snapshots import of_bodies, part_of, prefixed, restore_bodies
from dovetail.integrators.shared.substeps import Substeps
from dovetail.integrators.shared.two_steps import TwoSteps
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.inputs import BodyInputs, Inputs
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.state import BodyState, initial_state
from dovetail.runtime.options import named_parameters


@named_parameters
class ImplicitEuler:
    """One Newton solve per step for the poses at its end, stable for forces of any stiffness.

    x_1 minimises m/2 |x - x^|^2 + 1/2 tr((R - R^) J (R - R^)^T) + h^2 (potential), with
    x^ = x_0 + h v + h^2 f/m and R^ = R_0 + h R' (Ferguson et al. 2021, eqs. 7-9). First order: spin
    decays, by h^2 omega^2 of itself in a step, but that of round shapes, which roll. What flies and
    mechanisms without contact and bodies that slide or roll on each other step by second order
    where their motion is smooth (`contact.ipc.newton.flight`, `two_step`). Loads act as
    they will be at its end, to first order: the positive part of their stiffness and damping is in
    the potential (see `load_derivatives`).
    """

    name: ClassVar[str] = "ImplicitEuler"
    order: ClassVar[int] = 1
    order_alone: ClassVar[int] = 2  # of bodies in flight, see `contact.ipc.newton.flight`
    takes: ClassVar[frozenset[LawKind]] = frozenset({"potential"})
    takes_joints: ClassVar[bool] = True
    takes_couplings: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = False
    leaves_waypoints: ClassVar[bool] = True

    def __repr__(self) -> str:
        return "ImplicitEuler()"

    def start(
        self, model: Model, contact: ContactMethod | None
    ) -> "ImplicitEulerStepper | PotentialStepper":
        law = prepared_law(self, model, contact)
        if law is None or isinstance(law, IpcPotential):
            return ImplicitEulerStepper(model, law)
        return PotentialStepper(model, law)


class ImplicitEulerStepper:
    """One run of `ImplicitEuler`."""

    def __init__(self, model: Model, law: IpcPotential | None) -> None:
        self._model, self._law = model, law
        self._loads = LoadForces(model, motors=True)
        self._constant = _are_constant(self._loads)
        self._state = state = without_fixed_velocities(model, initial_state(model))
        self._joints: PotentialJoints | None = None
        if model.joints:
            self._joints = PotentialJoints(model, ipc_bodies(model, touching=False), state)
            self._joints.fit_velocities()
        rows = None if self._joints is None else self._joints.arrays
        self._derivatives = LoadDerivatives(model, self._loads)
        self._solver = IpcSteps(model, law, state, rows)
        self._solver.set_loads(*self._loads.undamped_wrenches(state))
        self._springs = self._solver.springs(self._loads.compiled)
        two = self._solver.solver.two_step
        self._two = TwoSteps(model, two, self._loads, self._joints, touch=law is not None)
        self._inputs = BodyInputs(self._loads.compiled)
        self._driven = DrivenBodies(model, self._solver.radius, self._solver.near)
        self._substeps = Substeps(self, self._advance, self._refuse_to_divide)
        self._bounce: Bounce | None = None
        if law is not None and law.bounces:
            self._bounce = Bounce(model, law.restitution, law.laws, law.barrier.dmin)
        self._mechanisms = self._made_mechanisms()
        self._is_observed = False  # whether the last part of the step has set what is observed

    def _made_mechanisms(self) -> MechanismSteps | None:
        """Steps in few compiled calls, where nothing in the scene needs more."""
        joints, bounce = self._joints, self._bounce
        if joints is None or not joints.plain or not self._constant or len(self._driven.numbers):
            return None
        if bounce is not None and bounce.elastic:
            return None
        return MechanismSteps(self._state, self._solver, joints, bounce)

    @property
    def bodies(self) -> BodyState:
        return self._state

    def step(self, t_next: float) -> StepReport:
        if self._joints is None:
            return self._substeps.step(t_next)
        mechanisms = self._mechanisms
        if mechanisms is not None and mechanisms.ready:
            mechanisms.begins()
        else:
            self._joints.begin_step()
        report = self._substeps.step(t_next)
        if not self._is_observed:
            self._joints.observe_end()
        return report

    @property
    def observed(self) -> BodyState:
        """See `interface.Observed`."""
        seen = None if self._joints is None else self._joints.observed
        return self._state if seen is None else seen.state

    def _advance(self, t_next: float) -> StepReport:
        state, solver, joints = self._state, self._solver, self._joints
        t_before, h = state.t, t_next - state.t
        self._is_observed = False
        if self._mechanisms is not None and self._mechanisms.ready:
            return self._advance_mechanisms(self._mechanisms, h, t_next)
        driven = self._driven if len(self._driven.numbers) else None
        if driven is not None:
            driven.set_targets(state, t_next, solver.targets)
        if self._two:
            self._two.choose(h)
        if not self._constant:
            self._set_loads(h)
        if joints is not None:
            joints.set_time(t_next, 0.0 if self._law is None else solver.near)
        if self._bounce is not None:
            self._bounce.begin(state)
        solved = solver.step(h, t_next, partial(self._refused, h))
        state.t = t_next
        self._two.commit()
        if driven is not None and self._law is not None:
            driven.warn_held_back(state, t_before, solver.bodies_in_contact)
        if self._bounce is not None and solved.awake:
            self._bounce.end(state, solver, h, solved.tolerance, joints)
        if joints is not None:
            joints.end_step(t_next, solver.bodies_in_contact)
        return _report(solved)

    def _advance_mechanisms(
        self, mechanisms: MechanismSteps, h: float, t_next: float
    ) -> StepReport:  # fmt: skip
        """As `_advance`, in few compiled calls."""
        state, joints = self._state, self._joints
        solved, self._is_observed = mechanisms.step(h, t_next)
        if not self._is_observed and joints is not None:  # contact may have stopped a body
            if self._bounce is not None:
                self._bounce.end(state, self._solver, h, solved.tolerance, joints)
            joints.end_step(t_next, self._solver.bodies_in_contact)
        return _report(solved)

    def _refuse_to_divide(self, h: float, failure: RunError) -> None:
        """Raise RunError for a step of h [s] that turns a jointed body too far, and has failed."""
        if self._joints is not None:
            force, torque = self._loads.undamped_wrenches(self._state)
            refuse_hopeless(self._model, self._state, self._joints, (force, torque), h, failure)

    def _refused(self, h: float) -> None:
        """A mechanism has to make the step of h [s] by implicit Euler alone."""
        if not self._constant:
            self._set_loads(h)

    def _set_loads(self, h: float) -> None:
        """Loads of the step of h [s] that begins now, as h^2 K + h C of its displacements.

        Forces are those at no velocity, as far as they damp: that is in the potential, and so is
        how springs change.
        """
        state, solver = self._state, self._solver
        if self._two:
            self._two.set_weights(h)
        force, torque = self._loads.undamped_wrenches(state)
        constant, two = np.zeros((len(force), 6)), self._two
        if self._springs:
            constant = self._springs.begin_euler(state, h, two)
        known = self._derivatives.at(state, h) if self._derivatives else None
        wrench = np.concatenate((force, torque), axis=1)
        if two:  # extrapolated, so without springs
            wrench, constant = wrench + constant / (h * h), np.zeros_like(constant)
        wrench, matrix = two.loads(state, h, wrench, known)
        if self._springs or self._derivatives:
            solver.set_load_terms(matrix, constant)
        solver.set_loads(wrench[:, :3], wrench[:, 3:])

    def waypoints(self) -> tuple[Array, Array]:
        """Poses (k, n, 3), (k, n, 3, 3) between start and end of the last step.

        None where the direct path of all bodies from one to the other is free of contacts.
        """
        return self._substeps.waypoints()

    def waypoints_of_substep(self) -> tuple[Array, Array]:
        return self._solver.waypoints()

    def is_path_collision_free(self, x: Array, R: Array) -> bool:
        """Whether the direct path from poses (n, 3), (n, 3, 3) to the current ones is free."""
        return self._solver.is_path_collision_free(x, R)

    def set_inputs(self, inputs: Inputs, carried: bool = False) -> None:
        if self._inputs.changes(inputs):
            self._inputs.set(inputs)
            self._solver.set_loads(*self._loads.undamped_wrenches(self._state))
        if self._joints is not None:
            self._joints.set_inputs(inputs)

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        own = self._state
        without_fixed_velocities(self._model, state)
        state.copy_to(own)
        own.t = state.t
        self._two.forget()
        self._solver.set_spin(np.ones(self._model.n_bodies, np.bool_), state.spin)
        self._solver.set_loads(*self._loads.undamped_wrenches(own))
        if self._joints is not None:
            self._joints.set_state(coordinates)
            self._joints.fit_velocities()
            self._solver.set_spin(np.ones(self._model.n_bodies, np.bool_), own.spin)

    def contacts_of_substep(self) -> ContactReport:
        if self._law is None:
            return ContactReport()
        report = self._solver.report()
        return report if self._bounce is None else self._bounce.report(report)

    def observe(self) -> Observation:
        report, behind = ContactReport(), None
        if self._law is not None:
            behind = self._driven.behind(self._state) if self._driven.numbers else None
            report = self._substeps.contacts()
        if self._joints is None:
            return Observation(contact=report, behind=behind)
        position, velocity, energy = self._joints.violation()
        return Observation(
            contact=report,
            constraint_position=position,
            constraint_velocity=velocity,
            stored_energy=energy,
            joint_wrenches=self._joint_wrenches,
            behind=behind,
        )

    def _joint_wrenches(self) -> tuple[Array, Array]:
        joints = self._joints
        assert joints is not None
        force, torque = self._loads.undamped_wrenches(self._state)
        if self._law is not None:
            contact = contact_wrenches(self._substeps.contacts().contacts, self._state.x)
            force, torque = force + contact[0], torque + contact[1]
        found = joints.wrenches(force, torque)
        self._loads.functions.add_joint_wrenches(self._state, *found)
        return found

    def snapshot(self) -> Snapshot:
        state = self._state
        joints = {} if self._joints is None else self._joints.snapshot()
        return {
            **of_bodies(state), **self._solver.snapshot(), **prefixed("joints", joints),
            **prefixed("impacts", {} if self._bounce is None else self._bounce.snapshot()),
            "part": np.array(self._substeps.part), **prefixed("two", self._two.snapshot()),
            **self._loads.functions.snapshot(),
        }  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        state = self._state
        restore_bodies(state, snapshot)
        self._solver.restore(snapshot)
        self._substeps.part = float(snapshot["part"])
        self._loads.functions.restore(snapshot)
        self._two.restore(part_of(snapshot, "two"))
        if self._bounce is not None:
            self._bounce.restore(part_of(snapshot, "impacts"))
        if self._joints is not None:
            self._joints.restore(part_of(snapshot, "joints"))


def _report(solved: SolvedStep) -> StepReport:
    return StepReport(
        solved.iterations, solved.speed, creep=solved.creep, settled=solved.settled,
        near=solved.contacts > 0,
    )  # fmt: skip


def _are_constant(loads: LoadForces) -> bool:
    """Whether forces and torques are the same at every state."""
    compiled = loads.compiled
    rotating = np.any(compiled.body_force) or np.any(compiled.body_torque)
    springs = len(compiled.point_body) or len(compiled.spring_values)
    return not (loads.functions or rotating or springs)
