"""Contact forces of a run added up: per pair of bodies and per body, frame by frame."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.model.frozen import GROUND
from dovetail.model.values import GROUND_NAME, Array, quote
from dovetail.runtime.registry import did_you_mean

if TYPE_CHECKING:
    from dovetail.results.result import Result


class NetForce(NamedTuple):
    """A net force [N] and the point [m] it acts at; nan where nothing touches. (frames, 3) each."""

    force: Array
    point: Array


class NetWrench(NamedTuple):
    """A net force [N] and torque [N m] about `point` [m], world axes, (frames, 3) each."""

    force: Array
    torque: Array
    point: Array


def number_of(result: "Result", name: str) -> int:
    """The number of a body in the contacts; raises InputError with the one that was meant."""
    if name == GROUND_NAME:
        return GROUND
    if name not in result.names:
        known = ", ".join(result.names[:20]) + (", ..." if len(result.names) > 20 else "")
        raise InputError(
            f"there is no body {quote(name)} in this result{did_you_mean(name, result.names)}; it "
            f"has: {known}"
        )
    return result.names.index(name)


def pair_wrench(result: "Result", a: str, b: str) -> NetWrench:
    """What body `b` does to body `a` by contact.

    The point is the mean of the points of contact, weighted by their normal forces.
    """
    first, second = number_of(result, a), number_of(result, b)
    frames, contacts = result.contacts.all()
    straight = (contacts.bodies == (first, second)).all(axis=1)
    own = straight | (contacts.bodies == (second, first)).all(axis=1)
    sign = np.where(straight, 1.0, -1.0)[own, None]
    at, points = frames[own], contacts.points[own]
    forces, couples = sign * contacts.forces[own], sign * contacts.torques[own]
    weights = np.abs(np.einsum("mi,mi->m", forces, contacts.normals[own]))
    count = len(result.time)
    total = _summed(at, weights, count)
    idle = total[at] == 0.0  # of frames whose contacts carry nothing all count alike
    weights = np.where(idle, 1.0, weights)
    total = _summed(at, weights, count)
    with np.errstate(invalid="ignore"):
        point = _summed(at, weights[:, None] * points, count) / total[:, None]
    moments = couples + np.cross(points - point[at], forces)
    return NetWrench(_summed(at, forces, count), _summed(at, moments, count), point)


def body_wrench(result: "Result", name: str) -> NetWrench:
    """What all others do to a body by contact, about its centre of mass."""
    body = number_of(result, name)
    frames, contacts = result.contacts.all()
    count, centres = len(result.time), result.position(name)
    force, torque = np.zeros((count, 3)), np.zeros((count, 3))
    for side, sign in ((0, 1.0), (1, -1.0)):
        own = contacts.bodies[:, side] == body
        at, forces = frames[own], sign * contacts.forces[own]
        force += _summed(at, forces, count)
        moments = np.cross(contacts.points[own] - centres[at], forces)
        torque += _summed(at, sign * contacts.torques[own] + moments, count)
    return NetWrench(force, torque, centres)


def touching_pairs(result: "Result") -> list[tuple[str, str]]:
    """Pairs of bodies that carry a contact force in some frame, the strongest first."""
    frames, contacts = result.contacts.all()
    if not len(frames):
        return []
    pairs, which = np.unique(contacts.bodies, axis=0, return_inverse=True)
    strengths = []
    for k in range(len(pairs)):
        own = which.reshape(-1) == k
        net = _summed(frames[own], contacts.forces[own], len(result.time))
        strengths.append(float(np.linalg.norm(net, axis=1).max()))
    order = np.argsort(strengths, kind="stable")[::-1]

    def name(i: int) -> str:
        return GROUND_NAME if i == GROUND else result.names[i]

    return [(name(int(pairs[k, 0])), name(int(pairs[k, 1]))) for k in order if strengths[k] > 0.0]


def _summed(at: NDArray[np.int64], values: Array, count: int) -> Array:
    total = np.zeros((count, *values.shape[1:]))
    np.add.at(total, at, values)
    return total
