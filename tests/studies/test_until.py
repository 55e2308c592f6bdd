"""Runs end when they are decided; a study can be done in parts."""

import pytest

import dovetail as dt
from dovetail.examples import study_file, study_names
from dovetail.simulate import LargeAndSmallSteps
from dovetail.studies import Output, Random, Uniform, Until
from dovetail.studies.document import read_study
from dovetail.studies.jobs import DocumentJob

G = 9.81
HEIGHT = {"height": Output("max", "position", ("ball",), "z")}


def ball() -> dt.Scene:
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("ball", dt.Sphere(0.1), mass=1.0, velocity=(0, 0, 1))
    scene.add_body("mark", dt.Sphere(0.1), mass=1.0, position=(0, 0, 1), motion="static")
    return scene


def thrown(folder, until, **options):
    options = {"workers": 0, "duration": 1.0, "step": 1e-2, "progress": False} | options
    vary = {"bodies.ball.velocity[2]": [2.0, 4.0]}
    return dt.study(ball(), vary, HEIGHT, out=folder, events=[until.event("decided")], **options)


def test_a_run_ends_where_its_signal_falls_below_the_limit(tmp_path):
    """A ball thrown up at v is at z = -0.1 m again after (v + sqrt(v^2 + 0.2 g)) / g."""
    done = thrown(tmp_path / "s", Until("position", ("ball",), "z", below=-0.1))
    for run, v in enumerate((2.0, 4.0)):
        end = (v + (v * v + 0.2 * G) ** 0.5) / G
        assert done.result(run).time[-1] == pytest.approx(end, abs=1e-6)
        assert "ended by event 'decided'" in done.result(run).reason
        assert done.table["height"][run] == pytest.approx(v * v / (2 * G), abs=1e-3)


def test_a_run_ends_where_the_distance_of_two_bodies_rises_above_the_limit(tmp_path):
    """The mark is 1 m up; a throw of 4 m/s falls back until it is 1.05 m from it."""
    done = thrown(tmp_path / "s", Until("distance", ("ball", "mark"), above=1.05))
    end = (4 + (16 + 2 * G * 0.05) ** 0.5) / G
    assert done.result(1).time[-1] == pytest.approx(end, abs=1e-6)


def test_a_run_that_starts_beyond_the_limit_does_not_end_at_once(tmp_path):
    done = thrown(tmp_path / "s", Until("position", ("ball",), "z", below=5.0))
    assert done.result(0).time[-1] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("energy", ("ball",), None, 1.0), "must be one of position"),
        (("distance", ("ball",), None, 1.0), "2 to 2 bodies"),
        (("position", ("ball",), "w", 1.0), "must be x, y or z"),
        (("position", ("ball",)), "one limit"),
        (("position", ("ball",), "x", 1.0, 2.0), "one limit"),
        (("position", ("ball",), "x", float("nan")), "finite"),
    ],
)
def test_what_cannot_end_a_run_is_refused(arguments, sentence):
    with pytest.raises(dt.InputError, match=sentence):
        Until(*arguments)


def test_a_study_done_in_parts_has_the_table_of_one_done_at_once(tmp_path):
    def part(folder, at_most):
        return dt.study(
            ball(), {"bodies.ball.velocity[2]": Uniform(1, 3)}, HEIGHT, out=folder, workers=0,
            sampling=Random(5, 1), duration=0.1, step=1e-2, progress=False, at_most=at_most,
        )  # fmt: skip

    whole = part(tmp_path / "whole", None)
    assert part(tmp_path / "parts", 2).table["status"] == ["finished"] * 2 + ["not done"] * 3
    assert part(tmp_path / "parts", 1).count("not done") == 2
    done = part(tmp_path / "parts", 9)
    assert (done.path / "table.csv").read_bytes() == (whole.path / "table.csv").read_bytes()
    with pytest.raises(dt.InputError, match="`at_most` must be a whole number"):
        part(tmp_path / "parts", -1)


def test_large_steps_of_a_scene_file_hold_in_a_study(tmp_path):
    document = {
        "version": 1,
        "run": {"duration": 1, "step": 0.01, "large_step": 0.1},
        "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1]}],
    }
    _, settings = DocumentJob(document, tmp_path / "s.yaml", {})({})
    control = settings["step_control"]
    assert isinstance(control, LargeAndSmallSteps)
    assert (control.large, control.small) == (0.1, 0.01)


@pytest.mark.parametrize("name", study_names())
def test_every_built_in_study_can_be_read(name):
    request = read_study(study_file(name))
    assert request.outputs and request.vary
