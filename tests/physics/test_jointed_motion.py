"""Jointed bodies against closed forms and conservation laws."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from stepping import advance, observed_orders

from dovetail import integrators
from dovetail.integrators import RATTLie
from dovetail.linalg.lie import so3
from dovetail.model import Scene, Spherical
from dovetail.multibody.energy import kinetic_energy, potential_energy
from dovetail.multibody.momentum import angular_momentum
from jointed_scenes import GRAVITY, JOINTED, chain

AXIAL, TRANSVERSE, ARM, MASS = 0.02, 0.05, 0.2, 1.5


def heavy_top(tilt, spin, precession):
    """A symmetric top on a ball joint at the origin, tilted about y, its axis the body's z."""
    scene = Scene(gravity=(0, 0, -GRAVITY))
    R = so3.exp([0, tilt, 0])
    axis = R[:, 2]
    omega = spin * axis + precession * np.array([0, 0, 1.0])
    scene.add_body(
        "top", mass=MASS, inertia=(TRANSVERSE, TRANSVERSE, AXIAL), position=ARM * axis, rotation=R,
        angular_velocity=omega, velocity=np.cross(omega, ARM * axis),
    )  # fmt: skip
    scene.add_joint("tip", Spherical((0, 0, 0)), "ground", "top")
    return scene


def steady_precession(tilt, spin):
    """Slow root of A' cos(tilt) p^2 - C (spin + p cos) p + m g l = 0 (Goldstein, section 5.7)."""
    about_tip = TRANSVERSE + MASS * ARM**2
    a = (AXIAL - about_tip) * np.cos(tilt)
    roots = np.roots([a, AXIAL * spin, -MASS * GRAVITY * ARM])
    return float(min(roots.real, key=abs))


def stepper_of(scene, name):
    model = scene.build()
    return model, integrators.named(name, {}).start(model, None)


@pytest.mark.parametrize("name", JOINTED)
def test_heavy_symmetric_top_precesses_steadily(name):
    """Started at the rate of steady precession, the axis keeps its tilt and turns uniformly."""
    tilt, spin = 0.5, 150.0
    rate = steady_precession(tilt, spin)
    _, stepper = stepper_of(heavy_top(tilt, spin, rate), name)
    state = advance(stepper, 5e-4, 2000)
    axis = state.R[0][:, 2]
    # DH, the coarsest: (h spin)^2 / 6 = 1e-3 relative in the rates, over rate * 1 s radians
    off = (5e-4 * spin) ** 2 / 6 * rate * 1.0
    assert np.arccos(axis[2]) == pytest.approx(tilt, abs=2 * off)
    assert np.arctan2(axis[1], axis[0]) == pytest.approx(rate, abs=3 * off)


@pytest.mark.parametrize("name", ["RATTLie", "DH"])
def test_heavy_top_keeps_the_momentum_about_the_vertical_and_its_own_axis(name):
    """Noether: gravity and the ball joint leave L_z about the tip and the spin about the axis."""
    model, stepper = stepper_of(heavy_top(0.7, 40.0, 1.0), name)
    about_vertical = angular_momentum(model, stepper.bodies)[2]
    about_axis = stepper.bodies.omega[0, 2]
    for k in range(1, 3001):
        stepper.step(k * 1e-3)
    assert angular_momentum(model, stepper.bodies)[2] == pytest.approx(about_vertical, rel=1e-11)
    assert stepper.bodies.omega[0, 2] == pytest.approx(about_axis, rel=1e-11)


