"""Solids inside solids: bodies whose surfaces do not cross and that still share space.

Without a common point of the surfaces a connected piece of one body is wholly inside or wholly
outside of the other, so that one vertex of each piece decides.
"""

from dataclasses import dataclass

import numpy as np

from dovetail.collision.intersection.point_in_solid import times_around
from dovetail.collision.intersection.surfaces import PlacedTree
from dovetail.collision.mesh.containment import one_vertex_per_piece
from dovetail.model.connected import component_labels
from dovetail.model.surface import IndexArray, Surface
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only


@dataclass(frozen=True, eq=False)
class SolidPieces:
    """What of a surface bounds a solid, and a vertex of each of its pieces."""

    faces: IndexArray  # (n, 3) of its closed pieces
    samples: IndexArray  # one vertex of every connected piece, closed or not
    all_closed: bool  # no wires, points or open sheets beside them


def solid_pieces(surface: Surface, simplices: IndexArray) -> SolidPieces:
    """The closed pieces of a surface: those each of whose edges is passed once in each sense."""
    n = len(surface.vertices)
    label = component_labels(n, simplices[:, [0, 1, 1, 2]].reshape(-1, 2))
    edges = surface.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    rising = edges[:, 0] < edges[:, 1]
    keys = np.where(rising, edges[:, 0] * n + edges[:, 1], edges[:, 1] * n + edges[:, 0])
    distinct, which = np.unique(keys, return_inverse=True)
    balance = np.zeros(len(distinct), np.int64)
    np.add.at(balance, which.ravel(), np.where(rising, 1, -1))
    open_vertices = distinct[balance != 0] // max(n, 1)
    is_open = np.isin(label, label[open_vertices])
    is_open |= ~np.isin(np.arange(n), surface.faces) & np.isin(np.arange(n), simplices)
    is_open = np.isin(label, label[is_open])
    closed = surface.faces[~is_open[surface.faces[:, 0]]] if len(surface.faces) else surface.faces
    samples = one_vertex_per_piece(n, simplices)
    return SolidPieces(closed, samples, bool(len(closed)) and not is_open[samples].any())


def vertex_inside(outer: PlacedTree, faces: IndexArray, points: Array) -> int:
    """The first of the points (n, 3) [m] inside the solid that `faces` of `outer` bound, or -1."""
    if not len(faces):
        return -1
    lower, upper = outer.box_world[:3], outer.box_world[3:]
    rows = read_only(faces, np.int32)
    for k in np.flatnonzero(np.all((points >= lower) & (points <= upper), axis=1)).tolist():
        p = points[k]
        if times_around(outer.vertices_world, rows, (float(p[0]), float(p[1]), float(p[2]))):
            return k
    return -1
