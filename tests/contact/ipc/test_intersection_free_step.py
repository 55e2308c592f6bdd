"""Intersection-free steps: bodies rest, pass momentum on, and never pass through each other."""

import numpy as np
import pytest
from ipc_runs import run
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.contact import IPC
from dovetail.errors import InputError, RunError
from dovetail.integrators import ImplicitEuler

CUBE = dt.Box((1, 1, 1))


def dropped(size=1.0, tilt=(0.0, 0.0, 0.0), floor="box"):
    """A cube over a floor, with the lengths of the scene times `size`."""
    scene = dt.Scene(gravity=(0, 0, -10 * size))
    if floor == "box":
        scene.add_body("floor", dt.Box((5 * size, 5 * size, size)), motion="static",
                       position=(0, 0, -0.5 * size))  # fmt: skip
    else:
        scene.add_body("floor", dt.HalfSpace(), motion="static")
    height = 0.9 if np.any(tilt) else 0.55
    scene.add_body("cube", dt.Box((size,) * 3), mass=2, position=(0.1 * size, 0, height * size),
                   inertia=np.full(3, size**2 / 3),
                   rotation=Rotation.from_rotvec(tilt).as_matrix())  # fmt: skip
    return scene


@pytest.mark.parametrize("floor", ["box", "half-space"])
def test_a_cube_falls_onto_a_floor_and_the_contacts_carry_its_weight(floor):
    ran = run(dropped(floor=floor), 60, 0.01, dhat=1e-2, velocity_tolerance=1e-7)
    last = ran.states[-1]
    assert 0 < last.x[1, 2] - 0.5 < 1e-2
    # On triangles the barrier of crossing edges tilts a cube a little, and pushes it sideways.
    assert abs(last.v[1, 2]) < 1e-6
    assert np.linalg.norm(last.v[1]) < (1e-6 if floor == "half-space" else 1e-3)
    assert ran.reports[-1].iterations <= 2  # rest is cheap
    seen = ran.stepper.observe().contact
    on_cube = np.where(seen.contacts.bodies[:, :1] == 1, 1, -1) * seen.contacts.forces
    np.testing.assert_allclose(on_cube.sum(axis=0), [0, 0, 20], atol=1e-3)
    corners = ran.model.bodies[1].surface.vertices @ last.R[1].T + last.x[1]
    assert seen.min_distance == pytest.approx(corners[:, 2].min(), rel=1e-9)
    assert np.all(seen.contacts.gaps >= seen.min_distance)
    np.testing.assert_allclose(np.abs(seen.contacts.normals[:, 2]), 1, atol=1e-6)
    if floor == "box":
        assert ran.intersections() == []


def test_a_scene_in_millimetres_moves_as_the_scene_in_kilometres():
    paths = []
    for size in (1e-3, 1.0, 1e3):
        ran = run(dropped(size, (0.1, 0.2, 0.0)), 30, 0.01)
        paths.append([state.x[1] / size for state in ran.states])
    np.testing.assert_allclose(paths[0], paths[1], atol=1e-8)
    np.testing.assert_allclose(paths[2], paths[1], atol=1e-8)


def test_a_collision_in_free_space_keeps_linear_momentum():
    scene = dt.Scene()
    R = Rotation.from_rotvec([0.3, 0.5, -0.2]).as_matrix()
    scene.add_body("heavy", CUBE, mass=3, velocity=(2, 0.1, 0), rotation=R)
    scene.add_body("light", CUBE, mass=1, position=(1.8, 0.3, 0.2), velocity=(-3, 0, 0.2))
    ran = run(scene, 25, 0.02, dhat=1e-2, velocity_tolerance=1e-9)
    momentum = np.array([[3, 1] @ state.v for state in ran.states])
    assert np.linalg.norm(ran.states[-1].v[1] - ran.states[0].v[1]) > 1  # they did collide
    np.testing.assert_allclose(momentum, momentum[[0]].repeat(26, axis=0), atol=1e-7)
    assert ran.intersections() == []


def test_contact_never_adds_energy_to_what_falls_and_collides():
    result = dt.simulate(dropped(tilt=(0.4, 0.3, 0.1)), 1.0, 0.01, contact=IPC())
    rise = np.diff(result.energy["total"])
    assert np.max(rise) < 1e-3 * 2 * 10  # of m g times one metre
    assert result.energy["total"][-1] < result.energy["total"][0]


@pytest.mark.parametrize("speed", [100.0, 1e5])
def test_a_bullet_does_not_pass_a_thin_wall_whatever_its_speed(speed):
    scene = dt.Scene()
    scene.add_body("wall", dt.Box((0.01, 3, 3)), motion="static")
    scene.add_body("bullet", dt.Box((0.1, 0.1, 0.1)), position=(-1.3, 0.2, 0.1),
                   velocity=(speed, 0, 0), angular_velocity=(1, 2, 3))  # fmt: skip
    ran = run(scene, 3, 0.01, dhat=1e-3, velocity_tolerance=1e-6 * speed)
    assert all(state.x[1, 0] < -0.05 for state in ran.states)
    assert ran.intersections() == []


