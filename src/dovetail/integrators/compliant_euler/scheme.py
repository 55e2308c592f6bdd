"""Time stepping with compliant contacts: stiff springs, friction, impacts, joints."""

from typing import Any, ClassVar

import numpy as np

from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.law import ContactMethod, ContactRecord, ContactReport, LawKind, no_contacts
from dovetail.contact.penalty.compliant.law import CompliantLaw
from dovetail.contact.penalty.compliant.records import N_COMPLIANT
from dovetail.contact.penalty.compliant.solve import solve_velocities
from dovetail.contact.penalty.compliant.step_kernels import (
    couple,
    end_gaps,
    point_speeds,
    total_energy,
)
from dovetail.contact.penalty.compliant.workspace import coupling, solve_workspace
from dovetail.contact.penalty.contact_rows import empty_contacts
from dovetail.errors import InputError
from dovetail.integrators.compliant_euler.impacts import ImpactSolver
from dovetail.integrators.compliant_euler.joints import CompliantJoints
from dovetail.integrators.interface import Observation, Snapshot, StepReport
from dovetail.integrators.lie_verlet.scheme import without_fixed_velocities
from dovetail.integrators.pairing import refuse_mismatch
from dovetail.integrators.shared.impulse_poses import DONE, apply_loads, drift, momenta
from dovetail.integrators.shared.snapshots import part_of, prefixed
from dovetail.integrators.stewart_trinkle.failures import pose_failure
from dovetail.integrators.stewart_trinkle.kinematic_bodies import kinematic_motion
from dovetail.linalg.block_cholesky.factor import factor_workspace, prepare, with_more_blocks
from dovetail.linalg.block_cholesky.workspace import N_BODIES
from dovetail.model.frozen import DYNAMIC, KINEMATIC, Model
from dovetail.model.values import Array
from dovetail.multibody.freedoms import body_arrays
from dovetail.multibody.loads.wrenches import position_wrenches
from dovetail.multibody.state import BodyState
from dovetail.runtime.read_only import read_only

NO_ROWS = empty_contacts(0)
NO_LAWS = read_only(np.zeros((0, N_COMPLIANT)))
TOLERANCE = 1e-10  # of the largest speed: wanted accuracy of the velocities


class CompliantEuler:
    """Semi-implicit Euler: velocities with the contact forces at the end of the step, then poses.

        u' = u + M^-1 (h f + J^T lambda(u')),   x' = x + h u',   R' = R exp(f),
    lambda that of springs, dampers and friction at the gap g + h v' (`contact.penalty.compliant`).
    Stable at any step and stiffness; a spring whose contact lasts a few steps only gives nothing
    back, so impacts with restitution are reflected before. First order; bodies that touch nothing
    and have no joints fly as under LieVerlet.
    """

    name: ClassVar[str] = "CompliantEuler"
    order: ClassVar[int] = 1
    order_alone: ClassVar[int] = 2  # of bodies that touch nothing
    takes: ClassVar[frozenset[LawKind]] = frozenset({"force"})
    takes_joints: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = True

    def __repr__(self) -> str:
        return "CompliantEuler()"

    @staticmethod
    def suits(contact: ContactMethod | None, model: Model) -> bool:
        """Whether it is the scheme for this method and model where none is named."""
        compliant: Any = getattr(contact, "is_compliant", None)
        return compliant is not None and bool(compliant(model))

    def start(self, model: Model, contact: ContactMethod | None) -> "CompliantEulerStepper":
        refuse_mismatch(self, model, contact)
        if contact is None:
            return CompliantEulerStepper(model, None)
        make: Any = getattr(contact, "prepare_compliant", None)
        if make is None:
            raise InputError(
                f"integrator CompliantEuler steps dt.contact.SDF only, got contact method "
                f"{contact.name!r}; leave `integrator` out to get one that fits it"
            )
        given: Any = contact
        if not given.is_compliant(model):
            raise InputError(
                "integrator CompliantEuler solves for contact forces, so it takes no `damping` and "
                "no `normal_force`; leave them out, or leave `integrator` out to get one that fits"
            )
        return CompliantEulerStepper(model, make(model))


