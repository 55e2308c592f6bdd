"""Result files (HDF5) that attack: each function writes one and returns its name."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

import dovetail as dt

BILLION = 10**9
TABLE = "time"  # a column with a row per frame


def whole_result(folder: Path) -> Path:
    """A sound result of ten frames, with a mesh in its scene."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    scene.add_body("a", dt.Mesh(corners, faces), mass=1.0)
    scene.add_body("b", dt.Box((1, 1, 1)), mass=1.0, position=(5, 0, 0))
    dt.simulate(scene, 0.09, 0.01, out=folder / "r.h5", progress=False)
    return folder / "r.h5"


def _changed(folder: Path, change: Callable[[h5py.File], Any]) -> str:
    """A copy of the sound result written by HDF5 itself, then changed."""
    whole = whole_result(folder)
    with h5py.File(whole) as old, h5py.File(folder / "x.h5", "w") as new:
        for key, value in old.attrs.items():
            new.attrs[key] = value
        for name in old:
            old.copy(name, new)
        change(new)
    return "x.h5"


def _replaced(file: h5py.File, name: str, *arguments: Any, **options: Any) -> h5py.Dataset:
    del file[name]
    return file.create_dataset(name, *arguments, **options)


PACKED: dict[str, Any] = {"compression": "gzip", "compression_opts": 9}


def the_whole_result_itself(folder: Path) -> str:
    """No attack: shows that the others are refused for what they are."""
    return _changed(folder, lambda file: None)


def rows_that_say_a_billion(folder: Path) -> str:
    def change(file: h5py.File) -> None:
        file["run/rows"][...] = BILLION

    return _changed(folder, change)


def columns_of_a_billion_rows_never_written(folder: Path) -> str:
    """Chunks that were never written read as zeros and take no space in the file."""

    def change(file: h5py.File) -> None:
        for name in ("time", "position", "rotation", "velocity", "angular_velocity"):
            shape, dtype = file[name].shape, file[name].dtype
            _replaced(file, name, (BILLION, *shape[1:]), dtype, chunks=(10_000, *shape[1:]))
        file["run/rows"][...] = BILLION

    return _changed(folder, change)


def packed_zeros(folder: Path) -> str:
    """Gzip packs zeros a thousand to one: 4 GB in 4 MB."""

    def change(file: h5py.File) -> None:
        column = _replaced(file, "time", (500_000_000,), "f8", chunks=(1 << 22,), **PACKED)
        column[: 1 << 22] = 0

    return _changed(folder, change)


def packed_mesh(folder: Path) -> str:
    def change(file: h5py.File) -> None:
        key = next(iter(file["scene/meshes"]))
        name = f"scene/meshes/{key}/vertices"
        _replaced(file, name, (BILLION, 3), "f8", chunks=(100_000, 3), **PACKED)

    return _changed(folder, change)


def counts_of_rows_without_end(folder: Path) -> str:
    def change(file: h5py.File) -> None:
        _replaced(file, "run/rows", (10**12,), "i8", chunks=(1 << 20,))

    return _changed(folder, change)


def names_without_end(folder: Path) -> str:
    def change(file: h5py.File) -> None:
        _replaced(file, "bodies/name", (BILLION,), "S16", chunks=(1 << 16,))

    return _changed(folder, change)


def one_long_name(folder: Path) -> str:
    def change(file: h5py.File) -> None:
        _replaced(file, "scene/document", (), "S2000000000")

    return _changed(folder, change)


def checksums_without_end(folder: Path) -> str:
    def change(file: h5py.File) -> None:
        _replaced(file, "run/checksums", (10**11,), "u4", chunks=(1 << 20,))

    return _changed(folder, change)


def column_kept_in_another_file(folder: Path) -> str:
    """An HDF5 dataset whose bytes lie in any other file of the machine."""

    def change(file: h5py.File) -> None:
        _replaced(file, "time", (10,), "f8", external=[("/etc/passwd", 0, 80)])

    return _changed(folder, change)


