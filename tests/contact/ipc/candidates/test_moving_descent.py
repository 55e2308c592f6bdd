"""Down the trees of moving bodies: no impact is missed that a look at all features finds."""

from typing import NamedTuple

import numpy as np
import trimesh
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.contact.ipc.candidates.moving_descent import next_moving_leaves
from dovetail.contact.ipc.candidates.records import BodyPair, shapes_of
from dovetail.contact.ipc.candidates.relative_motion import relative_path
from dovetail.contact.ipc.candidates.tree_descent import (
    combination,
    combinations,
    feature_at,
    next_leaves,
)
from dovetail.contact.ipc.feature_pair import begin_pose, features_at
from dovetail.contact.ipc.line_search.impact import Twists, impact
from dovetail.contact.ipc.line_search.step_size import (
    KEPT,
    _free_beyond,
    _impact_down_trees,
    _seen_from_a,
)
from dovetail.contact.ipc.poses import move
from dovetail.contact.ipc.records import SOLIDS, Poses
from dovetail.linalg.vec3 import load3, sub
from dovetail.runtime.jit import jit_in_place
from ipc_arrays import IpcArrays


@jit_in_place
def time_of_all(bodies, lists, workspace, poses, motion):
    """The first impact of bodies 0 and 1 by the CCD of all pairs of features there are."""
    begin_pose(bodies, lists, workspace, poses.R)
    features, shapes = features_at(bodies, lists, workspace, poses.R), shapes_of(bodies)
    first, root, t = shapes.features.first, shapes.trees.root, 1.0
    a, b = np.int64(0), np.int64(1)
    for number in range(combinations(shapes.features)):
        kind, swap, of_a, of_b = combination(number)
        if root[a, of_a] < 0 or root[b, of_b] < 0:
            continue
        n_a = 1 if of_a == SOLIDS else first[a + 1, of_a] - first[a, of_a]
        n_b = 1 if of_b == SOLIDS else first[b + 1, of_b] - first[b, of_b]
        for k in range(n_a):
            i = np.int64(feature_at(shapes.features, a, of_a, k))
            for m in range(n_b):
                j = np.int64(feature_at(shapes.features, b, of_b, m))
                if swap == 0:
                    t = min(t, impact(kind, i, j, a, b, features, motion, -1.0, 1.0))
                else:
                    t = min(t, impact(kind, j, i, b, a, features, motion, -1.0, 1.0))
    return t


@jit_in_place
def walk(bodies, lists, workspace, poses, motion, along_normals):
    """The same by a walk down the trees, and how many pairs of leaves one until then finds."""
    begin_pose(bodies, lists, workspace, poses.R)
    features, shapes = features_at(bodies, lists, workspace, poses.R), shapes_of(bodies)
    descent, radius, trees, a, b = lists.descent, shapes.core_radius, shapes.trees, 0, 1
    D, sizes = sub(load3(poses.x, b), load3(poses.x, a)), radius[a] + radius[b]
    path = relative_path(D, motion.twist, a, b, radius[a], radius[b], True)
    t = _impact_down_trees(
        shapes, features, motion, descent, BodyPair(a, b, D), path, sizes, 1.0, along_normals
    )
    near, leaves = _free_beyond(D, path, sizes, motion, t), 0
    seen = _seen_from_a(motion, poses.R, a, b, D, near, sizes, t)
    for number in range(combinations(shapes.features)):
        _, _, of_a, of_b = combination(number)
        root_a, root_b = trees.root[a, of_a], trees.root[b, of_b]
        if root_a < 0 or root_b < 0:
            continue
        descent.stack[0, 0] = descent.stack[0, 1] = 0
        depth = 1
        while depth > 0:
            if along_normals:
                depth, count = next_moving_leaves(trees, root_a, root_b, seen, descent, depth)
            else:
                depth, count = next_leaves(
                    trees, root_a, root_b, seen.Q, seen.offset, near, descent, depth
                )
            leaves += count
    return t, leaves


class Case(NamedTuple):
    """Two bodies and how they move; all lengths are multiples of `size`."""

    shapes: tuple
    offsets: tuple  # centres of mass, from the frames of the shapes
    places: np.ndarray  # (2, 3) of those frames
    turns: np.ndarray  # (2, 3, 3)
    twist: np.ndarray  # (2, 6)
    dmin: float
    dhat: float
    min_gap_fraction: float


