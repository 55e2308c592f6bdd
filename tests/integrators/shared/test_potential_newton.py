"""The general Newton solve for potentials from outside the package."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.law import ContactReport
from dovetail.integrators.shared.incremental_potential import IncrementalPotential
from dovetail.integrators.shared.potential_newton import displaced, minimise
from dovetail.multibody.state import initial_state


class Tether:
    """Springs between all centres of mass and the origin, and a twist towards no rotation."""

    name, kind = "tether", "potential"

    def __init__(self, n=2, k=30.0, twist=2.0):
        self.n, self.k, self.twist = n, k, twist

    def prepare(self, model):
        return Tether(model.n_bodies, self.k, self.twist)

    def value(self, x, R):
        return 0.5 * self.k * np.sum(x**2) - self.twist * np.trace(R, axis1=1, axis2=2).sum()

    def gradient(self, x, R):
        axial = np.stack(
            [R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]]
        )
        return np.concatenate([self.k * x, self.twist * axial.T], axis=1)

    def hessian(self, x, R):
        H = np.zeros((self.n, 6, self.n, 6))
        for i in range(self.n):
            symmetric = 0.5 * (R[i] + R[i].T)
            H[i, :3, i, :3] = self.k * np.eye(3)
            H[i, 3:, i, 3:] = self.twist * (np.trace(R[i]) * np.eye(3) - symmetric)
        return H

    def report(self, x, R):
        return ContactReport(energy=self.value(x, R))


def two_bodies(**more):
    scene = dt.Scene(**more)
    for name, x in (("a", -1.0), ("b", 1.0)):
        scene.add_body(
            name, mass=2, inertia=(0.1, 0.2, 0.25), position=(x, 0.3, 0), velocity=(0, 0.2, x),
            angular_velocity=(1, -2, 0.5),
        )  # fmt: skip
    return scene


def test_derivatives_of_the_incremental_potential_are_those_of_finite_differences():
    model = two_bodies().build()
    state, rng = initial_state(model), np.random.default_rng(3)
    rate = rng.normal(size=(2, 3, 3))
    force, torque = rng.normal(size=(2, 2, 3))
    E = IncrementalPotential(model, Tether(), state, rate, force, torque, 0.1)
    x, R = displaced(state.x, state.R, 0.3 * rng.normal(size=(2, 6)))
    gradient, hessian = E.gradient(x, R), E.hessian(x, R).reshape(12, 12)
    step = 1e-5
    for k in range(12):
        twist = np.zeros(12)
        twist[k] = step
        ahead, behind = (displaced(x, R, s * twist.reshape(2, 6)) for s in (1, -1))
        slope = (E.value(*ahead) - E.value(*behind)) / (2 * step)
        assert slope == pytest.approx(gradient.ravel()[k], abs=1e-6 * np.abs(gradient).max())
    # the second derivative along random twists, where the order of rotations does not matter
    for _ in range(5):
        d = rng.normal(size=12)
        values = [E.value(*displaced(x, R, s * step * 10 * d.reshape(2, 6))) for s in (-1, 0, 1)]
        curvature = (values[0] - 2 * values[1] + values[2]) / (10 * step) ** 2
        assert curvature == pytest.approx(d @ hessian @ d, rel=1e-4)


def test_newton_finds_the_minimum_where_the_hessian_is_indefinite():
    class Turned(Tether):
        free = np.ones((2, 6), bool)

    objective = Turned(k=1.0)
    x, R = displaced(np.ones((2, 3)), np.stack([np.eye(3)] * 2), np.full((2, 6), 1.6))
    assert np.linalg.eigvalsh(objective.hessian(x, R).reshape(12, 12)).min() < 0
    found = minimise(objective, x, R, np.ones(2), 1e-9, 50, None)
    assert found.converged
    assert np.abs(found.x).max() < 1e-12
    assert np.abs(found.R - np.eye(3)).max() < 1e-12


def test_without_forces_it_steps_as_the_compiled_implicit_euler():
    class Nothing(Tether):
        def prepare(self, model):
            return Tether(model.n_bodies, 0.0, 0.0)

    ours = dt.simulate(two_bodies(), 0.5, 0.01, contact=Nothing())
    scene = two_bodies()
    for name in "ab":  # bodies on springs do not fly
        scene.add_spring(f"spring {name}", name, "ground", (0, 0, 0), (0, 0, 9), stiffness=1e-12)
    theirs = dt.integrators.ImplicitEuler().start(scene.build(), None)
    for k in range(50):
        theirs.step(0.01 * (k + 1))
        theirs._two.forget()  # so that each is by implicit Euler
    for quantity, last in (
        ("position", theirs.bodies.x), ("rotation", theirs.bodies.R),
        ("angular_velocity", theirs.bodies.spin),
    ):  # fmt: skip
        assert np.abs(getattr(ours, quantity)("a")[-1] - last[0]).max() < 1e-8


def test_a_run_stopped_and_resumed_is_the_same_to_the_bit(tmp_path):
    settings = {"step": 0.01, "contact": Tether(), "progress": False}
    whole = dt.simulate(two_bodies(), 0.4, **settings)
    model = two_bodies().build()
    scheme = dt.integrators.ImplicitEuler()
    first, second = (scheme.start(model, Tether()) for _ in range(2))
    for k in range(1, 21):
        first.step(k * 0.01)
    second.restore(first.snapshot())
    for k in range(21, 41):
        second.step(0.4 if k == 40 else k * 0.01)
    assert np.array_equal(second.bodies.x[0], whole.position("a")[-1])
    assert np.array_equal(second.bodies.R[1], whole.rotation("b")[-1])


def test_bodies_bounded_by_a_collision_free_step_never_leave_their_side():
    class Wall(Tether):
        """Nothing may pass z = 0: a logarithmic barrier."""

        def prepare(self, model):
            return Wall(model.n_bodies)

        def value(self, x, R):
            return -0.01 * np.log(x[:, 2]).sum() if (x[:, 2] > 0).all() else np.inf

        def gradient(self, x, R):
            g = np.zeros((self.n, 6))
            g[:, 2] = -0.01 / x[:, 2]
            return g

        def hessian(self, x, R):
            H = np.zeros((self.n, 6, self.n, 6))
            H[range(self.n), 2, range(self.n), 2] = 0.01 / x[:, 2] ** 2
            return H

        def collision_free_step_size(self, x, R, displacement):
            down = -displacement[:, 2]
            return float(min(1.0, *np.where(down > 0, x[:, 2] / np.where(down > 0, down, 1), 1.0)))

    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("a", mass=1, inertia=(1, 1, 1), position=(0, 0, 1), velocity=(0, 0, -20))
    result = dt.simulate(scene, 1.0, 0.02, contact=Wall())
    assert result.position("a")[:, 2].min() > 0
    # at rest the barrier carries the weight: 0.01 / z = m g
    assert result.position("a")[-1, 2] == pytest.approx(0.01 / 9.81, rel=0.3)


class Line:
    """A function of the place of one body along x, with a Hessian that may be wrong by `off`."""

    free = np.array([[True] + 5 * [False]])

    def __init__(self, value, slope, curvature, off=1.0):
        self._of, self.off = (value, slope, curvature), off

    def value(self, x, R):
        return float(self._of[0](x[0, 0]))

    def gradient(self, x, R):
        return np.array([[self._of[1](x[0, 0])] + 5 * [0.0]])

    def hessian(self, x, R):
        H = np.zeros((1, 6, 1, 6))
        H[0, 0, 0, 0] = self.off * self._of[2](x[0, 0])
        return H


def least(line, start, iterations=60, tolerance=1e-9):
    place = np.array([[start, 0.0, 0.0]])
    return minimise(line, place, np.eye(3)[None], np.ones(1), tolerance, iterations, None)


def parabola(off=1.0):
    return Line(lambda s: 0.5 * s * s, lambda s: s, lambda s: 1.0, off)


def test_a_minimum_that_it_starts_from_is_found_at_once():
    found = least(parabola(), 0.0)
    assert found.converged and (found.iterations, found.displacement) == (1, 0.0)
    assert found.x[0, 0] == 0.0 and found.iterates == []


def test_a_slope_that_is_no_number_is_no_minimum():
    found = least(Line(lambda s: 0.0, lambda s: np.nan, lambda s: 1.0), 0.5)
    assert not found.converged and found.iterations == 1 and found.x[0, 0] == 0.5


@pytest.mark.parametrize("off", [1.0, 0.4, 0.01])
def test_steps_that_are_too_long_are_halved_until_they_lead_down(off):
    """Newton's step is 1 / `off` too long: beyond 2 it would lead uphill."""
    found = least(parabola(off), 1.0)
    assert found.converged and abs(found.x[0, 0]) < 1e-6
    places = [1.0, *(float(x[0, 0]) for x, _ in found.iterates), float(found.x[0, 0])]
    heights = np.abs(places)
    assert np.all(np.diff(heights) <= 0.0)
    if off == 0.01:
        assert places[1] == pytest.approx(1.0 - 100.0 / 64.0)


