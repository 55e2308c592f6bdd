"""Qi, Huang, Shao 2009: every printed number."""

from pathlib import Path

from dovetail.validation.reproduce import qi2009
from dovetail.validation.reproduce.qi2009.examples import EXAMPLES, compared


def test_both_worked_examples_come_out_as_printed(tmp_path: Path) -> None:
    said: list[str] = []
    qi2009.reproduce(tmp_path, said.append)
    values = [line for line in said if not line.startswith("wrote ")]
    assert len(values) == 8 and all(line.startswith("agrees: ") for line in values)
    assert {path.name for path in tmp_path.iterdir()} == {"qi2009_fig2.png", "qi2009_fig4.png"}


def test_a_label_that_differs_is_reported() -> None:
    example = EXAMPLES["fig4"]
    example.printed["cut_joints"], kept = (5, 7, 6), example.printed["cut_joints"]
    try:
        row = next(row for row in compared(example) if "cut joints" in row.what)
    finally:
        example.printed["cut_joints"] = kept
    assert row.line == "differs: fig4, cut joints: published 5 7 6, ours 5 7 8"
