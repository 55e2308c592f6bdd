"""`dovetail export-fmu`: units that another program accepts and runs."""

import fmpy
import numpy as np
import pytest
from click.testing import CliRunner
from fmpy.validation import validate_fmu

import dovetail as dt
from dovetail.cli.main import group

SCENE = """
version: 1
gravity: [0, 0, -9.81]
run: {duration: 1, step: 0.001, contact: {method: lcp, friction: 0.3}}
bodies:
  - {name: link, shape: {box: [0.1, 0.1, 1]}, mass: 2, position: [0, 0, -0.5]}
  - {name: floor, shape: {box: [4, 4, 0.2]}, motion: static, position: [0, 0, -3]}
joints:
  - {name: hinge, type: revolute, bodies: [ground, link], point: [0, 0, 0], axis: [0, 1, 0]}
"""


@pytest.fixture(scope="module")
def unit(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fmu")
    (folder / "arm.yaml").write_text(SCENE)
    out = folder / "arm.fmu"
    answer = CliRunner().invoke(group, ["export-fmu", str(folder / "arm.yaml"), "--out", str(out)])
    assert answer.exit_code == 0, answer.output
    return out


def test_units_are_valid(unit):
    assert validate_fmu(str(unit)) == []
    described = fmpy.read_model_description(str(unit))
    names = {variable.name: variable.causality for variable in described.modelVariables}
    assert names["hinge.effort"] == "input"
    assert names["hinge.position"] == names["hinge.velocity"] == names["link.z"] == "output"


def test_units_move_as_the_simulation_does(unit):
    found = fmpy.simulate_fmu(
        str(unit), stop_time=0.2, step_size=0.01, output_interval=0.01,
        start_values={"hinge.effort": 4.0}, output=["hinge.position", "link.x"],
    )  # fmt: skip
    scene = dt.Scene.load(unit.parent / "arm.yaml")
    sim = dt.Simulation(scene, step=1e-3, contact=dt.contact.LCP(friction=0.3), check=False)
    sim.joint("hinge").effort = 4.0
    angles, places = [], []
    for _ in range(21):
        angles.append(sim.joint("hinge").position)
        places.append(sim.body("link").position[0])
        sim.step(10)
    assert np.array_equal(found["hinge.position"], angles)
    assert np.array_equal(found["link.x"], places)
    assert found["hinge.position"][-1] > 0.05


def test_scenes_that_say_no_step_need_one(tmp_path):
    (tmp_path / "a.yaml").write_text(SCENE.replace("step: 0.001, ", ""))
    answer = CliRunner().invoke(group, ["export-fmu", str(tmp_path / "a.yaml")])
    assert isinstance(answer.exception, dt.InputError)
    assert "give --step" in str(answer.exception)
