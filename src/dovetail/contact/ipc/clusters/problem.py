"""The step of one cluster, with arrays, lists and factor of its own bodies only."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.clusters.partition import Cluster
from dovetail.contact.ipc.clusters.subset import subset
from dovetail.contact.ipc.friction.workspace import FrictionWorkspace
from dovetail.contact.ipc.islands.sleeping import ASLEEP
from dovetail.contact.ipc.newton.two_step import TwoStep
from dovetail.contact.ipc.records import IpcBodies, IpcMotion, Poses
from dovetail.contact.ipc.report import BODY_A, BODY_B
from dovetail.contact.ipc.solver import IpcSolver
from dovetail.contact.ipc.status import StepStatus
from dovetail.contact.ipc.step import StepOutcome
from dovetail.contact.ipc.workspace import make_motion
from dovetail.model.values import Array
from dovetail.runtime.records import Int64Array

MOTION, LOADS = ("x", "R", "v", "omega", "rate"), ("force", "torque")
SLEEP = ("sleeping_island", "sleeping_loads")  # of bodies that do
OVER_TWO = ("x", "R", "v", "rate", "known", "led", "wait", "usual", "impulse", "opening", "by")
TAKEN = (*OVER_TWO, "alone", "held")  # of what is known of the step before
GIVEN = (*OVER_TWO, "carried", "time")


class Whole(NamedTuple):
    """What the problems of all clusters are taken from."""

    bodies: IpcBodies
    barrier: Barrier
    motion: IpcMotion
    friction: FrictionWorkspace
    two_step: TwoStep


class Given(NamedTuple):
    """What a step begins with besides the motion."""

    targets: Poses
    pairs: dict[str, Array]  # of barriers, see `IpcSolver.pairs_snapshot`
    presliding: dict[str, Array]  # see `FrictionWorkspace.snapshot`


class ClusterProblem:
    """One cluster: the same step as of all bodies, on the bodies that are part of it."""

    def __init__(self, whole: Whole, cluster: Cluster) -> None:
        self.moves, self.members = cluster
        self._whole, k = whole.motion, len(self.members)
        self._place = np.full(len(whole.bodies.mass), -1, np.int64)  # of each body among members
        self._place[self.members] = np.arange(k)
        self._own, self._over_two = self._place[self.moves], whole.two_step
        self.motion = make_motion(
            np.zeros((k, 3)), np.zeros((k, 3, 3)), np.zeros((k, 3)), np.zeros((k, 3))
        )
        self.solver = IpcSolver(
            subset(whole.bodies, self.members), whole.barrier, self.motion,
            whole.friction.of_bodies(self.members),
        )  # fmt: skip
        own = self.solver.two_step
        own.acts[...], own.mechanism[...] = 1, np.arange(k)
        self.outcome: StepOutcome | None = None
        self.last_used = 0  # number of a step
        self.cost = 0  # of the last step, in iterations times bodies

    def begin(self, given: Given) -> None:
        """Take the state of all bodies, as it is at the start of a step."""
        motion, whole = self.motion, self._whole
        self._take_asleep()
        motion.sleep_counts[...] = 0
        motion.sleep_counts[ASLEEP] = np.count_nonzero(motion.asleep)
        for name in (*MOTION, *LOADS, *(SLEEP if motion.sleep_counts[ASLEEP] else ())):
            _take(getattr(whole, name), self.members, getattr(motion, name))
        self._renumber(self._place)
        own, of_all = self.solver.two_step, self._over_two
        own.h[...] = of_all.h
        for name in TAKEN:
            _take(getattr(of_all, name), self.members, getattr(own, name))
        targets = self.solver.targets
        targets[0][...], targets[1][...] = (
            given.targets.x[self.members],
            given.targets.R[self.members],
        )
        pairs, known = self._part(given.pairs), self.solver.pairs_snapshot()
        if not all(np.array_equal(pairs[name], known[name]) for name in pairs):
            self.solver.restore_pairs(pairs)
        self.solver.friction.restore(self._part(given.presliding))

    def _renumber(self, numbers: Int64Array) -> None:
        """Islands that sleep are named by a body: by its number elsewhere."""
        sleeps = self.motion.asleep != 0
        if not sleeps.any():
            return
        island = self.motion.sleeping_island
        island[...] = np.where(sleeps, numbers[np.where(sleeps, island, 0)], 0)

    def _take_asleep(self) -> None:
        """Which bodies sleep; pairs that are to be listed depend on it."""
        asleep = self._whole.asleep[self.members]
        if np.array_equal(asleep, self.motion.asleep):
            return
        self.solver.find_pairs_again()
        self.motion.asleep[...] = asleep

    def _part(self, rows: dict[str, Array]) -> dict[str, Array]:
        """Those of the rows of pairs whose bodies are both of this cluster."""
        if not len(rows["pairs"]):
            return rows
        pairs = self._place[rows["pairs"]]
        both = (pairs >= 0).all(axis=1)
        return {name: (pairs if name == "pairs" else of)[both] for name, of in rows.items()}

    def moved(self) -> Array:
        """[m] how far the centre of each body of `moves` was from its start in the step."""
        assert self.outcome is not None
        x = self.solver.iterates(self.outcome.iterations)[0][:, self._own]
        away = x - x[0]
        farthest: Array = np.sqrt(np.einsum("kij,kij->ki", away, away).max(axis=0))
        return farthest

    def end(self) -> None:
        """Give the motion at the end of the step to all bodies."""
        motion, whole = self.motion, self._whole
        changed = motion.sleep_counts[1:].any()  # which bodies sleep
        self._renumber(self.members)
        for name in (*MOTION, *(("asleep", *SLEEP) if changed else ())):
            getattr(whole, name)[self.moves] = getattr(motion, name)[self._own]
        whole.sleep_counts[1:] += motion.sleep_counts[1:]
        for name in GIVEN:
            getattr(self._over_two, name)[self.moves] = getattr(self.solver.two_step, name)[
                self._own
            ]

    def pairs(self) -> dict[str, Array]:
        """What is known of the barriers of its pairs, by the numbers of all bodies."""
        return self._numbered(self.solver.pairs_snapshot())

    def presliding(self) -> dict[str, Array]:
        """Likewise of their friction."""
        return self._numbered(self.solver.friction.snapshot())

    def _numbered(self, rows: dict[str, Array]) -> dict[str, Array]:
        rows["pairs"] = self.members[rows["pairs"]]
        return rows

    def take_poses(self) -> None:
        """Look at the poses that all bodies have now."""
        _take(self._whole.x, self.members, self.motion.x)
        _take(self._whole.R, self.members, self.motion.R)
        self._take_asleep()

    def listed(self, h: float, reach: float) -> tuple[Array, float, float]:
        """As `IpcSolver.listed`, bodies by their numbers among all."""
        self.take_poses()
        rows, energy, least = self.solver.listed(h, reach)
        columns = slice(BODY_A, BODY_B + 1)
        rows[:, columns] = self.members[rows[:, columns].astype(np.int64)]
        return rows, energy, least

    def waypoints(self) -> tuple[Array, Array]:
        """Poses (k, m, 3), (k, m, 3, 3) of `moves` that the last step passed."""
        assert self.outcome is not None
        x, R = self.solver.waypoints(self.outcome.iterations)
        return x[:, self._own], R[:, self._own]

    def is_path_collision_free(self, x: Array, R: Array) -> bool:
        """As `IpcSolver.is_path_collision_free`, from poses of all bodies."""
        self.take_poses()
        return self.solver.is_path_collision_free(x[self.members], R[self.members])

    def pair_of_all(self, pair: int) -> int:
        """A pair of bodies a n + b, by the numbers of all bodies; negative stays."""
        if pair < 0:
            return pair
        a, b = divmod(pair, len(self.members))
        return int(self.members[a]) * len(self._place) + int(self.members[b])

    @property
    def converged(self) -> bool:
        return self.outcome is not None and self.outcome.status == StepStatus.CONVERGED


def _take(rows: Array, numbers: Int64Array, into: Array) -> None:
    """The rows of these numbers, without a copy between ("raise" would make one)."""
    rows.take(numbers, axis=0, out=into, mode="clip")


def joined_rows(parts: list[dict[str, Array]], n: int) -> dict[str, Any]:
    """Rows of pairs of several problems in the order of the pairs of n bodies."""
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    pairs = joined["pairs"]
    order = np.argsort(pairs[:, 0] * n + pairs[:, 1], kind="stable")
    return {name: rows[order] for name, rows in joined.items()}
