"""The summary of the agreement tables: a key value of each case, energy gained, time of a step."""

from dovetail.validation import agreement
from dovetail.validation.agreement import table
from dovetail.validation.agreement.table import Row, summary


def test_every_case_has_a_key_value_that_the_summary_shows(monkeypatch):
    def rows(case):
        yield Row("IPC", {case.key: 0.25}, 1e-3, 2e-6)
        yield Row("SDF", {}, refusal="cannot run")
        yield Row("closed form", {})

    monkeypatch.setattr(table, "rows", rows)
    cases = {name: agreement.case(name) for name in agreement.NAMES}
    lines = list(summary(cases))
    assert all(case.key for case in cases.values())
    assert all(f"{name}: {case.key}" in lines[0] for name, case in cases.items())
    assert lines[2] == "| IPC" + " | 0.25" * len(cases) + " |"
    assert lines[3] == "| SDF" + " | " * len(cases) + " |"
    assert "| IPC" + " | 1.0e-03" * len(cases) + " |" in lines
    assert "| IPC" + " | 2" * len(cases) + " |" in lines
