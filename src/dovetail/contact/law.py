"""The three kinds of contact law.

They differ in when the force is known, so no common base class pretends they are one thing:

- a *force law* knows the force from (t, q, v) (SDF penalty);
- a *potential* of q has value, gradient, Hessian and a largest safe step (IPC);
- an *impulse law* knows the impulse only after solving for the velocity (LCP).

An integrator declares which kinds it takes; `dovetail.integrators.pairing` refuses the rest.
Each method's object (`dt.contact.IPC(...)`) is plain settings with `prepare(model)`, which
returns one of the prepared laws below.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.penalty.derivative_blocks import SlopeBlocks
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState

if TYPE_CHECKING:
    from dovetail.contact.impulse.problem import ImpulseProblem
    from dovetail.contact.impulse.records import ContactSet
    from dovetail.contact.impulse.solver import ImpulseSolver

LawKind = Literal["force", "potential", "impulse"]


class ContactMethod(Protocol):
    """Settings of a contact method, as the user wrote them."""

    name: ClassVar[str]
    kind: ClassVar[LawKind]

    def prepare(self, model: Model) -> Any:
        """The law for one model: a ForceLaw, ContactPotential or ImpulseLaw by `kind`."""


class ForceLaw(Protocol):
    """A force known from time, configuration and velocity."""

    def wrenches(self, state: BodyState) -> tuple[Array, Array]:
        """Force [N] and torque [N m] about each centre of mass, world axes, (n, 3) each."""

    def report(self, state: BodyState) -> "ContactReport":
        """Contacts, stored energy and smallest distance at `state`."""


@runtime_checkable
class DampedLaw(Protocol):
    """A force law that knows how its wrenches change with velocity and place."""

    def slopes(self, state: BodyState) -> Array:
        """d(force, torque) / d(v, spin), world axes, (n, 6, n, 6), after `wrenches(state)`."""

    def slope_blocks(self, state: BodyState, tangent: bool = True) -> SlopeBlocks:
        """The same as blocks of bodies that touch, which is what many bodies need.

        Without `tangent`, slopes that no force falls short of: safe where Newton's method strays.
        """

    def stiffness(self, state: BodyState) -> Array:
        """d(force, torque) / d(small motion), world axes, (n, 6, n, 6), about so."""


@runtime_checkable
class JointedLaw(Protocol):
    """A force law that knows how fast its contacts would swing if bodies had no joints."""

    def swing_if_free(self) -> float:
        """[rad/s] of the fastest contact of jointed bodies at the latest state."""


@runtime_checkable
class KeepsHistory(Protocol):
    """A force law that also depends on what happened before, such as the speed of an impact."""

    def snapshot(self) -> dict[str, Any]:
        """All that `restore` needs, as plain arrays."""

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Continue from what `snapshot` returned."""


class ImpulseLaw(Protocol):
    """Impulses known only after solving for the velocities at the end of a step."""

    @property
    def bounding_radius(self) -> Array:
        """(n,) [m] largest distance of any point of each body from its centre of mass."""

    def find_contacts(self, x: Array, R: Array, displacement: Array) -> "ContactSet":
        """Contacts, with their materials, of bodies at x (n, 3), R (n, 3, 3).

        Points of body i may move by displacement[i] [m] in the step.
        """

    def solver(self, problem: "ImpulseProblem") -> "ImpulseSolver":
        """What solves the rows of joints and contacts of `problem` for their impulses."""


@dataclass(eq=False)
class ContactRecord:
    """The contacts of one state, one row each; what the result file keeps."""

    bodies: NDArray[np.int32]  # (m, 2) body a, body b
    points: Array  # (m, 3) [m]
    normals: Array  # (m, 3) from b to a
    forces: Array  # (m, 3) [N] on a
    gaps: Array  # (m,) [m], > 0 apart
    torques: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """(m, 3) [N m] couples on a besides the forces; zero where a law has none."""

    def __post_init__(self) -> None:
        if len(self.torques) != len(self.gaps):
            self.torques = np.zeros((len(self.gaps), 3))


def in_body_order(contacts: ContactRecord) -> ContactRecord:
    """The same contacts with the body that the scene names later as a, the ground (-1) as b.

    So the forces of one pair of bodies can simply be added.
    """
    swap = contacts.bodies[:, 0] < contacts.bodies[:, 1]
    if not swap.any():
        return contacts
    sign = np.where(swap, -1.0, 1.0)[:, None]
    return ContactRecord(
        np.where(swap[:, None], contacts.bodies[:, ::-1], contacts.bodies),
        contacts.points,
        sign * contacts.normals,
        sign * contacts.forces,
        contacts.gaps,
        sign * contacts.torques,
    )


def no_contacts() -> ContactRecord:
    return ContactRecord(
        np.zeros((0, 2), np.int32),
        np.zeros((0, 3)),
        np.zeros((0, 3)),
        np.zeros((0, 3)),
        np.zeros(0),
    )


@dataclass(eq=False)
class ContactReport:
    """What a law says about one state besides forces."""

    contacts: ContactRecord = field(default_factory=no_contacts)
    energy: float = 0.0  # [J] stored in the contacts
    min_distance: float = np.inf  # [m]
