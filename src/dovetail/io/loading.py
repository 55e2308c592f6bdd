"""Reading a scene file of any kind: the content tells which of the package's own it is."""

import re
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from dovetail.errors import InputError
from dovetail.io.loaded_scene import LoadedScene
from dovetail.io.readers import read_with, reader_by_ending, refuse_options
from dovetail.io.safe_paths import MeshFolder
from dovetail.io.scene_file.reading.files import parsed, scene_of_document
from dovetail.io.text_files import read_text
from dovetail.model.values import quote

BEFORE_ROOT = re.compile(r"\s++|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*+>", re.DOTALL)
ROOT_TAG = re.compile(r"<([A-Za-z_][\w.-]{0,60}+)")
XML_ENDINGS = (".urdf", ".xacro", ".xml", ".mjcf")
OTHER_FILES = {
    ".h5": "is a result, not a scene; use dt.load, or `dovetail view`",
    ".toml": "is TOML; a scene is YAML or JSON, URDF or MJCF",
    ".py": "is Python; run it with `python`, or write the scene as YAML",
} | dict.fromkeys(
    (".usd", ".usda", ".usdc", ".usdz"), "is USD, which is not read; export it as MJCF or URDF"
)
OF_ROOT = {
    "sdf": "; SDFormat is not read, convert it to URDF",
    "launch": "; this is a launch file of ROS, give the URDF that it names",
}
READER_OF_ROOT = {"robot": "urdf", "mujoco": "mjcf", "mujocoinclude": "mjcf"}


def load_scene(
    path: str | PathLike[str],
    *,
    allow_paths: Iterable[str | PathLike[str]] = (),
    package_paths: Iterable[str | PathLike[str]] = (),
    fixed_base: bool | None = None,
    keyframe: str | None = None,
) -> LoadedScene:
    """Read a scene: YAML or JSON, rigid-ipc JSON, URDF, MJCF, or what an installed package reads.

    Args:
        path: the file; meshes are relative to its folder and may not leave it.
        allow_paths: further folders meshes may come from.
        package_paths: folders that hold ROS packages, for `package://` names of a URDF file.
        fixed_base: whether the root link of a URDF file is held by the ground; None: if a joint
            of the file moves.
        keyframe: name of the keyframe of an MJCF file to start from; None: its `qpos0`.

    Raises:
        InputError: with one sentence for every mistake in the file.
    """
    if not isinstance(path, str | PathLike):
        raise InputError(f"`path` must be the name of a scene file, got {quote(path)}")
    if fixed_base is not None and not isinstance(fixed_base, bool):
        raise InputError(f"`fixed_base` must be True, False or None, got {quote(fixed_base)}")
    path = Path(path)
    files = MeshFolder(path.parent, _folders(allow_paths, "allow_paths"))
    options = {
        "package_paths": _folders(package_paths, "package_paths"), "fixed_base": fixed_base,
        "keyframe": keyframe,
    }  # fmt: skip
    name = reader_by_ending(path)
    if name is not None:
        return read_with(name, path, files, options)
    if path.suffix.lower() in OTHER_FILES:
        raise InputError(f"{path.name}: {OTHER_FILES[path.suffix.lower()]}")
    text = read_text(path)
    if _is_xml(text):
        return read_with(_xml_reader(path, text), path, files, options)
    if path.suffix.lower() in XML_ENDINGS:
        raise InputError(
            f"{path.name}: must be XML with the root <robot> (URDF) or <mujoco> (MJCF)"
        )
    document = parsed(text, path)
    if _is_rigid_ipc(document):
        return read_with("rigid-ipc", path, files, options)
    refuse_options("yaml", path, options)
    return scene_of_document(document, path, files)


def _folders(given: Any, what: str) -> tuple[str | PathLike[str], ...]:
    """A list of folders; one alone is a list of one."""
    if isinstance(given, str | PathLike):
        return (given,)
    if not isinstance(given, Iterable):
        raise InputError(f"`{what}` must be a list of folders, got {quote(given)}")
    folders = tuple(given)
    for one in folders:
        if not isinstance(one, str | PathLike):
            raise InputError(f"`{what}` must be a list of folders, got {quote(one)} in it")
    return folders


def read_document(path: Path) -> Any:
    """A scene file of our own format as plain data, not checked; None for any other format."""
    if reader_by_ending(path) is not None:
        return None
    text = read_text(path)
    document = None if _is_xml(text) else parsed(text, path)
    return None if _is_rigid_ipc(document) else document


def _is_xml(text: str) -> bool:
    return re.match(r"\s*+<[^<]", text) is not None


def _is_rigid_ipc(document: Any) -> bool:
    keys = document if isinstance(document, dict) else {}
    return "version" not in keys and ("rigid_body_problem" in keys or "scene_type" in keys)


def _xml_reader(path: Path, text: str) -> str:
    """The reader that the root tag of an XML file stands for."""
    at = 0
    while skipped := BEFORE_ROOT.match(text, at):
        at = skipped.end()
    root = ROOT_TAG.match(text, at)
    tag = root.group(1) if root else None
    if tag not in READER_OF_ROOT:
        raise InputError(
            f"{path.name}: must have the root <robot> (URDF) or <mujoco> (MJCF), got {quote(tag)}"
            f"{OF_ROOT.get(tag or '', '')}"
        )
    return READER_OF_ROOT[tag]
