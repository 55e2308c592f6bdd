"""The columns of a result: what one row of each table holds, with unit and shape."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod

import numpy as np

REAL, INTEGER, BODY = "<f8", "<i8", "<i4"
TABLES = ("frames", "contacts", "events", "waypoints")  # the last only where the run leaves some


@dataclass(frozen=True)
class Column:
    """One dataset: `shape` is that of one row."""

    path: str
    shape: tuple[int, ...]
    dtype: str
    unit: str
    meaning: str

    @cached_property
    def row_bytes(self) -> int:
        return prod(self.shape) * np.dtype(self.dtype).itemsize


def frame_columns(n_bodies: int, n_joints: int = 0, n_kinematic: int = 0) -> tuple[Column, ...]:
    """One row per frame."""
    n = n_bodies
    return (
        Column("time", (), REAL, "s", "simulated time"),
        Column("position", (n, 3), REAL, "m", "centres of mass"),
        Column("rotation", (n, 3, 3), REAL, "1", "body to world"),
        Column("velocity", (n, 3), REAL, "m/s", "of the centres of mass"),
        Column("angular_velocity", (n, 3), REAL, "rad/s", "world axes"),
        Column("energy/kinetic", (), REAL, "J", "of the dynamic bodies"),
        Column("energy/potential", (), REAL, "J", "gravity and springs"),
        Column("energy/contact", (), REAL, "J", "stored in contacts"),
        Column("energy/total", (), REAL, "J", "sum of the three"),
        Column("momentum/linear", (3,), REAL, "kg m/s", "of the dynamic bodies"),
        Column("momentum/angular", (3,), REAL, "kg m^2/s", "about the world origin"),
        Column("min_distance", (), REAL, "m", "smallest gap between bodies; inf if not measured"),
        Column("constraint_violation/position", (), REAL, "m or rad", "largest over the joints"),
        Column("constraint_violation/velocity", (), REAL, "m/s or rad/s", "largest over joints"),
        Column("contacts/start", (), INTEGER, "1", "first contact row of the frame"),
        Column("contacts/count", (), INTEGER, "1", "number of contact rows of the frame"),
        Column("stats/iterations", (), INTEGER, "1", "solver iterations since the last frame"),
        Column("stats/rejected", (), INTEGER, "1", "steps tried again since the last frame"),
        Column("stats/residual", (), REAL, "1", "largest solver residual since the last frame"),
        Column("stats/creep", (), REAL, "m/s", "fastest sticking contact since the last frame"),
        Column("stats/unsettled", (), INTEGER, "1", "steps since with friction not in balance"),
        Column("stats/unconverged", (), INTEGER, "1", "steps since that did not converge"),
        *(joint_columns(n_joints) if n_joints else ()),
        *(kinematic_columns(n_kinematic) if n_kinematic else ()),
    )


def joint_columns(n_joints: int) -> tuple[Column, ...]:
    """What joints do, in every frame of a scene that has some."""
    m = n_joints
    return (
        Column("joints/force", (m, 3), REAL, "N", "of the joint on its second body, world axes"),
        Column("joints/torque", (m, 3), REAL, "N m", "likewise, about the joint's point"),
    )


def kinematic_columns(n_kinematic: int) -> tuple[Column, ...]:
    """What kinematic bodies do, in every frame of a scene that has some."""
    return (
        Column("kinematic/behind", (n_kinematic,), REAL, "m", "off their trajectories, at most"),
    )


LATER = frozenset(
    {"stats/creep", "stats/unsettled", "stats/unconverged", "kinematic/behind", "contacts/torques"}
)
"""Columns that files of earlier versions do not have."""

CONTACT_COLUMNS = (
    Column("contacts/bodies", (2,), BODY, "1", "numbers of bodies a > b, -1 is the ground"),
    Column("contacts/points", (3,), REAL, "m", "where they touch, world axes"),
    Column("contacts/normals", (3,), REAL, "1", "from b to a"),
    Column("contacts/forces", (3,), REAL, "N", "on a, world axes"),
    Column("contacts/gaps", (), REAL, "m", "> 0 apart"),
    Column("contacts/torques", (3,), REAL, "N m", "couple on a besides the force, world axes"),
)

EVENT_COLUMNS = (
    Column("events/which", (), INTEGER, "1", "row of events/names"),
    Column("events/time", (), REAL, "s", "when it happened"),
)


WAYPOINT_COLUMNS = (
    Column("waypoints/frame", (), INTEGER, "1", "frame that the path leads to"),
    Column("waypoints/body", (), BODY, "1", "number of the body"),
    Column("waypoints/time", (), REAL, "s", "when it passes; in a step, spread evenly"),
    Column("waypoints/position", (3,), REAL, "m", "centre of mass"),
    Column("waypoints/rotation", (3, 3), REAL, "1", "body to world"),
)


@lru_cache(maxsize=64)
def _tables(
    n_bodies: int, n_joints: int, waypoints: bool, n_kinematic: int
) -> tuple[tuple[str, tuple[Column, ...]], ...]:
    frames = frame_columns(n_bodies, n_joints, n_kinematic)
    found = (frames, CONTACT_COLUMNS, EVENT_COLUMNS, WAYPOINT_COLUMNS)
    return tuple(zip(TABLES if waypoints else TABLES[:-1], found))


def tables_of(
    n_bodies: int, n_joints: int = 0, waypoints: bool = False, n_kinematic: int = 0
) -> dict[str, tuple[Column, ...]]:
    """All columns, by table."""
    return dict(_tables(n_bodies, n_joints, waypoints, n_kinematic))


def bytes_per_row(columns: tuple[Column, ...]) -> int:
    return sum(column.row_bytes for column in columns)
