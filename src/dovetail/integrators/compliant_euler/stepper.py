"""One run of `CompliantEuler`: a step in pieces that end at impacts, joints, observations."""

import numpy as np

from dovetail.collision.field_contacts.rows import empty_contacts
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.law import ContactRecord, ContactReport
from dovetail.contact.penalty.compliant.law import CompliantLaw
from dovetail.contact.penalty.compliant.step_kernels import end_gaps
from dovetail.contact.penalty.compliant.workspace import solve_workspace
from dovetail.integrators.compliant_euler.elastic_energies import ElasticEnergies
from dovetail.integrators.compliant_euler.impacts import ImpactSolver
from dovetail.integrators.compliant_euler.joints import CompliantJoints
from dovetail.integrators.compliant_euler.kernels import (
    MOVES_FARTHER,
    NEEDS_ORDER,
    NEEDS_PAIRS,
    NO_LAWS,
    BodyMotion,
    begin_step,
    bound_speeds,
    bundle_parts,
    finish_step,
)
from dovetail.integrators.compliant_euler.step_contacts import StepContacts, piece_record
from dovetail.integrators.interface import JointValues, Observation, Snapshot, StepReport
from dovetail.integrators.lie_verlet.scheme import without_fixed_velocities
from dovetail.integrators.shared.impulse_poses import DONE, momenta
from dovetail.integrators.shared.observed_joints import ObservedJoints, RowForces
from dovetail.integrators.shared.search_again import MAX_SEARCHES
from dovetail.integrators.shared.snapshots import of_bodies, part_of, prefixed, restore_bodies
from dovetail.integrators.stewart_trinkle.failures import pose_failure
from dovetail.integrators.stewart_trinkle.kinematic_bodies import KinematicMotion, kinematic_motion
from dovetail.linalg.block_cholesky.factor import factor_workspace, prepare, with_more_blocks
from dovetail.linalg.block_cholesky.workspace import N_BODIES
from dovetail.model.frozen import DYNAMIC, KINEMATIC, Model
from dovetail.model.values import Array
from dovetail.multibody.freedoms import body_arrays
from dovetail.multibody.inputs import BodyInputs, Inputs
from dovetail.multibody.state import BodyState

NO_ROWS = empty_contacts(0)
MAX_PIECES = 20  # of a step
MAX_ROUNDS = 4  # of impacts at one time, each with the contacts that the last one brings in reach
SHORTEST = 1e-6  # of a step: a piece
TOLERANCE = 1e-10  # of the largest speed: wanted accuracy of the velocities
ACCEPTED = 1e-4  # of it: velocities that still change by more are not solved for


