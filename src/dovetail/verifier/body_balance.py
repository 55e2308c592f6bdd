"""Newton's law for every body that is free to move: m dv = h (m g + f + contact forces).

A body that nothing touches must fall, whatever the method. Where the method's forces are those at
the end of a step (`END_FORCES`), steps with contact are examined too. Those of a minimisation
(`MINIMISED`) are in balance up to its tolerance, a part of the forces in every step: they add up,
and so does what is allowed. The tolerance is one of velocities; friction of what sticks is so stiff
that within it the friction of a step, such as that of an impact, may be any. Only what the result
records is used.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dovetail.model.loads import ConstantForce
from dovetail.model.values import Array
from dovetail.results.result import Result

MINIMISED = ("ImplicitEuler",)
END_FORCES = ("StewartTrinkle", "CompliantEuler", *MINIMISED)
BOUND = 0.01  # of the largest momentum,
MINIMISED_BOUND = 0.05  # or of that and the impulses of contacts


@dataclass(frozen=True, eq=False)
class Balance:
    """One body."""

    name: str
    defect: Array
    """(frames,) [kg m/s] size of the momentum that came from nowhere since the start."""
    allowed: Array
    """(frames,) [kg m/s] a part of its largest momentum, of what its weight adds in a step, and,
    after a minimisation, of the impulses of its contacts until then, and that of their friction
    in one step."""

    @property
    def parts(self) -> Array:
        """(frames,) of what is allowed; inf where a number of the file is none."""
        finite = np.isfinite(self.defect) & np.isfinite(self.allowed)
        parts = np.where(finite, 0.0, np.inf)
        np.divide(self.defect, self.allowed, out=parts, where=finite & (self.allowed > 0.0))
        return parts

    @property
    def part(self) -> float:
        """The largest of them; the law is broken above 1."""
        return float(np.max(self.parts))


def balances(result: Result, integrator: str) -> Iterator[Balance]:
    """Of all bodies on which nothing but gravity, constant forces and contacts acts."""
    header, scene = result.stored.header, result.scene
    contacts = _contact_forces(result)
    touched = contacts.sizes > 0.0
    h = np.diff(result.time)[:, None]
    steady = _constant_forces(result)
    for k, name in enumerate(result.names):
        held = any(scene.bodies[name].checked.fixed)
        if header.motion[k] != "dynamic" or held or name not in steady:
            continue
        left_out = touched[1:, k] | touched[:-1, k]
        if integrator in END_FORCES:
            left_out[...] = False
        m = float(header.mass[k])
        moved = Motion(name, m, result.velocity(name), m * header.gravity + steady[name])
        found = _balance(moved, h, contacts.total[1:, k], left_out)
        if integrator in MINIMISED:
            found = replace(found, allowed=_after_minimisation(found, contacts, h[:, 0], k))
        yield found


class ContactForces(NamedTuple):
    """On each body, (frames, n, ...) [N]."""

    total: Array
    sizes: Array  # the sum of their sizes
    friction: Array  # the sum of the sizes of their parts along the surfaces


def _after_minimisation(found: Balance, contacts: ContactForces, h: Array, k: int) -> Array:
    """(frames,) [kg m/s] allowed to body k."""
    pressed, rubbed = (
        np.append(0.0, h * one[1:, k]) for one in (contacts.sizes, contacts.friction)
    )
    part = MINIMISED_BOUND * (found.allowed / BOUND + np.cumsum(pressed))
    return np.asarray(part + np.maximum.accumulate(rubbed))


class Motion(NamedTuple):
    """What one body did."""

    name: str
    mass: float  # [kg]
    velocity: Array  # (frames, 3) [m/s]
    pull: Array  # (3,) [N] its weight and constant forces


def _balance(moved: Motion, h: Array, contact: Array, left_out: NDArray[np.bool_]) -> Balance:
    """With contact forces (steps, 3) [N]; steps (steps, 1) [s] `left_out` change nothing."""
    m, v, pull = moved.mass, moved.velocity, moved.pull
    change = m * np.diff(v, axis=0) - h * (pull + contact)
    change[left_out] = 0.0
    total = np.concatenate([np.zeros((1, 3)), np.cumsum(change, axis=0)])
    fastest = m * float(np.max(np.linalg.norm(v, axis=1)))
    step = float(np.max(h, initial=0.0)) * float(np.linalg.norm(pull))
    allowed = np.full(len(total), BOUND * (fastest + step))
    return Balance(moved.name, np.linalg.norm(total, axis=1), allowed)


def _constant_forces(result: Result) -> dict[str, Array]:
    """[N] on each body that neither joints nor other loads act on."""
    scene = result.scene
    found = {name: np.zeros(3) for name in result.names}
    for _, a, b in scene.joints.values():
        found.pop(a, None)
        found.pop(b, None)
    for load in scene.loads.values():
        if isinstance(load, ConstantForce) and load.frame == "world":
            if load.body in found:
                found[load.body] = found[load.body] + np.asarray(load.force, float)
        else:
            for name in load.bodies():
                found.pop(name, None)
    return found


def _contact_forces(result: Result) -> ContactForces:
    count, n = len(result.time), len(result.names)
    found = ContactForces(np.zeros((count, n, 3)), np.zeros((count, n)), np.zeros((count, n)))
    for frame in np.flatnonzero(result.contacts.count).tolist():
        contacts = result.contacts.at(frame)
        presses = contacts.forces.any(axis=1)
        sizes = np.linalg.norm(contacts.forces, axis=1)
        along = np.einsum("ki,ki->k", contacts.forces, contacts.normals)
        friction = np.linalg.norm(contacts.forces - along[:, None] * contacts.normals, axis=1)
        for side, sign in ((0, 1.0), (1, -1.0)):
            body = contacts.bodies[:, side]
            used = (body >= 0) & presses
            np.add.at(found.total[frame], body[used], sign * contacts.forces[used])
            np.add.at(found.sizes[frame], body[used], sizes[used])
            np.add.at(found.friction[frame], body[used], friction[used])
    return found
