"""Few contacts for each patch."""

import numpy as np

from dovetail.collision.field_contacts.reduction import MOST, reduce_contacts
from dovetail.collision.field_contacts.rows import empty_contacts


def reduced(points, depths, normals, closest=1e-9):
    n = len(points)
    rows = empty_contacts(n)
    rows.point_body[:], rows.field_body[:], rows.pair[:] = 1, 0, 0
    rows.point[:], rows.depth[:], rows.gradient[:] = points, depths, normals
    end = reduce_contacts(rows, 0, n, closest, np.empty(n, np.int32), np.empty(n))
    return rows.point[:end], rows.depth[:end]


def test_of_a_flat_patch_the_deepest_and_the_corners_stay():
    u = np.linspace(-1, 1, 9)
    points = np.array([(x, y, 0.0) for x in u for y in u])
    depths = np.full(len(points), 1e-3)
    depths[40] = 2e-3  # the middle
    kept, depth = reduced(points, depths, np.tile([0, 0, 1.0], (81, 1)))
    assert len(kept) == MOST
    assert depth.max() == 2e-3
    for corner in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        assert (np.abs(kept[:, :2] - corner).max(axis=1) < 1e-12).any()


def test_other_normals_are_other_patches_and_coincident_points_are_one():
    points = np.array([(0, 0, 0.0), (1e-6, 0, 0), (1, 0, 0)])
    normals = np.array([(0, 0, 1.0), (0, 0, 1.0), (1, 0, 0)])
    _, depth = reduced(points, [1e-3, 2e-3, 1e-4], normals, closest=1e-3)
    assert sorted(depth) == [1e-4, 2e-3]
