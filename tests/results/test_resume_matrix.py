"""`benchmarks/resume_matrix.py`: rows of a log are kept, refusals are counted by their reason."""

import sys
from argparse import Namespace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random

import pytest

SOURCE = Path(__file__).parents[2] / "benchmarks" / "resume_matrix.py"


@pytest.fixture(scope="module")
def matrix():
    spec = spec_from_file_location("resume_matrix", SOURCE)
    module = module_from_spec(spec)
    sys.modules["resume_matrix"] = module
    spec.loader.exec_module(module)
    return module


CHAINED = Namespace(
    whole=False, steps=8, least=3, most=None, chained=True, kills=None, sample=None
)  # fmt: skip


@pytest.mark.parametrize(
    ("row", "resumes"),
    [
        (("sliders", "sdf", "LieVerlet", 3), 7),
        (("four-bar", "none", "DL", 1), 7),
        (("gears", "ipc", "ImplicitEuler", 1), 7),
        (("painleve-rod", "own", "StewartTrinkle", 3), 7),
    ],
)
def test_a_run_that_is_killed_after_each_of_its_steps_has_the_same_bytes(matrix, row, resumes):
    made = matrix.resume_all(matrix.Row(*row), CHAINED, Random(0))
    assert (made.verdict, made.count) == ("same", resumes)


def test_a_step_that_keeps_something_outside_of_its_checkpoint_is_seen(matrix, monkeypatch):
    from dovetail.integrators.variational.stepper import VariationalStepper

    kept = VariationalStepper.snapshot

    def forgets(self):
        found = kept(self)
        return found | {"v": found["v"] + 1e-15} if "v" in found else found

    monkeypatch.setattr(VariationalStepper, "snapshot", forgets)
    made = matrix.resume_all(matrix.Row("four-bar", "none", "DH", 1), CHAINED, Random(0))
    assert made.verdict == "differs"


def test_rows_of_a_log_are_kept_and_those_that_differ_made_again(matrix, tmp_path):
    log = tmp_path / "rows.tsv"
    why = "integrator DH takes a force law, but contact method 'ipc' is a potential law; use 3"
    log.write_text(
        f"a none DH every=1\tsame\t7\t7\t0.3\t\na ipc DH every=1\trefused\t0\t0\t0.0\t{why}\n"
        f"b ipc DH every=1\trefused\t0\t0\t0.0\t{why.replace('ipc', 'own')}\n"
        "a sdf DH every=1\tdiffers\t7\t7\t0.3\tkilled after some step\n"
    )
    known = matrix.logged(str(log))
    assert list(known) == ["a none DH every=1", "a ipc DH every=1", "b ipc DH every=1"]
    lines = matrix.summary(known.values(), 1).splitlines()
    assert lines[0] == "4 rows: 1 the same, 0 differ, 2 refused, 0 failed, 1 left; 7 resumes"
    assert lines[1].split() == [
        *[
            "2",
            "refused:",
            "integrator",
            "DH",
            "takes",
            "a",
            "force",
            "law,",
            "but",
            "contact",
            "method",
        ],
        *["'...'", "is", "a", "potential", "law"],
    ]
