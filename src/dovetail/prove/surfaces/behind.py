"""What is examined of a body, and the true surface behind it, as far as it is known."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from dovetail.collision.bvh.tree import simplices_of
from dovetail.model.checked_body import CheckedBody
from dovetail.model.values import Array
from dovetail.prove.surfaces.examined import Examined, Margin
from dovetail.prove.surfaces.patches import Patches, forms_of
from dovetail.prove.surfaces.sides import NOT_KNOWN, STRAIGHT, WITHIN, sides_of_triangles
from dovetail.prove.surfaces.true_faces import Numbers, TrueFaces, true_faces

NO_MARGIN = Margin()
NEWTON = 6
ON_FACE = 1e-13  # of the size: corners are put that near to all faces that they belong to
MOST_PUT = 20_000  # corners that are put on their faces


class Behind:
    """Of one body."""

    def __init__(self, body: CheckedBody, seen: Examined) -> None:
        self._body, self.seen = body, seen

    @cached_property
    def _known(self) -> TrueFaces | None:
        return true_faces(self._body, self.seen.surface)

    @cached_property
    def patches(self) -> Patches | None:
        """Row by row as the simplices of what is examined; None where nothing is known."""
        known = self._known
        if known is None:
            return None
        surface, labels = self.seen.surface, np.asarray(known.of_simplex, np.int64)
        simplices = simplices_of(surface)
        m, n = len(simplices), len(surface.faces)
        wire = simplices[:, 1] == simplices[:, 2]
        forms, axes = forms_of(known.faces), np.zeros((0, 6))
        rule, about = np.full((m, 3), STRAIGHT), np.full((m, 3), -1)
        if labels.max(initial=-1) >= 0:
            whole = labels if n else np.full(m, -1)
            sides = sides_of_triangles(surface.vertices, surface.faces, whole[:n], known.faces)
            rule[:n], about[:n], axes = sides.rule, sides.about, sides.axes
            rule[n:], about[n:] = _of_wires(labels[n:], known)
        corners = surface.vertices[simplices]
        return Patches(corners, labels, rule, about, wire, forms, axes)

    @cached_property
    def margin(self) -> Margin:
        """That of what is examined, and at least that of the maps onto the true surface."""
        assert self.patches is not None
        known = self.patches.taken(np.all(self.patches.rule != NOT_KNOWN, axis=1))
        return self.margin_of(known.deviation(), self.seen.margin)

    def margin_of(self, off: float, least: Margin = NO_MARGIN) -> Margin:
        """Of patches that are `off` [m] off; the triangles of convex shapes are within them."""
        assert self._known is not None
        off += self._known.placing
        radius, outside, inside = self.seen.margin
        return Margin(
            radius, max(off, least.outside) if outside > 0.0 else 0.0,
            max(off, least.inside) if inside > 0.0 else 0.0,
        )  # fmt: skip

    def put_on_faces(self, rows: Numbers) -> Patches | None:
        """Some patches with their corners on all faces they belong to; None where they are not."""
        known, patches = self._known, self.patches
        assert known is not None and patches is not None
        chosen = patches.taken(rows)
        simplices = simplices_of(self.seen.surface)
        numbers = np.unique(simplices[rows])
        vertices = np.array(self.seen.surface.vertices)
        size = float(np.max(np.abs(vertices), initial=0.0))
        touched = self._faces_at(numbers)
        wrong = [
            n for n, faces in zip(numbers.tolist(), touched, strict=True)
            if faces and _off(known, faces, vertices[n]) > ON_FACE * size
        ]  # fmt: skip
        if len(wrong) > MOST_PUT:
            return None
        at = dict(zip(numbers.tolist(), touched, strict=True))
        for n in wrong:
            vertices[n] = _put(known, at[n], vertices[n])
            if _off(known, at[n], vertices[n]) > 10.0 * ON_FACE * size:
                return None
        return replace(chosen, corners=vertices[simplices[rows]])

    def _faces_at(self, numbers: Numbers) -> list[list[int]]:
        """The faces that meet at each of some vertices."""
        known = self._known
        assert known is not None
        simplices = simplices_of(self.seen.surface)
        pairs = np.column_stack([simplices.ravel(), np.repeat(known.of_simplex, 3)])
        pairs = np.unique(pairs[pairs[:, 1] >= 0], axis=0)
        first = np.searchsorted(pairs[:, 0], numbers)
        last = np.searchsorted(pairs[:, 0], numbers, side="right")
        return [pairs[i:j, 1].tolist() for i, j in zip(first, last, strict=True)]


def _of_wires(labels: Numbers, known: TrueFaces) -> tuple[Numbers, Numbers]:
    """The circle of a torus is about the axis of its face."""
    rule = np.array([WITHIN[face.kind] for face in known.faces] + [STRAIGHT])[labels]
    return np.repeat(rule[:, None], 3, axis=1), np.repeat(labels[:, None], 3, axis=1)


def _off(known: TrueFaces, faces: list[int], x: Array) -> float:
    return max(abs(float(known.faces[k].distance(x[None])[0][0])) for k in faces)


def _put(known: TrueFaces, faces: list[int], x: Array) -> Array:
    """Gauss-Newton with the least displacement."""
    for _ in range(NEWTON):
        rows = [known.faces[k].distance(x[None]) for k in faces]
        value = np.array([float(f[0]) for f, _ in rows])
        slope = np.array([g[0] for _, g in rows])
        x = x - np.linalg.lstsq(slope, value, rcond=1e-6)[0]
    return x
