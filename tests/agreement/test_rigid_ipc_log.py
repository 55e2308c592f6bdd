"""The log of the authors' scenes: which of several runs is reported, and what is to be run."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = Path(__file__).parents[2] / "benchmarks" / "rigid_ipc_log.py"


@pytest.fixture(scope="module")
def log() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rigid_ipc_log", SOURCE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_rows_come_back_from_the_file_as_they_were(log: ModuleType, tmp_path: Path) -> None:
    row = log.Row("chain/3-links", "abc", bodies=3, steps=10, full=10, ours_ms=0.5, verdict="free")
    log.append(tmp_path / "log.jsonl", row)
    (back,) = log.read(tmp_path / "log.jsonl")
    assert log.cells(back) == log.cells(row)


def test_of_several_runs_the_longest_counts_and_of_equal_ones_the_last(log: ModuleType) -> None:
    short = log.Row("a", "1", steps=40, full=100, verdict="free")
    whole = log.Row("a", "2", steps=100, full=100, verdict="free")
    later = log.Row("a", "3", steps=100, full=100, verdict="not verified")
    newer = log.Row("a", "4", steps=100, full=100, verdict="free")
    assert log.best([whole, short]) == [whole]
    assert log.best([whole, later]) == [whole]
    assert log.best([whole, newer]) == [newer]


def test_a_run_is_whole_only_with_a_verdict(log: ModuleType) -> None:
    assert not log.Row("a", "1", steps=100, full=100).whole
    assert not log.Row("a", "1", steps=99, full=100, verdict="free").whole
    assert log.Row("a", "1", steps=100, full=100, verdict="intersecting").whole


def test_the_summary_names_what_is_slower_than_the_reference(log: ModuleType) -> None:
    fast = log.Row("fast", "1", steps=1, full=1, alike_ms=1.0, theirs_ms=8.0, verdict="free")
    slow = log.Row("slow", "1", steps=1, full=1, alike_ms=2.0, theirs_ms=1.0, verdict="free")
    reported = log.summary([fast, slow])
    assert "Geometric mean of 2 ratios 2.0, least 0.50" in reported
    assert reported.endswith("slower than the reference: slow")
