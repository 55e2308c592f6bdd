"""The bodies of a model as the intersection-free step takes them: flat arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.collision.bvh.slabs import COLUMNS, slabs_of, slabs_of_boxes, vertex_normals
from dovetail.collision.bvh.tree import Bvh
from dovetail.collision.mesh.contact_features import ContactFeatures
from dovetail.collision.mesh.face_owners import OwnedFeatures, owned_features
from dovetail.contact.body_pairs import connected_pairs
from dovetail.contact.ipc.records import (
    EDGES,
    EVERYWHERE,
    FACES,
    RINGS,
    SOLIDS,
    BodyGeometry,
    CoplanarPatches,
    FaceOwners,
    Features,
    HalfSpaces,
    IpcBodies,
    Trees,
)
from dovetail.contact.ipc.round_shapes import solid_of
from dovetail.contact.ipc.shared_features import SharedFeatures
from dovetail.contact.ipc.solids.rims import rims_of
from dovetail.errors import InputError
from dovetail.model.checked_body import NO_SURFACE, CheckedBody
from dovetail.model.frozen import DYNAMIC, KINEMATIC, Model
from dovetail.model.shapes import HalfSpace
from dovetail.model.values import Array, quote

SMALLEST_CORE = 1e-9  # of its radius, at least: no radius at all is that of half-spaces
MANY_FACES = 500  # of bodies that are searched by pairs of faces
DRIVEN_PENALTY = 1e4  # of the largest mass: ties a driven body to its target


def ipc_bodies(model: Model, touching: bool = True, facetted: Sequence[int] = ()) -> IpcBodies:
    """Flat arrays of all bodies; without `touching` no pair of bodies is looked at.

    The rings `facetted` are polyhedra on faces too (`start_rings`).
    """
    features, rounding = _features(model)
    solids = _solids(model)
    solids[list(facetted), 6] = -1.0
    dynamic = (model.motion == DYNAMIC) & ~np.all(model.fixed, axis=1)
    driven = model.motion == KINEMATIC
    unknown = dynamic | driven
    core = np.array([one.radius for one in features]).reshape(model.n_bodies)
    core = np.maximum(core, SMALLEST_CORE * rounding)
    core = np.maximum(core, _farthest(solids))
    radius = core + rounding
    mass, J = _inertia(model, dynamic, driven, radius)
    free = unknown[:, None] & ~(model.fixed & dynamic[:, None])
    free[[isinstance(body.shape, HalfSpace) for body in model.bodies], 3:] = False
    return IpcBodies(
        mass=mass,
        J=J,
        free=free.astype(np.uint8),
        slot=np.where(unknown, np.cumsum(unknown) - 1, -1).astype(np.int32),
        owner=np.flatnonzero(unknown).astype(np.int32),
        dynamic=dynamic.astype(np.uint8),
        group=_groups(model.bodies, touching),
        connected=connected_pairs(model),
        geometry=_geometry(model, features, solids, core, rounding, mass, J),
    )


def _geometry(
    model: Model,
    features: list[ContactFeatures],
    solids: Array,
    core: Array,
    rounding: Array,
    mass: Array,
    J: Array,
) -> BodyGeometry:
    """Boxes, features, trees, patches and half-spaces; of half-spaces the radius becomes 0."""
    n = len(features)
    centre, half, normal = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    is_half_space = np.zeros(n, np.uint8)
    for i, one in enumerate(features):
        shape = model.bodies[i].shape
        if isinstance(shape, HalfSpace):
            is_half_space[i], normal[i], core[i] = 1, shape.unit_normal, 0.0
        elif len(one.surface.vertices):
            lower, upper = one.surface.bounds
            centre[i], half[i] = (lower + upper) / 2, (upper - lower) / 2 + rounding[i]
            if solids[i, 0] > 0.0:
                lower, upper = _box_of(solids[i])
                centre[i], half[i] = (lower + upper) / 2, (upper - lower) / 2
        elif solids[i, 0] > 0.0:
            lower, upper = _box_of(solids[i])
            centre[i], half[i] = (lower + upper) / 2, (upper - lower) / 2
        elif mass[i] > 0.0:  # no surface: as large as its mass is spread
            half[i] = np.sqrt(np.trace(J[i]) / mass[i])
    flat = _flat_features(features, rounding, solids)
    rims = rims_of(features, flat.first, solids)
    trees = _flat_trees(features, rounding, solids, len(rims[1]) > 0)
    return BodyGeometry(
        core + rounding, core, centre, half, rounding, flat, trees,
        _flat_patches(features, flat.first, rims), HalfSpaces(is_half_space, normal),
    )  # fmt: skip


def _features(model: Model) -> tuple[list[ContactFeatures], Array]:
    """Surfaces with their trees, shared by bodies that look the same, and their radii (n,) [m].

    Half-spaces and solids of revolution have no surface.
    """
    shared = SharedFeatures()
    empty = ContactFeatures(NO_SURFACE)
    features, rounding = [], np.zeros(model.n_bodies)
    for i, body in enumerate(model.bodies):
        if isinstance(body.shape, HalfSpace):
            _refuse_rotation(body)
            features.append(empty)
            continue
        solid = solid_of(body)
        if solid is not None and solid[0] == EVERYWHERE:
            features.append(empty)
            continue
        one, rounding[i] = shared.of(body)
        features.append(one)
    return features, rounding


def _solids(model: Model) -> Array:
    """(n, 7) rows of `solid_of`, zero for all others."""
    rows = np.zeros((model.n_bodies, 7))
    for i, body in enumerate(model.bodies):
        solid = solid_of(body)
        if solid is not None:
            rows[i] = solid
    return rows


def _farthest(solids: Array) -> Array:
    """(n,) [m] of the farthest point of each solid."""
    low, high = np.hypot(solids[:, 1], solids[:, 2]), np.hypot(solids[:, 3], solids[:, 4])
    farthest: Array = np.maximum(low, high) + solids[:, 5]
    return farthest


def _box_of(solid: Array) -> tuple[Array, Array]:
    """The box around a solid, from its centre [m]."""
    _, z0, r0, z1, r1, tube, _ = solid
    r = max(r0, r1) + tube
    return np.array([-r, -r, z0 - tube]), np.array([r, r, z1 + tube])


def _refuse_rotation(body: CheckedBody) -> None:
    rotates = bool(np.any(body.angular_velocity))
    if body.trajectory is not None:
        rotates |= bool(np.any(body.trajectory.pose(0.0)[1] != body.trajectory.pose(1e-3)[1]))
    if rotates:
        raise InputError(
            f"half-space {quote(body.name)} must not rotate under contact method 'ipc'; "
            "use a large box instead"
        )


def _inertia(model: Model, dynamic: Any, driven: Any, radius: Array) -> tuple[Array, Array]:
    """Mass and second moment J = tr(I)/2 1 - I; of driven bodies a penalty."""
    mass, J = np.where(dynamic, model.mass, 0.0), np.zeros_like(model.inertia)
    inertia = model.inertia[dynamic]
    J[dynamic] = np.trace(inertia, axis1=1, axis2=2)[:, None, None] / 2 * np.eye(3) - inertia
    heaviest = float(np.max(mass[dynamic])) if np.any(dynamic) else 1.0
    mass[driven] = DRIVEN_PENALTY * heaviest
    size = np.maximum(radius[driven], 1e-3 * float(np.max(radius, initial=1.0)))
    J[driven] = (mass[driven] * size**2)[:, None, None] / 5 * np.eye(3)
    return mass, J


def _groups(bodies: tuple[CheckedBody, ...], touching: bool) -> Any:
    if not touching:
        return np.zeros(len(bodies), np.int32)
    names = sorted({body.group for body in bodies if body.group is not None})
    numbers = {name: k for k, name in enumerate(names)}
    return np.array([numbers.get(body.group or "", -1) for body in bodies], np.int32)


def _flat_features(features: list[ContactFeatures], rounding: Array, solids: Array) -> Features:
    """Vertices, edges and faces of all bodies, one after another."""
    n = len(features)
    surfaces = [one.surface for one in features]
    counts = np.array(
        [
            [len(s.vertices), len(s.edges), len(s.faces), len(s.wires), len(s.points)]
            for s in surfaces
        ]
    ).reshape(n, 5)
    first = np.zeros((n + 1, 5), np.int32)
    first[1:] = np.cumsum(counts, axis=0)
    known = {id(s): _numbers_of(s.wires, s.edges) for s in {id(s): s for s in surfaces}.values()}
    wires = [known[id(s)] + first[i, 1] for i, s in enumerate(surfaces)]
    return Features(
        first=first,
        vertices=_concatenated([s.vertices for s in surfaces], (3,), np.float64),
        vertex_body=np.repeat(np.arange(n, dtype=np.int32), counts[:, 0]),
        edges=_concatenated([s.edges + first[i, 0] for i, s in enumerate(surfaces)], (2,)),
        faces=_concatenated([s.faces + first[i, 0] for i, s in enumerate(surfaces)], (3,)),
        wires=_concatenated(wires, ()),
        points=_concatenated([s.points + first[i, 0] for i, s in enumerate(surfaces)], ()),
        vertex_radius=np.repeat(rounding, counts[:, 0]) if np.any(rounding) else np.zeros(0),
        solids=solids if np.any(solids) else np.zeros((0, 7)),
        owners=_face_owners(features, first, solids),
    )


def _face_owners(features: list[ContactFeatures], first: Any, solids: Array) -> FaceOwners:
    """Who owns what on bodies with many faces; empty rows where there is none."""
    known: dict[int, OwnedFeatures | None] = {}
    for i, one in enumerate(features):
        if len(one.surface.faces) >= MANY_FACES and id(one) not in known and not solids[i, 0]:
            known[id(one)] = owned_features(one.surface, one.patches)
    by_faces = np.array([known.get(id(one)) is not None for one in features], np.uint8)
    if not np.any(by_faces):
        nothing = np.zeros(0, np.uint8)
        return FaceOwners(by_faces, nothing, np.zeros((0, 3), np.int32), nothing)
    owned = np.zeros(first[-1, FACES], np.uint8)
    sides = np.zeros((first[-1, FACES], 3), np.int32)
    shares = np.zeros(first[-1, EDGES], np.uint8)
    for i, one in enumerate(features):
        owns = known.get(id(one))
        if owns is not None:
            faces = slice(first[i, FACES], first[i + 1, FACES])
            owned[faces], sides[faces] = owns.owned, owns.sides + first[i, EDGES]
            shares[first[i, EDGES] : first[i + 1, EDGES]] = owns.shares
    return FaceOwners(by_faces, owned, sides, shares)


def _flat_trees(
    features: list[ContactFeatures], rounding: Array, solids: Array, any_rims: bool
) -> Trees:
    """The trees of all bodies, one after another; bodies of one shape share theirs.

    Boxes are those of the cores, slabs have the radius of round features: all features of a body
    have the same, and bodies share trees where they share a shape, so its radius too. The box of a
    solid of revolution is that of all its points, its rounding 0. A ring has one where there are
    patches that it may roll on.
    """
    placed: dict[int, list[int]] = {}
    boxes, right, nodes = [np.zeros((0, 6))], [np.zeros(0, np.int32)], 0
    slabs = [np.zeros((0, COLUMNS))]
    roots = np.full((len(features), 7), -1, np.int32)
    for i, one in enumerate(features):
        if id(one) not in placed:
            placed[id(one)] = []
            normals = vertex_normals(one.surface.vertices, one.surface.faces)
            for tree in _trees(one):
                placed[id(one)].append(nodes if len(tree.right) else -1)
                boxes.append(tree.boxes)
                right.append(tree.right)
                slabs.append(slabs_of(tree, normals, rounding[i]))
                nodes += len(tree.right)
        roots[i, :5] = placed[id(one)]
        if solids[i, 0] == EVERYWHERE or (solids[i, 0] > 0.0 and any_rims):  # a tree of one leaf
            roots[i, SOLIDS if solids[i, 0] == EVERYWHERE else RINGS] = nodes
            box = np.concatenate(_box_of(solids[i]))[None]
            boxes.append(box)
            right.append(np.array([-1], np.int32))
            slabs.append(slabs_of_boxes(box))
            nodes += 1
    return Trees(
        roots, np.concatenate(boxes), np.concatenate(right).astype(np.int32), np.concatenate(slabs)
    )


def _flat_patches(
    features: list[ContactFeatures], first: Any, rims: tuple[Any, Array]
) -> CoplanarPatches:
    """Which vertices, edges and faces have a barrier, and which share one."""
    sides = [
        np.where(one.patches.side >= 0, one.patches.side + first[i, 1], -1)
        for i, one in enumerate(features)
    ]
    return CoplanarPatches(
        corner=_concatenated([one.patches.corner for one in features], (), np.uint8),
        side=_concatenated(sides, ()),
        patch=_concatenated(
            [one.patches.patch + first[i, 2] for i, one in enumerate(features)], ()
        ),
        inner=_concatenated([one.patches.open for one in features], (), np.uint8),
        divided=np.array([one.patches.divided for one in features], np.uint8),
        rim_first=rims[0],
        rim=rims[1],
    )


def _trees(one: ContactFeatures) -> tuple[Bvh, ...]:
    """In the order of the columns of `first`."""
    return one.corner_tree, one.edge_tree, one.face_tree, one.wire_tree, one.point_tree


def _numbers_of(wires: Any, edges: Any) -> Any:
    """Which edges the wires are."""
    width = int(edges.max(initial=0)) + 1
    keys = edges[:, 0].astype(np.int64) * width + edges[:, 1]  # ascending, as edges are
    return np.searchsorted(keys, wires[:, 0].astype(np.int64) * width + wires[:, 1])


def _concatenated(parts: list[Any], shape: tuple[int, ...], dtype: Any = np.int32) -> Any:
    rows = [np.asarray(part).reshape(-1, *shape) for part in parts]
    return np.ascontiguousarray(np.concatenate([np.zeros((0, *shape)), *rows]), dtype=dtype)
