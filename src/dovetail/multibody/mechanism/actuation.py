"""What acts along joint coordinates: springs, dampers, friction, stops, motors."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from dovetail.errors import InputError, RunError
from dovetail.model.couplings import MAX_DEGREE
from dovetail.model.joints import Actuation, Joint
from dovetail.model.joints.actuation import SOFT_LIMIT, Steered, takes_state
from dovetail.model.joints.motions import BallRotation
from dovetail.model.values import Array, quote
from dovetail.multibody.mechanism.coupled import TreeTerm, tree_terms
from dovetail.multibody.mechanism.parts import Parts, acts
from dovetail.multibody.tree import Tree
from dovetail.multibody.tree.efforts import EffortArrays

Function = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Coordinate:
    """One actuated velocity of the tree."""

    who: str
    joint: str
    number: int
    """Of that joint's coordinates."""
    v_index: int
    q_index: int
    """-1 for the turns of a spherical and the motions of a free joint."""
    actuation: Actuation
    terms: tuple[TreeTerm, ...] = ()
    """Of a sum over coordinates: their values, velocities and coefficients; v_index is no use."""

    def gradient(self, q: Array, n_v: int) -> Array:
        """(n_v,) rate of the coordinate per joint velocity."""
        row = np.zeros(n_v)
        if not self.terms:
            row[self.v_index] = 1.0
        for q_index, v_index, coefficients in self.terms:
            powers = np.arange(1, len(coefficients) + 1)
            row[v_index] += float(powers * coefficients @ q[q_index] ** (powers - 1))
        return row

    def value(self, q: Array) -> float:
        """0 where it has none."""
        if self.terms:
            return sum(float(np.dot(c, q[k] ** np.arange(1, len(c) + 1))) for k, _, c in self.terms)
        return float(q[self.q_index]) if self.q_index >= 0 else 0.0


@dataclass(frozen=True, eq=False)
class Ball:
    """A spherical joint with springs."""

    v_index: int
    q_index: int
    stiffness: Array
    rest: Array


@dataclass(frozen=True, eq=False)
class Motor:
    """A motor on one coordinate: an effort, or a motion that is held."""

    who: str
    v_index: int
    q_index: int
    mode: str
    """"effort", "position" or "velocity"."""
    wanted: float | Function
    effort_limit: float
    velocity_limit: float
    along: Coordinate
    """The coordinate that it acts on."""

    @cached_property
    def follows_state(self) -> bool:
        """Whether it asks for its coordinate and rate too."""
        return callable(self.wanted) and takes_state(self.wanted)

    def at(self, t: float, *state: float) -> float:
        """The wanted value at time t [s]; `state`: coordinate and rate, where it asks for them."""
        if not callable(self.wanted):
            return self.wanted
        try:
            value = float(self.wanted(t, *state))
        except Exception as error:
            raise RunError(
                f"the motor of {self.who} failed: {type(error).__name__}: {error}", t
            ) from error
        if not np.isfinite(value):
            raise RunError(f"the motor of {self.who} must give a finite number, got {value}", t)
        return value

    def effort(self, t: float, *state: float) -> float:
        return float(np.clip(self.at(t, *state), -self.effort_limit, self.effort_limit))

    def speed(self, t: float) -> float:
        """Of a velocity motor, no faster than its rating."""
        return float(np.clip(self.at(t), -self.velocity_limit, self.velocity_limit))


@dataclass(frozen=True, eq=False)
class Acting:
    """Everything that acts along coordinates of one tree."""

    coordinates: list[Coordinate]
    balls: list[Ball]
    motors: list[Motor]

    @property
    def efforts(self) -> list[Motor]:
        return [motor for motor in self.motors if motor.mode == "effort"]

    @property
    def driven(self) -> list[Motor]:
        return [motor for motor in self.motors if motor.mode != "effort"]

    def arrays(self, mobility: Array) -> EffortArrays:
        """For the kernels; mobility: velocity per impulse along each of `coordinates`."""
        rows = self.coordinates
        a = [row.actuation for row in rows]
        terms = [term for row in rows for term in row.terms]
        factor = np.zeros((len(terms), MAX_DEGREE))
        for k, (_, _, coefficients) in enumerate(terms):
            factor[k, : len(coefficients)] = coefficients
        return EffortArrays(
            v_index=np.array([row.v_index for row in rows], dtype=np.int64),
            q_index=np.array([row.q_index for row in rows], dtype=np.int64),
            has_value=np.array([row.q_index >= 0 or bool(row.terms) for row in rows], np.bool_),
            stiffness=np.array([x.stiffness for x in a], dtype=np.float64),
            rest=np.array([x.rest for x in a], dtype=np.float64),
            damping=np.array([x.damping for x in a], dtype=np.float64),
            friction=np.array([x.friction for x in a], dtype=np.float64),
            mobility=np.array(mobility, dtype=np.float64),
            lower=np.array([-inf if x.lower is None else x.lower for x in a], dtype=np.float64),
            upper=np.array([inf if x.upper is None else x.upper for x in a], dtype=np.float64),
            soft=np.array(
                [[getattr(x, name) for name in SOFT_LIMIT] for x in a], dtype=np.float64
            ).reshape(-1, 3),
            least_step=np.zeros(1),
            ball_v=np.array([ball.v_index for ball in self.balls], dtype=np.int64),
            ball_q=np.array([ball.q_index for ball in self.balls], dtype=np.int64),
            ball_stiffness=np.array([b.stiffness for b in self.balls]).reshape(-1, 3),
            ball_rest=np.array([b.rest for b in self.balls]).reshape(-1, 3),
            term_start=np.cumsum([0, *(len(row.terms) for row in rows)], dtype=np.int64),
            term_q=np.array([term[0] for term in terms], dtype=np.int64),
            term_v=np.array([term[1] for term in terms], dtype=np.int64),
            term_factor=factor,
        )


