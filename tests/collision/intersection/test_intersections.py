"""Intersections within a mesh and between placed bodies, exact to the last bit."""

import exact_oracle
import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from dovetail.collision.bvh.tree import bvh_of
from dovetail.collision.intersection.overlap_depth import overlap_depths
from dovetail.collision.intersection.surfaces import (
    PlacedTree,
    exact_coordinates,
    intersecting_pairs,
    self_intersecting_pairs,
)
from dovetail.collision.mesh.containment import one_vertex_per_piece, windings
from dovetail.errors import InputError
from dovetail.model.surface import Surface, joined
from rounding import rounding


def surface_of(mesh: trimesh.Trimesh) -> Surface:
    return Surface.of(mesh.vertices, mesh.faces)


def at(surface: Surface, x=(0, 0, 0), R=None) -> PlacedTree:
    return PlacedTree(
        bvh_of(surface), np.array(x, dtype=float), np.eye(3) if R is None else np.asarray(R)
    )


CUBE = surface_of(trimesh.creation.box((1, 1, 1)))


def moved(surface: Surface, *shift: float) -> Surface:
    return surface.moved(np.eye(3), np.array(shift, dtype=float))


def test_pairs_between_bodies_are_those_of_rational_arithmetic():
    rng = np.random.default_rng(11)
    corners = rng.integers(-2, 3, (2, 12, 3, 3)).astype(float)
    a, b = (
        Surface.of(c.reshape(-1, 3), np.arange(36).reshape(-1, 3)) for c in corners
    )  # degenerate ones among them
    found = set(map(tuple, intersecting_pairs(at(a), at(b)).tolist()))
    expected = {
        (i, j)
        for i in range(12)
        for j in range(12)
        if exact_oracle.simplices_meet(corners[0, i].tolist(), corners[1, j].tolist())
    }
    assert found == expected
    assert 0 < len(found) < 144


@pytest.mark.parametrize("gap", [1e-15, 1e-9])
def test_a_gap_of_the_last_bits_is_a_gap(gap):
    assert len(intersecting_pairs(at(CUBE), at(CUBE, (0, 0, 1)))) > 0
    assert len(intersecting_pairs(at(CUBE), at(CUBE, (0, 0, 1 - gap)))) > 0
    assert len(intersecting_pairs(at(CUBE), at(CUBE, (0, 0, 1 + gap)))) == 0


def test_wires_and_points_meet_faces():
    wire = Surface.of([[0, 0, -1], [0.1, 0, 1]], edges=[[0, 1]])
    cloud = Surface.of([[0.2, 0.1, 0.5], [0.2, 0.1, 0.6]])
    assert len(intersecting_pairs(at(CUBE), at(wire))) > 0
    assert {j for _, j in intersecting_pairs(at(CUBE), at(cloud)).tolist()} == {0}
    assert len(intersecting_pairs(at(wire), at(wire))) == 1
    assert len(intersecting_pairs(at(wire), at(moved(wire, 0, 1e-16, 0)))) == 0


def test_self_intersections_of_two_cubes_in_one_mesh_are_those_between_them():
    both = joined([CUBE, moved(CUBE, 0.3, 0.4, 0.5)])
    between = intersecting_pairs(at(CUBE), at(moved(CUBE, 0.3, 0.4, 0.5)))
    expected = {(i, j + 12) for i, j in between.tolist()}
    assert expected
    assert set(map(tuple, self_intersecting_pairs(both).tolist())) == expected


@pytest.mark.parametrize(
    "mesh",
    [
        trimesh.creation.box((1, 2, 3)),
        trimesh.creation.icosphere(3),
        trimesh.creation.cylinder(1, 1, sections=64),
        trimesh.creation.torus(1, 0.3),
        trimesh.creation.annulus(0.5, 1, 1),
    ],
    ids=["box", "sphere", "cylinder", "torus", "annulus"],
)
def test_clean_meshes_do_not_intersect_themselves_at_any_scale_or_pose(mesh):
    R = Rotation.from_rotvec([0.3, -0.7, 1.1]).as_matrix()
    for scale in (1e-6, 1.0, 1e5):
        surface = Surface.of(scale * (mesh.vertices @ R.T), mesh.faces)
        assert len(self_intersecting_pairs(surface)) == 0


