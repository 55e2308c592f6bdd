"""Constants of a model and its motion, as the intersection-free step takes them.

n bodies, m of them with unknowns. Vertices, edges and faces of all bodies lie one after another;
a feature is an index into these arrays.
"""

from typing import NamedTuple

from dovetail.runtime.records import ByteArray, FloatArray, Int32Array, Int64Array, bundler

POINT_FACE, EDGE_EDGE, POINT_EDGE, POINT_POINT, POINT_PLANE = range(5)  # kinds of candidates
# those of a solid of revolution and a half-space, a face, an edge, a vertex, another solid
SOLID_PLANE, SOLID_FACE, SOLID_EDGE, SOLID_POINT, SOLID_SOLID = range(5, 10)
RING_FACE = 10  # of a ring, round where it rolls, and a face
VERTICES, EDGES, FACES, WIRES, POINTS = range(5)  # columns of `Features.first` and `Trees.root`
SOLIDS, RINGS = 5, 6  # two more columns of `Trees.root`
ONLY_OVER_PLANES, EVERYWHERE = 1.0, 2.0  # where a body is a solid of revolution


class Poses(NamedTuple):
    """Positions and rotations of n bodies."""

    x: FloatArray  # (n, 3) [m]
    R: FloatArray  # (n, 3, 3)


class FaceOwners(NamedTuple):
    """Which face each vertex and edge of a body with many faces belongs to.

    See `candidates.face_pairs`. Rows of all faces and edges there are; none where no body has many.
    """

    by_faces: ByteArray  # (n,) 1 for bodies with many faces and nothing else
    owned: ByteArray  # (n_faces,) bit k: owns corner k, bit 3 + k: owns side k, bit 6: shares
    sides: Int32Array  # (n_faces, 3) the edges from corner k to k + 1
    shares: ByteArray  # (n_edges,) 1 for edges of a straight side of several


class Features(NamedTuple):
    """Vertices, edges and faces of all bodies."""

    first: Int32Array  # (n + 1, 5) where the body's vertices, edges, faces, wires, points begin
    vertices: FloatArray  # (n_vertices, 3) [m] body axes
    vertex_body: Int32Array  # (n_vertices,)
    edges: Int32Array  # (n_edges, 2)
    faces: Int32Array  # (n_faces, 3)
    wires: Int32Array  # (n_wires,) edges that belong to no face
    points: Int32Array  # (n_points,) vertices that belong to no edge
    vertex_radius: FloatArray  # (n_vertices,) [m] of round features; (0,) where there are none
    solids: FloatArray  # (n, 7) of `round_shapes.solid_of`; (0, 7) where there are none
    owners: FaceOwners


class Trees(NamedTuple):
    """Bounding volume hierarchies of the features of each body."""

    root: Int32Array  # (n, 7) where each tree begins, -1 where there is none
    boxes: FloatArray  # (n_nodes, 6) [m]
    right: Int32Array  # (n_nodes,) counted from the tree's root
    slabs: FloatArray  # (n_nodes, 7) see `collision.bvh.slabs`


class CoplanarPatches(NamedTuple):
    """Which features have a barrier, and which share one: see `candidates.coplanar`."""

    corner: ByteArray  # (n_vertices,) 1 for vertices that have a barrier
    side: Int32Array  # (n_edges,) the lowest edge of the same straight side, -1 inside a patch
    patch: Int32Array  # (n_faces,) the lowest face of the same coplanar convex patch
    inner: ByteArray  # (n_faces,) bit k: side k is inside its patch, bit 3 + k: corner k is
    divided: ByteArray  # (n,) bit 0: has patches of several faces, bit 1: sides of several edges
    rim_first: Int32Array  # (n_faces + 1,) rows of `rim` by lowest face; (0,) where no ring is
    rim: FloatArray  # (k, 4) of `solids.rims`: of each wide patch its plane, then its sides


class HalfSpaces(NamedTuple):
    """Bodies that are half-spaces."""

    is_half_space: ByteArray  # (n,)
    normal: FloatArray  # (n, 3) body axes


class BodyGeometry(NamedTuple):
    """Shapes of all bodies."""

    radius: FloatArray  # (n,) [m] distance of the farthest point
    core_radius: FloatArray  # (n,) [m] of the farthest vertex: rotations move no feature by more
    box_centre: FloatArray  # (n, 3) [m] of the box around the shape, body axes
    box_half: FloatArray  # (n, 3) [m] half its sides
    rounding: FloatArray  # (n,) [m] the largest radius of its features
    features: Features
    trees: Trees
    patches: CoplanarPatches
    half_spaces: HalfSpaces


class IpcBodies(NamedTuple):
    """Inertia, freedoms and shapes of all bodies."""

    mass: FloatArray  # (n,) [kg]; of a driven body the penalty on the distance from its target
    J: FloatArray  # (n, 3, 3) [kg m^2] second moment, body axes
    free: ByteArray  # (n, 6) which components of the twist can move
    slot: Int32Array  # (n,) index among the bodies with unknowns, -1 without
    owner: Int32Array  # (m,) the body of each slot
    dynamic: ByteArray  # (n,) of two bodies in contact one must be dynamic
    group: Int32Array  # (n,) bodies of one group >= 0 do not touch
    connected: Int64Array  # (k,) ascending a n + b of bodies a < b with a joint: do not touch
    geometry: BodyGeometry


class IpcMotion(NamedTuple):
    """The motion of n bodies and the loads on them: input and output of a step."""

    x: FloatArray  # (n, 3) [m]
    R: FloatArray  # (n, 3, 3)
    v: FloatArray  # (n, 3) [m/s]
    omega: FloatArray  # (n, 3) [rad/s] body axes
    rate: FloatArray  # (n, 3, 3) [1/s] dR/dt
    force: FloatArray  # (n, 3) [N] without contact, world axes
    torque: FloatArray  # (n, 3) [N m] about the centre of mass, world axes
    asleep: ByteArray  # (n,) see `islands.sleeping`
    sleeping_island: Int32Array  # (n,) island of a sleeping body
    sleeping_loads: FloatArray  # (n, 7) force [N], torque [N m] and step [s] when it fell asleep
    sleep_counts: Int64Array  # (3,) how many sleep, fell asleep and woke


bundle_geometry = bundler(BodyGeometry)
bundle_ipc_bodies = bundler(IpcBodies)
bundle_motion = bundler(IpcMotion)


def bundle_bodies(bodies: IpcBodies):
    """`bodies` as one pointer, its geometry as another."""
    return bundle_ipc_bodies(*bodies._replace(geometry=bundle_geometry(*bodies.geometry)))
