"""What every integration scheme offers to the time loop."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.law import ContactMethod, ContactReport, LawKind
from dovetail.errors import RunError
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.inputs import Inputs
from dovetail.multibody.state import BodyState

Snapshot = dict[str, np.ndarray[Any, Any]]
JointValues = Mapping[tuple[int, int], float]
"""[m or rad] by number of a joint and of its coordinate, those that have a single value."""


@dataclass(slots=True)  # one is made in every step: a frozen one takes 1 us
class StepReport:
    """What one step cost."""

    iterations: int = 0
    residual: float = 0.0
    error: float | None = None  # estimated local error relative to its tolerance, if known
    creep: float = 0.0  # [m/s] of the fastest contact of pairs that stick
    settled: bool = True  # whether friction is in balance with the forces it follows from
    near: bool = False  # two bodies were so close that contact is looked for in detail
    rejected: int = 0  # attempts with a larger step that failed
    converged: bool = True  # whether the equations of the step were solved as well as they must be


@dataclass(eq=False)
class Observation:
    """What a frame records besides the motion of the bodies."""

    contact: ContactReport = field(default_factory=ContactReport)
    constraint_position: float = 0.0  # largest violation [m or rad]
    constraint_velocity: float = 0.0  # [m/s or rad/s]
    stored_energy: float = 0.0  # [J] in joint springs and the like
    joint_wrenches: Callable[[], tuple[Array, Array]] | None = None
    """Force [N] on body b and torque [N m] about the joint's point, (joints, 3) each."""
    behind: Array | None = None
    """[m] how far each kinematic body is off its trajectory at most, in their order."""


class Stepper(Protocol):
    """One run of a scheme on one model: holds the current state and advances it.

    `snapshot` and `restore` carry everything the next step depends on, bit for bit.
    """

    @property
    def bodies(self) -> BodyState:
        """The current motion of all bodies (do not change it)."""

    def step(self, t_next: float) -> StepReport:
        """Advance from the current time to `t_next`; raises RunError when it cannot."""

    def observe(self) -> Observation:
        """Contacts, energies and residuals of the current state."""

    def snapshot(self) -> Snapshot:
        """All that `restore` needs, as plain arrays."""

    def restore(self, snapshot: Snapshot) -> None:
        """Continue from what `snapshot` returned."""


@dataclass(eq=False)
class FrameBlock:
    """What k frames record, from a stepper that steps ahead; arrays as in `Observation`."""

    x: Array  # (k, n, 3) [m]
    R: Array  # (k, n, 3, 3)
    v: Array  # (k, n, 3) [m/s]
    omega: Array  # (k, n, 3) [rad/s] body axes
    joint_force: Array  # (k, joints, 3) [N]
    joint_torque: Array  # (k, joints, 3) [N m]
    stored_energy: Array  # (k,) [J]
    constraint_position: Array  # (k,)
    constraint_velocity: Array  # (k,)
    iterations: NDArray[np.int64]  # (k,) since the frame before, or since the last call
    residual: Array  # (k,)


class StepsAhead(Protocol):
    """What a stepper also has that takes many steps in one call, frames and all."""

    @property
    def can_step_ahead(self) -> bool:
        """Whether nothing has to happen in Python between two steps."""

    def steps_ahead(
        self, times: Array, which: NDArray[np.int64]
    ) -> tuple[FrameBlock, int, StepReport, RunError | None]:
        """Step from the current time, times[0], to each of the others.

        After step j the state becomes frame which[j] of the block, where that is >= 0. Returns the
        frames made, the steps done, what those after the last frame cost, and why it stopped.
        """


class LeavesWaypoints(Protocol):
    """What a stepper also has whose path is not always the direct one from step to step.

    The direct path is a constant world twist: x_0 + s (x_1 - x_0), exp(s log(R_1 R_0^T)) R_0. Its
    integrator says so with `leaves_waypoints = True`, or is assumed to for a potential law.
    """

    def waypoints(self) -> tuple[Array, Array]:
        """Poses (k, n, 3), (k, n, 3, 3) that the last step passed between its start and end.

        k = 0 when the direct path from start to end is free of contacts. A body whose positions
        are nan goes directly all the same.
        """

    def is_path_collision_free(self, x: Array, R: Array) -> bool:
        """Whether the direct path from poses (n, 3), (n, 3, 3) to the current ones is free.

        Called where several steps lie between two frames. A stepper without it keeps them all.
        """


class Observed(Protocol):
    """What a stepper also has whose velocities do not fit the joints at the end of its steps."""

    @property
    def observed(self) -> BodyState:
        """The motion of all bodies as it is shown and recorded; the poses are those of `bodies`."""


def observed_state(stepper: Any) -> BodyState:
    """The motion of all bodies as it is shown and recorded."""
    state: BodyState | None = getattr(stepper, "observed", None)
    return stepper.bodies if state is None else state


class Steerable(Protocol):
    """What a stepper also has that `dt.Simulation` can steer between two steps."""

    def set_inputs(self, inputs: Inputs, carried: bool = False) -> None:
        """Let `inputs` act from the current time on, in place of those before.

        `carried`: what the stepper keeps of the last step has them already, as after `restore`.
        """

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        """Go to `state` at once and forget all history; called after `restore` of the start.

        Velocities become the nearest that the joints allow. `coordinates` are those of the joints
        there, which tell whole revolutions.
        """


class Integrator(Protocol):
    """Settings of a scheme, as the user wrote them."""

    name: ClassVar[str]
    takes: ClassVar[frozenset[LawKind]]  # kinds of contact law it can step
    takes_joints: ClassVar[bool]
    keeps_momentum: ClassVar[bool]  # angular momentum in space, to round-off without loads

    @property
    def order(self) -> int:
        """Of convergence on smooth motion; the class has that of its default settings."""

    def start(self, model: Model, contact: ContactMethod | None) -> Stepper:
        """A stepper at the model's initial state."""