@pytest.mark.parametrize("name", JOINTED)
def test_pendulum_converges_at_the_declared_order(name):
    """A plane pendulum on a ball joint against q'' = -(m g l / J) sin q solved to 1e-12."""
    J, m, l = 0.3, 2.0, 0.5

    def at(count):
        scene = Scene(gravity=(0, 0, -GRAVITY))
        scene.add_body("rod", mass=m, inertia=(J, J, 0.01), position=(l, 0, 0),
                       rotation=so3.exp([0, np.pi / 2, 0]))  # fmt: skip
        scene.add_joint("ball", Spherical((0, 0, 0)), "ground", "rod")
        _, stepper = stepper_of(scene, name)
        return advance(stepper, 1.0 / count, count).x[0]

    pull = m * GRAVITY * l / (J + m * l * l)
    reference = solve_ivp(lambda t, y: (y[1], -pull * np.sin(y[0])), (0, 1), (np.pi / 2, 0),
                      method="DOP853", rtol=1e-13, atol=1e-13)  # fmt: skip
    q = reference.y[0, -1]
    exact = l * np.array([np.sin(q), 0, -np.cos(q)])
    orders = observed_orders(lambda n: np.abs(at(n) - exact).max(), (50, 100, 200))
    declared = integrators.SCHEMES[name].order
    assert np.all(np.abs(orders - declared) < 0.25), orders


def test_free_chain_keeps_linear_and_angular_momentum():
    """No ground, no gravity: what joints do inside cannot move the whole."""
    scene = Scene()
    rng = np.random.default_rng(0)
    for k in range(5):
        scene.add_body(f"link{k}", mass=1 + 0.2 * k, inertia=(0.1, 0.12, 0.15),
                       position=(k, 0, 0), velocity=rng.normal(size=3))  # fmt: skip
        if k:
            scene.add_joint(f"ball{k}", Spherical((k - 0.5, 0, 0)), f"link{k - 1}", f"link{k}")
    with pytest.warns(UserWarning, match="starting velocities"):
        model, stepper = stepper_of(scene, "RATTLie")
    P = model.mass @ stepper.bodies.v
    L = angular_momentum(model, stepper.bodies)
    advance(stepper, 2e-3, 1000)
    assert np.allclose(model.mass @ stepper.bodies.v, P, rtol=0, atol=1e-12)
    assert np.allclose(angular_momentum(model, stepper.bodies), L, rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", ["RATTLie", "DH", "LieGeneralizedAlpha", "EulerParameterDAE"])
def test_dzhanibekov_body_flips_without_joints_too(name):
    """A free body under the jointed schemes: momentum in space constant, energy in its band."""
    scene = Scene()
    scene.add_body("handle", mass=1, inertia=(1, 2, 3), angular_velocity=(0.01, 5, 0))
    model, stepper = stepper_of(scene, name)
    L, T = angular_momentum(model, stepper.bodies), kinetic_energy(model, stepper.bodies)
    flips, before = 0, stepper.bodies.omega[0, 1]
    for k in range(1, 4001):
        stepper.step(k * 2e-3)
        flips += before * stepper.bodies.omega[0, 1] < 0
        before = stepper.bodies.omega[0, 1]
    assert flips >= 2
    close = 1e-12 if name in ("RATTLie", "DH") else 1e-3
    assert np.abs(angular_momentum(model, stepper.bodies) - L).max() < close * np.linalg.norm(L)
    assert kinetic_energy(model, stepper.bodies) == pytest.approx(T, rel=2e-4)


@pytest.mark.slow
def test_energy_of_a_ten_link_chain_stays_in_its_band_for_100000_steps():
    """Ten links of 1 m swing for 100 s: the mean error of each fifth is that of the first."""
    model = chain(10, length=1.0, drop=0.8).build()
    stepper = RATTLie().start(model, None)
    start = potential_energy(model, stepper.bodies)
    errors = np.zeros(100_000)
    for k in range(1, 100_001):
        stepper.step(k * 1e-3)
        state = stepper.bodies
        errors[k - 1] = kinetic_energy(model, state) + potential_energy(model, state) - start
    fall = 10 * GRAVITY * 5.0 * (1 - np.sin(0.8))  # [J] available to the chain
    fifths = errors.reshape(5, -1).mean(axis=1)
    assert np.abs(errors).max() < 1e-5 * fall
    assert np.abs(fifths - fifths[0]).max() < 2e-7 * fall
    assert stepper.observe().constraint_position < 1e-12
