"""How much is tried to solve a step, and that the best impulses found are those that stay.

Sweeps, Newton's method and Lemke's are replaced by scripts: each entry is a residual [m/s]; the
k-th call leaves impulses and velocities of value k + 1, takes 10^k iterations and names row k.
"""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.impulse import solver as effort
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.law import LcpLaw
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ACTIVE, INACTIVE, NORMAL_FIXED, Outcome
from dovetail.contact.impulse.solver import ContactSolver, sliding_share
from dovetail.multibody.freedoms import body_arrays


def a_problem(boxes=1, jointed=False):
    """Boxes in a row on a floor, all of one joint's width apart: four contacts each."""
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    for k in range(boxes):
        scene.add_body(f"box{k}", dt.Box((1, 1, 1)), mass=1, position=(2 * k, 0, 0.5))
    if jointed:
        for k in range(boxes - 1):
            scene.add_joint(f"pin{k}", dt.Spherical((2 * k + 1, 0, 0.5)), f"box{k}", f"box{k + 1}")
    model = scene.build()
    law = LcpLaw(model, dt.contact.LCP(friction=0.5, facets=8))
    x, R = np.array(model.position), np.array(model.rotation)
    joints = JointRows(model)
    joints.at(x, R)
    problem = ImpulseProblem(body_arrays(model), joints)
    problem.set_joints(R)
    found = law.find_contacts(x, R, np.zeros(model.n_bodies)).points
    problem.set_contacts(x, R, np.zeros((model.n_bodies, 6)), found)
    return problem


class Scripted:
    """A solver whose methods follow a script."""

    def __init__(self, problem, script, monkeypatch, tolerance=None):
        self.problem, self.script, self.calls = problem, list(script), []
        self.enough = []  # [m/s] where Newton's method may end if it is slow
        self.solver = ContactSolver(problem, 8, tolerance)
        self.u = np.zeros((len(problem.bodies.dynamic), 6))
        self.mu = np.full(problem.n_contacts, 5.0)  # none slides
        self.active = np.full(problem.n_contacts, ACTIVE, np.int8)
        names = {"previous": np.zeros(1000)}
        self.solver._workspace = type("Workspace", (), names)()
        monkeypatch.setattr(effort, "gauss_seidel", self._sweeps)
        monkeypatch.setattr(self.solver._newton, "solve", self._newton)
        monkeypatch.setattr(effort, "solve_worst", self._lemke)

    def _next(self, *call):
        k, residual = len(self.calls), self.script.pop(0)
        self.calls.append(call)
        self.problem.lam[: self.problem.n_rows] = k + 1
        self.u[...] = k + 1
        return Outcome(10**k, residual, k)

    def _sweeps(self, system, lam, u, workspace, tolerance, sweeps, stall_ratio):
        return self._next("sweeps", tolerance, sweeps, stall_ratio)

    def _newton(self, system, lam, u, R, penalty, tolerance, steps=None, enough=0.0):
        self.enough.append(enough)
        return self._next("newton", tolerance, penalty, steps)

    def _lemke(self, solver, u, mu, active, tolerance):
        assert u.flat[0] == solver.problem.lam[0]
        return self._next("lemke", tolerance)

    def kept(self):
        """The number of the call whose impulses and velocities are kept."""
        values = {*self.problem.lam[: self.problem.n_rows].tolist(), *self.u.ravel().tolist()}
        assert len(values) == 1 and not self.script
        return int(values.pop()) - 1


def names(run):
    return [call[0] for call in run.calls]


def test_a_step_that_sweeps_solve_ends_there(monkeypatch):
    run = Scripted(a_problem(), [1e-9], monkeypatch)
    assert run.solver.solve_step(run.u, run.mu, 1e-9) == (1, 1e-9, 0)
    assert run.calls == [("sweeps", 1e-9, effort.FIRST_SWEEPS, np.inf)] and run.kept() == 0


def test_the_best_of_all_that_was_tried_is_kept_and_all_iterations_count(monkeypatch):
    """Lemke's method and the last resort leave more than the second sweeps did."""
    run = Scripted(a_problem(), [1.0, 0.05, 0.5, 0.4, 0.6, 0.7], monkeypatch)
    assert run.solver.solve_step(run.u, run.mu, 1e-9) == (111111, 0.4, 3) and run.kept() == 3
    assert names(run) == ["sweeps", "newton", "newton", "sweeps", "lemke", "sweeps"]


def test_newton_goes_on_while_it_pays_and_sweeps_end_where_it_is_acceptable(monkeypatch):
    tolerance = 1e-9
    script = [1.0, 0.05, 0.5 * effort.ACCEPTABLE * tolerance, 2e-10]
    run = Scripted(a_problem(), script, monkeypatch)
    found = run.solver.solve_step(run.u, run.mu, tolerance)
    assert names(run) == ["sweeps", "newton", "newton", "newton"]
    assert run.calls[1:] == [
        ("newton", tolerance, effort.COLD_PENALTY, effort.TRIAL_STEPS),
        ("newton", tolerance, effort.WARM_PENALTY, 20),
        ("newton", tolerance, effort.WARM_PENALTY, min(220, effort.MAX_STEPS)),
    ]
    assert found == (1111, 2e-10, 3) and run.kept() == 3


