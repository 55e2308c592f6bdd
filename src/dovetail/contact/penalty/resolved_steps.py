"""How long a step may be that resolves penalty contact in time, known before the first one."""

from itertools import combinations, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dovetail.contact.penalty.pairs import MAX_DERIVED, ContactPairs, expected_speed
from dovetail.model.frozen import Model
from dovetail.model.shapes import HalfSpace

if TYPE_CHECKING:
    from dovetail.contact.penalty.method import SDF

UNSTABLE = 2.0  # sqrt(k/m) h beyond which an explicit step of a spring diverges
SMOOTH = 0.2  # sqrt(k/m) h up to which it is followed well


class ResolvedStep(NamedTuple):
    """The pair of bodies whose contact is stiffest for its mass."""

    bodies: tuple[str, str]
    frequency: float  # [rad/s] sqrt(k/m) with one point of contact; more points are stiffer

    def is_refused(self, h: float) -> bool:
        """Whether a step of h [s] diverges as soon as these bodies meet as hard as expected."""
        return h * self.frequency > UNSTABLE

    @property
    def longest(self) -> float:
        """[s] the step that one point allows."""
        return SMOOTH / self.frequency


class _Sized(NamedTuple):
    """A body of which only its size matters."""

    size: float
    field: object = True
    samples: object = True


def stiffest_contact(model: Model, settings: "SDF") -> ResolvedStep | None:
    """Of the first pairs of free bodies that may meet; None where there are none.

    f = k d^n is at its stiffest where the expected impact ends, k d^(n+1)/(n+1) = m v^2/2.
    """
    jointed = {b for joint in model.joints for b in (joint.body_a, joint.body_b)}
    sizes = [_size(model, i) for i in range(model.n_bodies)]
    bodies = [None if size is None else _Sized(size) for size in sizes]
    pairs = ContactPairs(model, bodies, settings)
    meeting = [
        (i, j)
        for i, j in islice(combinations(range(model.n_bodies), 2), MAX_DERIVED)
        if pairs.may_collide(i, j) and not {i, j} & jointed
    ]
    if not meeting:
        return None
    rows = pairs.rows_of(np.array(meeting))
    k, n = pairs.laws[rows, 0], pairs.laws[rows, 1]
    mass = pairs.mass[rows]
    speed = [expected_speed(model, i, j, size) for (i, j), size in zip(meeting, pairs.size[rows])]
    depth = (0.5 * (n + 1) * mass * np.square(speed) / k) ** (1 / (n + 1))
    frequency = np.sqrt(n * k * depth ** (n - 1) / mass)
    worst = int(np.argmax(frequency))
    i, j = meeting[worst]
    return ResolvedStep((model.names[i], model.names[j]), float(frequency[worst]))


def _size(model: Model, i: int) -> float | None:
    """[m] as `CollisionBody.size`; None without a surface."""
    body = model.bodies[i]
    if body.shape is None or not len(body.surface.vertices):
        return None
    return np.inf if isinstance(body.shape, HalfSpace) else float(body.surface.diagonal)
