"""Candidate lists: nothing within reach is missing, and rest costs no rebuild."""

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from dovetail.geometry.contact_features import ContactFeatures
from dovetail.geometry.slack_lists import SlackLists
from dovetail.kernels.distance_closest import (
    edge_edge_squared,
    point_edge_squared,
    point_triangle_squared,
)
from dovetail.model.surface import Surface

SPHERE = trimesh.creation.icosphere(1, radius=0.5)
KINDS = {
    "meshes": Surface.of(SPHERE.vertices, SPHERE.faces),
    "wires": Surface.of([[0, 0, 0], [0.5, 0.1, 0], [0.9, 0, 0.3]], edges=[[0, 1], [1, 2]]),
    "points": Surface.of(np.random.default_rng(0).normal(size=(12, 3)) / 3),
}


def close_features(a, b, reach):
    """All pairs within reach, by brute force on surfaces in one frame."""

    def corners(surface, rows):
        return [tuple(map(tuple, surface.vertices[row].tolist())) for row in rows]

    vertices_a = corners(a, np.arange(len(a.vertices))[:, None])
    vertices_b = corners(b, np.arange(len(b.vertices))[:, None])
    wires_a, wires_b = (corners(s, s.wires) for s in (a, b))

    def pairs(first, second, squared):
        return {
            (i, j)
            for i, p in enumerate(first)
            for j, q in enumerate(second)
            if squared(p, q) <= reach**2
        }

    def flipped(found):
        return {(j, i) for i, j in found}

    def to_face(p, q):
        return point_triangle_squared(*p, *q)

    def to_edge(p, q):
        return point_edge_squared(*p, *q)

    return {
        "point_face": pairs(vertices_a, corners(b, b.faces), to_face),
        "face_point": flipped(pairs(vertices_b, corners(a, a.faces), to_face)),
        "edge_edge": pairs(
            corners(a, a.edges), corners(b, b.edges), lambda p, q: edge_edge_squared(*p, *q)
        ),
        "point_wire": pairs(vertices_a, wires_b, to_edge),
        "wire_point": flipped(pairs(vertices_b, wires_a, to_edge)),
        "point_point": pairs(
            corners(a, a.points[:, None]),
            corners(b, b.points[:, None]),
            lambda p, q: float(np.sum((np.array(p) - q) ** 2)),
        ),
    }


@pytest.mark.parametrize(
    ("first", "second"), [("meshes", "meshes"), ("meshes", "wires"), ("wires", "points"),
                          ("points", "points"), ("points", "meshes")],
)  # fmt: skip
def test_no_pair_within_reach_is_missing_while_bodies_wander(first, second):
    rng = np.random.default_rng(1)
    bodies = [ContactFeatures(KINDS[first]), ContactFeatures(KINDS[second])]
    lists = SlackLists(bodies, {(0, 1)}, slack=0.2)
    x = np.array([[0, 0, 0], [0.62, 0.1, 0]])
    R = np.array([np.eye(3), np.eye(3)])
    reach, steps, seen = 0.15, 12, 0
    for _ in range(steps):
        x = x + 0.02 * rng.normal(size=x.shape)
        R = Rotation.from_rotvec(0.03 * rng.normal(size=(2, 3))).as_matrix() @ R
        found = lists.within(x, R, reach).get((0, 1))
        placed = [body.surface.moved(R[k], x[k]) for k, body in enumerate(bodies)]
        for kind, wanted in close_features(*placed, reach).items():
            have = set() if found is None else set(map(tuple, getattr(found, kind).tolist()))
            assert wanted <= have
            seen += len(wanted)
    assert seen > 0
    assert 1 <= lists.rebuilt < steps


def test_bodies_at_rest_or_moving_together_keep_their_list():
    lists = SlackLists([ContactFeatures(KINDS["meshes"])] * 2, {(0, 1)}, slack=0.1)
    x, R = np.array([[0, 0, 0], [1.05, 0, 0]]), np.array([np.eye(3)] * 2)
    first = lists.within(x, R, 0.2)
    for step in range(5):
        again = lists.within(x + step * np.array([10.0, -3.0, 2.0]), R, 0.2)
        assert again[0, 1] is first[0, 1]
    assert lists.rebuilt == 1


def test_a_larger_reach_or_a_turn_makes_the_list_anew():
    lists = SlackLists([ContactFeatures(KINDS["meshes"])] * 2, {(0, 1)}, slack=0.1)
    x, R = np.array([[0, 0, 0], [1.05, 0, 0]]), np.array([np.eye(3)] * 2)
    lists.within(x, R, 0.2)
    lists.within(x, R, 0.25)
    assert lists.rebuilt == 1
    lists.within(x, R, 0.4)
    assert lists.rebuilt == 2
    R[1] = Rotation.from_rotvec([0, 0, 0.3]).as_matrix()
    lists.within(x, R, 0.4)
    assert lists.rebuilt == 3


def test_pairs_that_may_not_touch_have_no_candidates():
    lists = SlackLists([ContactFeatures(KINDS["meshes"])] * 2, set(), slack=0.1)
    assert lists.within(np.zeros((2, 3)), np.array([np.eye(3)] * 2), 0.1) == {}