def test_a_stack_of_five_cubes_stands_and_each_contact_carries_what_is_above():
    scene = dt.Scene(gravity=(0, 0, -10))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    for k in range(5):
        scene.add_body(f"cube{k}", CUBE, mass=1, position=(0, 0, 0.501 + 1.002 * k))
    ran = run(scene, 60, 0.01, velocity_tolerance=1e-6)
    seen = ran.stepper.observe().contact.contacts
    for k in range(5):
        above = (seen.bodies[:, 0] == k + 1) & (seen.bodies[:, 1] == k)
        below = (seen.bodies[:, 1] == k + 1) & (seen.bodies[:, 0] == k)
        load = seen.forces[above].sum(axis=0) - seen.forces[below].sum(axis=0)
        np.testing.assert_allclose(load, [0, 0, 10 * (5 - k)], rtol=1e-3, atol=1e-3)


def test_a_run_repeats_to_the_bit_and_from_its_memory():
    """Candidate lists depend on what happened before; what is computed must not."""
    scene = dropped(tilt=(0.4, 0.3, 0.1))
    first, second = (run(scene, 40, 0.01) for _ in range(2))
    middle = run(scene, 20, 0.01).stepper.snapshot()
    other = ImplicitEuler().start(scene.build(), IPC())
    other.restore(middle)
    for k in range(20, 40):
        other.step((k + 1) * 0.01)
    for state in (second.states[-1], other.bodies):
        for name in ("x", "R", "v", "omega"):
            assert np.array_equal(getattr(state, name), getattr(first.states[-1], name))


def test_held_motions_stay_held_under_contact():
    scene = dropped(tilt=(0.4, 0.3, 0.1))
    scene.add_body("slider", CUBE, mass=1, position=(0.3, 0.2, 2.3), velocity=(0, 0, -1),
                   fixed=(True, True, False, True, True, True))  # fmt: skip
    ran = run(scene, 40, 0.01)
    last = ran.states[-1]
    assert last.x[2, 0] == 0.3 and last.x[2, 1] == 0.2 and last.x[2, 2] < 2.3
    assert np.array_equal(last.R[2], np.eye(3))
    assert ran.intersections() == []


def test_a_driven_body_pushes_others_along_its_path():
    scene = dt.Scene(gravity=(0, 0, -10))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("cube", CUBE, mass=1, position=(1.05, 0, 0.51))
    scene.add_body("pusher", CUBE, position=(0, 0, 0.6), velocity=(1, 0, 0), motion="kinematic")
    ran = run(scene, 50, 0.01)
    last = ran.states[-1]
    assert last.x[2, 0] == pytest.approx(0.5, abs=1e-5)
    assert last.x[1, 0] - last.x[2, 0] > 1
    assert ran.intersections() == []


def test_constant_forces_and_torques_act_as_newton_and_euler_say():
    scene = dt.Scene()
    scene.add_body("cube", CUBE, mass=2, inertia=(1, 1, 1))
    scene.add_force("push", "cube", (4, 0, 0), (0, 0, 0.5))
    state = run(scene, 100, 0.01).states[-1]
    np.testing.assert_allclose(state.v[0], [2, 0, 0], atol=1e-9)
    assert state.omega[0, 2] == pytest.approx(0.5, rel=2e-3)  # implicit Euler brakes a little


@pytest.mark.parametrize(
    "seed", [pytest.param(k, marks=[pytest.mark.slow] if k > 2 else []) for k in range(30)]
)
def test_random_spinning_boxes_thrown_at_each_other_never_meet(seed):
    rng = np.random.default_rng(seed)
    scene = dt.Scene()
    for k in range(3):
        drift = rng.normal(size=3)
        place = 1.4 * np.array([np.cos(2.1 * k), np.sin(2.1 * k), 0.1 * k])
        sides = (1.0, 0.9, 0.002) if k == seed % 3 else rng.uniform(0.05, 1, 3)
        scene.add_body(
            f"b{k}", dt.Box(sides), position=place, rotation=Rotation.random(rng=rng).as_matrix(),
            velocity=-20 * place + drift, angular_velocity=20 * rng.normal(size=3),
        )  # fmt: skip
    ran = run(scene, 4, 0.02, dhat=1e-3, velocity_tolerance=1e-3)
    assert any(report.near for report in ran.reports)  # they did collide
    assert ran.intersections() == []


def test_a_step_that_does_not_converge_names_its_time_and_is_divided():
    contact = IPC(velocity_tolerance=1e-9, max_newton_iterations=2)
    stepper = ImplicitEuler().start(dropped().build(), contact)

    def fall():
        for k in range(100):
            stepper._advance(0.01 * (k + 1))

    with pytest.raises(RunError, match=r"at t = 0.* s: .*not converge in 2 Newton"):
        fall()
    result = dt.simulate(dropped(), 0.3, 0.01, contact=contact)
    assert result.stats["rejected"].sum() > 0


def test_what_the_method_cannot_take_is_refused_with_a_reason():
    with pytest.raises(InputError, match=r"`friction` must be >= 0, got -0\.5"):
        IPC(friction=-0.5)
    scene = dropped()
    scene.add_body("other", CUBE, position=(0.3, 0, 0.7))
    with pytest.raises(InputError, match=r"'cube' and 'other' must not intersect at the start"):
        dt.simulate(scene, 1.0, 0.01, contact=IPC())
    scene = dropped(floor="half-space")
    scene.add_body("low", CUBE, position=(3, 0, 0.4))
    with pytest.raises(InputError, match=r"'low' must be more than 0 m above half-space 'floor'"):
        dt.simulate(scene, 1.0, 0.01, contact=IPC())
    with pytest.raises(InputError, match="`dhat` must be > 0 m"):
        IPC(dhat=-1.0)
