"""What StewartTrinkle asks of an impulse law, and a law of one's own in place of the package's."""

from typing import ClassVar

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.impulse.lemke import delassus
from dovetail.contact.impulse.records import Outcome

SWEEPS = 200


class FrictionlessSolver:
    """Normal impulses by plain projected Gauss-Seidel on the Delassus matrix."""

    def __init__(self, problem):
        self.problem, self.steps = problem, 0

    def solve_step(self, u, mu, tolerance):
        problem, self.steps = self.problem, self.steps + 1
        normals, n_rows = problem.normals(), problem.n_rows
        problem.apply(-problem.lam[:n_rows], u)
        A = delassus(problem)[normals, normals]
        b = (problem.rates(u) + problem.c[:n_rows])[normals]
        lam = np.zeros(len(b))
        for _ in range(SWEEPS):
            for k in range(len(b)):
                lam[k] = max(0.0, lam[k] - (A[k] @ lam + b[k]) / A[k, k])
        problem.lam[:n_rows] = 0.0
        problem.lam[normals] = lam
        problem.apply(problem.lam, u)
        return Outcome(SWEEPS, float(np.abs(np.minimum(lam, A @ lam + b)).max(initial=0.0)), -1)

    def solve(self, u, mu, active, tolerance, max_sweeps=0, release_dampers=False):
        return Outcome(0, 0.0, -1)


class FrictionlessLaw:
    """Finds contacts as LCP does and ignores friction."""

    def __init__(self, model):
        self._inner, self.solvers = dt.contact.LCP(friction=0.5).prepare(model), []

    @property
    def bounding_radius(self):
        return self._inner.bounding_radius

    def find_contacts(self, x, R, displacement):
        return self._inner.find_contacts(x, R, displacement)

    def solver(self, problem):
        self.solvers.append(FrictionlessSolver(problem))
        return self.solvers[-1]


class Frictionless:
    name: ClassVar[str] = "frictionless"
    kind: ClassVar[str] = "impulse"

    def prepare(self, model):
        self.law = FrictionlessLaw(model)
        return self.law


def slid(contact, steps=50, h=0.002):
    """The velocity of a box after it slid on a floor at 1 m/s."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("box", dt.Box((1, 1, 0.2)), mass=2, position=(0, 0, 0.1), velocity=(1, 0, 0))
    stepper = dt.integrators.StewartTrinkle().start(scene.build(), contact)
    for k in range(1, steps + 1):
        stepper.step(h * k)
    return stepper.bodies.v[1]


def test_a_law_with_a_solver_of_its_own_decides_the_impulses():
    """The box rests on the floor under both laws; only the package's has friction 0.5."""
    mine = Frictionless()
    np.testing.assert_allclose(slid(mine), [1, 0, 0], atol=1e-9)
    assert mine.law.solvers[0].steps == 50
    braked = slid(dt.contact.LCP(friction=0.5))
    assert braked[0] == pytest.approx(1 - 0.5 * 9.81 * 0.1, abs=1e-6)


def test_contacts_carry_the_materials_of_their_pair_by_name():
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static", material="stone")
    scene.add_body("ball", dt.Sphere(0.5), mass=1, position=(0, 0, 0.5), material="ice")
    scene.add_body("box", dt.Box((1, 1, 1)), mass=1, position=(3, 0, 0.5), material="wood")
    scene.add_material_pair("stone", "ice", friction=(0.1, 0.05, 0.01, 0.2), restitution=0.3)
    model = scene.build()
    law = dt.contact.LCP(friction=0.6, restitution=0.2).prepare(model)
    found = law.find_contacts(np.array(model.position), np.array(model.rotation), np.zeros(3))
    ball = (found.points.body == 1).any(axis=1)
    assert ball.sum() == 1 and (~ball).sum() == 4
    numbers = np.array(found.materials)
    np.testing.assert_array_equal(numbers[:, ball][:, 0], [0.1, 0.05, 0.01, 0.2, 0.3])
    np.testing.assert_array_equal(numbers[:, ~ball][:2], 0.6)
    np.testing.assert_array_equal(found.materials.restitution[~ball], 0.2)
    assert found.smaller_size[ball][0] == pytest.approx(np.sqrt(3))


@pytest.mark.parametrize("depth", [0.0, 1e-4, 1e-3])
@pytest.mark.parametrize("shift", [0.0, 1e-6, 1e-4, 1e-2])
def test_boxes_of_one_size_on_each_other_touch_at_four_corners_however_they_overlap(depth, shift):
    """Corners next to the sides of the other box, nearer than the overlap, were left out."""
    scene = dt.Scene()
    for k in range(2):
        place = (-shift * k, shift * k, (0.2 - depth) * k)
        scene.add_body(f"box{k}", dt.Box((0.2, 0.2, 0.2)), mass=1, position=place)
    model = scene.build()
    law = dt.contact.LCP().prepare(model)
    found = law.find_contacts(np.array(model.position), np.array(model.rotation), np.zeros(2))
    up = np.abs(found.points.normal[:, 2]) > 0.99
    corners = np.unique(np.round(found.points.point[up, :2], 2), axis=0)
    assert len(corners) == 4
    np.testing.assert_allclose(found.points.gap[up], -depth, atol=1e-9)
