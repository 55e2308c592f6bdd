"""A scene at other joint coordinates: its bodies moved, its joints with them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from dovetail.errors import InputError
from dovetail.linalg.lie import so3
from dovetail.model.couplings import Coupling, named
from dovetail.model.frozen import GROUND, Model
from dovetail.model.joints import Actuation, Joint
from dovetail.model.values import Array, Mistakes, finite_array, quote
from dovetail.multibody.mechanism import Mechanism
from dovetail.multibody.state import BodyState, initial_state
from dovetail.runtime.registry import did_you_mean

OPEN = 1e-6  # of the mechanism's size: loops that are closed as well as that


@dataclass(frozen=True, eq=False)
class MovedBody:
    """A rigid motion from where the scene has a body: x -> rotation (x - before) + after."""

    rotation: Array
    before: Array  # [m] centre of mass
    after: Array

    def point(self, x: Any) -> Array:
        return np.asarray(self.rotation @ (np.asarray(x, float) - self.before) + self.after)


@dataclass(frozen=True, eq=False)
class MovedModel:
    """The motion of all bodies at joint coordinates q and velocities v of some joints."""

    state: BodyState
    bodies: list[MovedBody]
    joints: dict[str, Joint]

    def velocities(self, body: int) -> dict[str, Array]:
        """Of one body, as `scene.add_body` takes them."""
        return {"velocity": self.state.v[body], "angular_velocity": self.state.spin[body]}


def moved_model(model: Model, q: Mapping[str, Any], v: Mapping[str, Any]) -> MovedModel:
    """The model with its joints at q, counted from where it is, moving at v; others as they are."""
    mechanism = Mechanism(model)
    found = Mistakes()
    coordinates, velocities = mechanism.neutral(), np.zeros(mechanism.n_v)
    for given, into, name in ((q, coordinates, "q"), (v, velocities, "v")):
        for joint, value in given.items():
            found.take(_put, mechanism, joint, value, into, name)
    found.raise_if_any()
    _refuse_open(mechanism, coordinates)
    state = mechanism.state(coordinates, velocities)
    before = initial_state(model)
    moves = [
        MovedBody(state.R[i] @ before.R[i].T, before.x[i], state.x[i])
        for i in range(model.n_bodies)
    ]
    still = MovedBody(np.eye(3), np.zeros(3), np.zeros(3))
    joints = {}
    for placed in model.joints:
        a = still if placed.body_a == GROUND else moves[placed.body_a]
        b = still if placed.body_b == GROUND else moves[placed.body_b]
        part = np.atleast_1d(np.asarray(q.get(placed.name, ()), float))
        joints[placed.name] = _moved_joint(placed.joint, part, a, b)
    return MovedModel(state, moves, joints)


def _put(mechanism: Mechanism, joint: str, value: Any, into: Array, name: str) -> None:
    """Write the coordinates or velocities of one joint."""
    names = [link.name for link in mechanism.parts.links]
    if joint not in names:
        known = did_you_mean(joint, names)
        raise InputError(f"`{name}` names joint {quote(joint)}, which no moving joint has{known}")
    where = mechanism.q_of(joint) if name == "q" else mechanism.v_of(joint)
    size = where.stop - where.start
    what = f"`{name}` of joint {quote(joint)}"
    if where.stop > len(into) or size < 1:
        raise InputError(f"{what} cannot be given: it closes a loop; give those of the others")
    shaped = np.atleast_1d(value) if np.ndim(value) == 0 else value
    into[where] = finite_array(shaped, what, (size,), "m or rad")


def _refuse_open(mechanism: Mechanism, q: Array) -> None:
    residuals = np.abs(mechanism.residuals(q))
    if residuals.size and residuals.max() > OPEN * mechanism.length:
        row = int(np.argmax(residuals))
        raise InputError(
            f"joint {quote(mechanism.equation(row, q).joint)} would be open by "
            f"{residuals[row]:.3g} m or rad at this `q`; give the coordinates of all joints of "
            "its loop"
        )


def _moved_joint(joint: Joint, q: Array, a: MovedBody, b: MovedBody) -> Joint:
    """The joint where its bodies are; limits and rests count from there."""
    changes: dict[str, Any] = {"point": a.point(joint.point)}
    if joint.axes:
        changes["axis"] = a.rotation @ np.asarray(joint.axis, float)
    if joint.axes == 2:
        first = so3.exp(_unit(joint.axis) * (float(q[0]) if q.size else 0.0))
        second: Any = getattr(joint, "axis2")  # noqa: B009
        changes["axis2"] = a.rotation @ first @ np.asarray(second, float)
    if joint.point_b is not None:
        changes["point_b"] = b.point(joint.point_b)
    if joint.axis_b is not None:
        changes["axis_b"] = b.rotation @ np.asarray(joint.axis_b, float)
    if q.size and joint.actuation and all(c.motion.has_values for c in joint.coordinates):
        acting = [_shifted(one, float(part)) for one, part in zip(joint.actuation, q)]
        changes["actuation"] = tuple(acting) + tuple(joint.actuation[len(acting) :])
    return replace(joint, **changes)


def _shifted(acting: Actuation, by: float) -> Actuation:
    """The same limits and rest for a coordinate that is zero where this one is `by`."""
    return replace(
        acting,
        lower=None if acting.lower is None else acting.lower - by,
        upper=None if acting.upper is None else acting.upper - by,
        rest=acting.rest - by,
    )


def shifted_coupling(coupling: Coupling, q: Mapping[str, Any]) -> Coupling:
    """The coupling for coordinates that are zero where these are `q`: f(s + q) - f(s)."""
    terms: dict[Any, Any] = {}
    start = 0.0
    for key, value in coupling.terms.items():
        joint, coordinate = named(key)
        parts = np.atleast_1d(np.asarray(q.get(joint, 0.0), float))
        at = float(parts[coordinate - 1]) if coordinate <= parts.size else 0.0
        factors = value if isinstance(value, tuple | list) else (value,)
        moved = Polynomial([0.0, *map(float, factors)])(Polynomial([at, 1.0])).coef
        start += float(moved[0])
        rates = tuple(float(c) for c in moved[1:])
        terms[key] = rates if len(rates) > 1 else rates[0]
    acting = coupling.actuation
    if acting is not None:
        return replace(coupling, terms=terms, actuation=_shifted(acting, start))
    return replace(coupling, terms=terms, offset=float(coupling.offset) - start)


def _unit(axis: Any) -> Array:
    array = np.asarray(axis, float)
    return np.asarray(array / np.linalg.norm(array))
