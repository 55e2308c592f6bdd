"""Penalty contact with a normal force or a friction curve of one's own.

Detection, impact speeds and the checks of steps are those of `SdfLaw`; the force at every point is
    f = f_N n - mu(|s|) r(|s|) f_N s / |s|,
with the slip s across the normal n and the smooth step r of `friction_curve.sticking_ramp`. All in
NumPy, once for all contacts of a state.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dovetail.contact.law import ContactRecord, ContactReport
from dovetail.contact.material import friction_of_pair
from dovetail.contact.penalty.law import SdfLaw
from dovetail.contact.penalty.records import DerivativeBlocks
from dovetail.errors import RunError, error_text
from dovetail.model.friction_curve import (
    STICKING_SPEED,
    FrictionCurve,
    SmoothCoulomb,
    curve_of,
    sticking_ramp,
)
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import Int32Array

if TYPE_CHECKING:
    from dovetail.contact.penalty.method import SDF

QUADRATURE = 16  # points of the Gauss rule over the depth of a contact
SLIP_CHANGE = 1e-7  # [m/s] relative to the speeds, of a finite difference


class Points(NamedTuple):
    """The contacts of a state, one row each: a point of one body in the field of another."""

    point_body: Int32Array  # (m,)
    field_body: Int32Array  # (m,)
    pair: Int32Array  # (m,) row of the pair
    x: Array  # (m, 3) [m]
    n: Array  # (m, 3) out of the field body
    gap: Array  # (m,) [m] < 0
    u: Array  # (m, 3) [m/s] of the point body relative to the field body
    impact_speed: Array  # (m,) [m/s]
    elastic: Array  # (m,) [N] normal force of the package's own law at rest
    damping: Array  # (m,) [s/m] a of that law, f_N = elastic (1 - a rate)


class PointForceLaw:
    """Contact forces of one model; see `SDF` for the settings."""

    def __init__(self, model: Model, settings: "SDF") -> None:
        self._model, self._settings = model, settings
        self._normal = settings.normal_force
        own_force = self._normal is None
        kept = [replace(pair, friction=None) for pair in model.materials] if own_force else []
        inner = replace(model, materials=tuple(kept))
        self._inner = SdfLaw(inner, settings.frictionless(own_force))
        self._curves: dict[int, FrictionCurve | None] = {}

    @property
    def near(self) -> bool:
        """Whether the boxes of any two bodies overlapped at the latest state."""
        return self._inner.near

    def wrenches(self, state: BodyState) -> tuple[Array, Array]:
        """Force [N] and torque [N m] on every body."""
        self._inner.wrenches(state)  # detects contacts, follows impacts, checks the step
        points = self._points(state)
        force, torque = np.zeros((2, self._model.n_bodies, 3))
        f = self._forces(points, points.u, state.t)
        for body, sign in ((points.point_body, 1.0), (points.field_body, -1.0)):
            np.add.at(force, body, sign * f)
            np.add.at(torque, body, sign * np.cross(points.x - state.x[body], f))
        return force, torque

    def report(self, state: BodyState) -> ContactReport:
        """Contacts, stored energy and smallest distance."""
        own = self._inner.report(state)
        points = self._points(state)
        if not len(points.gap):
            return own
        f = self._forces(points, points.u, state.t)
        energy = own.energy
        if self._normal is not None:
            stored = getattr(self._normal, "energy", None)
            of_points = (
                self._work_at_rest(points, state.t) if stored is None else stored(points.gap)
            )
            energy = float(np.sum(of_points))
        bodies = np.column_stack([points.point_body, points.field_body]).astype(np.int32)
        record = ContactRecord(bodies, points.x, points.n, f, points.gap)
        return ContactReport(record, energy, float(points.gap.min()))

    def velocity_derivatives(self, state: BodyState) -> Array:
        """d(force, torque) / d(v, spin), world axes, (n, 6, n, 6), by finite differences."""
        points = self._points(state)
        return self._spread(points, self._by_velocity(points, state.t, True), state.x)

    def derivative_blocks(self, state: BodyState, tangent: bool = True) -> DerivativeBlocks:
        """The same as blocks of bodies in contact; without `tangent`, friction by secants."""
        points = self._points(state)
        dense = self._spread(points, self._by_velocity(points, state.t, tangent), state.x)
        bodies = np.unique(
            np.sort(np.column_stack([points.point_body, points.field_body]), axis=1), axis=0
        )
        a, b = bodies.T
        own = dense[range(len(dense)), :, range(len(dense))]
        across = np.stack([dense[a, :, b], dense[b, :, a]], axis=1)
        return DerivativeBlocks(np.ascontiguousarray(own), bodies.astype(np.int32), across)

    def position_derivatives(self, state: BodyState) -> Array:
        """d(force, torque) / d(small motion) at fixed normals, (n, 6, n, 6)."""
        points = self._points(state)
        change = 1e-6 * points.gap
        moved = points._replace(gap=points.gap + change)
        by_gap = self._forces(moved, points.u, state.t) - self._forces(points, points.u, state.t)
        if self._normal is None:  # the package's own: f ~ d^n
            by_gap = self._settings.exponent * 1e-6 * self._forces(points, points.u, state.t)
        C = np.einsum("mi,mj->mij", by_gap / np.where(change, change, 1.0)[:, None], points.n)
        return self._spread(points, C, state.x)

    def natural_frequency(self) -> float:
        """[rad/s] the largest of contacts of jointed bodies, where the law's own is used."""
        return self._inner.natural_frequency() if self._normal is None else 0.0

    def snapshot(self) -> dict[str, Any]:
        """What the next force depends on besides the state."""
        return self._inner.snapshot()

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Continue from what `snapshot` returned."""
        self._inner.restore(snapshot)

    def _points(self, state: BodyState) -> Points:
        found, spin = self._inner.points(state), state.spin
        point_body, field_body, x = found.point_body, found.field_body, found.point
        length = np.linalg.norm(found.gradient, axis=1)
        n = found.gradient / np.where(length > 0, length, 1.0)[:, None]
        u = state.v[point_body] + np.cross(spin[point_body], x - state.x[point_body])
        u = u - state.v[field_body] - np.cross(spin[field_body], x - state.x[field_body])
        elastic = np.einsum("mi,mi->m", found.elastic, n)
        return Points(
            point_body, field_body, found.pair, x, n, -found.depth, u, found.impact_speed, elastic,
            found.damping * length,
        )  # fmt: skip

    def _forces(self, points: Points, u: Array, t: float) -> Array:
        """(m, 3) [N] on the point bodies, moving at u relative to their field bodies."""
        rate = np.einsum("mi,mi->m", u, points.n)
        normal = self._normal_forces(points, rate, t)
        slip = u - rate[:, None] * points.n
        speed = np.linalg.norm(slip, axis=1)
        friction = normal * self._coefficients(points.pair, speed)
        along = slip / np.where(speed > 0, speed, 1.0)[:, None]
        return np.asarray(normal[:, None] * points.n - friction[:, None] * along)

    def _normal_forces(self, points: Points, rate: Array, t: float) -> Array:
        """(m,) [N] >= 0."""
        if self._normal is None:
            return np.asarray(points.elastic * np.maximum(1.0 - points.damping * rate, 0.0))
        who = f"normal force {quote(self._normal)}"
        try:
            found = np.asarray(self._normal(points.gap, rate, points.impact_speed), dtype=float)
        except Exception as error:
            raise RunError(f"{who} failed: {error_text(error)}", t) from error
        if found.shape != rate.shape:
            raise RunError(
                f"{who} must return one force for each of {len(rate)} points, got an array of "
                f"shape {found.shape}",
                t,
            )
        if not np.isfinite(found).all():
            k = int(np.flatnonzero(~np.isfinite(found))[0])
            raise RunError(
                f"{who} must be finite, got {found[k]} at a gap of {points.gap[k]:.3g} m, rate "
                f"{rate[k]:.3g} m/s",
                t,
            )
        return np.asarray(np.maximum(found, 0.0))

    def _work_at_rest(self, points: Points, t: float) -> Array:
        """(m,) [J] of the law's force at rate 0 from where bodies touch to the gap."""
        share, weight = np.polynomial.legendre.leggauss(QUADRATURE)
        work = np.zeros(len(points.gap))
        for x, w in zip(0.5 + 0.5 * share, 0.5 * weight):
            there = points._replace(gap=x * points.gap)
            work -= w * points.gap * self._normal_forces(there, np.zeros_like(work), t)
        return work

    def _coefficients(self, pairs: Int32Array, speed: Array) -> Array:
        """(m,) mu of each contact at its slip speed, going to 0 at rest."""
        mu = np.zeros(len(pairs))
        for pair in np.unique(pairs):
            curve = self._curve(int(pair))
            if curve is not None:
                of = pairs == pair
                ramp = sticking_ramp(speed[of], getattr(curve, "sticking_speed", STICKING_SPEED))
                mu[of] = np.asarray(curve.coefficient(speed[of]), dtype=float) * ramp
        return mu

    def _curve(self, pair: int) -> FrictionCurve | None:
        """The friction of a pair of bodies as a curve; None without friction."""
        if pair not in self._curves:
            i, j = self._inner.pairs.bodies[pair].tolist()
            friction = friction_of_pair(self._model, self._settings.friction, i, j)
            curve = curve_of(friction)
            if curve is None:
                given = (friction, friction) if np.ndim(friction) == 0 else tuple(friction)
                curve = SmoothCoulomb(*given) if given[0] > 0 else None
            self._curves[pair] = curve
        return self._curves[pair]

    def _by_velocity(self, points: Points, t: float, tangent: bool) -> Array:
        """(m, 3, 3) d f / d u; without `tangent`, friction in proportion to the slip."""
        f = self._forces(points, points.u, t)
        C = np.empty((len(f), 3, 3))
        size = SLIP_CHANGE * (np.linalg.norm(points.u, axis=1) + STICKING_SPEED)
        for k in range(3):
            moved = points.u.copy()
            moved[:, k] += size
            C[:, :, k] = (self._forces(points, moved, t) - f) / size[:, None]
        if not tangent:
            rate = np.einsum("mi,mi->m", points.u, points.n)
            speed = np.linalg.norm(points.u - rate[:, None] * points.n, axis=1)
            slow = np.maximum(speed, 1e-3 * STICKING_SPEED)
            friction = self._normal_forces(points, rate, t) * self._coefficients(points.pair, slow)
            nn = np.einsum("mi,mj->mij", points.n, points.n)
            by_rate = np.einsum("mi,mij,mj->m", points.n, C, points.n)
            C = by_rate[:, None, None] * nn - (friction / slow)[:, None, None] * (np.eye(3) - nn)
        return C

    def _spread(self, points: Points, C: Array, x: Array) -> Array:
        """The derivatives C (m, 3, 3) of contact forces as those of wrenches, (n, 6, n, 6)."""
        n = self._model.n_bodies
        total = np.zeros((n, n, 6, 6))
        sides = ((points.point_body, 1.0), (points.field_body, -1.0))
        for a, sign_a in sides:
            to_wrench = _wrench_matrix(points.x - x[a])
            for b, sign_b in sides:
                of_twist = _wrench_matrix(points.x - x[b]).transpose(0, 2, 1)
                np.add.at(total, (a, b), sign_a * sign_b * (to_wrench @ C @ of_twist))
        return total.transpose(0, 2, 1, 3)


def _wrench_matrix(arm: Array) -> Array:
    """(m, 6, 3) force and torque about the centre of a force at `arm` (m, 3) from it."""
    out = np.zeros((len(arm), 6, 3))
    out[:, :3] = np.eye(3)
    out[:, 3, 1], out[:, 3, 2] = -arm[:, 2], arm[:, 1]
    out[:, 4, 0], out[:, 4, 2] = arm[:, 2], -arm[:, 0]
    out[:, 5, 0], out[:, 5, 1] = -arm[:, 1], arm[:, 0]
    return out
