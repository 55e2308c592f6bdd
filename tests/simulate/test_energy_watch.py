"""Energy from nowhere and speeds without bound are reported with time and body."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.errors import RunError
from dovetail.integrators import SCHEMES, default_for
from dovetail.multibody.state import initial_state
from dovetail.simulate.energy_watch import (
    LIFT,
    ROUND_OFF,
    SHARE,
    EnergyWatch,
    Gain,
    sources_of_energy,
)
from known_runs import Chaotic, Touching, two_bodies

METHODS = {
    "free": None,
    "sdf": dt.contact.SDF(friction=0.3, stiffness=1e6),
    "lcp": dt.contact.LCP(friction=0.3),
    "ipc": dt.contact.IPC(friction=0.3),
}
STEP = {"free": 0.01, "sdf": 0.001, "lcp": 0.01, "ipc": 0.01}


def dropped():
    """A box that falls on its corner, and a light ball beside it."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((4, 4, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body("box", dt.Box((0.4, 0.3, 0.2)), density=500, position=(0, 0, 0.15),
                   angular_velocity=(1, 2, 0))  # fmt: skip
    scene.add_body("ball", dt.Sphere(0.05, 8), density=500, position=(1, 0, 0.2))
    return scene


class Pumped:
    """An integrator that makes the ball faster by a tenth of its speed in every step."""

    name, order, takes_joints, keeps_momentum = "Pumped", 1, True, False
    takes = frozenset({"force", "impulse", "potential"})

    def start(self, model, contact):
        return PumpedStepper(default_for(contact, model).start(model, contact), model.index("ball"))


class PumpedStepper:
    def __init__(self, inner, body):
        self._inner, self._body, self._steps = inner, body, 0

    @property
    def bodies(self):
        state = self._inner.bodies.copy()
        state.v[self._body] *= 1.1**self._steps
        return state

    @property
    def observed(self):
        return self.bodies

    def step(self, t_next):
        self._steps += 1
        return self._inner.step(t_next)

    def __getattr__(self, name):  # observe, snapshot, restore, what else there is
        return getattr(self._inner, name)


@pytest.mark.parametrize("method", METHODS)
def test_energy_from_nowhere_is_reported_with_time_and_body(method):
    h = STEP[method]
    result = dt.simulate(
        dropped(), 40 * h, h, contact=METHODS[method], integrator=Pumped(), check=None,
        progress=False,
    )  # fmt: skip
    (sentence,) = [sentence for sentence in result.warnings if "total energy rose" in sentence]
    assert "most of it in body 'ball'" in sentence and "from t = " in sentence
    rise = np.max(result.energy["total"] - np.minimum.accumulate(result.energy["total"]))
    assert f"rose by {rise:.3g} J" in sentence


@pytest.mark.parametrize("method", METHODS)
def test_a_sound_run_says_nothing_about_energy(method):
    h = STEP[method]
    result = dt.simulate(dropped(), 40 * h, h, contact=METHODS[method] or "none", progress=False)
    assert result.warnings == ()


@pytest.mark.parametrize("name", [name for name in SCHEMES if SCHEMES[name].takes_joints])
def test_a_swinging_pendulum_gains_nothing_under_any_scheme(name):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("rod", dt.Box((0.05, 0.05, 1)), density=500, position=(0, 0, -0.5),
                   rotation=(np.cos(0.5), np.sin(0.5), 0, 0))  # fmt: skip
    scene.add_joint("pin", dt.Spherical(point=(0, 0, 0)), "ground", "rod")
    result = dt.simulate(scene, 0.3, 0.005, integrator=SCHEMES[name](), progress=False)
    assert not any("total energy rose" in sentence for sentence in result.warnings)


def test_what_supplies_energy_is_known():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("a", dt.Box((1, 1, 1)), density=1)
    scene.add_body("b", dt.Box((1, 1, 1)), motion="kinematic", velocity=(1, 0, 0),
                   position=(3, 0, 0))  # fmt: skip
    scene.add_force("steady", "a", (1, 0, 0))
    scene.add_spring("spring", "ground", "a", (0, 0, 2), (0, 0, 0), stiffness=3)
    scene.add_force("torque", "a", torque=(1, 0, 0))
    scene.add_load("function", lambda t, state: {})
    motor = dt.Actuation(motor=("velocity", 1.0))
    scene.add_joint("j", dt.Revolute(actuation=[motor]), "ground", "a")
    model = scene.build()
    found = ["kinematic body 'b'", "load 'torque'", "load 'function'", "the motor of joint 'j'"]
    assert sources_of_energy(model) == found
    assert not EnergyWatch(model).on


