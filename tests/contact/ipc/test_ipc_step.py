"""Intersection-free steps: bodies rest, bounce momentum on, and never pass through each other."""

import numpy as np
import pytest
from ipc_runs import run
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.contact.ipc.bodies import ipc_bodies
from dovetail.contact.ipc.newton import minimise
from dovetail.contact.ipc.objective import StepObjective, moved
from dovetail.errors import InputError
from dovetail.geometry.slack_lists import SlackLists

CUBE = dt.Box((1, 1, 1))


def dropped(size=1.0, tilt=(0.0, 0.0, 0.0)):
    """A cube over a floor, with the lengths of the scene times `size`."""
    scene = dt.Scene(gravity=(0, 0, -10 * size))
    scene.add_body("floor", dt.Box((5 * size, 5 * size, size)), motion="static",
                   position=(0, 0, -0.5 * size))  # fmt: skip
    scene.add_body("cube", dt.Box((size,) * 3), mass=2, position=(0.1 * size, 0, 0.55 * size),
                   inertia=np.full(3, size**2 / 3),
                   rotation=Rotation.from_rotvec(tilt).as_matrix())  # fmt: skip
    return scene


def test_a_cube_falls_onto_a_floor_and_rests_within_the_reach_of_the_barrier():
    ran = run(dropped(), 40, 0.01, dhat=1e-2)
    assert all(solved.converged for solved in ran.solved)
    height = ran.states[-1].x[1, 2] - 0.5
    assert 0 < height < 1e-2
    assert np.linalg.norm(ran.states[-1].v[1]) < 1e-3
    assert ran.intersections() == ran.intersections(straight=True) == []
    assert ran.solved[-1].iterations <= 2  # rest is cheap


def test_a_scene_in_millimetres_moves_as_the_scene_in_kilometres():
    paths = []
    for size in (1e-3, 1.0, 1e3):
        ran = run(dropped(size), 15, 0.01, dhat=1e-2 * size, tolerance=1e-9 * size)
        paths.append([state.x[1] / size for state in ran.states])
    np.testing.assert_allclose(paths[0], paths[1], atol=1e-9)
    np.testing.assert_allclose(paths[2], paths[1], atol=1e-9)


def test_a_collision_in_free_space_keeps_linear_momentum():
    scene = dt.Scene()
    R = Rotation.from_rotvec([0.3, 0.5, -0.2]).as_matrix()
    scene.add_body("heavy", CUBE, mass=3, velocity=(2, 0.1, 0), rotation=R)
    scene.add_body("light", CUBE, mass=1, position=(1.8, 0.3, 0.2), velocity=(-3, 0, 0.2))
    ran = run(scene, 25, 0.02, dhat=1e-2, tolerance=1e-9)
    momentum = np.array([[3, 1] @ state.v for state in ran.states])
    assert np.linalg.norm(ran.states[-1].v[1] - ran.states[0].v[1]) > 1  # they did collide
    np.testing.assert_allclose(momentum, momentum[[0]].repeat(26, axis=0), atol=1e-7)
    assert ran.intersections() == []


@pytest.mark.parametrize("speed", [100.0, 1e5])
def test_a_bullet_does_not_pass_a_thin_wall_whatever_its_speed(speed):
    scene = dt.Scene()
    scene.add_body("wall", dt.Box((0.01, 3, 3)), motion="static")
    scene.add_body("bullet", dt.Box((0.1, 0.1, 0.1)), position=(-1.3, 0.2, 0.1),
                   velocity=(speed, 0, 0), angular_velocity=(1, 2, 3))  # fmt: skip
    ran = run(scene, 3, 0.01, dhat=1e-3, tolerance=1e-6 * speed)
    assert all(state.x[1, 0] < -0.05 for state in ran.states)
    assert ran.intersections() == []


