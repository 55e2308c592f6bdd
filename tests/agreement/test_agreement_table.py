"""`dovetail bench agreement`: every method and the peer on one scene, beside the closed form."""

import numpy as np
import pytest
from click.testing import CliRunner, Result

from dovetail.cli.main import group
from dovetail.validation import agreement
from dovetail.validation.agreement import ours, peer
from dovetail.validation.agreement.case import gained

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _quiet(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.getbasetemp() / "fields"
    monkeypatch.setattr("dovetail.collision.sdf.building.field_folder", lambda: folder)
    monkeypatch.setenv("DOVETAIL_QUIET", "1")


def dovetail(*arguments: str) -> Result:
    return CliRunner().invoke(group, arguments)


def test_the_table_has_a_row_for_every_method_and_the_closed_form() -> None:
    said = dovetail("bench", "agreement-ball")
    assert said.exit_code == 0
    rows = [line.split("|")[1].strip() for line in said.output.splitlines() if line[:1] == "|"]
    assert [name for name in ("IPC", "SDF", "LCP", "closed form") if name not in rows] == []


def test_an_unknown_case_is_refused_with_the_known_names() -> None:
    said = dovetail("bench", "agreement-warp")
    assert said.exit_code != 0
    assert "agreement" in f"{said.output} {said.exception}"


@pytest.mark.parametrize("name", agreement.NAMES)
def test_our_scene_and_the_peer_s_have_the_same_bodies_and_masses(name: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    case = agreement.case(name)
    head = peer.HEAD.format(step=case.step, gravity="0 0 -9.81", friction=case.friction)
    model = mujoco.MjModel.from_xml_string(f"{head}{case.mjcf()}</mujoco>")
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    built = case.build().build()
    moving = [i for i, body in enumerate(built.bodies) if body.motion != "static"]
    assert [built.names[i] for i in moving] == [model.body(b).name for b in range(1, model.nbody)]
    for b, i in enumerate(moving, start=1):
        assert model.body_mass[b] == pytest.approx(built.bodies[i].mass, rel=1e-9)
        np.testing.assert_allclose(data.xipos[b], built.position[i], atol=1e-12)


def test_a_net_force_is_that_of_the_first_on_the_second() -> None:
    outcome = ours.run(agreement.case("ball"), "LCP")
    np.testing.assert_allclose(outcome.force["floor", "ball"][-1], [0, 0, 4.905], atol=1e-6)


def test_a_gain_is_measured_from_the_least_energy_so_far() -> None:
    assert gained(np.array([3.0, 1.0, 1.5, 0.5, 0.7])) == 0.5
    assert gained(np.array([3.0, 2.0])) == 0.0
