"""The step of all bodies, cluster by cluster where there are several."""

import numpy as np

from dovetail.contact.ipc.barrier.clearance import NONE
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.clusters.partition import (
    FEWEST,
    Balls,
    Cluster,
    all_inside,
    begin_balls,
    clusters_of,
    widened,
)
from dovetail.contact.ipc.clusters.problem import ClusterProblem, Given, Whole, joined_rows
from dovetail.contact.ipc.friction.workspace import FrictionWorkspace
from dovetail.contact.ipc.islands.sleeping import ASLEEP
from dovetail.contact.ipc.joints.records import JointArrays
from dovetail.contact.ipc.records import IpcBodies, IpcMotion, Poses
from dovetail.contact.ipc.report import BODY_A, BODY_B
from dovetail.contact.ipc.solver import IpcSolver
from dovetail.contact.ipc.status import StepStatus
from dovetail.contact.ipc.step import StepOutcome
from dovetail.model.values import Array
from dovetail.runtime.parallel import in_threads
from dovetail.runtime.records import BoolArray

KEPT = 2  # steps that the arrays of a cluster are kept for, unused


class ClusterSolver(IpcSolver):
    """As `IpcSolver`. What is known from step to step is that of all bodies, so resume sees one.

    Bodies of different clusters do not come near each other on any path within the balls of
    `partition`, so the paths of all clusters together are free of collisions. Each cluster has its
    own step lengths, laggings, tolerance and end, and they are solved in threads.
    """

    def __init__(
        self,
        bodies: IpcBodies,
        barrier: Barrier,
        motion: IpcMotion,
        friction: FrictionWorkspace,
        joints: JointArrays | None = None,
    ) -> None:
        super().__init__(bodies, barrier, motion, friction, joints)
        self._whole = Whole(bodies, barrier, motion, friction, self.two_step)
        self._moving = bodies.slot >= 0
        is_half_space = bodies.geometry.half_spaces.is_half_space
        may_meet_all = bool(is_half_space[self._moving].any())
        many = np.count_nonzero(self._moving) >= 2 * FEWEST
        self._many = joints is None and many and not may_meet_all
        self._known: dict[bytes, ClusterProblem] = {}
        self._steps = 0
        self._balls: Balls | None = None  # of the last step, where it was solved by clusters
        self._problems: list[ClusterProblem] = []  # its clusters
        self._failed: ClusterProblem | None = None
        self._lists_are_old = False  # those of all bodies: clusters know more of pairs

    def solve(
        self,
        h: float,
        tolerance: float,
        relative_tolerance: float,
        max_iterations: int,
        fixed_targets: bool,
    ) -> StepOutcome:
        if not self._many:
            self._begin_lists()
            return super().solve(h, tolerance, relative_tolerance, max_iterations, fixed_targets)
        self._failed, self._balls, self._problems = None, None, []
        accuracy = (tolerance, relative_tolerance, max_iterations)
        outcome = None
        if not fixed_targets and not self._loads_change():
            outcome = self._solve_clusters(h, accuracy)
        if outcome is None:
            self._begin_lists()
            outcome = super().solve(h, *accuracy, fixed_targets)
        return outcome

    def begin(self) -> None:
        self._balls, self._problems, self._lists_are_old = None, [], True
        super().begin()

    def _loads_change(self) -> bool:
        return bool(self.loads.acts[0]) or len(self.springs.bodies) > 0

    def _begin_lists(self) -> None:
        """Let pairs of all bodies be set up again from what is known of them, where that is new."""
        if self._lists_are_old:
            self._lists_are_old = False
            self.set_up_pairs_again()

    def _solve_clusters(
        self, h: float, accuracy: tuple[float, float, int]
    ) -> StepOutcome | None:  # fmt: skip
        """The step cluster by cluster; None where there is only one."""
        whole = self._whole
        reach = whole.barrier.dmin + whole.barrier.dhat
        targets = Poses(*self.targets)
        balls = begin_balls(whole.bodies, whole.motion, targets, h, reach)
        given = Given(targets, self.pairs_snapshot(), self.friction.snapshot())
        touching = given.pairs["pairs"].astype(np.int64)
        done: dict[bytes, ClusterProblem] = {}
        self._steps += 1
        self._known = {
            key: one for key, one in self._known.items() if self._steps - one.last_used <= KEPT
        }
        wider = True
        while wider:
            clusters = clusters_of(whole.bodies, whole.motion, balls, touching)
            if not clusters:
                return None
            problems = [self._problem(cluster, done) for cluster in clusters]
            failed = _solve_all(
                [one for one in problems if one.outcome is None], given, h, accuracy
            )
            if failed is not None:
                self._failed = failed
                assert failed.outcome is not None
                return failed.outcome
            moved = np.zeros(len(self._moving))
            for one in problems:
                moved[one.moves] = one.moved()
            balls, wider = widened(balls, moved[balls.moves])
        self._balls, self._problems, self._lists_are_old = balls, problems, True
        self._keep_fixed(problems, h)
        return self._end(problems)

    def _keep_fixed(self, problems: list[ClusterProblem], h: float) -> None:
        """What steps over two need of the bodies that no cluster moves: where they were."""
        two, motion = self.two_step, self._whole.motion
        others: BoolArray = np.ones(len(two.by), np.bool_)
        for one in problems:
            others[one.moves] = False
        two.x[others], two.R[others], two.h[0] = motion.x[others], motion.R[others], h

    def _problem(self, cluster: Cluster, done: dict[bytes, ClusterProblem]) -> ClusterProblem:
        """The problem of a cluster; its outcome is None unless it was solved in this step."""
        key = cluster.members.tobytes()
        if key not in done:
            if key not in self._known:
                self._known[key] = ClusterProblem(self._whole, cluster)
            done[key] = self._known[key]
            done[key].outcome, done[key].last_used = None, self._steps
        return done[key]

    def _end(self, problems: list[ClusterProblem]) -> StepOutcome:
        """Give what the clusters have come to, to all bodies."""
        motion, n = self._whole.motion, len(self._moving)
        pairs = joined_rows([one.pairs() for one in problems], n)
        friction = self.friction
        friction.restore(joined_rows([one.presliding() for one in problems], n))
        friction.report_of([one.solver.friction for one in problems])
        for one in problems:
            one.end()
        self.restore_pairs(pairs)
        motion.sleep_counts[ASLEEP] = np.count_nonzero(motion.asleep)
        return _joined(problems)

    def _are_apart(self, x: Array, R: Array) -> bool:
        """Whether the last step was by clusters, and these poses are such that it could be."""
        if self._balls is None or self._failed is not None:
            return False
        return all_inside(self._balls, x, R, self._moving)

    def listed(self, h: float, reach: float = 0.0) -> tuple[Array, float, float]:
        motion = self._whole.motion
        if not self._are_apart(motion.x, motion.R):
            self._begin_lists()
            return super().listed(h, reach)
        parts = in_threads(lambda one: one.listed(h, reach), self._problems)
        rows = np.concatenate([part[0] for part in parts])
        bodies = np.sort(rows[:, BODY_A : BODY_B + 1].astype(np.int64), axis=1)
        order = np.argsort(bodies[:, 0] * len(self._moving) + bodies[:, 1], kind="stable")
        return rows[order], sum(part[1] for part in parts), min(part[2] for part in parts)

    def waypoints(self, iterations: int) -> tuple[Array, Array]:
        """See `IpcSolver`. Bodies whose path has fewer poses wait at its start."""
        if self._balls is None or iterations < 2:
            return super().waypoints(iterations)
        parts = in_threads(ClusterProblem.waypoints, self._problems)
        count, start = max(len(part[0]) for part in parts), self._balls.start
        x, R = (np.repeat(rows[None], count, axis=0) for rows in start)
        for one, (its_x, its_R) in zip(self._problems, parts):
            x[count - len(its_x) :, one.moves] = its_x
            R[count - len(its_x) :, one.moves] = its_R
        return x, R

    def is_path_collision_free(self, x: Array, R: Array) -> bool:
        motion = self._whole.motion
        if not (self._are_apart(motion.x, motion.R) and self._are_apart(x, R)):
            return super().is_path_collision_free(x, R)
        return all(in_threads(lambda one: one.is_path_collision_free(x, R), self._problems))

    def body_pair(self, pair: int) -> tuple[int, int]:
        if self._failed is None:
            return super().body_pair(pair)
        a, b = self._failed.solver.body_pair(pair)
        return int(self._failed.members[a]), int(self._failed.members[b])


