"""Springs, dampers, thrusters and functions against closed forms."""

import numpy as np
import pytest
from stepping import advance, at_time, observed_orders, start

import dovetail as dt
from dovetail.errors import RunError
from dovetail.model.scene import Scene
from dovetail.multibody.energy import kinetic_energy, potential_energy

EPS = np.finfo(float).eps
MASS, STIFFNESS = 2.0, 50.0
FREQUENCY = np.sqrt(STIFFNESS / MASS)  # 5 rad/s


def oscillator(damping=0.0, as_function=False, stiffness=STIFFNESS):
    """A body on a line, 0.1 m off the rest length of a spring to the ground."""
    scene = Scene()
    scene.add_body("body", mass=MASS, inertia=(1, 1, 1), position=(1.1, 0, 0))
    own = 0.0 if as_function else damping
    scene.add_spring(
        "spring", "ground", "body", (0, 0, 0), (1.1, 0, 0), stiffness, own, rest_length=1.0
    )
    if as_function:
        scene.add_load(
            "drag", lambda t, state: {"body": (-damping * state.velocity("body"), np.zeros(3))}
        )
    return scene


def test_spring_oscillates_with_the_discrete_frequency_of_verlet():
    """x_n = 0.1 cos(n theta) with cos theta = 1 - (h w)^2 / 2 solves the scheme exactly."""
    h, n = 0.02, 500
    state = at_time(oscillator(), n * h, n)
    theta = np.arccos(1 - (h * FREQUENCY) ** 2 / 2)
    assert abs(state.x[0, 0] - (1 + 0.1 * np.cos(n * theta))) < n * 4 * EPS / (h * FREQUENCY)
    # and that frequency is the spring's own up to (h w)^2 / 24
    assert abs(theta / (h * FREQUENCY) - 1) < (h * FREQUENCY) ** 2 / 20


@pytest.mark.parametrize("damping", [0.0, 3.0])
def test_a_step_at_which_a_spring_would_explode_is_refused(damping):
    """Verlet is stable up to h w = 2, with a trapezoidal damper too."""
    limit = 2 / FREQUENCY
    state = at_time(oscillator(damping), 0.999 * limit * 1000, 1000)
    assert abs(state.x[0, 0] - 1) < 0.2
    with pytest.raises(RunError, match=r"'spring' has .* frequency of 5 rad/s.* at most 0\.04 s"):
        at_time(oscillator(damping), 1.001 * limit, 1)


def test_springs_that_explode_only_together_are_refused():
    """A chain's fastest mode has w = 2 sqrt(k/m) sin(pi (n - 1) / 2 n), one spring sqrt(2 k/m)."""
    n, k = 20, 1.5e4
    scene = Scene()
    for i in range(n):
        scene.add_body(f"b{i}", mass=1, inertia=(1, 1, 1), position=(i, 0, 0))
    for i in range(n - 1):
        scene.add_spring(f"s{i}", f"b{i}", f"b{i + 1}", (i, 0, 0), (i + 1, 0, 0), stiffness=k)
    rate = 2 * np.sqrt(k) * np.sin(np.pi * (n - 1) / (2 * n))
    with pytest.raises(RunError, match="together with others"):
        at_time(scene, 1.05 * 2 / rate, 1)
    assert 1.05 * 2 / rate * np.sqrt(2 * k) < 2  # none of them would alone
    at_time(scene, 0.999 * 2 / rate, 1)


def test_a_spring_at_an_offset_has_a_higher_frequency_and_needs_a_shorter_step():
    """w^2 = k (1/m + r^2/J) for a spring that pulls at a right angle to the arm r."""
    scene = Scene()
    scene.add_body("bar", mass=1, inertia=(1, 1, 0.1))
    scene.add_spring("s", "ground", "bar", (1, 1, 0), (1, 0, 0), stiffness=100)
    rate = np.sqrt(100 * (1 + 1 / 0.1))
    at_time(scene, 0.999 * 2 / rate, 1)
    with pytest.raises(RunError, match="spring 's' has a natural frequency"):
        at_time(scene, 1.001 * 2 / rate, 1)


