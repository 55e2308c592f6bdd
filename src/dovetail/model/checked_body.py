"""Checking what was written for one body, and deriving its mass, inertia and placement."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.shapes.shape import MEASURE_UNITS, MassProperties, Shape
from dovetail.model.surface import Surface
from dovetail.model.trajectories import (
    PoseTable,
    Trajectory,
    constant_velocity,
    from_function,
    through_poses,
)
from dovetail.model.values import (
    Array,
    Mistakes,
    frozen,
    inertia_matrix,
    name_of,
    positive,
    rotation_matrix,
    shown,
    vector3,
)

MOTIONS = ("static", "kinematic", "dynamic")
DEFAULT_DENSITY = 1000.0  # kg per m^3, m^2, m or point, by the shape's dimension
NO_SURFACE = Surface.of(np.zeros((0, 3)))


@dataclass(frozen=True)
class BodyInput:
    """What the user wrote for one body, unchecked. Meanings: `Scene.add_body`."""

    name: Any
    shape: Any = None
    density: Any = None
    mass: Any = None
    inertia: Any = None
    center_of_mass: Any = None
    position: Any = (0.0, 0.0, 0.0)
    rotation: Any = None
    velocity: Any = (0.0, 0.0, 0.0)
    angular_velocity: Any = (0.0, 0.0, 0.0)
    motion: Any = "dynamic"
    trajectory: Any = None
    moves_until: Any = None
    fixed: Any = None
    group: Any = None
    material: Any = None


@dataclass(frozen=True, eq=False)
class CheckedBody:
    """One body after every value was checked and every default derived (SI, read-only)."""

    name: str
    shape: Shape | None
    motion: str
    mass: float
    density: float | None
    inertia: Array
    centre: Array  # of mass, in the shape's frame
    position: Array  # of the centre of mass
    rotation: Array
    velocity: Array
    angular_velocity: Array
    surface: Surface  # origin at the centre of mass
    fixed: tuple[bool, ...] = (False,) * 6
    group: str | None = None
    material: str | None = None
    trajectory: Trajectory | None = None
    derived: dict[str, str] = field(default_factory=dict)  # what was not given, for the printout


def check_body(given: BodyInput) -> CheckedBody:
    """Check everything about one body, then derive mass, inertia and placement."""
    found = Mistakes()
    name = found.take(name_of, given.name, "body")
    who = f"body {shown(given.name)}"
    motion = given.motion
    if motion not in MOTIONS:
        found.append(f"`motion` of {who} must be one of {', '.join(MOTIONS)}, got {shown(motion)}")
    origin = found.take(vector3, given.position, f"`position` of {who}", "m")
    rotation = frozen(np.eye(3))
    if given.rotation is not None:
        turned = found.take(rotation_matrix, given.rotation, f"`rotation` of {who}")
        rotation = rotation if turned is None else turned
    velocity = found.take(vector3, given.velocity, f"`velocity` of {who}", "m/s")
    spin = found.take(vector3, given.angular_velocity, f"`angular_velocity` of {who}", "rad/s")
    fixed = found.take(_fixed_freedoms, given.fixed, who)
    for what, value in (("group", given.group), ("material", given.material)):
        if value is not None:
            found.take(name_of, value, f"{what} of {who}")
    amount = found.take(_mass_and_inertia, given, who)
    found.take(_check_motion, given, who)
    found.raise_if_any()
    assert name is not None and origin is not None and velocity is not None
    assert spin is not None and amount is not None and fixed is not None

    position = frozen(origin + rotation @ amount.centre) if given.shape is not None else origin
    surface = NO_SURFACE
    if given.shape is not None:
        surface = given.shape.surface().moved(np.eye(3), -amount.centre)
    if motion == "static":
        velocity = spin = frozen(np.zeros(3))
    return CheckedBody(
        name=name,
        shape=given.shape,
        motion=motion,
        mass=amount.mass,
        density=amount.density,
        inertia=amount.inertia,
        centre=amount.centre,
        position=position,
        rotation=rotation,
        velocity=velocity,
        angular_velocity=spin,
        surface=surface,
        fixed=fixed,
        group=given.group,
        material=given.material,
        trajectory=_trajectory(given, who, position, rotation, velocity, spin),
        derived=amount.derived,
    )


def _fixed_freedoms(value: Any, who: str) -> tuple[bool, ...]:
    """Six flags (x, y, z, rx, ry, rz) in world axes; None frees all."""
    if value is None:
        return (False,) * 6
    flags = tuple(value) if isinstance(value, list | tuple | np.ndarray) else ()
    if len(flags) != 6 or not all(isinstance(flag, bool | np.bool_) for flag in flags):
        raise InputError(
            f"`fixed` of {who} must be six true/false values (x, y, z, rx, ry, rz), "
            f"got {shown(value)}"
        )
    return tuple(bool(flag) for flag in flags)


@dataclass(frozen=True, eq=False)
class _Amount:
    mass: float
    density: float | None
    inertia: Array
    centre: Array
    derived: dict[str, str]


def _mass_and_inertia(given: BodyInput, who: str) -> _Amount:
    """Mass [kg], inertia about the centre [kg m^2] and centre in the shape's frame [m]."""
    found = Mistakes()
    shape, derived = given.shape, {}
    if shape is not None and not isinstance(shape, Shape):
        raise InputError(f"`shape` of {who} must be a shape such as dt.Box, got {shown(shape)}")
    if given.density is not None and given.mass is not None:
        found.append(f"give `density` or `mass` of {who}, not both")
    density = mass = None
    if given.density is not None:
        density = found.take(positive, given.density, f"`density` of {who}", "kg/m^3")
    if given.mass is not None:
        mass = found.take(positive, given.mass, f"`mass` of {who}", "kg")
    inertia = None
    if given.inertia is not None:
        inertia = found.take(inertia_matrix, given.inertia, f"`inertia` of {who}")
    centre = None
    if given.center_of_mass is not None:
        centre = found.take(vector3, given.center_of_mass, f"`center_of_mass` of {who}", "m")
    if shape is not None:
        found.extend(f"{who}: {sentence}" for sentence in shape.mistakes())
    elif given.motion == "dynamic":
        missing = [n for n, v in (("mass", given.mass), ("inertia", given.inertia)) if v is None]
        if missing:
            found.append(f"{who} has no shape, so it needs {' and '.join(missing)}")
    found.raise_if_any()

    if shape is None:
        return _Amount(
            mass if mass is not None else np.inf,
            None,
            inertia if inertia is not None else frozen(np.diag([np.inf] * 3)),
            frozen(np.zeros(3)),
            derived,
        )
    integrals = shape.mass_properties()
    _check_integrals(integrals, given, who)
    unit = MEASURE_UNITS[integrals.dimension]
    if mass is None and density is None:
        density = DEFAULT_DENSITY
        derived["density"] = f"{density:g} kg/{unit} (not given)"
    if mass is None:
        assert density is not None
        mass = density * integrals.measure
    else:
        density = mass / integrals.measure if np.isfinite(integrals.measure) else None
    if inertia is None:
        inertia = frozen((mass / integrals.measure) * integrals.inertia)
    return _Amount(
        mass, density, inertia, frozen(integrals.centre if centre is None else centre), derived
    )