class Found(NamedTuple):
    """Times of the first impact and pairs of leaves until then."""

    of_all: float
    along_normals: float
    by_boxes: float
    leaves_along_normals: int
    leaves_by_boxes: int


def arrays_of(case):
    scene = dt.Scene()
    for k in range(2):
        scene.add_body(
            "ab"[k], case.shapes[k], mass=1.0, inertia=(1.0, 1.0, 1.0),
            center_of_mass=case.offsets[k], position=case.places[k],
            rotation=Rotation.from_matrix(case.turns[k]).as_quat(scalar_first=True),
        )  # fmt: skip
    return IpcArrays(scene.build())


def look(arrays, twist, dmin, dhat, min_gap_fraction):
    poses = Poses(arrays.model.position.copy(), arrays.model.rotation.copy())
    kept = 0.0 if min_gap_fraction == 0.0 else KEPT * dhat if dhat > 0.0 else np.inf
    motion = Twists(poses.x, twist, dmin, min_gap_fraction, kept)
    of_all = time_of_all(*arrays.parts, poses, motion)
    along, leaves_along = walk(*arrays.parts, poses, motion, True)
    boxes, leaves_boxes = walk(*arrays.parts, poses, motion, False)
    return Found(of_all, along, boxes, leaves_along, leaves_boxes)


def least_on_path(arrays, twist, end):
    """[m] the least distance at 200 times up to `end`."""
    start = Poses(arrays.model.position.copy(), arrays.model.rotation.copy())
    reach, least = 0.1 * arrays.bodies.geometry.radius.max(), np.inf
    for t in np.linspace(0.0, end, 200):
        moved = Poses(start.x.copy(), start.R.copy())
        move(arrays.bodies.slot, start, twist, t, moved)
        squared = arrays.measure(*moved, reach, reach)
        least = min(least, np.sqrt(squared) if squared >= 0.0 else -1.0)
    return least


def bush(inner, outer, height, sides):
    mesh = trimesh.creation.annulus(inner / np.cos(np.pi / sides), outer, height, sections=sides)
    return dt.Mesh(mesh.vertices, mesh.faces)


def shaft(radius, height, sides):
    mesh = trimesh.creation.cylinder(radius, height, sections=sides)
    return dt.Mesh(mesh.vertices, mesh.faces)


def pair_of(rng, size, gap):
    """Two shapes that lie against each other, and where the second one is."""
    sides, r, h = int(rng.integers(3, 24)), size * (0.3 + rng.random()), size * (0.2 + rng.random())
    hole = bush(r, r + size, h, sides)
    within = (
        shaft(r - gap, h, sides), shaft(r - gap, h, int(rng.integers(3, 24))),
        dt.Cylinder(r - gap, h), dt.Sphere(r - gap), dt.Capsule(r - gap, h),
        dt.Cone(r + 0.4 * size, 3 * h), dt.Box((1.2 * r, 1.2 * r, h)),
    )  # fmt: skip
    over = (
        dt.Box((2 * r, r, h)), dt.Cylinder(r, h), dt.Cone(r, 2 * h), dt.Sphere(h / 2),
        dt.Capsule(r, 0.1 * h), shaft(r, h, sides), hole,
    )  # fmt: skip
    if rng.random() < 0.6:
        inside = within[rng.integers(len(within))]
        if isinstance(inside, dt.Box):  # flat on the walls of a square hole
            hole, inside = bush(r, r + size, h, 4), dt.Box((2 * (r - gap),) * 2 + (h,))
        at = np.array([0.0, 0.0, h * rng.uniform(-1, 1)])
        if isinstance(inside, dt.Cone):  # pushed in from below; its frame is at its base
            at[2] = -h / 2 - 3 * h * (1 - (r - gap) / (r + 0.4 * size))
        return hole, inside, at
    low, high = over[rng.integers(len(over))], over[rng.integers(len(over))]
    top = low.surface().bounds[1][2] - high.surface().bounds[0][2]
    return low, high, np.array([0.2 * size * rng.normal(), 0.2 * size * rng.normal(), top + gap])


