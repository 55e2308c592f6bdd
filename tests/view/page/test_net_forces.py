"""The net force of a pair of bodies is one wrench with all its contacts."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.view.page.net_forces import net_force_arrays, net_wrenches


@pytest.fixture(scope="module")
def stacked() -> dt.Result:
    """A small box off the middle of a large one, at rest on the ground."""
    scene = dt.Scene(gravity=(0, 0, -10))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("large", dt.Box((1, 1, 0.2)), mass=10, position=(0, 0, 0.1))
    scene.add_body("small", dt.Box((0.2, 0.2, 0.2)), mass=2, position=(0.2, 0.1, 0.3))
    return dt.simulate(scene, 0.2, 0.01, contact=dt.contact.LCP(friction=0.5), progress=False)


def test_net_forces_carry_the_weight_at_the_centre_of_pressure(stacked):
    frames = np.arange(len(stacked.time))
    arrays = net_force_arrays(stacked, frames)
    last = slice(arrays["pair/start"][-1], arrays["pair/start"][-1] + arrays["pair/count"][-1])
    rows = zip(*(arrays[f"pair/{name}"][last] for name in ("bodies", "forces", "points")))
    names = list(stacked.names)
    found = {}
    for (a, b), force, point in rows:
        pair = frozenset(names[i] for i in (a, b))
        found[pair] = (abs(force[2]), point)
    force, point = found[frozenset({"floor", "large"})]
    assert force == pytest.approx(120, rel=1e-5)
    np.testing.assert_allclose(point[:2], (2 / 12 * 0.2, 2 / 12 * 0.1), atol=1e-4)
    force, point = found[frozenset({"large", "small"})]
    assert force == pytest.approx(20, rel=1e-5)
    np.testing.assert_allclose(point[:2], (0.2, 0.1), atol=1e-4)


def test_a_net_force_at_its_point_has_the_moment_of_all_contacts():
    rng = np.random.default_rng(0)
    points, couples = rng.normal(size=(40, 3)), 0.1 * rng.normal(size=(40, 3))
    forces = rng.normal((0, 0, 4), 1, size=(40, 3))
    group = rng.integers(0, 4, 40)
    F, at, left = net_wrenches(points, forces, couples, group, 4)
    for k in range(4):
        some = group == k
        np.testing.assert_allclose(F[k], forces[some].sum(axis=0), rtol=1e-12)
        moment = (np.cross(points[some], forces[some]) + couples[some]).sum(axis=0)
        np.testing.assert_allclose(np.cross(at[k], F[k]) + left[k], moment, atol=1e-12)
        # only a couple along the force is left
        assert np.linalg.norm(np.cross(left[k], F[k])) < 1e-9 * np.linalg.norm(F[k]) ** 2


def test_forces_of_a_grip_cancel_and_act_in_the_middle():
    points = np.array([(-1.0, 0, 0), (1.0, 0, 0)])
    forces = np.array([(5.0, 0, 0), (-5.0, 0, 0)])
    F, at, left = net_wrenches(points, forces, np.zeros((2, 3)), np.zeros(2, np.int64), 1)
    np.testing.assert_array_equal(F, 0)
    np.testing.assert_allclose(at, 0, atol=1e-15)
    np.testing.assert_allclose(left, 0, atol=1e-15)
