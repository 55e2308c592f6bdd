"""The prepared law: forces, energy and contacts at a state."""

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.contact.derived_settings import report_derived
from dovetail.contact.law import ContactRecord, ContactReport, no_contacts
from dovetail.contact.penalty.collision_body import collision_body
from dovetail.contact.penalty.derivative_blocks import add_derivative_blocks
from dovetail.contact.penalty.derivatives import (
    add_position_derivatives,
    add_velocity_derivatives,
)
from dovetail.contact.penalty.force import (
    add_wrenches,
    approach_speeds,
    each_force,
    pair_stiffness,
)
from dovetail.contact.penalty.pairs import ContactPairs
from dovetail.contact.penalty.penetration import DEEP, PenetrationWarning
from dovetail.contact.penalty.records import (
    STIFFNESS,
    DerivativeBlocks,
    DetectedPoints,
)
from dovetail.contact.penalty.resolved_steps import SMOOTH, UNSTABLE
from dovetail.contact.penalty.tunnelling import TunnellingGuard
from dovetail.contact.penalty.workspace import ContactWorkspace
from dovetail.errors import RunError
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote
from dovetail.multibody.state import BodyState
from dovetail.runtime.read_only import read_only

if TYPE_CHECKING:
    from dovetail.contact.penalty.method import SDF


