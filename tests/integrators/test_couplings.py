"""Couplings of joint coordinates: gears, polynomials, tendons; motors that follow the state."""

import numpy as np
import pytest

import dovetail as dt
from coupled_scenes import hinges, pendulums

TIME = 0.4


def mujoco_c(extra, u=""):
    """Where MuJoCo has the centres of b and c at the end; `extra` goes into its model."""
    mujoco = pytest.importorskip("mujoco")
    box = '<geom type="box" contype="0" conaffinity="0" '
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><compiler angle="radian"/><option timestep="1e-4" integrator="RK4"/><worldbody>'
        f'<body name="a" pos=".25 0 0"><joint name="u" axis="0 1 0" pos="-.25 0 0" {u}/>'
        f'{box} size=".05 .06 .25" mass="3"/>'
        '<body name="b" pos="0 0 -.4"><joint name="v" axis="0 1 0" pos="0 0 .15"/>'
        f'{box} size=".05 .06 .15" mass="1"/></body></body>'
        '<body name="c" pos="2 0 0"><joint name="w" axis="0 1 0" pos="0 0 .25"/>'
        f'{box} size=".05 .06 .25" mass="2"/></body></worldbody>{extra}</mujoco>'
    )
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(TIME / 1e-4))
    return data.xpos[2:4].ravel()


def found(scene, step=1e-3, **settings):
    result = dt.simulate(scene, duration=TIME, step=step, **settings)
    return result, np.concatenate([result.position(name)[-1] for name in "bc"])


def stiff(body):
    """An equality of MuJoCo's as stiff as its step allows."""
    return f'<equality><joint {body} solref="-4e6 -4e3" solimp="1 1 .001"/></equality>'


def test_a_gear_moves_as_in_mujoco():
    scene = hinges(pendulums())
    scene.add_coupling("gear", dt.Coupling({"w": 1.0, "u": -2.0}))
    result, ends = found(scene)
    np.testing.assert_allclose(
        ends, mujoco_c(stiff('joint1="w" joint2="u" polycoef="0 2 0 0 0"')), atol=2e-5
    )
    assert result.constraint_violation["position"].max() < 1e-12
    assert np.ptp(result.energy["total"]) < 1e-4 * np.ptp(result.energy["potential"])


def test_a_polynomial_over_three_links():
    scene = hinges(pendulums())
    terms = {"w": 1.0, "u": (-0.5, 0.3, -0.1), "v": -0.7}
    scene.add_coupling("cam", dt.Coupling(terms))
    result, _ = found(scene, step=2e-3)
    fine, _ = found(hinges_with(terms), step=1e-3)
    finest, _ = found(hinges_with(terms), step=5e-4)
    errors = [
        np.abs(one.position("c")[-1] - finest.position("c")[-1]).max() for one in (result, fine)
    ]
    assert errors[0] / errors[1] == pytest.approx(17.0, abs=1.0)  # (4^4 - 1) / (2^4 - 1)
    assert np.ptp(finest.energy["total"]) < 1e-4 * np.ptp(finest.energy["potential"])


def hinges_with(terms):
    scene = hinges(pendulums())
    scene.add_coupling("cam", dt.Coupling(terms))
    return scene


def test_a_tendon_with_spring_damper_and_motor():
    scene = hinges(pendulums())
    acting = dt.Actuation(stiffness=30.0, damping=2.0, rest=0.2, motor=1.5)
    scene.add_coupling("tendon", dt.Coupling({"u": 0.8, "v": -0.5, "w": 0.6}, actuation=acting))
    _, ends = found(scene)
    tendon = (
        '<tendon><fixed name="t" stiffness="30" damping="2" springlength=".2"><joint joint="u" '
        'coef=".8"/><joint joint="v" coef="-.5"/><joint joint="w" coef=".6"/></fixed></tendon>'
        '<actuator><general tendon="t" gaintype="fixed" biastype="affine" biasprm="1.5"/>'
        "</actuator>"
    )
    np.testing.assert_allclose(ends, mujoco_c(tendon), atol=1e-5)


def test_a_motor_that_follows_the_state():
    scene = hinges(pendulums(), u={"motor": lambda t, q, v: -40.0 * (q - 0.3) - 3.0 * v})
    _, ends = found(scene)
    spring = mujoco_c("", u='stiffness="40" damping="3" springref=".3"')
    np.testing.assert_allclose(ends, spring, atol=1e-5)


