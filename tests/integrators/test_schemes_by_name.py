"""Integrators by name, and the one taken when none is named."""

import json

import numpy as np
import pytest

import dovetail as dt
from dovetail import integrators
from dovetail.errors import InputError
from dovetail.integrators.default import DEFAULTS
from dovetail.integrators.interface import Integrator
from dovetail.model.joints import Spherical
from dovetail.model.scene import Scene
from dovetail.simulate import simulate
from jointed_scenes import JOINTED, hanging_rod


@pytest.mark.parametrize("name", integrators.SCHEMES)
def test_every_scheme_is_found_by_its_name_in_any_capitals(name):
    scheme: Integrator = integrators.named(name.upper(), {})
    assert scheme.name == name
    assert isinstance(integrators.named(name, {}), integrators.SCHEMES[name])


@pytest.mark.parametrize("name", JOINTED)
def test_scheme_is_chosen_by_name_in_a_run_as_by_its_object(name):
    scene = hanging_rod(angular_velocity=(0, 1, 0), velocity=(-0.5, 0, 0))
    by_name = simulate(scene, 0.05, 0.01, integrator=name, progress=False)
    scheme = integrators.named(name, {})
    by_object = simulate(scene, 0.05, 0.01, integrator=scheme, progress=False)
    assert np.array_equal(by_name.position("rod"), by_object.position("rod"))


def test_unknown_scheme_lists_the_known_ones():
    with pytest.raises(InputError, match=r"integrator 'euler' is not known \(known: .*LieVerlet"):
        integrators.named("euler", {})


def test_unknown_option_is_named():
    with pytest.raises(InputError, match=r"integrator 'LieVerlet' has no option 'order'"):
        integrators.named("LieVerlet", {"order": 3})


def pendulums(n_bodies, joint=True):
    scene = Scene()
    for i in range(n_bodies):
        scene.add_body(f"bob {i}", mass=1, inertia=(1, 1, 1), position=(3 * i, 0, -1))
        if joint:
            scene.add_joint(f"ball {i}", Spherical(point=(3 * i, 0, 0)), "ground", f"bob {i}")
    return scene.build()


@pytest.mark.parametrize(
    ("n_bodies", "joint", "contact", "scheme"),
    [
        (1, False, None, "LieVerlet"),
        (100, False, None, "LieVerlet"),
        (1, True, None, "RATTLie"),
        (100, True, None, "RATTLie"),
        (1, False, "SDF", "CompliantEuler"),
        (1, True, "SDF", "CompliantEuler"),
        (1, True, "LCP", "StewartTrinkle"),
        (1, True, "IPC", "ImplicitEuler"),
    ],
)
def test_default_scheme_of_free_bodies_mechanisms_and_contact(n_bodies, joint, contact, scheme):
    method = getattr(dt.contact, contact)() if contact else None
    assert integrators.default_for(method, pendulums(n_bodies, joint)).name == scheme


def test_run_without_an_integrator_takes_the_default_of_mechanisms():
    scene = Scene()
    scene.add_body("bob", mass=1, inertia=(1, 1, 1), position=(0, 0, -1))
    scene.add_joint("ball", Spherical(point=(0, 0, 0)), "ground", "bob")
    chosen = json.loads(simulate(scene, 0.02, 0.01).stored.header.settings)["integrator"]
    assert (chosen["type"], chosen["order"]) == ("RATTLie", 4)


def test_default_refuses_what_no_scheme_takes():
    class Impossible:
        name, kind = "glue", "adhesion"

    scene = Scene()
    scene.add_body("a", mass=1, inertia=(1, 1, 1))
    scene.add_joint("ball", Spherical(point=(0, 0, 0)), "ground", "a")
    with pytest.raises(InputError, match=r"no integrator .* takes contact method 'glue'"):
        integrators.default_for(Impossible(), scene.build())


def test_every_default_takes_what_it_is_the_default_of():
    for kind, name in DEFAULTS.items():
        scheme = integrators.SCHEMES[name]
        assert kind is None or kind in scheme.takes
        assert scheme.takes_joints or kind in (None, "force")  # RATTLie takes these
        assert scheme.name == name == scheme.__name__


def test_what_an_integrator_refuses_is_said_in_its_own_words():
    class Refusing(integrators.LieVerlet):
        def start(self, model, contact):
            raise dt.InputError("only on Sundays")

    with pytest.raises(dt.InputError, match=r"^only on Sundays$"):
        integrators.pairing.started(Refusing(), pendulums(1, joint=False), None)


@pytest.mark.parametrize(
    ("contact", "integrator", "named"), [(3, None, "contact"), (None, 4, "integrator")]
)
def test_what_is_no_method_or_integrator_is_named(contact, integrator, named):
    with pytest.raises(dt.InputError, match=f"`{named}` must be None or an object such as"):
        integrators.pairing.refuse_strangers(contact, integrator)


@pytest.mark.parametrize(
    ("actuation", "scheme", "order"),
    [
        ({}, "RATTLie", 4),
        ({"damping": 0.5}, "RATTLie", 2),
        ({"lower": -1, "upper": 1}, "RATTLie", 2),
        ({"lower": -1, "upper": 1, "limit_stiffness": 1e3}, "RATTLie", 2),
    ],
)
def test_order_of_the_default_of_mechanisms_follows_from_how_smooth_they_are(
    actuation, scheme, order
):
    scene = Scene()
    scene.add_body("bob", mass=1, inertia=(1, 1, 1), position=(0, 0, -1))
    hinge = dt.Revolute((0, 0, 0), (0, 1, 0), actuation=[dt.Actuation(**actuation)])
    scene.add_joint("hinge", hinge, "ground", "bob")
    chosen = integrators.default_for(None, scene.build())
    assert (chosen.name, chosen.order) == (scheme, order)


def test_couplings_that_the_start_violates_run_in_joint_coordinates():
    scene = Scene()
    for k in range(2):
        scene.add_body(f"w{k}", mass=1, inertia=(1, 1, 1), position=(3 * k, 0, 0))
        scene.add_joint(f"j{k}", dt.Revolute((3 * k, 0, 0), (0, 1, 0)), "ground", f"w{k}")
    plain = scene.build()
    scene.add_coupling("gears", dt.Coupling({"j0": 1.0, "j1": 2.0}))
    coupled = scene.build()
    chosen = integrators.default_for(None, coupled)
    assert integrators.default_for(None, plain).name == chosen.name == "RATTLie"
    assert chosen.order == 4
    assert integrators.default_for(dt.contact.LCP(), coupled).name == "StewartTrinkle"
    scene.add_coupling("off", dt.Coupling({"j0": 1.0}, offset=0.1))
    assert integrators.default_for(None, scene.build()).name == "JointCoordinates"


def test_many_coupled_bodies_run_under_the_scheme_of_linear_cost():
    """Rows of couplings in joint coordinates are solved densely."""
    scene, n = Scene(), 61
    for k in range(n):
        scene.add_body(f"w{k}", mass=1, inertia=(1, 1, 1), position=(3 * k, 0, 0))
        scene.add_joint(f"j{k}", dt.Revolute((3 * k, 0, 0), (0, 1, 0)), "ground", f"w{k}")
    scene.add_coupling("gears", dt.Coupling({"j0": 1.0, "j1": 2.0}, offset=0.1))
    assert integrators.default_for(None, scene.build()).name == "RATTLie"
