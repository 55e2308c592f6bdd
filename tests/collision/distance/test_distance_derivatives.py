"""Barrier energies: derivatives against differences and against the IPC Toolkit, case by case."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dovetail.collision.distance.derivatives import GRADIENT_ONLY, PAIR_ROW, expand
from dovetail.contact.ipc.barrier.function import Barrier
from simplex_pairs import CLOSEST, EVERY, ON_A, TERMS, case_of, nearly_parallel, sample, tuples

DMIN, DHAT, KAPPA = 0.05, 6.0, 1.7
STENCIL = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}  # first derivative, eighth order


def terms(kind, points, centres, theta=1.0, dmin=DMIN, dhat=DHAT, offset=0.0):
    """Energy, gradient (12,) and Hessian (12, 12)."""
    out, gradient, H = np.zeros((1, PAIR_ROW)), np.empty(12), np.empty((12, 12))
    barrier = Barrier(dhat, dmin, KAPPA, offset)
    energy = TERMS[kind](*tuples(points), *tuples(centres), barrier, theta, out, 0)
    expand(out, 0, gradient, H)
    return energy, gradient, H


def moved(kind, points, centres, twist):
    """Both bodies moved by their twists (s_a, w_a, s_b, w_b)."""
    points, centres = points.copy(), centres.copy()
    of_a = np.arange(len(points)) < ON_A[kind]
    for body, mine in enumerate((of_a, ~of_a)):
        s, w = twist[6 * body : 6 * body + 3], twist[6 * body + 3 : 6 * body + 6]
        R = Rotation.from_rotvec(w).as_matrix()
        points[mine] = (points[mine] - centres[body]) @ R.T + centres[body] + s
        centres[body] += s
    return points, centres


def differences(function, h=4e-3):
    """Derivative of function(twist) at zero, one column per twist coordinate."""
    columns = []
    for k in range(12):
        step = np.zeros(12)
        step[k] = h
        columns.append(
            sum(c * (function(m * step) - function(-m * step)) for m, c in STENCIL.items()) / h
        )
    return np.array(columns).T


def distance_of(kind, points):
    """[m] at the closest points of the two simplices."""
    a, b = points[: ON_A[kind]], points[ON_A[kind] :]
    _, s, t = CLOSEST[kind](*tuples(points))
    if kind == "edge-edge":
        return np.linalg.norm(a[0] + s * (a[1] - a[0]) - b[0] - t * (b[1] - b[0]))
    weights = {"point-point": [1.0], "point-edge": [1 - s, s]}.get(kind, [1 - s - t, s, t])
    return np.linalg.norm(a[0] - weights @ b)


def second_differences(kind, points, centres, h=4e-3, offset=0.0):
    """Hessian of the energy along the arcs exp(t w), by mixed differences of the energy itself."""

    def along(direction):
        value = [
            terms(kind, *moved(kind, points, centres, t * h * direction), offset=offset)[0]
            for t in range(-4, 5)
        ]
        weights = [-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]
        return np.dot(weights, value) / h**2

    unit = np.eye(12)
    pure = np.array([along(e) for e in unit])
    H = np.diag(pure)
    for i in range(12):
        for j in range(i):
            H[i, j] = H[j, i] = (along(unit[i] + unit[j]) - pure[i] - pure[j]) / 2
    return H


@pytest.mark.parametrize("offset", [0.0, 0.2])
@pytest.mark.parametrize(("kind", "case"), EVERY)
def test_gradient_and_hessian_match_differences_of_the_energy_in_every_case(kind, case, offset):
    """`offset` is the sum of the radii of round features, here a part of the distance."""
    rng = np.random.default_rng([case, len(kind)])
    points, centres = sample(kind, case, rng), rng.normal(size=(2, 3))
    offset *= distance_of(kind, points)
    _, gradient, H = terms(kind, points, centres, offset=offset)
    numeric = differences(
        lambda twist: terms(kind, *moved(kind, points, centres, twist), offset=offset)[0]
    )
    np.testing.assert_allclose(gradient, numeric, rtol=1e-8, atol=1e-8 * np.abs(numeric).max())
    second = second_differences(kind, points, centres, offset=offset)
    np.testing.assert_allclose(H, second, rtol=0, atol=1e-7 * np.abs(second).max())


@pytest.mark.parametrize("case", range(9))
@pytest.mark.parametrize("angle", [0.02, 0.005])
def test_mollified_edges_match_differences_of_the_energy(case, angle):
    rng = np.random.default_rng(case)
    h = 2e-4 * angle / 0.02
    points, centres = nearly_parallel(case, angle, rng, 8 * h), rng.normal(size=(2, 3))
    e_a, e_b = points[1] - points[0], points[3] - points[2]
    sine = np.linalg.norm(np.cross(e_a, e_b)) / np.linalg.norm(e_a) / np.linalg.norm(e_b)
    assert sine**2 < 1e-3  # the mollifier is at work
    _, gradient, H = terms("edge-edge", points, centres)
    numeric = differences(
        lambda twist: terms("edge-edge", *moved("edge-edge", points, centres, twist))[0], h
    )
    np.testing.assert_allclose(gradient, numeric, rtol=0, atol=1e-7 * np.abs(numeric).max())
    second = second_differences("edge-edge", points, centres, h)
    np.testing.assert_allclose(H, second, rtol=0, atol=1e-4 * np.abs(second).max())


def twist_derivatives(kind, points, centres, g, H):
    """From the vertices' gradient (3n,) and Hessian (3n, 3n) to those of the twists."""
    J, curvature = np.zeros((3 * len(points), 12)), np.zeros((12, 12))
    for i, p in enumerate(points):
        body = 0 if i < ON_A[kind] else 1
        r, f = p - centres[body], g[3 * i : 3 * i + 3]
        w = slice(6 * body + 3, 6 * body + 6)
        J[3 * i : 3 * i + 3, 6 * body : 6 * body + 3] = np.eye(3)
        J[3 * i : 3 * i + 3, w] = -np.cross(np.eye(3), r).T @ -np.eye(3)
        curvature[w, w] += (np.outer(f, r) + np.outer(r, f)) / 2 - f @ r * np.eye(3)
    return J.T @ g, J.T @ H @ J + curvature


