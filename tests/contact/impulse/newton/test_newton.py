"""Newton's method in the velocities of the bodies finds the motion that sweeps find."""

import numpy as np
import pytest
from scipy.optimize import nnls

import dovetail as dt
from dovetail.contact.impulse.friction_cone import project_onto_cone
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.law import LcpLaw
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.linalg.lie import so3
from dovetail.multibody.freedoms import body_arrays


def heap(seed, cone, held=False):
    """Boxes in three storeys, a jointed arm, random velocities: solver, velocities, friction."""
    random = np.random.default_rng(seed)
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    for k in range(6):
        turn = so3.exp([0, 0, random.normal()])
        fixed = (True, False, False, True, True, False) if held and k == 3 else None
        scene.add_body(f"box{k}", dt.Box((1, 0.8, 0.5)), mass=1 + k, rotation=turn, fixed=fixed,
                       position=(0.4 * (k % 2), 0.1 * k, 0.25 + 0.5 * (k // 2)))  # fmt: skip
    scene.add_body("arm", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(0, 0, 3))
    scene.add_joint("ball", dt.Spherical((0, 0, 1.8)), "box5", "arm")
    model = scene.build()
    law = LcpLaw(model, dt.contact.LCP(friction=0.5, facets=6, cone=cone))
    x, R = np.array(model.position), np.array(model.rotation)
    contacts = law.find_contacts(x, R, np.zeros(model.n_bodies))
    joints = JointRows(model)
    joints.at(x, R)
    problem = ImpulseProblem(body_arrays(model), joints)
    u = np.zeros((model.n_bodies, 6))
    u[1:] = 0.3 * random.normal(size=(model.n_bodies - 1, 6))
    u[1:, 2] -= 1.0
    for i in np.flatnonzero(model.fixed.any(axis=1)):
        u[i, model.fixed[i]] = 0.0
    problem.set_joints(R)
    problem.set_contacts(x, R, u, contacts.points)
    return law.solver(problem), u, np.full(contacts.count, 0.5)


def sweep_only(solver, u, mu, active, tolerance):
    system = solver.problem.system(mu, active, solver.facets)
    return solver._sweep(system, u, tolerance, 4000)


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("cone", ["pyramid", "exact"])
def test_impulses_of_a_heap_satisfy_their_laws_also_where_a_box_is_held(cone, held):
    for seed in range(4):
        solver, u, mu = heap(seed, cone, held)
        problem = solver.problem
        assert problem.n_contacts > 24
        active, start = np.ones(problem.n_contacts, np.int8), u.copy()
        assert solver.solve(u, mu, active, 1e-10).residual <= 1e-10
        problem.apply(problem.lam, start)
        np.testing.assert_allclose(start, u, atol=1e-12)
        if held:
            assert np.abs(u[4, [0, 3, 4]]).max() < 1e-14


@pytest.mark.parametrize("cone", ["pyramid", "exact"])
def test_newton_takes_a_third_of_the_steps_of_sweeps_or_less(cone):
    for seed in range(4):
        solver, u, mu = heap(seed, cone)
        active, swept = np.ones(solver.problem.n_contacts, np.int8), u.copy()
        done = solver.solve(u, mu, active, 1e-10)
        solver.problem.lam[:] = 0.0
        alone = sweep_only(solver, swept, mu, active, 1e-10)
        assert alone.residual <= 1e-10 and 3 * done.iterations < alone.iterations


def test_newton_and_many_sweeps_find_the_same_motion_without_friction():
    """Without friction the motion is unique, however contacts share the load."""
    solver, u, _ = heap(7, "pyramid")
    problem = solver.problem
    none, active = np.zeros(problem.n_contacts), np.ones(problem.n_contacts, np.int8)
    swept = u.copy()
    system = problem.system(none, active, solver.facets)
    solver._newton.solve(system, problem.lam, u, problem.R, 10.0, 1e-12)
    problem.lam[:] = 0.0
    assert sweep_only(solver, swept, none, active, 1e-12).residual <= 1e-12
    np.testing.assert_allclose(u, swept, atol=1e-9)


@pytest.mark.parametrize("corners", [0, 4, 6, 16])
def test_projection_onto_the_cone_is_the_nearest_point_and_has_the_derivative_it_returns(corners):
    random = np.random.default_rng(corners)
    angles = 2 * np.pi * np.arange(corners) / max(corners, 1)
    for point in random.normal(size=(300, 3)):
        mu = random.uniform(0.05, 2)
        found = np.array(project_onto_cone(*point, mu, corners))
        near, derivative = found[:3], found[[3, 4, 5, 4, 6, 7, 5, 7, 8]].reshape(3, 3)
        if corners:
            rays = np.array([np.ones(corners), mu * np.cos(angles), mu * np.sin(angles)])
            np.testing.assert_allclose(near, rays @ nnls(rays, point)[0], atol=1e-12)
        else:  # Moreau: the rest lies in the polar cone and is orthogonal
            rest = point - near
            assert abs(rest @ near) < 1e-13
            assert np.hypot(*near[1:]) <= mu * near[0] + 1e-14
            assert rest[0] + mu * np.hypot(*rest[1:]) <= 1e-14
        e = 1e-6 * np.eye(3)
        ahead = [np.array(project_onto_cone(*(point + d), mu, corners))[:3] for d in e]
        behind = [np.array(project_onto_cone(*(point - d), mu, corners))[:3] for d in e]
        np.testing.assert_allclose((np.array(ahead) - behind) / 2e-6, derivative, atol=1e-6)


def heap_of_twelve(seed):
    """(residuals, iterations) of 300 steps in which boxes fall on each other."""
    random = np.random.default_rng(seed)
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    for k in range(12):
        place = (*random.uniform(-0.5, 0.5, 2), 1 + 0.9 * k)
        scene.add_body(f"box{k}", dt.Box(0.5 + 0.5 * random.random(3)), density=500,
                       position=place, rotation=so3.exp(random.normal(size=3)))  # fmt: skip
    law = dt.contact.LCP(friction=0.5)
    stepper = dt.integrators.StewartTrinkle().start(scene.build(), law)
    reports = [stepper.step(0.005 * k) for k in range(1, 301)]
    return [r.residual for r in reports], [r.iterations for r in reports]


def test_boxes_dropped_on_a_heap_are_solved_in_few_sweeps():
    """Corners that slide and cannot all touch at once are what sweeps alone drift on.

    Friction has no solver that always ends: what is asked of nearly all steps is reached, and the
    rest stays far below what a step of gravity adds.
    """
    residuals, iterations = (np.array(rows) for rows in zip(*map(heap_of_twelve, range(3))))
    assert np.mean(residuals <= 1e-8) >= 0.98
    assert residuals.max() < 1e-5
    assert np.median(iterations, axis=1).max() < 300
