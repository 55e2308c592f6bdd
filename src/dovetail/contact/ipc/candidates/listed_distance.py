"""The distance by which a candidate is listed: it changes by no more than points of bodies move."""

from dovetail.contact.ipc.feature_pair import squared_distance
from dovetail.contact.ipc.records import RING_FACE
from dovetail.contact.ipc.solids.ring_faces import ring_face_bound
from dovetail.runtime.jit import jit_within


@jit_within
def listed_distance(kind, i, j, D, features):
    """As `squared_distance`; of a ring and a face a lower bound, for its lowest point can jump."""
    if kind == RING_FACE:
        return ring_face_bound(i, j, D, features)
    return squared_distance(kind, i, j, D, features)
