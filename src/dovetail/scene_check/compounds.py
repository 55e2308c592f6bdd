"""Parts of compounds that lie in one another, so that the mass counts a volume twice."""

from itertools import combinations

import numpy as np

from dovetail.model.shapes import Compound
from dovetail.model.shapes.compound import Placed
from dovetail.model.surface import Surface
from dovetail.model.values import Array, quote
from dovetail.scene_check.finding import Finding, merged
from dovetail.scene_check.placed_body import PlacedBody

MAX_PARTS, MAX_FACES = 30, 2000  # more are not looked at
INWARD = 1e-3  # of the way to the middle of its part: what touches is not inside
MUCH = 0.25  # of the points of a part


def find_overlapping_parts(bodies: list[PlacedBody]) -> list[Finding]:
    """Compounds whose mass comes from a density, of which a part lies for much in another one."""
    found = []
    for body in bodies:
        shape = body.body.shape
        if isinstance(shape, Compound) and body.moves and body.given.mass is None:
            pair = _overlapping(shape)
            if pair is not None:
                found.append(
                    Finding(
                        "warning",
                        "nested",
                        (body.name,),
                        f"parts {pair[0]} and {pair[1]} of the compound of body {quote(body.name)} "
                        f"overlap, and its mass of {body.body.mass:.3g} kg counts what they share "
                        "twice; place them apart with dt.Placed(shape, position=...), or give "
                        "weight=0 to one of them",
                    )
                )
    return [merged(found[0], [one.subject[0] for one in found])] if found else []


def _overlapping(compound: Compound) -> tuple[int, int] | None:
    """Numbers from 0 of the first two solid parts with weight that lie in one another."""
    parts = {
        number: _in_compound(part)
        for number, part in enumerate(compound.placed)
        if float(part.weight) > 0 and part.shape.mass_properties().dimension == 3
    }
    if len(parts) > MAX_PARTS or sum(len(part.faces) for part in parts.values()) > MAX_FACES:
        return None
    for i, j in combinations(parts, 2):
        if _meet(parts[i], parts[j]) and (
            _share(parts[i], parts[j]) > MUCH or _share(parts[j], parts[i]) > MUCH
        ):
            return i, j
    return None


def _in_compound(part: Placed) -> Surface:
    R, position = part.pose
    surface = part.shape.surface()
    return Surface(surface.vertices @ R.T + position, surface.edges, surface.faces)


def _meet(a: Surface, b: Surface) -> bool:
    (low_a, high_a), (low_b, high_b) = a.bounds, b.bounds
    return bool(np.all(low_a < high_b) and np.all(low_b < high_a))


def _share(a: Surface, b: Surface) -> float:
    """Of vertices and middles of faces of a, moved a little inward: the part that is inside b."""
    from dovetail.collision.mesh.containment import INSIDE, windings

    points = np.concatenate((a.vertices, a.vertices[a.faces].mean(axis=1)))
    inner: Array = points + INWARD * (points.mean(axis=0) - points)
    return float(np.mean(windings(b.vertices, b.faces, inner) > INSIDE))