def _solve_all(
    problems: list[ClusterProblem], given: Given, h: float, accuracy: tuple[float, float, int]
) -> ClusterProblem | None:
    """Solve the step of each; the first that did not converge, or None.

    Threads begin with those that took longest in the step before, so that they end together.
    """

    def solved(one: ClusterProblem) -> StepOutcome:
        one.begin(given)
        outcome = one.solver.solve(h, *accuracy, False)
        while outcome.status == StepStatus.REFUSED:
            outcome = one.solver.solve(h, *accuracy, False)
        return outcome

    longest_first = sorted(problems, key=lambda one: -one.cost)
    for one, outcome in zip(longest_first, in_threads(solved, longest_first)):
        one.outcome, one.cost = outcome, outcome.iterations * len(one.moves)
    return next((one for one in problems if not one.converged), None)


def _joined(problems: list[ClusterProblem]) -> StepOutcome:
    """The outcome of all; numbers of iterations are those of the cluster that took most."""
    outcomes = [one.outcome for one in problems if one.outcome is not None]
    unresolved = (one.pair_of_all(out.unresolved) for one, out in zip(problems, outcomes))
    return StepOutcome(
        status=outcomes[0].status,
        iterations=max(one.iterations for one in outcomes),
        speed=max(one.speed for one in outcomes),
        least_distance=min(one.least_distance for one in outcomes),
        contacts=sum(one.contacts for one in outcomes),
        projected_iterations=max(one.projected_iterations for one in outcomes),
        limiting_pair=NONE,
        tolerance=max(one.tolerance for one in outcomes),
        unresolved=next((pair for pair in unresolved if pair != NONE), NONE),
    )
