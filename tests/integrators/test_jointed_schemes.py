"""What every scheme for jointed bodies must do, and what only some promise."""

import time

import numpy as np
import pytest

from dovetail import integrators
from dovetail.errors import InputError, RunError
from dovetail.integrators import RATTLie
from dovetail.linalg.lie import so3
from dovetail.model import Actuation, Box, Coupling, Prismatic, Revolute, Scene, Spherical
from dovetail.multibody.energy import kinetic_energy, potential_energy
from dovetail.simulate import simulate
from jointed_scenes import (
    AXIS,
    EVERY_JOINT,
    GRAVITY,
    JOINTED,
    chain,
    four_bar,
    hanging_rod,
    two_bodies_joined_by,
)
from rounding import rounding

PROJECTED = ["RATTLie", "DH", "EulerParameterDAE"]


def stepper_of(scene, name="RATTLie"):
    model = scene.build()
    return model, integrators.named(name, {}).start(model, None)


def total_energy(model, stepper):
    state = stepper.bodies
    stored = stepper.observe().stored_energy
    return kinetic_energy(model, state) + potential_energy(model, state) + stored


def run(stepper, step, count):
    for k in range(1, count + 1):
        stepper.step(k * step)


@pytest.mark.parametrize("name", JOINTED)
@pytest.mark.parametrize("kind", EVERY_JOINT)
def test_every_joint_holds_and_energy_stays(kind, name):
    """0.3 s at two steps: the energy error falls with the square of the step, or faster."""
    errors = []
    for count in (150, 300):
        model, stepper = stepper_of(two_bodies_joined_by(EVERY_JOINT[kind]), name)
        start = total_energy(model, stepper)
        run(stepper, 0.3 / count, count)
        seen = stepper.observe()
        assert seen.constraint_position < 1e-13
        if name in PROJECTED:
            assert seen.constraint_velocity < 1e-13
        errors.append(abs(total_energy(model, stepper) - start))
    assert errors[1] < 0.35 * errors[0] or errors[1] < 1e-10
    assert errors[0] < 2e-3


@pytest.mark.parametrize("name", JOINTED)
def test_redundant_four_bar_turns_as_its_one_freedom_says(name):
    """Parallel crank: all points of the coupler move alike, so the angle obeys a pendulum's law.

    T = ((m_1 + m_2) r^2/4 + m_c r^2 + J_1 + J_2) w^2/2 with r = 1 m; by conservation of energy the
    speed follows from the height.
    """
    _, stepper = stepper_of(four_bar(), name)
    inertia = 2 * (0.25 + 0.02) + 2.0
    run(stepper, 1e-3, 500)
    state, seen = stepper.bodies, stepper.observe()
    angle = np.arctan2(state.R[0, 0, 2], state.R[0, 2, 2])
    fall = GRAVITY * (2 * 0.5 + 2.0) * (1 - np.cos(angle))
    speed = np.sqrt(2.0**2 + 2 * fall / inertia)
    close = 1e-5 if name != "DL" else 1e-3  # whose velocities take the multipliers of before
    assert abs(state.omega[0, 1]) == pytest.approx(speed, rel=close)
    assert np.allclose(state.R[2], np.eye(3), atol=1e-12)  # the coupler only translates
    assert seen.constraint_position < 1e-12
    if name in PROJECTED:
        assert seen.constraint_velocity < 1e-12


@pytest.mark.parametrize("name", JOINTED)
def test_run_continued_from_memory_gives_the_same_bits(name):
    scene = two_bodies_joined_by(EVERY_JOINT["screw"])
    _, whole = stepper_of(scene, name)
    _, other = stepper_of(scene, name)
    run(whole, 1e-2, 5)
    snapshot = whole.snapshot()
    run(other, 3e-2, 2)  # somewhere else
    other.restore(snapshot)
    for k in range(6, 12):
        whole.step(k * 1e-2)
        other.step(k * 1e-2)
    for part in ("x", "R", "v", "omega"):
        assert np.array_equal(getattr(whole.bodies, part), getattr(other.bodies, part))


@pytest.mark.parametrize("name", ["RATTLie", "DH"])
def test_step_backwards_undoes_a_step(name):
    """The schemes are symmetric: 20 steps forth and 20 back return to the start."""
    _, stepper = stepper_of(two_bodies_joined_by(EVERY_JOINT["revolute"]), name)
    x0 = stepper.bodies.x.copy()
    for k in [*range(1, 21), *range(19, -1, -1)]:
        stepper.step(k * 0.005)
    assert np.abs(stepper.bodies.x - x0).max() < 1e-12


