"""Candidate lists: nothing within reach is missing, and rest costs no rebuild."""

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.collision.distance.closest_points import (
    edge_edge_squared,
    point_edge_squared,
    point_triangle_squared,
)
from dovetail.contact.ipc.records import EDGE_EDGE, POINT_EDGE, POINT_FACE, POINT_POINT
from ipc_arrays import IpcArrays

SPHERE = trimesh.creation.icosphere(1, radius=0.5)
KINDS = {
    "meshes": dt.Mesh(SPHERE.vertices, SPHERE.faces),
    "wires": dt.Mesh([[0, 0, 0], [0.5, 0.1, 0], [0.9, 0, 0.3]], edges=[[0, 1], [1, 2]]),
    "points": dt.Mesh(np.random.default_rng(0).normal(size=(12, 3)) / 3),
}


class Lists(IpcArrays):
    """The lists of two bodies, made for a reach with dhat 0.1 m."""

    def __init__(self, first, second, **options):
        scene = dt.Scene()
        for name, kind in (("a", first), ("b", second)):
            scene.add_body(name, KINDS[kind], mass=1, inertia=(1, 1, 1), center_of_mass=(0, 0, 0),
                           **options)  # fmt: skip
        super().__init__(scene.build())

    def within(self, x, R, reach):
        """Candidates by kind and swap, numbered in their bodies: {(kind, swap): {(i, j)}}."""
        self.measure(x, R, reach, 0.1)
        found = {}
        first = self.bodies.geometry.features.first
        for kind, swap, i, j in self.candidates.tolist():
            column = {POINT_FACE: (0, 2), EDGE_EDGE: (1, 1), POINT_EDGE: (0, 1)}.get(kind, (0, 0))
            i, j = i - first[swap, column[0]], j - first[1 - swap, column[1]]
            found.setdefault((kind, swap), []).append((int(i), int(j)))
        assert all(len(set(rows)) == len(rows) for rows in found.values())  # none twice
        return {key: set(rows) for key, rows in found.items()}

    @property
    def rebuilt(self):
        return int(self.counters.refreshes)


def close_features(a, b, reach):
    """All pairs within reach, by brute force on surfaces in one frame."""

    def corners(surface, rows):
        return [tuple(map(tuple, surface.vertices[row].tolist())) for row in rows]

    vertices_a = corners(a, np.arange(len(a.vertices))[:, None])
    vertices_b = corners(b, np.arange(len(b.vertices))[:, None])

    def numbered(surface, rows):
        return dict(zip(rows, corners(surface, surface.edges[list(rows)])))

    def wires(surface):
        loose = set(map(tuple, surface.wires.tolist()))
        return [k for k, edge in enumerate(surface.edges.tolist()) if tuple(edge) in loose]

    def pairs(first, second, squared):
        first = first if isinstance(first, dict) else dict(enumerate(first))
        second = second if isinstance(second, dict) else dict(enumerate(second))
        return {
            (int(i), int(j))
            for i, p in first.items()
            for j, q in second.items()
            if squared(p, q) <= reach**2
        }

    def to_face(p, q):
        return point_triangle_squared(*p, *q)

    def to_edge(p, q):
        return point_edge_squared(*p, *q)

    def loose(surface):
        return dict(zip(surface.points.tolist(), corners(surface, surface.points[:, None])))

    return {
        (POINT_FACE, 0): pairs(vertices_a, corners(b, b.faces), to_face),
        (POINT_FACE, 1): pairs(vertices_b, corners(a, a.faces), to_face),
        (EDGE_EDGE, 0): pairs(
            corners(a, a.edges), corners(b, b.edges), lambda p, q: edge_edge_squared(*p, *q)
        ),
        (POINT_EDGE, 0): pairs(vertices_a, numbered(b, wires(b)), to_edge),
        (POINT_EDGE, 1): pairs(vertices_b, numbered(a, wires(a)), to_edge),
        (POINT_POINT, 0): pairs(
            loose(a), loose(b), lambda p, q: float(np.sum((np.array(p) - q) ** 2))
        ),
    }


@pytest.mark.parametrize(
    ("first", "second"), [("meshes", "meshes"), ("meshes", "wires"), ("wires", "points"),
                          ("points", "points"), ("points", "meshes")],
)  # fmt: skip
def test_no_pair_within_reach_is_missing_while_bodies_wander(first, second):
    rng = np.random.default_rng(1)
    lists = Lists(first, second)
    x = np.array([[0, 0, 0], [0.62, 0.1, 0]])
    R = np.array([np.eye(3), np.eye(3)])
    reach, steps, seen = 0.15, 12, 0
    for _ in range(steps):
        x = x + 0.02 * rng.normal(size=x.shape)
        R = Rotation.from_rotvec(0.03 * rng.normal(size=(2, 3))).as_matrix() @ R
        found = lists.within(x, R, reach)
        placed = [body.surface.moved(R[k], x[k]) for k, body in enumerate(lists.model.bodies)]
        for kind, wanted in close_features(*placed, reach).items():
            assert wanted <= found.get(kind, set())
            seen += len(wanted)
    assert seen > 0
    assert 1 <= lists.rebuilt < steps


def test_bodies_at_rest_or_moving_together_keep_their_list():
    lists = Lists("meshes", "meshes")
    x, R = np.array([[0, 0, 0], [1.05, 0, 0]]), np.array([np.eye(3)] * 2)
    first = lists.within(x, R, 0.2)
    start = int(lists.counters.sweeps)
    for _ in range(5):
        assert lists.within(x, R, 0.2) == first
    assert lists.rebuilt == 1
    assert lists.counters.sweeps == start
    for step in range(5):  # a new sweep, and the same list
        moved = x + step * np.array([10.0, -3.0, 2.0])
        assert lists.within(moved, R, 0.2) == first
        assert np.array_equal(lists.listed_displacement[0], x[1] - x[0])


def test_a_larger_reach_or_a_rotation_makes_a_new_list():
    lists = Lists("meshes", "meshes")
    x, R = np.array([[0, 0, 0], [1.05, 0, 0]]), np.array([np.eye(3)] * 2)
    lists.within(x, R, 0.2)
    lists.within(x, R, 0.25)
    assert lists.rebuilt == 1
    lists.within(x, R, 0.5)
    assert lists.rebuilt == 2
    R[1] = Rotation.from_rotvec([0, 0, 0.9]).as_matrix()
    lists.within(x, R, 0.5)
    assert lists.rebuilt == 3


def test_pairs_that_may_not_touch_have_no_candidates():
    x, R = np.zeros((2, 3)), np.array([np.eye(3)] * 2)
    assert Lists("meshes", "meshes", group="together").within(x, R, 0.1) == {}
    assert Lists("meshes", "meshes", motion="static").within(x, R, 0.1) == {}
