"""Iterations for forces that depend on what they cause."""

import numpy as np
import pytest

from dovetail.contact.penalty.records import DerivativeBlocks
from dovetail.integrators.lie_verlet.block_solver import BlockSolver
from dovetail.integrators.lie_verlet.velocity_newton import MAX_SHORTENINGS, VelocityNewton
from dovetail.integrators.shared.fixed_point import DEPTH, MAX_HALVINGS, Anderson, Newton


def stiff_map(n, seed=1, size=30.0):
    """w -> A w + b with eigenvalues far outside of the unit circle, and its fixed point."""
    rng = np.random.default_rng(seed)
    A = -size * (lambda Q: Q @ np.diag(np.linspace(0.3, 1, n)) @ Q.T)(
        np.linalg.qr(rng.normal(size=(n, n)))[0]
    )
    b = rng.normal(size=n)
    return A, b, np.linalg.solve(np.eye(n) - A, b)


@pytest.mark.parametrize("n", [1, 3, 5])
def test_acceleration_solves_affine_maps_in_as_many_iterations_as_unknowns(n):
    """As GMRES does; plain iteration diverges by a factor of up to 30 each time."""
    A, b, exact = stiff_map(n)
    method, w = Anderson(), np.zeros(n)
    for _ in range(n + 2):
        w = method.next(w, A @ w + b)
    assert w == pytest.approx(exact, abs=1e-9 * np.abs(exact).max())


def test_a_map_that_contracts_fast_is_iterated_as_it_is():
    method, w, b = Anderson(), np.array([1.0, -2.0]), np.array([3.0, 4.0])
    for _ in range(3):
        g = 1e-4 * w + b
        w = method.next(w, g)
        assert np.array_equal(w, g)


def test_iterates_without_change_are_left_as_they_are():
    method, w = Anderson(), np.array([1.0, 2.0])
    g = np.array([1.5, 2.5])
    for _ in range(3):
        assert np.array_equal(method.next(w, g), g)


def test_only_so_many_iterates_are_kept():
    A, b, exact = stiff_map(3)
    method, w = Anderson(), np.zeros(3)
    for _ in range(3 * DEPTH):
        w = method.next(w, A @ w + b)
    assert w == pytest.approx(exact, rel=1e-8)
    assert len(method._w) == DEPTH + 1


def test_newton_needs_one_correction_for_an_affine_map():
    A, b, exact = stiff_map(4)
    method, w = Newton(), np.zeros(4)
    w = method.next(w, A @ w + b, lambda: A)
    assert w == pytest.approx(exact, abs=1e-12)


def test_newton_is_shortened_by_halves_where_the_residual_does_not_fall():
    """A step that overshoots is tried again at 1/2, 1/4, ... of itself."""
    method, start = Newton(), np.array([0.0])
    first = method.next(start, np.array([1.0]), lambda: np.zeros((1, 1)))
    assert first == pytest.approx([1.0])
    half = method.next(first, first + 5.0, lambda: np.zeros((1, 1)))
    assert half == pytest.approx([0.5])
    quarter = method.next(half, half + 1.0, lambda: np.zeros((1, 1)))  # no smaller than at 0
    assert quarter == pytest.approx([0.25])
    onward = method.next(quarter, quarter + 0.5, lambda: np.zeros((1, 1)))
    assert onward == pytest.approx([0.75])


def test_newton_goes_on_from_where_it_is_after_so_many_halvings():
    """The residual grows wherever it looks: the least part is tried once, then it starts again."""
    newton, w = Newton(), np.zeros(1)
    parts, size = [], 1.0
    for _ in range(MAX_HALVINGS + 3):
        new = newton.next(w, w + size, lambda: np.zeros((1, 1)))
        parts.append(newton._part)
        w, size = new, 2.0 * size
    halved = [0.5**k for k in range(MAX_HALVINGS + 1)]
    assert parts[: MAX_HALVINGS + 2] == [*halved, 1.0]


def test_a_contact_that_opens_does_not_make_newton_cycle():
    """w = k max(0, d - w): a stiff contact, from far inside."""
    stiffness, depth = 1e3, 1.0

    def force(w):
        return stiffness * np.maximum(0.0, depth - w)

    method, w = Newton(), np.array([-5.0])
    for _ in range(30):
        slope = np.where(depth - w > 0, -stiffness, 0.0)
        w = method.next(w, force(w), lambda slope=slope: np.diag(slope))
    assert w == pytest.approx([stiffness * depth / (1 + stiffness)])


def damped_body(curve, slope, v0, response):
    """Iterates of a body of one direction whose force `curve(v)` depends on v = v0 + response w."""
    responses = np.zeros((1, 6, 6))
    responses[0, 0, 0] = response
    velocity = [v0]

    def slopes(tangent):
        own = np.zeros((1, 6, 6))
        own[0, 0, 0] = slope(velocity[0], tangent)
        return DerivativeBlocks(own, np.zeros((0, 2), np.int32), np.zeros((0, 2, 6, 6)))

    method, w, found = VelocityNewton(BlockSolver(1), slopes, responses), np.zeros((2, 1, 3)), []
    for _ in range(40):
        velocity[0] = v0 + response * w[0, 0, 0]
        g = np.zeros((2, 1, 3))
        g[0, 0, 0] = curve(velocity[0])
        found.append((w[0, 0, 0], g[0, 0, 0]))
        if abs(g - w).max() < 1e-9 * max(1.0, abs(g).max()):
            break
        w = method.next(w, g)
    return found


def test_linear_damping_takes_one_step():
    c, v0, response = 50.0, 2.0, 0.3
    found = damped_body(lambda v: -c * v, lambda v, tangent: -c, v0, response)
    assert found[-1][0] == pytest.approx(-c * v0 / (1 + c * response), rel=1e-6)
    assert len(found) <= 4  # the linear system itself is solved to 1e-4


def test_a_step_that_falls_short_is_followed_by_another_not_by_a_part_of_it():
    """Slopes three times too steep: every step ends before the minimum, and none is repeated."""
    c, v0, response = 50.0, 2.0, 0.3
    found = damped_body(lambda v: -c * v, lambda v, tangent: -3 * c, v0, response)
    forces = [-w for w, _ in found[:8]]
    assert np.all(np.diff(forces) > 0.1 * (c * v0 / (1 + c * response) - forces[-2]))


@pytest.mark.parametrize("v0", [0.4, 3.0, -3.0])
def test_friction_that_starts_to_slip_does_not_make_it_cycle(v0):
    """A force that saturates: w = -F sat(v / v_s), whose tangent is nothing while slipping."""
    largest, v_s, response = 10.0, 1e-3, 0.1

    def curve(v):
        return -largest * np.clip(v / v_s, -1, 1)

    def slope(v, tangent):
        if abs(v) < v_s:
            return -largest / v_s
        return 0.0 if tangent else -largest / abs(v)

    found = damped_body(curve, slope, v0, response)
    w, g = found[-1]
    assert g == pytest.approx(w, abs=1e-8)
    sticks = abs(v0) < response * largest
    exact = -v0 / (v_s / largest + response) if sticks else -largest * np.sign(v0)
    assert w == pytest.approx(exact, rel=1e-6)
    assert len(found) < 2 * MAX_SHORTENINGS