class CompliantEulerStepper:
    """One run of `CompliantEuler`."""

    def __init__(self, model: Model, law: CompliantLaw | None) -> None:
        self._model, self._law = model, law
        self._arrays = body_arrays(model)
        rows = JointRows(model, with_friction=True)
        self._loads, self._motors = rows.system.loads, rows.system.motors
        self.bodies: BodyState = without_fixed_velocities(model, rows.system.initial)
        n = model.n_bodies
        self._joints = CompliantJoints(rows)
        self._moves = model.motion == DYNAMIC
        self._kinematic = np.flatnonzero(model.motion == KINEMATIC)
        self._radius = np.zeros(n) if law is None else law.bounding_radius
        self._L, self._u = np.zeros((n, 3)), np.zeros((n, 6))
        self._force, self._torque = np.zeros((n, 3)), np.zeros((n, 3))
        self._speeds, self._shift = np.zeros((n, 2)), np.zeros((n, 6))
        self._alone, self._free = np.zeros(n, np.bool_), self._moves & ~self._joints.joined(n)
        self._work = solve_workspace(n, 64, 16 + self._joints.n_pairs)
        self._work.radius[...] = _gyration(model)
        self._coupled = coupling(64, rows.count, 16 + self._joints.n_pairs)
        self._joints.set_pairs(self._coupled)
        self._factor = factor_workspace(n, len(self._coupled.pair))
        self._ordered = False
        self._impacts = ImpactSolver(model, self._arrays, rows, law)
        self._record, self._energy, self._h = no_contacts(), 0.0, 0.0
        self._pending = False  # whether the record must be made of the last contacts
        momenta(self._arrays, self.bodies.R, self.bodies.spin, self._L)
        self._motors.set_time(0.0, 0.0)
        self._joints.at(self.bodies)
        if law is not None:
            law.find(self.bodies.x, self.bodies.R, np.zeros(n))
            self._keep_initial(law)

    def _keep_initial(self, law: CompliantLaw) -> None:
        rows, m = law.contacts.rows, law.contacts.count
        bodies = np.column_stack([rows.point_body[:m], rows.field_body[:m]])
        self._record = ContactRecord(
            bodies, rows.point[:m].copy(), rows.gradient[:m].copy(), np.zeros((m, 3)),
            -rows.depth[:m],
        )  # fmt: skip

    def step(self, t_next: float) -> StepReport:
        state, law, u, n = self.bodies, self._law, self._u, self._model.n_bodies
        h = t_next - state.t
        if law is not None and self._h == 0.0:
            law.report_stiffness(h)
        self._h = h
        kinematic = None
        if len(self._kinematic):
            kinematic = kinematic_motion(self._model, self._kinematic, state, t_next)
        joints = self._joints
        if joints.any:
            self._motors.set_time(state.t, t_next)
            joints.at(state)
        self._set_wrenches()
        u[:, :3] = state.v
        u[:, 3:] = state.spin
        if kinematic is not None:
            kinematic.set_velocities(u)
        point_speeds(
            u, self._radius, self._arrays.inverse_mass, self._force, h, self._speeds
        )
        speeds = self._speeds
        largest = float((speeds[:, 0] + speeds[:, 1]).max(initial=0.0)) or 1.0
        count = 0
        if law is not None:
            count = law.find(state.x, state.R, h * (speeds[:, 0] + 2.0 * speeds[:, 1]))
        v, L = state.v, self._L
        if law is not None and count and self._impacts.any:
            mu = law.friction(state.x, u)
            if self._impacts.reflect(law, state, u, h, mu[:count], speeds[:, 1]):
                v, L = u[:, :3].copy(), self._L.copy()
                momenta(self._arrays, state.R, np.ascontiguousarray(u[:, 3:]), L)
        self._work.u[...] = u
        apply_loads(self._arrays, state.R, L, v, h, self._force, self._torque, u)
        iterations, change = 0, 0.0
        if count or joints.any:
            iterations, change = self._solve(h, count, largest)
        self._shift[...] = 0.0
        self._alone[...] = self._free
        if law is not None and count:
            rows = law.contacts.rows
            self._alone[rows.point_body[:count]] = False
            self._alone[rows.field_body[:count]] = False
            self._keep(law, h, count)
        elif law is not None:
            self._record, self._pending = no_contacts(), False
        code, body = drift(
            h, self._arrays, u, self._alone, self._loads.compiled.force, self._shift, state.x,
            state.R, state.v, state.omega, self._L,
        )  # fmt: skip
        if code != DONE:
            spin = float(np.linalg.norm(u[body, 3:]))
            raise pose_failure(self._model, code, body, spin, h, t_next)
        if kinematic is not None:
            kinematic.finish(state)
        if joints.any:
            self._motors.commit()
            iterations += joints.correct_drift(self, state, self._L)
        state.t = t_next
        return StepReport(iterations, change / largest, near=count > 0)

    def _set_wrenches(self) -> None:
        """Loads at the current state but dampers, which are rows."""
        state = self.bodies
        position_wrenches(self._loads.compiled, state.x, state.R, self._force, self._torque)
        if self._loads.functions:
            self._loads.functions.add_wrenches(state, self._force, self._torque)
        if self._joints.any:
            self._joints.add_efforts(state.R, self._force, self._torque)

    def _solve(self, h: float, count: int, largest: float) -> tuple[int, float]:
        """Velocities at the end of the step into u; returns iterations and the last change."""
        state, law, joints = self.bodies, self._law, self._joints
        mu = np.zeros(0)
        if law is not None:
            mu = law.friction(state.x, self._work.u)
        joints.set_targets(h, state.R)
        return self.solve(h, count, mu, TOLERANCE * largest)

    def solve(self, h: float, count: int, mu: Array, tolerance: float) -> tuple[int, float]:
        """Solve for `u`, given without impulses, from the iterate in the workspace."""
        state, law = self.bodies, self._law
        self._reserve(count)
        rows = NO_ROWS if law is None else law.contacts.rows
        laws = NO_LAWS if law is None else law.laws
        n = self._model.n_bodies
        while True:
            pairs, changed = couple(
                self._arrays, rows, count, self._joints.n_pairs, self._coupled
            )
            if pairs >= 0:
                break
            self._reserve_pairs()
        if changed or not self._ordered:
            self._order(n, int(pairs))
        iterations, change = solve_velocities(
            h, self._arrays, state.x, state.R, rows, count, laws, mu, self._joints.system,
            self._coupled, self._work, self._factor, self._u, tolerance,
        )  # fmt: skip
        return int(iterations), float(change)

    def _order(self, n: int, pairs: int) -> None:
        """Prepare the factor for the pairs that are coupled now."""
        self._factor.count[N_BODIES] = -1
        while not prepare(self._factor, n, self._coupled.pair, pairs):
            self._factor = with_more_blocks(self._factor)
        self._ordered = True

    def _reserve(self, count: int) -> None:
        """Capacity for `count` contacts."""
        if count <= len(self._work.scale):
            return
        self._grow(2 * count, len(self._coupled.pair))

    def _reserve_pairs(self) -> None:
        self._grow(len(self._work.scale), 2 * len(self._coupled.pair))

    def _grow(self, contacts: int, pairs: int) -> None:
        n, old, known = self._model.n_bodies, self._work, self._coupled
        self._work = solve_workspace(n, contacts, pairs)
        self._work.radius[...], self._work.u[...] = old.radius, old.u
        self._coupled = coupling(contacts, len(known.of_row), pairs)
        self._joints.set_pairs(self._coupled)
        if pairs > len(self._factor.slot):
            self._factor = factor_workspace(n, pairs)
        self._ordered = False

    def _keep(self, law: CompliantLaw, h: float, count: int) -> None:
        """The contacts of this step with gaps as they are at its end, for the record."""
        gaps = np.empty(count)
        end_gaps(h, law.contacts.rows, count, self.bodies.x, self._u, self._shift, gaps)
        self._gaps, self._pending = gaps, True
        law.warn_if_deep(gaps, self.bodies.t + h)

    def _recorded(self) -> ContactRecord:
        law = self._law
        if self._pending and law is not None:
            rows, m = law.contacts.rows, len(self._gaps)
            bodies = np.column_stack([rows.point_body[:m], rows.field_body[:m]])
            impulse = self._work.lam[:m] + self._impacts.impulses(m)
            self._record = ContactRecord(
                bodies, rows.point[:m].copy(), rows.gradient[:m].copy(), impulse / self._h,
                self._gaps,
            )  # fmt: skip
            self._energy = float(total_energy(self._h, rows, m, law.laws, self._gaps))
            self._pending = False
        return self._record

    def observe(self) -> Observation:
        report = ContactReport()
        if self._law is not None:
            record = self._recorded()
            least = float(record.gaps.min(initial=np.inf))
            if not len(record.gaps):
                least = self._law.least_gap(self.bodies.x, self.bodies.R)
            report = ContactReport(record, self._energy if len(record.gaps) else 0.0, least)
        return Observation(
            contact=report,
            constraint_position=self._joints.violation(),
            constraint_velocity=self._joints.velocity_violation(self.bodies),
            stored_energy=self._joints.spring_energy(),
        )

    def snapshot(self) -> Snapshot:
        state, record = self.bodies, self._recorded()
        arrays: Snapshot = {
            "t": np.array(state.t), "x": state.x.copy(), "R": state.R.copy(), "v": state.v.copy(),
            "omega": state.omega.copy(), "L": self._L.copy(), "h": np.array(self._h),
            "motors": self._motors.travel.copy(), "energy": np.array(self._energy),
        }  # fmt: skip
        contact = {name: array.copy() for name, array in vars(record).items()}
        return (
            arrays | prefixed("joints", self._joints.snapshot()) | prefixed("contact", contact)
        )

    def restore(self, snapshot: Snapshot) -> None:
        state = self.bodies
        state.t = float(snapshot["t"])
        for name in ("x", "R", "v", "omega"):
            getattr(state, name)[...] = snapshot[name]
        self._L[...] = snapshot["L"]
        self._h, self._energy = float(snapshot["h"]), float(snapshot["energy"])
        self._motors.travel[...] = snapshot["motors"]
        self._joints.restore(part_of(snapshot, "joints"))
        kept = {name: array.copy() for name, array in part_of(snapshot, "contact").items()}
        self._record, self._pending = ContactRecord(**kept), False
        self._motors.set_time(state.t, state.t)
        self._joints.at(state)


def _gyration(model: Model) -> Array:
    """(n,) [m] radius of gyration of dynamic bodies, which turns spins into speeds."""
    inertia = np.trace(model.inertia, axis1=1, axis2=2)
    mass = np.where(model.motion == DYNAMIC, model.mass, np.inf)
    return np.asarray(np.sqrt(np.maximum(inertia, 0.0) / 2 / mass))