def acting_on(parts: Parts, tree: Tree) -> Acting:
    """All actuation of a system; raises one InputError for what its joints cannot have."""
    acting, mistakes = Acting([], [], []), []
    for number, link in enumerate(parts.links, 1):
        entries = [(i, entry) for i, entry in enumerate(link.placed.joint.actuation) if acts(entry)]
        if not entries or parts.topology.joint_labels[number - 1] > tree.n_bodies:
            continue
        joint = link.placed.joint
        q, v = tree.q_of(number), tree.v_of(number)
        acting.balls.extend(_balls(joint, q.start, v.start))
        for i, entry in entries:
            who = f"joint {quote(link.name)}"
            if joint.freedoms > 1:
                who = f"coordinate {i + 1} of {who}"
            coordinate = joint.coordinates[i]
            if not coordinate.motion.has_values:
                mistakes += _impossible(who, joint, entry)
            v_index = v.start + coordinate.v
            q_index = q.start + coordinate.q if coordinate.motion.has_values else -1
            along = Coordinate(who, link.name, i, v_index, q_index, entry)
            acting.coordinates.append(along)
            if entry.motor is not None and getattr(entry.motor, "given", entry) is not None:
                acting.motors.append(_motor(along))
    for coupling in parts.model.couplings:
        if coupling.actuation is not None:
            who = f"coupling {quote(coupling.name)}"
            terms = tuple(tree_terms(coupling, parts, tree))
            along = Coordinate(who, "", 0, terms[0][1], -1, coupling.actuation, terms)
            acting.coordinates.append(along)
            if coupling.actuation.motor is not None:
                acting.motors.append(_motor(along))
    if mistakes:
        raise InputError(mistakes)
    return acting


def _balls(joint: Joint, q_start: int, v_start: int) -> list[Ball]:
    """The ball rotations of a joint that have springs."""
    found = []
    entries = dict(enumerate(joint.actuation))
    for i, coordinate in enumerate(joint.coordinates):
        first = i == 0 or joint.coordinates[i - 1].motion is not coordinate.motion
        if isinstance(coordinate.motion, BallRotation) and first:
            own = [entries.get(i + axis, Actuation()) for axis in range(3)]
            if any(entry.stiffness for entry in own):
                stiffness = np.array([entry.stiffness for entry in own], dtype=np.float64)
                rest = np.array([entry.rest for entry in own], dtype=np.float64)
                ball = Ball(v_start + coordinate.v, q_start + coordinate.q, stiffness, rest)
                found.append(ball)
    return found


def _impossible(who: str, joint: Joint, entry: Actuation) -> list[str]:
    """What a coordinate without a value of its own cannot have."""
    found, kind = [], joint.kind
    if entry.lower is not None or entry.upper is not None:
        found.append(
            f"{who} is of a {kind} joint, whose turns have no single angle to limit; "
            "leave `lower` and `upper` out, or use a universal joint"
        )
    if isinstance(entry.motor, tuple | list):
        found.append(
            f"{who} is of a {kind} joint, whose motion no single motor can prescribe; "
            "join it to a kinematic body, or give an effort"
        )
    if not joint.equations and entry.stiffness:
        found.append(f"{who} is of a free joint, which takes no `stiffness`; use `add_spring`")
    return found


def _motor(along: Coordinate) -> Motor:
    entry = along.actuation
    mode, wanted = "effort", entry.motor
    if isinstance(wanted, Steered):
        wanted = wanted.given
    if isinstance(entry.motor, tuple | list):
        mode, wanted = entry.motor
    return Motor(
        along.who,
        along.v_index,
        along.q_index,
        mode,
        wanted if callable(wanted) else float(wanted),
        inf if entry.effort_limit is None else float(entry.effort_limit),
        inf if entry.velocity_limit is None else float(entry.velocity_limit),
        along,
    )
