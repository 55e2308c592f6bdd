"""Search by pairs of faces: what it leaves out is free, what it finds is what others find."""

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.contact.ipc.candidates.face_pairs import normal_of, stay_apart_along
from dovetail.contact.ipc.candidates.lists import update_body_pairs
from dovetail.contact.ipc.line_search.step_size import collision_free_step_size
from dovetail.contact.ipc.model_bodies import MANY_FACES
from dovetail.contact.ipc.poses import set_path_lengths
from dovetail.contact.ipc.records import Poses
from ipc_arrays import IpcArrays

BALL = trimesh.creation.icosphere(3, radius=0.5)
BLOCK = trimesh.creation.box((0.8, 0.8, 0.8)).subdivide().subdivide().subdivide()
GEAR = trimesh.creation.annulus(0.4, 0.7, 0.88, sections=160)


def tuples(points):
    return tuple(tuple(map(float, p)) for p in points)


def test_faces_that_are_left_out_stay_apart_at_all_times():
    rng = np.random.default_rng(0)
    left_out = 0
    for _ in range(400):
        A, B = rng.normal(size=(2, 3, 3))
        D = 3.0 * rng.normal(size=3)
        ds, w_a, w_b = rng.normal(size=(3, 3)) * rng.choice([0.0, 0.1, 1.0], 3)[:, None]
        t, beyond = rng.random(), 0.1 * rng.random()
        n = normal_of(tuples(A))
        if not stay_apart_along(
            n, tuples(A), tuples(B), *tuples([D, ds, w_a, w_b]), t, beyond
        ):  # fmt: skip
            continue
        left_out += 1
        u = np.array(n) / np.linalg.norm(n)
        for s in np.linspace(0.0, t, 30):
            a = A @ Rotation.from_rotvec(s * w_a).as_matrix().T
            b = B @ Rotation.from_rotvec(s * w_b).as_matrix().T + D + s * ds
            apart = np.min((b @ u)[:, None] - a @ u), np.min((a @ u)[:, None] - b @ u)
            assert max(apart) > beyond - 1e-12
    assert 50 < left_out < 350


def test_a_direction_without_length_proves_nothing():
    flat, zero = ((0.0, 0.0, 0.0),) * 3, (0.0, 0.0, 0.0)
    far = (9.0, 0.0, 0.0)
    assert not stay_apart_along(normal_of(flat), flat, flat, far, zero, zero, zero, 1.0, 0.0)


class Pair(IpcArrays):
    """Two bodies with many faces; `by_faces` False: searched as all others."""

    def __init__(self, first, second, by_faces):
        scene = dt.Scene()
        for name, mesh in (("a", first), ("b", second)):
            assert len(mesh.faces) >= MANY_FACES
            scene.add_body(
                name, dt.Mesh(mesh.vertices, mesh.faces), mass=1, inertia=(1, 1, 1),
                center_of_mass=(0, 0, 0),
            )  # fmt: skip
        super().__init__(scene.build(), candidates=1 << 17)
        owners = self.bodies.geometry.features.owners
        assert owners.by_faces.tolist() == [1, 1]
        owners.by_faces[:] = by_faces

    def step_size(self, x, R, twist):
        lengths = np.zeros(2)
        set_path_lengths(self.bodies.slot, self.bodies.geometry.radius, twist, lengths)
        assert update_body_pairs(*self.parts[:2], Poses(x, R), lengths, 1e-3)
        return collision_free_step_size(*self.parts, Poses(x, R), twist, 0.0, 0.0, 0.1)[0]


MESHES = {"balls": (BALL, BALL), "blocks": (BLOCK, BLOCK), "block on gear": (GEAR, BLOCK)}


@pytest.mark.parametrize("name", MESHES)
def test_both_searches_list_the_same_with_the_same_distances(name):
    rng = np.random.default_rng(3)
    old, new = Pair(*MESHES[name], False), Pair(*MESHES[name], True)
    x, R, seen = np.array([[0, 0, 0], [0, 0, 0.85]]), np.array([np.eye(3)] * 2), 0
    for _ in range(6):
        x = x + 0.02 * rng.normal(size=x.shape)
        R = Rotation.from_rotvec(0.03 * rng.normal(size=(2, 3))).as_matrix() @ R
        found = []
        for arrays in (old, new):
            arrays.lists.reach[:] = -1.0  # lists of this pose
            arrays.measure(x, R, 0.02, 1e-3)
            rows = list(map(tuple, arrays.candidates.tolist()))
            assert len(set(rows)) == len(rows)
            listed = arrays.lists.distance[arrays.counters.active_buffer, : len(rows)]
            acts = np.where(arrays.squared <= 0.02**2, arrays.squared, np.inf)
            known = zip(rows, listed.tolist(), acts.tolist(), strict=True)
            found.append({row: values for row, *values in known if values[0] <= 0.02})
        assert found[0] == found[1]
        seen += len(found[0])
    assert seen > 100


@pytest.mark.parametrize("name", MESHES)
def test_both_searches_find_the_same_collision_free_step_size(name):
    rng = np.random.default_rng(4)
    old, new = Pair(*MESHES[name], False), Pair(*MESHES[name], True)
    cut = 0
    for k in range(12):
        x = np.array([[0, 0, 0], [0.1 * rng.normal(), 0.1 * rng.normal(), 1.05]])
        R = Rotation.from_rotvec(0.1 * rng.normal(size=(2, 3))).as_matrix()
        twist = np.zeros((2, 6))
        twist[1, :3] = 0.3 * rng.normal(), 0.3 * rng.normal(), -0.3 * rng.random()
        twist[:, 3:] = 0.3 * rng.normal(size=(2, 3)) * (k % 3)
        times = old.step_size(x, R, twist), new.step_size(x, R, twist)
        assert times[0] == times[1] > 0.0
        cut += times[0] < 1.0
    assert cut > 0
