"""What acts along one coordinate of a joint."""

from dataclasses import dataclass
from inspect import Parameter, signature
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
SOFT_LIMIT = ("limit_stiffness", "limit_damping", "limit_inertia")
SERVO = ("servo_stiffness", "servo_damping", "servo_target")


@dataclass(frozen=True, eq=False)
class Steered:
    """A motor whose effort, stiffness and damping are set between steps (`dt.Simulation`).

    `given` is the effort that the scene's own motor has, a number or a function of time.
    """

    given: Any = None


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
    armature: float = 0.0
    """Inertia of a rotor that turns with the coordinate [kg or kg m^2], reflected by its gear."""
    motor: Any = None
    """A constant effort, a function of time f(t) or of time, coordinate and its rate f(t, q, v), or
    ("position" | "velocity", a number or a function of time)."""
    effort_limit: float | None = None
    velocity_limit: float | None = None
    limit_stiffness: float = 0.0
    """Of limits that give: beyond one by d the effort is -(k d + c d' + m d''), never pulling; 0 is
    a rigid limit. JointCoordinates follows it, and RATTLie where joints form a tree; to all other
    integrators and under contact limits are rigid, and a run says so."""
    limit_damping: float = 0.0
    limit_restitution: float = 0.0
    """Share of its rate with which a coordinate leaves a rigid limit, 0 to 1; only without
    contact."""
    servo_stiffness: float = 0.0
    """The part of `stiffness` that a motor's controller has; efforts and targets that are set in a
    `dt.Simulation` take its place."""
    servo_damping: float = 0.0
    """Likewise of `damping`."""
    servo_target: float = 0.0
    """Where that controller pulls [rad or m]; its rate [rad/s or m/s] if it has no stiffness."""
    limit_inertia: float = 0.0
    """What is carried along beyond a limit that gives [kg or kg m^2]."""

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
        for name in ("stiffness", "damping", "friction", "armature", *SOFT_LIMIT, *SERVO[:2]):
            found.take(not_negative, getattr(self, name), f"`{name}` of {who}")
        for part, whole in ((self.servo_stiffness, "stiffness"), (self.servo_damping, "damping")):
            if not found and part > getattr(self, whole):
                found.append(
                    f"`servo_{whole}` of {who} must be <= its `{whole}`, of which it is a part, "
                    f"got {part:g} > {getattr(self, whole):g}"
                )
        found.take(number, self.servo_target, f"`servo_target` of {who}", "m or rad")
        if not found and not self.limit_stiffness and (self.limit_damping or self.limit_inertia):
            found.append(
                f"`limit_stiffness` of {who} must be > 0 where `limit_damping` or `limit_inertia` "
                "is given"
            )
        share = found.take(not_negative, self.limit_restitution, f"`limit_restitution` of {who}")
        if share is not None and share > 1.0:
            found.append(f"`limit_restitution` of {who} must be <= 1, got {share:g}")
        if share and self.limit_stiffness:
            found.append(
                f"`limit_restitution` of {who} is that of a rigid limit, but it gives "
                "(`limit_stiffness`); leave one of them out"
            )
        if share and self.lower is None and self.upper is None:
            found.append(f"`limit_restitution` of {who} needs a `lower` or an `upper` limit")
        found.take(number, self.rest, f"`rest` of {who}", "m or rad")
        for name in ("effort_limit", "velocity_limit"):
            if getattr(self, name) is not None:
                found.take(not_negative, getattr(self, name), f"`{name}` of {who}")
        if self.motor is not None:
            found.take(_check_motor, self.motor, f"`motor` of {who}")
        return found


def is_limited_servo(entry: Actuation) -> bool:
    """Whether `effort_limit` cuts what the controller of a motor does."""
    return bool(entry.servo_stiffness or entry.servo_damping) and entry.effort_limit is not None


def takes_state(function: Any) -> bool:
    """Whether a motor's function asks for (t, q, v) and not for t alone."""
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in kinds and p.default is Parameter.empty for p in parameters) == 3


def _check_motor(motor: Any, what: str) -> None:
    """A constant effort, a function of time or state, or ("position" | "velocity", f)."""
    wanted = motor
    if isinstance(motor, tuple | list) and len(motor) == 2 and isinstance(motor[0], str):
        if motor[0] not in MOTOR_MODES:
            raise InputError(
                f"{what} must follow one of {', '.join(MOTOR_MODES)}, or be an effort, a number or "
                f"a function without a name before it, got {quote(motor[0])}"
            )
        wanted = motor[1]
        if callable(wanted) and takes_state(wanted):
            raise InputError(
                f"{what} must follow a function of time, f(t), to prescribe a {motor[0]}; a "
                "function of time, coordinate and rate, f(t, q, v), gives an effort"
            )
    if not callable(wanted):
        number(wanted, what)
