"""Bodies that overlap, touch or contain one another at the start."""

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.collision.bvh.tree import PairBuffer
from dovetail.collision.intersection.freeing_translation import freeing_translation
from dovetail.collision.intersection.overlap_depth import overlap_depths
from dovetail.collision.intersection.surfaces import intersecting_pairs
from dovetail.collision.mesh.containment import INSIDE, windings
from dovetail.model.shapes import HalfSpace
from dovetail.model.values import Array, quote
from dovetail.scene_check.finding import (
    MAX_KEPT,
    SHOWN,
    Finding,
    Severity,
    count_of,
    numbered,
    place,
    points,
)
from dovetail.scene_check.placed_body import PlacedBody

MAX_MEASURED = 2000  # pairs of triangles whose depth is measured
SPREAD = 5  # points a side, where a common volume is looked for
ROUNDING = 1e-12  # of the distance to the origin: what world coordinates may be off by


def find_overlaps(
    bodies: list[PlacedBody],
    linked: set[frozenset[str]],
    excluded: set[frozenset[str]],
    buffer: PairBuffer | None = None,
) -> list[Finding]:
    """All pairs of bodies with a common point, but those whose contact is `excluded`.

    `linked` are the pairs that joints connect.
    """
    solid = [body for body in bodies if body.has_surface and not body.unbounded]
    half_spaces = [body for body in bodies if body.unbounded]
    buffer = buffer or PairBuffer()
    found: list[Finding | None] = []
    if solid:
        near = overlapping_boxes(np.array([body.box for body in solid]))
        for i, j in near[np.lexsort((near[:, 1], near[:, 0]))].tolist():
            if frozenset((solid[i].name, solid[j].name)) not in excluded:
                found.append(_pair(solid[i], solid[j], linked, buffer))
    for half_space in half_spaces:
        for body in solid:
            if frozenset((half_space.name, body.name)) not in excluded:
                found.append(_half_space(half_space, body, linked))
    return [finding for finding in found if finding is not None]


def _pair(
    a: PlacedBody, b: PlacedBody, linked: set[frozenset[str]], buffer: PairBuffer
) -> Finding | None:
    pairs = intersecting_pairs(a.placed, b.placed, buffer)
    if not len(pairs):
        for outer, inner in ((a, b), (b, a)):
            if outer.closed and holds(outer, inner.samples):
                return _contained(outer, inner, linked)
        return None
    depth = _depth(a, b, pairs)
    rounding = ROUNDING * float(np.max(np.abs([a.box, b.box])))
    touching = depth <= rounding and not _share_volume(a, b, rounding)
    severity = _severity(a, b, linked, "warning" if touching else "error")
    where = a.locations(pairs[:SHOWN, 0])
    what = f"{_named(a, b)} {'touch' if touching else 'overlap'} at the start"
    advice = (
        "leave a small gap if they should be able to part under IPC contact"
        if touching
        else _how_to_part(a, b, pairs, buffer)
    )
    return Finding(
        severity,
        "touching" if touching else "overlap",
        (a.name, b.name),
        f"{what}: {count_of(len(pairs), 'pair')} of triangles meet (numbers "
        f"{numbered(pairs)}), first near {place(where[0])}; {advice}"
        f"{_why_mild(a, b, linked)}",
        tuple(map(tuple, pairs[:MAX_KEPT].tolist())),
        points(where),
    )


def _how_to_part(a: PlacedBody, b: PlacedBody, pairs: NDArray[np.int32], buffer: PairBuffer) -> str:
    """The translation that frees the two, of the one that is not static."""
    if b.body.motion == "static" and a.body.motion != "static":
        a, b, pairs = b, a, pairs[:, ::-1]
    freeing = freeing_translation(a.placed, b.placed, np.ascontiguousarray(pairs), buffer)
    if freeing is None:
        return "move them apart"
    move = f"{place(freeing.translation)}, {freeing.length:.3g} m,"
    return f"moving {quote(b.name)} by {move} frees them"


def _depth(a: PlacedBody, b: PlacedBody, pairs: NDArray[np.int32]) -> float:
    rows = pairs[:MAX_MEASURED]
    corners_a = a.placed.vertices_world[a.placed.tree.simplices[rows[:, 0]]]
    corners_b = b.placed.vertices_world[b.placed.tree.simplices[rows[:, 1]]]
    return float(np.max(overlap_depths(corners_a, corners_b)))


