"""Bodies in free flight against closed forms and conservation laws."""

import numpy as np
import pytest
from closed_forms import TorqueFree, symmetric_attitude
from scipy.special import ellipk
from stepping import advance, at_time, observed_orders, start

from dovetail.integrators import SCHEMES
from dovetail.model.scene import Scene
from dovetail.multibody.energy import kinetic_energy, potential_energy
from dovetail.multibody.momentum import angular_momentum, linear_momentum
from rounding import ORTHOGONALITY

EPS = np.finfo(float).eps
EVERY_SCHEME = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES.keys())
MOMENTS = np.array([1.0, 2.0, 2.5])
FINER = 32  # implicit Euler brakes spin: its error is that of 1/sqrt(1 + 2 T h spin^2)
TURN = np.array([[0.0, -1.0, 0.0], [0.6, 0.0, -0.8], [0.8, 0.0, 0.6]])  # some attitude


def spinning(moments, omega_body, R=None, **more):
    R = np.eye(3) if R is None else R
    scene = Scene(**more)
    scene.add_body(
        "body", mass=2.0, inertia=moments, rotation=R, angular_velocity=R @ np.array(omega_body)
    )
    return scene


def orthogonality(R):
    return np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max()


def test_thrown_body_follows_the_parabola_exactly():
    gravity, v0, n, h = np.array([0.3, 0.0, -9.81]), np.array([3.0, 4.0, 5.0]), 1000, 0.01
    scene = Scene(gravity=gravity)
    scene.add_body("ball", mass=0.3, inertia=(1, 1, 1), position=(1, 2, 3), velocity=v0)
    _, stepper = start(scene)
    T = n * h
    state = advance(stepper, h, n)
    exact = np.array([1, 2, 3]) + v0 * T + 0.5 * gravity * T**2
    # Verlet is exact for constant force: only round-off is left. Each of the n sums rounds v by
    # EPS |v| / 2, carried on for the rest of the flight, and x by EPS |x| / 2.
    fastest = np.abs(gravity).max() * T + 5
    bound = n * EPS * (fastest * T + np.abs(exact).max())
    assert np.abs(state.x[0] - exact).max() < bound
    assert np.abs(state.v[0] - (v0 + gravity * T)).max() < n * EPS * fastest


def test_parabola_is_exact_with_steps_of_any_length():
    scene = Scene(gravity=(0, 0, -10))
    scene.add_body("ball", mass=0.3, inertia=(1, 1, 1), velocity=(0, 0, 3))
    _, stepper = start(scene)
    for t in (0.1, 0.15, 0.7, 0.71, 1.0):
        stepper.step(t)
    assert abs(stepper.bodies.x[0, 2] - (3 - 5)) < 20 * EPS * 5


@EVERY_SCHEME
def test_free_flight_converges_at_the_declared_order(scheme):
    """Spin and attitude of an asymmetric body over one and a half periods of its closed form."""
    exact = TorqueFree(MOMENTS, 1.0, 1.5)
    T = 1.5 * exact.period
    R0 = exact.attitude(0.0)
    scene = spinning(MOMENTS, exact.omega(0.0), R0)

    def errors(n):
        state = at_time(scene, T, n, scheme())
        return (
            np.abs(state.omega[0] - exact.omega(T)).max(),
            np.abs(state.R[0] - exact.attitude(T)).max(),
        )

    fine = FINER if scheme.order == 1 else 1
    for what in (0, 1):
        orders = observed_orders(
            lambda n, what=what: errors(n)[what], (400 * fine, 800 * fine, 1600 * fine)
        )
        # The next term of the error is h^2 smaller in the second-order schemes, and (h * spin)^2
        # is below 3e-3 here; it is only h smaller in Runge-Kutta's, and h * spin is below 0.06.
        declared = getattr(scheme, "order_alone", scheme.order)
        assert np.allclose(orders, declared, rtol=0, atol=0.02 if declared == 2 else 0.06)


def test_closed_form_obeys_euler_equations():
    """The oracle itself: dR/dt = R hat(omega) and J domega/dt = J omega x omega."""
    exact, t, d = TorqueFree(MOMENTS, 1.0, 1.5), 2.3, 1e-4
    turn = exact.attitude(t - d).T @ exact.attitude(t + d)
    rate = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    assert np.allclose(rate / (4 * d), exact.omega(t), rtol=0, atol=1e-7)
    acceleration = (exact.omega(t + d) - exact.omega(t - d)) / (2 * d)
    w = exact.omega(t)
    assert np.allclose(MOMENTS * acceleration, np.cross(MOMENTS * w, w), rtol=0, atol=1e-7)
    assert np.allclose(exact.attitude(t) @ (MOMENTS * w), [0, 0, exact.L])


@EVERY_SCHEME
def test_symmetric_top_cones_about_its_angular_momentum(scheme):
    transverse, axial, omega0, T = 1.0, 1.7, np.array([0.4, 0.0, 2.0]), 5.0
    scene = spinning((transverse, transverse, axial), omega0, TURN)
    exact = symmetric_attitude(TURN, transverse, axial, omega0, T)
    fine = FINER if scheme.order == 1 else 1
    orders = observed_orders(
        lambda n: np.abs(at_time(scene, T, n, scheme()).R[0] - exact).max(),
        (250 * fine, 500 * fine, 1000 * fine),
    )
    assert np.allclose(orders, getattr(scheme, "order_alone", scheme.order), rtol=0, atol=0.02)
    L = TURN @ (np.array([transverse, transverse, axial]) * omega0)
    _, stepper = start(scene, scheme())
    h = 0.01
    # The axis keeps its angle to L: to round-off where L is kept, else to the order of the scheme.
    allowed = 1e-13 if scheme.keeps_momentum else (h * np.linalg.norm(omega0)) ** scheme.order
    for k in range(1, 501):
        stepper.step(k * h)
        nutation = stepper.bodies.R[0, :, 2] @ L / np.linalg.norm(L)
        cosine = axial * omega0[2] / np.linalg.norm(L)
        assert abs(nutation - cosine) < allowed


