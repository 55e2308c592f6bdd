"""Settings of schemes: what is refused, with the limits, and what a scheme says of itself."""

import inspect

import numpy as np
import pytest

import dovetail as dt
from dovetail import integrators
from dovetail.errors import InputError, RunError
from dovetail.integrators.pairing import refuse_mismatch, refuse_strangers, started
from jointed_scenes import hanging_rod

DAE, ALPHA = integrators.EulerParameterDAE, integrators.LieGeneralizedAlpha


@pytest.mark.parametrize("name", integrators.SCHEMES)
def test_a_scheme_is_written_as_the_call_that_makes_it(name):
    scheme = integrators.named(name, {})
    again = eval(repr(scheme), {name: integrators.SCHEMES[name]})
    assert type(again) is type(scheme) and repr(again) == repr(scheme)


def test_schemes_are_listed_among_the_names_of_the_package():
    assert set(integrators.SCHEMES) <= set(dir(integrators))
    assert dir(integrators) == sorted(dir(integrators))
    with pytest.raises(AttributeError, match="RATTLie"):
        integrators.RATTLIE  # noqa: B018


@pytest.mark.parametrize(
    ("scheme", "option", "wrong", "right"),
    [
        (DAE, "stabilisation", ["projected", None], ["projection", "baumgarte", "none"]),
        (DAE, "decay", [0.0, -1.0, np.inf, np.nan, "10"], [1e-3, 2, 1e9]),
        (DAE, "tolerance", [0.0, 1.0, 2, 0.9e-14, np.nan, "1e-6"], [None, 1e-14, 0.999]),
        (ALPHA, "spectral_radius", [-1e-9, 1.001, np.nan, None, "1"], [0, 1, 0.0, 1.0]),
        (integrators.RATTLie, "order", [3, 0, True, "4", None], [2, 4, 6]),
        (integrators.DH, "difference", ["backward", None, 1], ["forward", "central"]),
    ],
)
def test_a_setting_out_of_its_range_is_named_with_what_came(scheme, option, wrong, right):
    for value in wrong:
        with pytest.raises(InputError, match=f"`{option}` must be") as refused:
            scheme(**{option: value})
        assert str(value) in str(refused.value)
    for value in right:
        assert getattr(scheme(**{option: value}), option) == value


def test_a_decay_needs_no_more_than_its_default():
    assert (DAE().decay, DAE().tolerance, DAE().stabilisation) == (10.0, None, "projection")
    assert all(
        parameter.default is not inspect.Parameter.empty
        for scheme in integrators.SCHEMES
        for parameter in inspect.signature(integrators.SCHEMES[scheme]).parameters.values()
    )


@pytest.mark.parametrize("radius", [0.0, 0.5, 0.9, 1.0])
def test_generalized_alpha_keeps_the_share_of_an_infinite_frequency_it_is_given(radius):
    """Chung and Hulbert 1993, eqs. 17, 20, 25: order 2, and rho of both principal roots."""
    alpha_m, alpha_f, beta, gamma = ALPHA(spectral_radius=radius).numbers
    assert gamma == pytest.approx(0.5 - alpha_m + alpha_f)
    assert beta == pytest.approx((1 - alpha_m + alpha_f) ** 2 / 4)
    assert (alpha_f - alpha_m - 1) / (alpha_f - alpha_m + 1) == pytest.approx(-radius)
    assert alpha_f / (alpha_f - 1) == pytest.approx(-radius)


def spinning_tops(spin):
    """A top that turns, one that rests, and an arm on a hinge."""
    scene = dt.Scene()
    box = dt.Box((0.1, 0.1, 0.1))
    scene.add_body("slow", box, mass=1, position=(3, 0, 0))
    scene.add_body("top", box, mass=1, angular_velocity=(0, 0, spin))
    scene.add_body("arm", box, mass=1, position=(0, 5, 0))
    scene.add_joint("hinge", dt.Revolute((0, 5, 0), (0, 0, 1)), "ground", "arm")
    return scene.build()


