"""Kernels that read the state of a run through one pointer, as long as its arrays stay the same."""

from collections.abc import Callable
from typing import Any

from dovetail.model.values import Array
from dovetail.multibody.state import BodyState


class KeptArrays:
    """A bundle of the arrays of a state, made when the same arrays are seen for the second time.

    Steppers write into the arrays they began with, so their state is bundled once; of a state that
    is looked at only once a bundle would cost more than it saves.
    """

    def __init__(self, bundled: Callable[[Array, Array, Array, Array], Any]) -> None:
        """`bundled` makes it from x, R, v and omega."""
        self._bundled = bundled
        self._x: Any = None
        self._R: Any = None
        self._v: Any = None
        self._omega: Any = None
        self._bundle: Any = None

    def of(self, state: BodyState) -> Any:
        """The bundle of these arrays, or None."""
        x, R, v, omega = state.x, state.R, state.v, state.omega
        if x is self._x and v is self._v and R is self._R and omega is self._omega:
            if self._bundle is None and all(one.flags.carray for one in (x, R, v, omega)):
                self._bundle = self._bundled(x, R, v, omega)
            return self._bundle
        self._x, self._R, self._v, self._omega, self._bundle = x, R, v, omega, None
        return None