def test_starting_velocities_that_tear_a_joint_are_corrected_and_reported():
    scene = hanging_rod(velocity=(1.0, 0, 0))  # the rod's spin is missing
    with pytest.warns(UserWarning, match="starting velocities did not fit the joints"):
        _, stepper = stepper_of(scene)
    # nearest in the mass norm: w = m v l / (J + m l^2) about the hinge
    speed = 2 * 0.5 / (0.2 + 2 * 0.25)
    assert abs(stepper.bodies.omega[0, 1]) == pytest.approx(speed, rel=1e-14)
    assert stepper.observe().constraint_velocity < rounding(20)


def test_joint_force_of_a_hanging_rod_is_its_weight():
    result = simulate(hanging_rod(), 0.1, 0.01, integrator=RATTLie(), progress=False)
    assert np.allclose(result.joint_force("hinge"), [0, 0, 2 * GRAVITY], atol=1e-12)
    assert np.allclose(result.joint_torque("hinge"), 0.0, atol=1e-12)
    with pytest.raises(InputError, match="no joint 'hip' in this result; it has: hinge"):
        result.joint_force("hip")


def test_joint_force_of_a_swinging_rod_obeys_newton():
    """F = m (a - g) with the acceleration of the centre of mass from the recorded velocity."""
    scene = hanging_rod(angular_velocity=(0, 3, 0), velocity=(-1.5, 0, 0))
    result = simulate(scene, 0.5, 1e-3, integrator=RATTLie(), progress=False)
    v = result.velocity("rod")
    a = (v[2:] - v[:-2]) / 2e-3
    force = result.joint_force("hinge")[1:-1]
    assert np.abs(force - 2 * (a - np.array([0, 0, -GRAVITY]))).max() < 1e-3 * np.abs(force).max()


def test_joint_wrench_is_kept_in_the_file_and_through_a_save(tmp_path):
    from dovetail.results import load

    scene = hanging_rod(angular_velocity=(0, 3, 0), velocity=(-1.5, 0, 0))
    in_memory = simulate(scene, 0.05, 0.01, integrator=RATTLie(), progress=False)
    simulate(scene, 0.05, 0.01, integrator=RATTLie(), progress=False, out=tmp_path / "a.h5")
    in_memory.save(tmp_path / "b.h5")
    for file in ("a.h5", "b.h5"):
        read = load(tmp_path / file)
        assert np.array_equal(read.joint_force("hinge"), in_memory.joint_force("hinge"))


@pytest.mark.parametrize("name", ["RATTLie", "DH", "DL"])
def test_joint_spring_and_damper_move_as_the_linear_oscillator(name):
    """No gravity: q = e^(-d t) ... with J q'' + c q' + k q = 0, J = 0.2 + 2/4."""
    k, c, J = 50.0, 0.8, 0.7
    scene = hanging_rod((Actuation(stiffness=k, damping=c, rest=0.3),), gravity=0.0)
    _, stepper = stepper_of(scene, name)
    run(stepper, 1e-3, 1000)
    q = np.arctan2(stepper.bodies.R[0, 0, 2], stepper.bodies.R[0, 2, 2])
    d, w = c / (2 * J), np.sqrt(k / J - (c / (2 * J)) ** 2)
    exact = 0.3 - 0.3 * np.exp(-d) * (np.cos(w) + d / w * np.sin(w))
    # (h w)^2 / 24 of the phase w t, times the amplitude, and as much for the damping
    assert q == pytest.approx(exact, abs=2 * (1e-3 * w) ** 2 / 24 * w * 0.3)


def test_overdamped_joint_is_stable_at_any_step():
    """Released level against 300 N m s/rad, h c / J = 43: q' = (m g l / c) cos q in the end.

    Solved by artanh(sin q) = (m g l / c) t.
    """
    scene = Scene(gravity=(0, 0, -GRAVITY))
    scene.add_body("rod", mass=2, inertia=(0.01, 0.2, 0.2), position=(0.5, 0, 0))
    hinge = Revolute((0, 0, 0), (0, 1, 0), actuation=(Actuation(damping=300.0),))
    scene.add_joint("hinge", hinge, "ground", "rod")
    _, stepper = stepper_of(scene)
    angles = []
    for k in range(1, 201):
        stepper.step(0.1 * k)
        angles.append(np.arctanh(-stepper.bodies.x[0, 2] / 0.5))
    assert angles[199] - angles[99] == pytest.approx(2 * GRAVITY * 0.5 / 300 * 10, rel=1e-3)