def test_two_bodies_on_a_spring_oscillate_with_their_reduced_mass_about_a_fixed_centre():
    scene = Scene()
    for name, mass, x in (("a", 1.0, 0.0), ("b", 3.0, 1.3)):
        scene.add_body(name, mass=mass, inertia=(1, 1, 1), position=(x, 0, 0))
    scene.add_spring("s", "a", "b", (0, 0, 0), (1.3, 0, 0), stiffness=12.0, rest_length=1.0)
    w, h, n = np.sqrt(12.0 / 0.75), 0.01, 300
    state = at_time(scene, n * h, n)
    theta = np.arccos(1 - (h * w) ** 2 / 2)
    assert abs(state.x[1, 0] - state.x[0, 0] - (1 + 0.3 * np.cos(n * theta))) < 1e-12
    assert abs(state.x[0, 0] + 3 * state.x[1, 0] - 3.9) < 1e-13


@pytest.mark.parametrize("as_function", [False, True], ids=["damper", "function"])
def test_damped_spring_decays_as_its_closed_form_at_second_order(as_function):
    c, T = 3.0, 2.0
    decay = c / (2 * MASS)
    w = np.sqrt(FREQUENCY**2 - decay**2)
    exact = 1 + 0.1 * np.exp(-decay * T) * (np.cos(w * T) + decay / w * np.sin(w * T))
    scene = oscillator(c, as_function)
    orders = observed_orders(lambda n: abs(at_time(scene, T, n).x[0, 0] - exact), (100, 200, 400))
    assert np.allclose(orders, 2, rtol=0, atol=0.05)


def test_function_and_damper_of_the_same_drag_agree_to_the_tolerance_of_the_solve():
    c = 3.0
    a = at_time(oscillator(c), 1.0, 100)
    b = at_time(oscillator(c, as_function=True), 1.0, 100)
    assert np.abs(a.x - b.x).max() < 100 * 1e-13
    assert np.abs(a.v - b.v).max() < 100 * 1e-13


@pytest.mark.parametrize("as_function", [False, True], ids=["damper", "function"])
def test_drag_far_stiffer_than_the_step_stays_stable(as_function):
    """h c / (2 m) = 250: a plain fixed point would diverge; the trapezoid factor is -249/251."""
    c, h, n = 1e5, 0.01, 20
    scene = Scene()
    scene.add_body("body", mass=MASS, inertia=(1, 1, 1), position=(1, 0, 0), velocity=(1, 0, 0))
    if as_function:
        scene.add_load("drag", lambda t, s: {"body": (-c * s.velocity("body"), np.zeros(3))})
    else:
        scene.add_spring("d", "ground", "body", (-9, 0, 0), (1, 0, 0), damping=c)
    state = at_time(scene, n * h, n)
    z = h * c / (2 * MASS)
    assert abs(state.v[0, 0] - ((1 - z) / (1 + z)) ** n) < n * 1e-11


def test_energy_lost_by_a_damped_pair_is_the_work_of_the_damper():
    """E(0) - E(T) = integral of c (d|d|/dt)^2: the trapezoid sum agrees to second order."""

    def missing(n, T=2.0, c=0.8):
        scene = Scene()
        scene.add_body("a", mass=1.0, inertia=(0.1, 0.2, 0.25), angular_velocity=(1, 2, 0))
        scene.add_body("b", mass=2.0, inertia=(0.3, 0.2, 0.4), position=(1, 0.5, 0))
        scene.add_spring("s", "a", "b", (0.2, 0, 0), (0.7, 0.5, 0.1), 40.0, c, rest_length=0.3)
        model, stepper = start(scene)

        def energy():
            return kinetic_energy(model, stepper.bodies) + potential_energy(model, stepper.bodies)

        def power():
            b = stepper.bodies
            arm_a = b.R[0] @ np.array([0.2, 0, 0])
            arm_b = b.R[1] @ (np.array([0.7, 0.5, 0.1]) - np.array([1, 0.5, 0]))
            d = b.x[0] + arm_a - b.x[1] - arm_b
            v_a = b.v[0] + np.cross(b.spin[0], arm_a)
            v_b = b.v[1] + np.cross(b.spin[1], arm_b)
            return c * (d @ (v_a - v_b) / np.linalg.norm(d)) ** 2

        e0, h = energy(), T / n
        work, p0 = 0.0, power()
        for k in range(1, n + 1):
            stepper.step(k * h)
            p1 = power()
            work, p0 = work + 0.5 * h * (p0 + p1), p1
        lost = e0 - energy()
        assert lost > 0.1
        return abs(lost - work) / lost

    assert missing(400) < 1e-3
    assert np.allclose(observed_orders(missing, (400, 800, 1600)), 2, rtol=0, atol=0.1)


