"""Choosing the step while the run goes."""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from dovetail.errors import InputError
from dovetail.integrators.interface import StepReport
from dovetail.model.values import Mistakes, positive
from dovetail.runtime.options import named_parameters


@runtime_checkable
class StepControl(Protocol):
    """Decides after each step whether to keep it and how long the next one is.

    A control with a state of its own has `snapshot()` and `restore(snapshot)`, like a stepper,
    so that a resumed run continues bit for bit.
    """

    def first(self, step: float) -> float:
        """The first step [s], given the one the user requested."""

    def next(self, h: float, report: StepReport) -> tuple[bool, float]:
        """Whether to accept the step of `h` [s], and the next one (the same again if not).

        A step that could not be made at all has `report.error` = inf.
        """


@dataclass(frozen=True)
class StepFromError:
    """h <- h min(most, max(least, safety error^(-1/(order + 1)))), accepted if error <= 1.

    The elementary controller of Hairer, Norsett and Wanner, Solving ODEs I, eq. (II.4.13);
    `order` is that of the integrator, which must report an error.
    """

    order: int
    safety: float = 0.9
    least: float = 0.2
    most: float = 5.0
    largest: float = inf  # [s]

    def first(self, step: float) -> float:
        return min(step, self.largest)

    def next(self, h: float, report: StepReport) -> tuple[bool, float]:
        if report.error is None:
            raise ValueError("StepFromError needs an integrator that estimates its error")
        if report.error == 0:
            factor = self.most
        elif isfinite(report.error):
            factor = self.safety * report.error ** (-1 / (self.order + 1))
        else:
            factor = self.least
        h_next = min(h * min(self.most, max(self.least, factor)), self.largest)
        return report.error <= 1, h_next


@named_parameters
class LargeAndSmallSteps:
    """`large` steps [s] while no two bodies are near each other, `small` ones while some are.

    Near means that their oriented boxes overlap, which contact by distance fields reports. A longer
    step that ends near another body, or in which one could have passed another, is taken again at
    a quarter, so every contact begins in a small step (Zhang, You and Liu 2024, section 2.2); away
    from others steps double up to the large one.

    Args:
        large: default: `TIMES` small ones.
        small: default: the `step` of the run.
    """

    TIMES: ClassVar[float] = 20.0

    def __init__(self, large: float | None = None, small: float | None = None) -> None:
        found = Mistakes()
        for name, value in (("large", large), ("small", small)):
            if value is not None:
                found.take(positive, value, f"`{name}`", "s")
        if not found and large is not None and small is not None and not small < large:
            found.append(f"`small` must be less than `large`, got {small:g} s and {large:g} s")
        found.raise_if_any()
        self.large, self.small = large, small
        self._large, self._small = large or inf, small or inf  # once the run's step is known

    def __repr__(self) -> str:
        return f"LargeAndSmallSteps(large={self.large!r}, small={self.small!r})"

    def first(self, step: float) -> float:
        self._small = float(self.small or step)
        self._large = float(self.large or self.TIMES * self._small)
        if not self._small < self._large:
            raise InputError(
                f"`large` must be more than the run's step of {step:g} s, got {self._large:g} s"
            )
        return self._small

    def next(self, h: float, report: StepReport) -> tuple[bool, float]:
        failed = report.error is not None and not isfinite(report.error)
        longer = h > 1.001 * self._small  # h comes from a difference of times, with their rounding
        if longer and (report.near or failed):
            return False, max(self._small, 0.25 * h)
        if failed:
            return True, self._small  # the loop raises what went wrong
        return True, self._small if report.near else min(2 * h, self._large)

    def snapshot(self) -> dict[str, Any]:
        """The steps in use."""
        return {"steps": np.array([self._large, self._small])}

    def restore(self, snapshot: dict[str, Any]) -> None:
        self._large, self._small = (float(step) for step in snapshot["steps"])
