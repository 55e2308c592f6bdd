"""The surfaces of a model's bodies as the flat arrays that contact detection reads."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dovetail.collision.narrow_phase.surfaces import (
    MESH,
    NOTHING,
    PLANE,
    ROUND,
    ContactSurfaces,
    SurfacePose,
)
from dovetail.model.checked_body import CheckedBody
from dovetail.model.frozen import Model
from dovetail.model.shapes import Capsule, Cylinder, HalfSpace, Sphere
from dovetail.model.surface import Surface
from dovetail.model.values import Array

COPLANAR = 1e-6  # sine below which two faces are one


@dataclass(eq=False)
class BodySurface:
    """One body in its own frame."""

    kind: int = NOTHING
    surface: Surface = field(default_factory=lambda: Surface.of(np.zeros((0, 3))))
    radius: float = 0.0
    two_sided: bool = False
    cylinder_radius: float = 0.0  # [m]
    half_height: float = 0.0  # [m]
    centre: Array = field(default_factory=lambda: np.zeros(3))
    axis: Array = field(default_factory=lambda: np.zeros(3))

    @property
    def extents(self) -> Array:
        """(3,) [m] sides of the box, rounding included."""
        if self.kind in (NOTHING, PLANE):
            return np.full(3, np.inf)
        lower, upper = self.surface.bounds
        return np.asarray(upper - lower + 2 * self.radius)


def body_surface(body: CheckedBody) -> BodySurface:
    """The contact surface of a body; balls and capsules are points and lines with a radius."""
    shape = body.shape
    if shape is None or not len(body.surface.vertices):
        return BodySurface()
    if isinstance(shape, HalfSpace):
        return BodySurface(PLANE, centre=-body.centre, axis=shape.unit_normal)
    if isinstance(shape, Sphere):
        core = Surface.of(-body.centre[None])
        return BodySurface(ROUND, core, float(shape.radius))
    if isinstance(shape, Capsule):
        ends = np.array([[0, 0, -0.5], [0, 0, 0.5]]) * float(shape.height) - body.centre
        return BodySurface(ROUND, Surface.of(ends, edges=[(0, 1)]), float(shape.radius))
    radius, half_height = 0.0, 0.0
    if isinstance(shape, Cylinder):
        radius, half_height = float(shape.radius), float(shape.height) / 2
    sheet = bool(len(body.surface.faces)) and shape.mass_properties().dimension < 3
    return BodySurface(MESH, body.surface, 0.0, sheet, radius, half_height, -body.centre)


def contact_surfaces(model: Model) -> tuple[ContactSurfaces, list[BodySurface]]:
    """The surfaces of all bodies of a model, concatenated, and one by one."""
    bodies = [body_surface(body) for body in model.bodies]
    parts: dict[str, list[Any]] = {name: [] for name in (
        "vertex", "corner", "edge", "convex", "inward", "face", "face_edge", "normal", "neighbours",
    )}  # fmt: skip
    firsts = np.zeros((3, len(bodies) + 1), np.int32)
    for i, body in enumerate(bodies):
        v0, e0, _ = firsts[:, i]
        surface = body.surface
        normal, inward, face_edge = _edge_frames(surface)
        convex = _convex(surface, normal, inward, body.two_sided)
        parts["vertex"].append(surface.vertices)
        parts["corner"].append(_corners(surface, convex))
        parts["edge"].append(surface.edges + v0)
        parts["convex"].append(convex)
        parts["inward"].append(inward)
        parts["face"].append(surface.faces + v0)
        parts["face_edge"].append(face_edge + e0)
        parts["normal"].append(normal)
        parts["neighbours"].append(np.concatenate([surface.edges, surface.edges[:, ::-1]]) + v0)
        counts = len(surface.vertices), len(surface.edges), len(surface.faces)
        firsts[:, i + 1] = firsts[:, i] + counts
    stacked = {name: np.concatenate(rows) for name, rows in parts.items()}
    neighbours = stacked["neighbours"]
    neighbours = neighbours[np.argsort(neighbours[:, 0], kind="stable")]
    first_neighbour = np.zeros(len(stacked["vertex"]) + 1, np.int32)
    degree = np.bincount(neighbours[:, 0], minlength=len(first_neighbour) - 1)
    np.cumsum(degree, out=first_neighbour[1:])
    first_face_at, face_at = _faces_at(stacked["face"], len(stacked["vertex"]))
    extents = np.array([body.extents for body in bodies])
    bounding_radius = [
        np.inf if body.kind == PLANE
        else body.radius + float(np.linalg.norm(body.surface.vertices, axis=1).max(initial=0.0))
        for body in bodies
    ]  # fmt: skip
    low = np.array([_corner(body.surface.vertices, np.min) for body in bodies]).reshape(-1, 3)
    high = np.array([_corner(body.surface.vertices, np.max) for body in bodies]).reshape(-1, 3)
    surfaces = ContactSurfaces(
        kind=np.array([body.kind for body in bodies], np.int32),
        radius=np.array([body.radius for body in bodies]),
        bounding_radius=np.array(bounding_radius),
        size=np.linalg.norm(extents, axis=1),
        thickness=extents.min(axis=1),
        two_sided=np.array([body.two_sided for body in bodies], np.bool_),
        cylinder_radius=np.array([body.cylinder_radius for body in bodies], np.float64),
        half_height=np.array([body.half_height for body in bodies], np.float64),
        centre=np.array([body.centre for body in bodies]),
        axis=np.array([body.axis for body in bodies]),
        middle=0.5 * (low + high),
        half=0.5 * (high - low),
        vertex=np.ascontiguousarray(stacked["vertex"]),
        first_vertex=np.ascontiguousarray(firsts[0]),
        corner=stacked["corner"],
        first_neighbour=first_neighbour,
        neighbour=np.ascontiguousarray(neighbours[:, 1].astype(np.int32)),
        edge=np.ascontiguousarray(stacked["edge"].astype(np.int32)),
        first_edge=np.ascontiguousarray(firsts[1]),
        convex=stacked["convex"],
        inward=np.ascontiguousarray(stacked["inward"]),
        face=np.ascontiguousarray(stacked["face"].astype(np.int32)),
        first_face=np.ascontiguousarray(firsts[2]),
        face_edge=np.ascontiguousarray(stacked["face_edge"].astype(np.int32)),
        normal=np.ascontiguousarray(stacked["normal"]),
        first_face_at=first_face_at,
        face_at=face_at,
    )
    return surfaces, bodies


def _corner(vertices: Array, least_or_most: Any) -> Array:
    """(3,) [m] of the box of the vertices; the origin if there are none."""
    return np.asarray(least_or_most(vertices, axis=0)) if len(vertices) else np.zeros(3)


def surface_pose(surfaces: ContactSurfaces) -> SurfacePose:
    """Space for the surfaces in world coordinates."""
    return SurfacePose(
        np.zeros_like(surfaces.vertex), np.zeros_like(surfaces.normal),
        np.zeros((len(surfaces.kind), 6)), np.zeros((len(surfaces.kind), 3)),
        np.zeros((len(surfaces.kind), 6)),
    )  # fmt: skip


def _faces_at(faces: Array, vertices: int) -> tuple[Any, Any]:
    """(V + 1,) where the faces (F, 3) of each vertex begin in the second array."""
    corners = faces.ravel()
    first = np.zeros(vertices + 1, np.int32)
    np.cumsum(np.bincount(corners, minlength=vertices), out=first[1:])
    return first, (np.argsort(corners, kind="stable") // 3).astype(np.int32)


def _edge_frames(surface: Surface) -> tuple[Array, Array, Any]:
    """Face normals (F, 3), directions into the faces at each edge (E, 2, 3), edges of faces."""
    v, faces, edges = surface.vertices, surface.faces, surface.edges
    inward = np.zeros((len(edges), 2, 3))
    if not len(faces):
        return np.zeros((0, 3)), inward, np.zeros((0, 3), np.int64)
    normal = np.cross(v[faces[:, 1]] - v[faces[:, 0]], v[faces[:, 2]] - v[faces[:, 0]])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = normal / np.where(length > 0, length, 1.0)
    n = len(v)
    keys = edges.astype(np.int64) @ [n, 1]
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1).astype(np.int64) @ [n, 1]
    face_edge = np.searchsorted(keys, sides).reshape(-1, 3)
    start, end = v[faces], v[np.roll(faces, -1, axis=1)]
    into = np.cross(normal[:, None, :], end - start)
    size = np.linalg.norm(into, axis=2, keepdims=True)
    into = (into / np.where(size > 0, size, 1.0)).reshape(-1, 3)
    of_edge, kept = face_edge.ravel(), np.flatnonzero(size.ravel() > 0)
    order = kept[np.argsort(of_edge[kept], kind="stable")]  # by edge, then in order of faces
    first = np.searchsorted(of_edge[order], of_edge[order])
    rank = np.arange(len(order)) - first
    for side in range(2):
        chosen = order[rank == side]
        inward[of_edge[chosen], side] = into[chosen]
    return normal, inward, face_edge


def _convex(surface: Surface, normal: Array, inward: Array, two_sided: bool) -> Any:
    """(E,) edges that stick out: the faces at them bend away from each other's outside."""
    has = np.any(inward != 0, axis=2)
    both = has.all(axis=1)
    flat = np.linalg.norm(inward[:, 0] + inward[:, 1], axis=1) <= COPLANAR
    if two_sided or not len(normal):
        return ~(both & flat)
    # Into-face directions t0, t1 and the outward normal n0 of the first face: convex if t1 . n0 < 0
    along = np.zeros((len(surface.edges), 3))
    if len(surface.edges):
        along = surface.vertices[surface.edges[:, 1]] - surface.vertices[surface.edges[:, 0]]
    outward = _first_normals(surface, normal)
    bends = np.einsum("ij,ij->i", outward, inward[:, 1]) < -COPLANAR
    return ~both | (bends & (np.linalg.norm(along, axis=1) > 0))


def _first_normals(surface: Surface, normal: Array) -> Array:
    """(E, 3) the normal of the first face at each edge."""
    n = len(surface.vertices)
    keys = surface.edges.astype(np.int64) @ [n, 1]
    faces = surface.faces
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1).astype(np.int64) @ [n, 1]
    at = np.searchsorted(keys, sides)
    owner = np.full(len(keys), -1, np.int64)
    last = np.arange(len(at))[::-1]
    owner[at[last]] = last // 3  # of several faces the first
    return np.where(owner[:, None] >= 0, normal[owner], 0.0)


def _corners(surface: Surface, convex: Any) -> Any:
    """(V,) vertices at a convex edge, a wire's end, or alone."""
    corner = np.zeros(len(surface.vertices), np.bool_)
    corner[surface.edges[convex].ravel()] = True
    corner[surface.points] = True
    return corner
