"""Events: moments at which a function of time and state changes sign."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any

import numpy as np

from dovetail.errors import RunError, error_text
from dovetail.integrators.interface import Snapshot, Stepper, observed_state
from dovetail.linalg.roots import root_between
from dovetail.model.frozen import Model
from dovetail.model.values import Array, Mistakes, name_of, quote
from dovetail.multibody.state import StateByName
from dovetail.runtime.options import named_parameters

TIME_TOLERANCE = 1e-12  # relative, of an event's time


@named_parameters
@dataclass(frozen=True)
class Event:
    """The moments at which `function(t, state)` changes sign.

    `state.position(name)`, `.velocity`, ... give the motion. `direction` > 0 counts only
    changes from negative to positive, < 0 only the others. A `terminal` event ends the run there.
    """

    name: str
    function: Callable[[float, Any], float]
    direction: int = 0
    terminal: bool = False

    def mistakes(self) -> list[str]:
        found = Mistakes()
        found.take(name_of, self.name, "event")
        who = f"event {quote(self.name)}"
        function: Any = self.function
        if not callable(function):
            found.append(f"`function` of {who} must be callable, got {quote(function)}")
        if self.direction not in (-1, 0, 1):
            found.append(f"`direction` of {who} must be -1, 0 or 1, got {quote(self.direction)}")
        return found

    def crosses(self, before: float, after: float) -> bool:
        """Whether the sign changed; a step that starts at zero was counted by the one before."""
        if before < 0 <= after:
            return self.direction >= 0
        return self.direction <= 0 if before > 0 >= after else False


class EventWatch:
    """The events of one run: their values at the current time, and when they happened."""

    def __init__(self, events: tuple[Event, ...], model: Model, stepper: Stepper) -> None:
        self.events, self._model, self._stepper = events, model, stepper
        self.values: Array = np.zeros(len(events))

    def begin(self) -> None:
        """Take the values at the start of the run."""
        self.values = np.array([self._value(event) for event in self.events])

    def after_step(
        self, t_before: float, before: Snapshot, t: float
    ) -> tuple[list[tuple[int, float]], bool]:
        """What happened in the step from `before` at `t_before` to the current state at `t`.

        Returns (event number, time [s]) in order of time, and whether the last one is terminal:
        then the stepper is at that event instead of at `t`.
        """
        old, new = self.values, np.array([self._value(event) for event in self.events])
        self.values = new
        crossed = [i for i, e in enumerate(self.events) if e.crosses(old[i], new[i])]
        if not crossed:
            return [], False
        after = self._stepper.snapshot()
        found = sorted((self._located(i, t_before, t, old[i], new[i], before), i) for i in crossed)
        happened = []
        for time, i in found:
            happened.append((i, time))
            if self.events[i].terminal:
                self._stepper.restore(before)
                if time > t_before:
                    self._stepper.step(time)
                return happened, True
        self._stepper.restore(after)
        return happened, False

    def _located(
        self, i: int, t0: float, t1: float, value0: float, value1: float, before: Snapshot
    ) -> float:
        """The root of event `i` in [t0, t1], each trial a step from the start of this one."""
        ends = {t0: value0, t1: value1}

        def value(t: float) -> float:
            if t not in ends:
                self._stepper.restore(before)
                self._stepper.step(t)
                ends[t] = self._value(self.events[i])
            return ends[t]

        return root_between(value, t0, t1, TIME_TOLERANCE * t1)

    def _value(self, event: Event) -> float:
        state = observed_state(self._stepper)
        try:
            given = event.function(state.t, StateByName(self._model, state))
            value = nan if given is None else float(given)
        except Exception as error:
            raise RunError(
                f"the function of event {quote(event.name)} failed: {error_text(error)}", state.t
            ) from error
        if not isfinite(value):
            raise RunError(
                f"the function of event {quote(event.name)} must return a finite number, "
                f"got {value}",
                state.t,
            )
        return value
