"""Rings that roll on flat faces: derivatives, shares, lists and the start of runs."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.collision.distance.derivatives import PAIR_ROW, expand
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.feature_pair import PlacedFeatures, add_barrier_derivatives
from dovetail.contact.ipc.model_bodies import ipc_bodies
from dovetail.contact.ipc.records import POINT_FACE, RING_FACE
from dovetail.contact.ipc.solids.pair import solid_energy
from dovetail.contact.ipc.solids.ring_faces import (
    over_patch,
    ring_face_bound,
    ring_share,
    vertex_share,
)

BARRIER = Barrier(0.02, 0.0, 2.0, 1e-3)
MAJOR, MINOR, SEGMENTS = 0.1, 0.02, 24


@pytest.fixture(scope="module")
def bodies():
    """A ring and a box 0.5 m wide."""
    scene = dt.Scene()
    scene.add_body("ring", dt.Torus(MAJOR, MINOR, segments=SEGMENTS), density=1000)
    scene.add_body("box", dt.Box((0.5, 0.5, 0.3)), density=1000)
    return ipc_bodies(scene.build())


def placed(bodies, R_a, R_b):
    """The features with all offsets, at rotations of the ring and of the box."""
    g = bodies.geometry
    R = np.array([R_a, R_b])
    world = np.einsum("nij,nj->ni", R[g.features.vertex_body], g.features.vertices)
    return PlacedFeatures(
        0, R, g.features.vertices, g.features.vertex_body, g.features.edges, g.features.faces,
        g.features.vertex_radius, world, np.zeros(len(world), np.int64), np.zeros((2, 3)),
        g.features.solids, g.patches.patch, g.patches.inner, g.patches.rim_first, g.patches.rim,
    )  # fmt: skip


def triple(v):
    return tuple(float(c) for c in v)


def pose(tilt, spin, across, gap):
    """Rotation of the ring and place of the box's centre from its, ring above the box's top.

    Tilted by `tilt` from lying, its lowest point `across` (2,) from the middle of the top.
    """
    R_a = (Rotation.from_rotvec([tilt, 0, 0]) * Rotation.from_rotvec([0, 0, spin])).as_matrix()
    low = np.array([0.0, -MAJOR * np.cos(tilt), -MAJOR * np.sin(tilt) - MINOR])
    return R_a, low - [*across, 0.15 + gap]


def twisted(y, R_a, R_b, D):
    turn_a, turn_b = Rotation.from_rotvec(y[3:6]), Rotation.from_rotvec(y[9:12])
    return turn_a.as_matrix() @ R_a, turn_b.as_matrix() @ R_b, D + y[6:9] - y[:3]


CASES = {
    "rolls in the middle": (1.3, (0.05, 0.02), 0.005),
    "rolls near a side": (1.2, (0.243, 0.02), 0.001),
    "rolls near a corner": (1.0, (0.242, 0.2435), 0.001),
    "nearly lies": (0.12, (0.02, 0.03), 0.004),
    "nearly lies near a side": (0.13, (0.02, 0.2415), 0.003),
}
TURNED = Rotation.from_rotvec([0.3, -0.5, 0.4]).as_matrix()


def faces_below(bodies, features, D):
    """Faces of the box's top that the ring has a part over."""
    first = bodies.geometry.features.first
    faces = range(first[1, 2], first[2, 2])
    near = [f for f in faces if over_patch(0, f, triple(D), features).height < 0.1]
    return [f for f in near if ring_share(0, f, triple(D), features) > 0.0]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", ["ring", "vertex"])
def test_gradient_is_that_of_finite_differences(bodies, name, kind):
    tilt, across, gap = CASES[name]
    R_a, D = pose(tilt, 0.2, across, gap)
    R_a, R_b, D = TURNED @ R_a, TURNED, TURNED @ D
    features = placed(bodies, R_a, R_b)
    (face,) = faces_below(bodies, features, D)
    i = 0
    if kind == "vertex":
        world = features.r_world[: bodies.geometry.features.first[1, 0]]
        i = int(np.argmin(world @ R_b[:, 2]))
        share = vertex_share(i, face, triple(D), features)
        assert share == pytest.approx(1 - ring_share(0, face, triple(D), features), abs=1e-15)
    number = RING_FACE if kind == "ring" else POINT_FACE

    def terms(y, theta):
        R1, R2, moved = twisted(y, R_a, R_b, D)
        row = np.zeros((1, PAIR_ROW))
        barrier = BARRIER._replace(offset=BARRIER.offset if kind == "ring" else 0.0)
        value = add_barrier_derivatives(
            number, i, face, triple(moved), placed(bodies, R1, R2), bodies.geometry.patches.inner,
            barrier, theta, row, 0,
        )  # fmt: skip
        return value, row

    value, row = terms(np.zeros(12), 1.0)
    gradient, hessian = np.zeros(12), np.zeros((12, 12))
    expand(row, 0, gradient, hessian)
    step = 1e-7
    expected = np.array(
        [(terms(step * e, -1.0)[0] - terms(-step * e, -1.0)[0]) / (2 * step) for e in np.eye(12)]
    )
    if kind == "ring" or name != "rolls in the middle":
        assert value > 0.0
    np.testing.assert_allclose(gradient, expected, atol=2e-6 * max(1e-12, np.abs(gradient).max()))
    if kind == "ring":
        same = solid_energy(
            RING_FACE, 0, face, triple(D), features, BARRIER
        )  # what the line search compares
        assert same == pytest.approx(value, rel=1e-12)


