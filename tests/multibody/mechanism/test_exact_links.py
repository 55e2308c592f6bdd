"""Links without mass weigh nothing in joint coordinates."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.multibody.mechanism import Mechanism, exact_mechanism
from dovetail.multibody.tree import mass_matrix


def gimbal():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("top", dt.Box((0.1, 0.2, 0.3)), mass=2.0, position=(0, 0, 0.4))
    hinges = {
        name: dt.Revolute((0, 0, 0), axis)
        for name, axis in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1)))
    }
    scene.add_joint_chain(hinges, "ground", "top")
    return scene.build()


def test_mass_matrix_is_that_of_the_body_alone():
    model = gimbal()
    mechanism = exact_mechanism(model)
    M = mass_matrix(mechanism.tree, mechanism.neutral())
    moments = 2.0 / 12 * np.array([0.13, 0.10, 0.05]) + 2.0 * 0.16 * np.array([1, 1, 0])
    np.testing.assert_allclose(M, np.diag(moments), rtol=1e-12, atol=1e-13)
    rough = Mechanism(model)
    assert np.abs(mass_matrix(rough.tree, rough.neutral()) - M).max() > 1e-9


def test_links_that_move_nothing_in_the_tree_keep_their_share():
    """A rod of no mass whose two hinges close a loop: the tree ends with it."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    for name, x in (("a", 0.0), ("b", 1.0)):
        scene.add_body(name, dt.Box((0.1, 0.1, 1.0)), mass=1.0, position=(x, 0, 0.5))
        scene.add_joint(f"foot {name}", dt.Revolute((x, 0, 0), (0, 1, 0)), "ground", name)
    scene.add_body("rod", None, mass=0.0, position=(0.5, 0, 1))
    scene.add_joint("left", dt.Revolute((0, 0, 1), (0, 1, 0)), "a", "rod")
    scene.add_joint("right", dt.Revolute((1, 0, 1), (0, 1, 0)), "rod", "b")
    model = scene.build()
    mechanism = exact_mechanism(model)
    M = mass_matrix(mechanism.tree, mechanism.neutral())
    scale = np.sqrt(np.diag(M))
    assert np.linalg.eigvalsh(M / np.outer(scale, scale))[0] > 1e-9
    result = dt.simulate(
        scene, 0.1, step=1e-3, integrator="JointCoordinates", contact="none", progress=False
    )
    assert result.energy["total"][-1] == pytest.approx(result.energy["total"][0], abs=1e-4)