def test_a_coupling_that_is_open_at_the_start_is_closed():
    scene = hinges(pendulums())
    scene.add_coupling("mimic", dt.Coupling({"w": 1.0, "u": -1.0}, offset=0.25))
    result, _ = found(scene)
    assert result.constraint_violation["position"].max() < 1e-12
    assert not np.allclose(result.position("c")[0], (2, 0, 0))


def test_scene_files_keep_couplings(tmp_path):
    scene = hinges_with({"w": 1.0, ("u", 1): (-0.5, 0.3)})
    acting = dt.Actuation(stiffness=3.0, lower=-1.0)
    scene.add_coupling("tendon", dt.Coupling({"u": 1.0, "v": 2.0}, actuation=acting))
    scene.save(tmp_path / "scene.yaml")
    again = dt.Scene.load(tmp_path / "scene.yaml")
    for name in ("cam", "tendon"):
        one, two = again.build().couplings, scene.build().couplings
        assert [vars(c) for c in one] == [vars(c) for c in two], name


def test_files_in_degrees_couple_angles(tmp_path):
    (tmp_path / "scene.yaml").write_text(
        "version: 1\nunits: {angle: deg}\nbodies:\n"
        "  - {name: a, shape: {box: [1, 1, 1]}}\n  - {name: b, shape: {box: [1, 1, 1]}}\n"
        "joints:\n  - {name: u, type: revolute, bodies: [ground, a]}\n"
        "  - {name: v, type: revolute, bodies: [ground, b]}\n"
        "couplings:\n  - {name: c, offset: 90, terms: [{joint: u, factor: 2}, "
        "{joint: v, factor: 1}]}\n"
    )
    (coupling,) = dt.Scene.load(tmp_path / "scene.yaml").build().couplings
    assert coupling.offset == pytest.approx(np.pi / 2)
    assert [term.coefficients for term in coupling.terms] == [(2.0,), (1.0,)]


def test_mistakes_are_named():
    scene = hinges(pendulums())
    scene.add_joint("ball", dt.Spherical((5, 0, 0)), "ground", "c")
    scene.add_coupling("x", dt.Coupling({"nowhere": 1.0, ("u", 2): 1.0, "ball": 2.0}))
    scene.add_coupling("y", 3)
    with pytest.raises(dt.InputError) as caught:
        scene.build()
    text = str(caught.value)
    for part in (
        "coupling 'x' names joint 'nowhere', which is not in the scene",
        "names coordinate 2 of joint 'u', which has 1",
        "names joint 'ball' (spherical), whose turns are not numbers",
        "coupling 'y' must be a dt.Coupling, got 3",
    ):
        assert part in text


def test_a_scheme_from_outside_that_does_not_know_couplings_is_refused():
    class Other:
        name, takes, takes_joints, order = "Other", frozenset(), True, 1

        def start(self, model, contact=None):
            raise AssertionError

    scene = hinges_with({"w": 1.0, "u": -2.0})
    with pytest.raises(dt.InputError, match=r"Other cannot keep couplings of joints.*'cam'"):
        dt.simulate(scene, duration=0.1, step=1e-3, integrator=Other())


def test_reactions_of_a_loop_with_a_tendon():
    """What the ground gives and the weights are the change of momentum; the tendon pulls inside."""
    scene = hinges(pendulums())
    scene.add_body("rod", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(1.1, 0, -0.4))
    scene.add_joint("left", dt.Revolute((0.25, 0, -0.5), (0, 1, 0)), "b", "rod")
    scene.add_joint("right", dt.Revolute((2, 0, -0.2), (0, 1, 0)), "c", "rod")
    acting = dt.Actuation(stiffness=300, damping=5, rest=0.2)
    scene.add_coupling("tendon", dt.Coupling({"u": 1.0, "w": -0.5}, actuation=acting))
    result = dt.simulate(scene, 0.05, 5e-4, integrator="JointCoordinates", progress=False)
    mass = {name: scene.bodies[name].mass for name in ("a", "b", "c", "rod")}
    momentum = sum(m * result.velocity(name) for name, m in mass.items())
    rate = np.gradient(momentum, result.time, axis=0)
    weight = sum(mass.values()) * np.array(scene.gravity)
    given = result.joint_force("u") + result.joint_force("w")
    np.testing.assert_allclose(given[2:-2], (rate - weight)[2:-2], atol=0.02 * abs(weight[2]))