def test_a_steady_force_and_a_spring_are_no_sources():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("a", dt.Box((1, 1, 1)), density=1000)
    scene.add_force("steady", "a", (3e4, 0, 0))
    scene.add_spring("spring", "ground", "a", (0, 0, 2), (0, 0, 0), stiffness=3e4)
    result = dt.simulate(scene, 1.0, 0.005, progress=False)
    assert result.warnings == ()


def gain(t, state):
    return {"ball": (1e4 * np.asarray(state.velocity("ball")) + (1.0, 0, 0), (0, 0, 0))}


def test_a_controller_that_diverges_ends_the_run_with_time_body_and_cause():
    scene = dropped()
    scene.add_load("controller", gain)
    with pytest.raises(RunError, match="grows without bound") as caught:
        dt.simulate(scene, 5.0, 1e-3, contact="none", progress=False)
    assert "body 'ball'" in str(caught.value) and "load 'controller'" in str(caught.value)
    assert 0 < caught.value.time < 1
    assert caught.value.result.time[-1] < caught.value.time


def test_a_motor_that_diverges_ends_the_run_with_its_joint():
    scene = dt.Scene()
    scene.add_body("arm", dt.Box((1, 0.1, 0.1)), density=1000, position=(0.5, 0, 0))
    pull = dt.Actuation(motor=lambda t: 1.0 * np.exp(2000 * t))
    scene.add_joint("j3", dt.Revolute(axis=(0, 0, 1), actuation=[pull]), "ground", "arm")
    with pytest.raises(RunError, match="grows without bound") as caught:
        # RATTLie stops sooner: it cannot turn a body by pi rad or more in a step
        dt.simulate(scene, 5.0, 1e-3, progress=False, integrator="JointCoordinates")
    assert "the motor of joint 'j3'" in str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ({"velocity": (7e3, 0, 0)}, {}),  # a satellite, 7e4 sizes in a step
        lambda: ({"angular_velocity": (0, 0, 0.02)}, {}),
        lambda: ({}, {"force": (1e6, 0, 0)}),  # a rocket
    ],
    ids=["fast from the start", "slow", "pushed"],
)
def test_what_the_scene_explains_is_no_runaway(make):
    options, force = make()
    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(0.5, 8), density=1000, **options)
    if force:
        scene.add_force("thrust", "ball", **force)
    result = dt.simulate(scene, 1000.0, 10.0, progress=False, check=False)
    assert result.status == "finished"


def test_warnings_stay_with_the_result_file(tmp_path):
    scene = dropped()
    result = dt.simulate(scene, 0.02, 0.01, out=tmp_path / "a.h5", progress=False)
    assert any("nothing keeps bodies" in sentence for sentence in result.warnings)
    assert dt.load(tmp_path / "a.h5").warnings == result.warnings
    dt.simulate(scene, 0.02, 0.01, contact="none", out=tmp_path / "a.h5", progress=False)
    assert dt.load(tmp_path / "a.h5").warnings == ()


def test_warnings_are_said_once_in_a_process_and_not_where_it_shall_be_quiet(capsys, monkeypatch):
    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)
    scene = dropped()
    scene.add_body("once", dt.Sphere(0.01, 8), density=3, position=(0, 5, 5))
    for _ in range(2):
        dt.simulate(scene, 0.02, 0.01, contact="none", progress=False)
    assert capsys.readouterr().err.count("body 'once'") == 1
    monkeypatch.setenv("DOVETAIL_QUIET", "1")
    scene.add_body("never", dt.Sphere(0.01, 8), density=2, position=(0, 5, 6))
    dt.simulate(scene, 0.02, 0.01, contact="none", progress=False)
    assert capsys.readouterr().err == ""


