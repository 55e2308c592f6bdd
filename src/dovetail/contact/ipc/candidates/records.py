"""Pairs of bodies and their candidates: Verlet lists, kept while bodies move little.

A candidate is a row (KIND, SWAP, FEATURE_I, FEATURE_J): feature i belongs to body pairs[p, swap],
feature j to the other one of pair p. Candidates lie pair by pair, in the order of the bodies'
numbers, and within a pair in an order that only the trees decide. So sums over contacts do not
depend on when a list was made.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.ipc.records import CoplanarPatches, Features, Trees
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.records import ByteArray, FloatArray, Int32Array, Int64Array, bundler

KIND, SWAP, FEATURE_I, FEATURE_J = range(4)  # columns of a candidate

COUNTERS = np.dtype(
    [
        ("active_buffer", np.int64),  # which of the two copies of the lists is in use
        ("n_pairs", np.int64),
        ("sweeps", np.int64),  # of the broad phase; 0 asks for a new one
        ("refreshes", np.int64),  # how often lists were made
        ("pairs_needed", np.int64),  # capacity that was missing, 0 where there was enough
        ("candidates_needed", np.int64),
        ("sweep_axis", np.int64),
        ("pose", np.int64),  # number of the pose whose vertices are placed
        ("measured_pose", np.int64),  # number of the pose of `squared`, see `candidates.distances`
    ]
)


class PairState(NamedTuple):
    """What is known of each of p pairs at the current pose."""

    approach: FloatArray  # (p,) [m] bound on how much closer the bodies came since their list
    nearest: FloatArray  # (p,) [m] lower bound of the distance; -1: not known
    closing: FloatArray  # (p,) [m] bound on the approach along the twists, -1: cannot meet
    stale: ByteArray  # (p,) 1 where the distances kept with the list should be measured again
    passed_over: ByteArray  # (p,) 1 where the CCD leaves out the list, see `line_search.step_size`


class BroadPhaseWorkspace(NamedTuple):
    """The broad phase: boxes of bodies and the pose they were made for."""

    found: Int32Array  # (p, 2)
    boxes: FloatArray  # (n, 6) [m]
    order: Int32Array  # (n,) bodies by the lower ends of their boxes
    counts: Int64Array  # (n + 1,)
    x: FloatArray  # (n, 3) [m] pose of the last sweep
    R: FloatArray  # (n, 3, 3)
    margin: FloatArray  # (n,) [m] by which each box is larger than its body


class DescentWorkspace(NamedTuple):
    """Workspace of a walk down two trees, see `candidates.tree_descent`."""

    stack: Int32Array  # (s, 2)
    leaves: Int32Array  # (k, 2) pairs of leaves found
    placed: FloatArray  # (m, 7) [m] boxes of nodes, see `candidates.placed_descent`
    placed_in: Int64Array  # (m,) the walk that a box was placed in
    walks: Int64Array  # (1,) their number so far


class PairBarriers(NamedTuple):
    """The barrier of each of p pairs, see `barrier.stiffness`."""

    dhat: FloatArray  # (p,) [m]
    stiffness: FloatArray  # (p,) [J]
    start_gap: FloatArray  # (p,) [m] least gap at the start of the step, inf beyond dhat
    before: FloatArray  # (p, 3) the same before a sweep: workspace


class PairMemory(NamedTuple):
    """What is known of the barriers of pairs from one step to the next."""

    n_pairs: Int64Array  # (1,)
    pairs: Int32Array  # (q, 2) a < b, ascending
    values: FloatArray  # (q, 2) dhat [m] and stiffness [J]
    next_pairs: Int32Array  # (q, 2) workspace
    next_values: FloatArray  # (q, 2)


class MotionScales(NamedTuple):
    """What the stiffness of pairs that meet follows from, at the start of the step."""

    mass: FloatArray  # (n,) [kg], inf of bodies that are not dynamic
    pressing: FloatArray  # (n,) [kg] of the heaviest body that may press on each, see `stiffness`
    values: FloatArray  # (4,) acceleration [m/s^2], speed [m/s], step [s], dhat [m]


class CandidateLists(NamedTuple):
    """Two copies of all that a refresh rewrites; counters[0].active_buffer is the one in use."""

    counters: "np.recarray[Any, Any]"  # (1,) of COUNTERS
    pairs: Int32Array  # (2, p, 2) bodies a < b
    start: Int64Array  # (2, p + 1) where the pair's candidates begin
    rows: Int32Array  # (2, c, 4) candidates
    distance: FloatArray  # (2, c) [m] when the list was made
    reach: FloatArray  # (2, p) [m] within which the list is complete, -1 for none
    displacement: FloatArray  # (2, p, 3) [m] x_b - x_a when it was made
    rotations: FloatArray  # (2, p, 2, 3, 3) of both bodies when it was made
    slack: FloatArray  # (2, p) [m] by which the reach was more than needed, 0 for none
    state: PairState
    sweep: BroadPhaseWorkspace
    descent: DescentWorkspace
    asleep: ByteArray  # (n,) of `IpcMotion`
    barriers: PairBarriers
    memory: PairMemory
    scales: MotionScales


class Candidates(NamedTuple):
    """One copy of the pairs and candidates."""

    n_pairs: int
    pairs: Int32Array  # (p, 2)
    start: Int64Array  # (p + 1,)
    rows: Int32Array  # (c, 4)


class ListReference(NamedTuple):
    """One copy of what the lists were made for: relative poses, reach and distances then."""

    distance: FloatArray  # (c,) [m]
    reach: FloatArray  # (p,) [m]
    displacement: FloatArray  # (p, 3) [m]
    rotations: FloatArray  # (p, 2, 3, 3)
    slack: FloatArray  # (p,) [m]


class ListTarget(NamedTuple):
    """Where new candidates are written to."""

    rows: Int32Array  # (c, 4)
    distance: FloatArray  # (c,) [m]


class BodyShapes(NamedTuple):
    """The parts of `BodyGeometry` that candidates are found by."""

    radius: FloatArray  # (n,) [m]
    core_radius: FloatArray  # (n,) [m]
    rounding: FloatArray  # (n,) [m]
    box_centre: FloatArray  # (n, 3) [m]
    box_half: FloatArray  # (n, 3) [m]
    is_half_space: ByteArray  # (n,)
    features: Features
    trees: Trees
    patches: CoplanarPatches


class BodyPair(NamedTuple):
    """Bodies a and b; D [m] leads from the centre of a to the centre of b."""

    a: int
    b: int
    D: tuple[float, float, float]


bundle_lists = bundler(CandidateLists)


@jit_in_place
def shapes_of(bodies):
    """The shapes of all bodies."""
    geometry = bodies.geometry
    return BodyShapes(
        geometry.radius, geometry.core_radius, geometry.rounding, geometry.box_centre,
        geometry.box_half, geometry.half_spaces.is_half_space, geometry.features,
        geometry.trees, geometry.patches,
    )  # fmt: skip


@jit_in_place
def candidates_in(lists, buffer):
    """The pairs and candidates of one copy."""
    return Candidates(
        lists.counters[0].n_pairs, lists.pairs[buffer], lists.start[buffer], lists.rows[buffer]
    )


@jit_in_place
def active_candidates(lists):
    """The pairs and candidates in use."""
    return candidates_in(lists, lists.counters[0].active_buffer)


@jit_in_place
def reference_in(lists, buffer):
    """What the lists of one copy were made for."""
    return ListReference(
        lists.distance[buffer], lists.reach[buffer], lists.displacement[buffer],
        lists.rotations[buffer], lists.slack[buffer],
    )  # fmt: skip


@jit_in_place
def active_reference(lists):
    """What the lists in use were made for."""
    return reference_in(lists, lists.counters[0].active_buffer)
