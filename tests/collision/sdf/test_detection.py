"""Octrees, detection points and four methods of detection."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.collision.sdf.coarse_parts import sharp_edges, sides_of_faces
from dovetail.collision.sdf.detection_points import points_of_surface
from dovetail.collision.sdf.point_octree import DEEPEST
from dovetail.model.surface import Surface

TORUS = dt.Torus(0.5, 0.2)


def random_pose(seed: int, far: float) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    R = dt.lie.so3.exp(random.normal(size=3))
    direction = random.normal(size=3)
    return R, far * direction / np.linalg.norm(direction)


@pytest.fixture(scope="module")
def grid() -> dt.sdf.Field:
    return dt.sdf.build(TORUS, 40, cache=False)


@pytest.fixture(scope="module")
def points() -> np.ndarray:
    return points_of_surface(dt.Cone(0.4, 1.0).surface(), 0.05).points


def test_every_point_is_in_one_leaf_and_in_the_ball_of_all_its_nodes(points):
    tree = dt.sdf.Octree(points, reach=0.01, leaf_size=4).tree
    assert sorted(tree.order) == list(range(len(points)))
    seen = np.zeros(len(points), int)
    for n in range(len(tree.after)):
        held = tree.points[tree.start[n] : tree.end[n]]
        far = np.linalg.norm(held - tree.centre[n], axis=1) + 0.01
        assert far.max() <= tree.radius[n] * (1 + 1e-12)
        if tree.leaf[n]:
            seen[tree.start[n] : tree.end[n]] += 1
            assert tree.after[n] == n + 1
        else:
            inside = range(n + 1, tree.after[n])
            held_below = sum(tree.end[m] - tree.start[m] for m in inside if tree.leaf[m])
            assert held_below == tree.end[n] - tree.start[n]
    assert np.all(seen == 1)


def test_equal_points_do_not_make_the_octree_endless():
    octree = dt.sdf.Octree(np.ones((1000, 3)))
    assert len(octree.tree.after) <= DEEPEST
    assert len(dt.sdf.Octree(np.zeros((0, 3)))) == 0
    assert len(dt.sdf.detect(dt.sdf.sphere(1), dt.sdf.Octree(np.zeros((0, 3)))).indices) == 0


@pytest.mark.parametrize("far", [0.0, 0.3, 0.7, 1.2, 50.0])
def test_the_octree_finds_exactly_the_points_that_evaluating_all_finds(grid, points, far):
    octree = dt.sdf.Octree(points)
    for field in (grid, dt.sdf.box((0.9, 0.5, 0.4)), dt.sdf.plane((0.2, 0.1, 1))):
        for seed in range(12):
            pose = random_pose(seed, far)
            skipping = dt.sdf.detect(field, octree, pose)
            every_point = dt.sdf.detect(field, octree, pose, method="sdf")
            np.testing.assert_array_equal(skipping.indices, every_point.indices)
            np.testing.assert_array_equal(skipping.depths, every_point.depths)
            depth = -field.value(points @ pose[0].T + pose[1])
            np.testing.assert_array_equal(every_point.indices, np.flatnonzero(depth > 0))


def test_the_four_methods_agree_up_to_the_error_of_the_grid(grid, points):
    octree, exact = dt.sdf.Octree(points), dt.sdf.exact_distance(TORUS.surface())
    cells = dt.sdf.OctreeField(grid)
    pose = random_pose(3, 0.4)
    truth = -exact.value(points @ pose[0].T + pose[1])
    assert (truth > 0).sum() > 20
    found = {
        "brute": dt.sdf.detect(exact, octree, pose, method="brute"),
        "bvh": dt.sdf.detect(exact, octree, pose, method="bvh"),
        "sdf_octree_grid": dt.sdf.detect(cells, octree, pose),
        "sdf": dt.sdf.detect(grid, octree, pose, method="sdf"),
        "sdf_octree": dt.sdf.detect(grid, octree, pose),
    }
    np.testing.assert_array_equal(found["brute"].indices, np.flatnonzero(truth > 0))
    np.testing.assert_array_equal(found["brute"].depths, found["bvh"].depths)
    for name, (indices, depths) in found.items():
        allowed = 0.0 if name in ("brute", "bvh") else 0.9 * grid.spacing
        missed = np.setdiff1d(np.flatnonzero(truth > 0), indices)
        assert np.all(truth[missed] <= allowed), name
        assert np.abs(truth[indices] - depths).max() <= allowed + 1e-12, name


def test_a_field_in_an_octree_of_cells_is_the_grid_within_its_tolerance(grid):
    cells = dt.sdf.OctreeField(grid)
    inside = np.random.default_rng(5).uniform(*grid.bounds, (4000, 3))
    values, gradients = cells.samples(inside)
    wrong = np.abs(values - grid.value(inside))
    near = np.abs(grid.value(inside)) < grid.spacing
    assert wrong[near].max() < 0.3 * grid.spacing
    assert np.all(wrong < 0.3 * grid.spacing + 0.3 * np.abs(grid.value(inside)))
    assert cells.n_cells < 2 * grid.arrays.values.size
    aligned = np.einsum("ij,ij->i", gradients, grid.gradient(inside))
    assert np.median(aligned) > 0.98
    far = np.array([[100.0, 3, 2]])
    exact = dt.sdf.exact_distance(TORUS.surface()).value(far)[0]
    assert exact <= cells.samples(far).values[0] <= exact + np.sqrt(3) * cells.arrays.size


def test_samples_of_a_box_are_even_and_named_once():
    sampled = points_of_surface(dt.Box((1.0, 2.0, 3.0)).surface(), 0.25)
    rounded = np.round(sampled.points, 9)
    assert len(np.unique(rounded, axis=0)) == len(rounded)
    assert np.abs(dt.sdf.box((1, 2, 3)).value(sampled.points)).max() < 1e-14
    # no point of the surface is further from a sample than a lattice triangle's circle
    others = points_of_surface(dt.Box((1.0, 2.0, 3.0)).surface(), 0.16).points
    distance = np.linalg.norm(others[:, None] - sampled.points, axis=2).min(axis=1)
    assert distance.max() < 0.25 * 0.75


def test_short_edges_are_searched_where_they_stick_out():
    block = dt.Box((0.3, 0.2, 0.2)).surface()
    sharp = sharp_edges(block, sides_of_faces(block))
    assert sharp.sum() == 12 and len(sharp) == 18
    inside_out = Surface.of(block.vertices, block.faces[:, ::-1])  # a hollow: nothing sticks out
    assert sharp_edges(inside_out, sides_of_faces(inside_out)).sum() == 0
    ball = dt.Sphere(0.1).surface()
    assert sharp_edges(ball, sides_of_faces(ball)).sum() == 0
    sheet = Surface.of([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assert sharp_edges(sheet, sides_of_faces(sheet)).all()


def test_mistakes_are_reported():
    octree = dt.sdf.Octree([[0, 0, 0.5]])
    with pytest.raises(dt.InputError, match="`pose` must be"):
        dt.sdf.detect(dt.sdf.sphere(1), octree, 3)
    with pytest.raises(dt.InputError, match="rotation of `pose`"):
        dt.sdf.detect(dt.sdf.sphere(1), octree, (np.ones((3, 3)), np.zeros(3)))
    with pytest.raises(dt.InputError, match="`octree` must be"):
        dt.sdf.detect(dt.sdf.sphere(1), np.zeros((1, 3)))
    with pytest.raises(dt.InputError, match="`points` must be"):
        dt.sdf.Octree([1, 2, 3])
    assert dt.sdf.detect(dt.sdf.sphere(1), octree, np.eye(4)).depths == pytest.approx([0.5])