@pytest.mark.parametrize("stiffness", [1e5, 1e9])
def test_lie_alpha_steps_over_vibrations_it_cannot_resolve(stiffness):
    """A hinge held by a spring of h^2 k / J = 14 and 140 000: Newton settles and the rod stays.

    Pressed by gravity at q = (m g l / k) cos q, after its vibration has been damped.
    """
    scene = Scene(gravity=(0, 0, -GRAVITY))
    scene.add_body("rod", mass=2, inertia=(0.01, 0.2, 0.2), position=(0.5, 0, 0))
    hinge = Revolute((0, 0, 0), (0, 1, 0), actuation=(Actuation(stiffness=stiffness),))
    scene.add_joint("hinge", hinge, "ground", "rod")
    stepper = integrators.LieGeneralizedAlpha(spectral_radius=0.5).start(scene.build(), None)
    most = max(stepper.step(k * 0.01).iterations for k in range(1, 401))
    assert most <= 8
    assert -stepper.bodies.x[0, 2] / 0.5 == pytest.approx(2 * GRAVITY * 0.5 / stiffness, rel=1e-3)


@pytest.mark.parametrize("name", ["RATTLie", "LieGeneralizedAlpha"])
def test_damper_between_bodies_takes_energy_out_and_none_in(name):
    scene = chain(3)
    scene.add_spring("damper", "ground", "link2", (0.3, 0, -0.5), (0.3, 0, 0), damping=5.0)
    model, stepper = stepper_of(scene, name)
    energies = [total_energy(model, stepper)]
    for k in range(1, 400):
        stepper.step(k * 2e-3)
        energies.append(total_energy(model, stepper))
    assert np.diff(energies).max() < 1e-4 and energies[-1] < energies[0] - 0.5


@pytest.mark.parametrize("name", ["RATTLie", "LieGeneralizedAlpha", "EulerParameterDAE"])
def test_joint_limit_stops_the_rod_and_holds_it(name):
    """Released level beyond its stop, the rod falls to q = 0.5 rad, stays and presses on it."""
    scene = Scene(gravity=(0, 0, -GRAVITY))
    scene.add_body("rod", mass=2, inertia=(0.01, 0.2, 0.2), position=(0.5, 0, 0))
    hinge = Revolute((0, 0, 0), (0, 1, 0), actuation=(Actuation(upper=0.5),))
    scene.add_joint("hinge", hinge, "ground", "rod")
    scheme = integrators.named(name, {})
    result = simulate(scene, 3.0, 1e-3, integrator=scheme, progress=False)
    R = result.rotation("rod")
    q = np.arctan2(-R[:, 2, 0], R[:, 0, 0])
    assert q.max() < 0.5 + 1e-3 * 10  # one step of fall beyond at most
    assert np.allclose(q[-1000:], 0.5, atol=1e-9)
    assert np.abs(result.angular_velocity("rod")[-1]).max() < 1e-12
    torque = result.joint_torque("hinge")[-1]
    assert torque[1] == pytest.approx(-2 * GRAVITY * 0.5 * np.cos(0.5), rel=1e-6)


@pytest.mark.parametrize("name", ["LieGeneralizedAlpha", "EulerParameterDAE"])
def test_a_limit_of_a_coupling_is_refused_where_it_divides_no_step(name):
    scene = hanging_rod()
    limited = Coupling({"hinge": 1.0}, actuation=Actuation(lower=-1.0))
    scene.add_coupling("stop", limited)
    with pytest.raises(InputError, match=f"{name} cannot have the limit of coupling 'stop'; use"):
        integrators.named(name, {}).start(scene.build(), None)


@pytest.mark.parametrize("name", JOINTED)
def test_motor_turns_the_rod_as_prescribed(name):
    """A rheonomic constraint: q(t) = 0.4 sin 3t to round-off, whatever gravity wants."""
    scene = hanging_rod((Actuation(motor=("position", lambda t: 0.4 * np.sin(3 * t))),),
                        angular_velocity=(0, 1.2, 0), velocity=(-0.6, 0, 0))  # fmt: skip
    _, stepper = stepper_of(scene, name)
    run(stepper, 0.01, 100)
    R, omega = stepper.bodies.R[0], stepper.bodies.omega[0]
    assert np.arctan2(R[0, 2], R[2, 2]) == pytest.approx(0.4 * np.sin(3.0), abs=1e-12)
    close = 1e-8 if name in PROJECTED else 5e-3  # (h^2/2) q'''
    assert omega[1] == pytest.approx(1.2 * np.cos(3.0), abs=close)