def _share_volume(a: PlacedBody, b: PlacedBody, rounding: float) -> bool:
    """Surfaces that only touch may still enclose a common volume, as flush stacked boxes do.

    Looks at points spread over the common part of the two boxes.
    """
    lower, upper = np.maximum(a.box[:3], b.box[:3]), np.minimum(a.box[3:], b.box[3:])
    if not (a.closed and b.closed) or np.min(upper - lower) <= rounding:
        return False
    steps = (np.arange(SPREAD) + 0.437) / SPREAD
    spread = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    sampled = lower + spread * (upper - lower)
    for body in (a, b):
        around = windings(body.placed.vertices_world, body.body.surface.faces, sampled)
        sampled = sampled[np.abs(around) > INSIDE]
        if not len(sampled):
            return False
    return True


def holds(outer: PlacedBody, places: Array) -> bool:
    """The closed surface of `outer` goes around one of the places (n, 3)."""
    lower, upper = outer.box[:3], outer.box[3:]
    within = places[np.all((places > lower) & (places < upper), axis=1)]
    if not len(within):
        return False
    around = windings(outer.placed.vertices_world, outer.body.surface.faces, within)
    return bool(np.any(np.abs(around) > INSIDE))


def _contained(outer: PlacedBody, inner: PlacedBody, linked: set[frozenset[str]]) -> Finding:
    return Finding(
        _severity(outer, inner, linked, "warning"),
        "inside",
        (inner.name, outer.name),
        f"body {quote(inner.name)} starts inside the solid of body {quote(outer.name)} without "
        "crossing its surface; move it out, or give a hollow container an inner surface"
        f"{_why_mild(outer, inner, linked)}",
        (),
        points(inner.samples[:1]),
    )


def _half_space(plane: PlacedBody, body: PlacedBody, linked: set[frozenset[str]]) -> Finding | None:
    shape = plane.body.shape
    assert isinstance(shape, HalfSpace)
    normal = plane.placed.R @ shape.unit_normal
    heights = (body.placed.vertices_world - plane.placed.x) @ normal
    lowest = int(np.argmin(heights))
    rounding = ROUNDING * float(np.max(np.abs([*plane.placed.x, *body.box])))
    if heights[lowest] > rounding:
        return None
    touching = heights[lowest] >= -rounding
    below = int(np.sum(heights < -rounding))
    where = body.placed.vertices_world[lowest]
    how = (
        "touches the surface of"
        if touching
        else f"reaches {-heights[lowest]:.2g} m below the surface of"
    )
    advice = (
        "leave a small gap if it should be able to part under IPC contact"
        if touching
        else f"moving it by {place(-heights[lowest] * (1 + 1e-3) * normal)} frees it "
        f"({count_of(below, 'vertex')} below)"
    )
    return Finding(
        _severity(plane, body, linked, "warning" if touching else "error"),
        "touching" if touching else "overlap",
        (body.name, plane.name),
        f"body {quote(body.name)} {how} half-space {quote(plane.name)} at the start, deepest at "
        f"{place(where)}; {advice}{_why_mild(plane, body, linked)}",
        (),
        points([where]),
    )


def _severity(
    a: PlacedBody, b: PlacedBody, linked: set[frozenset[str]], otherwise: Severity
) -> Severity:
    if _why_mild(a, b, linked):
        return "note"
    if a.moves or b.moves:
        return otherwise
    return "note" if otherwise == "warning" else "warning"


def _why_mild(a: PlacedBody, b: PlacedBody, linked: set[frozenset[str]]) -> str:
    """Why the overlap of these two does no harm, as the end of a sentence."""
    if a.body.group is not None and a.body.group == b.body.group:
        return f" (both are of group {quote(a.body.group)}, so they do not collide)"
    if frozenset((a.name, b.name)) in linked:
        return " (a joint holds them together)"
    if a.body.motion == b.body.motion == "static":
        return " (both are static, so nothing acts between them)"
    return ""


def _named(a: PlacedBody, b: PlacedBody) -> str:
    return f"bodies {quote(a.name)} and {quote(b.name)}"
