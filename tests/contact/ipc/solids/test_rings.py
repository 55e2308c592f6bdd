"""Arcs of rings: distances against dense sampling, derivatives against differences, CCD."""

from functools import partial

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dovetail.collision.ccd.rings import advance_ring
from dovetail.collision.distance.derivatives import PAIR_ROW, expand
from dovetail.collision.distance.revolution import Solid
from dovetail.collision.distance.rings import (
    ARCS,
    EDGE,
    NO_RING,
    POINT,
    RING,
    SOLID,
    TRIANGLE,
    WIDTH,
    Ring,
    Target,
    arc_nearest,
    nearest,
    on_circle,
    weight,
)
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.feature_pair import PlacedFeatures
from dovetail.contact.ipc.records import (
    RING_EDGE,
    RING_FACE,
    RING_POINT,
    RING_RING,
    RING_SOLID,
)
from dovetail.contact.ipc.solids.rings import add_ring_derivatives

ZERO = (0.0, 0.0, 0.0)
KINDS = [TRIANGLE, EDGE, POINT, SOLID, RING]


def triple(v):
    return tuple(float(c) for c in v)


def ring_of(R, major, tube, height=0.0):
    return Ring(triple(R[:, 2]), triple(R[:, 0]), triple(R[:, 1]), height, major, tube)