@pytest.mark.parametrize(
    ("kind", "case", "parallel"),
    [(*both, False) for both in EVERY] + [("edge-edge", case, True) for case in range(9)],
)
def test_derivatives_agree_with_the_ipc_toolkit_in_every_case(kind, case, parallel):
    ipctk = pytest.importorskip("ipctk")
    rng = np.random.default_rng([case, 5])
    points = nearly_parallel(case, 0.01, rng) if parallel else sample(kind, case, rng)
    centres = rng.normal(size=(2, 3))
    name = kind.replace("-", "_")
    square = getattr(ipctk, f"{name}_distance")(*points)
    gradient = getattr(ipctk, f"{name}_distance_gradient")(*points)
    hessian = getattr(ipctk, f"{name}_distance_hessian")(*points)
    width = DHAT * (2 * DMIN + DHAT)
    barrier = ipctk.ClampedLogBarrier()
    x = square - DMIN**2
    b, db, ddb = (
        KAPPA / width**2 * f(x, width)
        for f in (barrier, barrier.first_derivative, barrier.second_derivative)
    )
    energy, g, H = b, db * gradient, db * hessian + ddb * np.outer(gradient, gradient)
    if kind == "edge-edge":
        limit = ipctk.edge_edge_mollifier_threshold(*points)
        m, dm, ddm = (
            getattr(ipctk, f"edge_edge_mollifier{suffix}")(*points, limit)
            for suffix in ("", "_gradient", "_hessian")
        )
        assert (m < 1) == parallel
        H = m * H + b * ddm + np.outer(dm, g) + np.outer(g, dm)
        energy, g = m * b, m * g + b * dm
    g, H = twist_derivatives(kind, points, centres, g, H)
    ours = terms(kind, points, centres)
    assert ours[0] == pytest.approx(energy, rel=1e-10)
    np.testing.assert_allclose(ours[1], g, rtol=0, atol=1e-9 * np.abs(g).max())
    np.testing.assert_allclose(ours[2], H, rtol=0, atol=1e-9 * np.abs(H).max())


@pytest.mark.parametrize(("kind", "case"), EVERY)
def test_a_contact_pushes_and_turns_without_net_force_or_moment(kind, case):
    rng = np.random.default_rng(case)
    points, centres = sample(kind, case, rng), rng.normal(size=(2, 3))
    _, g, H = terms(kind, points, centres)
    np.testing.assert_allclose(g[:3], -g[6:9], rtol=1e-14)
    moment = g[3:6] + g[9:] + np.cross(centres[0], g[:3]) + np.cross(centres[1], g[6:9])
    np.testing.assert_allclose(moment, 0, atol=1e-12 * np.abs(g).max())
    together = np.tile(np.eye(6)[:3], 2)  # both bodies along x, y or z: nothing changes
    np.testing.assert_allclose(H @ together.T, 0, atol=1e-12 * np.abs(H).max())


@pytest.mark.parametrize(("kind", "case"), EVERY)
def test_without_its_curvature_part_the_hessian_is_positive(kind, case):
    rng = np.random.default_rng(case)
    points, centres = sample(kind, case, rng), rng.normal(size=(2, 3))
    _, gradient, H = terms(kind, points, centres, theta=0.0)
    eigenvalues = np.linalg.eigvalsh(H)
    assert eigenvalues[0] > -1e-12 * eigenvalues[-1]
    np.testing.assert_array_equal(gradient, terms(kind, points, centres)[1])