def test_a_thorough_check_refuses_a_scene_that_starts_in_contact_with_itself():
    scene = dropped()
    scene.add_body("stuck", dt.Box((0.4, 0.3, 0.2)), density=500, position=(0.1, 0, 0.15))
    with pytest.raises(dt.InputError, match="overlap at the start"):
        dt.simulate(scene, 0.02, 0.01, contact="none", progress=False, check=True)
    assert dt.simulate(scene, 0.02, 0.01, contact="none", progress=False, check=False)


def test_a_restored_watch_knows_the_gain_that_was_found_or_that_there_was_none():
    model = dropped().build()
    found, none, other = (EnergyWatch(model) for _ in range(3))
    found.gain = Gain(2.0, 0.5, 0.1, 0.3, "ball")
    other.restore(found.snapshot())
    assert other.gain == found.gain
    other.restore(none.snapshot())
    assert other.gain is None


def test_a_resumed_run_warns_of_the_energy_that_appeared_before_it_was_stopped(tmp_path):
    def stop(t, state):
        if t > 0.595:
            raise KeyboardInterrupt

    options = {"contact": Touching(), "integrator": Chaotic(), "out": tmp_path / "a.h5"}
    whole = dt.simulate(two_bodies(), 1.0, 0.01, **options | {"out": None})
    dt.simulate(two_bodies(), 1.0, 0.01, on_step=stop, **options)
    resumed = dt.simulate(two_bodies(), 1.0, 0.01, resume=True, **options)
    assert whole.warnings and resumed.warnings == whole.warnings


@pytest.mark.parametrize("seed", range(6))
def test_frames_that_are_not_looked_at_would_change_nothing(seed):
    """Of many frames only some are worth a look; what is found is what a look at all finds."""
    model = dropped().build()
    draw = np.random.default_rng(seed)
    kinetic, potential = draw.uniform(0, 50, (2, 12))
    total = 100 - np.arange(12.0) + np.where(np.arange(12) == 7, 40.0 * (seed % 2), 0.0)
    every, few = EnergyWatch(model), EnergyWatch(model)
    for begin in (0, 6):
        part = slice(begin, begin + 6)
        chosen = few.worth_a_look(kinetic[part], potential[part], total[part])
        assert (seed % 2 and begin == 6) or len(chosen) == 1  # the least, where nothing rises
        for k in range(6):
            state = initial_state(model)
            state.t = float(begin + k)
            one = (state, kinetic[begin + k], potential[begin + k], total[begin + k])
            every.look(*one)
            if k in chosen:
                few.look(*one)
    assert few.gain == every.gain
    assert (few.gain is not None) == bool(seed % 2)
    assert all(np.array_equal(few.snapshot()[k], every.snapshot()[k]) for k in few.snapshot())