def document_kept_in_another_file(folder: Path) -> str:
    def change(file: h5py.File) -> None:
        size = Path("/etc/passwd").stat().st_size
        _replaced(file, "scene/document", (1,), f"S{size}", external=[("/etc/passwd", 0, size)])

    return _changed(folder, change)


def group_in_another_file(folder: Path) -> str:
    def change(file: h5py.File) -> None:
        del file["bodies"]
        file["bodies"] = h5py.ExternalLink("/etc/passwd", "/bodies")

    return _changed(folder, change)


def columns_put_together_from_others(folder: Path) -> str:
    """A virtual dataset: a billion rows, each out of another file."""

    def change(file: h5py.File) -> None:
        layout = h5py.VirtualLayout((BILLION,), "f8")
        source = h5py.VirtualSource("other.h5", "time", (BILLION,))
        layout[:] = source
        del file["time"]
        file.create_virtual_dataset("time", layout)

    return _changed(folder, change)


def links_in_a_circle(folder: Path) -> str:
    def change(file: h5py.File) -> None:
        del file["bodies"]
        file["bodies"] = h5py.SoftLink("/other")
        file["other"] = h5py.SoftLink("/bodies")

    return _changed(folder, change)


def groups_without_end(folder: Path) -> str:
    """A group that holds itself, and a hundred thousand others."""

    def change(file: h5py.File) -> None:
        file["scene/itself"] = file["scene"]
        for k in range(100_000):
            file.create_group(f"scene/meshes/m{k}")

    return _changed(folder, change)


def deep_groups(folder: Path) -> str:
    return _changed(folder, lambda file: file.create_group("/".join(["g"] * 5000)))


def deep_document(folder: Path) -> str:
    def change(file: h5py.File) -> None:
        _replaced(file, "scene/document", data=np.bytes_(b"[" * 5_000_000))

    return _changed(folder, change)


def document_with_a_billion_segments(folder: Path) -> str:
    def change(file: h5py.File) -> None:
        raw = file["scene/document"][()]
        document = json.loads(raw if isinstance(raw, bytes) else raw.item())
        for body in document["bodies"]:
            body["shape"] = {"sphere": 1, "segments": BILLION}
        _replaced(file, "scene/document", data=np.bytes_(json.dumps(document).encode()))

    return _changed(folder, change)


def numbers_that_are_none(folder: Path) -> str:
    def change(file: h5py.File) -> None:
        for name in ("time", "position", "rotation", "bodies/inertia", "bodies/mass"):
            file[name][...] = np.nan

    return _changed(folder, change)


def pieces_of_other_types(folder: Path) -> str:
    def change(file: h5py.File) -> None:
        _replaced(file, "position", data=np.array([b"x"] * 10))
        _replaced(file, "run/status", data=np.arange(5))

    return _changed(folder, change)


def types_named_by_a_pickle(folder: Path) -> str:
    """An attribute that h5py would have to unpickle."""
    import pickle

    def change(file: h5py.File) -> None:
        del file.attrs["format"]
        file.attrs["format"] = np.void(pickle.dumps(print))

    return _changed(folder, change)


def end_of_file_far_away(folder: Path) -> str:
    """The first block says the file goes on for a petabyte."""
    whole = whole_result(folder)
    data = bytearray(whole.read_bytes())
    data[28:36] = (1 << 49).to_bytes(8, "little")
    (folder / "x.h5").write_bytes(data)
    return "x.h5"


def a_hole_of_a_terabyte(folder: Path) -> str:
    with (folder / "x.h5").open("wb") as file:
        file.write(b"\x89HDF\r\n\x1a\n")
        file.truncate(1 << 40)
    return "x.h5"


def a_pipe(folder: Path) -> str:
    import os

    os.mkfifo(folder / "x.h5")
    return "x.h5"


def an_endless_device(folder: Path) -> str:
    (folder / "x.h5").symlink_to("/dev/zero")
    return "x.h5"


def wall_times_without_end(folder: Path) -> str:
    """The file of wall times beside the result announces a trillion of them."""
    whole = whole_result(folder)
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"
    header += b" " * (127 - 10 - len(header)) + b"\n"
    start = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    whole.with_name("r.h5.timing.npy").write_bytes(start + bytes(80))
    return "r.h5"