def test_without_many_contacts_the_rest_is_solved_exactly(monkeypatch):
    tolerance = 1e-9
    run = Scripted(a_problem(), [1.0, 0.2, 0.3, 0.5 * tolerance], monkeypatch)
    found = run.solver.solve_step(run.u, run.mu, tolerance)
    assert names(run) == ["sweeps", "newton", "sweeps", "lemke"]
    most = max(effort.MAX_STEP_SWEEPS, effort.MAX_UPDATES // 4)
    assert run.calls[2] == ("sweeps", effort.ACCEPTABLE * tolerance, most, np.inf)
    assert found == (1111, 0.5 * tolerance, 3) and run.kept() == 3


def test_many_contacts_end_where_sweeps_do(monkeypatch):
    monkeypatch.setattr(effort, "MAX_LEMKE_CONTACTS", 3)
    run = Scripted(a_problem(), [1.0, 0.2, 0.1], monkeypatch)
    assert run.solver.solve_step(run.u, run.mu, 1e-9) == (111, 0.1, 2)
    assert names(run) == ["sweeps", "newton", "sweeps"] and run.kept() == 2


def test_a_residual_that_is_acceptable_is_not_swept_again(monkeypatch):
    monkeypatch.setattr(effort, "MAX_LEMKE_CONTACTS", 3)
    run = Scripted(a_problem(), [2e-5, 0.5e-5], monkeypatch)
    assert run.solver.solve_step(run.u, run.mu, 1e-9) == (11, 0.5e-5, 1)


def test_the_users_tolerance_is_what_is_acceptable(monkeypatch):
    monkeypatch.setattr(effort, "MAX_LEMKE_CONTACTS", 3)
    run = Scripted(a_problem(), [1.0, 0.2, 1e-4], monkeypatch, tolerance=1e-3)
    assert run.solver.solve_step(run.u, run.mu, 1e-9).residual == 1e-4
    assert {call[1] for call in run.calls} == {1e-3}


def test_newton_is_not_tried_where_many_contacts_slide(monkeypatch):
    monkeypatch.setattr(effort, "MAX_LEMKE_CONTACTS", 3)
    monkeypatch.setattr(effort, "sliding_share", lambda system, lam: 0.31)
    run = Scripted(a_problem(), [1.0, 0.1], monkeypatch)
    assert run.solver.solve_step(run.u, run.mu, 1e-9) == (11, 0.1, 1)
    assert names(run) == ["sweeps", "sweeps"]


def test_pressing_contacts_whose_friction_is_at_its_bound_slide():
    problem = a_problem()
    mu = np.array([0.5, 0.5, 0.5, 0.0])
    lam = problem.lam[: problem.n_rows].reshape(-1, 3)
    system = problem.system(mu, np.ones(4, np.int8), 8)
    assert sliding_share(system, problem.lam) == 0.0  # nothing presses
    lam[:] = [[2, 0.6, 0.75], [2, 0.6, 0.6], [0, 0, 0], [2, 0, 0]]  # of bounds 1, 1, 0, 0
    assert sliding_share(system, problem.lam) == 0.5


@pytest.mark.parametrize(
    ("residual", "penalty"),
    [
        (1.01 * effort.FAR * 1e-9, effort.COLD_PENALTY),
        (0.99 * effort.FAR * 1e-9, effort.WARM_PENALTY),
    ],
)
def test_impulses_that_are_hardly_known_weigh_little(monkeypatch, residual, penalty):
    run = Scripted(a_problem(), [residual, 1e-9], monkeypatch)
    assert run.solver.solve(run.u, run.mu, run.active, 1e-9) == (11, 1e-9, 1)
    assert run.calls == [
        ("sweeps", 1e-9, effort.FEW_SWEEPS, np.inf),
        ("newton", 1e-9, penalty, None),
    ]
    step = Scripted(a_problem(), [residual, 1e-9], monkeypatch)
    step.solver.solve_step(step.u, step.mu, 1e-9)
    assert step.calls[1] == ("newton", 1e-9, penalty, effort.TRIAL_STEPS)


def test_newton_and_sweeps_alternate_three_times_and_sweeps_are_the_last_resort(monkeypatch):
    script = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
    run = Scripted(a_problem(), script, monkeypatch)
    monkeypatch.setattr(run, "_next", _cheap(run))
    found = run.solver.solve(run.u, run.mu, run.active, 1e-9, 1000)
    assert names(run) == ["sweeps", *["newton", "sweeps"] * 3, "sweeps"]
    assert [call[2] for call in run.calls if call[0] == "sweeps"] == [
        effort.FEW_SWEEPS, *[effort.SWEEPS_BETWEEN] * 3, 1000 - 7 * 5,
    ]  # fmt: skip
    assert found == (40, 0.3, 7)


def test_few_sweeps_left_are_at_least_one_forward_and_one_backward(monkeypatch):
    run = Scripted(a_problem(), [1.0, 0.9, 0.8], monkeypatch)
    monkeypatch.setattr(run, "_next", _cheap(run))
    assert run.solver.solve(run.u, run.mu, run.active, 1e-9, 11) == (15, 0.8, 2)
    assert run.calls[2][:3] == ("sweeps", 1e-9, 2)


def _cheap(run):
    """As `_next`, with five iterations for each call."""
    inner = Scripted._next
    return lambda *call: inner(run, *call)._replace(iterations=5)


def test_sweeps_over_many_rows_end_when_they_stall(monkeypatch):
    run = Scripted(a_problem(boxes=6), [1e-9], monkeypatch)  # 72 rows
    assert run.solver.solve(run.u, run.mu, run.active, 1e-9) == (1, 1e-9, 0)
    assert run.calls == [("sweeps", 1e-9, effort.MAX_SWEEPS, effort.STALL_RATIO)]
    few = Scripted(a_problem(boxes=5), [1e-9], monkeypatch)  # 60 rows
    few.solver.solve(few.u, few.mu, few.active, 1e-9, 7)
    assert few.calls == [("sweeps", 1e-9, 7, np.inf)]


def test_normals_that_are_fixed_are_swept_only(monkeypatch):
    run = Scripted(a_problem(), [1.0], monkeypatch)
    active = np.array([INACTIVE, NORMAL_FIXED, ACTIVE, ACTIVE], np.int8)
    assert run.solver.solve(run.u, run.mu, active, 1e-9) == (1, 1.0, 0)
    assert run.calls == [("sweeps", 1e-9, effort.MAX_SWEEPS, np.inf)]


def test_joints_are_solved_by_newton_first_and_further_than_wanted(monkeypatch):
    problem = a_problem(2, jointed=True)
    enough = effort.JOINED * effort.ACCEPTABLE * 1e-9
    run = Scripted(problem, [enough], monkeypatch)
    assert run.solver.solve_step(run.u, run.mu, 1e-9) == (1, enough, 0)
    assert run.calls == [("newton", effort.AIM * 1e-9, effort.COLD_PENALTY, None)]
    assert run.enough == pytest.approx([effort.NEAR_AIM * effort.AIM * 1e-9])
    again = Scripted(problem, [0.0], monkeypatch)  # contacts have impulses now
    again.solver.solve_step(again.u, again.mu, 1e-9)
    assert again.calls[0][2] == effort.WARM_PENALTY


@pytest.mark.parametrize(
    ("script", "kept", "left"),
    [
        ([1.0, 9.0, 1.0], 0, 1.0),  # no gain: the first stays
        ([1.0, 9.0, 0.6], 2, 0.6),  # little gain: kept, but there is no third attempt
        ([1.0, 9.0, 0.4, 9.0, 0.3], 4, 0.3),
        ([1.0, 9.0, 0.4, 9.0, 0.4], 2, 0.4),
        ([1.0, 9.0, 0.4, 9.0, 0.1], 4, 0.1),  # three attempts are all
        ([1.0, 9.0, 1e-9], 2, 1e-9),
    ],
)
def test_newton_starts_again_after_sweeps_while_that_halves_the_residual(
    monkeypatch, script, kept, left
):
    problem = a_problem(2, jointed=True)
    problem.clear_contacts()
    run = Scripted(problem, script, monkeypatch)
    found = run.solver.solve(run.u, run.mu[:0], run.active[:0], 1e-9)
    assert found == (int("1" * len(script)), left, kept) and run.kept() == kept
    assert names(run) == ["newton", *["sweeps", "newton"] * (len(script) // 2)]
    assert run.calls[0] == ("newton", 1e-9, effort.WARM_PENALTY, None)  # no contacts to be unknown
    assert set(run.enough) == {1e-9}  # and never above what is accepted
    assert run.calls[1] == ("sweeps", 1e-9, effort.FIRST_SWEEPS, np.inf)
    assert run.calls[2] == ("newton", 1e-9, effort.COLD_PENALTY, None)


def test_islands_of_a_step_are_solved_by_themselves():
    """Two boxes pressed down and aside at different speeds: residual and row are of all rows."""
    problem = a_problem(2)
    solver, mu = ContactSolver(problem, 8), np.full(8, 0.5)
    u = np.zeros((3, 6))
    u[1:, 2], u[1, 0], u[2, 1] = -1.0, 2.0, 0.1
    before = u.copy()
    found = solver.solve_step(u, mu, 1e-12)
    active = np.full(8, ACTIVE, np.int8)
    assert solver.residual(u, mu, active).residual == found.residual <= 1e-8
    assert u[1, 0] == pytest.approx(2.0 - 0.5 * 1.0, abs=1e-7)  # slides: mu of the impulse
    assert u[2, 1] == pytest.approx(0.0, abs=1e-7)  # sticks
    assert before[1, 2] == -1.0 and np.abs(u[1:, 2]).max() < 1e-7
