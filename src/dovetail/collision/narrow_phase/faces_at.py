"""A point beside a sharp edge or corner of a body: which face of it the point will meet.

The direction to the nearest point of the edge is a bound on the motion that is too tight: a peg
above its hole is beside the rim by less than it is above it, so it would land on the rim. Of the
faces at the edge the one that the point crosses last, if it crosses all, is where it enters the
body; while it stays in front of any one of them it is outside.
"""

import math

from dovetail.collision.narrow_phase.surfaces import supports
from dovetail.linalg.vec3 import add, cross, dot, load3, norm, sub
from dovetail.runtime.jit import jit_in_place, jit_within

NO_FACE, PASSED = -1, -2
LATER = 2.0  # steps: a face that is crossed after them is not met
BELOW = 1e-6  # sine up to which edges may rise above the plane of a face at their corner
MOVES = 1e-9  # of the bodies' own speeds: a relative motion that is more than rounding
MAX_STEEPNESS = 0.5  # sine by which an edge at a touching vertex may lead into the other body


@jit_within
def motion_at(pose, i, p):
    """[m] of the point p of body i in the step."""
    w = (pose.motion[i, 3], pose.motion[i, 4], pose.motion[i, 5])
    v = (pose.motion[i, 0], pose.motion[i, 1], pose.motion[i, 2])
    return add(v, cross(w, sub(p, load3(pose.origin, i))))


@jit_within
def _is_at(surfaces, face, vertex):
    """Whether `vertex` is a corner of `face`."""
    return (
        surfaces.face[face, 0] == vertex
        or surfaces.face[face, 1] == vertex
        or surfaces.face[face, 2] == vertex
    )


@jit_within
def _bounds(surfaces, pose, vertex, n):
    """Whether the body near `vertex` lies behind the plane through it with the normal n."""
    p = load3(pose.vertex, vertex)
    for k in range(surfaces.first_neighbour[vertex], surfaces.first_neighbour[vertex + 1]):
        e = sub(load3(pose.vertex, surfaces.neighbour[k]), p)
        if dot(e, n) > BELOW * norm(e):
            return False
    return True


@jit_in_place
def face_met(surfaces, pose, i, vertex, j, corner, second):
    """The face at `corner` of body j, at its edge to `second` if that is >= 0, for a vertex of i.

    The vertex is in front of it and crosses it last of all, or never. PASSED: it stays in front of
    a face that it cannot touch, as the edges at it lead through the face; edges touch then. NO_FACE
    where the vertex does not move relative to body j, or no such face bounds body j there.
    """
    p = load3(pose.vertex, vertex)
    va, vb = motion_at(pose, i, p), motion_at(pose, j, p)
    motion = sub(va, vb)
    if not norm(motion) > MOVES * (norm(va) + norm(vb)):
        return NO_FACE
    best, latest, highest = NO_FACE, -1.0, 0.0
    at = load3(pose.vertex, corner)
    for k in range(surfaces.first_face_at[corner], surfaces.first_face_at[corner + 1]):
        face = surfaces.face_at[k]
        if second >= 0 and not _is_at(surfaces, face, second):
            continue
        n = load3(pose.normal, face)
        height, rate = dot(n, sub(p, at)), dot(n, motion)
        if height < 0.0:
            continue
        crossed = height / -rate if rate < 0.0 else math.inf
        if crossed < latest or (crossed == latest and height <= highest):
            continue
        if second < 0 and not _bounds(surfaces, pose, corner, n):
            continue
        best, latest, highest = face, crossed, height
    if best >= 0 and not supports(surfaces, pose, vertex, load3(pose.normal, best), MAX_STEEPNESS):
        return PASSED if latest > LATER else NO_FACE
    return best
