"""A scene file of the package's own format: YAML or JSON."""

from pathlib import Path
from typing import Any

from dovetail.errors import InputError
from dovetail.io.json_text import parse_json
from dovetail.io.loaded_scene import LoadedScene
from dovetail.io.safe_paths import MeshFolder
from dovetail.io.scene_file.yaml_text import parse_yaml
from dovetail.io.text_files import read_text
from dovetail.model.shapes.shape import Shape


def read(path: Path, files: MeshFolder) -> LoadedScene:
    """The scene of a file; its meshes come from `files`."""
    return scene_of_document(parsed(read_text(path), path), path, files)


def parsed(text: str, path: Path) -> Any:
    """JSON where the name or the first character says so (YAML in braces is YAML still)."""
    if path.suffix.lower() == ".json":
        return parse_json(text, path.name)
    if text.lstrip().startswith("{"):
        try:
            return parse_json(text, path.name)
        except InputError:
            pass
    return parse_yaml(text, path.name)


def scene_of_document(
    document: Any, path: Path, files: MeshFolder, build: bool = True
) -> LoadedScene:
    """The scene of a document as `path` would hold it; its meshes come from `files`.

    Without `build` the model's own checks are left to the caller.
    """
    from dovetail.io.scene_file.reading.scene import scene_from_document
    from dovetail.io.scene_file.reading.turns import notes_on_turns
    from dovetail.model.shapes.mesh import Mesh

    def fetch(name: str, scale: Any, field: str) -> Shape:
        return Mesh(files.resolve(name, f"`{field}`"), scale=scale)

    read = scene_from_document(document, fetch, path.name, build=build)
    return LoadedScene(read.scene, read.run, path, notes_on_turns(document), prove=read.prove)
