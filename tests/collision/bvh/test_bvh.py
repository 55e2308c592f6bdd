"""Trees of boxes: complete, nested, and no pair that comes near is missed."""

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.collision.bvh.tree import (
    PairBuffer,
    build_bvh,
    bvh_of,
    overlapping_pairs,
    self_overlapping_pairs,
    simplices_of,
)
from dovetail.collision.relative_pose import relative_pose
from dovetail.model.surface import Surface


def soup(rng: np.random.Generator, n: int, spread: float = 1.0) -> Surface:
    middles = rng.uniform(-spread, spread, (n, 1, 3))
    return Surface.of(
        (middles + rng.normal(size=(n, 3, 3)) * 0.1 * spread).reshape(-1, 3),
        np.arange(3 * n).reshape(-1, 3),
    )


def boxes_of(surface: Surface, vertices=None) -> np.ndarray:
    corners = (surface.vertices if vertices is None else vertices)[surface.faces]
    return np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)


def as_set(pairs: np.ndarray) -> set[tuple[int, int]]:
    found = {tuple(sorted(row)) for row in pairs.tolist()}
    assert len(found) == len(pairs), "a pair was reported twice"
    return found


def brute_force(boxes_a, boxes_b, margin=0.0) -> set[tuple[int, int]]:
    near = np.all(
        (boxes_a[:, None, :3] <= boxes_b[None, :, 3:] + margin)
        & (boxes_b[None, :, :3] <= boxes_a[:, None, 3:] + margin),
        axis=2,
    )
    return set(map(tuple, np.argwhere(near).tolist()))


def chain_of_shrinking_triangles(n: int) -> Surface:
    """Each half as far from the origin as the one before: the worst case for splitting."""
    scales = 0.5 ** np.arange(n)
    corners = np.array([[1.0, 0, 0], [1.1, 0, 0], [1.0, 0.1, 0]])
    return Surface.of(
        (scales[:, None, None] * corners).reshape(-1, 3), np.arange(3 * n).reshape(-1, 3)
    )


def heap_of_equal_triangles(n: int) -> Surface:
    return Surface.of(np.eye(3), np.tile([0, 1, 2], (n, 1)))


SURFACES = {
    "soup": soup(np.random.default_rng(1), 700),
    "sphere": Surface.of(*(lambda m: (m.vertices, m.faces))(trimesh.creation.icosphere(3))),
    "shrinking": chain_of_shrinking_triangles(300),
    "equal": heap_of_equal_triangles(300),
    "one": heap_of_equal_triangles(1),
}


@pytest.mark.parametrize("name", SURFACES)
def test_every_simplex_is_in_one_leaf_and_every_box_holds_its_children(name):
    surface = SURFACES[name]
    tree = bvh_of(surface)
    leaves = -1 - tree.right[tree.right < 0]
    assert sorted(leaves.tolist()) == list(range(len(surface.faces)))
    np.testing.assert_array_equal(tree.boxes[tree.right < 0], boxes_of(surface)[leaves])
    for node in np.flatnonzero(tree.right >= 0):
        both = tree.boxes[[node + 1, tree.right[node]]]
        np.testing.assert_array_equal(tree.boxes[node, :3], both[:, :3].min(axis=0))
        np.testing.assert_array_equal(tree.boxes[node, 3:], both[:, 3:].max(axis=0))


