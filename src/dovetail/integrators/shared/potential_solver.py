"""What implicit Euler needs of a potential: a solver for the poses at the end of a step."""

from typing import NamedTuple, Protocol

from dovetail.contact.law import ContactReport
from dovetail.integrators.interface import Snapshot, StepReport
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray, Int32Array


class SolvedStep(NamedTuple):
    """How a step was solved."""

    iterations: int
    speed: float  # [m/s] of the fastest vertex in the last Newton direction
    tolerance: float  # [m/s] for that speed
    contacts: int  # most that acted at an iterate
    awake: int  # those of bodies that do not sleep
    creep: float  # [m/s] of the fastest contact of pairs that stick
    settled: bool  # whether friction is in balance with its normal forces


def report_of(solved: SolvedStep) -> StepReport:
    """What the run is told of a step."""
    return StepReport(
        solved.iterations, solved.speed, creep=solved.creep, settled=solved.settled,
        near=solved.contacts > 0,
    )  # fmt: skip


class PotentialSolver(Protocol):
    """Minimises inertia terms + h^2 (potential) over the poses of all bodies, step by step.

    It advances the arrays of the state it was made for; x^ and R^ of dynamic bodies follow from
    their velocities and the loads, those of kinematic bodies are the targets.
    """

    near: float  # [m] two bodies closer than this push each other apart

    @property
    def radius(self) -> Array:
        """(n,) [m] of the farthest vertex of each body."""

    @property
    def targets(self) -> tuple[Array, Array]:
        """Where kinematic bodies shall be at the end of the step: rows of x (n, 3), R (n, 3, 3)."""

    def set_loads(self, force: Array, torque: Array) -> None:
        """[N], [N m] on each body without contact, world axes, (n, 3) each."""

    @property
    def loads(self) -> tuple[Array, Array]:
        """What `set_loads` has set."""

    def set_spin(self, bodies: BoolArray, spin: Array) -> None:
        """Spins (k, 3) [rad/s], world axes, of those `bodies` (n,) bool that an impact changed."""

    def step(self, h: float, t: float) -> SolvedStep:
        """Advance the state by h [s] to the time t; raises RunError and leaves it as it was."""

    def drift(self, bodies: BoolArray, x: Array, R: Array, h: float) -> bool:
        """Lead `bodies` (n,) bool on to x (n, 3), R (n, 3, 3), as far as barriers let them.

        Velocities stay. Whether it was done: not where loads change with the motion.
        """

    def release_barriers(self, x: Array, R: Array, bodies: BoolArray) -> None:
        """Leave barriers of these bodies no more energy than they had at the poses x, R."""

    def contact_rows(self) -> Array:
        """The contacts of the state, see `contact.ipc.report`."""

    def pressing_rows(self) -> Array:
        """Likewise those with a force, which is times h^2."""

    def bodies_in_contact(self) -> Int32Array:
        """(k, 2) pairs of bodies, once for each contact."""

    def report(self) -> ContactReport:
        """Contacts, energy and least distance of the state."""

    def waypoints(self) -> tuple[Array, Array]:
        """Poses (k, n, 3), (k, n, 3, 3) of the last step, see `interface.LeavesWaypoints`."""

    def is_path_collision_free(self, x: Array, R: Array) -> bool:
        """Whether the direct path from poses (n, 3), (n, 3, 3) to the state's is free."""

    def snapshot(self) -> Snapshot:
        """All that the next step depends on besides the state, as plain arrays."""

    def restore(self, snapshot: Snapshot) -> None:
        """Continue from what `snapshot` returned."""
