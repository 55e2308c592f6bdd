"""Which coefficient holds between which bodies."""

import pytest

from dovetail.contact.ipc.friction.coefficients import friction_laws
from dovetail.model import Box, Scene


def coefficients(scene, friction):
    model = scene.build()
    found = friction_laws(model, friction)

    def between(a, b):
        i, j = model.index(a), model.index(b)
        return tuple(found.laws[found.law_of[found.kind[i], found.kind[j]]][:2].tolist())

    return between


@pytest.fixture
def scene():
    scene = Scene()
    for k, (name, material) in enumerate(
        {"ice": "cold", "snow": "cold", "skate": "steel", "rail": "steel", "shoe": None}.items()
    ):
        scene.add_body(name, Box((1, 1, 1)), position=(3 * k, 0, 0), material=material)
    return scene


def test_pairs_of_materials_override_the_coefficient_of_the_method(scene):
    scene.add_material_pair("cold", "steel", friction=0.02)
    between = coefficients(scene, 0.5)
    assert between("ice", "skate") == between("rail", "snow") == (0.02, 0.02)
    assert between("ice", "shoe") == between("ice", "snow") == (0.5, 0.5)


def test_a_pair_named_by_its_bodies_comes_before_their_materials(scene):
    scene.add_material_pair("cold", "steel", friction=0.02)
    scene.add_material_pair("ice", "rail", friction=0.3)
    between = coefficients(scene, 0.5)
    assert between("ice", "rail") == between("rail", "ice") == (0.3, 0.3)
    assert between("ice", "skate") == (0.02, 0.02)


def test_a_pair_without_friction_of_its_own_leaves_that_of_the_method(scene):
    scene.add_material_pair("cold", "steel", restitution=0.5)
    assert coefficients(scene, 0.5)("ice", "skate") == (0.5, 0.5)


def test_static_and_dynamic_coefficients_are_kept_apart(scene):
    scene.add_material_pair("cold", "steel", friction=(0.2, 0.1, 0.01, 0.02))
    assert coefficients(scene, 0.0)("ice", "skate") == (0.2, 0.1)


def test_a_scene_without_friction_says_so(scene):
    assert not friction_laws(scene.build(), 0.0).any
    scene.add_material_pair("cold", "steel", friction=0.1)
    assert friction_laws(scene.build(), 0.0).any
