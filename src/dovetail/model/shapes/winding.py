"""Orientation of triangles: shared edges, closed surfaces, all outward where that is decidable."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.model.connected import component_labels
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SharedEdges:
    """Every edge of the faces, with how many faces run along it each way."""

    forward: NDArray[np.int64]  # (n_edges,) faces that run from the smaller to the larger vertex
    backward: NDArray[np.int64]
    of_face: NDArray[np.int64]  # (n_faces, 3) edge numbers
    along: Mask  # (n_faces, 3) whether the face runs forward there

    @property
    def closed(self) -> bool:
        """No boundary: every edge is run along as often one way as the other."""
        return bool(len(self.of_face)) and bool(np.all(self.forward == self.backward))

    @property
    def in_pairs(self) -> Mask:
        mask: Mask = self.forward + self.backward == 2
        return mask

    def links(self) -> NDArray[np.int64]:
        """Faces (k, 2) that meet at an edge, enough of them to tell what hangs together."""
        edge = self.of_face.ravel()
        order = np.argsort(edge, kind="stable")
        meet = edge[order[1:]] == edge[order[:-1]]
        return np.column_stack([order[:-1][meet], order[1:][meet]]) // 3

    def pairs(self) -> tuple[NDArray[np.int64], Mask]:
        """Faces (k, 2) on both sides of the edges with two, and whether they run the same way."""
        edge, along = self.of_face.ravel(), self.along.ravel()
        order = np.argsort(edge, kind="stable")
        order = order[self.in_pairs[edge[order]]].reshape(-1, 2)
        return order // 3, along[order[:, 0]] == along[order[:, 1]]


def shared_edges(faces: IndexArray) -> SharedEdges:
    start = faces.astype(np.int64)
    end = np.roll(start, -1, axis=1)
    along = start < end
    n = int(faces.max()) + 1 if len(faces) else 1
    keys = np.minimum(start, end) * n + np.maximum(start, end)
    unique, number = np.unique(keys.ravel(), return_inverse=True)
    number = number.reshape(-1, 3)
    forward = np.bincount(number[along], minlength=len(unique))
    backward = np.bincount(number[~along], minlength=len(unique))
    return SharedEdges(forward, backward, number, along)


def consistent(faces: IndexArray, shared: SharedEdges) -> Mask | None:
    """Which faces to turn so that neighbours agree, as few as possible; None for a Moebius strip.

    Each face is two nodes, as it is and turned; neighbours link those that agree. A surface has
    two sides when no face's two nodes fall into one piece.
    """
    n = len(faces)
    pairs, same_way = shared.pairs()
    f, g = pairs[:, 0], pairs[:, 1]
    flip = same_way.astype(np.int64)
    links = np.concatenate(
        [np.column_stack([f, g + n * flip]), np.column_stack([f + n, g + n * (1 - flip)])]
    )
    label = component_labels(2 * n, links)
    if np.any(label[:n] == label[n:]):
        return None
    size = np.bincount(label[:n], minlength=int(label.max()) + 1)
    turned: Mask = size[label[:n]] < size[label[n:]]
    turned |= (size[label[:n]] == size[label[n:]]) & (label[:n] > label[n:])
    return turned


def inward_components(vertices: Array, faces: IndexArray, pieces: NDArray[np.int64]) -> Mask:
    """Which closed pieces face the wrong way: inside out, and not the wall of a cavity.

    The volume of all is positive, and a piece with negative volume is right only inside another.
    """
    volumes = _volumes(vertices, faces, pieces)
    wrong = np.full(len(volumes), bool(np.sum(volumes) < 0))
    volumes = np.where(wrong, -volumes, volumes)
    for piece in np.flatnonzero(volumes < 0):
        own = vertices[faces[pieces == piece]]
        lower, upper = own.min(axis=(0, 1)), own.max(axis=(0, 1))
        inside = False
        for other in np.flatnonzero(np.abs(volumes) > abs(volumes[piece])):
            around = vertices[faces[pieces == other]]
            if np.all(around.min(axis=(0, 1)) <= lower) and np.all(
                upper <= around.max(axis=(0, 1))
            ):
                inside ^= abs(winding_number(around, own[0].mean(axis=0))) > 0.5
        if not inside:
            wrong[piece] = not wrong[piece]
    return wrong


def winding_number(triangles: Array, point: Array) -> float:
    """How often a surface (n, 3, 3) goes round a point: solid angles / 4 pi.

    tan(w / 2) = a . (b x c) / (|a||b||c| + (a . b)|c| + (b . c)|a| + (c . a)|b|)
    (van Oosterom and Strackee 1983, eq. 8). In numpy, unlike `collision.mesh.solid_angle`, so that
    describing a scene need not wait for compiled code.
    """
    a, b, c = (triangles[:, k] - point for k in range(3))
    la, lb, lc = (np.sqrt(np.sum(x * x, axis=1)) for x in (a, b, c))
    top = np.sum(a * np.cross(b, c), axis=1)
    bottom = la * lb * lc + np.sum(a * b, axis=1) * lc
    bottom += np.sum(b * c, axis=1) * la + np.sum(c * a, axis=1) * lb
    return float(np.sum(np.arctan2(top, bottom)) / (2 * np.pi))


def _volumes(vertices: Array, faces: IndexArray, pieces: NDArray[np.int64]) -> Array:
    """(n_pieces,) signed volumes, each about its own first vertex."""
    first = np.unique(pieces, return_index=True)[1]
    origin = vertices[faces[first, 0]][pieces]
    a, b, c = (vertices[faces[:, k]] - origin for k in range(3))
    volumes = np.bincount(pieces, weights=np.sum(a * np.cross(b, c), axis=1) / 6)
    return volumes.astype(np.float64)
