"""Limits that give: spring, damper and inertia beyond the limit."""

import contextlib
from math import cos, exp, sin, sqrt

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators.default import default_for
from dovetail.io import load_scene
from dovetail.simulate import start_checks

MASS, STIFFNESS = 2.0, 800.0
SCHEMES = ["JointCoordinates", "RATTLie"]


def cart(position, velocity=0.0, *, gravity=0.0, **limit):
    scene = dt.Scene(gravity=(gravity, 0, 0))
    scene.add_body(
        "cart", dt.Box((0.1, 0.1, 0.1)), mass=MASS, position=(position, 0, 0),
        velocity=(velocity, 0, 0),
    )  # fmt: skip
    entry = dt.Actuation(upper=-position, **limit)
    scene.add_joint(
        "slide", dt.Prismatic((0, 0, 0), (1, 0, 0), actuation=[entry]), "ground", "cart"
    )
    return scene


def moved(scene, duration, step, scheme):
    result = dt.simulate(scene, duration, step=step, progress=False, integrator=scheme)
    return result.position("cart")[:, 0]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("inertia", [0.0, 6.0])
def test_passed_limit_pushes_home_as_spring_damper_and_inertia(inertia, scheme):
    damping, start, end = 30.0, 0.05, 0.02
    total = MASS + inertia
    decay = damping / (2 * total)
    rate = sqrt(STIFFNESS / total - decay**2)
    exact = start * exp(-decay * end) * (cos(rate * end) + decay / rate * sin(rate * end))
    scene = cart(start, limit_stiffness=STIFFNESS, limit_damping=damping, limit_inertia=inertia)
    errors = [abs(moved(scene, end, h, scheme)[-1] - exact) for h in (2e-3, 1e-3)]
    assert errors[1] < 2e-6
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.2)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_limit_that_gives_carries_a_weight_and_never_pulls(scheme):
    scene = cart(-0.01, gravity=9.81, limit_stiffness=STIFFNESS, limit_damping=80.0)
    x = moved(scene, 2.0, 1e-3, scheme)
    assert x[-1] == pytest.approx(MASS * 9.81 / STIFFNESS, rel=1e-3)
    thrown = moved(cart(0.02, limit_stiffness=STIFFNESS, limit_inertia=50.0), 1.0, 1e-3, scheme)
    speed = (thrown[-1] - thrown[-2]) / 1e-3
    assert thrown[-1] < 0.0 and np.diff(thrown).max() <= 1e-12
    assert speed < 0.0  # goes on as it left


def test_trees_run_under_rattlie_and_others_say_that_limits_are_rigid(capfd, monkeypatch):
    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)
    scene = cart(-0.01, velocity=1.0, limit_stiffness=STIFFNESS, limit_damping=1.0)
    assert default_for(None, scene.build()).name == "RATTLie"
    for scheme, settings in (("RATTLie", {}), ("DH", {}), ("StewartTrinkle", {"contact": "lcp"})):
        dt.simulate(scene, 0.01, step=1e-3, integrator=scheme, progress=False, **settings)
        said = f"limits of joints give (`limit_stiffness` of 'slide'), but {scheme} takes them"
        assert (said in capfd.readouterr().err) == (scheme != "RATTLie")


@pytest.mark.parametrize("scheme", ["DH", "RATTLie"])
def test_a_live_simulation_says_what_a_run_says(capfd, monkeypatch, scheme):
    """Limits taken as rigid and a body that turns more than half a turn in a step."""
    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)
    scene = cart(-0.01, velocity=1.0, limit_stiffness=STIFFNESS, limit_damping=1.0)
    scene.add_body("top", mass=1, inertia=(1, 1, 1), angular_velocity=(0, 0, 4e3))
    said = []
    for begin in (
        lambda: dt.simulate(scene, 1e-3, step=1e-3, integrator=scheme, progress=False),
        lambda: dt.Simulation(scene, step=1e-3, integrator=scheme),
        lambda: dt.Simulation(scene, step=1e-3, integrator=scheme, check=False),
    ):
        monkeypatch.setattr(start_checks, "_said", set())
        with contextlib.suppress(dt.RunError):
            begin()
        lines = capfd.readouterr().err.splitlines()
        said.append([line for line in lines if line.startswith("dovetail: warning:")])
    run, live, unchecked = said
    assert run == live and not unchecked
    assert any("half a turn" in line for line in run)
    assert any("takes them as rigid" in line for line in run) == (scheme == "DH")


def test_files_keep_limits_that_give(tmp_path):
    scene = cart(-0.01, velocity=1.0, limit_stiffness=STIFFNESS, limit_damping=1.0)
    scene.save(tmp_path / "cart.yaml")
    again = dt.Scene.load(tmp_path / "cart.yaml").joints["slide"][0].actuation[0]
    assert (again.limit_stiffness, again.limit_damping, again.limit_inertia) == (
        STIFFNESS,
        1.0,
        0.0,
    )
    with pytest.raises(
        dt.InputError, match=r"`limit_stiffness`.* must be > 0 where `limit_damping`"
    ):
        cart(0.0, limit_damping=1.0).build()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_mujoco_limits_are_followed(tmp_path, scheme):
    """A double pendulum runs into both limits; MuJoCo's own motion in steps of 0.1 ms."""
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is the reference")
    text = (
        '<mujoco><option timestep="1e-4"/><worldbody><body name="a" pos="0 0 1">'
        '<joint name="j" axis="0 1 0" range="-100 -5" limited="true" damping=".02"/>'
        '<geom type="box" size=".3 .05 .05" pos=".3 0 0" mass="1" contype="0" conaffinity="0"/>'
        '<body name="b" pos=".6 0 0"><joint name="k" axis="0 1 0" range="-30 30" limited="true"/>'
        '<geom type="box" size=".2 .05 .05" pos=".2 0 0" mass=".5" contype="0" conaffinity="0"/>'
        "</body></body></worldbody></mujoco>"
    )
    path = tmp_path / "pendulum.xml"
    path.write_text(text)
    scene = load_scene(path).scene
    result = dt.simulate(
        scene, duration=0.3, step=1e-3, contact="none", progress=False, integrator=scheme
    )
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    for frame in (50, 150, 300):
        mujoco.mj_step(model, data, frame * 10 - round(data.time * 1e4))
        mujoco.mj_kinematics(model, data)
        np.testing.assert_allclose(result.position("b")[frame], data.xipos[2], atol=1e-4)


def test_restored_steps_have_the_same_bits_while_a_limit_is_pressed():
    acting = {"limit_stiffness": STIFFNESS, "limit_damping": 3.0, "limit_inertia": 1.0}
    model = cart(-0.01, velocity=1.0, gravity=2.0, **acting).build()

    def steps(stepper, times):
        for k in times:
            stepper.step(k * 1e-3)
        return stepper.bodies.x.tobytes() + stepper.bodies.v.tobytes()

    first, second = (dt.integrators.RATTLie().start(model, None) for _ in range(2))
    steps(first, range(1, 16))
    assert first.bodies.x[0, 0] > 0.0  # beyond the limit
    second.restore(first.snapshot())
    assert steps(first, range(16, 120)) == steps(second, range(16, 120))
