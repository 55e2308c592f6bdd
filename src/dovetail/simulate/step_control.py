"""Choosing the step while the run goes."""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Protocol, runtime_checkable

from dovetail.errors import InputError
from dovetail.integrators.interface import StepReport


@runtime_checkable
class StepControl(Protocol):
    """Decides after each step whether to keep it and how long the next one is.

    A control with a memory of its own also has `memory()` and `restore(memory)`, like a stepper,
    so that a resumed run continues bit for bit.
    """

    def first(self, step: float) -> float:
        """The first step [s], given the one the user asked for."""

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


@dataclass(frozen=True)
class LargeAndSmallSteps:
    """`large` steps [s] while no two bodies are near each other, `small` ones while some are.

    Near means that their turned boxes overlap, which the contact method tells. A longer step that
    ends near another body is taken again at a quarter, so every contact begins in a small step
    (Zhang, You and Liu 2024, section 2.2); away from others steps double up to the large one.
    """

    large: float
    small: float

    def __post_init__(self) -> None:
        if not 0 < self.small < self.large < inf:
            raise InputError(
                "`small` must be > 0 s and less than `large`, got "
                f"small={self.small!r}, large={self.large!r}"
            )

    def first(self, step: float) -> float:
        return self.small

    def next(self, h: float, report: StepReport) -> tuple[bool, float]:
        failed = report.error is not None and not isfinite(report.error)
        longer = h > 1.001 * self.small  # h comes from a difference of times, with their rounding
        if longer and (report.near or failed):
            return False, max(self.small, 0.25 * h)
        if failed:
            return True, self.small  # the loop raises what went wrong
        return True, self.small if report.near else min(2 * h, self.large)
