"""The prepared law: forces, energy and contacts at a state."""

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.contact.law import ContactRecord, ContactReport, no_contacts
from dovetail.contact.penalty.body import touching_body
from dovetail.contact.penalty.contact_set import ContactSet, contact_counts
from dovetail.contact.penalty.derivative_blocks import SlopeBlocks, add_slope_blocks
from dovetail.contact.penalty.derivatives import add_slopes, add_stiffness
from dovetail.contact.penalty.force import (
    STIFFNESS,
    add_wrenches,
    approach_speeds,
    each_force,
    pair_stiffness,
)
from dovetail.contact.penalty.narrow_phase import Detector
from dovetail.contact.penalty.pairs import Pairs, tell
from dovetail.contact.penalty.passing import PassingGuard
from dovetail.errors import RunError
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote
from dovetail.multibody.state import BodyState
from dovetail.runtime.read_only import read_only

if TYPE_CHECKING:
    from dovetail.contact.penalty.method import SDF

DEEP = 0.01  # of the smaller body: from here on the user is warned
UNSTABLE = 2.0  # sqrt(k/m) h beyond which an explicit step of a spring diverges


class PenetrationWarning(UserWarning):
    """Bodies are further inside each other than a force law should let them."""


class SdfLaw:
    """Contact forces of one model.

    Damping from restitution needs the speed at which a pair met. It is the largest speed of
    approach since the pair began to touch, at states that were followed by a later one; these
    speeds are the law's memory.
    """

    def __init__(self, model: Model, settings: "SDF") -> None:
        self._model = model
        bodies = [
            touching_body(body, settings.resolution, settings.detection) for body in model.bodies
        ]
        self.pairs = Pairs(model, bodies, settings)
        tell(self.pairs)
        self._guard = PassingGuard(bodies)
        self._detector = Detector(bodies, self.pairs, settings.detection, settings.thinnest)
        self._contacts = ContactSet()
        self._shared, self._laws = settings.shared, self.pairs.laws
        self._pose: tuple[Array, Array] | None = None
        self._judged: tuple[Array, Array] | None = None  # the pose looked at for jumps
        n = model.n_bodies
        self._met = np.zeros(0)  # [m/s] by pair: speed of approach at accepted states, 0 if apart
        self._meeting = np.zeros(0)  # the same at the latest state
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
        contacts = self._at(state)
        if self._pose is not self._judged:
            self._refuse_jumps(state)
            self._judged = self._pose
        spin = state.spin
        self._meeting = self._meeting_speeds(state, spin, contacts)
        damping = self._damping(self._meeting)
        force, torque = np.zeros((2, self._model.n_bodies, 3))
        add_wrenches(
            contacts.rows, contacts.count, self._laws, damping,
            state.x, state.v, spin, force, torque,
        )  # fmt: skip
        self._times[1] = state.t
        self._latest[0], self._latest[1], self._latest[2] = state.x, state.v, spin
        return force, torque

    def slopes(self, state: BodyState) -> Array:
        """d(force, torque) / d(v, spin), world axes, (n, 6, n, 6)."""
        return self._filled(add_slopes, state)

    def stiffness(self, state: BodyState) -> Array:
        """d(force, torque) / d(small motion), world axes, (n, 6, n, 6), the normals held."""
        return self._filled(add_stiffness, state)

    def _filled(self, add: Callable[..., None], state: BodyState) -> Array:
        n, contacts = self._model.n_bodies, self._at(state)
        slopes = np.zeros((n, 6, n, 6))
        add(
            contacts.rows, contacts.count, self._laws, self._damping(self._meeting),
            state.x, state.v, state.spin, slopes,
        )  # fmt: skip
        return slopes

    def swing_if_free(self) -> float:
        """[rad/s] of the fastest contact of jointed bodies at the latest state, had they none."""
        pairs, contacts = self.pairs, self._contacts
        if not contacts.count or not self._jointed.any():
            return 0.0
        stiffness, deepest = np.zeros((2, len(pairs)))
        pair_stiffness(contacts.rows, contacts.count, self._laws, stiffness, deepest)
        jointed = self._jointed[pairs.bodies].any(axis=1)
        return float(np.sqrt(np.max(stiffness / pairs.mass * jointed)))

    def slope_blocks(self, state: BodyState, tangent: bool = True) -> SlopeBlocks:
        """As `slopes`, of the bodies that touch only; without `tangent`, friction by chords."""
        n, contacts = self._model.n_bodies, self._at(state)
        touching = np.flatnonzero(contact_counts(contacts, len(self.pairs)))
        slot = np.zeros(len(self.pairs), np.int32)
        slot[touching] = np.arange(len(touching))
        blocks = SlopeBlocks(
            np.zeros((n, 6, 6)),
            self.pairs.bodies[touching].astype(np.int32),
            np.zeros((len(touching), 2, 6, 6)),
        )
        add_slope_blocks(
            contacts.rows, contacts.count, slot, self._laws, self._damping(self._meeting),
            state.x, state.v, state.spin, tangent, blocks,
        )  # fmt: skip
        return blocks

    def report(self, state: BodyState) -> ContactReport:
        contacts = self._at(state)
        n = contacts.count
        if not n:
            gap = self._detector.least_gap(state.x, state.R)
            return ContactReport(no_contacts(), 0.0, gap)
        rows, forces = contacts.rows, np.empty((n, 3))
        spin = state.spin
        damping = self._damping(self._meeting_speeds(state, spin, contacts))
        energy = each_force(rows, n, self._laws, damping, state.x, state.v, spin, forces)
        length = np.linalg.norm(rows.gradient[:n], axis=1, keepdims=True)
        record = ContactRecord(
            np.column_stack([rows.slave[:n], rows.master[:n]]),
            rows.point[:n].copy(),
            rows.gradient[:n] / np.where(length > 0, length, 1),
            forces,
            -rows.depth[:n],
        )
        return ContactReport(record, float(energy), -float(rows.depth[:n].max()))

    def snapshot(self) -> dict[str, Any]:
        """What the next force depends on besides the state."""
        return {
            "pairs": self.pairs.bodies.copy(),
            "met": self._met.copy(), "meeting": self._meeting.copy(),
            "accepted": self._accepted.copy(), "latest": self._latest.copy(),
            "times": self._times.copy(),
        }  # fmt: skip

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Continue from what `memory` returned."""
        numbers = self.pairs.numbers_of(snapshot["pairs"])
        self._met, self._meeting = np.zeros((2, len(self.pairs)))
        self._met[numbers], self._meeting[numbers] = snapshot["met"], snapshot["meeting"]
        self._accepted[...], self._latest[...] = snapshot["accepted"], snapshot["latest"]
        self._times[...] = snapshot["times"]
        self._pose = None  # contacts at hand are those of another state

    def _at(self, state: BodyState) -> ContactSet:
        """Contacts at the state's pose, found once for all velocities tried there."""
        pose = self._pose
        if pose is None or not ((pose[0] == state.x).all() and (pose[1] == state.R).all()):
            self._detector.contacts(state.x, state.R, self._contacts)
            new = np.zeros(len(self.pairs) - len(self._met))
            if len(new):
                self._met = np.concatenate([self._met, new])
                self._meeting = np.concatenate([self._meeting, new])
            self._laws = self.pairs.laws
            if self._shared and self._contacts.count:
                laws = np.array(self._laws)
                laws[:, STIFFNESS] /= self._contacts.points_that_carry(len(laws))
                self._laws = read_only(laws)
            self._pose = state.x.copy(), state.R.copy()
        return self._contacts

    def _meeting_speeds(self, state: BodyState, spin: Array, contacts: ContactSet) -> Array:
        """(m,) [m/s] the largest speed of approach of each pair since it touched, 0 if apart.

        Velocities are those of the last accepted state: contact has not changed them yet.
        """
        if not self.pairs.by_speed:
            return self._met
        speeds = self._met.copy()
        v, turning = state.v, spin
        if np.isfinite(self._times[0]):
            v, turning = self._accepted[1], self._accepted[2]
        approach_speeds(contacts.rows, contacts.count, state.x, v, turning, speeds)
        touching = contact_counts(contacts, len(speeds)) > 0
        return np.where(touching, np.maximum(speeds, self.pairs.slowest), 0.0)

    def _damping(self, speeds: Array) -> Array:
        """a [s/m] of each pair: chi / k as given, or a v0 of the restitution over v0."""
        pairs = self.pairs
        if not pairs.by_speed:
            return pairs.damping
        by_speed = np.isnan(pairs.damping) & (speeds > 0)
        return np.divide(pairs.damped, speeds, out=np.nan_to_num(pairs.damping), where=by_speed)

    def _accept_latest(self) -> None:
        """Time has moved on: what was evaluated last did happen."""
        if np.isnan(self._times[1]):
            return
        h = self._times[1] - self._times[0]
        self._met = self._meeting
        self._accepted[...] = self._latest
        self._times[0] = self._times[1]
        if self._pose is not None and self._contacts.count:
            self._examine(h)

    def _examine(self, h: float) -> None:
        """Tell of deep contacts, refuse steps that cannot follow the springs."""
        pairs, contacts = self.pairs, self._contacts
        stiffness, deepest = np.zeros((2, len(pairs.bodies)))
        pair_stiffness(contacts.rows, contacts.count, self._laws, stiffness, deepest)
        rate = np.sqrt(stiffness / pairs.mass)
        k = int(np.argmax(rate))
        if np.isfinite(h) and rate[k] * h > UNSTABLE and not self._jointed[pairs.bodies[k]].any():
            raise RunError(
                f"the contact of {self._names(k)} is too stiff for a step of {h:.3g} s "
                f"({stiffness[k]:.3g} N/m against {pairs.mass[k]:.3g} kg); use a step of at most "
                f"{0.2 / rate[k]:.2g} s, or a smaller `stiffness`",
                float(self._times[1]),
            )
        share = deepest / pairs.size
        k = int(np.argmax(share))
        if share[k] > DEEP and not self._warned:
            self._warned = True
            warnings.warn(
                f"at t = {self._times[1]:.6g} s {self._names(k)} are {deepest[k]:.3g} m inside "
                f"each other, {100 * share[k]:.2g} % of the smaller one's size; use a larger "
                "`stiffness` with a smaller step",
                PenetrationWarning,
                stacklevel=2,
            )

    def _refuse_jumps(self, state: BodyState) -> None:
        """A body must not pass another within a step unseen."""
        if np.isnan(self._times[0]):
            return
        h = state.t - self._times[0]
        spin = self._accepted[2]
        turned = h * np.sqrt(np.einsum("ni,ni->n", spin, spin))
        for passing in self._guard.suspects(self._accepted[0], state.x - self._accepted[0], turned):
            i, j = sorted(passing.bodies)
            if not self.pairs.may_touch(i, j) or self._touch(i, j):
                continue
            raise RunError(
                f"{self._two_names(i, j)} move by {passing.moved:.3g} m in a step, more than half "
                f"of the thinner one's thickness {passing.thickness:.3g} m, and could pass "
                f"unseen; use a step of at most {h / 4:.2g} s",
                state.t,
            )

    def _touch(self, i: int, j: int) -> bool:
        """Whether two bodies are in contact at the latest state."""
        number = self.pairs.numbers_of(np.array([[i, j]]))[0]
        rows = self._contacts.rows.pair[: self._contacts.count]
        return bool(np.any(rows == number))

    def _names(self, pair: int) -> str:
        return self._two_names(*self.pairs.bodies[pair].tolist())

    def _two_names(self, i: int, j: int) -> str:
        return f"{quote(self._model.names[i])} and {quote(self._model.names[j])}"
