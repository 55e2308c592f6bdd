"""What the intersection-free step reads and writes, as arrays: n bodies, m of them with unknowns.

All vertices, edges and faces of all bodies lie one after another and are named by their place
there. A candidate is a row (kind, swap, i, j) of `IpcLists.pool`: feature i belongs to body
pairs[p, swap], feature j to the other one of pair p. Candidates lie pair by pair, in the order of
the bodies' numbers, and within a pair in an order that the trees alone decide; so sums over
contacts do not depend on when a list was made.
"""

from typing import Any, NamedTuple

from dovetail.runtime.records import bundler

POINT_FACE, EDGE_EDGE, POINT_EDGE, POINT_POINT, POINT_PLANE = range(5)
CORNERS, EDGES, FACES, WIRES, POINTS = range(5)  # columns of `first` and `tree_root`


class IpcBodies(NamedTuple):
    """Constant during a run."""

    mass: Any  # (n,) [kg]; of a driven body: how hard it is held to its target
    J: Any  # (n, 3, 3) [kg m^2] second moment, body axes
    free: Any  # (n, 6) uint8, which components of the twist can move
    slot: Any  # (n,) int32 number among the bodies with unknowns, -1 without
    owner: Any  # (m,) int32 the body of each slot
    acts: Any  # (n,) uint8, 1 for dynamic bodies: of two bodies in contact one must be
    group: Any  # (n,) int32, bodies of one group >= 0 do not touch
    joined: (
        Any  # (k,) int64 ascending a n + b of bodies a < b that a joint connects: neither do they
    )
    radius: Any  # (n,) [m] of the farthest vertex
    middle: Any  # (n, 3) [m] of the box around the vertices, body axes
    half: Any  # (n, 3) [m] half its sides
    first: Any  # (n + 1, 5) int32, where the body's corners, edges, faces, wires, points begin
    vertices: Any  # (n_vertices, 3) [m] body axes
    vertex_body: Any  # (n_vertices,) int32
    edges: Any  # (n_edges, 2) int32
    faces: Any  # (n_faces, 3) int32
    wires: Any  # (n_wires,) int32 edges that belong to no face
    points: Any  # (n_points,) int32 vertices that belong to no edge
    tree_root: Any  # (n, 5) int32 where each tree begins, -1 where there is none
    tree_boxes: Any  # (n_nodes, 6)
    tree_right: Any  # (n_nodes,) int32, counted from the tree's root
    plane: Any  # (n,) uint8, 1 for half-spaces
    normal: Any  # (n, 3) of half-spaces, body axes
    corner: Any  # (n_vertices,) uint8, 1 for those that have a barrier, see `candidates.coplanar`
    side: Any  # (n_edges,) int32 the lowest edge of the same straight side, -1 inside a patch
    patch: Any  # (n_faces,) int32 the lowest face of the same flat convex patch
    open: Any  # (n_faces,) uint8 bit k: side k is inside its patch, bit 3 + k: corner k is
    divided: Any  # (n,) uint8 bit 0: has patches of several faces, bit 1: sides of several edges


class IpcLists(NamedTuple):
    """Pairs of bodies and their candidates, kept while bodies move little.

    Two copies of what is rewritten as a whole: numbers[WHICH] tells the one in use.
    """

    numbers: Any  # (9,) int64, see below
    pairs: Any  # (2, p, 2) int32 bodies a < b
    start: Any  # (2, p + 1) int64 where the pair's candidates begin
    made_reach: Any  # (2, p) [m] within which the list is complete, -1 for none
    made_x: Any  # (2, p, 3) [m] x_b - x_a when it was made
    made_turn: Any  # (2, p, 2, 3, 3)
    slack: Any  # (2, p) [m] by which the reach was more than needed, 0 for none
    moved: Any  # (p,) [m] how much closer the bodies can have come since, at the last pose
    nearest: Any  # (p,) [m] that its bodies are at least apart by, at the last pose; -1: not known
    closing: Any  # (p,) [m] by which the bodies can come closer along their twists, -1: do not meet
    in_vain: Any  # (p,) uint8, 1 where distances kept with the list are too old to be of use
    pool: Any  # (2, c, 4) int32 candidates
    apart: Any  # (2, c) [m] their distances when the list was made
    found: Any  # (p, 2) int32 room for the sweep
    boxes: Any  # (n, 6) [m]
    order: Any  # (n,) int32 bodies by the lower ends of their boxes
    counts: Any  # (n + 1,) int64
    swept_x: Any  # (n, 3) poses of the last sweep
    swept_turn: Any  # (n, 3, 3)
    swept_margin: Any  # (n,) [m]
    stack: Any  # (s, 2) int32
    leaf: Any  # (k, 2) int32 pairs of leaves that a descent has found
    asleep: Any  # (n,) uint8 of `IpcMotion`
    stillness: Any  # (n,) int32, see `islands.sleeping`