@pytest.mark.parametrize(("kind", "case"), EVERY)
def test_without_its_curvature_part_the_hessian_is_exact_along_the_normal(kind, case):
    """A straight path along the normal changes the distance and nothing else."""
    rng = np.random.default_rng(case)
    points, centres = sample(kind, case, rng), rng.normal(size=(2, 3))
    _, gradient, positive = terms(kind, points, centres, theta=0.0)
    exact = terms(kind, points, centres)[2]
    n = gradient[:3] / np.linalg.norm(gradient[:3])
    displacement = np.concatenate((n, np.zeros(9)))
    assert displacement @ positive @ displacement == pytest.approx(
        displacement @ exact @ displacement, rel=1e-9
    )


@pytest.mark.parametrize(("kind", "case"), EVERY)
def test_slopes_only_are_the_same_and_come_without_a_hessian(kind, case):
    rng = np.random.default_rng(case)
    points, centres = sample(kind, case, rng), rng.normal(size=(2, 3))
    energy, gradient, H = terms(kind, points, centres, theta=GRADIENT_ONLY)
    assert energy == terms(kind, points, centres)[0]
    np.testing.assert_array_equal(gradient, terms(kind, points, centres)[1])
    assert not H.any()


@pytest.mark.parametrize("pull", [1.0, -1.0])
def test_a_vertex_that_is_pulled_outwards_keeps_the_stiffness_of_the_pull(pull):
    """A vertex offset of length 1 from a: pulled outwards by F, rotating a has stiffness F."""
    points = np.array([[1.0, 0, 0], [1.0 - 0.3 * pull, 0, 0]])
    centres = np.zeros((2, 3))
    _, gradient, exact = terms("point-point", points, centres, dmin=0.0, dhat=1.0)
    positive = terms("point-point", points, centres, theta=0.0, dmin=0.0, dhat=1.0)[2]
    force = np.linalg.norm(gradient[:3])
    tangential = np.diag([0.0, 1.0, 1.0]) * force / 0.3  # how the gap bends, left out
    arc = exact[3:6, 3:6] + tangential
    np.testing.assert_allclose(arc, np.diag([0.0, pull, pull]) * force, atol=1e-9 * force)
    np.testing.assert_allclose(
        positive[3:6, 3:6], np.diag([0.0, 1.0, 1.0]) * max(pull, 0.0) * force, atol=1e-9 * force
    )


def test_edges_exactly_parallel_have_no_energy_and_finite_derivatives():
    points = np.array([[0, 0, 0], [1, 0, 0], [0.2, 0.1, 0], [1.2, 0.1, 0]], float)
    energy, gradient, H = terms("edge-edge", points, np.zeros((2, 3)), dmin=0.0, dhat=1.0)
    assert energy == 0
    np.testing.assert_array_equal(gradient, 0)
    assert np.all(np.isfinite(H))


def test_the_barrier_is_zero_from_its_reach_on_and_infinite_at_the_least_separation():
    for distance, energy in ((0.110001, 0.0), (0.1, np.inf), (0.0999, np.inf)):
        points = np.array([[distance, 0, 0], [0, 0, 0]])
        got, _, _ = terms("point-point", points, np.zeros((2, 3)), dmin=0.1, dhat=0.01)
        assert got == energy
    points = np.array([[0.1099, 0, 0], [0, 0, 0]])
    assert 0 < terms("point-point", points, np.zeros((2, 3)), dmin=0.1, dhat=0.01)[0] < 1e-3


def test_a_scene_in_millimetres_has_the_energy_of_the_scene_in_kilometres():
    rng = np.random.default_rng(1)
    for kind, case in EVERY:
        points, centres = sample(kind, case, rng), rng.normal(size=(2, 3))
        energy, g, H = terms(kind, points, centres)
        for scale in (1e-3, 1e3):
            scaled = terms(kind, scale * points, scale * centres, 1.0, scale * DMIN, scale * DHAT)
            units = np.tile([scale] * 3 + [1.0] * 3, 2)
            assert scaled[0] == pytest.approx(energy, rel=1e-12)
            np.testing.assert_allclose(units * scaled[1], g, rtol=0, atol=1e-11 * np.abs(g).max())
            H_scaled = units[:, None] * scaled[2] * units
            np.testing.assert_allclose(H_scaled, H, rtol=0, atol=1e-11 * np.abs(H).max())


def test_sampled_cases_are_what_they_say():
    rng = np.random.default_rng(0)
    assert all(case_of(kind, sample(kind, case, rng)) == case for kind, case in EVERY)