class CompliantEulerStepper:
    """One run of `CompliantEuler`."""

    def __init__(self, model: Model, law: CompliantLaw | None) -> None:
        self._model, self._law = model, law
        self.arrays = body_arrays(model)
        rows = JointRows(model, with_friction=True)
        self._loads, self._motors = rows.system.loads, rows.system.motors
        self.bodies: BodyState = without_fixed_velocities(model, rows.system.initial)
        n = model.n_bodies
        self._joints = CompliantJoints(rows, self.arrays)
        self._inputs = BodyInputs(self._loads.compiled)
        self._kinematic = np.flatnonzero(model.motion == KINEMATIC)
        self._plain = not (self._loads.functions or self._joints.any or len(self._kinematic))
        state, moves = self.bodies, model.motion == DYNAMIC
        self.motion = BodyMotion(
            state.x, state.R, state.v, state.omega, np.zeros((n, 3)), np.zeros((n, 6)),
            np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 2)),
            np.zeros((n, 6)), np.zeros((n, 6)), np.zeros(n) if law is None else law.bounding_radius,
            moves & ~self._joints.joined(n), np.zeros(n, np.bool_),
        )  # fmt: skip
        self._rows = NO_ROWS
        self._grow(64, 16 + self._joints.n_pairs)
        self._impacts = ImpactSolver(self.arrays, rows, law)
        self._h, self._count, self._elastic = 0.0, 0, ElasticEnergies()
        self._contacts = StepContacts()
        momenta(self.arrays, state.R, state.spin, self.motion.L)
        self._motors.set_time(0.0, 0.0)
        self._joints.at(state)
        self._observed: ObservedJoints | None = None
        if model.joints:
            self._observed = ObservedJoints(model, rows.system, state)
            self._observed.start(rows.angle)
        if law is not None:
            self._keep_initial(law)

    def _keep_initial(self, law: CompliantLaw) -> None:
        count = law.find(self.bodies.x, self.bodies.R, np.zeros(self._model.n_bodies))
        self._contacts.start(law.contacts.rows, count)

    def _grow(self, contacts: int, pairs: int) -> None:
        """Capacity for so many contacts and pairs of bodies that they couple."""
        n = self._model.n_bodies
        self.work = solve_workspace(n, contacts, pairs, self._joints.width)
        self.work.radius[...] = _gyration(self._model)
        self._coupled = self._joints.coupling(contacts, pairs)
        self._joints.set_pairs(self._coupled)
        self._factor = factor_workspace(n, pairs)
        self._mu, self._gaps = np.zeros(contacts), np.zeros(contacts)
        self.ordered = False
        self._bundle()

    def _bundle(self) -> None:
        self.parts = bundle_parts(
            self.arrays, self._loads.compiled, self.motion, self._joints.system, self._coupled,
            self.work, self._factor, self._rows, self._mu, self._gaps,
        )  # fmt: skip

    def step(self, t_next: float) -> StepReport:
        """Pieces that end at the impacts with restitution; what comes after MAX_PIECES is one."""
        h = t_next - self.bodies.t
        if self._law is not None and self._h == 0.0 and self._law.pairs.step != h:
            self._law.report_stiffness(h)
        self._h = h
        self._contacts.begin_step()
        if self._observed is not None:
            self._observed.begin_step()
        report = self._in_pieces(t_next, h) if self._impacts.any else self._advance(t_next, None)
        if self._observed is not None:
            self._observed.end_step(self._joints.rows.angle)
        return report

    def _in_pieces(self, t_next: float, h: float) -> StepReport:
        iterations, change, near, converged = 0, 0.0, False, True
        for left in range(MAX_PIECES, 0, -1):
            end = self._next_impact(t_next, h, left == 1)
            done = self._advance(end, None if left == 1 else h)
            iterations, change = iterations + done.iterations, max(change, done.residual)
            near, converged = near or done.near, converged and done.converged
            if end == t_next:
                break
            self._contacts.add(self._piece())
        return StepReport(iterations, change, near=near, converged=converged)

    def _begin(self, t_next: float) -> tuple[KinematicMotion | None, float]:
        """Loads, velocities and their bounds for a piece until t_next."""
        state, joints, motion = self.bodies, self._joints, self.motion
        h = t_next - state.t
        if self._plain:
            return None, float(begin_step(self.parts, h, True)) or 1.0
        kinematic = kinematic_motion(self._model, self._kinematic, state, t_next)
        self._motors.set_time(state.t, t_next)
        joints.at(state)
        begin_step(self.parts, h, True)
        if self._loads.functions:
            self._loads.functions.add_wrenches(state, motion.force, motion.torque)
        joints.add_efforts(state.R, motion.force, motion.torque)
        kinematic.set_velocities(motion.u)
        joints.set_targets(self.parts, h)
        return kinematic, float(bound_speeds(self.parts, h)) or 1.0

    def _next_impact(self, t_next: float, h_step: float, last: bool) -> float:
        """Reflect what touches; when the piece that begins now ends: where something bounces.

        In the last piece all that closes within it is reflected at its start.
        """
        law, state, motion, moves = self._law, self.bodies, self.motion, self._model.motion
        assert law is not None
        for _ in range(MAX_ROUNDS):
            self._begin(t_next)
            h = t_next - state.t
            if not self._find(law, h):
                return t_next
            found = self._impacts.prepare(law, state, motion.u, motion.speeds[:, 1] * (h_step / h))
            if found is None:
                return t_next
            hits = self._impacts.reflect(found, motion.u, h if last else 0.0)
            if hits is None:
                break
            self._contacts.add(hits)
            if self._observed is not None:
                rows = self._joints.rows
                amount = rows.along_rows(self._impacts.joint_impulses)
                self._observed.add_impulses(amount, rows.G, state.R)
            dynamic = moves == DYNAMIC
            state.v[dynamic] = motion.u[dynamic, :3]
            spins = np.ascontiguousarray(motion.u[:, 3:])
            state.omega[dynamic] = np.einsum("nji,nj->ni", state.R, spins)[dynamic]
            momenta(self.arrays, state.R, spins, motion.L)
        if last or found is None:
            return t_next
        later = self._impacts.later(found, motion.u)
        fall = np.zeros_like(motion.u)
        fall[motion.free, :3] = (motion.force * self.arrays.inverse_mass)[motion.free]
        first = self._impacts.first_time(found, later, motion.u, fall)
        if first < h - SHORTEST * h_step:
            t_next = state.t + max(first, SHORTEST * h_step)
        return t_next

    def _advance(self, t_next: float, h_step: float | None) -> StepReport:
        """One piece of a step of h_step [s]; contacts that will bounce do not act yet.

        They do if h_step is None.
        """
        state, law, joints = self.bodies, self._law, self._joints
        h = t_next - state.t
        kinematic, largest = self._begin(t_next)
        count, depth = self._seek(h, h_step)
        R = state.R.copy() if self._observed is not None else state.R
        tolerance, seek = TOLERANCE * largest, law is not None
        code, body, iterations, change = self._finish(h, count, tolerance, seek)
        for others in range(MAX_SEARCHES, 0, -1):
            if code != MOVES_FARTHER:
                break
            before, (count, depth) = count, self._seek(h, h_step, further=True)
            seek = others > 1 and count != before
            code, body, iterations, change = self._finish(h, count, tolerance, seek)
        if self._observed is not None:
            amount = joints.rows.forces(joints.system.lam / h)
            self._observed.add(amount, joints.rows.G, R, h)
        if code != DONE:
            spin = float(np.linalg.norm(self.motion.u[body, 3:]))
            raise pose_failure(self._model, code, body, spin, h, t_next)
        self._count = count
        if law is not None:
            self._contacts.end_with(self._piece)
        if law is not None and count:
            if depth is not None:
                rows = law.contacts.rows
                rows.depth[:count] = depth
                end_gaps(h, rows, count, state.x, self.motion.u, self.motion.shift, self._gaps)
            law.warn_if_deep(self._gaps[:count], t_next)
        if kinematic is not None:
            kinematic.finish(state)
            self._motors.commit()
            iterations += joints.correct_drift(self)
        state.t = t_next
        left = change / largest
        return StepReport(iterations, left, near=count > 0, converged=left <= ACCEPTED)

    def _seek(
        self, h: float, h_step: float | None, further: bool = False
    ) -> tuple[int, Array | None]:
        """The contacts of a piece of h [s]; the depths of all if some do not act yet."""
        law = self._law
        depth: Array | None = None
        count = 0 if law is None else self._find(law, h, further)
        if law is not None and count and h_step is not None:
            depth = self._hide_bouncing(law, count, h_step / h)
        return count, depth

    def _hide_bouncing(self, law: CompliantLaw, count: int, pieces: float) -> Array | None:
        """Move contacts that will bounce out of reach; returns the depths of all, if any will."""
        u, added = self.motion.u, self.motion.speeds[:, 1] * pieces
        found = self._impacts.prepare(law, self.bodies, u, added)
        later = None if found is None else self._impacts.later(found, u)
        if later is None or not later.any():
            return None
        rows = law.contacts.rows
        depth = rows.depth[:count].copy()
        rows.depth[:count][later] = -np.inf
        return depth

    def _find(self, law: CompliantLaw, h: float, further: bool = False) -> int:
        """The contacts within reach of the step, or `further` as a solution has shown; how many."""
        speeds, reach = self.motion.speeds, self.motion.reach
        if not further:
            reach[:, 0] = h * (speeds[:, 0] + 2.0 * speeds[:, 1])
            reach[:, 1] = h * speeds[:, 2]
        count = law.find(
            self.bodies.x, self.bodies.R, reach[:, 0], reach[:, 1], self.motion.expected
        )
        if count > len(self._mu):
            self._rows = law.contacts.rows
            self._grow(2 * count, len(self._coupled.pair))
        elif law.contacts.rows is not self._rows:
            self._rows = law.contacts.rows
            self._bundle()
        return count

    def _finish(
        self, h: float, count: int, tolerance: float, seek: bool
    ) -> tuple[int, int, int, float]:
        law, curves = self._law, False
        laws = NO_LAWS if law is None else law.laws
        if law is not None and count and law.pairs.curves:
            self._mu[:count], curves = law.friction(self.bodies.x, self.motion.u)[:count], True
        while True:
            code, body, iterations, change = finish_step(
                self.parts, laws, self._elastic.of(len(laws)), count, self._joints.n_pairs, h,
                tolerance, self.ordered, curves, seek,
            )  # fmt: skip
            if code == NEEDS_PAIRS:
                self._grow(len(self._mu), 2 * len(self._coupled.pair))
            elif code == NEEDS_ORDER:
                self.order()
            else:
                return int(code), int(body), int(iterations), float(change)

    def order(self) -> None:
        """Prepare the factor for the pairs that are coupled now."""
        n, pairs = self._model.n_bodies, int(self._coupled.count[0])
        self._factor.count[N_BODIES] = -1
        while not prepare(self._factor, n, self._coupled.pair, pairs):
            self._factor = with_more_blocks(self._factor)
            self._bundle()
        self.ordered = True

    def _piece(self) -> ContactRecord:
        """The contacts of the last piece with their impulses [N s] in place of forces."""
        assert self._law is not None
        rows = self._law.contacts.rows
        return piece_record(rows, self._count, self.work.lam, self._gaps)

    def set_inputs(self, inputs: Inputs, carried: bool = False) -> None:
        self._inputs.set(inputs)
        self._joints.set_inputs(inputs)

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        own = self.bodies
        without_fixed_velocities(self._model, state)
        state.copy_to(own)
        own.t = state.t
        self.motion.alone[...] = False
        momenta(self.arrays, own.R, own.spin, self.motion.L)
        self._motors.set_time(own.t, own.t)
        self._joints.set_state(own, coordinates)
        if self._observed is not None:
            self._observed.start(self._joints.rows.angle)
        self._elastic.clear()
        if self._law is not None:
            self._keep_initial(self._law)

    @property
    def observed(self) -> BodyState:
        """See `interface.Observed`."""
        return self.bodies if self._observed is None else self._observed.state

    def observe(self) -> Observation:
        report, seen = ContactReport(), self._observed
        if self._law is not None:
            record = self._contacts.of_step(self._h)
            least = float(record.gaps.min(initial=np.inf))
            if not len(record.gaps):
                least = self._law.least_gap(self.bodies.x, self.bodies.R)
            report = ContactReport(record, self._elastic.total, least)
        return Observation(
            contact=report,
            constraint_position=self._joints.violation(),
            constraint_velocity=0.0 if seen is None else seen.velocity_violation(),
            stored_energy=self._joints.stored_energy(self.observed),
            joint_wrenches=self._joint_wrenches if self._model.joints else None,
        )

    def _joint_wrenches(self) -> tuple[Array, Array]:
        assert self._observed is not None
        return self._observed.wrenches_of_step(RowForces(*self._joints.rows.targets_of_inputs))

    def snapshot(self) -> Snapshot:
        state = self.bodies
        arrays: Snapshot = {
            **of_bodies(state), "L": self.motion.L.copy(), "h": np.array(self._h),
            "motors": self._motors.travel.copy(), "alone": self.motion.alone.copy(),
            **self._loads.functions.snapshot(),
        }  # fmt: skip
        if self._observed is not None:
            arrays |= prefixed("observed", self._observed.snapshot())
        if self._law is not None:
            arrays |= prefixed("elastic", self._elastic.snapshot(self._law.pairs))
        contact = prefixed("contact", self._contacts.snapshot(self._h))
        return arrays | prefixed("joints", self._joints.snapshot()) | contact

    def restore(self, snapshot: Snapshot) -> None:
        state = self.bodies
        restore_bodies(state, snapshot)
        self.motion.L[...] = snapshot["L"]
        self._h = float(snapshot["h"])
        self.motion.alone[...] = snapshot.get("alone", False)
        self._motors.travel[...] = snapshot["motors"]
        self._loads.functions.restore(snapshot)
        self._joints.restore(part_of(snapshot, "joints"))
        if self._law is not None:
            self._elastic.restore(part_of(snapshot, "elastic"), self._law.pairs)
        self._contacts.restore(part_of(snapshot, "contact"))
        self._motors.set_time(state.t, state.t)
        self._joints.at(state)
        if self._observed is not None:
            self._observed.restore(part_of(snapshot, "observed"), self._joints.rows.angle)


def _gyration(model: Model) -> Array:
    """(n,) [m] radius of gyration of dynamic bodies, which turns spins into speeds; 0 of others."""
    moves = model.motion == DYNAMIC
    inertia = np.trace(model.inertia[moves], axis1=1, axis2=2)
    gyration = np.zeros(model.n_bodies)
    gyration[moves] = np.sqrt(np.maximum(inertia, 0.0) / 2 / model.mass[moves])
    return gyration
