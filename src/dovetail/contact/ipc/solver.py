"""The compiled step with the arrays it owns; grows them when they are too small."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.contact.ipc import queries
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.candidates.records import bundle_lists
from dovetail.contact.ipc.friction.workspace import FrictionWorkspace
from dovetail.contact.ipc.islands.sleeping_contacts import SleepingContacts
from dovetail.contact.ipc.joints.records import JointArrays
from dovetail.contact.ipc.newton.load_terms import LoadTerms, load_terms
from dovetail.contact.ipc.newton.spring_terms import SpringTerms, no_springs
from dovetail.contact.ipc.newton.two_step import two_steps
from dovetail.contact.ipc.records import IpcBodies, IpcMotion, bundle_bodies, bundle_motion
from dovetail.contact.ipc.status import StepStatus
from dovetail.contact.ipc.step import StepOutcome, step
from dovetail.contact.ipc.workspace import bundle_workspace, make_lists, make_workspace
from dovetail.linalg.block_cholesky.workspace import N_BODIES
from dovetail.model.values import Array
from dovetail.runtime.records import Int32Array

# Capacity to begin with, per body. More is allocated when it is needed, but then the step begins
# again; most systems take memory only where it is written to.
PAIRS, CANDIDATES, BLOCKS = 24, 512, 48
BODIES = 8, 2000  # that there is capacity for at least and at most
STATUSES = {int(status): status for status in StepStatus}
ITERATES, ITERATE_BYTES = (32, 1024), 32e6  # iterations of a step whose poses are kept


class IpcSolver:
    """Candidate lists and working arrays of one model, kept between steps."""

    def __init__(
        self,
        bodies: IpcBodies,
        barrier: Barrier,
        motion: IpcMotion,
        friction: FrictionWorkspace,
        joints: JointArrays | None = None,
    ) -> None:
        self._bodies, self._barrier, self.friction = bodies, barrier, friction
        self._joints, self._motion = joints, motion
        self.loads = load_terms(len(bodies.mass), 0)
        self.springs = no_springs()
        self.two_step = two_steps(len(bodies.mass))
        self.sleeping = SleepingContacts(motion, bodies.slot)
        self._bundled_bodies = bundle_bodies(bodies)
        self._bundled_motion = bundle_motion(*motion)
        n = min(max(len(bodies.mass), BODIES[0]), BODIES[1])
        self._pairs, self._candidates, self._blocks = PAIRS * n, CANDIDATES * n, BLOCKS * n
        kept = int(ITERATE_BYTES / (96 * max(len(bodies.mass), 1)))
        self._iterates = min(max(kept, ITERATES[0]), ITERATES[1])
        self._allocate()

    def _allocate(self) -> None:
        self._lists = make_lists(self._bodies, self._pairs, self._candidates)._replace(
            asleep=self._motion.asleep
        )
        self._workspace = make_workspace(
            self._bodies, self._pairs, self._candidates, self._iterates, self._blocks, self._joints,
            self.loads, self.springs, self.two_step,
        )  # fmt: skip
        self._bundles = (
            self._bundled_bodies, bundle_lists(*self._lists), bundle_workspace(*self._workspace),
            self._bundled_motion,
        )  # fmt: skip
        self._bundle_parts()

    def _bundle_parts(self) -> None:
        self._bundled_friction = self.friction.bundled
        self._parts = queries.bundle_parts(*self._bundles, self._bundled_friction)

    def set_springs(self, springs: SpringTerms) -> None:
        """Let these springs act from now on."""
        self.springs = springs
        self._grow()

    def connect_by_loads(self, pairs: Any) -> LoadTerms:
        """Terms for loads that connect pairs (k, 2), ascending, a < b, of bodies with unknowns."""
        self.loads = load_terms(len(self._bodies.mass), len(pairs))
        self.loads.bodies[...] = pairs
        self._grow()
        return self.loads

    @property
    def radius(self) -> Array:
        """(n,) [m] of the farthest vertex of each body."""
        radius: Array = self._bodies.geometry.radius
        return radius

    @property
    def slot(self) -> Int32Array:
        """(n,) index among the bodies with unknowns, -1 without."""
        return self._bodies.slot

    @property
    def targets(self) -> tuple[Array, Array]:
        """Where driven bodies shall be at the end of the step: rows of x (n, 3), R (n, 3, 3)."""
        return self._workspace.predicted

    def step(
        self,
        h: float,
        tolerance: float,
        relative_tolerance: float,
        max_iterations: int,
    ) -> StepOutcome:
        """Advance the motion by h [s]; it changes only where the step converged."""
        return self.with_sleeping(
            self.solve(h, tolerance, relative_tolerance, max_iterations, False), h
        )

    def with_sleeping(self, outcome: StepOutcome, h: float) -> StepOutcome:
        """The outcome of a step of h [s], with the contacts of sleeping bodies."""
        sleeping = self.sleeping
        if outcome.status == StepStatus.CONVERGED and sleeping.changed:
            sleeping.update(self.listed(h)[0])
            self.find_pairs_again()  # those of sleeping bodies are not to be listed any more
        resting = len(sleeping.rows)
        if resting:
            outcome = StepOutcome(
                outcome.status, outcome.iterations, outcome.speed,
                min(outcome.least_distance, sleeping.least_gap), outcome.contacts + resting,
                outcome.projected_iterations, outcome.limiting_pair, outcome.tolerance,
                outcome.unresolved,
            )  # fmt: skip
        return outcome

    def step_to_targets(
        self, h: float, tolerance: float, relative_tolerance: float, max_iterations: int
    ) -> StepOutcome:
        """Move the poses to where `targets` of all bodies and contact lead; velocities stay."""
        return self.solve(h, tolerance, relative_tolerance, max_iterations, True)

    def solve(
        self,
        h: float,
        tolerance: float,
        relative_tolerance: float,
        max_iterations: int,
        fixed_targets: bool,
    ) -> StepOutcome:
        """As `step` or `step_to_targets`, without what is kept of sleeping bodies."""
        barrier = self._barrier
        self.parts_for(h)
        outcome: StepOutcome = self._call(
            _stepped, h, barrier.dhat, barrier.dmin, tolerance, relative_tolerance, max_iterations,
            fixed_targets,
        )  # fmt: skip
        return outcome

    def parts_for(self, h: float) -> Any:
        """The bundle of all records, ready for a step of h [s] by a kernel that advances them."""
        self.friction.begin_step(h, self._barrier.dhat)
        self._workspace.factor.count[N_BODIES] = -1  # no order of an earlier step: resume has none
        if self._bundled_friction is not self.friction.bundled:  # it has grown
            self._bundle_parts()
        return self._parts

    def begin(self) -> None:
        """Set the barriers of pairs that begin within dhat of each other, see `queries.begin`."""
        self._call(queries.begin, self._barrier)

    def contacts(self, h: float, reach: float = 0.0) -> tuple[Array, float, float]:
        """Contacts of the motion's pose (see `ipc.report`), their energy and the least distance.

        Forces and energies are h^2 [s^2] times those of the barrier. With a `reach` all within so
        many dhat, without forces.
        """
        rows, energy, least = self.listed(h, reach)
        sleeping = self.sleeping
        if len(sleeping.rows):
            rows = np.concatenate((rows, sleeping.rows))
            energy, least = energy + sleeping.energy, min(least, sleeping.least_gap)
        return rows, energy, least

    def listed(self, h: float, reach: float = 0.0) -> tuple[Array, float, float]:
        """As `contacts`, without those of sleeping bodies."""
        barrier = Barrier(self._barrier.dhat, self._barrier.dmin, h * h)
        if reach > 0.0:
            barrier = Barrier(reach * self._barrier.dhat, self._barrier.dmin, 0.0)
        found = self._call(queries.find_contacts, barrier)
        return self._workspace.report[: found.n_contacts].copy(), found.energy, found.least_distance

    def waypoints(self, iterations: int) -> tuple[Array, Array]:
        """Poses (k, n, 3), (k, n, 3, 3) the last step passed where its direct path is not free."""
        iterates = self._workspace.iterates
        if iterations < 2:
            return iterates.x[:0], iterates.R[:0]
        count = self._call(queries.check_path, iterations, self._barrier.dmin).n_waypoints
        iterates = self._workspace.iterates
        chosen = iterates.chosen[:count]
        return iterates.x[chosen], iterates.R[chosen]

    def iterates(self, iterations: int) -> tuple[Array, Array]:
        """Poses (k, n, 3), (k, n, 3, 3) after each iteration of the last step, its start first."""
        iterates = self._workspace.iterates
        return iterates.x[: iterations + 1], iterates.R[: iterations + 1]

    def is_path_collision_free(self, x: Array, R: Array) -> bool:
        """Whether the direct path from the poses (n, 3), (n, 3, 3) to the motion's is free."""
        motion, dmin = self._motion, self._barrier.dmin
        self._workspace.iterate.x[...], self._workspace.iterate.R[...] = x, R
        moved = (x != motion.x).any(axis=1) | (R != motion.R).any(axis=(1, 2))
        if not np.any(moved & (motion.asleep != 0)):
            return bool(self._call(queries.check_path, 0, dmin).free)
        asleep = motion.asleep.copy()  # they were not yet then: all pairs have to be looked at
        motion.asleep[...] = 0
        self.find_pairs_again()
        free = bool(self._call(queries.check_path, 0, dmin).free)
        motion.asleep[...] = asleep
        self.find_pairs_again()
        return free

    def pairs_snapshot(self) -> dict[str, Any]:
        """What is known of the barriers of pairs, for resume (`barrier.stiffness`)."""
        memory = self._lists.memory
        k = int(memory.n_pairs[0])
        return {"pairs": memory.pairs[:k].copy(), "values": memory.values[:k].copy()}

    def find_pairs_again(self) -> None:
        """Let the next question begin with a sweep of the broad phase."""
        self._lists.counters[0].sweeps = 0

    def set_up_pairs_again(self) -> None:
        """Let the next question take the barriers of all pairs from what is known of them."""
        self._lists.counters[0].n_pairs = 0
        self.find_pairs_again()

    def restore_pairs(self, snapshot: dict[str, Array]) -> None:
        k = len(snapshot["pairs"])
        if k > len(self._lists.memory.pairs):
            self._pairs = k + k // 2
            self._grow()
        memory = self._lists.memory
        memory.pairs[:k], memory.values[:k] = snapshot["pairs"], snapshot["values"]
        memory.n_pairs[0] = k
        self.find_pairs_again()

    def sleeping_snapshot(self) -> dict[str, Array]:
        """Which bodies sleep, for resume."""
        return self.sleeping.snapshot()

    def restore_sleeping(self, snapshot: dict[str, Array]) -> None:
        self.sleeping.restore(snapshot)
        self.find_pairs_again()

    def body_pair(self, pair: int) -> tuple[int, int]:
        """The bodies of a pair of the last step."""
        a, b = self._lists.pairs[self._lists.counters[0].active_buffer, pair].tolist()
        return a, b

    def _call(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        """What a compiled function returns; with more memory as often as it asks for it."""
        while True:
            if self._bundled_friction is not self.friction.bundled:  # it has grown
                self._bundle_parts()
            outcome = kernel(self._parts, *arguments)
            status = outcome.status
            if status == StepStatus.LISTS_FULL:
                counters = self._lists.counters[0]
                self._pairs = max(self._pairs, 3 * int(counters.pairs_needed) // 2)
                self._candidates = max(self._candidates, int(counters.candidates_needed))
            elif status == StepStatus.ITERATES_FULL:
                self._iterates *= 4
            elif status == StepStatus.FACTOR_FULL:
                self._blocks *= 4
            elif status == StepStatus.FRICTION_FULL:
                self.friction.grow()
                continue
            else:
                return outcome
            self._grow()

    def _grow(self) -> None:
        """Allocate again; poses that the caller has set and the iterates of the last step stay."""
        old, known, scales = self._workspace, self.pairs_snapshot(), self._lists.scales
        self._allocate()
        self.restore_pairs(known)
        for mine, kept in zip(self._lists.scales, scales):
            mine[...] = kept
        new = self._workspace
        for ours, theirs in ((new.iterate, old.iterate), (new.predicted, old.predicted)):
            ours.x[...], ours.R[...] = theirs.x, theirs.R
        count = len(old.iterates.x)
        new.iterates.x[:count], new.iterates.R[:count] = old.iterates.x, old.iterates.R


def _stepped(parts: Any, *arguments: Any) -> StepOutcome:
    """As `step`, with names."""
    return outcome_of(step(parts, *arguments))


def outcome_of(numbers: tuple[Any, ...]) -> StepOutcome:
    """The outcome with these numbers."""
    return StepOutcome(STATUSES[numbers[0]], *numbers[1:])
