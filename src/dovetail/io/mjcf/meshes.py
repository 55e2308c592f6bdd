"""Mesh assets of an MJCF model."""

from pathlib import PurePosixPath

import numpy as np

from dovetail.errors import InputError
from dovetail.io.mesh_scale import shortest_scale
from dovetail.io.mjcf.document import Compiler, Defaults
from dovetail.io.safe_paths import MeshFolder
from dovetail.io.written_rotations import from_quaternion
from dovetail.io.xml.elements import Element
from dovetail.io.xml.shapes import refuse_unusable
from dovetail.io.xml.values import numbers, word
from dovetail.linalg.exact.convex_hull import convex_hull
from dovetail.model.shapes import Mesh
from dovetail.model.values import Array, Mistakes, quote

FILL = {"convex": "hull", "shell": None}  # else what the surface encloses, open or not
READ = ("name", "class", "file", "vertex", "face", "scale", "refpos", "refquat", "inertia")


def read_meshes(
    root: Element, compiler: Compiler, defaults: Defaults, files: MeshFolder, found: Mistakes
) -> tuple[dict[str, Mesh], list[str]]:
    """Mesh assets by name, and the names of what was not read."""
    meshes: dict[str, Mesh] = {}
    unread = []
    for section in root.all("asset"):
        for element in section.children:
            if element.tag != "mesh":
                unread.append(element.tag[:60])
                continue
            given = found.take(defaults.applied, element, "main")
            named = None if given is None else found.take(_one_mesh, given, compiler, files)
            if named is None or given is None:
                continue
            if named[0] in meshes:
                found.append(f"two meshes are named {quote(named[0])}; names must be unique")
            meshes[named[0]] = named[1]
            unread.extend(f"mesh {key}" for key in given.attributes if key not in READ)
    return meshes, unread


def _one_mesh(element: Element, compiler: Compiler, files: MeshFolder) -> tuple[str, Mesh]:
    file = element.attributes.get("file", "")
    stem = PurePosixPath(file).stem
    name = word(element, "name", stem or None)
    scale = numbers(element, "scale", 3, [1, 1, 1])
    if file:
        folder = compiler.mesh_folder.rstrip("/")
        relative = f"{folder}/{file}" if folder else file
        mesh = Mesh(str(files.resolve(relative, f"`file` of {element.who}")), scale=1)
    elif "vertex" in element.attributes:
        mesh = _written(element)
    else:
        raise InputError(f"{element.who} must have a `file` or a `vertex` list")
    if "refpos" in element.attributes or "refquat" in element.attributes:
        mesh = _referred(mesh, element)
    inertia = element.attributes.get("inertia", "")
    mesh = Mesh(
        mesh.source, mesh.faces, mesh.edges, scale=shortest_scale(scale),
        shell=True if inertia == "shell" else None, fill=FILL.get(inertia, "holes"),
    )  # fmt: skip
    return name, mesh


def _written(element: Element) -> Mesh:
    """Vertices in the file itself, with faces or as a convex hull."""
    points = _rows(element, "vertex")
    if "face" in element.attributes:
        faces = _rows(element, "face")
        if np.any(faces != np.floor(faces)) or np.any((faces < 0) | (faces >= len(points))):
            raise InputError(
                f"`face` of {element.who} must be numbers of vertices, 0 to {len(points) - 1}"
            )
        return Mesh(points, faces.astype(np.int32))
    hull = convex_hull(points)
    if hull is None:
        raise InputError(f"`vertex` of {element.who} must span a solid where no `face` is given")
    return Mesh(points, hull)


def _rows(element: Element, key: str) -> Array:
    values = numbers(element, key, None)
    if len(values) % 3 or not len(values):
        raise InputError(
            f"`{key}` of {element.who} must be rows of three, got {len(values)} numbers"
        )
    return values.reshape(-1, 3)


def _referred(mesh: Mesh, element: Element) -> Mesh:
    """The mesh seen from its reference frame: v -> R^T (v - x)."""
    refuse_unusable(mesh, element)
    position = numbers(element, "refpos", 3, [0, 0, 0])
    quaternion = numbers(element, "refquat", 4, [1, 0, 0, 0])
    rotation = from_quaternion(quaternion, f"`refquat` of {element.who}")
    surface = mesh.surface()
    return Mesh((surface.vertices - position) @ rotation, surface.faces)
