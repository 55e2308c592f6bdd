"""Boxes placed in the axes of the other body hold their faces, at all times of a motion."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.contact.ipc.candidates.approach import SeenMotion
from dovetail.contact.ipc.candidates.placed_descent import begin_walk, next_near_faces
from dovetail.contact.ipc.candidates.records import BodyPair, shapes_of
from dovetail.contact.ipc.feature_pair import begin_pose, features_at
from dovetail.contact.ipc.line_search.impact import relative_twists
from dovetail.contact.ipc.model_bodies import MANY_FACES
from dovetail.contact.ipc.records import FACES, Poses
from dovetail.linalg.vec3 import ZERO, load3, sub
from dovetail.runtime.jit import jit_in_place
from ipc_arrays import IpcArrays

FIRST = trimesh.creation.torus(1.0, 0.4, major_sections=16, minor_sections=16)
SECOND = trimesh.creation.icosphere(3, radius=0.7)


@jit_in_place
def walk(bodies, lists, workspace, poses, twist, t, most, margin, found):
    """Whether boxes hold motions; pairs of leaves within `margin` are marked in `found`."""
    begin_pose(bodies, lists, workspace, poses.R)
    features, shapes = features_at(bodies, lists, workspace, poses.R), shapes_of(bodies)
    trees, descent, a, b = shapes.trees, lists.descent, 0, 1
    ds, w_a, w_b = relative_twists(twist, a, b)
    pair = BodyPair(a, b, sub(load3(poses.x, b), load3(poses.x, a)))
    placing = begin_walk(descent, shapes, poses.R, pair, ds, w_a, w_b, t, most)
    seen = SeenMotion(placing.Q, placing.offset, margin, 0.0, margin, ZERO, ZERO, ZERO)
    descent.stack[0, 0] = descent.stack[0, 1] = 0
    depth = 1
    while depth > 0:
        depth, count = next_near_faces(
            trees, features, trees.root[a, FACES], placing, seen, margin, descent, depth
        )
        for k in range(count):
            found[descent.leaves[k, 0], descent.leaves[k, 1]] = 1
    return placing.moves


@pytest.fixture(scope="module")
def arrays():
    scene = dt.Scene()
    for name, mesh in (("a", FIRST), ("b", SECOND)):
        assert len(mesh.faces) >= MANY_FACES
        scene.add_body(
            name, dt.Mesh(mesh.vertices, mesh.faces), mass=1, inertia=(1, 1, 1),
            center_of_mass=(0.1, 0, 0),
        )  # fmt: skip
    return IpcArrays(scene.build(), candidates=1 << 10)


def seen_from_a(x, R, twist, t):
    """(rotation, offset) of b in the axes of a at time t."""
    turned = [Rotation.from_rotvec(t * twist[k, 3:]).as_matrix() @ R[k] for k in range(2)]
    D = x[1] + t * twist[1, :3] - x[0] - t * twist[0, :3]
    return turned[0].T @ turned[1], turned[0].T @ D


def random_motion(seed):
    rng = np.random.default_rng(seed)
    x, R = rng.normal(size=(2, 3)), Rotation.random(2, rng=rng).as_matrix()
    twist = rng.normal(size=(2, 6)) * 10.0 ** rng.uniform(-3, 0, (2, 1))
    twist *= rng.choice([0.0, 1.0], (2, 6))
    return x, R, twist, rng.uniform(0.1, 1.0)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_placed_box_holds_its_faces_at_all_times(arrays, seed):
    x, R, twist, t = random_motion(seed)
    geometry, descent = arrays.bodies.geometry, arrays.lists.descent
    features, trees = geometry.features, geometry.trees
    n_faces = np.diff(features.first[:, FACES])
    found = np.zeros(tuple(n_faces), np.uint8)
    moves = walk(*arrays.parts, Poses(x, R), twist, t, np.inf, 1e100, found)
    assert moves
    assert np.all(found)
    root, nodes = trees.root[1, FACES], 2 * n_faces[1] - 1
    right = trees.right[root : root + nodes]
    low, high = descent.placed[:nodes, :3], descent.placed[:nodes, 3:6]
    corners = features.vertices[features.faces[features.first[1, FACES] :]]
    rounding = 1e-13 * (np.abs(corners).max() + np.abs(x).sum() + np.abs(twist).sum())
    leaves = np.flatnonzero(right < 0)
    for s in np.linspace(0.0, t, 9):
        Q, offset = seen_from_a(x, R, twist, s)
        p = corners[-1 - right[leaves]] @ Q.T + offset
        assert np.all(p >= low[leaves, None] - rounding)
        assert np.all(p <= high[leaves, None] + rounding)
    for n in np.flatnonzero(right >= 0):
        below = n + np.flatnonzero(right[n : _end(right, n) + 1] < 0)
        assert np.all(low[below] >= low[n] - rounding)
        assert np.all(high[below] <= high[n] + rounding)


def _end(right, n):
    """The last node below n."""
    while right[n] >= 0:
        n = right[n]
    return n


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_no_pair_of_faces_within_the_margin_is_left_out(arrays, seed):
    """Against the distances of many points of all faces, which no two faces are nearer than."""
    x, R, twist, _ = random_motion(seed)
    x[1] = x[0] + 1.3 * (x[1] - x[0]) / np.linalg.norm(x[1] - x[0])
    features = arrays.bodies.geometry.features
    first, margin = features.first[:, FACES], 0.05
    found = np.zeros(tuple(np.diff(first)), np.uint8)
    walk(*arrays.parts, Poses(x, R), twist, 0.0, 0.0, margin, found)
    weights = np.random.default_rng(seed).dirichlet((1, 1, 1), 4)
    weights = np.concatenate((weights, np.eye(3)))
    Q, offset = seen_from_a(x, R, twist, 0.0)
    points = [features.vertices[features.faces[first[k] : first[k + 1]]] for k in range(2)]
    a, b = (np.einsum("wc,fcd->fwd", weights, p) for p in points)
    b = b @ Q.T + offset
    flat = a.reshape(-1, 3), b.reshape(-1, 3)
    near = cKDTree(flat[0]).sparse_distance_matrix(cKDTree(flat[1]), margin, output_type="ndarray")
    for i, j in zip(near["i"] // len(weights), near["j"] // len(weights), strict=True):
        assert found[i, j]
    assert found.mean() < 0.5
