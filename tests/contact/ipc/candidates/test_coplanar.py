"""The barrier of a coplanar patch does not depend on how the mesh cuts it."""

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.collision.bvh.tree import bvh_of
from dovetail.collision.distance.closest_points import edge_edge_squared, point_triangle_squared
from dovetail.collision.intersection.surfaces import PlacedTree, intersecting_pairs
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.friction.coefficients import no_friction
from dovetail.contact.ipc.friction.records import bundle_friction, empty_friction
from dovetail.contact.ipc.newton.potential import differentiate, energy_at
from dovetail.contact.ipc.records import EDGE_EDGE
from ipc_arrays import IpcArrays, identities

DHAT = 0.2
BARRIER = Barrier(DHAT, 0.0, 0.7)
PLATE = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
INERTIA = {"mass": 1, "inertia": (1, 1, 1), "center_of_mass": (0, 0, 0)}


def grid(n):
    """The plate cut into 2 n^2 triangles."""
    mesh = trimesh.Trimesh(PLATE, [(0, 1, 2), (0, 2, 3)], process=False)
    for _ in range(n):
        mesh = mesh.subdivide()
    return mesh.vertices, mesh.faces


CUTS = {
    "one diagonal": (PLATE, [(0, 1, 2), (0, 2, 3)]),
    "the other": (PLATE, [(0, 1, 3), (1, 2, 3)]),
    "from its middle": ([*PLATE, [0, 0, 0]], [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]),
    "32 triangles": grid(2),
}


class Potential(IpcArrays):
    """Barriers between a plate, cut into triangles in different patterns, and a body over it."""

    def __init__(self, cut, other):
        scene = dt.Scene()
        scene.add_body("plate", dt.Mesh(*CUTS[cut]), **INERTIA)
        scene.add_body("other", other, **INERTIA)
        super().__init__(scene.build())
        self._friction = bundle_friction(*empty_friction(no_friction(2), 0))
        self.set_barriers(DHAT, 1.0)

    def least_distance(self, x, R):
        """[m] of what has a barrier."""
        for poses in (self.workspace.iterate, self.workspace.predicted):
            poses.x[...], poses.R[...] = x, R
        return np.sqrt(self.measure(*self.workspace.iterate, DHAT, DHAT))

    def energy(self, x, R):
        self.least_distance(x, R)
        iterate = self.workspace.iterate
        return energy_at(*self.parts, self._friction, iterate, iterate, BARRIER)

    def derivatives(self, x, R):
        """(contacts, gradient (12,), Hessian blocks)."""
        self.least_distance(x, R)
        iterate, system = self.workspace.iterate, self.workspace.system
        _, contacts, _ = differentiate(*self.parts, self._friction, iterate, BARRIER, 1.0, False)
        return contacts, system.gradient.ravel().copy(), system.diagonal.copy()

    def intersects(self, x, R):
        a, b = (
            PlacedTree(bvh_of(body.surface), x[k], R[k]) for k, body in enumerate(self.model.bodies)
        )
        return len(intersecting_pairs(a, b)) > 0

    def distances(self):
        """[m] of all candidates, by the features' own corners; nan where they have no barrier."""
        features, (x, R) = self.bodies.geometry.features, self.workspace.iterate
        body = features.vertex_body
        world = np.einsum("nij,nj->ni", R[body], features.vertices) + x[body]
        all_of_them, with_barrier = [], []
        for (kind, _, i, j), squared in zip(self.candidates.tolist(), self.squared):
            if kind == EDGE_EDGE:
                rows, function = [*features.edges[i], *features.edges[j]], edge_edge_squared
            else:
                rows, function = [i, *features.faces[j]], point_triangle_squared
            d = function(*map(tuple, world[rows].tolist()))
            all_of_them.append(d)
            if np.isfinite(squared):
                with_barrier.append(d)
        return np.sqrt(np.array(all_of_them)), np.sqrt(np.array(with_barrier))


