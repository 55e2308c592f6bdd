"""Reading a scene file of any supported kind; the content tells which kind it is."""

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from dovetail.errors import InputError
from dovetail.io.json_text import parse_json
from dovetail.io.loaded_scene import LoadedScene
from dovetail.io.safe_paths import MeshFolder
from dovetail.io.scene_file.yaml_text import parse_yaml
from dovetail.io.text_files import read_text
from dovetail.model.shapes.shape import Shape
from dovetail.model.values import quote

BEFORE_ROOT = re.compile(r"\s++|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*+>", re.DOTALL)
ROOT_TAG = re.compile(r"<([A-Za-z_][\w.-]{0,60}+)")


def load_scene(
    path: str | PathLike[str], *, allow_paths: Iterable[str | PathLike[str]] = ()
) -> LoadedScene:
    """Read a scene: YAML or JSON, rigid-ipc JSON, URDF or MJCF.

    Args:
        path: the file; meshes are relative to its folder and may not leave it.
        allow_paths: further folders meshes may come from.

    Raises:
        InputError: with one sentence for every mistake in the file.
    """
    path = Path(path)
    text = read_text(path)
    files = MeshFolder(path.parent, allow_paths)
    if _is_xml(text):
        return _load_xml(path, text, files)
    document = _parse(text, path)
    if _is_rigid_ipc(document):
        return _reader("rigid_ipc")(path, files)
    return scene_of_document(document, path, files)


def read_document(path: Path) -> Any:
    """A scene file of our own format as plain data, not checked; None for any other format."""
    text = read_text(path)
    document = None if _is_xml(text) else _parse(text, path)
    return None if _is_rigid_ipc(document) else document


def _is_xml(text: str) -> bool:
    return re.match(r"\s*+<[^<]", text) is not None


def _is_rigid_ipc(document: Any) -> bool:
    keys = document if isinstance(document, dict) else {}
    return "version" not in keys and ("rigid_body_problem" in keys or "scene_type" in keys)


def _reader(module: str) -> Callable[[Path, MeshFolder], LoadedScene]:
    """The `read` of another format's module, loaded when a file needs it."""
    read: Callable[[Path, MeshFolder], LoadedScene] = import_module(f"dovetail.io.{module}").read
    return read


def _parse(text: str, path: Path) -> Any:
    """JSON where the name or the first character says so (YAML in braces is YAML still)."""
    if path.suffix.lower() == ".json":
        return parse_json(text, path.name)
    if text.lstrip().startswith("{"):
        try:
            return parse_json(text, path.name)
        except InputError:
            pass
    return parse_yaml(text, path.name)


def _load_xml(path: Path, text: str, files: MeshFolder) -> LoadedScene:
    at = 0
    while skipped := BEFORE_ROOT.match(text, at):
        at = skipped.end()
    root = ROOT_TAG.match(text, at)
    tag = root.group(1) if root else None
    if tag == "robot":
        return _reader("urdf")(path, files)
    if tag in ("mujoco", "mujocoinclude"):
        return _reader("mjcf")(path, files)
    raise InputError(
        f"{path.name}: must have the root <robot> (URDF) or <mujoco> (MJCF), got {quote(tag)}"
    )


def scene_of_document(document: Any, path: Path, files: MeshFolder) -> LoadedScene:
    """The scene of a document as `path` would hold it; its meshes come from `files`."""
    from dovetail.io.scene_file.reading.scene import scene_from_document
    from dovetail.model.shapes.mesh import Mesh

    def fetch(name: str, scale: Any, field: str) -> Shape:
        return Mesh(files.resolve(name, f"`{field}`"), scale=scale)

    read = scene_from_document(document, fetch, path.name, build=True)
    return LoadedScene(read.scene, read.run, path)
