"""Working arrays of the intersection-free step: n bodies, m with unknowns, p pairs, c candidates.

Nothing in here is needed to go on after a step, except the memory of pairs that the lists have;
the candidate lists only save time.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.collision.bvh.slabs import COLUMNS as SLAB_COLUMNS
from dovetail.contact.ipc.candidates.records import (
    COUNTERS,
    BroadPhaseWorkspace,
    CandidateLists,
    DescentWorkspace,
    MotionScales,
    PairBarriers,
    PairMemory,
    PairState,
)
from dovetail.contact.ipc.first_iterate.records import LinearContacts, linear_contacts
from dovetail.contact.ipc.joints.records import JointArrays, bundle_joints, no_joints
from dovetail.contact.ipc.line_search.nonmonotone import HISTORY
from dovetail.contact.ipc.newton.load_terms import LoadTerms, load_terms
from dovetail.contact.ipc.newton.spring_terms import SpringTerms, no_springs
from dovetail.contact.ipc.newton.two_step import TwoStep, two_steps
from dovetail.contact.ipc.records import (
    FACES,
    BodyGeometry,
    CoplanarPatches,
    FaceOwners,
    Features,
    HalfSpaces,
    IpcBodies,
    IpcMotion,
    Poses,
    Trees,
)
from dovetail.contact.ipc.report import COLUMNS
from dovetail.linalg.block_cholesky.workspace import BlockFactor, factor_workspace
from dovetail.runtime.records import ByteArray, FloatArray, Int32Array, Int64Array, bundler

STACK = 512  # two trees of depth 48 + 31 each, see `bvh.build`
LINEAR_CONTACTS = 48  # per body that the first iterate knows of
LEAVES = 64  # found before they are looked at

MEASURED = np.dtype([("reach", np.float64), ("least", np.float64)])  # [m], [m^2] squared distance
PROGRESS = np.dtype(
    [
        ("iterations", np.int64),
        ("directions", np.int64),  # iterations, and the one that ended them as it moved nothing
        ("projected_iterations", np.int64),  # in which the exact Hessian was not positive definite
        ("contacts", np.int64),  # largest number of an iteration
        ("limiting_pair", np.int64),  # of bodies that limits the last search step, -1 if none
        ("speed", np.float64),  # [m/s] of the fastest vertex in the last Newton direction
        ("least_squared", np.float64),  # [m^2] least squared distance
    ]
)


class VertexOffsets(NamedTuple):
    """Vertices at the current pose, see `feature_pair`."""

    r_world: FloatArray  # (n_vertices, 3) [m] from the centre of the body, world axes
    placed_at: Int64Array  # (n_vertices,) number of the pose that an offset belongs to
    plane_normal: FloatArray  # (n, 3) of half-spaces, world axes


class MeasuredPose(NamedTuple):
    """The pose whose distances are in `squared`, see `candidates.distances`."""

    poses: Poses
    state: ByteArray  # (n,) islands.state then
    values: "np.recarray[Any, Any]"  # (1,) of MEASURED


class PairTerms(NamedTuple):
    """Derivatives of contacts and friction by pair of bodies."""

    rows: FloatArray  # (2 p, 54) see `distance.derivatives`
    active: ByteArray  # (p,)


class NewtonSystem(NamedTuple):
    """Gradient and Hessian in blocks of six."""

    gradient: FloatArray  # (m, 6)
    diagonal: FloatArray  # (m, 6, 6)
    off: FloatArray  # (p, 6, 6) blocks off the diagonal, those of `linked`
    linked: Int32Array  # (p, 2) slots of the pairs whose blocks are in `off`
    right: FloatArray  # (m, 6) minus the gradient, then the solution


class IteratePath(NamedTuple):
    """Poses after each of up to k iterations, the start first."""

    x: FloatArray  # (k, n, 3) [m]
    R: FloatArray  # (k, n, 3, 3)
    chosen: Int64Array  # (k,) iterates that the recorded path has to pass


class Islands(NamedTuple):
    """Islands of bodies in contact, see `islands.settled` and `islands.sleeping`."""

    state: ByteArray  # (n,) of `islands.state`
    island: Int32Array  # (n,) the least body of its island
    displacement: FloatArray  # (n,) [m] of the fastest vertex of an island along the twist
    parent: Int64Array  # (n,) of the union-find
    stillness: Int32Array  # (n,) see `islands.sleeping`


class StepWorkspace(NamedTuple):
    """Working arrays of one step."""

    iterate: Poses
    trial: Poses  # of the line search
    predicted: Poses  # where bodies would be without contact
    impulse: FloatArray  # (n, 3) [kg m^2] h^2 torque
    twist: FloatArray  # (n, 6) [m, rad] search direction
    path_length: FloatArray  # (n,) [m] bound on the path of a point along it
    offsets: VertexOffsets
    measured: MeasuredPose
    squared: FloatArray  # (c,) [m^2] squared distances of the candidates
    terms: PairTerms
    system: NewtonSystem
    factor: BlockFactor  # of the Hessian
    square: FloatArray  # (3, 9, 9) of the PSD projection
    progress: "np.recarray[Any, Any]"  # (1,) of PROGRESS
    energy_history: FloatArray  # see `line_search.nonmonotone`
    rotation_limit: FloatArray  # (n,) [rad] in one iteration, see `newton.rotation_trust_region`
    raised: ByteArray  # (n,) bodies of pairs whose stiffness was raised in this step
    flies: ByteArray  # (n,) see `newton.flight`
    inverse_inertia: FloatArray  # (n, 2) [1/kg, 1/(kg m^2)], see `barrier.balanced_start`
    unbalanced: FloatArray  # (n, 6) [N, N m] likewise
    linear_contacts: LinearContacts
    islands: Islands
    joints: JointArrays
    loads: LoadTerms  # how loads change in the step
    springs: SpringTerms  # but these
    two_step: TwoStep
    iterates: IteratePath
    report: FloatArray  # (c, COLUMNS) see `contact.ipc.report`


bundle_workspace = bundler(StepWorkspace)


def record(layout: Any) -> "np.recarray[Any, Any]":
    """One record of zeros whose fields are read and written by name: made[0].field."""
    return np.zeros(1, layout).view(np.recarray)


def make_descent(bodies: IpcBodies) -> DescentWorkspace:
    """Working arrays of walks down the trees; boxes for the largest tree that is placed."""
    features = bodies.geometry.features
    by_faces = np.flatnonzero(features.owners.by_faces)
    faces = features.first[by_faces + 1, FACES] - features.first[by_faces, FACES]
    nodes = 2 * int(faces.max(initial=0))
    return DescentWorkspace(
        np.zeros((STACK, 2), np.int32), np.zeros((LEAVES, 2), np.int32), np.zeros((nodes, 7)),
        np.zeros(nodes, np.int64), np.zeros(1, np.int64),
    )  # fmt: skip


def make_lists(bodies: IpcBodies, pairs: int, candidates: int) -> CandidateLists:
    """Empty lists for so many pairs of bodies and candidates."""
    n = len(bodies.mass)
    return CandidateLists(
        counters=record(COUNTERS),
        pairs=np.zeros((2, pairs, 2), np.int32),
        start=np.zeros((2, pairs + 1), np.int64),
        rows=np.zeros((2, candidates, 4), np.int32),
        distance=np.zeros((2, candidates)),
        reach=np.full((2, pairs), -1.0),
        displacement=np.zeros((2, pairs, 3)),
        rotations=np.zeros((2, pairs, 2, 3, 3)),
        slack=np.zeros((2, pairs)),
        state=PairState(
            np.zeros(pairs), np.zeros(pairs), np.zeros(pairs), np.zeros(pairs, np.uint8),
            np.zeros(pairs, np.uint8),
        ),
        sweep=BroadPhaseWorkspace(
            found=np.zeros((pairs, 2), np.int32),
            boxes=np.zeros((n, 6)),
            order=np.arange(n, dtype=np.int32),
            counts=np.zeros(n + 1, np.int64),
            x=np.zeros((n, 3)),
            R=np.zeros((n, 3, 3)),
            margin=np.zeros(n),
        ),
        descent=make_descent(bodies),
        asleep=np.zeros(n, np.uint8),
        barriers=PairBarriers(
            np.zeros(pairs), np.zeros(pairs), np.zeros(pairs), np.zeros((pairs, 3))
        ),
        memory=PairMemory(
            np.zeros(1, np.int64), np.zeros((pairs, 2), np.int32), np.zeros((pairs, 2)),
            np.zeros((pairs, 2), np.int32), np.zeros((pairs, 2)),
        ),
        scales=MotionScales(np.zeros(n), np.zeros(n), np.zeros(4)),
    )  # fmt: skip


def make_workspace(
    bodies: IpcBodies,
    pairs: int,
    candidates: int,
    iterates: int,
    blocks: int,
    joints: JointArrays | None = None,
    loads: LoadTerms | None = None,
    springs: SpringTerms | None = None,
    two_step: TwoStep | None = None,
) -> StepWorkspace:
    """Working arrays for so many pairs, candidates, iterations and blocks of the factor."""
    n, n_vertices = len(bodies.mass), len(bodies.geometry.features.vertices)
    m = len(bodies.owner)
    if joints is None:
        joints = no_joints(n)
    if loads is None:
        loads = load_terms(n, 0)
    if springs is None:
        springs = no_springs()
    if two_step is None:
        two_step = two_steps(n)
    links = pairs + len(joints.rows.pairs) + len(loads.bodies) + len(springs.bodies)
    return StepWorkspace(
        iterate=_poses(n),
        trial=_poses(n),
        predicted=_poses(n),
        impulse=np.zeros((n, 3)),
        twist=np.zeros((n, 6)),
        path_length=np.zeros(n),
        offsets=VertexOffsets(
            np.zeros((n_vertices, 3)), np.zeros(n_vertices, np.int64), np.zeros((n, 3))
        ),
        measured=MeasuredPose(_poses(n), np.zeros(n, np.uint8), record(MEASURED)),
        squared=np.zeros(candidates),
        terms=PairTerms(np.zeros((2 * pairs, 54)), np.zeros(pairs, np.uint8)),
        system=NewtonSystem(
            gradient=np.zeros((m, 6)),
            diagonal=np.zeros((m, 6, 6)),
            off=np.zeros((links, 6, 6)),
            linked=np.zeros((links, 2), np.int32),
            right=np.zeros((m, 6)),
        ),
        factor=factor_workspace(m, links, blocks + m + 4 * (links - pairs)),
        square=np.zeros((3, 9, 9)),
        progress=record(PROGRESS),
        energy_history=np.zeros(HISTORY),
        rotation_limit=np.zeros(n),
        raised=np.zeros(n, np.uint8),
        flies=np.zeros(n, np.uint8),
        inverse_inertia=np.zeros((n, 2)),
        unbalanced=np.zeros((n, 6)),
        linear_contacts=linear_contacts(n, LINEAR_CONTACTS * max(n, 8)),
        islands=Islands(
            state=np.zeros(n, np.uint8),
            island=np.zeros(n, np.int32),
            displacement=np.zeros(n),
            parent=np.zeros(n, np.int64),
            stillness=np.zeros(n, np.int32),
        ),
        joints=bundle_joints(*joints),
        loads=loads,
        springs=springs,
        two_step=two_step,
        iterates=IteratePath(
            np.zeros((iterates, n, 3)), np.zeros((iterates, n, 3, 3)), np.zeros(iterates, np.int64)
        ),
        report=np.zeros((candidates, COLUMNS)),
    )


def _poses(n: int) -> Poses:
    return Poses(np.zeros((n, 3)), np.zeros((n, 3, 3)))


def make_motion(
    x: FloatArray, R: FloatArray, v: FloatArray, omega: FloatArray
) -> IpcMotion:  # fmt: skip
    """A motion that shares the arrays it is given."""
    n = len(x)
    rate, force, torque = np.zeros((n, 3, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    return IpcMotion(
        x, R, v, omega, rate, force, torque, asleep=np.zeros(n, np.uint8),
        sleeping_island=np.zeros(n, np.int32), sleeping_loads=np.zeros((n, 7)),
        sleep_counts=np.zeros(3, np.int64),
    )  # fmt: skip


def no_bodies() -> IpcBodies:
    """No bodies, of the types every call has."""
    ints, bytes_ = np.zeros(0, np.int32), np.zeros(0, np.uint8)
    rows, pairs = np.zeros((0, 3)), np.zeros((0, 2), np.int32)
    geometry = BodyGeometry(
        radius=np.zeros(0),
        core_radius=np.zeros(0),
        box_centre=rows,
        box_half=rows,
        rounding=np.zeros(0),
        features=Features(
            first=np.zeros((1, 5), np.int32), vertices=rows, vertex_body=ints, edges=pairs,
            faces=np.zeros((0, 3), np.int32), wires=ints, points=ints,
            vertex_radius=np.zeros(0), solids=np.zeros((0, 7)),
            owners=FaceOwners(bytes_, bytes_, np.zeros((0, 3), np.int32), bytes_),
        ),
        trees=Trees(
            root=np.zeros((0, 7), np.int32), boxes=np.zeros((0, 6)), right=ints,
            slabs=np.zeros((0, SLAB_COLUMNS)),
        ),
        patches=CoplanarPatches(
            corner=bytes_, side=ints, patch=ints, inner=bytes_, divided=bytes_, rim_first=ints,
            rim=np.zeros((0, 4)),
        ),
        half_spaces=HalfSpaces(is_half_space=bytes_, normal=rows),
    )  # fmt: skip
    return IpcBodies(
        mass=np.zeros(0), J=np.zeros((0, 3, 3)), free=np.zeros((0, 6), np.uint8), slot=ints,
        owner=ints, dynamic=bytes_, group=ints, connected=np.zeros(0, np.int64), geometry=geometry,
    )  # fmt: skip
