"""Is one part inside another? Decided once: it cannot change while the surfaces do not meet."""

import numpy as np

from dovetail.collision.bvh.tree import simplices_of
from dovetail.collision.mesh.containment import INSIDE, one_vertex_per_piece, windings
from dovetail.model.checked_body import CheckedBody
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.prove.motion.chains import PairMotion
from dovetail.prove.pairs.search import pose_of_b


def pose_at(motion: PairMotion, at: Array) -> tuple[Array, Array]:
    """Rotation (3, 3) and position (3,) [m] of b at parameters `at`, a in its initial pose."""
    values = motion.coordinates(at)
    R, x = pose_of_b(motion.chain, values, np.zeros((len(values), 6)))
    return np.array(R), np.array(x)


def one_inside_the_other(model: Model, motion: PairMotion, at: Array) -> bool:
    """Whether a piece of one of the two lies inside the other, whose surfaces do not meet."""
    a, b = model.bodies[motion.a], model.bodies[motion.b]
    R_b, x_b = pose_at(motion, at)
    R_a, x_a = model.rotation[motion.a], model.position[motion.a]
    b_in_a = (_pieces(b) @ R_b.T + x_b - x_a) @ R_a
    a_in_b = (_pieces(a) @ R_a.T + x_a - x_b) @ R_b
    return _inside(a, b_in_a) or _inside(b, a_in_b)


def _pieces(body: CheckedBody) -> Array:
    """(n, 3) [m] one vertex of each connected piece."""
    surface = body.surface
    return surface.vertices[one_vertex_per_piece(len(surface.vertices), simplices_of(surface))]


def _inside(body: CheckedBody, points: Array) -> bool:
    assert body.shape is not None
    surface = body.surface
    low, high = surface.bounds
    near = points[np.all((points >= low) & (points <= high), axis=1)]
    if not len(near) or body.shape.mass_properties().dimension != 3:
        return False
    return bool(np.any(windings(surface.vertices, surface.faces, near) > INSIDE))
