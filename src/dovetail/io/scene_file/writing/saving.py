"""Writing a scene as YAML or JSON, with the meshes it holds as arrays in OBJ files beside it."""

import json
from os import PathLike
from pathlib import Path
from typing import Any

from dovetail.errors import InputError
from dovetail.io.run_settings import RunSettings
from dovetail.io.scene_file.writing.scene import document_of, plain, run_document
from dovetail.io.scene_file.writing.shapes import inline, mesh_arrays
from dovetail.io.scene_file.writing.yaml_writer import yaml_text
from dovetail.model.scene import Scene
from dovetail.model.shapes.mesh import Mesh
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array, quote

MAX_INLINE_VERTICES = 64
ENDINGS = (".yaml", ".yml", ".json")


def save_scene(scene: Scene, path: str | PathLike[str], run: RunSettings | None = None) -> None:
    """Write `scene` so that `load_scene(path)` gives the same scene, every number to the bit.

    A name that ends in .json gives JSON, any other YAML. A mesh file inside the folder of `path`
    is referred to; every other mesh goes into `<stem>_meshes/` beside it, small ones into the
    file itself.

    Raises:
        InputError: when the scene has mistakes or holds Python functions, or on a bad path.
    """
    if not isinstance(path, str | PathLike):
        raise InputError(f"`path` of a scene must be a file name, got {quote(path)}")
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise InputError(
            f"a scene is written as YAML or JSON, with the ending {', '.join(ENDINGS)}, got "
            f"{quote(path.name)}"
        )
    meshes = _MeshFiles(path)
    document = document_of(scene, meshes.write)
    if run is not None and (section := run_document(run)):
        document = {"version": document.pop("version"), "run": section} | document
    if path.suffix.lower() == ".json":  # which is read as JSON
        text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        text = yaml_text(document)
    try:
        for name, content in meshes.contents.items():
            target = path.parent / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="ascii")
        partial = path.with_name(f"{path.name}.partial")
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None


class _MeshFiles:
    """Decides where each mesh goes, and holds the files to write until all is known."""

    def __init__(self, path: Path) -> None:
        self.folder = path.parent.resolve()
        self.beside = f"{path.stem}_meshes"
        self.contents: dict[str, str] = {}
        self.written: dict[int, tuple[Mesh, dict[str, Any]]] = {}

    def write(self, mesh: Mesh) -> dict[str, Any]:
        if id(mesh) not in self.written:
            self.written[id(mesh)] = (mesh, self._entry(mesh))
        return self.written[id(mesh)][1]

    def _entry(self, mesh: Mesh) -> dict[str, Any]:
        if mesh.path is not None:
            source = mesh.path.resolve()
            if source.is_relative_to(self.folder) and str(source).isprintable():
                name = source.relative_to(self.folder).as_posix()
                scale = plain(mesh.scale)
                return {"mesh": name} | ({} if scale == 1 else {"scale": scale})
        vertices, faces, edges = mesh_arrays(mesh)
        # A reader may join vertices at one place where that closes the surface; arrays may not.
        could_be_welded = mesh.diagnosis.duplicate_vertices > 0 and not mesh.diagnosis.closed
        if len(vertices) <= MAX_INLINE_VERTICES or could_be_welded:
            return inline(mesh)
        name = f"{self.beside}/{len(self.contents) + 1}.obj"
        self.contents[name] = obj_text(vertices, faces, edges)
        return {"mesh": name}


def obj_text(vertices: Array, faces: IndexArray, edges: IndexArray) -> str:
    """Wavefront OBJ whose numbers read back to the same doubles."""
    rows = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    rows += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    rows += [f"l {a} {b}" for a, b in (edges + 1).tolist()]
    return "\n".join(rows) + "\n"
