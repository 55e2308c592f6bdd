"""A result as a table of numbers: one row a frame, thirteen columns a body."""

import csv
from os import PathLike
from pathlib import Path

import numpy as np

from dovetail.linalg.lie import so3
from dovetail.results import Result
from dovetail.results.blocks import frame_blocks
from dovetail.results.csv_cells import plain_cell

MOTION = ("position", "rotation", "velocity", "angular_velocity")
COLUMNS = (
    "x [m]", "y [m]", "z [m]", "qw", "qx", "qy", "qz",
    "vx [m/s]", "vy [m/s]", "vz [m/s]", "wx [rad/s]", "wy [rad/s]", "wz [rad/s]",
)  # fmt: skip


def write_csv(result: Result, path: str | PathLike[str], every: int = 1) -> None:
    """Write time, energies and each body's pose (unit quaternion) and velocities."""
    energies = list(result.energy)
    header = ["time [s]", *(f"{name} energy [J]" for name in energies)]
    for name in result.names:
        header += [f"{name} {column}" for column in COLUMNS]
    paths = ("time", *(f"energy/{name}" for name in energies), *MOTION)
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(map(plain_cell, header))
        for _, columns in frame_blocks(result.stored, paths, every):
            x, R, v, spin = (columns[path] for path in MOTION)
            bodies = np.concatenate([x, so3.to_quaternion(R), v, spin], axis=2)
            whole = np.column_stack([columns[path] for path in paths[: -len(MOTION)]])
            for row in np.hstack([whole, bodies.reshape(len(whole), -1)]):
                writer.writerow([repr(float(value)) for value in row])
