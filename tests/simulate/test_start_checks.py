"""What is said before a run: where each warning begins, which body it names, and how often."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import LieVerlet
from dovetail.scene_check import Finding
from dovetail.simulate import StepFromError, start_checks
from dovetail.simulate.plan import Plan, checked_plan
from dovetail.simulate.start_checks import MAX_SAID, say, warnings_at_start

G = 9.81
CUBE, DIE = 1.0, 0.2  # [m]
LONG = math.sqrt(3)  # diagonal of a cube by its edge


def boxes(turning=0.0, cam_turning=0.1, gravity=G):
    """A cube, a die and, smaller than both, a static pin; far from each other."""
    scene = dt.Scene(gravity=(0, 0, -gravity))
    scene.add_body("pin", dt.Box((0.01, 0.01, 0.01)), motion="static", position=(9, 0, 0))
    scene.add_body("cam", dt.Box((3, 3, 3)), motion="kinematic", position=(-9, 0, 0),
                   angular_velocity=(0, cam_turning, 0), moves_until=100.0)  # fmt: skip
    scene.add_body("cube", dt.Box((CUBE,) * 3), mass=500, velocity=(1, 0, 0))
    scene.add_body("die", dt.Box((DIE,) * 3), mass=1, position=(5, 0, 0), velocity=(1, 0, 0),
                   angular_velocity=(0, turning, 0))  # fmt: skip
    return scene


def said(scene=None, contact=None, check=None, control=None, **asked):
    """The sentences about a run of 1 s by steps of 1 ms, if nothing else is asked."""
    scene = boxes() if scene is None else scene
    duration, step, every = (asked.get(k, d) for k, d in DEFAULTS.items())
    if math.isinf(duration):
        plan = Plan(scene.build(), duration, step, every, None, (), control)
    else:
        plan = checked_plan(scene, duration, step, every, None, None, (), control, {})
    return warnings_at_start(scene, plan, contact, LieVerlet(), True, check)


DEFAULTS = {"duration": 1.0, "step": 1e-3, "every": 1}


def about(sentences, part):
    return [one for one in sentences if part in one]


def force_law(**options):
    return SimpleNamespace(kind="force", **options)


def test_nothing_is_said_of_a_scene_without_mistakes():
    assert said() == () and said(contact=force_law(friction=0.3, dhat=1e-3)) == ()


def test_friction_above_five_is_taken_for_percent_and_said_once():
    assert not said(contact=force_law(friction=5.0))
    assert said(contact=force_law(friction=5.1))
    assert not said(contact=force_law(friction=lambda speed: 30.0))
    scene = boxes()
    scene.add_material_pair("cube", "die", friction=40)
    scene.add_material_pair("pin", "die", friction=50)
    (sentence,) = said(contact=force_law(friction=30))
    assert "friction is 30" in sentence and "if it is in percent, give 0.3" in sentence
    (sentence,) = said(scene, force_law(friction=0.2))
    assert "friction is 40" in sentence


def test_a_barrier_that_acts_farther_than_the_smallest_dynamic_body_is_long():
    assert not said(contact=force_law(dhat=0.999 * LONG * DIE))
    (sentence,) = said(contact=force_law(dhat=1.001 * LONG * DIE))
    assert "`dhat` of the contact is 0.34" in sentence and "(0.346 m)" in sentence
    assert not said(contact=force_law(dhat="automatic"))


def test_a_separation_of_a_tenth_of_the_smallest_dynamic_body():
    assert not said(contact=force_law(min_separation=0.0999 * LONG * DIE))
    (sentence,) = said(contact=force_law(min_separation=0.1001 * LONG * DIE))
    assert "`min_separation` of the contact is 0.0346" in sentence
    assert "'die' is 0.346 m long" in sentence
    assert not said(contact=force_law(min_separation=None))


def test_steps_longer_than_the_run_and_frames_rarer_than_its_steps():
    assert not about(said(duration=0.01, step=0.01), "longer than the duration")
    assert about(said(duration=0.01, step=0.011), "`step` is 0.011 s, longer than the duration of")
    assert not said(duration=0.01, every=10) and not said(duration=0.01, step=0.01, every=1)
    (sentence,) = said(duration=0.01, every=11)
    assert "`every` is 11 steps, more than the 10 of the run" in sentence


def test_half_a_turn_in_one_step_is_said_of_the_dynamic_body_that_turns_most():
    h = 1e-3
    assert not said(boxes(turning=0.999 * np.pi / h))
    fast = boxes(turning=1.001 * np.pi / h)
    (sentence,) = said(fast)
    assert "body 'die' rotates by 3.14 rad in one step of 0.001 s" in sentence
    assert f"use a step below {0.2 * h / np.pi:.2g} s" in sentence
    assert not said(fast, control=StepFromError(1))  # which finds a step of its own
    assert not said(boxes(cam_turning=10 * np.pi / h))
    (sentence,) = said(boxes(turning=1.001 * np.pi / h, cam_turning=10 * np.pi / h))
    assert "'die'" in sentence


def test_a_fall_longer_than_the_smallest_dynamic_body_in_one_step():
    h = math.sqrt(2 * LONG * DIE / G)
    contact = force_law()
    assert not about(said(contact=contact, step=0.999 * h), "a body falls")
    (sentence,) = about(said(contact=contact, step=1.001 * h), "a body falls")
    assert "falls 0.347 m, farther than 'die' is long (0.346 m)" in sentence
    assert f"use a step below {math.sqrt(0.02 * LONG * DIE / G):.1g} s" in sentence
    assert not about(said(step=2 * h), "a body falls")
    weightless = said(boxes(gravity=0.0), contact, step=0.5)
    assert not about(weightless, "a body falls")


def test_a_fall_without_contact_is_said_where_the_step_seems_to_be_in_ms():
    """Free motion is exact whatever the step: only a fall of 1e4 lengths is one by mistake."""
    h = math.sqrt(2e4 * LONG * DIE / G)
    assert not about(said(duration=1e3, step=0.999 * h), "a body falls")
    (sentence,) = about(said(duration=1e3, step=1.001 * h), "a body falls")
    assert "falls 3.47e+03 m, 1e+04 times the length of 'die'; `step` and" in sentence


def test_a_leap_of_ten_lengths_is_said_where_contact_is_sought_at_the_ends_of_steps():
    h = 10.0 * LONG * DIE  # at 1 m/s
    weightless = boxes(gravity=0.0)
    assert not about(said(weightless, force_law(), duration=9.0, step=0.999 * h), "moves")
    (sentence,) = about(said(weightless, force_law(), duration=9.0, step=1.001 * h), "moves")
    assert "body 'die' moves 3.47 m in one step of 3.4" in sentence
    assert "10 times its length" in sentence and "use a step below 0.3 s" in sentence
    potential = SimpleNamespace(kind="potential")
    assert not about(said(weightless, potential, duration=9.0, step=1.001 * h), "moves")
    assert not about(said(weightless, duration=9.0, step=1.001 * h), "moves")


def test_without_surfaces_no_size_is_compared():
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("point", mass=1, inertia=(1, 1, 1), velocity=(1, 0, 0))
    found = said(scene, force_law(dhat=9.0, min_separation=9.0), step=0.9)
    assert not about(found, "dhat") and not about(found, "separation")
    assert not about(found, "a body falls")


@pytest.mark.parametrize("count", [1, 4, 5])
def test_at_most_four_joints_are_named_whose_limits_do_not_give(count):
    scene = dt.Scene(gravity=(0, 0, -G))
    gives = dt.Actuation(lower=-1.0, upper=1.0, limit_stiffness=100.0)
    for i in range(count):
        scene.add_body(f"b{i}", mass=1, inertia=(1, 1, 1), position=(i, 0, 0), velocity=(0, 0, 1))
        joint = dt.Prismatic((i, 0, 0), (0, 0, 1), actuation=(gives,))
        scene.add_joint(f"j{i}", joint, "ground", f"b{i}")
    (sentence,) = about(said(scene), "limits of joints give")
    named = ", ".join(f"'j{i}'" for i in range(min(count, 4)))
    assert f"of {named}{', ...' if count > 4 else ''}), but LieVerlet takes" in sentence


def finding(severity, message, topic="mass"):
    return Finding(severity, topic, ("cube",), message)


def test_a_thorough_check_adds_warnings_that_were_not_found_quickly(monkeypatch):
    quick = [finding("warning", "a"), finding("note", "b")]
    thorough = [finding("warning", "a"), finding("note", "c"), finding("warning", "d")]
    monkeypatch.setattr(start_checks, "check_quickly", lambda scene, kind: list(quick))
    monkeypatch.setattr(start_checks, "check_scene", lambda scene: thorough)
    assert said() == ("a", "b") and said(check=True) == ("a", "b", "d")
    assert said(check=False) == ()
    thorough.append(finding("error", "e"))
    with pytest.raises(dt.InputError) as caught:
        said(check=True)
    assert caught.value.mistakes == ["e"]


@pytest.mark.parametrize("check", [0, 1, "yes"])
def test_check_is_none_true_or_false(check):
    with pytest.raises(dt.InputError, match="`check` must be None, True or False, got"):
        said(check=check)


def test_a_simulation_stepped_by_hand_may_begin_at_rest(monkeypatch):
    found = [finding("warning", "rests", "at rest"), finding("warning", "heavy")]
    monkeypatch.setattr(start_checks, "check_quickly", lambda scene, kind: list(found))
    assert said() == ("rests", "heavy")
    assert said(duration=math.inf) == ("heavy",)


def test_the_quick_check_knows_the_contact_or_that_none_is_wanted(monkeypatch):
    asked = []
    monkeypatch.setattr(start_checks, "check_quickly", lambda scene, kind: asked.append(kind) or [])
    scene = boxes()
    plan = checked_plan(scene, 1.0, 1e-3, 1, None, None, (), None, {})
    for contact, silent in ((force_law(), True), (None, True), (None, False)):
        warnings_at_start(scene, plan, contact, LieVerlet(), silent, None)
    assert asked == ["force", "none", None]


@pytest.fixture
def nothing_said(monkeypatch):
    monkeypatch.setattr(start_checks, "_said", set())
    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)


def test_each_sentence_is_said_once_in_a_process(nothing_said, capsys):
    say(("one", "two"))
    say(("two", "three"))
    assert capsys.readouterr().err.splitlines() == [
        f"dovetail: warning: {number}" for number in ("one", "two", "three")
    ]


@pytest.mark.parametrize("more", [0, 1, 3])
def test_after_twelve_sentences_the_others_are_counted(nothing_said, capsys, more):
    say(tuple(f"s{i}" for i in range(MAX_SAID + more)))
    lines = capsys.readouterr().err.splitlines()
    assert lines[:MAX_SAID] == [f"dovetail: warning: s{i}" for i in range(MAX_SAID)]
    counted = [f"dovetail: and {more} more warnings; `dovetail check` has all"] if more else []
    assert lines[MAX_SAID:] == counted


def test_nothing_is_said_where_it_is_not_wanted(nothing_said, capsys, monkeypatch):
    monkeypatch.setenv("DOVETAIL_QUIET", "1")
    say(("one",))
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("DOVETAIL_QUIET", "0")
    say(("one",))
    assert capsys.readouterr().err == "dovetail: warning: one\n"


@pytest.mark.parametrize("scheme", ["RATTLie", "DH", "LieVerlet", "EulerParameterDAE"])
@pytest.mark.parametrize("size", [0.004, 0.4, 40.0])
def test_contact_too_stiff_for_a_scheme_that_resolves_it_is_said_before_the_first_step(
    scheme, size
):
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("crate", dt.Box((size,) * 3), density=500, position=(0, 0, 0.7 * size))
    resolved = getattr(dt.integrators, scheme)()
    unit = math.sqrt(size / 0.4)  # [s] times that scale with the size

    def about_steps(step, contact, integrator=resolved):
        plan = checked_plan(scene, 1.0, step * unit, 1, None, None, (), None, {})
        return about(warnings_at_start(scene, plan, contact, integrator, False, None), "too stiff")

    (sentence,) = about_steps(0.01, dt.contact.SDF())
    assert "'floor' and 'crate'" in sentence and scheme in sentence
    assert "CompliantEuler" in sentence
    assert not about_steps(1e-4, dt.contact.SDF())
    assert not about_steps(0.01, dt.contact.SDF(), dt.integrators.CompliantEuler())
    (damped,) = about_steps(0.01, dt.contact.SDF(damping=1e5))
    assert "CompliantEuler" not in damped
    mass = 500 * size**3
    assert not about_steps(0.01, dt.contact.SDF(stiffness=mass / (0.01 * unit) ** 2, exponent=1.0))


def test_the_step_that_is_advised_for_stiff_contact_runs():
    """A ball meets a floor at one point; the advice is for one point."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("ball", dt.Sphere(0.1), density=500, position=(0, 0, 0.12))
    contact = dt.contact.SDF()
    stiffest = contact.stiffest_contact(scene.build())
    run = {"contact": contact, "integrator": dt.integrators.LieVerlet(), "every": 50}
    result = dt.simulate(scene, 0.2, stiffest.longest, **run)
    assert np.abs(result.position("ball")[-1, 2] - 0.1) < 1e-3
    with pytest.raises(dt.RunError, match="too stiff"):
        dt.simulate(scene, 0.2, 20 * stiffest.longest, **run)
