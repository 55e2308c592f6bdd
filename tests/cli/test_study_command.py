"""Study files: read, refused with sentences, run from the command line."""

import pytest

import dovetail as dt
from dovetail.studies.document import read_study

SCENE = """
version: 1
units: {length: mm}
gravity: [0, 0, -9810]
run: {duration: 0.2, step: 0.01}
bodies:
  - {name: ball, shape: {sphere: 100}, mass: 2, velocity: [0, 0, 1000]}
"""
STUDY = """
version: 1
scene: ball.yaml
run: {duration: 0.4}
sample: {latin: 4, seed: 3}
vary:
  bodies.ball.velocity[2]: {uniform: [500, 2000]}
  drop: {values: [1, 2], to: ["gravity[2]"], change: multiply}
outputs:
  height: {max: position, bodies: [ball], component: z}
  fell: {last: position, bodies: [ball], component: z, below: 0}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ball.yaml").write_text(SCENE)
    (tmp_path / "throws.yaml").write_text(STUDY)
    return tmp_path


def test_the_command_runs_a_study_in_the_units_of_the_scene(folder, dovetail):
    done = dovetail("study", str(folder / "throws.yaml"), "--workers", "0")
    assert done.code == 0, done.err
    assert "4 runs, 0 failed" in done.out and "fell: yes in" in done.out
    table = (folder / "throws" / "table.csv").read_text().splitlines()
    assert table[0] == "run,status,bodies.ball.velocity[2],drop,height,fell,reason"
    for line in table[1:]:
        _, status, speed, drop, height, _, _ = line.split(",")
        assert status == "finished"
        top = (float(speed) * 1e-3) ** 2 / (2 * 9.81 * float(drop))
        assert float(height) == pytest.approx(top, abs=9.81 * 2 * 0.01**2 / 2)
        assert dt.load(folder / "throws" / "runs" / "000000.h5").time[-1] == pytest.approx(0.4)


def test_an_example_can_be_studied(folder, dovetail):
    (folder / "s.yaml").write_text(
        "version: 1\nscene: spring-pendulum\nrun: {duration: 0.1}\n"
        "vary: {'loads.spring.stiffness': [30, 40]}\noutputs: {loss: {loss: energy}}\n"
    )
    done = dovetail("study", str(folder / "s.yaml"), "--workers", "0", "--out", str(folder / "o"))
    assert done.code == 0, done.err
    assert "2 runs, 0 failed" in done.out


OF_EXAMPLE = """
version: 1
scene: docking
set: {light: true}
run: {duration: 8.0e-4, step: 4.0e-4, integrator: JointCoordinates}
vary: {aside: [0, 0.002]}
outputs: {apart: {first: position, bodies: [passive vehicle], component: y}}
"""


def test_parameters_of_an_example_can_be_varied(folder, dovetail):
    (folder / "s.yaml").write_text(OF_EXAMPLE)
    done = dovetail("study", str(folder / "s.yaml"), "--workers", "0", "--out", str(folder / "o"))
    assert done.code == 0, done.err
    first, second = (dt.load(folder / "o" / "runs" / f"00000{k}.h5") for k in range(2))
    assert first.position("passive vehicle")[0, 1] == 0
    assert second.position("passive vehicle")[0, 1] == 0.002
    assert first.time[-1] == 8e-4 and len(first.names) == 6  # legs are springs


def test_parameters_of_an_example_and_places_do_not_mix(folder, dovetail):
    mixed = OF_EXAMPLE.replace("{aside: [0, 0.002]}", "{aside: [0], 'gravity[2]': [0, 1]}")
    (folder / "s.yaml").write_text(mixed)
    done = dovetail("study", str(folder / "s.yaml"), "--workers", "0", "--out", str(folder / "o"))
    assert done.code == 2
    assert "'gravity[2]' is no parameter of the example docking (it has aside, above" in done.err


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("version: 1", "version: 2", "version"),
        ("latin: 4", "lattin: 4", "did you mean `latin`"),
        ("latin: 4", "latin: -4", "must be >= 0"),
        ("latin: 4", "latin: 4000000000", "at most 1000000 runs"),
        ("uniform: [500, 2000]", "uniform: [2000, 500]", "low <= high"),
        ("uniform: [500, 2000]", "uniform: [500, .nan]", "finite"),
        ("{uniform: [500, 2000]}", "{}", "exactly one of values, uniform"),
        ("max: position", "max: postion", "signal must be one of"),
        ("max: position", "biggest: position", "biggest"),
        ("scene: ball.yaml", "scene: bal.yaml", "bal.yaml"),
        ("outputs:", "outputs:\n  both: {all: [fell, flew]}", "'flew' is none"),
        ("outputs:", "outputs:\n  both: {all: [fell, height]}", "that are yes or no"),
        ("outputs:", "outputs:\n  both: {all: [fell], below: 1}", "nothing but a list of names"),
        ("ball.velocity[2]", "bal.velocity[2]", "there is no 'bal'"),
        (
            "bodies: [ball], component: z}",
            "bodies: [a, b, c], component: z}",
            "is of 1 to 2 bodies",
        ),
    ],
)
def test_a_mistake_is_a_sentence_and_exit_code_2(folder, dovetail, old, new, sentence):
    (folder / "throws.yaml").write_text(STUDY.replace(old, new, 1))
    done = dovetail("study", str(folder / "throws.yaml"), "--workers", "0")
    assert done.code == 2 and sentence in done.err, done.err
    assert "Traceback" not in done.err
    assert not (folder / "throws").exists()


def test_lists_are_short_for_values(folder):
    text = STUDY.replace("{uniform: [500, 2000]}", "[500, 2000]")
    (folder / "throws.yaml").write_text(text)
    request = read_study(folder / "throws.yaml")
    assert request.vary["bodies.ball.velocity[2]"].over.values == (500, 2000)


def test_values_set_for_all_runs_and_runs_that_end_early(folder, dovetail):
    """At 500 to 2000 mm/s without weight, 300 mm are passed after 0.15 to 0.6 s."""
    text = STUDY.replace("run: {duration: 0.4}", 'run: {duration: 9}\nset: {"gravity[2]": -1}')
    text += "until:\n  away: {of: position, bodies: [ball], component: z, above: 0.3}\n"
    (folder / "throws.yaml").write_text(text)
    done = dovetail("study", str(folder / "throws.yaml"), "--workers", "0", "--at-most", "2")
    assert done.code == 0, done.err
    assert "4 runs, 0 failed, 2 not done yet" in done.out
    assert 0.15 < dt.load(folder / "throws" / "runs" / "000000.h5").time[-1] < 0.61


def test_the_built_in_studies_are_listed_and_others_refused(dovetail):
    assert "docking-approaches" in dovetail("examples").out
    refused = dovetail("study", "parking")
    assert refused.code == 2
    assert "neither a file nor a built-in study" in refused.err