class SdfLaw:
    """Contact forces of one model.

    Damping from restitution needs the impact speed of a pair. It is the largest speed of approach
    since its contact began, at states that were followed by a later one; a snapshot holds these
    speeds.
    """

    def __init__(self, model: Model, settings: "SDF") -> None:
        self._model = model
        bodies = [collision_body(body, settings.resolution) for body in model.bodies]
        self.pairs = ContactPairs(model, bodies, settings)
        report_derived(self.pairs.derived())
        self._guard = TunnellingGuard(bodies)
        self._detector = settings.detector(model, bodies, self.pairs)
        self._contacts = ContactWorkspace()
        self._shared, self._laws = settings.shared, self.pairs.laws
        self._pose: tuple[Array, Array] | None = None
        self._checked_pose: tuple[Array, Array] | None = None  # for tunnelling
        n = model.n_bodies
        self._impact_speeds = np.zeros(0)  # [m/s] by pair, of accepted states; 0 if apart
        self._latest_speeds = np.zeros(0)  # the same, with the latest state
        self._accepted = np.zeros((3, n, 3))  # x, v, spin of the last accepted state
        self._latest = np.zeros((3, n, 3))
        self._times = np.full(2, np.nan)  # of the last accepted and of the latest state
        self._warned = False
        self._jointed = np.zeros(n, np.bool_)
        self._jointed[[b for j in model.joints for b in (j.body_a, j.body_b) if b >= 0]] = True

    @property
    def near(self) -> bool:
        """Whether the boxes of any two bodies overlapped at the latest state."""
        return self._detector.any_near

    def wrenches(self, state: BodyState) -> tuple[Array, Array]:
        """Force [N] and torque [N m] on every body."""
        if state.t != self._times[1]:
            self._accept_latest()
        contacts = self._contacts_at(state)
        if self._pose is not self._checked_pose:
            self._refuse_tunnelling(state)
            self._checked_pose = self._pose
        spin = state.spin
        self._latest_speeds = self._speeds_with(state, spin, contacts)
        damping = self._damping(self._latest_speeds)
        force, torque = np.zeros((2, self._model.n_bodies, 3))
        add_wrenches(
            contacts.rows, contacts.count, self._laws, damping,
            state.x, state.v, spin, force, torque,
        )  # fmt: skip
        self._times[1] = state.t
        self._latest[0], self._latest[1], self._latest[2] = state.x, state.v, spin
        return force, torque

    def velocity_derivatives(self, state: BodyState) -> Array:
        """d(force, torque) / d(v, spin), world axes, (n, 6, n, 6)."""
        return self._assembled(add_velocity_derivatives, state)

    def position_derivatives(self, state: BodyState) -> Array:
        """d(force, torque) / d(small motion) at fixed normals, world axes, (n, 6, n, 6)."""
        return self._assembled(add_position_derivatives, state)

    def _assembled(self, add: Callable[..., None], state: BodyState) -> Array:
        n, contacts = self._model.n_bodies, self._contacts_at(state)
        total = np.zeros((n, 6, n, 6))
        add(
            contacts.rows, contacts.count, self._laws, self._damping(self._latest_speeds),
            state.x, state.v, state.spin, total,
        )  # fmt: skip
        return total

    def natural_frequency(self) -> float:
        """[rad/s] the largest of contacts of jointed bodies at the latest state, without joints."""
        pairs, contacts = self.pairs, self._contacts
        if not contacts.count or not self._jointed.any():
            return 0.0
        stiffness, deepest = np.zeros((2, len(pairs)))
        pair_stiffness(contacts.rows, contacts.count, self._laws, stiffness, deepest)
        jointed = self._jointed[pairs.bodies].any(axis=1)
        return float(np.sqrt(np.max(stiffness / pairs.mass * jointed)))

    def derivative_blocks(self, state: BodyState, tangent: bool = True) -> DerivativeBlocks:
        """`velocity_derivatives` of pairs in contact; without `tangent`, friction by secants."""
        n, contacts = self._model.n_bodies, self._contacts_at(state)
        active = np.flatnonzero(contacts.per_pair(len(self.pairs)))
        slot = np.zeros(len(self.pairs), np.int32)
        slot[active] = np.arange(len(active))
        blocks = DerivativeBlocks(
            np.zeros((n, 6, 6)),
            self.pairs.bodies[active].astype(np.int32),
            np.zeros((len(active), 2, 6, 6)),
        )
        add_derivative_blocks(
            contacts.rows, contacts.count, slot, self._laws, self._damping(self._latest_speeds),
            state.x, state.v, state.spin, tangent, blocks,
        )  # fmt: skip
        return blocks

    def report(self, state: BodyState) -> ContactReport:
        contacts = self._contacts_at(state)
        n = contacts.count
        if not n:
            gap = self._detector.least_gap(state.x, state.R)
            return ContactReport(no_contacts(), 0.0, gap)
        rows, forces = contacts.rows, np.empty((n, 3))
        spin = state.spin
        damping = self._damping(self._speeds_with(state, spin, contacts))
        energy = each_force(rows, n, self._laws, damping, state.x, state.v, spin, forces)
        length = np.linalg.norm(rows.gradient[:n], axis=1, keepdims=True)
        record = ContactRecord(
            np.column_stack([rows.point_body[:n], rows.field_body[:n]]),
            rows.point[:n].copy(),
            rows.gradient[:n] / np.where(length > 0, length, 1),
            forces,
            -rows.depth[:n],
        )
        return ContactReport(record, float(energy), -float(rows.depth[:n].max()))

    def points(self, state: BodyState) -> DetectedPoints:
        """The contacts of a state, for laws that replace the force at a point or add to it."""
        contacts, spin = self._contacts_at(state), state.spin
        speeds, n = self._speeds_with(state, spin, contacts), contacts.count
        elastic, at_rest = np.empty((n, 3)), np.zeros_like(state.v)
        each_force(
            contacts.rows, n, self._laws, self._damping(speeds), state.x, at_rest, at_rest, elastic
        )
        rows = contacts.copied()
        pair = rows.pair
        return DetectedPoints(
            rows.point_body, rows.field_body, pair, rows.depth, rows.point, rows.gradient,
            speeds[pair], self._damping(speeds)[pair], elastic,
        )  # fmt: skip

    def snapshot(self) -> dict[str, Any]:
        """What the next force depends on besides the state.

        The contacts at `pose` are examined when time advances, so they are found again.
        """
        x, R = self._pose if self._pose is not None else (np.zeros((0, 3)), np.zeros((0, 3, 3)))
        return {
            "pose_x": x.copy(), "pose_R": R.copy(),
            "pose_checked": np.array(self._pose is self._checked_pose),
            "pairs": self.pairs.bodies.copy(),
            "impact_speeds": self._impact_speeds.copy(),
            "latest_speeds": self._latest_speeds.copy(),
            "accepted": self._accepted.copy(), "latest": self._latest.copy(),
            "times": self._times.copy(),
        }  # fmt: skip

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Continue from what `snapshot` returned."""
        rows = self.pairs.rows_of(snapshot["pairs"])
        self._impact_speeds, self._latest_speeds = np.zeros((2, len(self.pairs)))
        self._impact_speeds[rows] = snapshot["impact_speeds"]
        self._latest_speeds[rows] = snapshot["latest_speeds"]
        self._accepted[...], self._latest[...] = snapshot["accepted"], snapshot["latest"]
        self._times[...] = snapshot["times"]
        self._pose = self._checked_pose = None  # the workspace has the contacts of another state
        if len(snapshot["pose_x"]):
            self._find_contacts(snapshot["pose_x"].copy(), snapshot["pose_R"].copy())
            self._checked_pose = self._pose if snapshot["pose_checked"] else None

    def forget(self) -> None:
        """The next state is another one, not where this one leads."""
        self._impact_speeds, self._latest_speeds = np.zeros((2, len(self.pairs)))
        self._times[...] = np.nan
        self._pose = self._checked_pose = None

    def _contacts_at(self, state: BodyState) -> ContactWorkspace:
        """Contacts at the state's pose, detected once for all velocities tried there."""
        pose = self._pose
        if pose is None or not ((pose[0] == state.x).all() and (pose[1] == state.R).all()):
            self._find_contacts(state.x.copy(), state.R.copy())
        return self._contacts

    def _find_contacts(self, x: Array, R: Array) -> None:
        """The contacts at the pose x, R, and the law of each pair there."""
        self._detector.contacts(x, R, self._contacts)
        new = np.zeros(len(self.pairs) - len(self._impact_speeds))
        if len(new):
            self._impact_speeds = np.concatenate([self._impact_speeds, new])
            self._latest_speeds = np.concatenate([self._latest_speeds, new])
        self._laws = self.pairs.laws
        if self._shared and self._contacts.count:
            laws = np.array(self._laws)
            laws[:, STIFFNESS] /= self._contacts.effective_per_pair(len(laws))
            self._laws = read_only(laws)
        self._pose = x, R

    def _speeds_with(self, state: BodyState, spin: Array, contacts: ContactWorkspace) -> Array:
        """(m,) [m/s] the impact speed of each pair with the contacts of `state`, 0 if apart.

        Velocities are those of the last accepted state: contact has not changed them yet.
        """
        if not self.pairs.any_by_speed:
            return self._impact_speeds
        speeds = self._impact_speeds.copy()
        v = state.v
        if np.isfinite(self._times[0]):
            v, spin = self._accepted[1], self._accepted[2]
        approach_speeds(contacts.rows, contacts.count, state.x, v, spin, speeds)
        in_contact = contacts.per_pair(len(speeds)) > 0
        return np.where(in_contact, np.maximum(speeds, self.pairs.slowest_impact), 0.0)

    def _damping(self, speeds: Array) -> Array:
        """a [s/m] of each pair: chi / k as given, or a v0 of the restitution over v0."""
        pairs = self.pairs
        if not pairs.any_by_speed:
            return pairs.damping
        by_speed = np.isnan(pairs.damping) & (speeds > 0)
        fixed = np.nan_to_num(pairs.damping)
        return np.divide(pairs.damping_by_speed, speeds, out=fixed, where=by_speed)

    def _accept_latest(self) -> None:
        """Time has advanced: the latest state is part of the motion."""
        if np.isnan(self._times[1]):
            return
        h = self._times[1] - self._times[0]
        self._impact_speeds = self._latest_speeds
        self._accepted[...] = self._latest
        self._times[0] = self._times[1]
        if self._pose is not None and self._contacts.count:
            self._check_contacts(h)

    def _check_contacts(self, h: float) -> None:
        """Warn of deep contacts, refuse steps too long for their stiffness."""
        pairs, contacts = self.pairs, self._contacts
        stiffness, deepest = np.zeros((2, len(pairs.bodies)))
        pair_stiffness(contacts.rows, contacts.count, self._laws, stiffness, deepest)
        frequency = np.sqrt(stiffness / pairs.mass)  # [rad/s]
        k = int(np.argmax(frequency))
        too_fast = np.isfinite(h) and frequency[k] * h > UNSTABLE
        if too_fast and not self._jointed[pairs.bodies[k]].any():
            raise RunError(
                f"the contact of {self._names(k)} is too stiff for a step of {h:.3g} s "
                f"({stiffness[k]:.3g} N/m against {pairs.mass[k]:.3g} kg); use a step of at most "
                f"{SMOOTH / frequency[k]:.2g} s, or a smaller `stiffness`",
                float(self._times[1]),
            )
        relative = deepest / pairs.size
        k = int(np.argmax(relative))
        if relative[k] > DEEP and not self._warned:
            self._warned = True
            warnings.warn(
                f"at t = {self._times[1]:.6g} s {self._names(k)} are {deepest[k]:.3g} m inside "
                f"each other, {100 * relative[k]:.2g} % of the smaller one's size; use a larger "
                "`stiffness`, or a stiffer `normal_force`, with a smaller step",
                PenetrationWarning,
                stacklevel=2,
            )

    def _refuse_tunnelling(self, state: BodyState) -> None:
        """A body must not pass another undetected within a step."""
        if np.isnan(self._times[0]):
            return
        h = state.t - self._times[0]
        spin = self._accepted[2]
        rotated = h * np.sqrt(np.einsum("ni,ni->n", spin, spin))
        moved = state.x - self._accepted[0]
        for found in self._guard.suspects(self._accepted[0], moved, rotated):
            i, j = sorted(found.bodies)
            if not self.pairs.may_collide(i, j) or self._in_contact(i, j):
                continue
            raise RunError(
                f"{self._two_names(i, j)} move by {found.moved:.3g} m in a step, more than half "
                f"of the thinner one's thickness {found.thickness:.3g} m, and could pass "
                f"unseen; use a step of at most {h / 4:.2g} s",
                state.t,
            )

    def _in_contact(self, i: int, j: int) -> bool:
        """Whether two bodies are in contact at the latest state."""
        row = self.pairs.rows_of(np.array([[i, j]]))[0]
        return bool(np.any(self._contacts.rows.pair[: self._contacts.count] == row))

    def _names(self, pair: int) -> str:
        return self._two_names(*self.pairs.bodies[pair].tolist())

    def _two_names(self, i: int, j: int) -> str:
        return f"{quote(self._model.names[i])} and {quote(self._model.names[j])}"
