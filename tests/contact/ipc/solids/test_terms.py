"""Derivatives of the barriers of solids of revolution against finite differences."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dovetail.collision.distance.derivatives import PAIR_ROW, expand
from dovetail.collision.distance.revolution import Solid
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.solids.between import add_between_terms, between_gap
from dovetail.contact.ipc.solids.gaps import edge_gap, face_gap, plane_gap
from dovetail.contact.ipc.solids.terms import add_edge_terms, add_plane_terms

CYLINDER = (-0.2, 0.1, 0.2, 0.1, 0.0)
CONE = (-0.05, 0.12, 0.15, 0.0, 0.0)
RING = (0.0, 0.1, 0.0, 0.1, 0.03)
BARRIER, DELTA = Barrier(0.05, 0.0, 2.0, 0.0), 2e-3


def triple(v):
    return tuple(float(c) for c in v)


def differences(energy, y, step):
    return np.array(
        [(energy(y + step * e) - energy(y - step * e)) / (2 * step) for e in np.eye(12)]
    )


def moved(y, side):
    """Translation and rotation of one of two bodies."""
    return y[6 * side : 6 * side + 3], Rotation.from_rotvec(y[6 * side + 3 : 6 * side + 6])


def check(terms, exact=True, step=1e-6):
    """`terms(y, theta, out)` adds derivatives at the twists y and returns the energy."""

    def gradient(y):
        row, g, H = np.zeros((1, PAIR_ROW)), np.zeros(12), np.zeros((12, 12))
        terms(y, 1.0, row)
        expand(row, 0, g, H)
        return g, H

    def energy(y):
        return terms(y, -1.0, np.zeros((1, PAIR_ROW)))

    zero = np.zeros(12)
    g, H = gradient(zero)
    expected = differences(energy, zero, step)
    assert energy(zero) > 0.0
    np.testing.assert_allclose(g, expected, atol=1e-5 * np.abs(g).max())
    if exact:
        # rotations do not commute: the Hessian of y -> exp(w) is that of energies
        second = np.zeros((12, 12))
        h = 1e-4 * step / 1e-6
        for i in range(12):
            for j in range(12):
                a, b = h * np.eye(12)[i], h * np.eye(12)[j]
                second[i, j] = (energy(a + b) - energy(a - b) - energy(b - a) + energy(-a - b)) / (
                    4 * h * h
                )
        np.testing.assert_allclose(H, second, atol=5e-3 * np.abs(H).max())


def at(y, side, x, R, points):
    """Points of a body with centre x after its twist."""
    s, turn = moved(y, side)
    return x + s + turn.apply(points @ R.T)


def solid_and_axis(row, y, R):
    _, turn = moved(y, 0)
    return Solid(triple(turn.apply(R[:, 2])), *row)


def over_plane(row, R, height, tilt_b=0.3):
    Rb = Rotation.from_rotvec([0.1, tilt_b, 0.2]).as_matrix()
    normal = Rb[:, 2]
    x_b = np.array([0.3, -0.2, 0.1])

    def terms(y, theta, out):
        solid = solid_and_axis(row, y, R)
        s_b, turn_b = moved(y, 1)
        x_a = x_b + np.array([0.0, 0.1, 0.0]) + height * normal + y[:3]
        D = x_b + s_b - x_a
        over = plane_gap(solid, triple(turn_b.apply(normal)), triple(D), triple(D), DELTA)
        return add_plane_terms(over, solid, triple(D), True, BARRIER, theta, out, 0)

    return terms


@pytest.mark.parametrize(
    ("row", "tilt", "height"),
    [
        (CYLINDER, 0.0, 0.22), (CYLINDER, 0.01, 0.22), (CYLINDER, 0.5, 0.25),
        (CYLINDER, np.pi / 2, 0.12), (CONE, 0.3, 0.10), (CONE, 2.2, 0.14), (CONE, np.pi, 0.17),
        (RING, 0.0, 0.05), (RING, 1.0, 0.14),
    ],
)  # fmt: skip
def test_over_a_plane(row, tilt, height):
    normal = Rotation.from_rotvec([0.1, 0.3, 0.2])
    R = (normal * Rotation.from_rotvec([tilt, 0, 0])).as_matrix()
    x = over_plane(row, R, height)
    check(x, step=1e-6 if tilt not in (0.0, np.pi) else 1e-7)


EDGES = {
    "side": ([-0.3, 0.115, 0.05], [0.4, 0.12, -0.03]),
    "disc": ([-0.2, 0.02, 0.215], [0.3, 0.05, 0.2151]),
    "rim": ([-0.3, 0.105, 0.2], [0.3, 0.095, 0.22]),
    "along": ([0.001, 0.115, -0.3], [0.0, 0.1151, 0.3]),
    "vertex": ([0.02, 0.115, 0.05], None),
    "vertex at rim": ([0.02, 0.105, 0.21], None),
    "vertex at disc": ([0.02, 0.03, 0.21], None),
}


@pytest.mark.parametrize("row", [CYLINDER, CONE], ids=["cylinder", "cone"])
@pytest.mark.parametrize("name", EDGES)
def test_at_an_edge(row, name):
    p, q = EDGES[name]
    is_edge = q is not None
    points = np.array([p, q if is_edge else p])
    if row is CONE:
        points = points @ Rotation.from_rotvec([-0.54, 0, 0]).as_matrix().T - [0, 0.045, 0]
        if name == "rim":
            points = np.array([[-0.3, 0.125, -0.06], [0.3, 0.118, -0.055]])
        elif name == "vertex at rim":
            points = np.array(2 * [[0.02, 0.125, -0.06]])
        elif name in ("disc", "vertex at disc"):
            points = np.array([p, q if is_edge else p]) * [1, 1, -1] + [0, 0, 0.15]
    R, x_b = Rotation.from_rotvec([0.4, -0.2, 0.3]).as_matrix(), np.array([0.2, 0.3, -0.1])

    def terms(y, theta, out):
        solid = solid_and_axis(row, y, R)
        world = at(y, 1, x_b, np.eye(3), points @ R.T - x_b) - y[:3]
        D = triple(x_b + y[6:9] - y[:3])
        edge = edge_gap(solid, triple(world[0]), triple(world[1]), is_edge, 0.001, D, DELTA)
        return add_edge_terms(edge, solid, D, 0.001, BARRIER, theta, out, 0)

    check(terms, exact=name not in ("disc", "along"))  # there the Hessian leaves out the slope


def test_beside_a_face():
    """The gradient is exact where the lowest point is beside the triangle."""
    triangle = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    R = Rotation.from_rotvec([1.2, 0.1, 0.0]).as_matrix()

    def terms(y, theta, out):
        solid = solid_and_axis(CYLINDER, y, R)
        x_b = np.array([0.1, 0.2, 0.3])
        centre = np.array([-0.005, 0.2, 0.183])
        world = at(y, 1, x_b, np.eye(3), triangle - x_b) - centre - y[:3]
        corners = tuple(triple(v) for v in world)
        D = triple(x_b + y[6:9] - centre - y[:3])
        over, inside = face_gap(solid, corners, corners, (0, 1, 2), 0, D, DELTA)
        assert not inside
        return add_plane_terms(over, solid, D, inside, BARRIER, theta, out, 0)

    check(terms, exact=False)


@pytest.mark.parametrize("angle", [0.0, 0.01, 0.8, np.pi / 2])
@pytest.mark.parametrize("rows", [(CYLINDER, CYLINDER), (CYLINDER, CONE), (CONE, CONE)])
def test_between_solids(rows, angle):
    R = Rotation.from_rotvec([0.0, 0.02, 0.0]).as_matrix()
    Rb = Rotation.from_rotvec([0.0, angle, 0.1]).as_matrix()

    def terms(y, theta, out):
        a = solid_and_axis(rows[0], y, R)
        _, turn = moved(y, 1)
        b = Solid(triple(turn.apply(Rb[:, 2])), *rows[1])
        D = np.array([0.01, 0.22 if rows[0] is CYLINDER else 0.19, 0.02]) + y[6:9] - y[:3]
        gap, found = between_gap(a, b, triple(D), DELTA)
        return add_between_terms(gap, found, a, b, BARRIER, theta, out, 0)

    check(terms, step=2e-7)
