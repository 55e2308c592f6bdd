"""The three kinds of contact law.

They differ in when the force is known, so no common base class claims they are one thing:

- a *force law* knows the force from (t, q, v) (SDF penalty);
- a *potential* of q has value, gradient and Hessian (IPC);
- an *impulse law* knows the impulse only after solving for the velocity (LCP).

An integrator declares which kinds it takes; `dovetail.integrators.pairing` refuses the rest.
Each method's object (`dt.contact.IPC(...)`) is plain settings with `prepare(model)`, which
returns one of the prepared laws below. A law from outside the package needs the methods of its
kind and nothing else; `checked_law` says in a sentence what is missing or wrong. The package's own
three are compiled as a whole: `ImplicitEuler` and `StewartTrinkle` know the IPC and LCP solvers.

Displacements (n, 6) are world twists (s, w) of every body: x <- x + s, R <- exp([w]) R.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState

if TYPE_CHECKING:
    from dovetail.contact.impulse.problem import ImpulseProblem
    from dovetail.contact.impulse.records import ContactSet
    from dovetail.contact.impulse.solver import ImpulseSolver
    from dovetail.contact.penalty.records import DerivativeBlocks

LawKind = Literal["force", "potential", "impulse"]


class ContactMethod(Protocol):
    """Settings of a contact method, as the user wrote them."""

    name: ClassVar[str]
    kind: ClassVar[LawKind]

    def prepare(self, model: Model) -> Any:
        """The law for one model: a ForceLaw, Potential or ImpulseLaw by `kind`."""


@runtime_checkable
class ForceLaw(Protocol):
    """A force known from time, configuration and velocity."""

    def wrenches(self, state: BodyState) -> tuple[Array, Array]:
        """Force [N] and torque [N m] about each centre of mass, world axes, (n, 3) each."""

    def report(self, state: BodyState) -> "ContactReport":
        """Contacts, stored energy and smallest distance at `state`."""


@runtime_checkable
class Potential(Protocol):
    """An energy of the poses x (n, 3) [m], R (n, 3, 3); forces are minus its gradient."""

    def value(self, x: Array, R: Array) -> float:
        """[J]; inf where the poses are not allowed, such as bodies inside each other."""

    def gradient(self, x: Array, R: Array) -> Array:
        """(n, 6) d value / d displacement [N, N m], world axes, torques about the centres."""

    def hessian(self, x: Array, R: Array) -> Array:
        """(n, 6, n, 6) d^2 value / d displacement^2, symmetric; need not be positive."""

    def report(self, x: Array, R: Array) -> "ContactReport":
        """Contacts, stored energy and smallest distance."""


@runtime_checkable
class CollisionFreePotential(Protocol):
    """A potential that also bounds the step, so that no path ever passes through a body."""

    def collision_free_step_size(self, x: Array, R: Array, displacement: Array) -> float:
        """Largest share in (0, 1] of a displacement (n, 6) along which nothing intersects."""


@runtime_checkable
class LaggedPotential(Protocol):
    """A potential with parts that are constant in a step, such as friction's normal forces."""

    def begin_step(self, state: BodyState, h: float) -> None:
        """A step of h [s] starts at `state`; called again where the step is tried once more."""


class ContactGeometry(NamedTuple):
    """Where bodies touch or are about to."""

    bodies: NDArray[np.int32]  # (m, 2) body a, body b
    points: Array  # (m, 3) [m]
    normals: Array  # (m, 3) from b to a, unit length
    gaps: Array  # (m,) [m], > 0 apart


class ContactProblem(NamedTuple):
    """What a step asks of an impulse law: impulses such that contact holds at its end.

    u' = u_free + M^-1 J^T lambda; rows 3 k, 3 k + 1, 3 k + 2 of contact k are along its normal and
    two tangents. Rates are J u: of a relative to b, so > 0 apart.
    """

    geometry: ContactGeometry
    h: float  # [s]
    W: Array  # (3 m, 3 m) [1/kg] Delassus matrix J M^-1 J^T
    rates: Array  # (3 m,) [m/s] J u_free: after loads, without contact
    rates_before: Array  # (3 m,) [m/s] J u at the start of the step, for restitution


@runtime_checkable
class ImpulseLaw(Protocol):
    """Impulses known only after solving for the velocities at the end of the step."""

    def contacts(self, x: Array, R: Array, reach: Array) -> ContactGeometry:
        """Contacts of a step in which points of body i move by at most reach[i] (n,) [m]."""

    def impulses(self, problem: ContactProblem) -> Array:
        """(m, 3) [N s] on body a along the normal and the two tangents of every contact."""


@runtime_checkable
class DampedLaw(Protocol):
    """A force law that knows the derivatives of its wrenches by velocity and position."""

    def velocity_derivatives(self, state: BodyState) -> Array:
        """d(force, torque) / d(v, spin), world axes, (n, 6, n, 6), after `wrenches(state)`."""

    def derivative_blocks(self, state: BodyState, tangent: bool = True) -> "DerivativeBlocks":
        """The same as blocks of bodies in contact, which is what many bodies need.

        Without `tangent`, secants that bound every force: safe where Newton's method diverges.
        """

    def position_derivatives(self, state: BodyState) -> Array:
        """d(force, torque) / d(small motion), world axes, (n, 6, n, 6), approximately."""


@runtime_checkable
class JointedLaw(Protocol):
    """A force law that knows the natural frequency of its contacts if bodies had no joints."""

    def natural_frequency(self) -> float:
        """[rad/s] the largest of contacts of jointed bodies at the latest state."""


@runtime_checkable
class KeepsHistory(Protocol):
    """A force law that also depends on what happened before, such as the speed of an impact."""

    def snapshot(self) -> dict[str, Any]:
        """All that `restore` needs, as plain arrays."""

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Continue from what `snapshot` returned."""


@runtime_checkable
class Forgets(Protocol):
    """A law whose history can be dropped where bodies are put elsewhere."""

    def forget(self) -> None:
        """The next state is another one, not where this one leads."""


@runtime_checkable
class RowImpulseLaw(Protocol):
    """An impulse law that solves the rows of joints and contacts together, as LCP does.

    What it may be instead of an `ImpulseLaw`, where mechanisms are to run too.
    """

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
