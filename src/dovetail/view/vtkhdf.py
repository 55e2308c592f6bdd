"""A result as a VTKHDF file for ParaView: all bodies as polygons that move over time.

Topology and the number of each cell's body are stored once, points once a frame, in float32.
Source: VTK file formats, section "VTKHDF", PolyData with temporal steps (version 2.0).
"""

from os import PathLike
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.results import Result

RELEASED = 64  # frames after which memory lets go of what was read
TOPOLOGIES = ("Vertices", "Lines", "Polygons", "Strips")  # in the order of VTK's cells


def write_vtkhdf(result: Result, path: str | PathLike[str], every: int = 1) -> None:
    """Write every `every`-th frame."""
    frames = np.arange(0, len(result.time), every)
    cells, bodies = _cells(result)
    n_points = sum(len(result.scene.bodies[name].vertices) for name in result.names)
    if n_points == 0:
        raise InputError("a .vtkhdf file needs a body with a surface, this result has none")
    with h5py.File(Path(path), "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = np.array([2, 0])
        root.attrs.create("Type", b"PolyData", dtype=h5py.string_dtype("ascii", len("PolyData")))
        root["NumberOfPoints"] = np.array([n_points])
        for name in TOPOLOGIES:
            group = root.create_group(name)
            rows = cells.get(name, np.zeros((0, 1), np.int64))
            group["NumberOfCells"] = np.array([len(rows)])
            group["NumberOfConnectivityIds"] = np.array([rows.size])
            group["Connectivity"] = rows.ravel()
            group["Offsets"] = np.arange(len(rows) + 1) * rows.shape[1]
        root.create_group("CellData")["body"] = bodies
        names = "\n".join(result.names).encode()
        root.create_group("FieldData")["body_names"] = np.frombuffer(names, np.uint8)
        _write_points(root, result, frames, n_points)
        _write_steps(root, result.time[frames], n_points)


def _cells(result: Result) -> tuple[dict[str, NDArray[np.int64]], NDArray[np.int32]]:
    """Corners of all cells by kind, and the number of the body of each cell in VTK's order."""
    rows: dict[str, list[NDArray[np.int64]]] = {}
    owners: dict[str, list[NDArray[np.int32]]] = {}
    first = 0
    for number, name in enumerate(result.names):
        surface = result.scene.bodies[name].checked.surface
        parts = {
            "Vertices": surface.points[:, None],
            "Lines": surface.wires,
            "Polygons": surface.faces,
        }
        for kind, corners in parts.items():
            if len(corners):
                rows.setdefault(kind, []).append(corners.astype(np.int64) + first)
                owners.setdefault(kind, []).append(np.full(len(corners), number, np.int32))
        first += len(surface.vertices)
    cells = {kind: np.concatenate(found) for kind, found in rows.items()}
    order = [owner for kind in TOPOLOGIES for owner in owners.get(kind, [])]
    return cells, np.concatenate(order) if order else np.zeros(0, np.int32)


def _write_points(
    root: h5py.Group, result: Result, frames: NDArray[np.intp], n_points: int
) -> None:
    """World coordinates, frame after frame."""
    x, R = (result.stored.column(path) for path in ("position", "rotation"))
    points = root.create_dataset(
        "Points", (len(frames) * n_points, 3), "<f4", chunks=(n_points, 3), compression=1
    )
    vertices = [result.scene.bodies[name].vertices for name in result.names]
    for row, frame in enumerate(frames.tolist()):
        world = [v @ R[frame, i].T + x[frame, i] for i, v in enumerate(vertices)]
        points[row * n_points : (row + 1) * n_points] = np.concatenate(world)
        if row % RELEASED == 0:
            result.stored.release()


def _write_steps(root: h5py.Group, times: NDArray[np.float64], n_points: int) -> None:
    """At each time the same one part, whose points begin a little further on."""
    count = len(times)
    steps = root.create_group("Steps")
    steps.attrs["NSteps"] = count
    steps["Values"] = times
    steps["PartOffsets"] = np.zeros(count, np.int64)
    steps["NumberOfParts"] = np.ones(count, np.int64)
    steps["PointOffsets"] = np.arange(count) * n_points
    for name in ("CellOffsets", "ConnectivityIdOffsets"):
        steps[name] = np.zeros((count, len(TOPOLOGIES)), np.int64)
    steps.create_group("CellDataOffsets")["body"] = np.zeros(count, np.int64)
    fields = steps.create_group("FieldDataOffsets")
    fields["body_names"] = np.zeros(count, np.int64)