def random_pose(rng, height):
    """The plate anywhere, the other body over it."""
    rotation = Rotation.random(rng=rng)
    tilt = (
        Rotation.from_rotvec(0.1 * rng.normal(size=3))
        if rng.random() < 0.7
        else Rotation.random(rng=rng)
    )
    at = np.append(rng.uniform(-1.1, 1.1, 2), height)
    x = rng.normal(size=3)
    return np.array([x, x + rotation.apply(at)]), np.array(
        [rotation.as_matrix(), (rotation * tilt).as_matrix()]
    )


@pytest.fixture(scope="module")
def potentials():
    box = dt.Box((0.5, 0.6, 0.4))
    return {cut: Potential(cut, box) for cut in CUTS}


def test_barrier_and_its_derivatives_are_the_same_for_every_cut(potentials):
    rng = np.random.default_rng(1)
    touched = 0
    for _ in range(200):
        x, R = random_pose(rng, rng.uniform(0.2, 0.45))
        one = potentials["one diagonal"]
        if not 0.005 < one.least_distance(x, R) < DHAT:
            continue
        touched += 1
        energy, (contacts, gradient, blocks) = one.energy(x, R), one.derivatives(x, R)
        for cut in list(CUTS)[1:]:
            other = potentials[cut]
            assert other.energy(x, R) == pytest.approx(energy, rel=1e-9)
            n, g, H = other.derivatives(x, R)
            assert n == contacts
            np.testing.assert_allclose(g, gradient, atol=1e-8 * np.abs(gradient).max())
            np.testing.assert_allclose(H, blocks, atol=1e-6 * np.abs(blocks).max())
    assert touched > 50


def test_what_has_a_barrier_is_as_near_as_anything(potentials):
    rng = np.random.default_rng(2)
    left_out = 0
    for k in range(240):
        x, R = random_pose(rng, rng.uniform(0.2, 0.45))
        one = potentials[list(CUTS)[k % len(CUTS)]]
        least = one.least_distance(x, R)
        every, with_barrier = one.distances()
        if not len(every) or not 1e-6 < every.min() < DHAT or one.intersects(x, R):
            continue
        left_out += len(every) - len(with_barrier)
        assert with_barrier.min() == pytest.approx(every.min(), rel=1e-10)
        assert least == pytest.approx(every.min(), rel=1e-10)
    assert left_out > 1000


@pytest.mark.parametrize("at", [(0.3, 0.3), (-0.7, -0.7), (0.0, 0.0)])
def test_over_a_seam_the_barrier_is_that_of_the_plane(at):
    """A corner exactly above the diagonal: one contact, pushed straight up, bent as by a plane."""
    tip = dt.Mesh(
        [[0, 0, 0], [0.3, 0, 1], [-0.2, 0.3, 1], [-0.2, -0.3, 1]],
        [(0, 2, 1), (0, 3, 2), (0, 1, 3), (1, 2, 3)],
    )
    height = 0.4 * DHAT
    x, R = np.array([[0, 0, 0], [*at, height]]), identities(2)
    found = {cut: Potential(cut, tip).derivatives(x, R) for cut in CUTS}
    for contacts, gradient, blocks in found.values():
        assert contacts == 1
        np.testing.assert_allclose(gradient[[6, 7, 9, 10, 11]], 0.0, atol=1e-12)
        assert gradient[8] < 0.0
        np.testing.assert_allclose(blocks, found["the other"][2], atol=1e-9 * np.abs(blocks).max())
        assert blocks[1][2, 2] > 1.0 and abs(blocks[1][0, 0] - 1.0) < 1e-9  # its mass alone


def test_force_does_not_jump_where_a_corner_crosses_a_seam():
    box = dt.Box((0.5, 0.6, 0.4))
    one = Potential("32 triangles", box)
    tilt = Rotation.from_rotvec([0.05, 0.08, 0.3]).as_matrix()
    R = np.array([np.eye(3), tilt])
    steps = np.linspace(-0.4, 0.4, 801)
    forces = []
    for s in steps:
        forces.append(one.derivatives(np.array([[0, 0, 0], [s, 0.3 * s, 0.28]]), R)[1][6:9])
    forces = np.array(forces)
    assert np.abs(forces).max() > 0.1
    assert np.abs(np.diff(forces, axis=0)).max() < 1e-9 * np.abs(forces).max()
