"""Joints that follow driven ones in closed loops, as cubics with a proven error.

Between two break points the follower coordinates y(t) are replaced by the cubic p(t) with the same
values and slopes. How far they are from it: with F(y, t) = 0 the equations of the loops and A the
pseudo-inverse of dF/dy in the middle of the piece, let
    eta >= |A F(p(t), t)| for all t of the piece,    kappa >= |1 - A dF/dy| near p(t).
If kappa < 1 there is one solution within eta / (1 - kappa) of p(t) and no other near it
(Newton-Kantorovich in its simplest form; Krawczyk 1969). A F(p(t), t) is known at both ends with
its derivative; from there to the cubic through these values it is at most
    h^4 / 384 max |d^4 (A F) / dt^4|        (error of Hermite interpolation),
and that derivative is bounded by 4! times the coefficient of t^4 in exp(sum a_k Q_k(t)), a_k the
norm of the screw of coordinate k and Q_k the absolute values of its Taylor coefficients: each
derivative of a product of exponentials is a product of such screws.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn

import numpy as np

from dovetail.errors import InputError
from dovetail.model.values import Array
from dovetail.prove.motion.closure import Closure

COARSE = 128  # steps of the first, sequential solution over the range
PIECES = (512, 2048, 8192, 32768)
ERROR = 1e-9  # [rad, or of the size] that the cubics are to have
LARGEST_ERROR = 1e-5
CLOSED = 1e-9  # of the size: loops close to that
ROUNDING = 256.0 * 2.0**-53
NEWTON = 30


@dataclass(frozen=True, eq=False)
class Driven:
    """Values and rates of all coordinates that are prescribed: linear between `corners` of t."""

    coordinates: list[int]
    corners: Array  # (c,) rising parameters
    values: Array  # (c, number of them)

    def at(self, t: Array) -> Array:
        return np.column_stack(
            [np.interp(t, self.corners, column) for column in self.values.T]
        ).reshape(len(t), len(self.coordinates))

    def rates(self, t: Array) -> Array:
        """(N, number) on the piece that holds t, the one after a corner."""
        i = np.clip(np.searchsorted(self.corners, t, "right") - 1, 0, len(self.corners) - 2)
        steps = np.diff(self.values, axis=0) / np.diff(self.corners)[:, None]
        return np.asarray(steps[i])


class Followers:
    """The coordinates that the equations determine, where others are driven."""

    def __init__(self, closure: Closure, driven: Driven, names: list[str], units: Array) -> None:
        self._closure, self._driven, self._names = closure, driven, names
        self._units = units  # of each coordinate [rad or m]
        self._own = [k for k in range(closure.n) if k not in driven.coordinates]

    def cubics(self) -> tuple[Array, Array, Array]:
        """Break points (n + 1,), coefficients (n, k, 4) and error (k,) of all coordinates."""
        corners = self._driven.corners
        t, y = self._coarse()
        worst = np.inf
        for pieces in PIECES:
            per_leg = max(1, pieces // (len(corners) - 1))
            legs = [np.linspace(a, b, per_leg + 1)[:-1] for a, b in pairwise(corners)]
            knots = np.concatenate([*legs, corners[-1:]])
            fine = self._refined(knots, t, y)
            made, errors, kappa = self._enclosed(knots, fine)
            worst = float(errors.max())
            if worst <= ERROR:
                break
            t, y = knots, fine
            k = int(np.argmax(kappa))
            if worst == np.inf:
                self._has_no_dead_centre(t[k : k + 2], y[k : k + 2], PIECES[-1] // pieces)
        if not worst <= LARGEST_ERROR:
            self._refuse_dead_centre(float(knots[k]))
        error = np.zeros(self._closure.n)
        error[self._own] = worst
        return knots, made, error

    def _has_no_dead_centre(self, t: Array, y: Array, pieces: int) -> None:
        """Refuses a piece that the finest break points would not enclose either."""
        knots = np.linspace(t[0], t[1], pieces + 1)
        _, errors, kappa = self._enclosed(knots, self._refined(knots, t, y))
        if errors.max() == np.inf:
            self._refuse_dead_centre(float(knots[np.argmax(kappa)]))

    def _refuse_dead_centre(self, t: float) -> NoReturn:
        raise InputError(
            f"near {self._place(t)} [rad or m] the closed loops come too near a position in which "
            f"the driven joints do not determine the others ({self._followers()}); drive another "
            "joint or end the sweep before it"
        )

    def _followers(self) -> str:
        return ", ".join(self._names[k] for k in self._own)

    def _all(self, t: Array, y: Array) -> Array:
        q = np.zeros((len(t), self._closure.n))
        q[:, self._driven.coordinates] = self._driven.at(t)
        q[:, self._own] = y
        return q

    def _newton(self, t: Array, y: Array) -> tuple[Array, Array, Array]:
        """Solutions from starts (N, k), their residuals (N,) and Jacobians."""
        for _ in range(NEWTON):
            F, J, _ = self._closure.values(self._all(t, y))
            step = np.linalg.pinv(J[:, :, self._own], rcond=1e-9) @ F[..., None]
            y = y - np.clip(step[..., 0], -0.5, 0.5)
            if np.abs(step).max(initial=0.0) < 1e-14:
                break
        F, J, _ = self._closure.values(self._all(t, y))
        return y, np.abs(F).max(axis=1), J

    def _rates(self, t: Array, J: Array) -> Array:
        """dy/dt from J_y y' = - J_x x', with the rates after each t."""
        given = J[:, :, self._driven.coordinates] @ self._driven.rates(t)[..., None]
        rates = -np.linalg.pinv(J[:, :, self._own], rcond=1e-9) @ given
        return np.asarray(rates[..., 0])

    def _coarse(self) -> tuple[Array, Array]:
        """Solutions along the whole range, from the parameter nearest the initial pose outwards."""
        corners = self._driven.corners
        per_leg = max(8, COARSE // (len(corners) - 1))
        legs = [np.linspace(a, b, per_leg + 1)[:-1] for a, b in pairwise(corners)]
        t = np.concatenate([*legs, corners[-1:]])
        size = np.abs(self._driven.at(t)).sum(axis=1)
        start = int(np.argmin(size))
        y = np.zeros((len(t), len(self._own)))
        y[start] = self._approached(t[start])
        self._determined(t[start], y[start])
        for order in (range(start + 1, len(t)), range(start - 1, -1, -1)):
            before = start
            for i in order:
                y[i] = self._continued(t[before], y[before], t[i])
                before = i
        return t, y

    def _approached(self, t: float) -> Array:
        """The solution at t, followed there from the initial pose, where all coordinates are 0."""
        y = np.zeros((1, len(self._own)))
        target = self._driven.at(np.array([t]))
        approach = Driven(
            self._driven.coordinates, np.array([0.0, 1.0]), np.vstack([0.0 * target, target])
        )
        there = Followers(self._closure, approach, self._names, self._units)
        for share in np.linspace(0.0, 1.0, 33):
            y, left, _ = there._newton(np.array([share]), y)
            self._closes(float(left[0]), f"{100 * share:.0f} % of the path to the start")
        return np.asarray(y[0])

    def _continued(self, before: float, y: Array, t: float, depth: int = 0) -> Array:
        """Newton from the tangent; halved where it jumps."""
        here = np.array([before])
        _, J, _ = self._closure.values(self._all(here, y[None]))
        towards = here if t > before else np.array([t])
        guess = y[None] + (t - before) * self._rates(towards, J)
        found, left, _ = self._newton(np.array([t]), guess)
        if (left[0] > CLOSED or np.abs(found - guess).max() > 0.1) and depth < 12:
            middle = 0.5 * (before + t)
            return self._continued(
                middle, self._continued(before, y, middle, depth + 1), t, depth + 1
            )
        self._closes(float(left[0]), self._place(t))
        return np.asarray(found[0])

    def _place(self, t: float) -> str:
        values = self._driven.at(np.array([t]))[0] * self._units[self._driven.coordinates]
        return ", ".join(
            f"{self._names[k]} = {value:.6g}"
            for k, value in zip(self._driven.coordinates, values, strict=True)
        )

    def _closes(self, left: float, where: str) -> None:
        if not left <= CLOSED:
            raise InputError(
                f"the closed loop of the driven joints with {self._followers()} does not close at "
                f"{where} [rad or m]: the mechanism does not reach that far, or its joints are out "
                "of line"
            )

    def _determined(self, t: float, y: Array) -> None:
        _, J, _ = self._closure.values(self._all(np.array([t]), y[None]))
        s = np.linalg.svd(J[0][:, self._own], compute_uv=False)
        if len(s) < len(self._own) or s[-1] < 1e-7 * s[0]:
            raise InputError(
                f"the driven joints do not determine the others of their closed loops "
                f"({self._followers()}); sweep or drive more joints, or lock some by fixed joints"
            )

    def _refined(self, knots: Array, t: Array, y: Array) -> Array:
        guess = np.column_stack([np.interp(knots, t, column) for column in y.T])
        found, left, _ = self._newton(knots, guess)
        worst = int(np.argmax(left))
        self._closes(float(left[worst]), self._place(knots[worst]))
        return found

    def _enclosed(self, knots: Array, y: Array) -> tuple[Array, Array, Array]:
        """Cubics (n, k, 4) of all coordinates, their errors (n,) and kappa (n,)."""
        h = np.diff(knots)
        left, right = knots[:-1], knots[1:]
        middle = 0.5 * (left + right)
        q0, q1 = self._all(left, y[:-1]), self._all(right, y[1:])
        d0, d1 = self._slopes(q0, middle), self._slopes(q1, middle)
        H = h[:, None]
        rise = (q1 - q0) / H
        c2, c3 = (3.0 * rise - 2.0 * d0 - d1) / H, (d0 + d1 - 2.0 * rise) / H**2
        driven = self._driven.coordinates
        d0[:, driven], c2[:, driven], c3[:, driven] = self._driven.rates(middle), 0.0, 0.0
        cubics = np.stack([q0, d0, c2, c3], axis=-1)
        return cubics, *self._errors(cubics, h, q1, d1)

    def _slopes(self, q: Array, middle: Array) -> Array:
        """Rates of all coordinates at q, with the driven ones' of the leg that holds `middle`."""
        _, J, _ = self._closure.values(q)
        rates = np.zeros_like(q)
        rates[:, self._driven.coordinates] = self._driven.rates(middle)
        rates[:, self._own] = self._rates(middle, J)
        return rates

    def _errors(self, cubics: Array, h: Array, q1: Array, d1: Array) -> tuple[Array, Array]:
        """eta / (1 - kappa) (n,) of the pieces, inf where kappa is not below 1/2, and kappa."""
        H = h[:, None]
        c0, c1, c2, c3 = (cubics[..., i] for i in range(4))
        half = 0.5 * H
        _, J, a = self._closure.values(c0 + half * (c1 + half * (c2 + half * c3)))
        A = np.linalg.pinv(J[:, :, self._own], rcond=1e-9)
        A_size = np.linalg.norm(A, axis=(1, 2))
        rate = np.abs(c1) + H * (2.0 * np.abs(c2) + 3.0 * H * np.abs(c3))
        bend = np.abs(c2) + 3.0 * H * np.abs(c3)
        moved = 0.5 * H * rate + LARGEST_ERROR
        a = a * np.exp(2.0 * (a * moved).sum(axis=1))[:, None]
        quartic = self._fourth(a, rate, bend, np.abs(c3), c0, h)
        eta = ROUNDING * A_size * (self._closure.n + 1) * np.sqrt(self._closure.n_rows)
        for q, d in ((c0, c1), (q1, d1)):
            F, J, _ = self._closure.values(q)
            value = (A @ F[..., None])[..., 0]
            slope = (A @ (J @ d[..., None]))[..., 0]
            eta = np.maximum(eta, 0.0) + np.linalg.norm(value, axis=1)
            eta += 4.0 / 27.0 * h * np.linalg.norm(slope, axis=1)
        eta += A_size * quartic * h**4 / 384.0
        kappa = A_size * self._change(a, moved, c0, H * rate)
        encloses = kappa <= 0.5
        return np.where(encloses, eta / (1.0 - np.where(encloses, kappa, 0.0)), np.inf), kappa

    def _fourth(self, a: Array, rate: Array, bend: Array, c3: Array, c0: Array, h: Array) -> Array:
        """Bound (N,) on the norm of d^4 F / dt^4 along the cubics."""
        Q = np.stack([rate, bend, c3], axis=-1)  # of t, t^2, t^3
        s1, s2, s3 = ((a * Q[..., i]).sum(axis=1) for i in range(3))
        fourth = s1**4 / 24.0 + s1**2 * s2 / 2.0 + s2**2 / 2.0 + s1 * s3
        total = len(self._closure.loops) * (24.0 * 1.1 * fourth) ** 2
        for held in self._closure.sums:
            row = np.zeros(len(h))
            for k, coefficients in held.terms:
                reach = np.abs(c0[:, k]) + rate[:, k] * h
                u = np.zeros((len(h), 5))
                u[:, 0], u[:, 1:4] = reach, Q[:, k]
                power = np.zeros((len(h), 5))
                power[:, 0] = 1.0
                for c in coefficients:
                    power = np.stack(
                        [sum(power[:, i] * u[:, n - i] for i in range(n + 1)) for n in range(5)],
                        axis=-1,
                    )
                    row += 24.0 * abs(c) * power[:, 4]
            total = total + row**2
        return np.asarray(np.sqrt(total))

    def _change(self, a: Array, moved: Array, c0: Array, path: Array) -> Array:
        """Bound (N,) on the change of dF/dy between the middle of a piece and points of it."""
        a_own = a[:, self._own]
        loops = 1.1 * np.linalg.norm(a_own, axis=1) * (a * moved).sum(axis=1)
        total = len(self._closure.loops) * loops**2
        for held in self._closure.sums:
            for k, coefficients in held.terms:
                reach = np.abs(c0[:, k]) + path[:, k] + LARGEST_ERROR
                second = sum(
                    abs(c) * p * (p - 1) * reach ** max(0, p - 2)
                    for p, c in enumerate(coefficients, 1)
                )
                total = total + (second * moved[:, k]) ** 2
        return np.asarray(np.sqrt(total))
