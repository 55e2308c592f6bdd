"""When a run of a study is decided and may end: a signal of its state passes a value."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.values import number, quote
from dovetail.runtime.options import named_parameters
from dovetail.simulate.events import Event
from dovetail.studies.signals import COMPONENTS

OF_STATE = ("position", "velocity", "angular_velocity", "distance")


@named_parameters
@dataclass(frozen=True)
class Until:
    """Ends a run when a signal rises above or falls below a value (it must get there, not start).

    `of` is position, velocity or angular_velocity of one body, or of the first relative to the
    second (a `component` or the length), or the distance [m] of two.
    """

    of: str
    bodies: tuple[str, ...]
    component: str | None = None
    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "bodies", tuple(self.bodies))
        if self.of not in OF_STATE:
            raise InputError(
                f"a signal that ends a run must be one of {', '.join(OF_STATE)}, "
                f"got {quote(self.of)}"
            )
        least = 2 if self.of == "distance" else 1
        if not least <= len(self.bodies) <= 2:
            raise InputError(f"{self.of!r} is of {least} to 2 bodies, got {list(self.bodies)}")
        if self.component is not None and self.component not in COMPONENTS:
            raise InputError(f"`component` must be x, y or z, got {quote(self.component)}")
        if (self.above is None) == (self.below is None):
            raise InputError("what ends a run must have one limit: `above` or `below`")
        number(self._limit, "a limit that ends a run")

    @property
    def _limit(self) -> float:
        return float(self.below if self.above is None else self.above)  # type: ignore[arg-type]

    def __call__(self, t: float, state: Any) -> float:
        """Signed distance of the signal from the limit."""
        of_body = getattr(state, "position" if self.of == "distance" else self.of)
        vector = of_body(self.bodies[0])
        if len(self.bodies) == 2:
            vector = vector - of_body(self.bodies[1])
        if self.component is None:
            return float(np.linalg.norm(vector)) - self._limit
        return float(vector[COMPONENTS[self.component]]) - self._limit

    def event(self, name: str) -> Event:
        """What `dt.simulate` is to watch for."""
        return Event(name, self, 1 if self.above is not None else -1, terminal=True)