# entries of `numbers`; the WANTS are how much room was missing, 0 where there was enough
WHICH, N_PAIRS, SWEEPS, REFRESHES, WANTS_PAIRS, WANTS_POOL, AXIS, POSE = range(8)
STOOD = 8  # the number of the pose whose distances are in `squared`, see `candidates.distances`


GOES_ON, SETTLED, SETTLES = range(3)  # values of `still`, the last: with this search step


class IpcRoom(NamedTuple):
    """Working arrays of one solve."""

    lever: Any  # (n_vertices, 3) [m] of placed vertices from their centres, world axes
    placed: Any  # (n_vertices,) int64 the pose, numbers[POSE], that they were placed for
    facing: Any  # (n, 3) normals of half-spaces, world axes
    stood_x: Any  # (n, 3) the pose that distances were measured at last, see `candidates.distances`
    stood_turn: Any  # (n, 3, 3)
    stood_still: Any  # (n,) uint8
    stood: Any  # (2,) for which reach [m], and the least squared distance [m^2]
    squared: Any  # (c,) [m^2] squared distances of the candidates, see `barrier.contacts.measure`
    rows: Any  # (2 p, 54) derivatives by pair, see `distance.derivatives`
    active: Any  # (p,) uint8
    diagonal: Any  # (m, 6, 6) Hessian
    off: Any  # (p, 6, 6) its blocks off the diagonal, those of `linked`
    gradient: Any  # (m, 6)
    twist: Any  # (n, 6) search direction
    path: Any  # (n,) [m] longest way of a point along it
    x: Any  # (n, 3) iterate
    R: Any  # (n, 3, 3)
    x_try: Any  # (n, 3)
    R_try: Any  # (n, 3, 3)
    x_hat: Any  # (n, 3) [m] where the body would be without contact
    R_hat: Any  # (n, 3, 3)
    impulse: Any  # (n, 3) [kg m^2] h^2 torque
    knot_x: Any  # (k, n, 3) [m] poses after each iteration, the start first
    knot_turn: Any  # (k, n, 3, 3)
    linked: Any  # (p, 2) int32 slots of the pairs whose blocks are in `off`
    right: Any  # (m, 6) minus the gradient, then the solution
    factor: Any  # of the Hessian, see `block_cholesky.factor`
    seen: Any  # (c, 16) contacts of a report: bodies, point, normal, force, gap, couple, W m B
    past: Any  # (6,) how the energy rose and fell lately, see `line_search.nonmonotone`
    most_turn: Any  # (n,) [rad] in one iteration, see `newton.rotation_trust_region`
    load: Any  # (n,) [kg] that contacts of each body have to carry, see `barrier.stiffness`
    kept: Any  # (k,) int64 knots that the recorded way has to pass
    joints: Any  # bundle of `joints.records.JointArrays`
    still: Any  # (n,) uint8 whether a body is settled, see above and `islands.settled`
    island: Any  # (n,) int32 the least body of its island
    way: Any  # (n,) [m] of the fastest vertex of an island along the twist


bundle_bodies = bundler(IpcBodies)
bundle_lists = bundler(IpcLists)
bundle_room = bundler(IpcRoom)
