"""The records that the kernels of penalty contact take, and the columns of their arrays."""

from typing import NamedTuple

from dovetail.collision.sdf.deepest_point import PartArrays
from dovetail.collision.sdf.evaluate import FieldArrays
from dovetail.collision.sdf.point_octree import PointTree
from dovetail.runtime.records import FloatArray, Int32Array, Int64Array

# columns of the parameters of a pair's force law, (n_pairs, N_PARAMETERS)
STIFFNESS, EXPONENT, ROUNDING, MU_S, MU_D, V_S, V_D = 0, 1, 2, 3, 4, 5, 6
N_PARAMETERS = 7

# entries of `VerletList.counts` and of `VerletList.validity`
POINTS, EDGES, FACES = 0, 1, 2


class DetectedPoints(NamedTuple):
    """m contacts as `ContactRows`, with what the law's own force at each follows from."""

    point_body: Int32Array  # (m,)
    field_body: Int32Array  # (m,)
    pair: Int32Array  # (m,)
    depth: FloatArray  # (m,) [m]
    point: FloatArray  # (m, 3) [m] world
    gradient: FloatArray  # (m, 3) of the field body's field, world axes
    impact_speed: FloatArray  # (m,) [m/s] of its pair
    damping: FloatArray  # (m,) [s/m] a of f_N = k d^n (1 + a d_dot)
    elastic: FloatArray  # (m, 3) [N] on the point body at rest


class Spheres(NamedTuple):
    """n bodies: those that are spheres, and the analytic shapes that make up their fields."""

    radius: FloatArray  # (n,) [m]
    centre: FloatArray  # (n, 3) [m] in the body's frame
    shapes: FloatArray  # (s, SHAPE_COLUMNS) as in FieldArrays
    first_shape: Int32Array  # (n + 1,): body i has the shapes first_shape[i] to first_shape[i + 1]


class SampledSurface(NamedTuple):
    """Points, edges and faces with which a body is sought in fields, in its own frame."""

    points: PointTree  # its detection points
    corners: FloatArray  # (n, 3) [m] that the parts name
    edges: PartArrays
    edge_tree: PointTree  # of their middles
    faces: PartArrays
    face_tree: PointTree
    radius: float  # [m] no point is further from the origin


class PartnerField(NamedTuple):
    """The field of the other body of a pair, with its resolution."""

    field: FieldArrays
    feature: float  # [m] the thinnest part of its body
    noise: float  # [m] ripples of the field
    size: float  # [m] of the smaller body of the two


class VerletList(NamedTuple):
    """Places in the octrees of the points, edges and faces near a field, at one relative pose."""

    pose: FloatArray  # (12,) rotation by rows, translation [m]
    validity: FloatArray  # (2,) as in `collision.sdf.verlet_list`
    counts: Int64Array  # (3,) POINTS, EDGES, FACES; the first is -1 before anything is listed
    points: Int32Array  # (n_points,)
    edges: Int32Array  # (n_edges,)
    faces: Int32Array  # (n_faces,)
    edge_depths: FloatArray  # (n_edges,) [m] by number of the edge, 0 for those not listed


class SurfacePair(NamedTuple):
    """A body sought in the field of another, with the list kept between steps."""

    surface: SampledSurface
    partner: PartnerField
    near: VerletList


class DerivativeBlocks(NamedTuple):
    """Blocks of S = d(wrench) / d(velocity) of n bodies and m pairs of them in contact."""

    own: FloatArray  # (n, 6, 6) on the diagonal
    bodies: Int32Array  # (m, 2) a, b
    across: FloatArray  # (m, 2, 6, 6): [k, 0] at (a, b), [k, 1] at (b, a)