def test_unmerged_triangles_touch_at_seams_but_do_not_intersect():
    soup = CUBE.vertices[CUBE.faces].reshape(-1, 3)
    assert len(self_intersecting_pairs(Surface.of(soup, np.arange(36).reshape(-1, 3)))) == 0


def test_neighbours_folded_onto_each_other_intersect_and_unfolded_ones_do_not():
    corners = [[0, 0, 0], [1, 0, 0], [0.3, 1, 0], [0.6, 0.5, 0]]
    assert len(self_intersecting_pairs(Surface.of(corners, [[0, 1, 2], [1, 0, 3]]))) == 1
    corners[3] = [0.6, -0.5, 0]
    assert len(self_intersecting_pairs(Surface.of(corners, [[0, 1, 2], [1, 0, 3]]))) == 0
    corners[3] = [0.6, 0.5, 1e-300 + 1e-80]
    assert len(self_intersecting_pairs(Surface.of(corners, [[0, 1, 2], [1, 0, 3]]))) == 0


def test_neighbours_at_a_corner_that_pass_through_each_other_intersect():
    corners = [[0, 0, 0], [2, 1, 0], [2, -1, 0], [1, 0, 1], [1, 0, -1]]
    faces = [[0, 1, 2], [0, 3, 4]]
    assert len(self_intersecting_pairs(Surface.of(corners, faces))) == 1
    corners[3:] = [[-1, 0, 1], [-1, 0, -1]]
    assert len(self_intersecting_pairs(Surface.of(corners, faces))) == 0


def test_the_same_face_twice_is_a_duplicate_and_no_intersection():
    assert len(self_intersecting_pairs(Surface.of(np.eye(3), [[0, 1, 2], [0, 2, 1]]))) == 0


def test_coordinates_outside_the_exact_domain_are_refused_or_taken_as_zero():
    with pytest.raises(InputError, match="at most"):
        exact_coordinates(np.array([[1e91, 0, 0]]))
    with pytest.raises(InputError, match="finite"):
        exact_coordinates(np.array([[np.nan, 0, 0]]))
    assert exact_coordinates(np.array([[1e-95, 1e-90, -2.0]])).tolist() == [[0.0, 1e-90, -2.0]]


def test_the_winding_number_counts_how_often_a_surface_goes_around():
    sphere = surface_of(trimesh.creation.icosphere(2))
    shell = joined([sphere, sphere, Surface.of(0.5 * sphere.vertices, sphere.faces[:, ::-1])])
    points = np.array([[0, 0, 0], [0.7, 0, 0], [1.2, 0, 0], [0.3, 0.2, -0.1]])
    np.testing.assert_allclose(windings(sphere.vertices, sphere.faces, points), [1, 1, 0, 1],
                               atol=1e-12)  # fmt: skip
    np.testing.assert_allclose(windings(shell.vertices, shell.faces, points), [1, 2, 0, 1],
                               atol=1e-12)  # fmt: skip


def test_every_connected_piece_has_one_sample():
    pieces = joined([CUBE, moved(CUBE, 5, 0, 0), Surface.of([[9, 9, 9]])])
    tree = bvh_of(pieces)
    assert one_vertex_per_piece(len(tree.vertices), tree.simplices).tolist() == [0, 8, 16]


def test_the_overlap_depth_is_the_shortest_displacement_out():
    flat = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0]])
    dipping = np.array([[1.0, 1, -0.25], [1, 1.5, 5], [1.5, 1, 5]])
    sideways = np.array([[-1.0, 1, 0], [0.1, 1, 0], [-1, 2, 0]])
    depths = overlap_depths(np.array([flat] * 2), np.array([dipping, sideways]))
    np.testing.assert_allclose(depths, [0.25, 0.0], atol=rounding(8))


def test_triangles_still_meet_after_any_shift_shorter_than_their_overlap_depth():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 40, 3, 3))
    depths = overlap_depths(a, b)
    meeting = [i for i in range(40) if exact_oracle.simplices_meet(a[i].tolist(), b[i].tolist())]
    assert len(meeting) > 5
    for i in meeting:
        assert depths[i] > 0
        for direction in rng.normal(size=(8, 3)):
            shifted = b[i] + 0.999 * depths[i] * direction / np.linalg.norm(direction)
            assert exact_oracle.simplices_meet(a[i].tolist(), shifted.tolist())