def test_velocity_motor_turns_many_times_and_counts_them():
    scene = hanging_rod((Actuation(motor=("velocity", 7.0)),), angular_velocity=(0, 7, 0),
                        velocity=(-3.5, 0, 0))  # fmt: skip
    _, stepper = stepper_of(scene)
    run(stepper, 0.01, 300)
    R = stepper.bodies.R[0]
    assert np.arctan2(R[0, 2], R[2, 2]) == pytest.approx((21.0 + np.pi) % (2 * np.pi) - np.pi)
    assert stepper.observe().constraint_position < 1e-12


def test_motor_effort_does_the_work_that_energy_gains():
    """A constant torque of 2 N m: dE = 2 q."""
    scene = hanging_rod((Actuation(motor=2.0),))
    model, stepper = stepper_of(scene)
    start = total_energy(model, stepper)
    run(stepper, 1e-3, 700)
    R = stepper.bodies.R[0]
    q = np.arctan2(R[0, 2], R[2, 2])
    assert total_energy(model, stepper) - start == pytest.approx(2.0 * q, abs=1e-5)


def test_effort_limit_bounds_the_motor():
    scenes = [hanging_rod((Actuation(motor=lambda t: 5.0, effort_limit=2.0),)),
              hanging_rod((Actuation(motor=2.0),))]  # fmt: skip
    ends = []
    for scene in scenes:
        _, stepper = stepper_of(scene)
        run(stepper, 0.01, 30)
        ends.append(stepper.bodies.x.copy())
    assert np.array_equal(*ends)


def test_slide_on_a_prismatic_joint_is_free_fall_along_the_axis():
    scene = Scene(gravity=(0, 0, -GRAVITY))
    scene.add_body("block", mass=3, inertia=(1, 1, 1))
    scene.add_joint("rail", Prismatic((1, 2, 3), AXIS), "ground", "block")
    _, stepper = stepper_of(scene)
    run(stepper, 0.01, 100)
    displacement = -0.5 * GRAVITY * AXIS[2] * AXIS
    assert np.allclose(stepper.bodies.x[0], displacement, atol=1e-13)


def test_screw_advances_its_pitch_each_turn():
    """Driven five turns by its motor, the nut has moved five pitches."""
    from dovetail.model import Screw

    scene = Scene()
    scene.add_body("nut", mass=1, inertia=(1, 1, 1), angular_velocity=(0, 0, 10 * np.pi),
                   velocity=(0, 0, 0.05))  # fmt: skip
    drive = (Actuation(motor=("velocity", 10 * np.pi)),)
    joint = Screw((0, 0, 0), (0, 0, 1), pitch=0.01, actuation=drive)
    scene.add_joint("thread", joint, "ground", "nut")
    _, stepper = stepper_of(scene)
    run(stepper, 0.005, 200)
    assert stepper.bodies.x[0] == pytest.approx([0, 0, 0.05], abs=1e-12)


def test_body_carried_by_a_kinematic_one_follows_it():
    """A ball joint on a shaken body: the rod's end stays on it."""
    scene = Scene(gravity=(0, 0, -GRAVITY))

    def shaken(t):
        return (0.1 * np.sin(5 * t), 0, 0), np.eye(3)

    scene.add_body("hand", mass=1, inertia=(1, 1, 1), motion="kinematic", trajectory=shaken)
    scene.add_body("rod", mass=2, inertia=(0.2, 0.2, 0.01), position=(0, 0, -0.5),
                   velocity=(0.5, 0, 0))  # fmt: skip
    scene.add_joint("grip", Spherical((0, 0, 0)), "hand", "rod")
    for name in JOINTED:
        _, stepper = stepper_of(scene, name)
        run(stepper, 0.005, 100)
        state = stepper.bodies
        end = state.x[1] + state.R[1] @ [0, 0, 0.5]
        assert np.allclose(end, [0.1 * np.sin(2.5), 0, 0], atol=1e-12), name


def test_held_directions_of_a_body_act_as_joints():
    """A bead free along x only, pulled by a joint to a swinging rod: y and z stay."""
    scene = Scene(gravity=(0, 0, -GRAVITY))
    fixed = (False, True, True, True, True, True)
    scene.add_body("bead", mass=1, inertia=(1, 1, 1), fixed=fixed)
    scene.add_body("rod", mass=1, inertia=(0.1, 0.1, 0.01), position=(0.5, 0, 0))
    scene.add_joint("pin", Spherical((0, 0, 0)), "bead", "rod")
    model, stepper = stepper_of(scene)
    start = total_energy(model, stepper)
    run(stepper, 1e-3, 800)
    state = stepper.bodies
    assert np.abs(state.x[0, 1:]).max() < 1e-13 and np.allclose(state.R[0], np.eye(3), atol=1e-13)
    centre = (state.x[0, 0] + state.x[1, 0]) / 2
    assert centre == pytest.approx(0.25, abs=1e-12)  # nothing pushes along x
    assert total_energy(model, stepper) == pytest.approx(start, abs=1e-3)


