"""States set from outside, and motors: what every scheme makes of them."""

import numpy as np
import pytest

import dovetail as dt
from live_scenes import METHODS


@pytest.fixture(params=METHODS, ids=lambda m: f"{m[0]}-{m[1]}")
def method(request):
    return request.param


def wheel(**actuation):
    """A wheel on a hinge; [kg m^2] of it about its axis."""
    scene = dt.Scene()
    scene.add_body("wheel", dt.Cylinder(0.1, 0.02), mass=2.0)
    hinge = dt.Revolute((0, 0, 0), (0, 0, 1), actuation=[dt.Actuation(**actuation)])
    scene.add_joint("axle", hinge, "ground", "wheel")
    return scene, float(scene.bodies["wheel"].inertia[2, 2])


def made(scene, method, step=1e-3):
    contact, integrator = method
    return dt.Simulation(scene, step=step, contact=contact, integrator=integrator, check=False)


@pytest.mark.parametrize("angle", [0.5, 7.0, -20.0])
def test_a_spring_counts_the_whole_revolutions_of_a_state_that_is_set(method, angle):
    """I w' = -k q, the q that was set, though the pose is that of q less 2 pi n."""
    scene, inertia = wheel(stiffness=0.3, rest=0.0)
    sim = made(scene, method)
    sim.step()
    sim.set_state(q={"axle": angle}, v={"axle": 0.0})
    assert sim.joint("axle").position == pytest.approx(angle, abs=1e-9)
    for _ in range(3):
        sim.step()
    slope = -0.3 * angle / inertia
    assert sim.joint("axle").velocity == pytest.approx(3e-3 * slope, rel=1e-2)


@pytest.mark.filterwarnings("ignore:EulerParameterDAE divides a step")
def test_a_strong_damper_never_makes_a_light_wheel_faster(method):
    """h c / I = 45: explicit damping would multiply the spin by -44 in every step."""
    scene, inertia = wheel(damping=0.9)
    h = 0.5
    assert h * 0.9 / inertia > 40
    sim = made(scene, method, step=h)
    sim.set_state(v={"axle": 1.0})
    spins = [1.0]
    for _ in range(3):
        sim.step()
        spins.append(sim.joint("axle").velocity)
    assert np.all(np.diff(np.abs(spins)) <= 1e-9) and abs(spins[-1]) < 0.8


def test_a_motor_keeps_its_speed_and_is_no_error_of_the_joints(method):
    scene, _ = wheel(motor=("velocity", 2.0))
    sim = made(scene, method)
    sim.set_state(v={"axle": 2.0})
    sim.step(5)
    assert sim.joint("axle").velocity == pytest.approx(2.0, rel=1e-6)
    assert sim.observe().constraint_velocity < 1e-4


def test_a_state_beyond_the_limits_of_a_joint_is_refused_by_name():
    scene, _ = wheel(lower=-0.2, upper=0.5)
    sim = made(scene, (None, "DH"))
    sim.set_state(q={"axle": 0.4})
    with pytest.raises(dt.InputError, match=r"'axle': its limits must hold .* off by 0.4 "):
        sim.set_state(q={"axle": 0.9})


def test_impulses_without_contact_leave_a_free_body_on_its_parabola():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("ball", dt.Sphere(0.1), density=500, velocity=(1, 0, 2))
    result = dt.simulate(scene, 0.1, 0.01, integrator="StewartTrinkle", progress=False, check=False)
    t = result.time
    assert result.velocity("ball")[:, 2] == pytest.approx(2 - 9.81 * t, abs=1e-12)
    assert np.abs(result.position("ball")[:, 0] - t).max() < 1e-12


@pytest.mark.parametrize("integrator", ["ImplicitEuler", "BarrierVerlet"])
def test_the_direct_path_through_a_wall_is_not_free(integrator):
    scene = dt.Scene()
    scene.add_body("wall", dt.Box((0.1, 4, 4)), motion="static")
    scene.add_body("ball", dt.Box((0.2, 0.2, 0.2)), density=500, position=(1, 0, 0))
    sim = made(scene, ("ipc", integrator), step=0.01)
    sim.step()
    stepper, state = sim._stepper, sim.state
    for x, is_free in ((1.5, True), (0.5, True), (-1.0, False)):
        before = state.x.copy()
        before[1] = (x, 0, 0)
        assert stepper.is_path_collision_free(before, state.R) is is_free


@pytest.mark.parametrize("contact", [None, "sdf", "lcp", "ipc"])
def test_a_body_does_not_move_in_the_directions_it_is_fixed_in(contact):
    """Nor does it have velocities there, though it was given some; in others it falls freely."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body(
        "slider", dt.Box((0.2, 0.2, 0.2)), density=500, velocity=(1, 2, 0),
        angular_velocity=(0, 0, 3), fixed=[True, False, False, True, True, True],
    )  # fmt: skip
    sim = made(scene, (contact, None), step=0.01)
    sim.step(5)
    slider = sim.body("slider")
    assert slider.velocity[0] == 0.0 and not slider.angular_velocity.any()
    assert slider.position[0] == 0.0 and slider.position[1] == pytest.approx(0.1)
    assert slider.velocity[2] == pytest.approx(-9.81 * 0.05)
    assert slider.rotation == pytest.approx(np.eye(3), abs=1e-14)
