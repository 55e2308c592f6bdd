"""A result as a table of numbers: one row a frame, thirteen columns a body."""

import csv
from os import PathLike
from pathlib import Path

import numpy as np

from dovetail.linalg.lie import so3
from dovetail.results import Result

COLUMNS = (
    "x [m]", "y [m]", "z [m]", "qw", "qx", "qy", "qz",
    "vx [m/s]", "vy [m/s]", "vz [m/s]", "wx [rad/s]", "wy [rad/s]", "wz [rad/s]",
)  # fmt: skip


def write_csv(result: Result, path: str | PathLike[str], every: int = 1) -> None:
    """Write time, energies and each body's pose (unit quaternion) and velocities."""
    energies = list(result.energy)
    header = ["time [s]", *(f"{name} energy [J]" for name in energies)]
    blocks = [np.column_stack([result.time, *(result.energy[name] for name in energies)])]
    for name in result.names:
        header += [f"{name} {column}" for column in COLUMNS]
        blocks += [
            result.position(name),
            so3.to_quaternion(result.rotation(name)),
            result.velocity(name),
            result.angular_velocity(name),
        ]
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for row in np.hstack(blocks)[::every]:
            writer.writerow([repr(float(value)) for value in row])