def random_case(seed):
    """Parts that turn and slide in or on each other, in any direction and at any place."""
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.uniform(-3, 2)
    gap = size * 10.0 ** rng.uniform(-5, -1)
    low, high, at = pair_of(rng, size, gap)
    places, turns = np.array([np.zeros(3), at]), np.tile(np.eye(3), (2, 1, 1))
    if rng.random() < 0.3:  # about the axis of the seat
        turns[1] = Rotation.from_rotvec([0, 0, 7 * rng.random()]).as_matrix()
    offsets = size * 0.3 * rng.normal(size=(2, 3)) * (rng.random() < 0.5)
    offsets[:, :2] *= [[not isinstance(s, dt.Cylinder | dt.Cone | dt.Sphere)] for s in (low, high)]
    centres = places + np.einsum("nij,nj->ni", turns, offsets)
    spin = 10.0 ** rng.uniform(-3, 0.3, 2) * rng.choice([-1.0, 0.0, 1.0], 2)
    twist = np.zeros((2, 6))
    twist[:, 5] = spin
    if rng.random() < 0.3:
        twist[:, 3:] = rng.normal(size=3) * 0.3  # both together, as on a carriage
    twist[:, :3] = np.cross(twist[:, 3:], centres)
    twist[1, 2] += size * 10.0 ** rng.uniform(-4, 0) * rng.choice([-1.0, 0.0, 1.0])
    twist[1] += 10.0 ** rng.uniform(-8, -0.5) * rng.normal(size=6) * ([size] * 3 + [1.0] * 3)
    frame, shift = Rotation.random(rng=rng).as_matrix(), size * 10 * rng.normal(size=3)
    if rng.random() < 0.3:
        frame = np.eye(3)
    twist = (twist.reshape(2, 2, 3) @ frame.T).reshape(2, 6)
    return Case(
        (low, high), tuple(offsets), places @ frame.T + shift, frame @ turns, twist,
        float(rng.choice([0.0, 0.1 * gap])), float(size * rng.choice([0.0, 1e-5, 1e-3, 1e-2])),
        float(rng.choice([0.0, 0.05, 0.1])),
    )  # fmt: skip


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
@example(10607)  # the centre of mass of a cone on its base
@example(11555)  # and of cylinders outside of them
@example(11703)
@example(12348)
def test_the_walk_finds_the_first_impact_of_all_features(seed):
    case = random_case(seed)
    arrays = arrays_of(case)
    found = look(arrays, case.twist, case.dmin, case.dhat, case.min_gap_fraction)
    for walked in (found.along_normals, found.by_boxes):
        assert walked >= found.of_all  # of fewer pairs
        if walked > found.of_all:
            # the CCD of one that was left out had not enough evaluations: it has to be free
            assert least_on_path(arrays, case.twist, walked) > case.dmin
    assert found.leaves_along_normals <= found.leaves_by_boxes or found.by_boxes < 1.0


def test_what_lies_along_each_other_is_left_out_and_impacts_are_found():
    """Of the same cases: how many steps are cut, and how many pairs of leaves are left."""
    cut, whole, along, boxes, differ = 0, 0, 0, 0, 0
    for seed in range(60):
        case = random_case(seed)
        found = look(arrays_of(case), case.twist, case.dmin, case.dhat, case.min_gap_fraction)
        cut += 0.0 < found.of_all < 1.0
        whole += found.of_all == 1.0
        differ += found.along_normals != found.of_all
        along, boxes = along + found.leaves_along_normals, boxes + found.leaves_by_boxes
    assert cut > 20
    assert whole > 20
    assert differ <= 1
    assert along < 0.7 * boxes


def test_a_nut_turning_on_its_bolt_is_as_free_as_all_its_features_are():
    example = dt.examples.get("bolt")
    rng = np.random.default_rng(5)
    cut, along, boxes = 0, 0, 0
    for k in range(3):
        arrays = IpcArrays(example.build().build())
        turn = 10.0 ** rng.uniform(-2.5, -1.5)
        twist = np.zeros((2, 6))
        twist[0, 2], twist[0, 5] = turn * example.THREAD.pitch / (2 * np.pi), turn
        twist[0] += 10.0 ** rng.uniform(-4, -2) * rng.normal(size=6) * (k > 0)
        found = look(arrays, twist, 0.0, 1e-4, 0.1)
        assert found.along_normals == found.by_boxes == found.of_all > 0.0
        cut += found.of_all < 1.0
        along, boxes = along + found.leaves_along_normals, boxes + found.leaves_by_boxes
    assert 0 < cut < 3
    assert along < 0.5 * boxes
