"""The true faces behind the triangles of a body: planes, cylinders, cones, spheres, tori.

Shapes of the package and parts of STEP files say what their triangles stand for. A mesh stands for
itself: its triangles are plane and its sides straight.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.tree import simplices_of
from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes import Compound, Cone, Cylinder, Sphere, Torus
from dovetail.model.shapes.shape import Shape
from dovetail.model.surface import Surface
from dovetail.model.values import Array
from dovetail.prove.surfaces.tessellation import deviation_of

UNKNOWN, PLANE, TURNED, BALL, RING = range(5)
ALONG_Z = (0.0, 0.0, 1.0)

Numbers = NDArray[Any]  # rows, kinds and marks


class Face(NamedTuple):
    """One face. TURNED is a cylinder or a cone: r = radius + slope z about its axis."""

    kind: int
    point: Array = np.zeros(3)  # [m] on the axis, or the centre
    axis: Array = np.zeros(3)  # of a plane its normal
    radius: float = 0.0  # [m] of a torus the minor one
    slope: float = 0.0
    major: float = 0.0  # [m]

    @property
    def is_curved(self) -> bool:
        return self.kind not in (UNKNOWN, PLANE)

    def moved(self, R: Array, x: Array) -> "Face":
        """The same face at R r + x."""
        return self._replace(point=R @ self.point + x, axis=R @ self.axis)

    def distance(self, x: Array) -> tuple[Array, Array]:
        """Signed distance [m] of points (n, 3) and its gradient (n, 3); 0 if not known."""
        arm = x - self.point
        if self.kind == PLANE:
            return arm @ self.axis, np.broadcast_to(self.axis, arm.shape)
        if self.kind == BALL:
            size = np.linalg.norm(arm, axis=-1)
            return size - self.radius, _over(arm, size)
        if self.kind == UNKNOWN:
            return np.zeros(len(x)), np.zeros_like(arm)
        along = arm @ self.axis
        across = arm - along[:, None] * self.axis
        r = np.linalg.norm(across, axis=-1)
        out = _over(across, r)
        if self.kind == RING:
            tube = np.hypot(r - self.major, along)
            gradient = (r - self.major)[:, None] * out + along[:, None] * self.axis
            return tube - self.radius, _over(gradient, tube)
        c = 1.0 / np.hypot(1.0, self.slope)
        off = c * (r - self.radius - self.slope * along)
        return off, c * (out - self.slope * self.axis)


class TrueFaces(NamedTuple):
    """Of one body: which face each simplex of what is examined stands for."""

    of_simplex: Numbers  # (m,) number of the face; -1 where triangles are the true surface
    faces: list[Face]
    placing: float = 0.0  # [m] how well the place of the body is known


def true_faces(body: CheckedBody, surface: Surface) -> TrueFaces | None:
    """Those of a body whose examined surface is `surface`; None where nothing is known of them."""
    m = len(simplices_of(surface))
    known = _of_shape(body.shape, surface.moved(np.eye(3), body.centre), m)
    if known is None or len(known.of_simplex) != m:
        return None
    faces = [face.moved(np.eye(3), -body.centre) for face in known.faces]
    return TrueFaces(known.of_simplex, faces, known.placing)


def _of_shape(shape: Shape | None, surface: Surface, m: int) -> TrueFaces | None:
    """In the frame of the shape."""
    match shape:
        case Cylinder():
            half = 0.5 * float(shape.height)
            side = Face(TURNED, np.zeros(3), np.array(ALONG_Z), float(shape.radius))
            return _turned(surface, side, (-half, half))
        case Cone():
            slope = -float(shape.radius) / float(shape.height)
            axis = np.array(ALONG_Z)
            side = Face(TURNED, np.zeros(3), axis, float(shape.radius), slope)
            return _turned(surface, side, (0.0,))
        case Torus() if not len(surface.faces):  # examined as its circle
            circle = Face(TURNED, np.zeros(3), np.array(ALONG_Z), float(shape.major))
            return TrueFaces(np.zeros(m, np.int64), [circle])
        case Torus():
            minor, major = float(shape.minor), float(shape.major)
            ring = Face(RING, np.zeros(3), np.array(ALONG_Z), minor, 0.0, major)
            return TrueFaces(np.zeros(m, np.int64), [ring])
        case Sphere() if len(surface.faces):
            ball = Face(BALL, np.zeros(3), np.zeros(3), float(shape.radius))
            return TrueFaces(np.zeros(m, np.int64), [ball])
        case Compound():
            return _compound(shape)
        case _:
            given = getattr(shape, "true_faces", None)
            if given is not None:
                labels, faces = given
                found = [face_of(face) for face in faces]
                return TrueFaces(np.asarray(labels), found, float(getattr(shape, "placing", 0.0)))
    exact = deviation_of(shape) == 0.0 or not len(surface.faces)
    return TrueFaces(np.full(m, -1), []) if exact else None


def _turned(surface: Surface, side: Face, ends: Sequence[float]) -> TrueFaces:
    """Flat triangles at the heights `ends`, the others on the side."""
    z = surface.vertices[surface.faces][:, :, 2]
    labels = np.zeros(len(z), np.int64)
    faces = [side]
    for end in ends:
        labels[np.all(z == z[:, :1], axis=1) & (abs(z[:, 0] - end) <= 1e-9 * np.ptp(z))] = len(
            faces
        )
        faces.append(Face(PLANE, np.array((0.0, 0.0, end)), np.array(ALONG_Z)))
    return TrueFaces(labels, faces)


def _compound(shape: Compound) -> TrueFaces | None:
    """Part after part, as its surface has them; parts with wires or points are not followed."""
    labels: list[Numbers] = []
    faces: list[Face] = []
    placing = 0.0
    for part in shape.placed:
        surface = part.shape.surface()
        m = len(surface.faces)
        if len(simplices_of(surface)) != m:
            return None
        own = _of_shape(part.shape, surface, m)
        if own is None or len(own.of_simplex) != m:
            return None
        labels.append(np.where(own.of_simplex < 0, -1, own.of_simplex + len(faces)))
        faces += [face.moved(*part.pose) for face in own.faces]
        placing = max(placing, own.placing)
    return TrueFaces(np.concatenate(labels), faces, placing)


def face_of(given: dict[str, Any] | None) -> Face:
    """From the words of a CAD kernel [m]; cones count from their apex towards their rim."""
    if given is None:
        return Face(UNKNOWN)
    place = given.get("apex", given.get("origin", given.get("center", (0.0, 0.0, 0.0))))
    point = np.array(place, dtype=float)
    kind = given["type"]
    if kind == "sphere":
        return Face(BALL, point, radius=float(given["radius"]))
    axis = np.array(given["normal" if kind == "plane" else "axis"], dtype=float)
    axis = axis / np.linalg.norm(axis)
    if kind == "plane":
        return Face(PLANE, point, axis)
    if kind == "cylinder":
        return Face(TURNED, point, axis, float(given["radius"]))
    if kind == "cone":
        side = float(given.get("side", 1.0))
        return Face(TURNED, point, side * axis, 0.0, abs(np.tan(float(given["semi_angle"]))))
    return Face(RING, point, axis, float(given["minor_radius"]), 0.0, float(given["major_radius"]))


def _over(v: Array, size: Array) -> Array:
    return np.divide(v, size[:, None], out=np.zeros_like(v), where=size[:, None] > 0.0)
