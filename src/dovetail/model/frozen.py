"""The frozen model: everything about a scene as read-only arrays, bodies numbered 0..n-1.

This is what every method reads; nothing changes it. The ground is body -1.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.model.checked_body import CheckedBody
from dovetail.model.couplings import PlacedCoupling
from dovetail.model.joints import Joint
from dovetail.model.loads import Load
from dovetail.model.massless import ALONE, with_link_mass
from dovetail.model.materials import PairMaterial
from dovetail.model.trajectories import Trajectory
from dovetail.model.values import GROUND_NAME, Array

GROUND = -1
STATIC, KINEMATIC, DYNAMIC = 0, 1, 2
MOTION_CODES = {"static": STATIC, "kinematic": KINEMATIC, "dynamic": DYNAMIC}


@dataclass(frozen=True, eq=False)
class PlacedJoint:
    """A joint with its bodies as numbers (GROUND for the world)."""

    name: str
    joint: Joint
    body_a: int
    body_b: int
    start: tuple[float, ...] = ()
    """What its users call its coordinates at the initial pose, where they are 0 inside."""


@dataclass(frozen=True, eq=False)
class PlacedLoad:
    """A load with its name; it names its bodies itself."""

    name: str
    load: Load


@dataclass(frozen=True, eq=False)
class Model:
    """A checked scene. Shapes: n = n_bodies; SI units; world axes unless said otherwise."""

    names: tuple[str, ...]
    bodies: tuple[CheckedBody, ...]
    gravity: Array  # (3,) [m/s^2]
    motion: NDArray[np.int8]  # (n,) STATIC, KINEMATIC or DYNAMIC
    mass: Array  # (n,) [kg]
    inertia: Array  # (n, 3, 3) [kg m^2] body frame about the centre of mass
    position: Array  # (n, 3) [m] initial, of the centre of mass
    rotation: Array  # (n, 3, 3) initial
    velocity: Array  # (n, 3) [m/s] initial
    angular_velocity: Array  # (n, 3) [rad/s] initial
    fixed: NDArray[np.bool_]  # (n, 6) x, y, z, rx, ry, rz in world axes
    trajectories: tuple[Trajectory | None, ...]
    joints: tuple[PlacedJoint, ...]
    loads: tuple[PlacedLoad, ...]
    materials: tuple[PairMaterial, ...]
    excluded: tuple[tuple[int, int], ...] = ()  # pairs that pass through each other
    couplings: tuple[PlacedCoupling, ...] = ()

    @property
    def n_bodies(self) -> int:
        return len(self.names)

    def index(self, name: str) -> int:
        """The number of a body; GROUND for 'ground'."""
        return GROUND if name == GROUND_NAME else self.names.index(name)

    def pair_material(self, body_a: int, body_b: int) -> PairMaterial | None:
        """The entry for two bodies: by their names first, then by their materials.

        Of two equally close entries the first holds; nothing is known about the ground.
        """
        if GROUND in (body_a, body_b):
            return None
        a, b = self.bodies[body_a], self.bodies[body_b]
        best, best_rank = None, 0
        for pair in self.materials:
            for first, second in ((pair.a, pair.b), (pair.b, pair.a)):
                rank_a = 2 if first == a.name else 1 if first == a.material else 0
                rank_b = 2 if second == b.name else 1 if second == b.material else 0
                if rank_a and rank_b and rank_a + rank_b > best_rank:
                    best, best_rank = pair, rank_a + rank_b
        return best


def freeze(
    bodies: list[CheckedBody],
    gravity: Array,
    joints: list[PlacedJoint],
    loads: list[PlacedLoad],
    materials: list[PairMaterial],
    excluded: list[tuple[int, int]],
    couplings: list[PlacedCoupling] | None = None,
) -> Model:
    """Stack checked bodies into read-only arrays."""
    n = len(bodies)

    def stacked(attribute: str, shape: tuple[int, ...]) -> Array:
        rows = [getattr(body, attribute) for body in bodies]
        array = np.array(rows, dtype=np.float64).reshape(n, *shape)
        array.flags.writeable = False
        return array

    motion = np.array([MOTION_CODES[body.motion] for body in bodies], dtype=np.int8)
    fixed = np.array([body.fixed for body in bodies], dtype=bool).reshape(n, 6)
    for array in (motion, fixed):
        array.flags.writeable = False
    mass, inertia = with_link_mass(
        bodies, joints, stacked("mass", ()), stacked("inertia", (3, 3)), ALONE
    )
    return Model(
        names=tuple(body.name for body in bodies),
        bodies=tuple(bodies),
        gravity=gravity,
        motion=motion,
        mass=mass,
        inertia=inertia,
        position=stacked("position", (3,)),
        rotation=stacked("rotation", (3, 3)),
        velocity=stacked("velocity", (3,)),
        angular_velocity=stacked("angular_velocity", (3,)),
        fixed=fixed,
        trajectories=tuple(body.trajectory for body in bodies),
        joints=tuple(joints),
        loads=tuple(loads),
        materials=tuple(materials),
        excluded=tuple(excluded),
        couplings=tuple(couplings or ()),
    )
