"""Outputs of every run: one number, or a yes or no, from a signal over time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.values import Array, number, quote
from dovetail.results import Result
from dovetail.runtime.options import named_parameters
from dovetail.studies.signals import SIGNALS, refuse_wrong_count, signal

REDUCTIONS: dict[str, Callable[[Array, Array], float]] = {
    "first": lambda t, s: s[0],
    "last": lambda t, s: s[-1],
    "min": lambda t, s: np.min(s),
    "max": lambda t, s: np.max(s),
    "mean": lambda t, s: _integral(t, s) / (t[-1] - t[0]) if t[-1] > t[0] else s[0],
    "integral": lambda t, s: _integral(t, s),
    "change": lambda t, s: s[-1] - s[0],
    "loss": lambda t, s: s[0] - s[-1],
    "time_of_min": lambda t, s: t[np.argmin(s)],
    "time_of_max": lambda t, s: t[np.argmax(s)],
}
TIMES_WHERE = ("first_time", "last_time", "time_share")  # of a signal above or below a value


@named_parameters
@dataclass(frozen=True)
class Output:
    """A reduction (`max`, `last`, `loss`, ...) of a signal (`penalty.force`, `energy`, ...).

    With `above` or `below` the answer is whether the number lies there; `first_time` and
    `last_time` [s] are when the signal itself does so first and last (nan if never), `time_share`
    is for which part of the run.
    """

    reduction: str
    of: str
    bodies: tuple[str, ...] = ()
    component: str | None = None
    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "bodies", tuple(self.bodies))
        known = (*REDUCTIONS, *TIMES_WHERE)
        if self.reduction not in known:
            raise InputError(
                f"an output must be one of {', '.join(known)} of a signal, "
                f"got {quote(self.reduction)}"
            )
        if self.of not in SIGNALS:
            raise InputError(f"a signal must be one of {', '.join(SIGNALS)}, got {quote(self.of)}")
        refuse_wrong_count(self.of, self.bodies)
        for limit in (self.above, self.below):
            if limit is not None:
                number(limit, "a limit of an output")
        if self.reduction in TIMES_WHERE and self.above is None and self.below is None:
            raise InputError(f"`{self.reduction}` must have a limit: give `above` or `below`")

    def __call__(self, result: Result) -> float | bool:
        """The answer for one run."""
        if len(result.time) == 0:
            return float("nan")
        values = signal(result, self.of, self.bodies, self.component)
        if self.reduction in TIMES_WHERE:
            return _time_where(self.reduction, result.time, self._holds(values))
        found = float(REDUCTIONS[self.reduction](result.time, values))
        if self.above is None and self.below is None:
            return found
        return bool(self._holds(np.array([found]))[0])

    def _holds(self, values: Array) -> Any:
        over = values > self.above if self.above is not None else True
        under = values < self.below if self.below is not None else True
        return np.broadcast_to(np.logical_and(over, under), values.shape)


@named_parameters
@dataclass(frozen=True)
class AllOf:
    """Whether every one of some yes-or-no outputs is yes."""

    outputs: tuple[Output, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "outputs", tuple(self.outputs))
        for output in self.outputs:
            limited = output.above is not None or output.below is not None
            if not limited or output.reduction in TIMES_WHERE:
                raise InputError(
                    "`all` must be of outputs that are yes or no (with `above` or `below`), got "
                    f"{output.reduction} of {output.of}"
                )

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(name for output in self.outputs for name in output.bodies)

    def __call__(self, result: Result) -> bool:
        """The answer for one run."""
        return all(output(result) is True for output in self.outputs)


def _time_where(which: str, time: Array, holds: Any) -> float:
    if which == "time_share":
        return float(REDUCTIONS["mean"](time, holds.astype(float)))
    if not holds.any():
        return float("nan")
    frames = np.flatnonzero(holds)
    return float(time[frames[0] if which == "first_time" else frames[-1]])


def _integral(time: Array, values: Array) -> float:
    return float(np.trapezoid(values, time))
