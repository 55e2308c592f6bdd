"""What acts along one coordinate of a joint."""

from dataclasses import dataclass
from typing import Any

from dovetail.errors import InputError
from dovetail.model.values import (
    Mistakes,
    not_negative,
    number,
    quote,
)
from dovetail.runtime.options import named_parameters

MOTOR_MODES = ("position", "velocity")


@named_parameters
@dataclass(frozen=True)
class Actuation:
    """What acts along one joint coordinate. SI units: N or N m per m or rad."""

    lower: float | None = None
    upper: float | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    friction: float = 0.0
    motor: Any = None  # a constant effort, a function of time, or ("position" | "velocity", f)
    effort_limit: float | None = None
    velocity_limit: float | None = None

    @property
    def motor_is_function(self) -> bool:
        """Whether Python code decides what the motor does, which no file can keep."""
        motor = self.motor
        return any(map(callable, motor)) if isinstance(motor, tuple | list) else callable(motor)

    def mistakes(self, who: str) -> list[str]:
        found = Mistakes()
        lower = upper = None
        if self.lower is not None:
            lower = found.take(number, self.lower, f"`lower` limit of {who}", "m or rad")
        if self.upper is not None:
            upper = found.take(number, self.upper, f"`upper` limit of {who}", "m or rad")
        if lower is not None and upper is not None and lower > upper:
            found.append(
                f"`lower` limit of {who} must be <= its `upper`, got {lower:g} > {upper:g}"
            )
        for name in ("stiffness", "damping", "friction"):
            found.take(not_negative, getattr(self, name), f"`{name}` of {who}")
        found.take(number, self.rest, f"`rest` of {who}", "m or rad")
        for name in ("effort_limit", "velocity_limit"):
            if getattr(self, name) is not None:
                found.take(not_negative, getattr(self, name), f"`{name}` of {who}")
        if self.motor is not None:
            found.take(_check_motor, self.motor, f"`motor` of {who}")
        return found


def _check_motor(motor: Any, what: str) -> None:
    """A constant effort, a function of time, or ("position" | "velocity", either of these)."""
    wanted = motor
    if isinstance(motor, tuple | list) and len(motor) == 2 and isinstance(motor[0], str):
        if motor[0] not in MOTOR_MODES:
            raise InputError(
                f"{what} must follow one of {', '.join(MOTOR_MODES)}, got {quote(motor[0])}"
            )
        wanted = motor[1]
    if not callable(wanted):
        number(wanted, what)
