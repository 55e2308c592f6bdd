"""A study does each run once, and its table depends on nothing but the study file."""

import errno
import json
import subprocess
import sys

import pytest

import dovetail as dt
from dovetail.studies import Grid, Latin, Output, Random, Uniform, Values, Varied
from dovetail.studies import one_run as one_run_module

OUTPUTS = {"height": Output("max", "position", ("ball",), "z"), "loss": Output("loss", "energy")}


def ball(speed: float = 1.0, mass: float = 1.0) -> dt.Scene:
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("ball", dt.Sphere(0.1), mass=mass, velocity=(0, 0, speed))
    return scene


def thrown(out, vary=None, outputs=OUTPUTS, **options):
    vary = vary or {"bodies.ball.velocity[2]": [1.0, 2.0, 3.0]}
    options = {"workers": 0, "duration": 0.5, "step": 1e-2, "progress": False} | options
    return dt.study(ball(), vary, outputs, out=out, **options)


@pytest.fixture
def counted(monkeypatch):
    """How many simulations were started."""
    calls = []
    really = one_run_module.simulate

    def simulate(scene, **settings):
        calls.append(settings["out"].stem)
        return really(scene, **settings)

    monkeypatch.setattr(one_run_module, "simulate", simulate)
    return calls


def test_heights_of_a_throw_are_v_squared_over_2g(tmp_path):
    result = thrown(tmp_path / "s", step=1e-3)
    speeds = result.table["bodies.ball.velocity[2]"]
    for speed, height in zip(speeds, result.table["height"]):
        assert height == pytest.approx(speed**2 / (2 * 9.81), abs=9.81 * 1e-3**2)


def test_a_study_started_again_runs_only_what_is_missing(tmp_path, counted):
    out = tmp_path / "s"
    first = thrown(out)
    before = (out / "table.csv").read_bytes()
    thrown(out)
    assert counted == ["000000", "000001", "000002"]
    (out / "runs" / "000001.json").unlink()
    (out / "runs" / "000001.h5").unlink()
    again = thrown(out)
    assert counted[3:] == ["000001"]
    assert again.table == first.table
    assert (out / "table.csv").read_bytes() == before


def test_new_outputs_are_computed_from_results_that_are_there(tmp_path, counted):
    out = tmp_path / "s"
    thrown(out)
    more = thrown(out, outputs=OUTPUTS | {"end": lambda result: result.time[-1]})
    assert len(counted) == 3
    assert more.table["end"] == [0.5, 0.5, 0.5]


def test_an_output_that_means_something_else_now_is_computed_again(tmp_path, counted):
    high = {"high": Output("max", "position", ("ball",), "z", above=0.1)}
    assert thrown(tmp_path / "s", outputs=high).table["high"] == [False, True, True]
    higher = {"high": Output("max", "position", ("ball",), "z", above=0.3)}
    assert thrown(tmp_path / "s", outputs=higher).table["high"] == [False, False, True]
    assert len(counted) == 3


def test_more_random_runs_keep_those_that_are_there(tmp_path, counted):
    vary = {"bodies.ball.mass": Uniform(1, 2)}
    few = thrown(tmp_path / "s", vary, sampling=Random(3, 5))
    many = thrown(tmp_path / "s", vary, sampling=Random(5, 5))
    assert len(counted) == 5
    assert many.table["height"][:3] == few.table["height"]