def test_function_load_that_depends_on_velocity_is_taken_at_both_ends():
    """A drag written in Python acts as a joint damper does."""
    c = 0.8
    compiled = hanging_rod((Actuation(damping=c),), angular_velocity=(0, 2, 0), velocity=(-1, 0, 0))
    written = hanging_rod(angular_velocity=(0, 2, 0), velocity=(-1, 0, 0))
    written.add_load("drag", lambda t, s: {"rod": ((0, 0, 0), -c * s.angular_velocity("rod"))})
    ends = []
    for scene in (compiled, written):
        _, stepper = stepper_of(scene)
        run(stepper, 0.01, 50)
        ends.append(stepper.bodies.x[0].copy())
    assert np.allclose(*ends, atol=1e-12)


def test_too_large_a_step_says_what_to_use():
    scene = hanging_rod(angular_velocity=(0, 400, 0), velocity=(-200, 0, 0))
    _, stepper = stepper_of(scene)
    with pytest.raises(RunError, match=r"at t = 0.1 s: body 'rod' spins at 400 rad/s.*at most"):
        stepper.step(0.1)
    assert stepper.bodies.t == 0.0


@pytest.mark.parametrize(
    ("actuation", "message"),
    [
        (Actuation(motor=("position", 0.0), effort_limit=1.0), "`effort_limit` of coordinate 1"),
        (Actuation(motor=("position", 0.5)), "motor must start at the initial pose"),
    ],
)
def test_actuation_without_meaning_is_refused(actuation, message):
    with pytest.raises(InputError, match=message):
        RATTLie().start(hanging_rod((actuation,)).build(), None)


@pytest.mark.slow
def test_step_of_a_chain_costs_in_proportion_to_its_length():
    """1000 links against 100: ten times the time, far from the hundred of a dense solve."""

    def seconds(n):
        _, stepper = stepper_of(chain(n))
        stepper.step(1e-4)
        best = np.inf
        for k in range(2, 22):
            began = time.process_time()
            stepper.step(k * 1e-4)
            best = min(best, time.process_time() - began)
        return best

    assert seconds(1000) < 20 * seconds(100)


@pytest.mark.parametrize("name", JOINTED)
def test_a_prismatic_joint_through_a_light_centre_of_mass_oscillates_as_two_masses_on_a_spring(
    name,
):
    """No arm but round-off, 750 : 1 in mass; x = (v/w) sin(w t), w^2 = k (1/m + 1/M + d^2/J)."""
    scene, stiffness, turn = Scene(), 600.0, so3.exp([2.1, 0.0, 0.0])
    middle = turn @ [0.1 + 0.2, 0.1 + 0.7, 0.0]
    rounded = turn @ np.array([0.3, 0.8, 0.0])
    outward = turn @ [0.0, 1.0, 0.0]
    scene.add_body("ring", Box((0.2, 0.2, 0.2)), mass=47.5, inertia=(13.6, 6.8, 6.8))
    scene.add_body(
        "latch", Box((0.1, 0.1, 0.1)), mass=0.063, inertia=(3.2e-5, 4.9e-5, 5.5e-5),
        position=middle, velocity=1e-3 * outward, rotation=turn,
    )  # fmt: skip
    spring = Actuation(stiffness=stiffness)
    scene.add_joint("slide", Prismatic(rounded, outward, actuation=[spring]), "ring", "latch")
    _, stepper = stepper_of(scene, name)
    step, count = 1e-4, 400
    apart = stepper.bodies.x[1] - stepper.bodies.x[0]
    run(stepper, step, count)
    rate = np.sqrt(stiffness * (1 / 0.063 + 1 / 47.5 + 0.3**2 / 6.8))
    expected = 1e-3 / rate * np.sin(rate * step * count)
    along = stepper.bodies.R[0] @ outward
    slid = float((stepper.bodies.x[1] - stepper.bodies.x[0]) @ along - apart @ outward)
    # order 2: a phase of (w h)^2/24 a radian, or a few times that (DL), over 4 rad
    assert slid == pytest.approx(expected, abs=1e-4 * 1e-3 / rate)
