"""What the verifier verifies a body by: its true shape, or the polyhedron that was simulated.

    ball, capsule    a point or a wire with a radius, exactly;
    cylinder, cone   the hull of two discs, exactly (`solid_paths`); for recorded states prisms and
                     pyramids around it and within it, the circle cut in FINE sides;
    torus            a polygon of FINE sides with two radii: those of tubes around it and within it;
    all else         its triangles, wires and points, exactly.

What lies between the two bodies around and within is the `band`: gaps within it are called
touching. Over a half-space all of them are hulls of discs, exactly.

A method that simulates a smooth shape as its polyhedron is verified by that polyhedron; the `error`
is how far the true surface lies outside of it.
"""

from dataclasses import dataclass

import numpy as np

from dovetail.collision.bvh.forest import forest_of
from dovetail.collision.bvh.tree import Bvh, build_bvh, bvh_of
from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes import Capsule, Compound, Cone, Cylinder, Shape, Sphere, Torus
from dovetail.model.surface import Surface
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only
from dovetail.verifier.records import Discs, VerifiedSurfaces

FINE = 2048  # sides of a circle
SMOOTH = (Sphere, Capsule, Cylinder, Cone, Torus)
AS_THEY_ARE: dict[str, tuple[type[Shape], ...]] = {
    "IPC": (Sphere, Capsule, Cylinder, Cone, Torus),
    "LCP": (Sphere, Capsule),
    "SDF": (Sphere, Capsule, Cylinder),
}
"""The smooth shapes that a contact method simulates as such; all of them under any other."""


@dataclass(frozen=True, eq=False)
class VerifiedSurface:
    """One body in its own frame."""

    tree: Bvh  # of the simplices around the surface
    inner: Array  # (n_vertices, 3) [m] the same simplices within the solid
    discs: Discs  # over half-spaces
    closed: bool  # a solid
    outer_radius: float = 0.0  # [m]
    inner_radius: float = 0.0  # [m]
    band: float = 0.0  # [m]
    error: float = 0.0  # [m] how far the true surface lies outside of what is verified
    axis: Array | None = None  # (3,) unit vector about which the true shape is one of revolution
    solid: Array | None = None  # (5,) of `solid_paths`

    @property
    def exact(self) -> bool:
        """Whether exact tests of triangles decide on recorded states."""
        return self.outer_radius == 0.0 and self.band == 0.0

    @property
    def radius(self) -> float:
        """[m] of the farthest point from the frame's origin."""
        return self.tree.radius + self.outer_radius


def verified_surface(body: CheckedBody, method: str | None) -> VerifiedSurface:
    """What a body is verified by after a run under the contact method of that name."""
    shape, surface = body.shape, body.surface
    assert shape is not None
    true = SMOOTH if method is None else AS_THEY_ARE.get(method, SMOOTH)
    turned = isinstance(shape, Cylinder | Cone | Torus)
    has_facets = method == "IPC" and turned and bool(body.centre[:2].any())  # centre off the axis
    if isinstance(shape, true) and not has_facets:
        return _smooth(shape, body.centre)
    discs = _points(surface.vertices)
    if turned and not has_facets:  # as it is over half-spaces
        discs = _smooth(shape, body.centre).discs
    tree = bvh_of(surface)
    closed = bool(len(surface.faces)) and shape.mass_properties().dimension == 3
    return VerifiedSurface(tree, tree.vertices, discs, closed, error=tessellation_error(shape))


