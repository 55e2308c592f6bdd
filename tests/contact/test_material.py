"""Friction and restitution of a pair: the method's unless the materials have their own."""

import pytest

import dovetail as dt
from dovetail.contact.material import friction_of_pair, restitution_of_pair


@pytest.fixture(scope="module")
def model():
    scene = dt.Scene()
    for k, (name, material) in enumerate((("a", "ice"), ("b", "steel"), ("c", None))):
        scene.add_body(name, dt.Sphere(0.1), position=(k, 0, 0), mass=1, material=material)
    scene.add_material_pair("ice", "steel", friction=0.0)
    scene.add_material_pair("c", "steel", restitution=0.7)
    return scene.build()


@pytest.mark.parametrize(
    ("i", "j", "friction"), [(0, 1, 0.0), (1, 0, 0.0), (1, 2, 0.5), (0, 2, 0.5)]
)
def test_friction_zero_of_a_material_counts_and_none_leaves_the_method(model, i, j, friction):
    assert friction_of_pair(model, 0.5, i, j) == friction


@pytest.mark.parametrize(("i", "j", "restitution"), [(1, 2, 0.7), (2, 1, 0.7), (0, 1, 0.2)])
def test_restitution_is_taken_from_the_pair_that_gives_one(model, i, j, restitution):
    assert restitution_of_pair(model, 0.2, i, j) == restitution
