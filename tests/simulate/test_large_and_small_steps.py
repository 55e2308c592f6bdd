"""Large steps far from contact, small ones near it, and nothing missed in between."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.cli import main
from dovetail.integrators import SCHEMES

SCHEMES_TRIED = ("LieVerlet", "JointCoordinates", "RATTLie")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.getbasetemp() / "fields"
    monkeypatch.setattr("dovetail.collision.sdf.building.field_folder", lambda: folder)
    monkeypatch.setenv("DOVETAIL_QUIET", "1")


def ball_against_a_sheet(speed: float, shape=None, distance: float = 2.0) -> dt.Scene:
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("sheet", dt.Box((1, 1, 0.02)), motion="static")
    scene.add_body("ball", shape or dt.Sphere(0.02), mass=0.1, position=(0, 0, distance),
                   velocity=(0, 0, -speed))  # fmt: skip
    return scene


@pytest.mark.parametrize("scheme", SCHEMES_TRIED)
def test_a_large_step_that_would_jump_through_a_sheet_is_taken_again(scheme):
    # 10 m/s in steps of 20 ms: 0.2 m, ten times the sheet's thickness and five times the ball's
    result = dt.simulate(
        ball_against_a_sheet(10.0), 0.3, 1e-5, contact=dt.contact.SDF(restitution=0.6),
        integrator=SCHEMES[scheme](), step_control=dt.LargeAndSmallSteps(large=2e-2),
    )  # fmt: skip
    assert result.velocity("ball")[-1, 2] == pytest.approx(6.0, rel=0.01)
    steps = np.diff(result.time)
    assert steps.max() == pytest.approx(2e-2)
    touching = result.contacts.count > 0
    assert steps[touching[1:]].max() < 1.01e-5


def test_a_long_bar_that_only_turns_is_not_let_through_a_post():
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("post", dt.Cylinder(0.01, 0.2), motion="static", position=(0, 0.5, 0))
    scene.add_body("bar", dt.Box((1.2, 0.02, 0.02)), density=1000, angular_velocity=(0, 0, 5))
    result = dt.simulate(
        scene, 0.35, 2e-5, contact=dt.contact.SDF(restitution=0.5), every=5,
        step_control=dt.LargeAndSmallSteps(large=5e-2),
    )  # fmt: skip
    assert result.contacts.count.max() > 0
    assert result.angular_velocity("bar")[-1, 2] < 4.0


def test_a_body_that_crosses_more_than_a_cell_in_a_step_is_caught():
    surface = dt.Box((0.4, 0.4, 0.4)).surface()
    wall = dt.Mesh(surface.vertices, surface.faces)
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("wall", wall, motion="static")
    scene.add_body("ball", dt.Sphere(0.1), density=1000, position=(0, 0, 0.5), velocity=(0, 0, -20))
    cell = 0.4 / (128 - 6)
    step = 2e-4
    assert 20 * step > cell
    law = dt.contact.SDF(restitution=0.5, stiffness=3e7)
    with pytest.warns(dt.contact.PenetrationWarning):  # a cell deep in one step is reported
        result = dt.simulate(scene, 0.06, step, contact=law, integrator=dt.integrators.LieVerlet())
    assert result.velocity("ball")[-1, 2] == pytest.approx(10.0, rel=0.05)


def test_a_body_that_leaves_the_grid_comes_back_to_the_same_bounce():
    surface = dt.Box((0.4, 0.4, 0.1)).surface()
    floor = dt.Mesh(surface.vertices, surface.faces)
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", floor, motion="static", position=(0, 0, -0.05))
    scene.add_body("ball", dt.Sphere(0.05), density=1000, position=(0, 0, 0.05), velocity=(0, 0, 3))
    law = dt.contact.SDF(restitution=1, stiffness=1e9)
    period = 2 * 3 / 9.81
    result = dt.simulate(scene, 1.5 * period, 2e-5, contact=law, every=10,
                         step_control=dt.LargeAndSmallSteps(large=1e-3))  # fmt: skip
    height = result.position("ball")[:, 2] - 0.05
    assert height.max() == pytest.approx(9 / (2 * 9.81), rel=1e-3)  # far outside the field's grid
    assert result.contacts.count.max() > 0
    late = result.time > 1.1 * period
    assert height[late].max() == pytest.approx(9 / (2 * 9.81), rel=0.01)


def test_large_and_small_steps_need_contact_that_reports_bodies_that_are_near():
    with pytest.raises(dt.InputError, match="need contact by distance fields"):
        dt.simulate(ball_against_a_sheet(1.0), 0.1, 1e-3, step_control=dt.LargeAndSmallSteps())
    with pytest.raises(dt.InputError, match="`small` must be less than `large`"):
        dt.LargeAndSmallSteps(large=1e-3, small=1e-2)
    with pytest.raises(dt.InputError, match="more than the run's step"):
        dt.simulate(ball_against_a_sheet(1.0), 0.1, 1e-2, contact=dt.contact.SDF(),
                    step_control=dt.LargeAndSmallSteps(large=1e-3))  # fmt: skip


def test_a_scene_file_and_the_command_line_set_the_large_step(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drop.yaml").write_text(
        "version: 1\n"
        "run: {duration: 0.2, step: 5.0e-6, large_step: 0.01,"
        " contact: {method: sdf, restitution: 1}}\n"
        "bodies:\n"
        "  - {name: floor, shape: {half_space: [0, 0, 1]}, motion: static}\n"
        "  - {name: ball, shape: {sphere: 0.02}, mass: 0.1, position: [0, 0, 1],"
        " velocity: [0, 0, -10]}\n"
    )
    for options, largest in (([], 0.01), (["--large-step", "0.005"], 0.005)):
        with pytest.raises(SystemExit) as done:
            main(["run", "drop.yaml", "--quiet", *options])
        assert not done.value.code
        result = dt.load(tmp_path / "drop.h5")
        assert np.diff(result.time).max() == pytest.approx(largest)
        assert result.velocity("ball")[-1, 2] == pytest.approx(10, rel=0.01)


def test_resuming_keeps_the_steps_in_use(tmp_path):
    control = dt.LargeAndSmallSteps()
    assert control.first(1e-4) == 1e-4
    again = dt.LargeAndSmallSteps()
    again.restore(control.snapshot())
    assert again.snapshot()["steps"].tolist() == [20 * 1e-4, 1e-4]