def test_hessian_is_exact_where_the_ring_rolls(bodies):
    """What the part adds is left out elsewhere."""
    R_a, D = pose(1.3, 0.2, (0.05, 0.02), 0.005)
    R_a, R_b, D = TURNED @ R_a, TURNED, TURNED @ D
    (face,) = faces_below(bodies, placed(bodies, R_a, R_b), D)

    def energy(y):
        R1, R2, moved = twisted(y, R_a, R_b, D)
        return solid_energy(RING_FACE, 0, face, triple(moved), placed(bodies, R1, R2), BARRIER)

    row, gradient, hessian = np.zeros((1, PAIR_ROW)), np.zeros(12), np.zeros((12, 12))
    add_barrier_derivatives(
        RING_FACE, 0, face, triple(D), placed(bodies, R_a, R_b), bodies.geometry.patches.inner,
        BARRIER, 1.0, row, 0,
    )  # fmt: skip
    expand(row, 0, gradient, hessian)
    h, unit, second = 1e-4, np.eye(12), np.zeros((12, 12))
    for i, j in itertools.product(range(12), repeat=2):
        a, b = h * unit[i], h * unit[j]
        second[i, j] = energy(a + b) - energy(a - b) - energy(b - a) + energy(-a - b)
    np.testing.assert_allclose(hessian, second / (4 * h * h), atol=5e-3 * np.abs(hessian).max())


def test_share_goes_from_the_polyhedron_to_the_circle_and_one_face_of_a_patch_has_it(bodies):
    """Lying 0, standing 1, at a side of the patch 0; the spin of the ring changes nothing."""
    identity = np.eye(3)

    def part(tilt, across, spin=0.0):
        R_a, D = pose(tilt, spin, across, 0.001)
        features = placed(bodies, R_a, identity)
        faces = faces_below(bodies, features, D)
        assert len(faces) <= 1
        return ring_share(0, faces[0], triple(D), features) if faces else 0.0

    assert part(0.04, (0.0, 0.0)) == 0.0
    assert part(0.25, (0.0, 0.0)) == 1.0
    assert 0.0 < part(0.12, (0.0, 0.0)) < 1.0
    assert part(1.5, (0.2501, 0.0)) == 0.0
    assert 0.0 < part(1.5, (0.244, 0.0)) < 1.0
    assert part(1.5, (0.1, 0.07), 0.3) == part(1.5, (0.1, 0.07), 1.1) == 1.0
    for at in np.linspace(-0.2, 0.2, 7):  # along the diagonal that parts the two triangles
        assert part(1.5, (at, at)) == part(1.5, (at, -at)) == 1.0


def test_gap_is_positive_where_the_polyhedron_is_free(bodies):
    """At the end of the part g > 0 for rings whose polyhedron is 1e-12 m above the face."""
    rng = np.random.default_rng(1)
    worst = np.inf
    for _ in range(400):
        tilt, spin = rng.uniform(0.05, 1.57), rng.uniform(0, 1)
        R_a, D = pose(tilt, spin, rng.uniform(-0.2, 0.2, 2), 0.0)
        features = placed(bodies, R_a, np.eye(3))
        world = features.r_world[: bodies.geometry.features.first[1, 0]]
        D = np.array([D[0], D[1], world[:, 2].min() - 0.15 - 1e-12])
        over = over_patch(0, int(faces_below(bodies, features, D)[0]), triple(D), features)
        L = bodies.geometry.features.solids[0, 6]
        assert over.lift == pytest.approx((1 - over.part) * L)
        worst = min(worst, over.height + L)
    assert 0.0 < worst < 0.5 * bodies.geometry.features.solids[0, 6]


def test_listed_bound_is_below_the_gap_and_moves_no_faster_than_the_ring(bodies):
    rng = np.random.default_rng(2)
    for _ in range(200):
        R_a, D = pose(rng.uniform(0.1, 1.57), rng.uniform(0, 1), rng.uniform(-0.3, 0.3, 2), 0.3)
        features = placed(bodies, R_a, np.eye(3))
        for f in faces_below(bodies, features, D):
            over = over_patch(0, f, triple(D), features)
            assert ring_face_bound(0, f, triple(D), features) ** 0.5 <= over.height + over.lift
        f = int(bodies.geometry.features.first[1, 2])
        by = rng.normal(size=3) * 0.01
        before = ring_face_bound(0, f, triple(D), features) ** 0.5
        after = ring_face_bound(0, f, triple(D + by), features) ** 0.5
        assert abs(after - before) <= np.linalg.norm(by) * (1 + 1e-12)


@pytest.mark.parametrize("name", ["rolls near a side", "nearly lies near a side"])
def test_hessian_leaves_out_only_the_curvature_of_the_part(bodies, name):
    """Along twists: within 10 % of the second difference of the energy, where it is stiff."""
    tilt, across, gap = CASES[name]
    R_a, D = pose(tilt, 0.2, across, gap)
    R_a, R_b, D = TURNED @ R_a, TURNED, TURNED @ D
    (face,) = faces_below(bodies, placed(bodies, R_a, R_b), D)

    def energy(y):
        R1, R2, moved = twisted(y, R_a, R_b, D)
        return solid_energy(RING_FACE, 0, face, triple(moved), placed(bodies, R1, R2), BARRIER)

    row, gradient, hessian = np.zeros((1, PAIR_ROW)), np.zeros(12), np.zeros((12, 12))
    add_barrier_derivatives(
        RING_FACE, 0, face, triple(D), placed(bodies, R_a, R_b), bodies.geometry.patches.inner,
        BARRIER, 1.0, row, 0,
    )  # fmt: skip
    expand(row, 0, gradient, hessian)
    values, vectors = np.linalg.eigh(hessian)
    y, h = vectors[:, np.argmax(np.abs(values))], 1e-5
    second = (energy(h * y) - 2 * energy(0 * y) + energy(-h * y)) / h**2
    assert second == pytest.approx(np.abs(values).max() * np.sign(second), rel=0.1)
