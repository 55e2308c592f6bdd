"""Each vertex and each edge of a surface belongs to one of its faces."""

import numpy as np
import pytest
import trimesh

from dovetail.collision.mesh.face_owners import SHARES, owned_features
from dovetail.collision.mesh.patch_features import PatchFeatures
from dovetail.model.surface import Surface


def owners_of(surface):
    return owned_features(surface, PatchFeatures(surface))


@pytest.mark.parametrize(
    "mesh",
    [
        trimesh.creation.icosphere(1),
        trimesh.creation.box((1, 2, 3)).subdivide(),
        trimesh.creation.torus(2.0, 0.5, 9, 7),
    ],
    ids=["sphere", "divided box", "torus"],
)
def test_every_vertex_and_edge_has_one_owner(mesh):
    surface = Surface.of(mesh.vertices, mesh.faces)
    owners = owners_of(surface)
    corners, sides = [], []
    for f, face in enumerate(surface.faces):
        corners += [face[k] for k in range(3) if owners.owned[f] >> k & 1]
        sides += [owners.sides[f, k] for k in range(3) if owners.owned[f] >> (3 + k) & 1]
        ends = [{*map(int, surface.edges[e])} for e in owners.sides[f]]
        assert ends == [{int(face[k]), int(face[(k + 1) % 3])} for k in range(3)]
    assert sorted(corners) == list(range(len(surface.vertices)))
    assert sorted(sides) == list(range(len(surface.edges)))


def test_what_belongs_to_a_patch_or_a_straight_side_of_several_is_known():
    divided = trimesh.creation.box((1, 2, 3)).subdivide()
    surface = Surface.of(divided.vertices, divided.faces)
    owners, patches = owners_of(surface), PatchFeatures(surface)
    assert np.all(owners.owned & SHARES)  # eight triangles a face
    assert np.array_equal(owners.shares == 1, patches.side >= 0)  # two edges a side
    ball = trimesh.creation.icosphere(1)
    owners = owners_of(Surface.of(ball.vertices, ball.faces))
    assert not np.any(owners.owned & SHARES)
    assert not np.any(owners.shares)


def test_wires_and_loose_points_have_no_owner():
    square = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0)]
    assert owners_of(Surface.of(square[:4], [(0, 1, 2), (0, 2, 3)])) is not None
    assert owners_of(Surface.of(square, [(0, 1, 2), (0, 2, 3)], [(1, 4)])) is None