def test_the_stiffness_rises_when_a_gap_shrinks_far_below_its_reach():
    """From a stiffness a hundred million times too low, under the weight of the cube alone."""
    model = dropped().build()
    bodies = ipc_bodies(model)
    x, R, dhat = model.position.copy(), model.rotation.copy(), 1e-2
    objective = StepObjective(
        bodies, x - [[0, 0, 0], [0, 0, 0.051]], R, R, np.zeros_like(x), dhat, 0.0
    )
    lists = SlackLists(bodies.features, bodies.may_touch, dhat)
    solved = minimise(objective, lists, x, R, 0.01, 1e-8 * 2 * 1e-3 * dhat, 1e-9)
    assert solved.converged
    assert solved.doublings > 5
    assert solved.least_distance > 1e-4 * dhat


@pytest.mark.parametrize(
    "seed", [pytest.param(k, marks=[pytest.mark.slow] if k > 2 else []) for k in range(30)]
)
def test_random_spinning_boxes_thrown_at_each_other_never_meet(seed):
    rng = np.random.default_rng(seed)
    scene = dt.Scene()
    for k in range(3):
        way = rng.normal(size=3)
        place = 1.4 * np.array([np.cos(2.1 * k), np.sin(2.1 * k), 0.1 * k])
        sides = (1.0, 0.9, 0.002) if k == seed % 3 else rng.uniform(0.05, 1, 3)
        scene.add_body(
            f"b{k}", dt.Box(sides), position=place, rotation=Rotation.random(rng=rng).as_matrix(),
            velocity=-20 * place + way, angular_velocity=20 * rng.normal(size=3),
        )  # fmt: skip
    ran = run(scene, 4, 0.02, dhat=1e-3, tolerance=1e-3)
    assert all(solved.converged for solved in ran.solved)
    assert min(solved.least_distance for solved in ran.solved) < 1e-3  # they did collide
    assert ran.intersections() == []


def test_gradient_and_hessian_of_the_whole_potential_match_differences():
    scene = dropped(tilt=(0.01, 0.02, 0.3))
    center = (0.5, 0.05, 0.1)
    scene.add_body("wire", dt.Mesh([[0, 0, 0], [1, 0.1, 0.2]], edges=[[0, 1]]), mass=1,
                   inertia=(0.1, 0.2, 0.3), center_of_mass=center,
                   position=(0.3, 0.72, 0.3))  # fmt: skip
    model = scene.build()
    bodies = ipc_bodies(model)
    x, R = model.position.copy(), model.rotation.copy()
    rng = np.random.default_rng(0)
    objective = StepObjective(
        bodies, x + 0.1 * rng.normal(size=x.shape), R, R, 0.1 * rng.normal(size=x.shape), 0.6, 0.01
    )
    near = SlackLists(bodies.features, bodies.may_touch, 0.1).within(x, R, 0.62)
    weight = 0.37

    def energy(twist):
        there = moved(x, R, twist.reshape(-1, 6), 1.0)
        return objective.inertia(*there) + weight * objective.barrier(*there, near)[0]

    parts = objective.inertia_terms(x, R), objective.barrier_terms(x, R, near)
    gradient, H = (parts[0][k] + weight * parts[1][k] for k in range(2))
    free = np.flatnonzero(bodies.free.ravel())
    h = 1e-6
    for k in free:
        step = np.zeros(18)
        step[k] = h
        slope = (energy(step) - energy(-step)) / (2 * h)
        assert gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-6 * np.abs(gradient).max())
    h, seen = 1e-4, 0
    for k in free:
        step = np.zeros(18)
        step[k] = h
        bend = (energy(step) - 2 * energy(0 * step) + energy(-step)) / h**2
        seen += abs(H[k, k] - bend) < 2e-2 * abs(bend) + 1e-3 * np.abs(H).max()
    assert seen == len(free)


def test_bodies_the_step_cannot_take_are_refused_with_a_reason():
    scene = dt.Scene()
    scene.add_body("plane", dt.HalfSpace(), motion="static")
    with pytest.raises(InputError, match="'plane' must be static or dynamic and not a HalfSpace"):
        ipc_bodies(scene.build())
