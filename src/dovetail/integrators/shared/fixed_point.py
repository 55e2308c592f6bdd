"""Solving for a fixed point w = G(w): by Anderson's acceleration, or by Newton's method."""

from collections.abc import Callable

import numpy as np

from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array

MAX_HALVINGS = 10
NOISE = 1e-14  # of all weights: forces in a mechanism at rest are not known better
DEPTH = 12  # how many earlier iterates are combined


def force_noise(model: Model) -> tuple[float, float]:
    """[N], [N m] of changes of forces that are round-off of the weights that joints carry."""
    moving = model.motion == DYNAMIC
    weight = float(model.mass[moving].sum()) * float(np.linalg.norm(model.gravity))
    at = [*model.position, *(placed.joint.point for placed in model.joints), np.zeros(3)]
    size = float(np.linalg.norm(np.ptp(at, axis=0)))
    return NOISE * weight, NOISE * weight * size


class Anderson:
    """Iterates for w = G(w): the combination of past steps that cancels the residual best.

    For affine G this is GMRES, so a few stiff velocity-dependent forces take as many iterations
    as there are, where plain iteration diverges. Walker and Ni, SIAM J. Numer. Anal. 49 (2011)
    1715, equation 2.2 and following.
    """

    def __init__(self) -> None:
        self._w: list[Array] = []
        self._g: list[Array] = []

    def next(self, w: Array, g: Array) -> Array:
        """The iterate after `w` gave g = G(w)."""
        self._w = [*self._w[-DEPTH:], w]
        self._g = [*self._g[-DEPTH:], g]
        if len(self._w) == 1:
            return g
        before, now = (np.abs(self._g[k] - self._w[k]).max() for k in (-2, -1))
        if now < 0.01 * before:  # fast enough by itself
            return g
        residuals = [new - old for new, old in zip(self._g, self._w)]
        change = np.diff(residuals, axis=0).T
        images = np.diff(self._g, axis=0).T
        sizes = np.linalg.norm(change, axis=0)
        used = sizes > 0.0
        if not used.any():
            return g
        weights = np.linalg.lstsq(change[:, used] / sizes[used], residuals[-1], rcond=1e-14)[0]
        return np.asarray(g - images[:, used] @ (weights / sizes[used]))


class Newton:
    """Iterates for w = G(V(w)) where V(w) is affine and the derivatives of G are known.

    (I - G' V') dw = G - w, shortened by halves while the residual does not fall: kinks (a contact
    that opens, friction that starts to slip) make plain iteration cycle.
    """

    def __init__(self) -> None:
        self._start = self._correction = np.zeros(0)
        self._size = np.inf  # of the residual at the start
        self._part = 1.0

    def next(self, w: Array, g: Array, derivatives: Callable[[], Array]) -> Array:
        """The iterate after `w` gave g = G(V(w)); `derivatives()` is G' V' there."""
        left = g - w
        size = float(np.abs(left).max())
        if not size < self._size and self._part > 0.5**MAX_HALVINGS:
            self._part *= 0.5
        else:
            self._correction = np.asarray(np.linalg.solve(np.eye(len(w)) - derivatives(), left))
            self._start, self._size, self._part = w, size, 1.0
        return np.asarray(self._start + self._part * self._correction)
