"""Checking what was written for one body, and deriving its mass, inertia and placement."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.mass import mass_and_inertia
from dovetail.model.shapes.shape import Shape
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
    CopiedFields,
    Mistakes,
    frozen,
    name_of,
    positive,
    quote,
    rotation_matrix,
    vector3,
)

MOTIONS = ("static", "kinematic", "dynamic")
UNTURNED = frozen(np.eye(3))
NO_SURFACE = Surface.of(np.zeros((0, 3)))


@dataclass(frozen=True)
class BodyInput(CopiedFields):
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

    @property
    def moves_by_function(self) -> bool:
        """Whether a Python function gives the motion, which no file can keep."""
        return self.trajectory is not None and not isinstance(self.trajectory, PoseTable)


@dataclass(frozen=True, eq=False)
class CheckedBody:
    """One body after every value was checked and every default derived (SI, read-only)."""

    name: str
    shape: Shape | None
    motion: str
    mass: float  # [kg]
    density: float | None  # [kg/m^3], or per m^2, m or point by the shape's dimension
    inertia: Array  # (3, 3) [kg m^2] body frame about the centre of mass
    centre: Array  # (3,) [m] of mass, in the shape's frame
    position: Array  # (3,) [m] of the centre of mass
    rotation: Array  # (3, 3) body to world
    velocity: Array  # (3,) [m/s] of the centre of mass
    angular_velocity: Array  # (3,) [rad/s] in world axes
    surface: Surface  # origin at the centre of mass
    fixed: tuple[bool, ...] = (False,) * 6  # x, y, z, rx, ry, rz in world axes
    group: str | None = None
    material: str | None = None
    trajectory: Trajectory | None = None
    derived: dict[str, str] = field(default_factory=dict)  # what was not given, for the printout


def check_body(given: BodyInput) -> CheckedBody:
    """Check everything about one body, then derive mass, inertia and placement."""
    found = Mistakes()
    name = found.take(name_of, given.name, "body")
    who = f"body {quote(given.name)}"
    motion = given.motion
    if not isinstance(motion, str) or motion not in MOTIONS:
        found.append(f"`motion` of {who} must be one of {', '.join(MOTIONS)}, got {quote(motion)}")
    origin = found.take(vector3, given.position, f"`position` of {who}", "m")
    rotation = UNTURNED
    if given.rotation is not None:
        turned = found.take(rotation_matrix, given.rotation, f"`rotation` of {who}")
        rotation = rotation if turned is None else turned
    velocity = found.take(vector3, given.velocity, f"`velocity` of {who}", "m/s")
    spin = found.take(vector3, given.angular_velocity, f"`angular_velocity` of {who}", "rad/s")
    fixed = found.take(_fixed_freedoms, given.fixed, who)
    for what, value in (("group", given.group), ("material", given.material)):
        if value is not None:
            found.take(name_of, value, f"{what} of {who}")
    amount = found.take(
        mass_and_inertia,
        given.shape, given.density, given.mass, given.inertia, given.center_of_mass,
        who=who, dynamic=isinstance(motion, str) and motion == "dynamic",
    )  # fmt: skip
    found.take(_check_motion, given, who)
    found.raise_if_any()
    assert name is not None and origin is not None and velocity is not None
    assert spin is not None and amount is not None and fixed is not None

    position = frozen(origin + rotation @ amount.centre)
    surface = NO_SURFACE
    if given.shape is not None:
        surface = given.shape.surface().about(amount.centre)
    if motion == "static":
        velocity = spin = frozen(np.zeros(3))
    trajectory = _trajectory(given, who, position, rotation, velocity, spin)
    if trajectory is not None and given.trajectory is not None:  # it starts where that starts
        position, rotation = (frozen(part) for part in trajectory.pose(0.0))
        velocity, spin = (frozen(part) for part in trajectory.twist(0.0))
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
        trajectory=trajectory,
        derived=amount.derived,
    )


def _fixed_freedoms(value: Any, who: str) -> tuple[bool, ...]:
    """Six flags (x, y, z, rx, ry, rz) in world axes; None frees all."""
    if value is None:
        return (False,) * 6
    if isinstance(value, np.ndarray):
        value = value.tolist()
    flags = value if isinstance(value, list | tuple) else ()
    if len(flags) != 6 or not all(isinstance(flag, bool | np.bool_) for flag in flags):
        raise InputError(
            f"`fixed` of {who} must be six true/false values (x, y, z, rx, ry, rz), "
            f"got {quote(value)}"
        )
    return tuple(bool(flag) for flag in flags)


def _check_motion(given: BodyInput, who: str) -> None:
    found = Mistakes()
    trajectory = given.trajectory
    if not isinstance(given.motion, str):
        return
    if given.motion != "kinematic":
        for field_name in ("trajectory", "moves_until"):
            if getattr(given, field_name) is not None:
                found.append(
                    f"`{field_name}` of {who} needs motion 'kinematic', got {quote(given.motion)}"
                )
    elif isinstance(trajectory, PoseTable):
        found.extend(trajectory.mistakes(f"the trajectory of {who}"))
    elif trajectory is not None and not callable(trajectory):
        found.append(
            f"`trajectory` of {who} must be a dt.PoseTable or a function of time, "
            f"got {quote(trajectory)}"
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
