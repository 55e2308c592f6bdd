"""How far the triangles of a CAD kernel are from the faces that they stand for.

Of cylinders, cones, spheres and tori a bound: with f the signed distance from the surface, g its
gradient and x_0 the middle of a small triangle,
    |f(x)| <= |f(x_0) + g . (x - x_0)| + bend,
the first term linear, so largest at a corner. With s from x_0 to x the distance r from an axis has
    d^2 r / ds^2 = (r_0 d_t)^2 / r^3,    d_t the part of x - x_0 around the axis,
and the second derivative of the distance from a centre, or from the circle of a torus, is at most
the inverse of that distance or of the one from the axis. A cone is linear along every line through
its apex, so that a triangle with a corner there is farthest off on the side across.

Other faces (splines, lofts, surfaces of revolution, ...) have no such formula here: what is known
of them is measured, as the distance of the corners of finer triangles, which lie on the true face.
A third is added for what lies between these corners.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.collision.sdf.distance_mesh import nearest_distances
from dovetail.io.cad.gltf import Node
from dovetail.model.surface import Surface
from dovetail.model.values import Array

PARTS = 4  # each side of a triangle is cut into as many
MARGIN = 4.0 / 3.0
APEX = 1e-6  # of the size of a triangle: a corner as near as that is the apex
KNOWN = ("plane", "cylinder", "cone", "sphere", "torus")


class Local(NamedTuple):
    """The signed distance from a surface at the middles (m, p) of small triangles."""

    value: Array  # (m, p)
    gradient: Array  # (m, p, 3)
    bend: Array  # (m, p) what the second derivative may add within the triangle


def bounded_deviation(node: Node) -> float:
    """[file units] at most, of all faces with a formula; 0 without any but planes."""
    if node.face_of_triangle is None:
        return 0.0
    largest = 0.0
    for k, face in enumerate(node.faces):
        rows = node.triangles[node.face_of_triangle == k]
        if len(rows) and kind_of(face) in KNOWN[1:]:
            assert face is not None
            largest = max(largest, _bound(face, node.vertices[rows]))
    return largest


def kind_of(face: dict[str, Any] | None) -> str | None:
    """What a face is; None where the kernel does not say it or the formula lacks a number."""
    if face is None or face.get("type") not in KNOWN:
        return None
    needed = {
        "plane": (), "sphere": ("radius",), "cylinder": ("radius", "axis"),
        "cone": ("apex", "axis", "semi_angle"), "torus": ("axis", "major_radius", "minor_radius"),
    }[face["type"]]  # fmt: skip
    return str(face["type"]) if all(name in face for name in needed) else None


def scaled_faces(node: Node, scale: float) -> list[dict[str, Any] | None]:
    """What the faces are, lengths in m; None of those without a formula.

    Of cones `side` says on which side of the apex along their axis they lie.
    """
    lengths = ("origin", "center", "apex", "radius", "major_radius", "minor_radius")
    made: list[dict[str, Any] | None] = []
    for k, face in enumerate(node.faces):
        if kind_of(face) is None or face is None or node.face_of_triangle is None:
            made.append(None)
            continue
        row = dict(face)
        for name in lengths:
            if name in row:
                row[name] = scale * np.array(row[name], dtype=float)
        if face["type"] == "cone":
            corners = node.vertices[node.triangles[node.face_of_triangle == k]]
            along = (corners - np.array(face["apex"], dtype=float)) @ np.array(face["axis"], float)
            row["side"] = 1.0 if along.sum() >= 0.0 else -1.0
        made.append(row)
    return made


def faces_without_formula(node: Node) -> int:
    """How many faces there are whose deviation can only be measured; all where none is known."""
    if node.face_of_triangle is None or not node.faces:
        return 1
    return sum(kind_of(face) is None for face in node.faces)


def measured_deviation(coarse: tuple[Array, Any], fine: Array) -> float:
    """Of triangles (vertices, rows) from points of the true surface, with a margin."""
    return MARGIN * float(np.max(nearest_distances(Surface.of(*coarse), fine), initial=0.0))


def points_without_formula(node: Node) -> Array:
    """The corners of the triangles of such faces."""
    if node.face_of_triangle is None or not node.faces:
        return node.vertices
    numbers = [k for k, face in enumerate(node.faces) if kind_of(face) is None]
    rows = node.triangles[np.isin(node.face_of_triangle, numbers)]
    return node.vertices[np.unique(rows)]


def _bound(face: dict[str, Any], corners: Array) -> float:
    """Of triangles (m, 3, 3)."""
    if face["type"] == "cone":
        corners = _without_apex(np.array(face["apex"], dtype=float), corners)
    cut = _cut(corners)
    middle = cut.mean(axis=2)
    arms = cut - middle[:, :, None]
    local = _local(face, cut, middle)
    linear = np.abs(local.value[..., None] + np.einsum("mpk,mpik->mpi", local.gradient, arms))
    rough = np.abs(local.value) + np.linalg.norm(arms, axis=-1).max(axis=2)  # |grad f| <= 1
    return float(np.max(np.minimum(linear.max(axis=-1) + local.bend, rough), initial=0.0))


def _without_apex(apex: Array, corners: Array) -> Array:
    """Triangles with a corner at the apex as the side across from it."""
    off = np.linalg.norm(corners - apex, axis=-1)
    at_apex = off <= APEX * off.max(axis=1, keepdims=True)
    farthest = corners[np.arange(len(corners)), off.argmax(axis=1)]
    return np.where(at_apex[..., None], farthest[:, None], corners)


def _cut(corners: Array) -> Array:
    """(m, PARTS^2, 3, 3) the small triangles of each."""
    n, rows = PARTS, []
    for i in range(n):
        for j in range(n - i):
            rows.append([(i, j), (i + 1, j), (i, j + 1)])
            if i + j < n - 1:
                rows.append([(i + 1, j + 1), (i + 1, j), (i, j + 1)])
    shares = np.array(rows, dtype=float) / n
    weights = np.concatenate([1.0 - shares.sum(axis=-1, keepdims=True), shares], axis=-1)
    return np.asarray(np.einsum("pik,mkx->mpix", weights, corners))


def _unit(v: Array, size: Array) -> Array:
    return np.divide(v, size[..., None], out=np.zeros_like(v), where=size[..., None] > 0.0)


def _local(face: dict[str, Any], cut: Array, middle: Array) -> Local:
    kind = face["type"]
    place = face.get("apex") if kind == "cone" else face.get("origin", face.get("center"))
    centre = np.array((0.0, 0.0, 0.0) if place is None else place, dtype=float)
    arm, arms = middle - centre, cut - middle[:, :, None]
    radius = np.linalg.norm(arms, axis=-1).max(axis=2)
    if kind == "sphere":
        size = np.linalg.norm(arm, axis=-1)
        bend = _over(0.5 * radius**2, size - radius)
        return Local(size - float(face["radius"]), _unit(arm, size), bend)
    axis = np.array(face["axis"], dtype=float)
    axis = axis / np.linalg.norm(axis)
    along = arm @ axis
    across = arm - along[..., None] * axis
    radial = np.linalg.norm(across, axis=-1)
    out = _unit(across, radial)
    if kind == "torus":
        off = radial - float(face["major_radius"])
        tube = np.hypot(off, along)
        gradient = _unit(off[..., None] * out + along[..., None] * axis, tube)
        bend = _over(0.5 * radius**2, np.minimum(radial, tube) - radius)
        return Local(tube - float(face["minor_radius"]), gradient, bend)
    around = np.abs(np.einsum("mpik,mpk->mpi", arms, np.cross(axis, out))).max(axis=2)
    bend = _over(0.5 * (radial * around) ** 2, _nearest_to_axis(cut - centre, axis) ** 3)
    if kind == "cylinder":
        return Local(radial - float(face["radius"]), out, bend)
    side = 1.0 if along.sum() >= 0.0 else -1.0
    c, s = np.cos(float(face["semi_angle"])), abs(np.sin(float(face["semi_angle"])))
    return Local(c * radial - s * side * along, c * out - s * side * axis, c * bend)


def _over(a: Array, b: Array) -> Array:
    """a / b; inf where b is not above 0."""
    return np.divide(a, b, out=np.full_like(a, np.inf), where=b > 0.0)


def _nearest_to_axis(corners: Array, axis: Array) -> Array:
    """Of triangles (m, p, 3, 3) from the axis through the origin; 0 where it goes through one."""
    flat = corners - (corners @ axis)[..., None] * axis
    least = np.full(flat.shape[:2], np.inf)
    signs = []
    for k in range(3):
        p, d = flat[:, :, k], flat[:, :, (k + 1) % 3] - flat[:, :, k]
        size = np.einsum("mpk,mpk->mp", d, d)
        share = np.clip(-np.einsum("mpk,mpk->mp", p, d) / np.where(size > 0.0, size, 1.0), 0.0, 1.0)
        least = np.minimum(least, np.linalg.norm(p + share[..., None] * d, axis=-1))
        signs.append(np.cross(p, d) @ axis)
    inside = (np.min(signs, axis=0) > 0.0) | (np.max(signs, axis=0) < 0.0)
    return np.where(inside, 0.0, least)
