"""Friction of one contact: derivatives against differences and the IPC Toolkit, sticking, cone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from dovetail.collision.distance.derivatives import PAIR_ROW, expand
from dovetail.contact.ipc.friction.potential import (
    add_contact_derivatives,
    coefficient,
    friction_energy,
    pair_motion,
    set_contact,
    smoothed_derivatives,
    smoothed_length,
    within_cone,
)
from dovetail.contact.ipc.friction.records import CONTACT_COLUMNS, LaggedContacts
from rounding import rounding
from simplex_pairs import tuples

LIMIT, EPS = 1.7, 0.3
ONE = np.ones(1, np.int64)
BODIES = np.array([[0, 1]], np.int32)


def lagged(rows):
    """One contact of bodies 0 and 1 as `friction_energy` takes it."""
    return LaggedContacts(ONE, ONE, rows, BODIES)


class Contact:
    """One contact of two bodies that have moved since the start of the step."""

    def __init__(self, rng, displacement, e=(0, 0, 0)):
        self.x_0 = rng.normal(size=(2, 3))
        self.R_0 = Rotation.random(2, rng=rng).as_matrix()
        self.x = self.x_0 + displacement * rng.normal(size=(2, 3))
        self.R = Rotation.from_rotvec(displacement * rng.normal(size=(2, 3))).as_matrix() @ self.R_0
        offsets = rng.normal(size=(2, 3))
        n = rng.normal(size=3)
        self.n = n / np.linalg.norm(n)
        self.rows = np.zeros((1, CONTACT_COLUMNS))
        set_contact(
            self.rows, 0, tuples(self.R[0]), tuples(self.R[1]), tuples(self.R_0[0]),
            tuples(self.R_0[1]), *tuples(offsets), tuple(self.n), tuple(e), LIMIT, EPS,
        )  # fmt: skip

    def energy(self, twist):
        s, w = twist.reshape(2, 2, 3)[:, 0], twist.reshape(2, 2, 3)[:, 1]
        R = Rotation.from_rotvec(w).as_matrix() @ self.R
        return friction_energy(lagged(self.rows), self.x + s, R, self.x_0)

    def terms(self, theta=1.0, stiffening=0.0):
        out, gradient, H = np.zeros((1, PAIR_ROW)), np.empty(12), np.empty((12, 12))
        motion = pair_motion(self.x, self.R, self.x_0, 0, 1)
        add_contact_derivatives(self.rows, 0, motion, theta, stiffening, out, 0)
        expand(out, 0, gradient, H)
        return gradient, H


def first_differences(function, h=2e-4):
    return np.array(
        [
            (8 * (function(h * e) - function(-h * e)) - function(2 * h * e) + function(-2 * h * e))
            / (12 * h)
            for e in np.eye(12)
        ]
    )


def second_differences(function, h=4e-4):
    def along(e):
        far, near = function(2 * h * e) + function(-2 * h * e), function(h * e) + function(-h * e)
        return (-far + 16 * near - 30 * function(np.zeros(12))) / (12 * h * h)

    unit = np.eye(12)
    H = np.diag([along(e) for e in unit])
    for i in range(12):
        for j in range(i):
            H[i, j] = H[j, i] = (along(unit[i] + unit[j]) - H[i, i] - H[j, j]) / 2
    return H


@pytest.mark.parametrize("displacement", [0.02, 1.0], ids=["sticks", "slips"])
@pytest.mark.parametrize("seed", range(4))
def test_friction_derivatives_match_differences_of_the_energy(displacement, seed):
    contact = Contact(np.random.default_rng(seed), displacement, e=(0.05, -0.03, 0.04))
    g, H = contact.terms()
    numeric = first_differences(contact.energy)
    np.testing.assert_allclose(g, numeric, rtol=0, atol=1e-8 * np.abs(numeric).max())
    second = second_differences(contact.energy)
    np.testing.assert_allclose(H, second, rtol=0, atol=1e-6 * np.abs(second).max())


@pytest.mark.parametrize("displacement", [0.0, 0.02, 1.0])
def test_friction_without_the_curvature_of_the_arcs_is_positive(displacement):
    _, H = Contact(np.random.default_rng(3), displacement).terms(theta=0.0)
    values = np.linalg.eigvalsh(H)
    assert values[0] > -1e-12 * values[-1]
    assert values[-1] > 0


@pytest.mark.parametrize("displacement", [0.02, 1.0], ids=["sticks", "slips"])
def test_a_stiffened_parabola_lies_above_the_friction_energy(displacement):
    contact = Contact(np.random.default_rng(5), displacement)
    g, H = contact.terms(theta=0.0, stiffening=1.0)
    start = contact.energy(np.zeros(12))
    rng = np.random.default_rng(6)
    for size in (0.01, 0.1, 1.0):
        for _ in range(20):
            shift = np.zeros(12)
            shift[:3] = size * rng.normal(size=3)
            model = start + g @ shift + shift @ H @ shift / 2
            assert contact.energy(shift) <= model + 1e-12


def test_friction_acts_on_both_bodies_at_one_line_of_force():
    contact = Contact(np.random.default_rng(1), 0.05)
    g, _ = contact.terms()
    np.testing.assert_allclose(g[:3], -g[6:9], rtol=1e-14)
    assert abs(g[:3] @ contact.n) < 1e-14  # friction does no work along the normal
    assert np.linalg.norm(g[:3]) <= LIMIT


@given(st.floats(0, 10), st.floats(1e-6, 1))
def test_the_friction_force_never_leaves_the_cone(y, eps):
    over, slope = smoothed_derivatives(max(y, 1e-30), eps)
    assert 0 <= over * y <= 1 + 1e-12
    assert slope >= 0


@pytest.mark.parametrize("y", [0.0, 0.03, 0.29, 0.3, 0.31, 2.0])
def test_the_smoothed_length_is_that_of_the_ipc_toolkit(y):
    ipctk = pytest.importorskip("ipctk")
    ours = smoothed_length(y, EPS) + EPS / 3
    assert ours == pytest.approx(ipctk.smooth_friction_f0(y, EPS), rel=1e-13)
    if y > 0:
        over, slope = smoothed_derivatives(y, EPS)
        assert over == pytest.approx(ipctk.smooth_friction_f1_over_x(y, EPS), rel=1e-13)
        assert slope == pytest.approx(ipctk.smooth_friction_f2(y, EPS), rel=1e-12, abs=1e-13)


def test_friction_of_a_corner_on_a_face_agrees_with_the_ipc_toolkit():
    """One lagged contact: same potential, and the same force on the corner."""
    ipctk = pytest.importorskip("ipctk")
    vertices = np.array([[0, 0, 0.1], [-1, -1, 0], [2, -1, 0], [-1, 2, 0]], float)
    faces = np.array([[1, 2, 3]])
    mesh = ipctk.CollisionMesh(vertices, ipctk.edges(faces), faces)
    collisions = ipctk.NormalCollisions()
    collisions.build(mesh, vertices, 0.5)
    assert len(collisions) == 1
    mu = 0.4
    tangential = ipctk.TangentialCollisions()
    tangential.build(mesh, vertices, collisions, ipctk.BarrierPotential(0.5, 3.0), mu)
    shift = np.zeros_like(vertices)
    shift[0] = (0.02, -0.01, 0.05)
    friction = ipctk.FrictionPotential(EPS)
    contact_force = tangential[0].normal_force_magnitude
    rows = np.zeros((1, CONTACT_COLUMNS))
    one = tuples(np.eye(3))
    set_contact(
        rows, 0, one, one, one, one, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0),
        (0.0, 0.0, 0.0), mu * contact_force, EPS,
    )  # fmt: skip
    x_0 = np.array([[0, 0, 0.1], [0, 0, 0.0]])
    x = x_0 + np.array([shift[0], np.zeros(3)])
    eyes = np.array([np.eye(3)] * 2)
    ours = friction_energy(lagged(rows), x, eyes, x_0)
    theirs = friction(tangential, mesh, shift)
    assert ours + mu * contact_force * EPS / 3 == pytest.approx(theirs, rel=1e-12)
    out, g, H = np.zeros((1, PAIR_ROW)), np.empty(12), np.empty((12, 12))
    add_contact_derivatives(rows, 0, pair_motion(x, eyes, x_0, 0, 1), 1.0, 0.0, out, 0)
    expand(out, 0, g, H)
    expected = np.asarray(friction.gradient(tangential, mesh, shift)).reshape(-1, 3)
    np.testing.assert_allclose(g[:3], expected[0], rtol=1e-12)
    np.testing.assert_allclose(g[6:9], expected[1:].sum(axis=0), rtol=1e-12)
    whole = np.asarray(friction.hessian(tangential, mesh, shift).todense())
    np.testing.assert_allclose(H[:3, :3], whole[:3, :3], rtol=0, atol=1e-12 * np.abs(whole).max())


def test_the_coefficient_falls_from_static_to_dynamic_between_its_speeds():
    law = (0.6, 0.4, 0.01, 0.02)
    assert coefficient(law, 0.0) == coefficient(law, 0.01) == 0.6
    assert coefficient(law, 0.02) == coefficient(law, 5.0) == 0.4
    between = [coefficient(law, v) for v in np.linspace(0.01, 0.02, 11)]
    assert np.all(np.diff(between) < 0)
    assert between[5] == pytest.approx(0.5)


def test_the_return_map_keeps_what_is_within_the_cone_to_the_bit():
    assert within_cone((0.1, 0.2, 0.0), 0.3) == (0.1, 0.2, 0.0)
    np.testing.assert_allclose(within_cone((3.0, 4.0, 0.0), 0.5), (0.3, 0.4, 0.0), rtol=rounding(8))
