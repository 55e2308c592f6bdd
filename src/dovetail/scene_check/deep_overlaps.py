"""Bodies that start deep inside each other, where a run is not refused for it.

Distance fields and impulses push bodies apart that overlap slightly. Deeper than a quarter of the
thinner body nothing says which way is out, so no contact acts there. Which pairs are examined
exactly is decided by the boxes of their surfaces: bodies are no deeper in each other than these
(separating axis test: Gottschalk, Lin, Manocha, OBBTree, SIGGRAPH 1996).
"""

from collections.abc import Sequence

import numpy as np

from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes import HalfSpace
from dovetail.model.values import Array, quote
from dovetail.scene_check.finding import Finding
from dovetail.scene_check.placed_body import PlacedBody

DEEP = 0.05  # of the thinner body
MAX_NAMED = 3  # pairs
PARALLEL = 1e-6  # length of the cross product of two unit edges that give no axis


def find_deep_overlaps(
    bodies: list[PlacedBody], linked: set[frozenset[str]], excluded: set[frozenset[str]]
) -> list[Finding]:
    """Warnings about pairs that may collide and start deep in each other."""
    pairs = deep_pairs([body.body for body in bodies], linked | excluded)
    if not pairs:
        return []
    from dovetail.scene_check.overlaps import find_overlaps  # with the kernels of exact tests

    concerned = {name for pair in pairs for name in pair}
    found = [
        one for one in find_overlaps(
            [body for body in bodies if body.name in concerned], linked, excluded
        )
        if one.topic in ("overlap", "inside") and one.severity != "note"
    ]  # fmt: skip
    wanted = set(map(frozenset, pairs))
    found = [one for one in found if frozenset(one.subject) in wanted]
    said = [_warning(one) for one in found[:MAX_NAMED]]
    if len(found) > MAX_NAMED:
        more = f"{len(found) - MAX_NAMED} more pairs of bodies overlap at the start"
        said.append(Finding("warning", "overlap", (), f"{more}; `dovetail check` names them"))
    return said


def _warning(found: Finding) -> Finding:
    first, second = found.subject
    what, _, advice = found.message.rpartition("; ")
    if found.topic == "overlap":
        what = f"bodies {quote(first)} and {quote(second)} overlap at the start"
    message = f"{what}, and bodies deep inside each other find no contact; {advice}"
    return Finding("warning", found.topic, found.subject, message)


def deep_pairs(bodies: Sequence[CheckedBody], apart: set[frozenset[str]]) -> list[tuple[str, str]]:
    """Names of pairs whose boxes are deeper in each other than DEEP, one of which moves.

    Without those that are `apart`.
    """
    return [pair for pair in _deep_pairs(bodies) if frozenset(pair) not in apart]


def _deep_pairs(bodies: Sequence[CheckedBody]) -> list[tuple[str, str]]:
    planes = [body for body in bodies if isinstance(body.shape, HalfSpace)]
    solid = [
        body for body in bodies
        if len(body.surface.vertices) and not isinstance(body.shape, HalfSpace)
    ]  # fmt: skip
    found = [
        (plane.name, body.name)
        for plane in planes
        for body in solid
        if body.motion == "dynamic" and _below(plane, body) > DEEP * _thickness(body)
    ]
    if len(solid) < 2:
        return found
    pairs = _near(np.array([_bounds(body) for body in solid]))
    moves = np.array([body.motion == "dynamic" for body in solid])
    pairs = pairs[moves[pairs[:, 0]] | moves[pairs[:, 1]]]
    if len(pairs):
        thin = np.array([_thickness(body) for body in solid])[pairs].min(axis=1)
        deep = pairs[_depths(solid, pairs) > DEEP * thin]
        found += [(solid[i].name, solid[j].name) for i, j in deep.tolist()]
    return found


def _thickness(body: CheckedBody) -> float:
    lower, upper = body.surface.bounds
    return float(np.min(upper - lower))


def _bounds(body: CheckedBody) -> Array:
    """(6,) [m] of the vertices in the world: lower, upper."""
    corners = body.surface.vertices @ body.rotation.T + body.position
    return np.concatenate((corners.min(axis=0), corners.max(axis=0)))


def _below(plane: CheckedBody, body: CheckedBody) -> float:
    """[m] how far a body reaches into a half-space."""
    shape = plane.shape
    assert isinstance(shape, HalfSpace)
    normal = plane.rotation @ shape.unit_normal
    heights = body.surface.vertices @ (body.rotation.T @ normal)
    return float(normal @ (plane.position - body.position) - heights.min())


def _near(boxes: Array) -> Array:
    """(k, 2) pairs of boxes (n, 6) = (lower, upper) [m] that overlap, by a sweep."""
    axis = int(np.argmax(np.var(boxes[:, :3] + boxes[:, 3:], axis=0)))
    order = np.argsort(boxes[:, axis], kind="stable")
    lower, upper = boxes[order, axis], boxes[order, 3 + axis]
    reach = np.searchsorted(lower, upper, side="right") - np.arange(len(order)) - 1
    first = np.repeat(np.arange(len(order)), reach)
    step = np.arange(len(first)) - np.repeat(np.cumsum(reach) - reach, reach)
    a, b = order[first], order[first + 1 + step]
    meet = np.all((boxes[a, :3] < boxes[b, 3:]) & (boxes[b, :3] < boxes[a, 3:]), axis=1)
    return np.sort(np.column_stack((a[meet], b[meet])), axis=1)


def _depths(bodies: Sequence[CheckedBody], pairs: Array) -> Array:
    """(k,) [m] depth of the boxes of pairs (k, 2) in each other, the least of 15 axes."""
    R = np.array([body.rotation for body in bodies])
    bounds = np.array([body.surface.bounds for body in bodies])  # (n, 2, 3)
    x = np.array([body.position for body in bodies])
    middle = x + np.einsum("nij,nj->ni", R, bounds.mean(axis=1))
    half = 0.5 * (bounds[:, 1] - bounds[:, 0])
    a, b = pairs.T
    edges_a, edges_b = R[a].transpose(0, 2, 1), R[b].transpose(0, 2, 1)
    crossed = np.cross(edges_a[:, :, None], edges_b[:, None, :]).reshape(-1, 9, 3)
    length = np.linalg.norm(crossed, axis=2, keepdims=True)
    crossed = crossed / np.where(length > PARALLEL, length, 1.0)
    axes = np.concatenate((edges_a, edges_b, crossed), axis=1)  # (k, 15, 3)
    apart = np.abs(np.einsum("kci,ki->kc", axes, middle[a] - middle[b]))
    reach = np.einsum("kcj,kj->kc", np.abs(axes @ R[a]), half[a])
    reach += np.einsum("kcj,kj->kc", np.abs(axes @ R[b]), half[b])
    depth = reach - apart
    depth[:, 6:][length[:, :, 0] <= PARALLEL] = np.inf
    return np.asarray(depth.min(axis=1))