def test_round_off_of_bodies_without_shape_is_no_gain():
    """At rest, 7 m up: the energies of two frames differ by the last digit."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("bob", mass=2, inertia=(1, 1, 1), position=(0, 0, 7))
    model = scene.build()
    watch, state = EnergyWatch(model), initial_state(model)
    energy = 2 * 9.81 * 7
    for total in (energy, np.nextafter(energy, 1e9)):
        watch.look(state, 0.0, energy, total)
    assert watch.gain is None


def one_of_each(*motions):
    """Boxes of these kinds, by default a dynamic and a static one, under gravity."""
    scene = dt.Scene(gravity=(0, 0, -10.0))
    for k, motion in enumerate(motions or ("dynamic", "static")):
        scene.add_body(motion, dt.Box((3, 4, 12)), mass=2.0, motion=motion, position=(9 * k, 0, 5))
    return scene.build()


def looked(*totals, kinetic=0.0, potential=0.0):
    """A watch that saw frames with these energies [J], a second apart."""
    model = one_of_each()
    watch, state = EnergyWatch(model), initial_state(model)
    for k, total in enumerate(totals):
        state.t = float(k)
        watch.look(state, kinetic, potential, total)
    return watch


FLOOR = 20.0 * (LIFT * 6.5 + ROUND_OFF * 5.0)  # [J]: weight, half the diagonal, distance


def test_a_rise_is_allowed_that_lifts_the_dynamic_bodies_a_little():
    assert looked(7.0, 7.0 + 0.999 * FLOOR).gain is None
    gain = looked(7.0, 5.0, 5.0 + 1.001 * FLOOR).gain
    assert gain.allowed == pytest.approx(FLOOR, rel=1e-12)
    assert (gain.begin, gain.end, gain.body) == (1.0, 2.0, "dynamic")


def test_exactly_what_is_allowed_is_no_gain_and_only_a_larger_rise_takes_its_place():
    watch = looked()
    watch._floor = 0.5
    state = initial_state(watch._model)
    for t, total in enumerate((1.0, 1.5)):
        state.t = float(t)
        watch.look(state, 0.0, 0.0, total)
    assert watch.gain is None
    for t, total, end in ((2.0, 2.0, 2.0), (3.0, 2.0, 2.0), (4.0, 1.8, 2.0), (5.0, 2.5, 5.0)):
        state.t = t
        watch.look(state, 0.0, 0.0, total)
        assert watch.gain.end == end
    assert (watch.gain.energy, watch.gain.begin) == (1.5, 0.0)


def test_a_rise_is_allowed_of_a_share_of_the_energy_in_motion():
    """The largest kinetic energy so far and the range of the potential one."""
    model = one_of_each()
    for rise, found in ((0.999, False), (1.001, True)):
        watch, state = EnergyWatch(model), initial_state(model)
        watch.look(state, 30.0, 500.0, 530.0)
        watch.look(state, 10.0, 480.0, 490.0)
        watch.look(state, 0.0, 490.0, 490.0 + rise * SHARE * (30.0 + 20.0))
        assert (watch.gain is not None) == found


def test_energies_of_bodies_are_those_of_motion_and_height_of_dynamic_ones():
    model = one_of_each("dynamic", "static", "kinematic")
    state = initial_state(model)
    state.v[:] = (1.0, 2.0, 2.0)
    state.omega[:] = (1.0, 2.0, 3.0)
    inertia = np.diag(model.inertia[0])
    expected = 0.5 * 2.0 * 9.0 + 0.5 * inertia @ (1.0, 4.0, 9.0) + 2.0 * 10.0 * 5.0
    found = EnergyWatch(model)._energies(state)
    np.testing.assert_allclose(found, [expected, 0.0, 0.0], rtol=1e-14)


def test_a_restored_watch_goes_on_as_the_one_that_was_kept():
    watch, other = looked(7.0, 5.0, 6.0, kinetic=3.0, potential=4.0), looked()
    other.restore(watch.snapshot())
    state = initial_state(watch._model)
    for t, total in ((3.0, 4.0), (4.0, 9.0)):
        state.t = t
        for one in (watch, other):
            one.look(state, 1.0, 2.0, total)
        assert other.gain == watch.gain
        for name, kept in watch.snapshot().items():
            np.testing.assert_array_equal(other.snapshot()[name], kept)


@pytest.mark.parametrize(
    ("lower", "upper", "beyond"),
    [(None, None, False), (-1.0, 1.0, False), (0.0, None, False), (None, 0.0, False),
     (0.1, None, True), (None, -0.1, True), (0.1, 0.2, True), (-0.2, -0.1, True)],
)  # fmt: skip
def test_limits_that_a_joint_starts_beyond_push_it(lower, upper, beyond):
    scene = dt.Scene()
    scene.add_body("a", dt.Box((1, 1, 1)), density=1)
    acting = dt.Actuation(lower=lower, upper=upper)
    scene.add_joint("j", dt.Prismatic(actuation=[acting]), "ground", "a")
    assert bool(sources_of_energy(scene.build())) == beyond


def test_a_limit_with_an_inertia_of_its_own_is_a_source():
    scene = dt.Scene()
    scene.add_body("a", dt.Box((1, 1, 1)), density=1)
    acting = dt.Actuation(upper=1.0, limit_stiffness=1e3, limit_inertia=2.0)
    scene.add_joint("j", dt.Prismatic(actuation=[acting]), "ground", "a")
    model = scene.build()
    assert sources_of_energy(model) == ["limits of joint 'j' that carry an inertia"]
    rising = np.array([1.0, 2.0, 300.0])
    assert EnergyWatch(model).worth_a_look(rising, 0 * rising, rising) == []
