"""The steps of one run by the solver of intersection-free contact (a `PotentialSolver`)."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.contact.ipc.barrier.clearance import LEAST, NONE
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.barrier.released_energy import release_energy
from dovetail.contact.ipc.friction.workspace import without_friction
from dovetail.contact.ipc.joints.records import JointArrays
from dovetail.contact.ipc.law import IpcPotential, contact_report
from dovetail.contact.ipc.model_bodies import ipc_bodies
from dovetail.contact.ipc.report import BODY_A, BODY_B, COLUMNS, GAP
from dovetail.contact.ipc.solver import IpcSolver
from dovetail.contact.ipc.status import StepStatus
from dovetail.contact.ipc.step import StepOutcome
from dovetail.contact.ipc.workspace import make_motion
from dovetail.contact.law import ContactReport
from dovetail.errors import RunError
from dovetail.integrators.interface import Snapshot
from dovetail.integrators.shared.lasting_forces import mean_rows
from dovetail.integrators.shared.load_derivatives import LoadMatrix
from dovetail.integrators.shared.potential_solver import SolvedStep
from dovetail.integrators.shared.snapshots import part_of, prefixed
from dovetail.integrators.shared.spring_loads import SpringLoads
from dovetail.linalg.lie import so3
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array, quote
from dovetail.multibody.loads.wrenches import CompiledLoads
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray, Int32Array

ROUNDED = 1e3  # times the tolerance, where energies are not known better
WITHOUT_CONTACT = 1e-10  # of the speeds that change in a step, where nothing else is solved for
MAX_ITERATIONS = 100  # likewise
NO_BARRIER = Barrier(1.0, 0.0)


class UnresolvedFitWarning(UserWarning):
    """Bodies pass each other with a clearance too small to be resolved."""


class IpcSteps:
    """The compiled solver on the motion of one model."""

    def __init__(
        self,
        model: Model,
        law: IpcPotential | None,
        state: BodyState,
        joints: JointArrays | None,
        friction: bool = True,
    ) -> None:
        """Without `law` bodies do not touch, without `friction` they slip freely."""
        self._model, self._state = model, state
        if law is not None:
            state.x += law.opened
        self.motion = motion = make_motion(state.x, state.R, state.v, state.omega)
        self.barrier = NO_BARRIER if law is None else law.barrier
        self.near = self.barrier.dhat
        self._accuracy = (0.0, WITHOUT_CONTACT, MAX_ITERATIONS)
        if law is not None:
            self._accuracy = (law.tolerance, law.relative_tolerance, law.max_iterations)
        if law is not None and friction:
            self.solver = law.solver(motion, joints)
        else:
            bodies = ipc_bodies(model, touching=law is not None)
            none = without_friction(model.n_bodies)
            self.solver = IpcSolver(bodies, self.barrier, motion, none, joints)
        motion.rate[...] = so3.hat(state.spin) @ state.R
        self._alone = law is None
        self._h = 0.0  # [s] of the step that led to the state
        self._begun = law is None  # whether the barriers of the first pose are set
        self._iterations, self.work = 0, 0  # of the last step; of all, failed ones too
        self._tight: set[int] = set()  # fits that were named
        self._passed: tuple[Array, Array] | None = None  # poses of the step before it drifted on

    @property
    def radius(self) -> Array:
        return self.solver.radius

    @property
    def targets(self) -> tuple[Array, Array]:
        return self.solver.targets

    def set_loads(self, force: Array, torque: Array) -> None:
        self.motion.force[...], self.motion.torque[...] = force, torque

    def springs(self, loads: CompiledLoads) -> SpringLoads:
        """The springs among the loads, which act in every step from now on."""
        springs = SpringLoads(self._model, loads, self.solver.slot)
        if springs:
            self.solver.set_springs(springs.terms)
        return springs

    def set_load_terms(self, matrix: LoadMatrix | None, constant: Array) -> None:
        """How loads change in the next step: 1/2 s^T P s - b^T s (`contact.ipc.newton.load_terms`).

        P is `matrix`, b `constant` (n, 6). Bodies that loads do not move go to their targets.
        """
        if matrix is None:
            self.solver.loads.acts[0] = 1
            self.solver.loads.constant[...] = constant
            return
        moves = self._model.motion == DYNAMIC
        both = moves[matrix.pairs].all(axis=1)
        self._connect(matrix.pairs[both])
        terms, given = self.solver.loads, np.where(moves[:, None], 0.0, self._shifts())
        terms.acts[0] = 1
        terms.diagonal[...] = np.where(moves[:, None, None], matrix.diagonal, 0.0)
        terms.off[...] = 0.0
        n = len(moves)
        known = terms.bodies[:, 0].astype(np.int64) * n + terms.bodies[:, 1]
        wanted = matrix.pairs[both, 0] * n + matrix.pairs[both, 1]
        terms.off[np.searchsorted(known, wanted)] = matrix.off[both]
        terms.constant[...] = np.where(moves[:, None], constant - matrix.times(given), 0.0)

    def _connect(self, pairs: Array) -> None:
        """Make place for the blocks of these pairs (k, 2) of bodies, besides those of before."""
        if not len(pairs):
            return
        old = self.solver.loads.bodies.astype(np.int64)
        total = np.unique(np.concatenate((old, pairs)), axis=0)
        if len(total) > len(old):
            self.solver.connect_by_loads(total)

    def _shifts(self) -> Array:
        """(n, 6) from the state to the targets, as the load terms measure it."""
        (x, R), state = self.targets, self._state
        turn = R @ state.R.transpose(0, 2, 1)
        return np.concatenate((x - state.x, so3.vee(0.5 * (turn - turn.transpose(0, 2, 1)))), 1)

    @property
    def loads(self) -> tuple[Array, Array]:
        return self.motion.force, self.motion.torque

    def set_spin(self, bodies: BoolArray, spin: Array) -> None:
        self.motion.rate[bodies] = so3.hat(spin) @ self._state.R[bodies]
        self.solver.two_step.known[bodies] = self.solver.two_step.led[bodies] = 0

    def step(self, h: float, t: float, again: Callable[[], None] | None = None) -> SolvedStep:
        """See `PotentialSolver`; `again` sets the loads once more, where a mechanism has to make

        the step otherwise than it was to (`two_steps`).
        """
        outcome = self._solve(self.solver.step, h)
        while outcome.status == StepStatus.REFUSED:
            if again is not None:
                again()
            outcome = self._solve(self.solver.step, h)
        return self._solved(outcome, h, t)

    @property
    def settings(self) -> tuple[float, float, float, float, int]:
        """dhat and dmin [m], tolerance [m/s], relative tolerance, most iterations of a step."""
        return self.barrier.dhat, self.barrier.dmin, *self._accuracy

    def parts_for(self, h: float) -> Any:
        """What a kernel needs that makes the step of h [s] with its solve; `solved` must follow."""
        self._begin()
        return self.solver.parts_for(h)

    def solved(self, outcome: StepOutcome, h: float, t: float) -> SolvedStep:
        """Such a step to t [s] ended so."""
        self.work += outcome.iterations
        if outcome.status == StepStatus.NO_DESCENT and self._alone:
            return self.step(h, t)
        return self._solved(self.solver.with_sleeping(outcome, h), h, t)

    def made_plainly(self, h: float, iterations: int) -> int:
        """As `solved_plainly`; how many contacts rest besides those that the kernel counted."""
        self._h, self._iterations, self._passed = h, iterations, None
        self.work += iterations
        return len(self.solver.sleeping.rows)

    def solved_plainly(self, made: Any, h: float) -> SolvedStep:
        """A `MadeStep` converged, and nobody fell asleep, woke or fits too tightly."""
        resting = self.made_plainly(h, made.iterations)
        return SolvedStep(
            made.iterations, made.speed, made.tolerance, made.contacts + resting, made.contacts,
            made.creep, made.settled,
        )  # fmt: skip

    def step_to_targets(self, h: float, t: float) -> SolvedStep:
        """Move the poses to where `targets` of all bodies and contact lead; velocities stay."""
        return self._solved(self._solve(self.solver.step_to_targets, h), h, t)

    def _solve(self, step: Callable[..., StepOutcome], h: float) -> StepOutcome:
        """A step as accurate as asked for, or, without contact, as rounding allows.

        Where joints are close to a singular position, energies are not known to all digits.
        """
        self._begin()
        outcome = step(h, *self._accuracy)
        self.work += outcome.iterations
        if outcome.status == StepStatus.NO_DESCENT and self._alone:
            _, relative, most = self._accuracy
            return step(h, ROUNDED * outcome.tolerance, relative, most)
        return outcome

    def _begin(self) -> None:
        """Set the barriers of the pose that a run begins with."""
        if not self._begun:
            self.solver.begin()
            self._begun = True

    def _solved(self, outcome: StepOutcome, h: float, t: float) -> SolvedStep:
        if outcome.status != StepStatus.CONVERGED:
            raise self._failure(outcome, t)
        if outcome.unresolved != NONE and outcome.unresolved not in self._tight:
            self._name_fit(outcome.unresolved, t)
        self._h, self._iterations, self._passed = h, outcome.iterations, None
        friction, sleeping = self.solver.friction, len(self.solver.sleeping.rows)
        return SolvedStep(
            outcome.iterations, outcome.speed, outcome.tolerance, outcome.contacts,
            outcome.contacts - sleeping, friction.creep, friction.settled,
        )  # fmt: skip

    def contact_rows(self, reach: float = 1.0) -> Array:
        """Contacts of the state within `reach` times dhat, see `contact.ipc.report`."""
        return self.solver.contacts(self._h, reach)[0]

    def pressing_rows(self) -> Array:
        """Contacts of the state with their forces times h^2, as `report` has them."""
        return self._mean_rows(self.solver.contacts(self._h)[0])

    def _mean_rows(self, rows: Array) -> Array:
        return mean_rows(rows, self.solver.two_step, self._state.x, self._h)

    def bodies_in_contact(self) -> Int32Array:
        return self.contact_rows()[:, BODY_A : BODY_B + 1].astype(np.int32)

    def report(self) -> ContactReport:
        self._begin()
        h = self._h if self._h > 0.0 else 1.0  # where a run begins
        rows, energy, least = self.solver.contacts(h)
        return contact_report((self._mean_rows(rows), energy, least), h)

    def drift(self, bodies: BoolArray, x: Array, R: Array, h: float) -> bool:
        """See `PotentialSolver`."""
        if self.solver.loads.acts[0] or len(self.solver.springs.bodies):
            return False
        motion, passed = self.motion, self.waypoints()
        end = motion.x[None].copy(), motion.R[None].copy()
        to_x, to_R = self.targets
        to_x[...], to_R[...] = motion.x, motion.R
        to_x[bodies], to_R[bodies] = x[bodies], R[bodies]
        outcome = self._solve(self.solver.step_to_targets, h)
        if outcome.status != StepStatus.CONVERGED:
            self._iterations, self._passed = 0, passed  # the iterates are its own now
            return False
        self._iterations = outcome.iterations
        self._passed = np.concatenate((passed[0], end[0])), np.concatenate((passed[1], end[1]))
        return True

    def release_barriers(self, x: Array, R: Array, bodies: BoolArray) -> None:
        """See `PotentialSolver`."""
        motion = self.motion
        now, here = self.solver.contacts(self._h)[0], (motion.x.copy(), motion.R.copy())
        motion.x[...], motion.R[...] = x, R
        before = self.solver.contacts(self._h)[0]
        motion.x[...], motion.R[...] = here
        known = self.solver.pairs_snapshot()
        if release_energy(known, before, now, bodies, self.barrier.dmin):
            self.solver.restore_pairs(known)

    def waypoints(self) -> tuple[Array, Array]:
        x, R = self.solver.waypoints(self._iterations)
        if self._passed is None:
            return x, R
        return np.concatenate((self._passed[0], x)), np.concatenate((self._passed[1], R))

    def is_path_collision_free(self, x: Array, R: Array) -> bool:
        return self.solver.is_path_collision_free(x, R)

    def snapshot(self) -> Snapshot:
        return {
            "load pairs": self.solver.loads.bodies.copy(),
            "rate": self.motion.rate.copy(), "last": np.array([self._h, float(self._begun)]),
            **prefixed("barriers", self.solver.pairs_snapshot()),
            **prefixed("friction", self.solver.friction.snapshot()),
            **prefixed("rest", self.solver.sleeping_snapshot()),
        }  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        self.restore_pairs(part_of(snapshot, "barriers"))
        self._connect(snapshot["load pairs"].astype(np.int64))
        self.motion.rate[...] = snapshot["rate"]
        h, begun = snapshot["last"].tolist()
        self._h, self._begun = h, bool(begun)
        self.solver.friction.restore(part_of(snapshot, "friction"))
        self.solver.restore_sleeping(part_of(snapshot, "rest"))

    def restore_pairs(self, snapshot: Snapshot) -> None:
        """Continue from a state with these barriers of pairs."""
        self.solver.restore_pairs(snapshot)
        self.solver.set_up_pairs_again()
        self._begun = True
        self._iterations, self._passed = 0, None  # there is no last step to report on

    def _closest(self, limiting: int) -> tuple[int, int] | None:
        """The bodies of the pair that limited the last search step, or of the least gap."""
        if limiting >= 0:
            return self.solver.body_pair(limiting)
        rows = np.zeros((0, COLUMNS)) if self._alone else self.contact_rows()
        if not len(rows):
            return None
        a, b = rows[np.argmin(rows[:, GAP]), BODY_A : BODY_B + 1].astype(int).tolist()
        return a, b

    def _name_fit(self, pair: int, t: float) -> None:
        """Warn of a fit that cannot be resolved, once."""
        self._tight.add(pair)
        names = self._model.names
        a, b = (quote(names[i]) for i in divmod(pair, len(names)))
        least = LEAST * self.barrier.dhat
        warnings.warn(
            f"bodies {a} and {b} must have a clearance of at least {least:.2g} m, 2^-29 of dhat, "
            f"to pass each other, but have less at t = {t:g} s: contact may hold them as if there "
            "were none; leave more clearance",
            UnresolvedFitWarning,
            stacklevel=2,
        )

    def _failure(self, outcome: StepOutcome, t: float) -> RunError:
        """What went wrong in the step to `t`."""
        names, pair = "", self._closest(outcome.limiting_pair)
        if pair is not None:
            a, b = (quote(self._model.names[i]) for i in pair)
            names = f"; bodies {a} and {b} were closest to meeting"
        left = f"speed {outcome.speed:.3g} m/s left, wanted {outcome.tolerance:.3g} m/s{names}"
        what = outcome.status.advice
        if outcome.status == StepStatus.TOO_MANY_ITERATIONS:
            what += f" in {outcome.iterations} Newton iterations: {left}"
        elif outcome.status == StepStatus.NO_DESCENT:
            what += f": {left}"
        else:
            what += names
        help = "a smaller step may help"
        if outcome.status == StepStatus.TOUCHING:
            help = "leave more clearance between them"
        return RunError(f"{what}; {help}", t)