@pytest.mark.parametrize(("curvature", "converged"), [(1.0, False), (1e12, True)])
def test_without_descent_it_has_converged_where_the_step_was_small_enough(curvature, converged):
    """A value that rises wherever one goes, though its slope says that it falls."""
    line = Line(lambda s: abs(s - 0.25), lambda s: 1.0, lambda s: curvature)
    found = least(line, 0.25)
    assert found.converged == converged and found.iterations == 1
    assert found.x[0, 0] == 0.25 and found.displacement == pytest.approx(1.0 / curvature)


def test_where_the_value_no_longer_tells_the_last_full_steps_count():
    """0.5 s^2 + 1e9: steps of 1e-3 change it by less than its rounding."""
    line = Line(lambda s: 0.5 * s * s + 1e9, lambda s: s, lambda s: 1.0, 2.0)
    found = least(line, 1e-3, tolerance=1e-12)
    assert found.converged
    stuck = Line(lambda s: 1e9, lambda s: 1e-3, lambda s: 1.0)  # each step is as long as the last
    found = least(stuck, 0.0, tolerance=1e-12)
    assert found.converged and found.iterations == 2


def test_an_end_without_success_says_so():
    found = least(parabola(0.6), 1.0, iterations=3)
    assert not found.converged and found.iterations == 3 and len(found.iterates) == 3
