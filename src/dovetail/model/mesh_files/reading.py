"""One door for every mesh file: size limits, format by suffix, sentences instead of tracebacks."""

import io
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.mesh_files.announced_counts import check_counts
from dovetail.model.mesh_files.contents import contents_of
from dovetail.model.mesh_files.glb import check_announced
from dovetail.model.mesh_files.obj import read_obj
from dovetail.model.mesh_files.raw import RawMesh, refuse_too_many
from dovetail.model.mesh_files.stl import read_stl
from dovetail.model.values import quote
from dovetail.runtime.extras import require

LARGEST_FILE = 256 * 1024**2  # bytes
OF_CAD = dict.fromkeys(
    (".step", ".stp", ".3mf"), "; export its parts as STL, or give it to `dovetail prove`"
)
SUFFIXES = (".stl", ".obj", ".ply", ".glb", ".off", ".dae")


def read_mesh(path: Any, what: str) -> RawMesh:
    """Vertices, triangles and free edges of a file; raises InputError with one sentence."""
    try:
        file = Path(path)
        if file.suffix.lower() not in SUFFIXES:
            raise InputError(
                f"{what} must end in one of {', '.join(SUFFIXES)}, got {quote(str(path))}"
                f"{OF_CAD.get(file.suffix.lower(), '')}"
            )
        if file.is_dir():
            raise InputError(f"{what} must be a file, {quote(str(path))} is a folder")
        size = file.stat().st_size
        if size > LARGEST_FILE:
            raise InputError(
                f"{what} must have at most {LARGEST_FILE:,} bytes, "
                f"{quote(str(path))} has {size:,}; simplify the mesh"
            )
        if not file.is_file():
            raise InputError(f"{what} must be a plain file, got {quote(str(path))}")
        data = file.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{what} must be an existing file, {quote(str(path))} is not") from None
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{what} {quote(str(path))} cannot be read: {error}") from None
    name = f"{what} {quote(file.name)}"
    try:
        mesh = _parsed(data, file, name)
    except InputError as error:
        instead = contents_of(data, file.suffix.lower())
        raise InputError(f"{error}{instead}") from None
    refuse_too_many(len(mesh.vertices), len(mesh.faces), name)
    if len(mesh.vertices) == 0:
        raise InputError(f"{name} must hold at least one vertex, got none")
    return mesh


def _parsed(data: bytes, file: Path, name: str) -> RawMesh:
    """By the ending of the file."""
    if file.suffix.lower() == ".obj":
        return read_obj(data, name)
    if file.suffix.lower() == ".stl":
        return read_stl(data, name)
    return _through_trimesh(data, file, name)


class _FilesBeside(Mapping[str, bytes]):
    """The buffers a GLB file may name: those in its own folder and below."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.left = folder.resolve(), LARGEST_FILE

    def __getitem__(self, name: str) -> bytes:
        target = (self.folder / name).resolve()
        if not target.is_relative_to(self.folder):
            raise InputError(f"its buffer {quote(name)} lies outside its folder")
        if not target.is_file():
            raise InputError(f"its buffer {quote(name)} is not there")
        self.left -= target.stat().st_size
        if self.left < 0:
            raise InputError(f"its buffers have more than {LARGEST_FILE:,} bytes")
        return target.read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _through_trimesh(data: bytes, file: Path, what: str) -> RawMesh:
    """PLY, OFF, GLB, Collada; node transforms are applied, vertices split by seams joined."""
    import trimesh  # 0.6 s, so only when such a file is there

    kind = file.suffix.lower().removeprefix(".")
    if kind == "glb":
        check_announced(data, what)
    elif kind == "dae":
        require("collada")
        _refuse_entities(data, what)
    else:
        check_counts(data, kind, what)
    options: dict[str, Any] = {"skip_materials": True} if kind == "glb" else {}
    trimesh_log = logging.getLogger("trimesh")
    if not trimesh_log.handlers:  # else its complaints go to the terminal beside ours
        trimesh_log.addHandler(logging.NullHandler())
    try:
        with np.errstate(all="ignore"):  # what overflows is refused as not finite
            scene = trimesh.load_scene(
                io.BytesIO(data), file_type=kind, resolver=_FilesBeside(file.parent),
                process=False, **options,
            )  # fmt: skip
            parts = [_part(part, _unit(part)) for part in scene.dump()]
    except InputError as error:
        raise InputError(f"{what} cannot be used: {error}") from None
    except Exception as error:  # whatever a parser of foreign bytes comes across
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise InputError(f"{what} is not a usable {kind.upper()} file: {reason}") from None
    offsets = np.cumsum([0] + [len(part.vertices) for part in parts])
    if not parts:
        return RawMesh.of(np.zeros((0, 3)))
    return RawMesh.of(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.faces + offset for part, offset in zip(parts, offsets)]),
        np.concatenate([part.edges + offset for part, offset in zip(parts, offsets)]),
    ).welded()


def _refuse_entities(data: bytes, what: str) -> None:
    """A Collada file is XML; what entities could expand to is not bounded."""
    if b"<!ENTITY" in data or b"\0" in data:
        raise InputError(f"{what} must be UTF-8 text that declares no XML entities")


def _unit(part: Any) -> float:
    """[m] The unit of lengths that a Collada file gives."""
    number, _, unit = str(part.metadata.get("units", "")).partition(" * ")
    return float(number) if unit == "meters" else 1.0


def _part(part: Any, unit: float) -> RawMesh:
    """A triangle mesh, a point cloud or a path of trimesh as plain arrays."""
    vertices = unit * np.asarray(part.vertices, dtype=np.float64).reshape(-1, 3)
    faces = np.asarray(getattr(part, "faces", ()), dtype=np.int64)
    edges = np.asarray(getattr(part, "vertex_nodes", ()), dtype=np.int64)  # of polylines
    for rows in (faces, edges):
        if rows.size and not 0 <= rows.min() <= rows.max() < len(vertices):
            raise InputError(f"it names vertices beyond the {len(vertices)} it has")
    return RawMesh.of(vertices, faces, edges)