def test_thruster_fixed_to_a_spinning_body_pushes_it_round_a_circle():
    """F turns with the body at rate w: v = F/(m w) (sin wt, 1 - cos wt), closed after 2 pi / w."""
    F, w, T = 4.0, 3.0, 1.0
    scene = Scene()
    scene.add_body("craft", mass=MASS, inertia=(1, 1, 1), angular_velocity=(0, 0, w))
    scene.add_force("thruster", "craft", force=(F, 0, 0), frame="body")
    exact = F / (MASS * w) * np.array([np.sin(w * T), 1 - np.cos(w * T), 0])
    orders = observed_orders(
        lambda n: np.abs(at_time(scene, T, n).v[0] - exact).max(), (50, 100, 200)
    )
    assert np.allclose(orders, 2, rtol=0, atol=0.02)


def test_body_fixed_torque_about_the_axis_of_symmetry_spins_up_exactly():
    scene = Scene()
    scene.add_body(
        "wheel", mass=1, inertia=(1, 1, 1.6), rotation=(np.sqrt(0.5), np.sqrt(0.5), 0, 0)
    )
    scene.add_force("motor", "wheel", torque=(0, 0, 0.8), frame="body")
    state = at_time(scene, 4.0, 400)
    assert np.allclose(state.omega[0], [0, 0, 0.5 * 4.0], rtol=0, atol=400 * 8 * EPS)


def test_pair_of_body_thrusters_off_centre_is_a_pure_torque():
    scene = Scene()
    scene.add_body("craft", mass=MASS, inertia=(1, 1, 2), position=(5, 5, 5))
    scene.add_force("left", "craft", force=(0, -3, 0), point=(4.5, 5, 5), frame="body")
    scene.add_force("right", "craft", force=(0, 3, 0), point=(5.5, 5, 5), frame="body")
    state = at_time(scene, 1.0, 100)
    assert np.allclose(state.x[0], 5, rtol=0, atol=1e-13)
    assert np.allclose(state.omega[0], [0, 0, 3.0 / 2], rtol=0, atol=1e-13)


def test_world_force_at_an_attached_point_makes_a_pendulum_of_a_free_body():
    """Constant force F at arm r: theta'' = -(F r / J) sin theta about the centre of mass."""
    F, r, J = 4.0, 0.5, 0.3
    scene = Scene()
    scene.add_body("body", mass=1, inertia=(J, J, J), position=(0, 0, 0))
    scene.add_force("pull", "body", force=(0, -F, 0), point=(0.01, -r, 0))
    model, stepper = start(scene)
    amplitude, length = np.arctan2(0.01, r), np.hypot(r, 0.01)
    w = np.sqrt(F * length / J)
    half_period = np.pi / w * (1 + amplitude**2 / 16)
    advance(stepper, half_period / 1000, 1000)
    rotated = np.arctan2(stepper.bodies.R[0, 1, 0], stepper.bodies.R[0, 0, 0])
    assert (
        abs(rotated + 2 * amplitude) < 1e-5 * amplitude
    )  # to the other side: (h w)^2 / 24 of phase
    E = kinetic_energy(model, stepper.bodies) + potential_energy(model, stepper.bodies)
    assert abs(E - F * r * -1.0) < 1e-6


