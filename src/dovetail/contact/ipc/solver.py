"""The compiled step with the arrays it owns; grows them when they are too small."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.ipc import entry_points
from dovetail.contact.ipc.friction.workspace import FrictionWorkspace
from dovetail.contact.ipc.islands.sleeping_contacts import StandingContacts
from dovetail.contact.ipc.joints.rows import IpcJoints
from dovetail.contact.ipc.newton import minimise
from dovetail.contact.ipc.records import (
    SWEEPS,
    WANTS_PAIRS,
    WANTS_POOL,
    WHICH,
    IpcBodies,
    bundle_bodies,
    bundle_lists,
    bundle_room,
)
from dovetail.contact.ipc.step import IpcMotion, bundle_motion
from dovetail.contact.ipc.workspace import list_room, step_room
from dovetail.model.values import Array

# Room to begin with, per body. More is made when it is wanted, but then the step begins anew; most
# systems take memory only where it is written to.
PAIRS, CANDIDATES, BLOCKS = 24, 512, 48
BODIES = 8, 2000  # that there is room for at least and at most
KNOTS, KNOT_BYTES = (32, 1024), 32e6  # iterations of a step whose poses are kept


@dataclass(frozen=True)
class Barrier:
    """Where contact begins to act, and what is kept at all times."""

    dhat: float  # [m]
    dmin: float  # [m]


class Outcome(NamedTuple):
    """How one step was solved."""

    code: int  # of `contact.ipc.newton.minimise`
    iterations: int
    speed: float  # [m/s] of the fastest vertex in the last Newton direction
    weight: float  # [m^2] h^2 kappa per load, see `barrier.stiffness`
    least_distance: float  # [m], inf where nothing is near
    contacts: int
    careful: int  # iterations in which the exact Hessian was not positive
    pair: int  # of bodies that limits the last search step, -1 if none
    tolerance: float  # [m/s]


class IpcSolver:
    """Candidate lists and working arrays of one model, kept between steps."""

    def __init__(
        self,
        bodies: IpcBodies,
        barrier: Barrier,
        motion: IpcMotion,
        friction: FrictionWorkspace,
        joints: IpcJoints | None = None,
    ) -> None:
        self._bodies, self._barrier, self.friction = bodies, barrier, friction
        self._joints, self._motion = joints, motion
        self.standing = StandingContacts(motion, bodies.slot)
        self._bundled_bodies = bundle_bodies(*bodies)
        self._bundled_motion = bundle_motion(*motion)
        n = min(max(len(bodies.mass), BODIES[0]), BODIES[1])
        self._pairs, self._candidates, self._blocks = PAIRS * n, CANDIDATES * n, BLOCKS * n
        kept = int(KNOT_BYTES / (96 * max(len(bodies.mass), 1)))
        self._knots = min(max(kept, KNOTS[0]), KNOTS[1])
        self._make_room()

    def _make_room(self) -> None:
        self._lists = list_room(self._bodies, self._pairs, self._candidates)._replace(
            asleep=self._motion.asleep
        )
        self._room = step_room(
            self._bodies, self._pairs, self._candidates, self._knots, self._blocks, self._joints
        )
        self._parts = (
            self._bundled_bodies, bundle_lists(*self._lists), bundle_room(*self._room),
            self._bundled_motion,
        )  # fmt: skip
        self._bundle_all()

    def _bundle_all(self) -> None:
        self._bundled_friction = self.friction.bundled
        self._all = entry_points.bundle_parts(*self._parts, self._bundled_friction)

    @property
    def radius(self) -> Array:
        """(n,) [m] of the farthest vertex of each body."""
        radius: Array = self._bodies.radius
        return radius

    @property
    def targets(self) -> tuple[Array, Array]:
        """Where driven bodies shall be at the end of the step: rows of x (n, 3), R (n, 3, 3)."""
        return self._room.x_hat, self._room.R_hat

    def step(
        self, h: float, tolerance: float, part: float, most: int, before: float = 0.0
    ) -> Outcome:
        """Advance the motion by h [s]; it changes only where the code is DONE.

        `before` [m^2] is the weight of the step before, in this step's h^2; 0 for none.
        """
        self.friction.begin_step(h, self._barrier.dhat)
        outcome = Outcome._make(self._perform(entry_points.STEP, h, before, tolerance, part, most))
        standing = self.standing
        if outcome.code == minimise.DONE and standing.changed:
            standing.take(self._listed(outcome.weight)[0])
            self._lists.numbers[SWEEPS] = 0  # their pairs are not to be listed any more
        if len(standing.rows):
            outcome = outcome._replace(
                contacts=outcome.contacts + len(standing.rows),
                least_distance=min(outcome.least_distance, standing.least_gap),
            )
        return outcome

    def step_to_targets(self, h: float, tolerance: float, part: float, most: int) -> Outcome:
        """Move the poses to where `targets` of all bodies and contact lead; velocities stay."""
        self.friction.begin_step(h, self._barrier.dhat)
        return Outcome._make(self._perform(entry_points.STEP_GIVEN, h, 0.0, tolerance, part, most))

    def contacts(self, weight: float, reach: float = 1.0) -> tuple[Array, float, float]:
        """Contacts of the motion's pose (see `ipc.report`), W sum m B and the least distance.

        Within `reach` times dhat; forces and energy are those of the barrier only for 1.
        """
        rows, energy, least = self._listed(weight, reach)
        standing = self.standing
        if len(standing.rows):
            rows = np.concatenate((rows, standing.rows))
            energy, least = energy + standing.energy, min(least, standing.least_gap)
        return rows, energy, least

    def _listed(self, weight: float, reach: float = 1.0) -> tuple[Array, float, float]:
        """As `contacts`, without those of bodies asleep."""
        _, count, _, energy, least, *_ = self._perform(
            entry_points.REPORT, 0.0, weight, 0.0, 0.0, 0, reach
        )
        return self._room.seen[:count].copy(), energy, least

    def waypoints(self, iterations: int) -> tuple[Array, Array]:
        """Poses (k, n, 3), (k, n, 3, 3) the last step passed where its straight way is not free."""
        if iterations < 2:
            return self._room.knot_x[:0], self._room.knot_turn[:0]
        _, count, *_ = self._perform(entry_points.WAYPOINTS, 0.0, 0.0, 0.0, 0.0, iterations)
        kept = self._room.kept[:count]
        return self._room.knot_x[kept], self._room.knot_turn[kept]

    def is_path_collision_free(self, x: Array, R: Array) -> bool:
        """Whether the straight way from the poses (n, 3), (n, 3, 3) to the motion's is free."""
        motion = self._motion
        self._room.x[...], self._room.R[...] = x, R
        moved = (x != motion.x).any(axis=1) | (R != motion.R).any(axis=(1, 2))
        if not np.any(moved & (motion.asleep != 0)):
            return bool(self._perform(entry_points.STRAIGHT, 0.0, 0.0, 0.0, 0.0, 0)[1])
        asleep = motion.asleep.copy()  # they were not yet then: all pairs have to be looked at
        motion.asleep[...], self._lists.numbers[SWEEPS] = 0, 0
        free = bool(self._perform(entry_points.STRAIGHT, 0.0, 0.0, 0.0, 0.0, 0)[1])
        motion.asleep[...], self._lists.numbers[SWEEPS] = asleep, 0
        return free

    def rest_memory(self) -> dict[str, Array]:
        """Who sleeps, for a checkpoint."""
        return self.standing.snapshot()

    def restore_rest(self, snapshot: dict[str, Array]) -> None:
        self.standing.restore(snapshot)
        self._lists.numbers[SWEEPS] = 0

    def body_pair(self, pair: int) -> tuple[int, int]:
        """The bodies of a pair of the last step."""
        a, b = self._lists.pairs[self._lists.numbers[WHICH], pair].tolist()
        return a, b

    def _perform(
        self,
        task: int,
        h: float,
        weight: float,
        tolerance: float,
        part: float,
        most: int,
        reach: float = 1.0,
    ) -> tuple[Any, ...]:
        """One task of the compiled function, again with more room as often as it asks for it."""
        dmin, dhat = self._barrier.dmin, reach * self._barrier.dhat
        while True:
            if self._bundled_friction is not self.friction.bundled:  # it has grown
                self._bundle_all()
            done: tuple[Any, ...] = entry_points.perform(
                task, self._all, h, dmin, dhat, weight, tolerance, part, most
            )
            if done[0] == minimise.DONE:
                return done
            if done[0] == minimise.NO_ROOM:
                numbers = self._lists.numbers
                self._pairs = max(self._pairs, 3 * int(numbers[WANTS_PAIRS]) // 2)
                self._candidates = max(self._candidates, int(numbers[WANTS_POOL]))
            elif done[0] == minimise.NO_KNOT_ROOM:
                self._knots *= 4
            elif done[0] == minimise.NO_FACTOR_ROOM:
                self._blocks *= 4
            elif done[0] == minimise.NO_FRICTION_ROOM:
                self.friction.grow()
                continue
            else:
                return done
            before = self._room
            self._make_room()
            for name in ("x", "R", "x_hat", "R_hat"):  # what the caller has set
                getattr(self._room, name)[...] = getattr(before, name)
            count = len(before.knot_x)
            self._room.knot_x[:count], self._room.knot_turn[:count] = (
                before.knot_x,
                before.knot_turn,
            )