def random_target(kind, rng, x, size=0.3):
    """A target near the point x."""
    p = [triple(x + size * rng.normal(size=3)) for _ in range(3)]
    R = Rotation.random(random_state=rng).as_matrix()
    solid = Solid(triple(R[:, 2]), -0.1, 0.08, 0.2, rng.choice([0.0, 0.08]), 0.0)
    other = ring_of(R, 0.2, 0.03, 0.02)
    return Target(kind, *p, triple(x + size * rng.normal(size=3)), solid, other, -0.2, 0.6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_point_of_an_arc(kind):
    rng = np.random.default_rng(kind)
    for _ in range(40):
        ring = ring_of(Rotation.random(random_state=rng).as_matrix(), 1.0, 0.1, 0.05)
        target = random_target(kind, rng, np.array(on_circle(ring, 1.0)))
        found = arc_nearest(ring, 0.6, 1.4, 0.0, target)
        each = [nearest(target, on_circle(ring, a)).distance for a in np.linspace(0.6, 1.4, 401)]
        if kind == RING and found.near.angle in (target.low, target.high):
            continue  # both ends of the other arc are as near somewhere: another arc is nearer
        assert found.distance <= min(each) + 1e-12
        assert found.distance > min(each) - 2.1e-3
        assert nearest(target, found.point).distance == pytest.approx(found.distance, abs=1e-14)


def test_weights_add_up_to_one():
    for x in np.linspace(0.0, 1.0, 11):
        assert weight(x)[0] + weight(x - 1.0)[0] == pytest.approx(1.0, abs=1e-15)
        step = 1e-6
        slope = (weight(x + step)[0] - weight(x - step)[0]) / (2 * step)
        assert weight(x)[1] == pytest.approx(slope, abs=1e-5)


def features(R_a, R_b, kind, y, cone=0.0):
    """As `PlacedFeatures`: the ring is body 0, the other body 1."""
    turn = [Rotation.from_rotvec(y[3:6]).as_matrix(), Rotation.from_rotvec(y[9:12]).as_matrix()]
    R = np.array([turn[0] @ R_a, turn[1] @ R_b])
    solids = np.array([[2.0, 0.01, 0.1, 0.01, 0.1, 0.03], [1.0, -0.1, 0.08, 0.15, cone, 0.0]])
    if kind == RING_RING:
        solids[1] = 2.0, 0.02, 0.2, 0.02, 0.2, 0.02
    corners = np.array([[-0.3, -0.35, 0.1], [0.4, -0.3, 0.1], [-0.1, 0.5, 0.1]])
    radius, none = np.array([0.01, 0.01, 0.01]), np.zeros((0, 3))
    return PlacedFeatures(
        0, R, none, np.zeros(0, np.int32), np.array([[0, 1], [1, 2]], np.int32),
        np.array([[0, 1, 2]], np.int32), radius, corners @ R[1].T, np.zeros(0, np.int64), none,
        solids, np.zeros(1, np.int32), np.zeros(1, np.uint8),
    )  # fmt: skip


def energy_of(kind, y, D0, R_a, R_b, barrier, out=None, cone=0.0):
    """The energy of all arcs; derivatives are added to `out`."""
    at = features(R_a, R_b, kind, y, cone)
    D = triple(D0 + y[6:9] - y[:3])
    others = [1 + 2 * k for k in range(ARCS)] if kind == RING_RING else [0]
    if kind == RING_SOLID:
        others = [1]
    total = 0.0
    for k in range(ARCS):
        for j in others:
            row = np.zeros((1, PAIR_ROW)) if out is None else out
            total += add_ring_derivatives(
                kind, 2 * k, j, D, at, barrier, -1.0 if out is None else 1.0, row, 0
            )
    return total


# ring and body b: (kind, D, how the ring is turned, how b is turned, radius of the cone's tip)
CASES = [
    (RING_FACE, (0.02, 0.01, -0.27), (1.4, 0.1, 0.0), (0.05, 0.02, 0.1), 0.0),
    (RING_FACE, (0.02, 0.01, -0.145), (0.02, 0.01, 0.0), (0.0, 0.0, 0.1), 0.0),  # nearly flat
    (RING_FACE, (0.02, 0.01, -0.165), (0.2, 0.05, 0.0), (0.0, 0.0, 0.1), 0.0),
    (RING_FACE, (0.02, 0.01, -0.16), (0.1, 0.05, 0.0), (0.0, 0.02, 0.1), 0.0),
    (RING_EDGE, (0.02, 0.27, -0.155), (0.1, 0.03, 0.0), (0.02, 0.1, 0.1), 0.0),
    (RING_POINT, (0.3, 0.45, -0.13), (0.7, 0.4, 0.0), (0.1, 0.2, 0.3), 0.0),
    (RING_SOLID, (0.0, 0.0, -0.25), (1.5, 0.1, 0.0), (1.57, 0.3, 0.1), 0.08),
    (RING_SOLID, (0.005, 0.0, -0.02), (0.2, 0.1, 0.0), (0.1, -0.1, 0.1), 0.01),  # a cone in it
    (RING_SOLID, (0.0, 0.1, -0.28), (0.4, 0.1, 0.0), (0.1, 0.2, 0.1), 0.08),
    (RING_RING, (0.2, 0.01, -0.05), (1.5, 0.2, 0.0), (0.1, 0.2, 0.4), 0.0),
    (RING_RING, (0.0, 0.02, -0.04), (0.1, 0.0, 0.2), (0.03, 0.05, 0.4), 0.0),
]


@pytest.mark.parametrize(("kind", "D", "turn_a", "turn_b", "cone"), CASES)
@pytest.mark.parametrize("delta", [0.0, 2e-3])
def test_gradients(kind, D, turn_a, turn_b, cone, delta):
    R_a = Rotation.from_rotvec(turn_a).as_matrix()
    R_b = Rotation.from_rotvec(turn_b).as_matrix()
    barrier = Barrier(0.12, 0.0, 2.0, delta)

    def energy(y, out=None):
        return energy_of(kind, y, np.array(D), R_a, R_b, barrier, out, cone)

    row, g, H = np.zeros((1, PAIR_ROW)), np.zeros(12), np.zeros((12, 12))
    value = energy(np.zeros(12), row)
    expand(row, 0, g, H)
    assert value > 0.0
    step = 1e-7
    expected = [(energy(step * e) - energy(-step * e)) / (2 * step) for e in np.eye(12)]
    np.testing.assert_allclose(g, expected, atol=1e-5 * np.abs(g).max())
    assert np.linalg.eigvalsh(H).min() > -1e-9 * np.abs(H).max()


def test_rolling_changes_no_energy():
    """However far the ring has turned about its axis, the energy over a face is the same."""
    barrier, tilt = Barrier(0.05, 0.0, 1.0, 0.0), Rotation.from_rotvec((1.45, 0.1, 0.0))
    energies = [
        energy_of(
            RING_FACE, np.zeros(12), np.array((0.01, 0.02, -0.245)),
            (tilt * Rotation.from_rotvec((0, 0, spin))).as_matrix(), np.eye(3), barrier,
        )
        for spin in np.linspace(0.0, 1.0, 7)
    ]  # fmt: skip
    assert energies[0] > 0.0
    np.testing.assert_allclose(energies, energies[0], rtol=1e-12)


def gap_after(ring, ends, seen, radius, D, ds, w_a, w_b, t):
    """The gap of an arc and a target, each along its twist, at the time t.

    Arcs do not rotate about the axes of their rings.
    """
    back, back_b = -t * np.dot(w_a, ring.axis), -t * np.dot(w_b, seen.ring.axis)
    A = Rotation.from_rotvec(t * w_a).as_matrix()
    B = Rotation.from_rotvec(t * w_b).as_matrix()
    x = D + t * ds
    here = Ring(*(triple(A @ v) for v in ring[:3]), *ring[3:])
    there = Ring(*(triple(B @ v) for v in seen.ring[:3]), *seen.ring[3:])
    solid = Solid(triple(B @ seen.solid.axis), *seen.solid[1:])
    p = [triple(B @ q + x) for q in seen[1:4]]
    moved = Target(seen.kind, *p, triple(x), solid, there, seen.low + back_b, seen.high + back_b)
    return (
        arc_nearest(here, ends[0] + back, ends[1] + back, 0.0, moved).distance - ring.tube - radius
    )


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_meets_before_the_time_of_impact(kind):
    rng = np.random.default_rng(10 + kind)
    impacts = 0
    for _ in range(25):
        ring = ring_of(Rotation.random(random_state=rng).as_matrix(), 0.5, 0.03, 0.05)
        low, high = 3 * WIDTH - 0.5 * WIDTH, 3 * WIDTH + 0.5 * WIDTH
        seen = random_target(kind, rng, np.zeros(3), 0.15)._replace(centre=ZERO)
        D = np.array(on_circle(ring, 3 * WIDTH)) + 0.4 * rng.normal(size=3)
        ds = -1.5 * (D - np.array(on_circle(ring, 3 * WIDTH))) + 0.1 * rng.normal(size=3)
        w_a, w_b = 0.3 * rng.normal(size=3), 0.3 * rng.normal(size=3)
        radius = seen.ring.tube if kind == RING else 0.01

        gap = partial(gap_after, ring, (low, high), seen, radius, D, ds, w_a, w_b)
        first = gap(0.0)
        if first < 0.02:
            continue
        t, _, _ = advance_ring(
            ring, low, high, seen, radius, triple(D), triple(ds), triple(w_a), triple(w_b), 0.0,
            1.0, 0.1, 200,
        )  # fmt: skip
        least = min(gap(s) for s in np.linspace(0.0, t, 101))
        assert least > 0.0999 * first
        if t < 1.0:
            impacts += 1
            assert gap(t) < 0.16 * first
    assert impacts > 2


def test_a_ring_spins_about_a_peg_that_almost_fills_it():
    """A clearance of 1 um in a ring of 10 mm: turning about the axis meets nothing."""
    ring = ring_of(np.eye(3), 12e-3, 2e-3)
    solid = Solid((0.0, 0.0, 1.0), -0.02, 10e-3 - 1e-6, 0.02, 10e-3 - 1e-6, 0.0)
    target = Target(SOLID, ZERO, ZERO, ZERO, ZERO, solid, NO_RING, 0.0, 0.0)
    t, _, _ = advance_ring(
        ring, -0.5 * WIDTH, 0.5 * WIDTH, target, 0.0, ZERO, ZERO, (0.0, 0.0, 0.5), ZERO, 0.0, 1.0,
        0.1, 200,
    )  # fmt: skip
    assert t == 1.0
    t, _, _ = advance_ring(
        ring, -0.5 * WIDTH, 0.5 * WIDTH, target, 0.0, ZERO, (2e-6, 0.0, 0.0), ZERO, ZERO, 0.0, 1.0,
        0.1, 200,
    )  # fmt: skip
    assert t == pytest.approx(0.45, abs=0.02)
