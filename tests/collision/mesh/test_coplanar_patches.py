"""Flat convex patches: what of a mesh is shape and what is only how it was cut."""

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.collision.mesh.coplanar_patches import coplanar_patches
from dovetail.collision.mesh.patch_features import PatchFeatures
from dovetail.model.surface import Surface

BOX = trimesh.creation.box((1.0, 2.0, 0.3))
L_PLATE = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]


def surface_of(mesh, turn=None):
    vertices = np.asarray(mesh.vertices)
    return Surface.of(vertices if turn is None else vertices @ turn.as_matrix().T, mesh.faces)


def counts(surface):
    """(patches, sides, corners)."""
    flat = PatchFeatures(surface)
    sides = np.unique(flat.side[flat.side >= 0])
    return len(np.unique(flat.patch)), len(sides), int(flat.corner.sum())


def grid(heights):
    """A sheet over the unit squares, z = heights[i][j]."""
    n, m = np.shape(heights)
    x, y = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    at = np.arange(n * m).reshape(n, m)
    a, b, c, d = at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]
    faces = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)
    return Surface.of(np.stack([x, y, heights], axis=-1).reshape(-1, 3), faces)


def is_convex(surface, faces):
    """Whether faces of one plane fill their convex hull."""
    corners = surface.vertices[surface.faces[faces]]
    crosses = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal = crosses[0] / np.linalg.norm(crosses[0])
    across = np.linalg.svd(normal[None])[2][1:]
    hull = ConvexHull(corners.reshape(-1, 3) @ across.T)
    return np.isclose(hull.volume, np.linalg.norm(crosses, axis=1).sum() / 2, rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cuts", [0, 1, 3])
def test_a_box_has_six_faces_however_it_is_cut_and_turned(cuts, seed):
    mesh = BOX.copy()
    for _ in range(cuts):
        mesh = mesh.subdivide()
    turn = None if seed == 0 else Rotation.random(rng=np.random.default_rng(seed))
    assert counts(surface_of(mesh, turn)) == (6, 12, 8)


def test_the_end_of_a_cylinder_is_one_patch():
    mesh = trimesh.creation.cylinder(1.0, 0.5, sections=64)
    assert counts(surface_of(mesh)) == (66, 192, 128)


def test_a_ball_has_no_seams():
    mesh = trimesh.creation.icosphere(2)
    assert counts(surface_of(mesh)) == (len(mesh.faces), len(mesh.edges_unique), len(mesh.vertices))


@pytest.mark.parametrize("cuts", [0, 2])
def test_a_bent_plate_is_cut_into_convex_pieces(cuts):
    faces = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    mesh = trimesh.Trimesh(np.column_stack([L_PLATE, np.zeros(6)]), faces, process=False)
    for _ in range(cuts):
        mesh = mesh.subdivide()
    surface = surface_of(mesh)
    patch = PatchFeatures(surface).patch
    pieces = [np.flatnonzero(patch == k) for k in np.unique(patch)]
    assert 2 <= len(pieces) <= 4 ** (cuts + 1) / 2
    assert all(is_convex(surface, piece) for piece in pieces)


def test_a_plate_with_a_hole_is_cut_into_convex_pieces():
    mesh = trimesh.creation.annulus(0.5, 1.0, 0.2, sections=12)
    surface = surface_of(mesh)
    patch = PatchFeatures(surface).patch
    pieces = [np.flatnonzero(patch == k) for k in np.unique(patch)]
    assert len(pieces) < len(mesh.faces) * 0.6
    assert all(is_convex(surface, piece) for piece in pieces)


def test_a_fold_parts_a_sheet_and_what_is_less_than_rounding_does_not():
    heights = np.zeros((5, 5))
    assert counts(grid(heights)) == (1, 4, 4)
    heights[2:] = 1e-14 * np.arange(3)[:, None]
    assert counts(grid(heights)) == (1, 4, 4)
    heights[2:] = 1e-9 * np.arange(3)[:, None]
    assert counts(grid(heights))[0] == 2


def test_a_sheet_that_bends_little_by_little_is_not_flat():
    """Neighbours are flat together, the whole is not: 4e-12 of its size from end to end."""
    n = 41
    heights = np.repeat(5e-12 * np.linspace(0, 1, n)[:, None] ** 2 * n, n, axis=1)
    patch = PatchFeatures(grid(heights)).patch
    assert len(np.unique(patch)) > 1


def test_copies_back_sides_and_fins_are_left_alone():
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]], float)
    halves = [(0, 1, 2), (0, 2, 3)]
    for more in ([(2, 1, 0), (3, 2, 0)], halves, [(0, 2, 4)]):
        flat = PatchFeatures(Surface.of(square, halves + more))
        assert len(np.unique(flat.patch)) == 2 + len(more)
        assert np.all(flat.side >= 0) and np.all(flat.corner)
    flat = PatchFeatures(Surface.of(square, [(0, 1, 2), (0, 3, 2)]))  # turned over
    assert len(np.unique(flat.patch)) == 2


def test_wires_and_points_stay_as_they_are():
    line = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [5, 5, 5]]
    flat = PatchFeatures(Surface.of(line, edges=[(0, 1), (1, 2)]))
    assert np.all(flat.corner) and flat.side.tolist() == [0, 1] and flat.divided == 0


def test_a_wire_that_leaves_a_face_makes_a_corner():
    corners = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 1, 0], [1, 1, 3]]
    faces = [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]
    assert PatchFeatures(Surface.of(corners[:5], faces)).corner.tolist() == [1, 1, 1, 1, 0]
    assert np.all(PatchFeatures(Surface.of(corners, faces, [(4, 5)])).corner)


@pytest.mark.parametrize("name", ["active ring", "latch 1", "passive vehicle"])
def test_patches_that_share_a_chain_of_seams_are_joined_once(name):
    surface = dt.examples.get("docking").build().bodies[name].checked.surface
    patch = coplanar_patches(surface)
    assert len(patch) == len(surface.faces)
    assert np.all(patch[patch] == patch) and len(np.unique(patch)) < 0.6 * len(patch)