@pytest.mark.parametrize("margin", [0.0, 0.03])
@pytest.mark.parametrize("name", ["soup", "sphere", "shrinking", "equal", "one"])
def test_self_pairs_are_exactly_those_of_a_double_loop(name, margin):
    surface = SURFACES[name]
    boxes = boxes_of(surface)
    expected = {(i, j) for i, j in brute_force(boxes, boxes, margin) if i < j}
    assert as_set(self_overlapping_pairs(bvh_of(surface), margin)) == expected


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e3, 1e7])
@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_no_pair_near_in_the_world_is_missed_at_any_pose(offset, margin):
    rng = np.random.default_rng(7)
    a, b = soup(rng, 150), soup(rng, 150)
    tree_a, tree_b = bvh_of(a), bvh_of(b)
    for _ in range(10):
        R_a, R_b = Rotation.random(2, random_state=rng).as_matrix()
        x_a, x_b = rng.normal(size=(2, 3)) * 0.2 + offset
        pose = relative_pose(x_a, R_a, x_b, R_b, tree_a.radius, tree_b.radius)
        found = set(map(tuple, overlapping_pairs(tree_a, tree_b, pose, margin).tolist()))
        # corners that come within the margin in world coordinates, as they are rounded there
        world_a, world_b = a.vertices @ R_a.T + x_a, b.vertices @ R_b.T + x_b
        gaps = np.linalg.norm(world_a[:, None] - world_b[None], axis=2)
        near = {(i // 3, j // 3) for i, j in np.argwhere(gaps <= margin).tolist()}
        # and triangles whose middles lie in the other's box turned into a's frame
        local = (world_b - x_a) @ R_a
        tight = brute_force(boxes_of(a), boxes_of(b, local))
        assert near <= found
        assert tight <= found
        assert len(found) < 150 * 150 / 4


def test_touching_corners_are_found_despite_rounding_far_from_the_origin():
    """Two triangles share one world corner to the last bit; their body frames do not know."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        R_a, R_b = Rotation.random(2, random_state=rng).as_matrix()
        x_a, x_b = rng.normal(size=(2, 3)) * 10.0 ** rng.integers(-2, 7)
        corner = x_a + rng.normal(size=3)
        trees = []
        for x, R in ((x_a, R_a), (x_b, R_b)):
            local = np.array([R.T @ (corner - x)] * 3)
            trees.append(build_bvh(local, np.array([[0, 1, 2]], dtype=np.int32)))
        pose = relative_pose(x_a, R_a, x_b, R_b, trees[0].radius, trees[1].radius)
        assert len(overlapping_pairs(*trees, pose)) == 1


def test_a_buffer_that_is_too_small_grows_and_keeps_the_order():
    tree = bvh_of(SURFACES["sphere"])
    pose = relative_pose(np.zeros(3), np.eye(3), np.full(3, 0.01), np.eye(3), 1.0, 1.0)
    small = PairBuffer(np.empty((2, 2), dtype=np.int32))
    first = overlapping_pairs(tree, tree, pose, 0.0, small).copy()
    np.testing.assert_array_equal(first, overlapping_pairs(tree, tree, pose))
    assert len(small.rows) >= len(first) > 1000


def test_empty_surfaces_have_no_pairs():
    empty, tree = bvh_of(Surface.of(np.zeros((0, 3)))), bvh_of(SURFACES["one"])
    pose = relative_pose(np.zeros(3), np.eye(3), np.zeros(3), np.eye(3), 1.0, 1.0)
    assert len(overlapping_pairs(empty, tree, pose)) == len(self_overlapping_pairs(empty)) == 0


def test_simplices_are_faces_then_wires_then_points():
    surface = Surface.of(np.zeros((7, 3)), [[0, 1, 2]], [[0, 1], [2, 3], [4, 5]])
    expected = [[0, 1, 2], [2, 3, 3], [4, 5, 5], [6, 6, 6]]
    assert simplices_of(surface).tolist() == expected


def test_the_sweep_finds_the_pairs_of_a_double_loop_touching_ones_included():
    rng = np.random.default_rng(5)
    lower = rng.integers(0, 30, (400, 3)).astype(float)
    boxes = np.concatenate([lower, lower + rng.integers(0, 4, (400, 3))], axis=1)
    boxes[7] = [-np.inf] * 3 + [np.inf] * 3
    expected = {(i, j) for i, j in brute_force(boxes, boxes) if i < j}
    found = overlapping_boxes(boxes, PairBuffer(np.empty((1, 2), dtype=np.int32)))
    assert as_set(found) == expected
    assert sum(7 in pair for pair in expected) == 399
