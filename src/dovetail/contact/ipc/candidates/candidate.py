"""One candidate at a pose: the levers of its corners, and how far apart its two features are.

Levers (world axes, from the centre of the body) are computed when a candidate first asks for them
at a pose; `placed` holds the number of the pose that a vertex was last placed for.
"""

from dovetail.collision.distance.closest_points import (
    edge_edge_squared,
    point_edge_squared,
    point_triangle_squared,
)
from dovetail.collision.distance.point_plane import over_plane
from dovetail.contact.ipc.records import (
    EDGE_EDGE,
    POINT_EDGE,
    POINT_FACE,
    POINT_PLANE,
    POINT_POINT,
    POSE,
)
from dovetail.linalg.vec3 import add, load3, load33, matvec, norm_squared, store3, sub
from dovetail.runtime.jit import jit, jit_within


@jit
def begin_pose(bodies, lists, room, R):
    """Forget all levers; normals of half-spaces in world axes."""
    lists.numbers[POSE] += 1
    plane, normal, facing = bodies.plane, bodies.normal, room.facing
    for i in range(plane.shape[0]):
        if plane[i] != 0:
            store3(facing, i, matvec(load33(R, i), load3(normal, i)))


@jit_within
def place_vertex(v, stamp, placed, vertex_body, vertices, R, lever):
    """The lever of a vertex at this pose."""
    if placed[v] != stamp:
        placed[v] = stamp
        store3(lever, v, matvec(load33(R, vertex_body[v]), load3(vertices, v)))


@jit_within
def place_candidate(kind, i, j, stamp, placed, vertex_body, vertices, R, edges, faces, lever):
    """The levers of all corners of a candidate."""
    if kind == EDGE_EDGE:
        place_vertex(edges[i, 0], stamp, placed, vertex_body, vertices, R, lever)
        place_vertex(edges[i, 1], stamp, placed, vertex_body, vertices, R, lever)
    else:
        place_vertex(i, stamp, placed, vertex_body, vertices, R, lever)
    if kind == POINT_FACE:
        for k in range(3):
            place_vertex(faces[j, k], stamp, placed, vertex_body, vertices, R, lever)
    elif kind == POINT_POINT:
        place_vertex(j, stamp, placed, vertex_body, vertices, R, lever)
    elif kind != POINT_PLANE:
        place_vertex(edges[j, 0], stamp, placed, vertex_body, vertices, R, lever)
        place_vertex(edges[j, 1], stamp, placed, vertex_body, vertices, R, lever)


@jit_within
def squared_distance(kind, i, j, D, lever, edges, faces, facing):
    """D^2 [m^2] of one candidate; of a vertex under a plane -1."""
    if kind == POINT_FACE:
        return point_triangle_squared(
            load3(lever, i),
            add(load3(lever, faces[j, 0]), D),
            add(load3(lever, faces[j, 1]), D),
            add(load3(lever, faces[j, 2]), D),
        )
    if kind == EDGE_EDGE:
        return edge_edge_squared(
            load3(lever, edges[i, 0]),
            load3(lever, edges[i, 1]),
            add(load3(lever, edges[j, 0]), D),
            add(load3(lever, edges[j, 1]), D),
        )
    if kind == POINT_EDGE:
        return point_edge_squared(
            load3(lever, i), add(load3(lever, edges[j, 0]), D), add(load3(lever, edges[j, 1]), D)
        )
    if kind == POINT_PLANE:
        height = over_plane(load3(lever, i), D, load3(facing, j))[0]
        return height * height if height > 0.0 else -1.0
    return norm_squared(sub(load3(lever, i), add(load3(lever, j), D)))
