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


STEEL = {"friction": 0.4, "restitution": 0.3}


@pytest.mark.parametrize("method", [dt.contact.IPC, dt.contact.SDF, dt.contact.LCP])
def test_every_method_takes_a_material_and_has_no_restitution_by_default(method):
    made = method(material=dt.Material(**STEEL))
    assert (made.friction, made.restitution) == (0.4, 0.3)
    assert (method().friction, method().restitution) == (0.0, 0.0)
    with pytest.raises(dt.InputError, match="give `friction` or a `material` that has it"):
        method(friction=0.2, material=dt.Material(**STEEL))
    with pytest.raises(dt.InputError, match=r"`material` must be a dt\.Material"):
        method(material="steel")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"friction": -1}, "`friction` must be"),
        ({"restitution": 1.5}, "`restitution` must be <= 1"),
        ({"stiffness": 0}, "`stiffness` must be"),
        ({"friction": (0.1, 0.2, 1, 2)}, "mu_d <= mu_s"),
    ],
)
def test_wrong_numbers_of_a_material_are_refused_at_once(given, message):
    with pytest.raises(dt.InputError, match=message):
        dt.Material(**given)


def scene_of(*materials):
    scene = dt.Scene()
    for k, material in enumerate(materials):
        scene.add_body(f"body{k}", dt.Sphere(0.1), position=(k, 0, 0), mass=1, material=material)
    return scene


def test_pair_table_takes_a_material():
    scene = scene_of("ice", "steel")
    scene.add_material_pair("ice", "steel", dt.Material(**STEEL))
    model = scene.build()
    assert friction_of_pair(model, 0.9, 0, 1) == 0.4
    assert restitution_of_pair(model, 0.9, 1, 0) == 0.3
    with pytest.raises(dt.InputError, match="not both"):
        scene.add_material_pair("ice", "steel", dt.Material(**STEEL), restitution=0.1)


def test_bodies_of_their_own_material_meet_by_the_stated_rule():
    """Geometric mean of frictions, smaller restitution, stiffnesses in series."""
    rubber = dt.Material(friction=0.9, restitution=0.8, stiffness=1e6)
    steel = dt.Material(friction=0.4, restitution=0.3, stiffness=3e6)
    model = scene_of(rubber, steel, None, rubber).build()
    mixed = model.pair_material(0, 1)
    assert (mixed.friction, mixed.restitution) == (pytest.approx(0.6), 0.3)
    assert mixed.stiffness == pytest.approx(0.75e6)
    alike = model.pair_material(0, 3)
    assert (alike.friction, alike.restitution, alike.stiffness) == (0.9, 0.8, 1e6)
    plain = model.pair_material(2, 1)
    assert (plain.friction, plain.restitution) == (0.4, 0.3)


def test_pair_table_goes_before_the_materials_of_bodies():
    scene = scene_of(dt.Material(friction=0.9), dt.Material(friction=0.4))
    scene.add_material_pair("body0", "body1", friction=0.1)
    assert friction_of_pair(scene.build(), 0.0, 0, 1) == 0.1


def test_materials_of_bodies_are_in_the_scene_file(tmp_path):
    scene = scene_of(dt.Material(friction=(0.9, 0.4, 0.01, 0.1)), dt.Material(friction=0.4), None)
    scene.save(tmp_path / "scene.yaml")
    again = dt.Scene.load(tmp_path / "scene.yaml").build()
    for i, j in ((0, 1), (0, 2), (1, 2), (0, 0)):
        one, other = scene.build().pair_material(i, j), again.pair_material(i, j)
        assert one.friction == pytest.approx(other.friction)
