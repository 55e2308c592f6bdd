"""What a model of MuJoCo's newer versions has and a scene does not: listed, never a traceback."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.io import load_scene

mujoco = pytest.importorskip("mujoco", reason="MJCF is read through the extra `mujoco`")

BEAM = '<body name="%s" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/></body>'


def read(tmp_path, inside, before=""):
    path = tmp_path / "m.xml"
    path.write_text(f"<mujoco>{before}{inside}</mujoco>")
    return load_scene(path)


def test_actuator_with_several_controls_does_not_shift_those_after_it(tmp_path):
    """Controls are numbered by the actuators before them, which may have three."""
    body = (
        '<worldbody><body><joint name="b" type="ball"/><geom size=".1" pos=".2 0 0"/><body pos="1 '
        '0 0"><joint name="h" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body></body>'
        "</worldbody>"
    )
    acting = '<actuator><orientation joint="b" kp="1"/><motor name="m" joint="h"/></actuator>'
    key = '<keyframe><key name="k" ctrl="1 2 3 4"/></keyframe>'
    try:
        mujoco.MjModel.from_xml_string(f"<mujoco>{body}{acting}</mujoco>")
    except ValueError:
        pytest.skip("this MuJoCo has no actuators with several controls")
    (tmp_path / "m.xml").write_text(f"<mujoco>{body}{acting}{key}</mujoco>")
    loaded = load_scene(tmp_path / "m.xml", keyframe="k")
    assert "it has several controls" in loaded.notes[-1]
    assert loaded.scene.joints["h"][0].actuation[0].motor == 4.0


WELD = (
    '<worldbody>%s</worldbody><equality><weld body1="a" torquescale="%s" anchor="0 0 .5"/>'
    "</equality>"
)


def test_weld_without_torques_lets_its_body_turn(tmp_path):
    loaded = read(tmp_path, WELD % (BEAM % "a", 0))
    (joint, *_) = next(iter(loaded.scene.joints.values()))
    assert isinstance(joint, dt.Spherical)
    assert np.allclose(joint.point, (0, 0, 0.5)) or np.allclose(joint.point, (0, 0, 1.5))
    assert not any("torquescale" in note for note in loaded.notes)


def test_scaled_torques_of_a_weld_are_listed(tmp_path):
    assert "torquescale (equality" in read(tmp_path, WELD % (BEAM % "a", 0.5)).notes[-1]
    assert not any("torque" in n for n in read(tmp_path, WELD % (BEAM % "a", 1)).notes)


def test_bodies_that_start_asleep_are_listed(tmp_path):
    body = '<worldbody><body sleep="init"><freejoint/><geom size=".1"/></body></worldbody>'
    option = '<option><flag sleep="enable"/></option>'
    try:
        mujoco.MjModel.from_xml_string(f"<mujoco>{option}{body}</mujoco>")
    except ValueError:
        pytest.skip("this MuJoCo has no sleep policy")
    assert "sleep='init' (all bodies start awake)" in read(tmp_path, body, option).notes[-1]
    assert not any("sleep" in note for note in read(tmp_path, body).notes)
