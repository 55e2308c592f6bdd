"""The impulses of a step satisfy their laws, and are those of an exact method."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.impulse.friction_cone import project_onto_polygon
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.law import LcpLaw
from dovetail.contact.impulse.lemke import delassus, solve_exactly, solve_worst
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.linalg.lie import so3
from dovetail.multibody.freedoms import body_arrays


def falling(seed, jointed):
    """A few boxes pressed on a floor with random velocities: solver, velocities, friction."""
    random = np.random.default_rng(seed)
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    for k in range(2):
        turn = so3.exp([0, 0, random.normal()])
        scene.add_body(f"box{k}", dt.Box((1, 0.8, 0.5)), mass=1 + k, rotation=turn,
                       position=(0.1 * k, 0.1, 0.25 + 0.5 * k))  # fmt: skip
    if jointed:
        scene.add_body("arm", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(0, 0, 2))
        scene.add_joint("ball", dt.Spherical((0, 0, 1.5)), "box1", "arm")
    model = scene.build()
    law = LcpLaw(model, dt.contact.LCP(friction=0.5, facets=6))
    x, R = np.array(model.position), np.array(model.rotation)
    contacts = law.find_contacts(x, R, np.zeros(model.n_bodies))
    joints = JointRows(model)
    joints.at(x, R)
    problem = ImpulseProblem(body_arrays(model), joints)
    u = np.zeros((model.n_bodies, 6))
    u[1:] = random.normal(size=(model.n_bodies - 1, 6))
    u[1:, 2] -= 2.0
    problem.set_joints(R)
    problem.set_contacts(x, R, u, contacts.points)
    return law.solver(problem), u, np.full(contacts.count, 0.5)


@pytest.mark.parametrize(
    ("jointed", "softness"), [(False, 0.0), (True, 0.0), (True, 0.5)], ids=["free", "rigid", "soft"]
)
def test_lemke_finds_impulses_that_sweeps_leave_as_they_are(jointed, softness):
    """Eight contacts carry two boxes, not uniquely, so velocities under friction may differ.

    Rows that are soft give way by `softness` times their impulse, as dampers do.
    """
    for seed in range(5):
        solver, u, mu = falling(seed, jointed)
        assert solver.problem.n_contacts >= 8
        solver.problem.softness[: solver.problem.n_joint] = softness
        found = solve_exactly(solver.problem, solver.facets, u, mu)
        assert found.solved and found.residual < 1e-10
        exact = u.copy()
        done = solver.solve(u, mu, np.ones(len(mu), np.int8), 1e-9)
        assert done.iterations <= 2 and done.residual <= 1e-9
        np.testing.assert_allclose(u, exact, atol=1e-8)


def test_a_bridge_of_sliding_boxes_that_sweeps_cannot_settle_is_solved_exactly():
    """One box across two on a swaying floor, met after four minutes of shaking twelve parts.

    Four corners of each box rest on the floor and hold the same motion twice: Lemke's path used to
    end on a ray whose artificial variable was round-off.
    """
    scene = dt.Scene()
    scene.add_body("floor", dt.Box((1.4, 1.4, 0.2)), motion="static", position=(0.048287, 0, -0.6))
    poses = {
        "left": ((-0.2092661, 0.0102782, -0.4499994), (9.6e-06, 2.9e-06, 0.5970707)),
        "across": ((-0.3537926, 0.0846032, -0.3499870), (0.0003399, -6.87e-05, 0.2250586)),
        "right": ((-0.3728593, 0.1135213, -0.4500000), (0.0, 0.0, 0.0098016)),
    }
    for name, (position, turn) in poses.items():
        scene.add_body(name, dt.Box((0.15, 0.12, 0.1)), density=1000, position=position,
                       rotation=so3.exp(turn))  # fmt: skip
    u = np.array([
        [0.0489435, 0, 0, 0, 0, 0],
        [0.1128137, -0.0002279, -0.04905, 0, 0, -0.0050312],
        [0.1131228, 0.000365, -0.04905, -2e-07, -2e-07, -0.0034791],
        [0.1118987, 0.0001799, -0.04905, 0, 0, 0.0008463],
    ])  # fmt: skip
    model, h, tolerance = scene.build(), 0.005, 4e-9
    law = LcpLaw(model, dt.contact.LCP(friction=0.2, cone="pyramid"))
    x, R = np.array(model.position), np.array(model.rotation)
    contacts = law.find_contacts(x, R, np.full(4, 0.4 * h))
    problem = ImpulseProblem(body_arrays(model), JointRows(model))
    problem.set_contacts(x, R, u, contacts.points)
    problem.c[problem.normals()] = np.maximum(contacts.points.gap, 0.0) / h
    mu, active = np.full(contacts.count, 0.2), np.ones(contacts.count, np.int8)
    solver = law.solver(problem)
    assert solver.solve(u, mu, active, tolerance, max_sweeps=400).residual > tolerance
    assert solve_worst(solver, u, mu, active, tolerance).residual < 1e-14


def test_lemke_and_sweeps_agree_where_every_body_has_one_contact_to_rest_on():
    random = np.random.default_rng(5)
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    for k in range(4):
        scene.add_body(f"ball{k}", dt.Sphere(0.5), mass=1 + k, position=(k, 0, 0.5))
    model = scene.build()
    law = LcpLaw(model, dt.contact.LCP(friction=0.5, cone="pyramid"))
    x, R = np.array(model.position), np.array(model.rotation)
    contacts = law.find_contacts(x, R, np.zeros(model.n_bodies))
    joints = JointRows(model)
    problem = ImpulseProblem(body_arrays(model), joints)
    u = np.zeros((model.n_bodies, 6))
    u[1:] = random.normal(size=(4, 6))
    u[1:, 2] -= 2.0
    problem.set_contacts(x, R, u, contacts.points)
    assert contacts.count == 7
    solver = law.solver(problem)
    mu, swept, exact = np.full(7, 0.5), u.copy(), u.copy()
    assert solver.solve(swept, mu, np.ones(7, np.int8), 1e-12).residual <= 1e-12
    problem.lam[:] = 0.0
    assert solve_exactly(problem, solver.facets, exact, mu).residual < 1e-10
    np.testing.assert_allclose(swept, exact, atol=1e-9)


def test_impulses_of_contacts_satisfy_complementarity_and_coulomb():
    solver, u, mu = falling(3, False)
    problem = solver.problem
    solver.solve(u, mu, np.ones(problem.n_contacts, np.int8), 1e-12)
    rates, lam = problem.rates(u), problem.lam[: problem.n_rows]
    normal, speed = lam[::3], rates[::3]
    assert normal.min() >= 0 and speed.min() > -1e-11
    assert np.abs(normal * speed).max() < 1e-10
    slip, push = rates.reshape(-1, 3)[:, 1:], lam.reshape(-1, 3)[:, 1:]
    corners = np.exp(2j * np.pi * np.arange(6) / 6)
    for c in range(len(normal)):
        work = push[c] @ slip[c]
        most = -min(mu[c] * normal[c] * (slip[c] @ [d.real, d.imag]) for d in corners)
        assert -work == pytest.approx(most, abs=1e-9)  # maximal dissipation over the pyramid


def test_the_matrix_of_all_rows_is_symmetric_with_the_diagonal_of_the_rows():
    problem = falling(1, True)[0].problem
    A = delassus(problem)
    assert np.abs(A - A.T).max() < 1e-12
    np.testing.assert_allclose(np.diag(A), problem.rows.diagonal[: problem.n_rows], rtol=1e-12)


@pytest.mark.parametrize("corners", [4, 6, 8, 16])
def test_projection_onto_the_pyramid_is_the_nearest_point(corners):
    random = np.random.default_rng(corners)
    angles = 2 * np.pi * np.arange(corners) / corners
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    share = np.linspace(0, 1, 4001)[:, None]
    sides = [a + share * (b - a) for a, b in zip(ring, np.roll(ring, -1, axis=0))]
    border = np.concatenate(sides)
    for point in random.normal(size=(200, 2)) * 1.5:
        found = np.array(project_onto_polygon(point[0], point[1], 1.0, corners))
        inside = _inside(ring, point)
        nearest = point if inside else border[np.argmin(np.linalg.norm(border - point, axis=1))]
        assert np.abs(found - nearest).max() < 1e-3
        assert np.linalg.norm(found - point) <= np.linalg.norm(nearest - point) + 1e-12


def _inside(ring, point):
    following = np.roll(ring, -1, axis=0)
    sides, to = following - ring, point - ring
    return bool(np.all(sides[:, 0] * to[:, 1] - sides[:, 1] * to[:, 0] >= 0))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"friction": -0.1}, "`friction` must be"),
        ({"restitution": 1.5}, "`restitution` must be 0 to 1, got 1.5"),
        ({"facets": 5}, "`facets` must be an even number from 4"),
        ({"cone": "square"}, "`cone` must be one of pyramid, exact"),
    ],
)
def test_bad_settings_are_refused_in_a_sentence(options, sentence):
    with pytest.raises(dt.InputError, match=sentence):
        dt.contact.LCP(**options)


def test_singular_inertia_and_wrong_integrators_are_refused_in_a_sentence():
    scene = dt.Scene()
    scene.add_body("needle", mass=1, inertia=(1, 1, 0))
    with pytest.raises(dt.InputError, match="must have moments > 0 kg"):
        dt.simulate(scene, 0.1, 0.01, contact=dt.contact.LCP())
    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(1), mass=1)
    with pytest.raises(dt.InputError, match=r"takes .*force law.*'lcp' is an? impulse law"):
        dt.simulate(scene, 0.1, 0.01, dt.contact.LCP(), dt.integrators.LieVerlet())


def test_motors_that_contradict_each_other_end_the_run_with_their_bodies_names():
    scene = dt.Scene()
    scene.add_body("block", dt.Box((1, 1, 1)), mass=1)
    for k, speed in enumerate((1.0, -1.0)):
        drive = dt.Actuation(motor=("velocity", speed))
        joint = dt.Prismatic((0, 0, 0), (1, 0, 0), actuation=(drive,))
        scene.add_joint(f"rail{k}", joint, "ground", "block")
    with pytest.raises(dt.RunError, match=r"the joint of .*block.* is off by") as raised:
        dt.simulate(scene, 0.1, 0.01, contact=dt.contact.LCP(), progress=False)
    assert raised.value.result is not None
