"""Scenes that start at other joint coordinates."""

import mujoco
import numpy as np
import pytest

import dovetail as dt

ARM = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="a" pos="0 0 1"><joint name="qa" axis="0 1 0" range="-1 2"/>
    <geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0"/>
    <body name="b" pos="0.5 0 0"><joint name="qx" axis="1 0 0"/><joint name="qz" axis="0 0 1"/>
      <joint name="s" type="slide" axis="1 1 0"/>
      <geom type="capsule" size="0.04" fromto="0 0 0 0.3 0.1 0"/></body></body>
  </worldbody></mujoco>"""
Q = {"qa": 0.7, "qx": -0.4, "qz": 1.1, "s": 0.05}
V = {"qa": 0.3, "qx": -2.0, "qz": 0.5, "s": 0.7}


@pytest.fixture
def scene(tmp_path):
    (tmp_path / "arm.xml").write_text(ARM)
    return dt.Scene.load(tmp_path / "arm.xml")


def mujoco_at(q, v):
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = list(q.values()), list(v.values())
    mujoco.mj_forward(model, data)
    return model, data


def test_bodies_are_where_mujoco_has_them_and_move_so(scene):
    scene.set_state(q=Q, v=V)
    model, data = mujoco_at(Q, V)
    for name in ("a", "b"):
        number = model.body(name).id
        motion = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, number, motion, 0)
        body = scene.bodies[name]
        assert np.allclose(body.position, data.xipos[number], rtol=0, atol=1e-12)
        assert np.allclose(body.angular_velocity, motion[:3], rtol=0, atol=1e-11)
        assert np.allclose(body.velocity, motion[3:], rtol=0, atol=1e-11)


def test_coordinates_count_from_one_zero_and_limits_stay_in_space(scene):
    scene.set_state(q={"qa": 0.5, "qz": 1.0})
    scene.set_state(q=Q)
    _, data = mujoco_at(Q, V)
    assert np.allclose(scene.bodies["b"].position, data.xipos[2], rtol=0, atol=1e-12)
    acting = scene.joints["qa"][0].actuation[0]
    assert (acting.lower, acting.upper) == pytest.approx((-1.7, 1.3))
    scene.set_state(q={"qa": 0.5})
    assert np.allclose(scene.bodies["a"].rotation, so_y(0.5), atol=1e-12)


def test_coordinates_of_a_keyframe_are_those_of_the_file(tmp_path):
    key = '<keyframe><key name="k" qpos="0.7 -0.4 1.1 0.05"/></keyframe></mujoco>'
    (tmp_path / "arm.xml").write_text(ARM.replace("</mujoco>", key))
    scene = dt.Scene.load(tmp_path / "arm.xml", keyframe="k")
    assert [placed.start for placed in scene.build().joints] == [(0.7,), (-0.4,), (1.1,), (0.05,)]
    scene.set_state(q=dict.fromkeys(Q, 0.0))
    _, data = mujoco_at(dict.fromkeys(Q, 0.0), V)
    assert np.allclose(scene.bodies["b"].position, data.xipos[2], rtol=0, atol=1e-12)


def so_y(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def test_motion_from_a_state_is_mujocos(scene):
    scene.set_state(q=Q, v=V)
    model, data = mujoco_at(Q, V)
    model.opt.timestep, model.opt.integrator = 2e-4, mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    mujoco.mj_step(model, data, 500)
    mujoco.mj_kinematics(model, data)
    result = dt.simulate(scene, duration=0.1, step=2e-4)
    assert np.allclose(result.position("b")[-1], data.xipos[2], rtol=0, atol=2e-5)


def test_couplings_count_from_the_new_coordinates():
    scene = dt.Scene()
    for name, x in (("a", 0.0), ("b", 1.0)):
        scene.add_body(name, dt.Box((0.2, 0.1, 0.1)), density=1000, position=(x + 0.5, 0, 0))
        scene.add_joint(f"q{name}", dt.Revolute((x, 0, 0), (0, 1, 0)), "ground", name)
    scene.add_coupling("gear", dt.Coupling({"qa": 1.0, "qb": (-2.0, 0.5)}))
    q = {"qa": 2.0 * 0.3 - 0.5 * 0.3**2, "qb": 0.3}
    scene.set_state(q=q)
    moved = scene.couplings["gear"]
    assert moved.offset == pytest.approx(0.0, abs=1e-15)
    assert moved.terms["qb"] == pytest.approx((-2.0 + 2 * 0.5 * 0.3, 0.5))


def test_unknown_joints_and_wrong_sizes_are_named(scene):
    with pytest.raises(dt.InputError, match=r"`q` names joint 'qaa', which.*did you mean 'qa'"):
        scene.set_state(q={"qaa": 1.0})
    with pytest.raises(dt.InputError, match="`v` of joint 'qa' must be 1 finite number"):
        scene.set_state(v={"qa": [1.0, 2.0]})
