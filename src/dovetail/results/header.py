"""What a result says once, before its first frame: bodies, scene, settings."""

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.results.columns import Column, tables_of

MeshArrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Header:
    """The constant part of a result.

    `settings` is JSON text: how the run was made and the fingerprints of the scene's parts.
    `document` is the scene as JSON text; the meshes it refers to are in `meshes` by key.
    """

    names: tuple[str, ...]
    motion: tuple[str, ...]
    mass: Array  # (n,) [kg]
    inertia: Array  # (n, 3, 3) [kg m^2] body frame
    gravity: Array  # (3,) [m/s^2]
    event_names: tuple[str, ...]
    settings: str
    version: str
    document: str = ""
    meshes: dict[str, MeshArrays] = field(default_factory=dict)
    joint_names: tuple[str, ...] = ()
    waypoints: bool = False  # whether the run may leave some
    without: frozenset[str] = frozenset()  # columns that a file of an earlier version lacks

    @property
    def tables(self) -> dict[str, tuple[Column, ...]]:
        """The columns of the result, by table."""
        n_kinematic = self.motion.count("kinematic")
        tables = tables_of(len(self.names), len(self.joint_names), self.waypoints, n_kinematic)
        if not self.without:
            return tables
        return {
            name: tuple(column for column in columns if column.path not in self.without)
            for name, columns in tables.items()
        }


def header_of(
    model: Model,
    event_names: tuple[str, ...],
    settings: str,
    version: str,
    document: str = "",
    meshes: dict[str, MeshArrays] | None = None,
    waypoints: bool = False,
) -> Header:
    return Header(
        names=model.names,
        motion=tuple(body.motion for body in model.bodies),
        mass=model.mass,
        inertia=model.inertia,
        gravity=model.gravity,
        event_names=event_names,
        settings=settings,
        version=version,
        document=document,
        meshes=meshes or {},
        joint_names=tuple(placed.name for placed in model.joints),
        waypoints=waypoints,
    )