def test_torque_free_body_keeps_angular_momentum_energy_and_shape_over_1e5_steps():
    h, n = 0.01, 100_000
    model, stepper = start(spinning(MOMENTS, (0.3, 2.0, 0.2), TURN))
    L0 = angular_momentum(model, stepper.bodies)
    E0 = kinetic_energy(model, stepper.bodies)
    energies = np.empty(n // 10)
    for k in range(1, n + 1):
        stepper.step(k * h)
        if k % 10 == 0:
            energies[k // 10 - 1] = kinetic_energy(model, stepper.bodies)
    # the scheme keeps L itself; R, J and omega = J^-1 R^T L round off once each, not per step
    drift = np.abs(angular_momentum(model, stepper.bodies) - L0).max()
    assert drift < 20 * EPS * np.linalg.norm(L0)
    assert orthogonality(stepper.bodies.R) < ORTHOGONALITY
    # energy: a band of (h |omega|)^2 / 12 relative at most, the second term of log's series
    error = energies / E0 - 1
    assert np.abs(error).max() < (h * 2.1) ** 2 / 12
    early, late = error[:1000], error[-1000:]  # 100 s each, more than 12 tumbles
    band = error.max() - error.min()
    assert abs(early.max() - late.max()) < 0.02 * band
    assert abs(early.min() - late.min()) < 0.02 * band


def test_step_back_returns_to_the_start():
    scene = spinning(MOMENTS, (0.3, 2.0, 0.2), TURN, gravity=(0, 0, -9.81))
    scene.add_spring("spring", "ground", "body", (0, 0, 1), (0.2, 0.1, 0.3), stiffness=30)
    _, stepper = start(scene)
    before = stepper.bodies.copy()
    h, n = 0.02, 200
    advance(stepper, h, n)
    assert np.abs(stepper.bodies.x - before.x).max() > 0.1
    advance(stepper, -h, n)
    after = stepper.bodies
    # symmetric scheme: only round-off separates the two, growing with the motion's divergence
    for name in ("x", "R", "v", "omega"):
        assert np.abs(getattr(after, name) - getattr(before, name)).max() < 1e-11, name


def test_motion_is_the_same_in_metres_and_millimetres():
    def tumbling(unit):
        scene = Scene(gravity=(0, 0, -9.81 * unit))
        scene.add_body(
            "body", mass=2.0, inertia=MOMENTS * unit**2, angular_velocity=(0.3, 2.0, 0.2)
        )
        ends = np.array([[0, 0, 1.0], [0.2, 0.1, 0.3]]) * unit
        scene.add_spring("s", "ground", "body", *ends, stiffness=30, damping=0.5)
        return at_time(scene, 2.0, 200)

    metres, millimetres = tumbling(1.0), tumbling(1e3)
    assert np.abs(metres.x).max() > 0.5
    assert np.abs(millimetres.x / 1e3 - metres.x).max() < 1e-11
    assert np.abs(millimetres.R - metres.R).max() < 1e-11


def test_linear_momentum_grows_by_the_impulse_of_gravity():
    model, stepper = start(spinning(MOMENTS, (0.3, 2.0, 0.2), gravity=(1, -2, 3)))
    state = advance(stepper, 0.01, 100)
    assert np.allclose(linear_momentum(model, state), 2.0 * np.array([1, -2, 3]), rtol=1e-13)
    E = kinetic_energy(model, state) + potential_energy(model, state)
    start_energy = 0.5 * MOMENTS @ np.array([0.3, 2.0, 0.2]) ** 2
    assert abs(E / start_energy - 1) < (0.01 * 2.1) ** 2 / 12


def test_dzhanibekov_body_flips_with_the_period_of_the_elliptic_integral():
    """Start near the middle axis: omega_2 changes sign every 2 K(m) / rate."""
    I1, I2, I3 = MOMENTS
    spin, nudge, h = 3.0, 0.01, 2e-3
    L2 = (I2 * spin) ** 2 + (I3 * nudge) ** 2
    twice_T = I2 * spin**2 + I3 * nudge**2
    rate = np.sqrt((I3 - I2) * (L2 - twice_T * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (twice_T * I3 - L2) / ((I3 - I2) * (L2 - twice_T * I1))
    flip = 2 * ellipk(m) / rate
    _, stepper = start(spinning(MOMENTS, (0.0, spin, nudge)))
    crossings, before, t = [], spin, 0.0
    while len(crossings) < 4:
        stepper.step(t + h)
        now = stepper.bodies.omega[0, 1]
        if now * before < 0:
            crossings.append(t + h * before / (before - now))
        before, t = now, t + h
    # second order: the discrete moments, and with them the rate, are off by about
    # (h spin)^2 / 12 = 3e-6 relative; ten times that covers the unknown constant
    assert np.allclose(np.diff(crossings), flip, rtol=10 * (h * spin) ** 2 / 12)
    assert abs(crossings[0] - flip / 2) < 10 * flip * (h * spin) ** 2 / 12
