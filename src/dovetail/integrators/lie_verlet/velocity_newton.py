"""Newton's method for wrenches that oppose the velocities they cause."""

from collections.abc import Callable

import numpy as np

from dovetail.contact.penalty.records import DerivativeBlocks
from dovetail.integrators.lie_verlet.block_solver import BlockSolver
from dovetail.model.values import Array

REDUCTION = 0.5  # of the derivative along a step may be left at its end
MAX_SHORTENINGS = 12  # of one step
BRACKET_MARGIN = 0.1  # of its width: distance from the ends of the bracket

Slopes = Callable[[bool], DerivativeBlocks]


class VelocityNewton:
    """Iterates for w (2, n, 3) with w = G(velocities after the impulse of w).

    Forces that oppose velocity derive, friction's share of a changing normal force aside, from a
    convex function of it. Its derivative along a step dw that changes the velocities by dv = V dw
    is -(G - w) . dv, a power, whatever the units of the parts. Each step is shortened until half of
    that derivative is gone or the minimum is not yet passed. Kinks, a contact that opens or
    friction that starts to slip, would make full steps cycle. After a shortened step friction
    is linearised by its chord instead of its tangent (`DampedLaw.derivative_blocks`).
    """

    def __init__(self, solver: BlockSolver, slopes: Slopes, responses: Array) -> None:
        self._solver, self._slopes, self._responses = solver, slopes, responses
        self._start = self._step = self._change = np.zeros(0)
        self._at, self._tries, self._whole = 1.0, 0, 0.0
        self._low, self._high = (0.0, 0.0), (1.0, 0.0)  # (step size, derivative there)

    def next(self, w: Array, g: Array) -> Array:
        """The iterate after `w` gave g = G."""
        left = g - w
        if len(self._start):
            slope = float(np.sum(left * self._change))
            passed = slope < 0 or self._tries > 0
            if passed and abs(slope) > REDUCTION * self._whole and self._tries < MAX_SHORTENINGS:
                return self._shortened(slope)
        by_chords = self._tries > 0
        self._step = self._solver.solve(self._slopes(not by_chords), self._responses, left)
        self._change = self._velocities(self._step)
        self._start, self._at, self._tries = w, 1.0, 0
        self._whole = float(np.sum(left * self._change))
        self._low = (0.0, self._whole)
        return np.asarray(w + self._step)

    def _shortened(self, slope: float) -> Array:
        """The same step to where its derivative vanishes by the secant through two of them."""
        if slope < 0:
            self._high = (self._at, slope)
        else:
            self._low = (self._at, slope)
        (low, before), (high, beyond) = self._low, self._high
        width = high - low
        zero = low + width * before / (before - beyond) if before > beyond else low + 0.5 * width
        self._at = min(max(zero, low + BRACKET_MARGIN * width), high - BRACKET_MARGIN * width)
        self._tries += 1
        return np.asarray(self._start + self._at * self._step)

    def _velocities(self, wrenches: Array) -> Array:
        """V w, (2, n, 3)."""
        by_body = wrenches.transpose(1, 0, 2).reshape(-1, 6, 1)
        change: Array = np.matmul(self._responses, by_body).reshape(-1, 2, 3).transpose(1, 0, 2)
        return change
