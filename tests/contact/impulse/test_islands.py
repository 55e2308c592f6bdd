"""Islands are solved by themselves, and what one of them needs does not change the others."""

import numpy as np

import dovetail as dt
from dovetail.contact.impulse.contact_matching import same_rows
from dovetail.contact.impulse.islands import IslandProblem, row_islands
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.law import LcpLaw
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.linalg.lie import so3
from dovetail.multibody.freedoms import body_arrays


def problem_of(scene, speed):
    """Solver, velocities (n, 6) and friction of the scene's bodies that fall with the speed."""
    model = scene.build()
    law = LcpLaw(model, dt.contact.LCP(friction=0.5))
    x, R = np.array(model.position), np.array(model.rotation)
    contacts = law.find_contacts(x, R, np.zeros(model.n_bodies))
    joints = JointRows(model)
    joints.at(x, R)
    problem = ImpulseProblem(body_arrays(model), joints)
    u = np.zeros((model.n_bodies, 6))
    u[1:, 0], u[1:, 2] = 0.3, -speed
    problem.set_joints(R)
    problem.set_contacts(x, R, u, contacts.points)
    return law.solver(problem), u, np.full(contacts.count, 0.5)


def floor():
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    return scene


def add_pile(scene, seed, place):
    """Boxes in three storeys on the floor, turned at random."""
    random = np.random.default_rng(seed)
    for k in range(6):
        turn = so3.exp([0, 0, random.normal()])
        place_k = (place + 0.4 * (k % 2), 0.1 * k, 0.25 + 0.5 * (k // 2))
        scene.add_body(f"box{place}-{k}", dt.Box((1, 0.8, 0.5)), mass=1 + k, rotation=turn,
                       position=place_k)  # fmt: skip


def add_balls(scene):
    """Two balls, one of them with an arm on a ball joint."""
    for k in range(2):
        scene.add_body(f"ball{k}", dt.Sphere(0.5), mass=1 + k, position=(-5 - 3 * k, 0, 0.5))
    scene.add_body("arm", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(-8, 0, 2))
    scene.add_joint("neck", dt.Spherical((-8, 0, 1.5)), "ball1", "arm")


def test_bodies_that_only_the_floor_connects_are_islands():
    scene = floor()
    add_balls(scene)
    add_pile(scene, 0, 0)
    add_pile(scene, 1, 10)
    solver, _, _ = problem_of(scene, 1.0)
    problem = solver.problem
    label = row_islands(problem)
    assert len(np.unique(label)) == 4 and label.min() >= 0
    for k in np.unique(label):
        part = IslandProblem(problem, np.flatnonzero(label == k))
        assert part.n_rows == part.n_joint + 3 * part.n_contacts
        own = problem.rows.body[np.flatnonzero(label == k)]
        np.testing.assert_array_equal(np.append(part.body, -1)[part.rows.body], own)


def test_piles_beside_balls_leave_the_motion_of_the_balls_as_it_is():
    alone = floor()
    add_balls(alone)
    solver, u, mu = problem_of(alone, 1.0)
    assert solver.solve_step(u, mu, 1e-10).residual <= 1e-10
    for seed in range(3):
        both = floor()
        add_balls(both)
        add_pile(both, seed, 0)
        add_pile(both, seed + 10, 10)
        other, v, friction = problem_of(both, 1.0)
        start = v.copy()
        assert other.solve_step(v, friction, 1e-10).residual <= 1e-6
        np.testing.assert_allclose(v[: len(u)], u, atol=1e-9)
        other.problem.apply(other.problem.lam, start)
        np.testing.assert_allclose(start, v, atol=1e-12)


def test_the_residual_of_every_island_counts():
    """An island that cannot be solved is the one whose residual is told."""
    scene = floor()
    add_pile(scene, 3, 0)
    for k in range(3):
        scene.add_body(f"ball{k}", dt.Sphere(0.5), mass=1, position=(-5 - 3 * k, 0, 0.5))
    solver, u, mu = problem_of(scene, 1.0)
    found = solver.solve_step(u, mu, 1e-10)
    left = solver.residual(u, mu, np.ones(len(mu), np.int8))
    assert found.residual == left.residual


def test_islands_are_found_again_where_the_third_body_of_a_row_is_another():
    body = np.array([[0, 1, 2], [3, 4, -1]], np.int32)
    assert same_rows(body, 2, body.copy())
    assert not same_rows(body, 2, np.array([[0, 1, 5], [3, 4, -1]], np.int32))
    assert not same_rows(body, 2, body[:, :2].copy())
    assert not same_rows(body, 1, body)