def _smooth(shape: Shape, centre: Array) -> VerifiedSurface:
    up = np.array([0.0, 0.0, 1.0])
    if isinstance(shape, Sphere | Capsule):
        half = 0.0 if isinstance(shape, Sphere) else float(shape.height) / 2
        ends = np.array([-half * up, half * up])[: 1 if half == 0.0 else 2] - centre
        rows = np.array([[0, 0, 0]] if half == 0.0 else [[0, 1, 1]])
        radius = float(shape.radius)
        discs = _points(ends, radius)
        tree = build_bvh(ends, rows)
        return VerifiedSurface(tree, tree.vertices, discs, True, radius, radius, axis=up)
    if isinstance(shape, Torus):
        major, minor = float(shape.major), float(shape.minor)
        ring = major * _circle() - centre
        rows = np.column_stack([np.arange(FINE), *2 * [np.roll(np.arange(FINE), -1)]])
        off = _sagitta(major)
        discs = Discs(read_only(-centre[None]), read_only(up[None]), read_only([major]), minor)
        tree = build_bvh(ring, rows)
        return VerifiedSurface(
            tree, tree.vertices, discs, True, minor + off, minor - off, 2 * off, axis=up
        )
    assert isinstance(shape, Cylinder | Cone)
    radius = float(shape.radius)
    heights = _heights(shape)
    within, around = _turned(shape, radius), _turned(shape, radius / np.cos(np.pi / FINE))
    tree = build_bvh(around.vertices - centre, around.faces)
    discs = Discs(
        read_only(np.outer(heights, up) - centre), read_only([up, up]),
        read_only([radius, radius if isinstance(shape, Cylinder) else 0.0]), 0.0,
    )  # fmt: skip
    band = radius / np.cos(np.pi / FINE) - radius + _sagitta(radius)
    inner = read_only(within.vertices - centre)
    low, high = heights - centre[2]
    solid = None
    if not centre[:2].any():  # the axis goes through the origin of the frame
        solid = np.array([1.0, low, discs.radius[0], high, discs.radius[1]])
    return VerifiedSurface(tree, inner, discs, True, band=band, axis=up, solid=solid)


def _heights(shape: Cylinder | Cone) -> Array:
    height = float(shape.height)
    return np.array([-height / 2, height / 2] if isinstance(shape, Cylinder) else [0.0, height])


def _turned(shape: Cylinder | Cone, radius: float) -> Surface:
    """The shape with a circle of FINE sides and this radius [m]."""
    return type(shape)(radius, shape.height, FINE).surface()


def _circle() -> Array:
    """(FINE, 3) corners of a polygon in the unit circle about z."""
    angle = 2 * np.pi * np.arange(FINE) / FINE
    return np.column_stack([np.cos(angle), np.sin(angle), np.zeros(FINE)])


def _sagitta(radius: float, sides: int = FINE) -> float:
    """[m] between a circle and its inscribed polygon, r (1 - cos(pi / n))."""
    return 2.0 * radius * float(np.sin(np.pi / (2 * sides))) ** 2


def _points(points: Array, ball: float = 0.0) -> Discs:
    n = len(points)
    return Discs(read_only(points), read_only(np.zeros((n, 3))), read_only(np.zeros(n)), ball)


def tessellation_error(shape: Shape) -> float:
    """[m] how far the true surface lies outside of the triangles that stand for it."""
    if isinstance(shape, Compound):
        return max(tessellation_error(part.shape) for part in shape.placed)
    if isinstance(shape, Sphere | Capsule):
        radius = float(shape.radius)
        ball = Sphere(radius, shape.segments).surface()
        corners = ball.vertices[ball.faces]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        planes = np.einsum("ij,ij->i", normal, corners[:, 0]) / np.linalg.norm(normal, axis=1)
        return radius - float(np.min(planes))
    if isinstance(shape, Cylinder | Cone):
        return _sagitta(float(shape.radius), int(shape.segments))
    if isinstance(shape, Torus):
        n, around = int(shape.segments), float(shape.major) + float(shape.minor)
        return _sagitta(around, n) + _sagitta(float(shape.minor), max(8, n // 2))
    return 0.0


def verified_surfaces(bodies: list[VerifiedSurface]) -> VerifiedSurfaces:
    """The surfaces of all bodies, as the kernels take them."""
    forest = forest_of([body.tree for body in bodies])
    distinct = {id(body.tree): body.inner for body in bodies}
    return VerifiedSurfaces(
        forest,
        read_only(np.concatenate([np.empty((0, 3)), *distinct.values()])),
        read_only([body.outer_radius for body in bodies]),
        read_only([body.inner_radius for body in bodies]),
        read_only([body.band for body in bodies]),
        read_only(np.array([not body.closed for body in bodies], bool), np.bool_),
    )
