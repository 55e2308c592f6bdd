"""A scene as the text and arrays that a result file carries."""

from dovetail.model.scene import Scene
from dovetail.results.header import MeshArrays


def embedded_scene(scene: Scene) -> tuple[str, dict[str, MeshArrays]]:
    """The scene's document as JSON text, and its meshes by key."""
    return "", {}