@pytest.mark.parametrize(
    ("name", "contact"),
    [
        ("CompliantEuler", None), ("CompliantEuler", "SDF"), ("StewartTrinkle", None),
        ("StewartTrinkle", "LCP"), ("LieGeneralizedAlpha", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("spin", [4.0, 40.0])
def test_a_step_of_half_a_turn_is_refused_with_one_of_a_fifth_of_a_radian(name, contact, spin):
    method = getattr(dt.contact, contact)() if contact else None
    h = 3.3 / spin
    stepper = started(integrators.named(name, {}), spinning_tops(spin), method)
    with pytest.raises(RunError, match=rf"body 'top' spins at {spin:g} rad/s, too fast") as refused:
        stepper.step(h)
    assert f"a step of {h:.3g} s" in str(refused.value)
    assert f"use a step of at most {0.2 / spin:.2g} s" in str(refused.value)
    stepper = started(integrators.named(name, {}), spinning_tops(spin), method)
    stepper.step(0.2 / spin)
    assert stepper.bodies.omega[1] == pytest.approx([0, 0, spin])


@pytest.mark.parametrize("name", ["CompliantEuler", "StewartTrinkle", "LieVerlet"])
def test_a_load_that_is_no_number_is_named_with_its_body(name):
    scene = dt.Scene()
    for k in range(2):
        scene.add_body(f"b{k}", dt.Box((0.1, 0.1, 0.1)), mass=1, position=(k, 0, 0))
    scene.add_force("pull", "b1", (1e308, 0, 0))
    stepper = started(integrators.named(name, {}), scene.build(), None)
    with np.errstate(all="ignore"), pytest.raises(RunError, match=r"body 'b1' has a position or"):
        stepper.step(10.0)


def test_explicit_stages_refuse_dampers_that_need_a_hundred_thousand_parts():
    """h c / I over 2 per part: c = 1e5 x 2 I / h is the last that is taken."""
    inertia = 2 * 0.25 + 0.2  # of the rod about its hinge
    for factor, taken in ((0.9e5, True), (1.1e5, False)):
        damper = dt.Actuation(damping=2.0 * factor * inertia / 1e-3)
        stepper = DAE().start(hanging_rod([damper], gravity=0.0).build(), None)
        if taken:
            with pytest.warns(UserWarning, match=r"divides a step of 0.001 s into 90000"):
                assert stepper._stable_parts(1e-3) == pytest.approx(0.9e5, abs=1)
            assert stepper._stable_parts(1e-3) == pytest.approx(0.9e5, abs=1)  # said once
            continue
        with pytest.raises(RunError, match=r"at 2.2e\+08 1/s, .* steps of 0.001 s; use RATTLie"):
            stepper._stable_parts(1e-3)


@pytest.mark.parametrize(
    ("h", "parts"), [(1e-3, 1), (1.999e-3, 1), (2.001e-3, 2), (-3.9e-3, 2), (4.1e-3, 3)]
)
def test_explicit_stages_take_a_step_in_parts_of_two_over_the_rate_of_dampers(h, parts):
    damper = dt.Actuation(damping=1e3 * (2 * 0.25 + 0.2))
    stepper = DAE().start(hanging_rod([damper], gravity=0.0).build(), None)
    stepper._warned = True
    assert stepper._stable_parts(h) == parts


def test_a_force_that_is_noise_is_not_resolved_to_any_tolerance():
    scene, rng = dt.Scene(), np.random.default_rng(0)
    scene.add_body("a", dt.Box((0.1, 0.1, 0.1)), mass=1)
    scene.add_load("noise", lambda t, _: {"a": (1e30 * rng.normal(size=3), (0, 0, 0))})
    stepper = DAE(tolerance=1e-6).start(scene.build(), None)
    with pytest.raises(RunError, match=r"stays above `tolerance` = 1e-06 down to steps") as refused:
        stepper.step(1.0)
    assert float(str(refused.value).split("steps of ")[1].split(" s;")[0]) <= 5e-14
    assert refused.value.time == 0.0


def test_compliant_contact_takes_no_damping_of_its_own():
    scene = spinning_tops(0.0)
    for settings in ({"damping": 0.5}, {"normal_force": lambda gap, rate, speed: -gap}):
        contact = dt.contact.SDF(**settings)
        with pytest.raises(InputError, match="takes no `damping` and no `normal_force`"):
            started(integrators.CompliantEuler(), scene, contact)

    class Glue:
        name, kind = "glue", "force"

        def prepare(self, model):
            return None

    with pytest.raises(InputError, match=r"steps dt\.contact\.SDF only, got contact method 'glue'"):
        integrators.CompliantEuler().start(scene, Glue())


def test_all_that_does_not_fit_is_said_at_once():
    """Up to eight joints by name."""
    scene = dt.Scene()
    for k in range(10):
        scene.add_body(f"w{k}", mass=1, inertia=(1, 1, 1), position=(3 * k, 0, 0))
        bounces = dt.Actuation(lower=-1.0, limit_restitution=0.5)
        hinge = dt.Revolute((3 * k, 0, 0), (0, 1, 0), actuation=[bounces])
        scene.add_joint(f"j{k}", hinge, "ground", f"w{k}")
        if k:
            scene.add_coupling(f"c{k}", dt.Coupling({f"j{k - 1}": 1.0, f"j{k}": 2.0}))
    with pytest.raises(InputError) as refused:
        refuse_mismatch(integrators.LieVerlet(), scene.build(), dt.contact.LCP())
    said = str(refused.value)
    assert "takes a force law, but contact method 'lcp' is an impulse law" in said
    assert "moves free bodies only, but the scene has joints ('j0'" in said
    assert "cannot keep couplings of joints, but the scene has some ('c1'" in said
    assert "without contact only; leave `contact` or `limit_restitution` out" in said
    for last, left_out in (("'j7'", "'j8'"), ("'c8'", "'c9'")):
        assert last in said and left_out not in said
    assert said.count("'j7'") == 2 and said.count("'j8'") == 0
    fits = hanging_rod([dt.Actuation(lower=-1.0, limit_restitution=0.5)]).build()
    refuse_mismatch(integrators.RATTLie(), fits, None)


@pytest.mark.parametrize(
    ("contact", "integrator", "named"),
    [
        (dt.contact.IPC, None, "contact"),
        (None, integrators.LieVerlet, "integrator"),
        ("ipc", None, "contact"),
        (None, object(), "integrator"),
    ],
)
def test_a_class_is_no_method(contact, integrator, named):
    with pytest.raises(InputError, match=f"`{named}` must be None or an object such as dt"):
        refuse_strangers(contact, integrator)
    refuse_strangers(None, None)
    refuse_strangers(dt.contact.IPC(), integrators.ImplicitEuler())
