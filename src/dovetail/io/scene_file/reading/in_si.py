"""A document's entries in SI units: what its annotations tell, and what depends on context."""

from typing import Any, TypeVar

from dovetail.errors import InputError
from dovetail.io.scene_file.schema.joints import ActuationEntry, MotorEntry
from dovetail.io.scene_file.schema.values import Entry, Named, dimension_of
from dovetail.io.scene_file.units import (
    ANGLE,
    ANGULAR_VELOCITY,
    DAMPING,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    STIFFNESS,
    TORQUE,
    TURN_DAMPING,
    TURN_STIFFNESS,
    VELOCITY,
    Units,
)
from dovetail.model.joints import Joint

E = TypeVar("E", bound=Entry)

DIMENSIONS = {
    "length": {
        "position": LENGTH, "velocity": VELOCITY, "effort": FORCE,
        "stiffness": STIFFNESS, "damping": DAMPING, "inertia": MASS,
    },
    "angle": {
        "position": ANGLE, "velocity": ANGULAR_VELOCITY, "effort": TORQUE,
        "stiffness": TURN_STIFFNESS, "damping": TURN_DAMPING, "inertia": INERTIA,
    },
}  # fmt: skip
"""Of what acts along a coordinate, by what the coordinate is (`model.joints.motions`)."""
ACTUATION_FIELDS = {
    "lower": "position", "upper": "position", "rest": "position", "stiffness": "stiffness",
    "damping": "damping", "friction": "effort", "effort_limit": "effort",
    "velocity_limit": "velocity", "armature": "inertia", "limit_stiffness": "stiffness",
    "limit_damping": "damping", "limit_inertia": "inertia", "servo_stiffness": "stiffness",
    "servo_damping": "damping", "servo_target": "position",
}  # fmt: skip


def in_si(entry: E, units: Units) -> E:
    """The entry with every field that declares a dimension converted, nested ones too."""
    if units.are_si:
        return entry
    changed: dict[str, Any] = {}
    for name in entry.model_fields_set & type(entry).model_fields.keys():
        field, value = type(entry).model_fields[name], getattr(entry, name)
        dimension = dimension_of(field)
        if dimension is not None:
            changed[name] = units.to_si(value, dimension)
        elif isinstance(value, Entry):
            changed[name] = in_si(value, units)
        elif isinstance(value, list):
            changed[name] = [in_si(v, units) if isinstance(v, Entry) else v for v in value]
    return entry.model_copy(update=changed)


def actuation_in_si(
    entry: ActuationEntry, joint: type[Joint], coordinate: int, units: Units
) -> ActuationEntry:
    """One coordinate's limits and springs; an angle and a length have different units."""
    if units.are_si or coordinate >= joint.freedoms:
        return entry
    kind = DIMENSIONS[joint.coordinates[coordinate].quantity]
    changed: dict[str, Any] = {
        name: units.to_si(getattr(entry, name), kind[quantity])
        for name, quantity in ACTUATION_FIELDS.items()
    }
    if isinstance(entry.motor, MotorEntry):
        changed["motor"] = entry.motor.model_copy(
            update={
                name: units.to_si(getattr(entry.motor, name), kind[name])
                for name in ("effort", "position", "velocity")
            }
        )
    else:
        changed["motor"] = units.to_si(entry.motor, kind["effort"])
    return entry.model_copy(update=changed)


def friction_in_si(friction: Any, units: Units) -> Any:
    """A coefficient, (mu_s, mu_d, v_s, v_d) whose speeds have a unit, or {curve: {options}}."""
    if isinstance(friction, Named):
        options = dict(friction.model_extra or {})
        refuse_other_units(options, "`friction`", units)
        return options
    if not isinstance(friction, list):
        return friction
    return [*friction[:2], *units.to_si(friction[2:], VELOCITY)]


def refuse_other_units(value: Any, what: str, units: Units) -> None:
    """Raise InputError for {name: {options}} in a file that is not in SI units."""
    if isinstance(value, dict) and not units.are_si:
        raise InputError(
            f"{what} by name can be used in files in SI units only: the units of its options are "
            "not known"
        )
