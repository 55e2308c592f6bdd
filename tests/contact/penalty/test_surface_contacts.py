"""Contacts of points, edges and faces in a field: features between the samples, Verlet lists."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.collision.field_contacts.rows import empty_contacts
from dovetail.collision.sdf.detection_points import points_of_surface, thick_segment
from dovetail.contact.penalty.records import PartnerField, SampledSurface, SurfacePair
from dovetail.contact.penalty.surface_contacts import surface_contacts
from dovetail.contact.penalty.verlet_list import empty_list


def random_pose(seed: int, distance: float) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    R = dt.lie.so3.exp(random.normal(size=3))
    direction = random.normal(size=3)
    return R, distance * direction / np.linalg.norm(direction)


def contacts_of(field: dt.sdf.Field, body, pose, surfaces=None, feature=1e9) -> list:
    """(place in the field's frame halfway to its surface, depth) of all contacts of a body."""
    surfaces = surfaces or new_pair(field, body, feature)
    x, R = np.array([pose[1], np.zeros(3)]), np.array([pose[0], np.eye(3)])
    rows = empty_contacts(4096)
    count = surface_contacts(surfaces, True, 0, 1, 0, x, R, rows, 0)
    return [(rows.point[c].copy(), rows.depth[c]) for c in range(count)]


def new_pair(field: dt.sdf.Field, body, feature=1e9) -> SurfacePair:
    parts, octree = body.parts_against(feature), dt.sdf.Octree(body.points, body.reach)
    radius = float(np.linalg.norm(body.points, axis=1).max() + body.reach.max())
    return SurfacePair(
        SampledSurface(octree.tree, body.points, parts.edges, parts.edge_tree.tree, parts.faces,
                       parts.face_tree.tree, radius),
        PartnerField(field.arrays, feature, 0.0, 1.0),
        empty_list(len(octree), len(parts.edge_tree), len(parts.face_tree)),
    )  # fmt: skip


def deepest(field: dt.sdf.Field, body, pose, feature=1e9) -> list[tuple[np.ndarray, float]]:
    """Places in the body's frame and depths of contacts that are no detection points."""
    inside = len(dt.sdf.detect(field, dt.sdf.Octree(body.points, body.reach), pose).indices)
    found = contacts_of(field, body, pose, feature=feature)[inside:]
    return [((place - pose[1]) @ pose[0], depth) for place, depth in found]


def test_contacts_with_a_verlet_list_are_those_found_without():
    body = points_of_surface(dt.Cone(0.4, 1.0).surface(), 0.2)
    random = np.random.default_rng(8)
    grid = dt.sdf.build(dt.Torus(0.5, 0.2), 40, cache=False)
    for field in (grid, dt.sdf.box((0.9, 0.5, 0.4))):
        surfaces = new_pair(field, body, 0.1)
        R, t = random_pose(4, 0.75)
        seen = set()
        for _ in range(300):
            rotation = dt.lie.so3.exp(2e-3 * random.normal(size=3))
            R, t = rotation @ R, t + 2e-3 * random.normal(size=3) - 1e-3 * t
            kept, fresh = (
                contacts_of(field, body, (R, t), surfaces),
                contacts_of(field, body, (R, t), feature=0.1),
            )
            assert len(kept) == len(fresh)
            for one, other in zip(kept, fresh):
                np.testing.assert_array_equal(one[0], other[0])
                assert one[1] == other[1]
            seen.add(len(kept))
        assert len(seen) > 3 and max(seen) > 5


def test_a_needle_between_the_samples_of_an_edge_is_found():
    body = points_of_surface(dt.Box((2.0, 0.5, 0.5)).surface(), 0.5)
    needle = dt.sdf.union(dt.sdf.sphere(0.02))  # far smaller than the sample distance
    pose = np.eye(3), np.array([-0.137, 0.25, -0.25 - 0.012])  # edge passes through the ball
    assert len(dt.sdf.detect(needle, dt.sdf.Octree(body.points), pose).indices) == 0
    found = deepest(needle, body, pose)
    assert len(found) == 1
    place, depth = found[0]
    np.testing.assert_allclose(place, [0.137, -0.25, 0.25], atol=0.0041)  # halfway out
    assert depth == pytest.approx(0.02 - 0.012, rel=1e-3)


def test_a_ball_in_the_middle_of_a_face_is_found_and_counted_once():
    body = points_of_surface(dt.Box((2.0, 2.0, 0.5)).surface(), 1.0)
    pose = np.eye(3), np.array([-0.313, 0.171, -0.25 - 0.045])
    found = deepest(dt.sdf.sphere(0.05), body, pose)
    assert len(found) == 1
    np.testing.assert_allclose(found[0][0], [0.313, -0.171, 0.25], atol=3e-3)  # halfway out
    assert found[0][1] == pytest.approx(0.005, rel=0.02)


def test_a_deepest_point_that_is_a_sample_adds_nothing():
    body = points_of_surface(dt.Box((1.0, 1.0, 1.0)).surface(), 0.25)
    flat = np.eye(3), np.array([0.0, 0.0, 0.499])
    assert sum(excess for _, excess in deepest(dt.sdf.plane(), body, flat)) < 1e-12
    capsule = thick_segment(0.1, np.array([[0, 0, -1.0], [0, 0, 1.0]]))
    upright = np.eye(3), np.array([0.0, 0.0, 1.05])
    assert deepest(dt.sdf.plane(), capsule, upright) == []
