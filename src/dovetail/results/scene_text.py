"""A scene inside a result file: the text of its scene file, and its meshes as arrays."""

import json
from typing import Any

from dovetail.errors import InputError
from dovetail.model.scene import Scene
from dovetail.model.values import quote
from dovetail.results.header import Header


def scene_from(header: Header, source: str) -> Scene:
    """The scene a result file carries; `source` leads messages about it."""
    from dovetail.io import from_document  # a neighbour, needed only here

    def fetch(key: str) -> tuple[Any, Any, Any]:
        if key not in header.meshes:
            raise InputError(f"{source}: the mesh {quote(key)} of the scene is missing")
        mesh = header.meshes[key]
        faces, edges = mesh["faces"], mesh["edges"]
        return mesh["vertices"], faces if len(faces) else None, edges if len(edges) else None

    try:
        document = json.loads(header.document)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source}: the scene in it cannot be read ({error})") from error
    return from_document(document, fetch, source=source)
