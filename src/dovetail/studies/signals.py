"""Quantities of a result over time, by name, as (frames,) arrays."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.linalg.lie import so3
from dovetail.model.values import Array, quote
from dovetail.results import Result

COMPONENTS = {"x": 0, "y": 1, "z": 2}


def signal(
    result: Result, name: str, bodies: Sequence[str] = (), component: str | None = None
) -> Array:
    """The quantity `name` of `bodies` at every frame.

    A vector is given by one `component` (x, y, z) or else by its length.
    """
    if name not in SIGNALS:
        raise InputError(f"a signal must be one of {', '.join(SIGNALS)}, got {quote(name)}")
    refuse_wrong_count(name, bodies)
    found = np.asarray(SIGNALS[name][2](result, *bodies), float)
    if found.ndim == 2:
        return _of_vector(found, component)
    if component is not None:
        raise InputError(f"signal {name!r} is a number, it has no component {quote(component)}")
    return found


def refuse_wrong_count(name: str, bodies: Sequence[str]) -> None:
    """Raise InputError unless the signal is of that many bodies."""
    least, most, _ = SIGNALS[name]
    if not least <= len(bodies) <= most:
        count = f"{least}" if least == most else f"{least} to {most}"
        raise InputError(f"signal {name!r} is of {count} bodies, got {quote(list(bodies))}")


def _of_vector(vectors: Array, component: str | None) -> Array:
    if component is None:
        return np.asarray(np.linalg.norm(vectors, axis=1))
    if component not in COMPONENTS:
        raise InputError(f"`component` must be x, y or z, got {quote(component)}")
    return vectors[:, COMPONENTS[component]]


def _position(result: Result, *bodies: str) -> Array:
    return _relative(result.position, *bodies)


def _velocity(result: Result, *bodies: str) -> Array:
    return _relative(result.velocity, *bodies)


def _angular_velocity(result: Result, *bodies: str) -> Array:
    return _relative(result.angular_velocity, *bodies)


def _relative(of_body: Callable[[str], Array], a: str, b: str | None = None) -> Array:
    """Of body a, or of a relative to b."""
    return of_body(a) if b is None else of_body(a) - of_body(b)


def _turn(result: Result, a: str, b: str | None = None) -> Array:
    """[rad] angle by which a has turned since the first frame (in b's frame, if given)."""
    R = result.rotation(a)
    if b is not None:
        R = np.swapaxes(result.rotation(b), 1, 2) @ R
    return np.asarray(np.linalg.norm(so3.log(R @ R[0].T), axis=1))


def _contact_force(result: Result, *bodies: str) -> Array:
    """[N] on the first body: in all its contacts, or in those with the second; (frames, 3).

    Without bodies: the largest force between any two, (frames,).
    """
    numbers = [result.names.index(_known(result, name)) for name in bodies]
    frames, contacts = result.contacts.all()
    pairs, forces = contacts.bodies, contacts.forces
    if not bodies:
        return _largest_pair_force(len(result.time), frames, pairs, forces)
    a = numbers[0]
    other_is = [_touches(pairs, 1, numbers), _touches(pairs, 0, numbers)]
    total = np.zeros((len(result.time), 3))
    for side, sign in ((0, 1.0), (1, -1.0)):
        mine = (pairs[:, side] == a) & other_is[side]
        np.add.at(total, frames[mine], sign * forces[mine])
    return total


def _touches(pairs: Any, side: int, numbers: list[int]) -> Any:
    return pairs[:, side] == numbers[1] if len(numbers) == 2 else np.ones(len(pairs), bool)


def _largest_pair_force(count: int, frames: Any, pairs: Any, forces: Array) -> Array:
    """Forces of one pair of bodies in one frame added, then the longest of each frame."""
    largest = np.zeros(count)
    if len(frames) == 0:
        return largest
    keys = np.column_stack([frames, np.sort(pairs, axis=1)])
    signs = np.where(pairs[:, 0] <= pairs[:, 1], 1.0, -1.0)[:, None]
    groups, which = np.unique(keys, axis=0, return_inverse=True)
    total = np.zeros((len(groups), 3))
    np.add.at(total, which.ravel(), signs * forces)
    np.maximum.at(largest, groups[:, 0], np.linalg.norm(total, axis=1))
    return largest


def _penetration(result: Result) -> Array:
    """[m] depth of the deepest contact, 0 where none."""
    frames, contacts = result.contacts.all()
    deepest = np.zeros(len(result.time))
    np.maximum.at(deepest, frames, np.maximum(-contacts.gaps, 0.0))
    return deepest


def _known(result: Result, name: str) -> str:
    result.position(name)  # says which bodies there are, if not this one
    return name


Of = Callable[..., Array]
SIGNALS: dict[str, tuple[int, int, Of]] = {  # least and most bodies it is of, and how
    "position": (1, 2, _position),
    "velocity": (1, 2, _velocity),
    "angular_velocity": (1, 2, _angular_velocity),
    "distance": (2, 2, _position),
    "turn": (1, 2, _turn),
    "contact_force": (0, 2, _contact_force),
    "contacts": (0, 0, lambda result: result.contacts.count),
    "penetration": (0, 0, _penetration),
    "min_distance": (0, 0, lambda result: result.min_distance),
    "kinetic_energy": (0, 0, lambda result: result.energy["kinetic"]),
    "potential_energy": (0, 0, lambda result: result.energy["potential"]),
    "contact_energy": (0, 0, lambda result: result.energy["contact"]),
    "energy": (0, 0, lambda result: result.energy["total"]),
    "momentum": (0, 0, lambda result: result.momentum["linear"]),
    "angular_momentum": (0, 0, lambda result: result.momentum["angular"]),
    "joint_violation": (0, 0, lambda result: result.constraint_violation["position"]),
    "iterations": (0, 0, lambda result: result.stats["iterations"]),
}
