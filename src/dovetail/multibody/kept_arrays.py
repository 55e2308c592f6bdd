"""Kernels that read the state of a run through one pointer, as long as its arrays stay the same."""

from collections.abc import Callable
from typing import Any

from dovetail.model.values import Array
from dovetail.multibody.state import BodyState


class KeptArrays:
    """A bundle of the arrays of a state, made when the same arrays are seen twice in a row.

    Steppers write into the arrays they began with, so their state is bundled once; of a state that
    is looked at only once a bundle would cost more than it saves. That of a run is kept meanwhile.
    """

    def __init__(self, bundled: Callable[[Array, Array, Array, Array], Any]) -> None:
        """`bundled` makes it from x, R, v and omega."""
        self._bundled = bundled
        self._x: Any = None  # of the bundle
        self._R: Any = None
        self._v: Any = None
        self._omega: Any = None
        self._bundle: Any = None
        self._seen: tuple[Array, ...] = ()  # last, others than these

    def of(self, state: BodyState) -> Any:
        """The bundle of these arrays, or None."""
        x, R, v, omega = state.x, state.R, state.v, state.omega
        if x is self._x and v is self._v and R is self._R and omega is self._omega:
            return self._bundle
        arrays, seen = (x, R, v, omega), self._seen
        again = bool(seen) and all(one is other for one, other in zip(arrays, seen))
        self._seen = () if again else arrays
        if not again or not all(one.flags.carray for one in arrays):
            return None
        self._x, self._R, self._v, self._omega = arrays
        self._bundle = self._bundled(*arrays)
        return self._bundle
