"""Slabs around the nodes of a tree: all is within, and flat parts are thin."""

import numpy as np
import pytest
import trimesh

from dovetail.collision.bvh.slabs import HIGH, LOW, RADIUS, ROUNDING, slabs_of, vertex_normals
from dovetail.collision.mesh.contact_features import ContactFeatures
from dovetail.model.surface import Surface

SHAPES = {
    "ball": trimesh.creation.icosphere(2, radius=0.5),
    "plate": trimesh.creation.box((1.0, 2.0, 1e-3)).subdivide(),
    "ring": trimesh.creation.annulus(0.3, 0.4, 0.1),
}


def trees(mesh):
    features = ContactFeatures(Surface.of(mesh.vertices @ turned().T, mesh.faces))
    normals = vertex_normals(features.surface.vertices, features.surface.faces)
    for tree in (features.corner_tree, features.edge_tree, features.face_tree):
        yield tree, slabs_of(tree, normals, 0.25)


def turned():
    return trimesh.transformations.rotation_matrix(0.7, [0.3, 0.6, 0.8])[:3, :3]


def below(tree, node):
    """Simplices under a node."""
    if tree.right[node] < 0:
        return [-1 - tree.right[node]]
    return below(tree, node + 1) + below(tree, tree.right[node])


@pytest.mark.parametrize("name", SHAPES)
def test_every_vertex_is_in_the_slab_and_the_ball_of_its_nodes(name):
    for tree, slabs in trees(SHAPES[name]):
        assert (slabs[:, ROUNDING] == 0.25).all()
        for node in range(0, len(slabs), 7):
            points = tree.vertices[tree.simplices[below(tree, node)].ravel()]
            off = points - (tree.boxes[node, :3] + tree.boxes[node, 3:]) / 2
            height, far = off @ slabs[node, :3], np.linalg.norm(off, axis=1)
            assert height.min() >= slabs[node, LOW] >= height.min() - 1e-12
            assert height.max() <= slabs[node, HIGH] <= height.max() + 1e-12
            assert far.max() <= slabs[node, RADIUS] <= far.max() + 1e-12


def test_faces_and_both_sides_of_a_plate_are_thin():
    for _, slabs in trees(SHAPES["plate"]):
        assert np.allclose(np.linalg.norm(slabs[:, :3], axis=1), 1.0)
        assert slabs[0, HIGH] - slabs[0, LOW] < 0.02  # its rim tilts the mean
    *_, (tree, slabs) = trees(SHAPES["ball"])
    leaves = tree.right < 0
    assert (slabs[leaves, HIGH] - slabs[leaves, LOW]).max() < 1e-12


def test_points_without_a_surface_have_no_normal():
    features = ContactFeatures(Surface.of(np.random.default_rng(1).random((9, 3))))
    slabs = slabs_of(features.corner_tree, np.zeros((9, 3)), 0.0)
    assert (slabs[:, :3] == 0.0).all()
    assert (slabs[:, RADIUS] >= 0.0).all()