def test_spring_of_no_length_pulls_to_its_anchor_without_a_direction():
    """rest 0 from the anchor itself: an isotropic oscillator through d = 0, closed form in 3D."""
    scene = Scene()
    v0 = np.array([0.3, -0.2, 0.1])
    scene.add_body("body", mass=MASS, inertia=(1, 1, 1), velocity=v0)
    scene.add_spring("s", "ground", "body", (0, 0, 0), (0, 0, 0), STIFFNESS, 0.0, 0.0)
    h, n = 0.01, 200
    state = at_time(scene, n * h, n)
    theta = np.arccos(1 - (h * FREQUENCY) ** 2 / 2)
    exact = v0 * h * np.sin(n * theta) / np.sin(theta)
    assert np.abs(state.x[0] - exact).max() < 1e-13


def test_many_coupled_stiff_dampers_bring_a_row_of_bodies_to_one_velocity():
    n_bodies, c, h = 12, 1e4, 0.01
    scene = Scene()
    for i in range(n_bodies):
        scene.add_body(
            f"b{i}", mass=1, inertia=(1, 1, 1), position=(i, 0, 0), velocity=(float(i == 0), 0, 0)
        )
    for i in range(n_bodies - 1):
        scene.add_spring(f"d{i}", f"b{i}", f"b{i + 1}", (i, 0, 0), (i + 1, 0, 0), damping=c)
    model, stepper = start(scene)
    report = stepper.step(h)
    v = stepper.bodies.v[:, 0]
    # the trapezoid step of the linear chain, solved densely
    G = np.zeros((n_bodies, n_bodies))
    for i in range(n_bodies - 1):
        G[np.ix_([i, i + 1], [i, i + 1])] += c * np.array([[1, -1], [-1, 1]])
    one = np.eye(n_bodies)
    start_v = model.velocity[:, 0]
    # at the new places every line is still along x, so G is unchanged
    exact = np.linalg.solve(one + h / 2 * G, (one - h / 2 * G) @ start_v)
    assert np.abs(v - exact).max() < 1e-11
    assert report.residual < 1e-13
    assert abs(v.sum() - 1) < 1e-12


@pytest.mark.parametrize(
    "scheme",
    ["RATTLie", "JointCoordinates", "DH", "DL", "LieGeneralizedAlpha", "EulerParameterDAE",
     "CompliantEuler", "StewartTrinkle", "ImplicitEuler", "BarrierVerlet"],
)  # fmt: skip
@pytest.mark.parametrize("joint", ["none", "to the ground", "to another body"])
def test_a_damper_slows_bodies_as_it_must_beside_joints(scheme, joint):
    """The speed u of two bodies of 1 kg that part decays as exp(-c t / m), m = 1/2 kg."""
    scene = dt.Scene()
    scene.add_body("a", dt.Box((0.1, 0.2, 0.1)), mass=1.0, velocity=(-1, 0, 0))
    scene.add_body("b", dt.Box((0.1, 0.2, 0.1)), mass=1.0, position=(1, 0, 0), velocity=(1, 0, 0))
    scene.add_spring("dashpot", "a", "b", point_a=(0, 0, 0), point_b=(1, 0, 0), damping=2.0)
    reduced = 0.5
    if joint == "to the ground":
        scene.add_joint("rail", dt.Prismatic(axis=(1, 0, 0)), "ground", "a")
    elif joint == "to another body":
        scene.add_body("c", dt.Box((0.1, 0.1, 0.1)), mass=1.0, position=(0, 0, -0.5),
                       velocity=(-1, 0, 0))  # fmt: skip
        scene.add_joint("weld", dt.Fixed(), "a", "c")
        scene.add_joint("rail", dt.Prismatic(axis=(1, 0, 0)), "ground", "a")
        reduced = 2 / 3
    made = dt.simulate(scene, 0.5, 0.002, integrator=scheme, check=False)
    left = made.velocity("b")[-1, 0] - made.velocity("a")[-1, 0]
    wanted = 2 * np.exp(-2.0 * 0.5 / reduced)
    order = getattr(dt.integrators, scheme).order  # of two: (c h / m)^2 c t / 12 m = 1e-5
    assert left == pytest.approx(wanted, rel=0.01 if order == 1 else 2e-5)