def _check_integrals(integrals: MassProperties, given: BodyInput, who: str) -> None:
    if given.motion == "dynamic" and not np.isfinite(integrals.measure):
        raise InputError(f"{who} is unbounded, so its `motion` must be static or kinematic")
    if not integrals.measure > 0:
        unit = MEASURE_UNITS[integrals.dimension]
        raise InputError(
            f"the shape of {who} must enclose a volume > 0, got {integrals.measure:.6g} {unit}; "
            "check for flipped or degenerate triangles"
        )


def _check_motion(given: BodyInput, who: str) -> None:
    found = Mistakes()
    way = given.trajectory
    if given.motion != "kinematic":
        for field_name in ("trajectory", "moves_until"):
            if getattr(given, field_name) is not None:
                found.append(
                    f"`{field_name}` of {who} needs motion 'kinematic', got {given.motion!r}"
                )
    elif isinstance(way, PoseTable):
        found.extend(way.mistakes(f"the trajectory of {who}"))
    elif way is not None and not callable(way):
        found.append(
            f"`trajectory` of {who} must be a dt.PoseTable or a function of time, got {shown(way)}"
        )
    if given.moves_until is not None:
        found.take(positive, given.moves_until, f"`moves_until` of {who}", "s")
    found.raise_if_any()


def _trajectory(
    given: BodyInput, who: str, position: Array, rotation: Array, velocity: Array, spin: Array
) -> Trajectory | None:
    if given.motion != "kinematic":
        return None
    if isinstance(given.trajectory, PoseTable):
        return through_poses(given.trajectory, (position, rotation))
    if callable(given.trajectory):
        return from_function(given.trajectory, who)
    until = np.inf if given.moves_until is None else float(given.moves_until)
    return constant_velocity((position, rotation), velocity, spin, until)
