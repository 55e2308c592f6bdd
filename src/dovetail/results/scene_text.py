"""A scene inside a result file: the text of its scene file, and its meshes as arrays."""

import json

from dovetail.errors import InputError
from dovetail.model.scene import Scene
from dovetail.results.header import Header


def scene_from(header: Header) -> Scene:
    """The scene a result file carries."""
    from dovetail.io import from_document  # a neighbour, needed only here

    if not header.document:
        raise InputError("this result carries no scene")
    return from_document(json.loads(header.document), header.meshes.__getitem__)
