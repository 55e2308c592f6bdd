"""Scene readers and writers; each is imported at first use."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dovetail.io.loaded_scene import LoadedScene
    from dovetail.io.loading import load_scene
    from dovetail.io.run_settings import Choice, RunSettings
    from dovetail.io.safe_paths import MeshFolder
    from dovetail.io.scene_file.reading.documents import from_document
    from dovetail.io.scene_file.schema.json_schema import json_schema
    from dovetail.io.scene_file.writing.saving import save_scene
    from dovetail.io.scene_file.writing.scene import to_document

__all__ = [
    "Choice",
    "LoadedScene",
    "MeshFolder",
    "RunSettings",
    "from_document",
    "json_schema",
    "load_scene",
    "save_scene",
    "to_document",
]

_HOMES = {
    "Choice": "run_settings",
    "LoadedScene": "loaded_scene",
    "MeshFolder": "safe_paths",
    "RunSettings": "run_settings",
    "from_document": "scene_file.reading.documents",
    "json_schema": "scene_file.schema.json_schema",
    "load_scene": "loading",
    "save_scene": "scene_file.writing.saving",
    "to_document": "scene_file.writing.scene",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