def test_another_study_in_the_folder_is_refused_and_untouched(tmp_path):
    out = tmp_path / "s"
    thrown(out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    with pytest.raises(dt.InputError, match="is of another study, `vary` differ"):
        thrown(out, {"bodies.ball.velocity[2]": [5.0]})
    with pytest.raises(dt.InputError, match="`settings` differ"):
        thrown(out, duration=0.6)
    assert before == {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_a_folder_with_other_things_is_refused(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(dt.InputError, match="must be a new or empty folder"):
        thrown(tmp_path)


def test_a_run_that_cannot_be_is_a_row_and_not_the_end(tmp_path, counted):
    vary = {"bodies.ball.mass": [1.0, -1.0, 2.0]}
    result = thrown(tmp_path / "s", vary)
    assert result.table["status"] == ["finished", "failed", "finished"]
    assert "must be >= 0 kg" in result.table["reason"][1]
    assert result.table["height"][1] is None
    thrown(tmp_path / "s", vary)
    assert len(counted) == 2
    assert thrown(tmp_path / "s", vary, retry_failed=True).count("failed") == 1


def test_a_full_disk_leaves_the_run_to_be_done_next_time(tmp_path, monkeypatch):
    out, broken = tmp_path / "s", [1]
    really = one_run_module.simulate

    def simulate(scene, **settings):
        if broken and settings["out"].stem == "000001":
            raise OSError(errno.ENOSPC, "No space left on device")
        return really(scene, **settings)

    monkeypatch.setattr(one_run_module, "simulate", simulate)
    with pytest.raises(
        dt.RunError, match=r"1 of 3 runs could not be done, the first is run 1: .*No"
    ):
        thrown(out)
    assert (out / "table.csv").exists() and not (out / "runs" / "000001.json").exists()
    broken.clear()
    assert thrown(out).count("finished") == 3


def test_a_function_makes_scenes_from_values_by_name(tmp_path):
    result = dt.study(
        ball, {"speed": [1.0, 2.0], "mass": [1.0]}, OUTPUTS, out=tmp_path / "s", workers=0,
        duration=0.3, step=1e-2,
    )  # fmt: skip
    assert result.table["height"][1] > result.table["height"][0]
    with pytest.raises(dt.InputError, match="the scene function must take sped"):
        dt.study(ball, {"sped": [1.0]}, OUTPUTS, out=tmp_path / "t", workers=0)


def test_values_can_be_added_to_or_multiply_what_is_there(tmp_path):
    vary = {
        "faster": Varied(Values([0.5]), "bodies.ball.velocity[2]", "add"),
        "heavier": Varied(Values([3.0]), "bodies.*.mass", "multiply"),
    }
    result = thrown(tmp_path / "s", vary)
    scene = result.result(0).scene
    assert scene.bodies["ball"].mass == 3.0
    assert scene.bodies["ball"].velocity[2] == 1.5


def test_results_can_be_deleted_after_their_outputs(tmp_path):
    thrown(tmp_path / "s", keep_results=False)
    assert {path.suffix for path in (tmp_path / "s" / "runs").iterdir()} == {".json"}


def test_mistakes_are_reported_before_anything_runs(tmp_path, counted):
    cases = [
        ({"vary": {"bodies.bal.mass": [1.0]}}, "there is no 'bal' in the scene"),
        ({"vary": {"bodies.ball.mass": Uniform(1, 2)}}, "must be a list of values for a grid"),
        ({"outputs": {}}, "at least one output"),
        ({"outputs": {"x": Output("max", "position", ("bal",))}}, "no body 'bal'"),
        ({"outputs": {"run": Output("max", "energy")}}, "names of their own"),
        ({"vary": {"bodies.ball.mass": 3}}, "must be a list of values or a distribution"),
        ({"workers": -1}, "`workers` must be"),
    ]
    for changed, sentence in cases:
        with pytest.raises(dt.InputError, match=sentence):
            thrown(tmp_path / "s", **changed)
    assert not counted and not (tmp_path / "s").exists()


def test_the_table_reads_back_to_the_bit(tmp_path):
    import csv

    import pyarrow.parquet

    result = thrown(tmp_path / "s", {"bodies.ball.mass": Uniform(1, 2)}, sampling=Latin(4, 1))
    with (tmp_path / "s" / "table.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["height"]) for row in rows] == result.table["height"]
    parquet = pyarrow.parquet.read_table(tmp_path / "s" / "table.parquet").to_pydict()
    assert parquet["height"] == result.table["height"]
    assert parquet["run"] == [0, 1, 2, 3]


def test_a_picture_per_output_is_drawn(tmp_path):
    vary = {"bodies.ball.mass": [1.0, 2.0], "bodies.ball.velocity[2]": [1.0, 2.0]}
    outputs = OUTPUTS | {"high": Output("max", "position", ("ball",), "z", above=0.1)}
    thrown(tmp_path / "s", vary, outputs, sampling=Grid())
    for name in outputs:
        assert (tmp_path / "s" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_a_damaged_plan_is_reported(tmp_path):
    thrown(tmp_path / "s")
    (tmp_path / "s" / "study.json").write_text(json.dumps({"rows": 3}))
    with pytest.raises(dt.InputError, match=r"study.json cannot be read"):
        thrown(tmp_path / "s")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"duration": 0.01, "stp": 0.01}, r"study\(\) has no option 'stp'.*did you mean 'step'"),
        ({}, r"study\(\) needs `duration` and `step`"),
        ({"duration": 0.01}, r"study\(\) needs `step`"),
        ({"duration": 0.01, "step": 0.01, "resume": True}, "`resume` is not for a study"),
        ({"duration": 0.01, "step": 0.01, "check": False}, "`check` is not for a study"),
    ],
)
def test_settings_with_which_every_run_would_fail_are_refused_at_once(settings, message, tmp_path):
    scene = dt.Scene(gravity=(0, 0, -1))
    scene.add_body("a", dt.Sphere(1), density=1000)
    with pytest.raises(dt.InputError, match=message):
        dt.study(
            scene, {"gravity[2]": [-1, -2]}, {"loss": dt.studies.Output("loss", "energy")},
            out=tmp_path / "s", workers=0, progress=False, **settings,
        )  # fmt: skip
    assert not (tmp_path / "s").exists()


def test_a_script_that_its_workers_would_run_again_is_answered_with_the_guard(tmp_path):
    script = tmp_path / "study.py"
    script.write_text(
        "import dovetail as dt\n"
        "from dovetail.examples import get\n"
        "dt.study(get('spring-pendulum').build(), {'gravity[2]': [-9, -10]},\n"
        "         {'loss': dt.studies.Output('loss', 'energy')}, out='s', workers=1,\n"
        "         duration=1e-3, step=1e-3, progress=False)\n"
    )
    run = subprocess.run(
        [sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=200
    )
    last = run.stderr.strip().splitlines()[-1]
    assert run.returncode == 1 and "RunError: no worker could be started" in last
    assert last.endswith('put the call under `if __name__ == "__main__":`')
